"""The keys of a config.json, checked as they are read."""

import math
import re
from collections.abc import Mapping
from typing import Any

SMALLEST = 1e-30  # of a number in a rope key; the largest is its inverse
MOST_ENTRIES = 20_000

SIZE_KEYS = {
    "hidden_size": ("hidden_size", "n_embd", "d_model", "dim", "n_embed"),
    "num_attention_heads": ("num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_num_attention_heads"),
    "num_hidden_layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_num_hidden_layers"),
    "max_position_embeddings": (
        "max_position_embeddings",
        "n_positions",
        "max_seq_len",
        "model_max_length",
        "seq_length",
    ),
}
"""The names under which files state a size."""

LARGEST = {
    "head_dim": 2**16,
    "hidden_size": 2**20,
    "num_attention_heads": 2**20,
    "num_hidden_layers": 10_000,
    "max_position_embeddings": 10**12,
}
"""The largest size that is read: none of a real model comes near, and a table of that width still fits in memory."""


class RopeConfigError(ValueError):
    """A config.json that cannot be read: the key, its value, and what was expected of it."""

    def __init__(self, key: str, value: object, expectation: str) -> None:
        self.key, self.value, self.expectation = key, value, expectation
        super().__init__(f"{key}: expected {expectation}, found {_shown(value)}.")


def _shown(value: object) -> str:
    """A value in a few words, however large it is."""
    if isinstance(value, bool) or value is None:
        return "nothing" if value is None else str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:60] + "…")
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a number near {'-' if value < 0 else ''}10^{round(value.bit_length() * math.log10(2))}"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return f"an object of {len(value)}" if isinstance(value, Mapping) else f"a {type(value).__name__}"


def json_object(key: str, value: object) -> Mapping[str, Any]:
    """The value, which must be a JSON object of a size that a configuration can have."""
    if not isinstance(value, Mapping) or len(value) > MOST_ENTRIES:
        raise RopeConfigError(key, value, f"an object of at most {MOST_ENTRIES} keys")
    return value


class Keys:
    """A JSON object that checks what it hands out and remembers which keys it was asked for.

    Every method raises RopeConfigError where the value is of another kind. A key that is missing or null holds None, or
    an empty text or list.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self._asked = set[str]()

    def get(self, key: str) -> object:
        """The value, unchecked."""
        self._asked.add(key)
        return self.values.get(key)

    def number(self, key: str, least: float = SMALLEST) -> float | None:
        """A finite number of at least `least`."""
        value = self.get(key)
        return None if value is None else _number(key, value, least)

    def whole(self, key: str, most: int) -> int | None:
        """A whole number from 1 to `most`."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise RopeConfigError(key, value, f"a whole number from 1 to {most}")
        return value

    def size(self, name: str) -> int | None:
        """A size of the model, under any of its names."""
        sizes = [self.whole(key, LARGEST[name]) for key in SIZE_KEYS[name]]
        return next((size for size in sizes if size is not None), None)

    def text(self, key: str) -> str:
        """A text."""
        value = self.get(key)
        if value is not None and not isinstance(value, str):
            raise RopeConfigError(key, value, "a text")
        return value or ""

    def flag(self, key: str) -> bool | None:
        """True or false."""
        value = self.get(key)
        if value is not None and not isinstance(value, bool):
            raise RopeConfigError(key, value, "true or false")
        return value

    def object(self, key: str) -> Mapping[str, Any] | None:
        """An object, unchecked inside."""
        value = self.get(key)
        return None if value is None else json_object(key, value)

    def entries(self, key: str, count: int | None = None) -> list[Any]:
        """A list, unchecked inside, cut to `count` entries; a shorter one is refused."""
        value = self.get(key)
        value = [] if value is None else value
        if not isinstance(value, list) or (value and len(value) < (count or 0)) or len(value) > MOST_ENTRIES:
            raise RopeConfigError(key, value, f"a list with an entry for each of {count} layers" if count else "a list")
        return value[:count]

    def numbers(self, key: str, count: int | None = None, least: float = SMALLEST) -> tuple[float, ...]:
        """A list of finite numbers of at least `least`."""
        return tuple(_number(key, entry, least) for entry in self.entries(key, count))

    def names(self, key: str, count: int | None = None) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(Keys({key: entry}).text(key) for entry in self.entries(key, count))

    def forget(self, key: str) -> None:
        """Treat a key as never asked for: it was read and has no effect."""
        self._asked.discard(key)

    def unasked(self, pattern: str = "") -> tuple[str, ...]:
        """The keys that hold something, match the pattern and were never asked for."""
        rest = [str(key) for key, value in self.values.items() if value is not None and key not in self._asked]
        return tuple(key for key in rest if re.search(pattern, key))


def _number(key: str, value: object, least: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= 1 / SMALLEST:
        raise RopeConfigError(key, value, f"a number from {least:g} to {1 / SMALLEST:g}")
    return float(value)
