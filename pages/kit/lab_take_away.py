"""What a visitor takes home: the table as CSV and JSON, and the code that builds it."""

import csv
import io
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pages.kit.lab_choice import Chosen
from pages.kit.lab_table import LayerTable

CODE = Path(__file__).resolve().parents[2] / "assets" / "code" / "lab"
WIDTH = 80  # of a line of code
COLUMNS = ("pair", "inv_freq", "wavelength", "before_scaling", "divided_by", "scaling")
IN_A_FILE = {
    "linear": ("factor",),
    "dynamic": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "yarn": ("factor", "beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim", "attention_factor"),
    "longrope": ("factor", "short_factor", "long_factor", "attention_factor"),
    "proportional": ("factor",),
}

FROM_ORIGINAL = ("llama3", "yarn", "longrope")


def as_csv(table: LayerTable) -> str:
    """One line for each pair; numbers in so many digits that they read back as they are."""
    rows = zip(range(len(table.rates)), table.made[0], table.waves, table.before, table.slowed, table.ways, strict=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return text.getvalue()


def as_json(table: LayerTable, of: Chosen) -> str:
    """The table with the numbers it is made of, and of which model and which of its layers it is."""
    spec, (inv_freq, attention_factor) = table.spec, table.made
    about = {"model": of.name, "layer_type": of.kind, "layers": spec.layers, "rope_type": spec.rope_type}
    widths = {"head_dim": spec.head_dim, "rotated_slice": spec.rotated_slice, "layout": spec.layout}
    made = {"seq_len": table.length, "attention_factor": attention_factor, "inv_freq": inv_freq.tolist()}
    scaling = {"scaling": asdict(table.scaling), "softmax_scale_multiplier": spec.softmax_scale_multiplier}
    return json.dumps(about | widths | scaling | made, separators=(", ", ": "))


def with_torch(table: LayerTable) -> str:
    """The code that builds the table in plain torch."""
    numbers = {**_numbers(table), "seq_len": table.length}
    return _filled(f"{table.spec.rope_type}.py", numbers)


def with_transformers(table: LayerTable) -> str:
    """The code that builds the table with transformers; it depends on nothing of a model but these numbers."""
    scaling, rope_type, numbers = table.scaling, table.spec.rope_type, _numbers(table)
    is_odd = scaling.rotary_dim % 2 == 1  # such a width is taken only as a part of a head
    partial = 0.5 if is_odd else scaling.partial
    inside = {"rope_type": rope_type, "rope_theta": scaling.base, "partial_rotary_factor": partial}
    if rope_type in FROM_ORIGINAL:
        inside["original_max_position_embeddings"] = scaling.original_positions
    inside |= {key: numbers[key] for key in IN_A_FILE.get(rope_type, ()) if numbers[key] is not None}
    head_dim = scaling.rotary_dim * (2 if is_odd else 1)
    served = scaling.max_positions or scaling.original_positions or 1
    outside = {"head_dim": head_dim, "max_position_embeddings": served}
    return _filled("with_transformers.py", {**outside, "rope_parameters": inside, "seq_len": table.length})


def _numbers(table: LayerTable) -> dict[str, Any]:
    numbers = asdict(table.scaling)
    if table.scaling.short_mscale is not None:  # stated for each side
        numbers["attention_factor"] = table.made[1]
    return {name: list(value) if isinstance(value, tuple) else value for name, value in numbers.items()}


def _filled(file: str, numbers: Mapping[str, Any]) -> str:
    """The code of a file, its first paragraph of lines `name = …` stated anew with these numbers."""
    paragraphs = (CODE / file).read_text(encoding="utf-8").split("\n\n")
    at = next(i for i, paragraph in enumerate(paragraphs) if re.match(r"\w+ = ", paragraph))
    names = re.findall(r"^(\w+) = ", paragraphs[at], re.MULTILINE)
    paragraphs[at] = "\n".join(_stated(name, numbers[name]) for name in names)
    return "\n\n".join(paragraphs)


def _stated(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        lines = "".join(f'    "{key}": {_written(inner)},\n' for key, inner in value.items())
        return f"{name} = {{\n{lines}}}"
    return f"{name} = {_written(value)}"


def _written(value: object) -> str:
    """A value as Python reads it; a long list over several lines."""
    if not isinstance(value, list):
        return json.dumps(value) if isinstance(value, str) else repr(value)
    lines = textwrap.fill(", ".join(map(repr, value)), WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return f"[\n{lines}\n    ]"
