"""The facts of a table in words, those of two tables side by side with the differences marked."""

from collections.abc import Mapping

import numpy as np

from pages.kit import prose
from pages.kit.lab_table import WAYS, LayerTable, differing
from pages.kit.words import Words, readable

Facts = dict[str, str]
ORDER = "type base width pairs layout factor trained served waves never_trained never_served ways".split()
ORDER += ["attention", "scores", "softmax", "layers"]
MOST = 512  # pairs that are drawn and listed


def amount(number: float, words: Words) -> str:
    """A length or a number of turns, to four digits or to the whole, in the words for none and without end."""
    if np.isinf(number):
        return words("endless")
    whole = 1000 <= number < 1e9 or (number == int(number) and number < 1e9)
    return readable(number, ",.0f" if whole else ".4g")


def facts(table: LayerTable, texts: Words) -> Facts:
    """Every fact of one table by its name, in the order in which they are read."""
    if table.spec.scaling is None:
        return {"type": f"`{table.spec.rope_type}`", "layers": _layers(table, texts)}
    return _shape(table, texts) | _lengths(table, texts) | _effect(table, texts) | {"layers": _layers(table, texts)}


def _shape(table: LayerTable, texts: Words) -> Facts:
    spec, scaling = table.spec, table.scaling
    made = {
        "type": f"`{spec.rope_type}`",
        "base": readable(scaling.base, ",.10g"),
        "width": texts(f"width_{spec.rotated_slice}", turning=2 * len(table.rates), head=spec.head_dim or 0),
        "pairs": readable(len(table.rates), ","),
        "layout": f"`{spec.layout}`",
    }
    return made | ({"factor": readable(scaling.factor, ".6g")} if _has_factor(table) else {})


def _has_factor(table: LayerTable) -> bool:
    return table.spec.rope_type != "default" and not (
        table.spec.rope_type == "proportional" and table.scaling.factor == 1
    )


def _lengths(table: LayerTable, texts: Words) -> Facts:
    unknown = texts("unknown")
    trained, served = (texts("tokens", count=length) if length else unknown for length in (table.trained, table.served))
    never = [table.unfinished_in_training, table.unfinished_when_served]
    counts = [unknown if count is None else readable(count, ",") for count in never]
    turning = table.waves[np.isfinite(table.waves)]
    ends = [amount(end, texts) for end in (turning.min(initial=np.inf), turning.max(initial=0))]
    return {
        "trained": trained,
        "served": served,
        "waves": texts("from_to", least=ends[0], most=ends[1]) if len(turning) else texts("endless"),
        "never_trained": counts[0],
        "never_served": counts[1],
    }


def _effect(table: LayerTable, texts: Words) -> Facts:
    factor, multiplier = table.made[1], table.spec.softmax_scale_multiplier
    counted = [
        texts(f"count_{way}", count=count) for way in WAYS if (count := table.count(way)) and is_told(table, way)
    ]
    made = {
        "ways": ", ".join(counted) or texts("unscaled"),
        "attention": readable(factor, ".6g"),
        "scores": texts("times", factor=factor**2),
    }
    return made | ({"softmax": texts("times", factor=multiplier)} if multiplier != 1 else {})


def is_told(table: LayerTable, way: str) -> bool:
    """Whether there is something to say of pairs that scaling treats this way."""
    return table.is_scaled or way == "still"


def _layers(table: LayerTable, texts: Words) -> str:
    layers = table.spec.layers
    return texts("unknown") if layers is None else readable(len(layers), ",")


def in_a_table(here: Facts, beside: Facts | None, texts: Words) -> str:
    """The facts as a Markdown table; where those beside differ, both stand in bold behind a mark."""
    if beside is None:
        return prose.table(
            [texts("fact"), texts("here")], [[texts(f"fact_{name}"), text] for name, text in here.items()]
        )
    names = [name for name in ORDER if name in here or name in beside]
    return prose.table(
        [texts("fact"), texts("here"), texts("beside")],
        [[texts(f"fact_{name}"), *_compared(here, beside, name)] for name in names],
    )


def _compared(here: Mapping[str, str], beside: Mapping[str, str], name: str) -> list[str]:
    both = [side.get(name, "–") for side in (here, beside)]
    return both if both[0] == both[1] else [f"**{both[0]}**", f"≠ **{both[1]}**"]


def way_of(table: LayerTable, way: str, by: float, texts: Words) -> str:
    """What scaling does to a pair, in one sentence; empty where there is no scaling."""
    return texts(f"way_{way}", by=by) if table.is_scaled else ""


def pairs_in_a_table(table: LayerTable, texts: Words) -> str:
    """The pairs of a table with their numbers, as a Markdown table; those of scaling where there is any."""
    head = [texts(name) for name in ("axis_pair", "column_rate", "axis_wave")]
    rows = [
        [str(pair), readable(float(rate), ".9g"), amount(wave, texts)]
        for pair, (rate, wave) in enumerate(zip(table.made[0][:MOST], table.waves[:MOST], strict=True))
    ]
    if table.is_scaled:
        head += [texts("column_before"), texts("axis_slowed")]
        for row, before, by in zip(rows, table.before, table.slowed, strict=False):
            row += [readable(before, ".9g"), "–" if np.isnan(by) else readable(by, ".6g")]
    return prose.table(head, rows)


def verdict(here: LayerTable, beside: LayerTable, texts: Words) -> str:
    """Whether two tables are the same, in one sentence."""
    count = differing(here, beside)
    if count is None:
        return texts("tables_sizes", here=len(here.rates), beside=len(beside.rates))
    first = int(np.flatnonzero(here.made[0] != beside.made[0])[0]) if count else 0
    return texts("tables_differ" if count else "tables_equal", count=count, pairs=len(here.rates), first=first)
