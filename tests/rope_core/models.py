"""Real models' config.json files and known mistakes with them, as stored in tests/data."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"
MODELS: list[dict[str, Any]] = json.loads((DATA / "models.json").read_text())
BUGS: dict[int, dict[str, Any]] = {bug["id"]: bug for bug in json.loads((DATA / "bug_reports.json").read_text())}
CONFIGS = {model["repo"]: model["config"] for model in MODELS}


def is_transformers(table: dict[str, Any]) -> bool:
    """Whether transformers itself computed a table of the data."""
    return bool(table["source"].startswith("transformers"))


def is_uncertain(table: dict[str, Any]) -> bool:
    """Whether the data itself doubts a table."""
    return "UNCERTAIN" in table["note"]


def key_of(table: dict[str, Any], tables: list[dict[str, Any]]) -> str:
    """The name under which read_config gives a table of the data."""
    if table["layer_type"] is None:
        return "all" if len({other["layer_type"] for other in tables}) == 1 else "rotary"
    return "none" if table["layer_type"] == "nope_layers" else table["layer_type"]
