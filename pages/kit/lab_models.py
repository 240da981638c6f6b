"""The models the lab knows by name: facts from their published config.json files, in assets/models/models.json."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FILE = Path(__file__).resolve().parents[2] / "assets" / "models" / "models.json"
NOT_PINNED = "not pinned"


@dataclass(frozen=True)
class Model:
    """A model by its repository; a name with `@` is a variation that its maker states, not a repository."""

    name: str
    revision: str
    config: Mapping[str, Any]

    @property
    def is_variation(self) -> bool:
        """Whether no repository has this name."""
        return "@" in self.name

    @property
    def is_pinned(self) -> bool:
        """Whether the revision of the repository is known."""
        return self.revision != NOT_PINNED


@cache
def models() -> Mapping[str, Model]:
    """All models by name, in alphabetical order."""
    rows = json.loads(FILE.read_text(encoding="utf-8"))
    return MappingProxyType({row["name"]: Model(**row) for row in rows})
