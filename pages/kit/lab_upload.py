"""A config.json that a visitor brings: checked before it is parsed, shown only as text."""

import json
import re
from reprlib import repr as shortened
from typing import Any

import numpy as np

from pages.kit.words import Words
from rope_core.keys import RopeConfigError

LARGEST = 1  # megabytes
BYTES = LARGEST * 2**20
DEEPEST = 64
# A string, whole or broken off at the end: no text makes it try again from within.
STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
STEPS = np.zeros(256, dtype=np.int8)
STEPS[list(b"[{")], STEPS[list(b"]}")] = 1, -1


class UploadError(ValueError):
    """Something that is not a JSON object of a reasonable size; `reason` names a sentence of the words."""

    def __init__(self, reason: str, **numbers: float | str) -> None:
        self.reason, self.numbers = reason, numbers
        super().__init__(reason)


def parsed(data: bytes) -> dict[str, Any]:
    """The JSON object in `data`. UploadError for anything else, before it can cost time or memory."""
    if len(data) > BYTES:
        raise UploadError("fault_large", largest=LARGEST)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UploadError("fault_bytes", place=error.start) from None
    if not text.strip():
        raise UploadError("fault_empty")
    if depth(data) > DEEPEST:
        raise UploadError("fault_deep", deepest=DEEPEST)
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise UploadError("fault_json", line=error.lineno, column=error.colno) from None
    except ValueError:  # Python reads no number of more digits
        raise UploadError("fault_digits") from None
    if not isinstance(found, dict):
        raise UploadError("fault_object")
    return found


def depth(data: bytes) -> int:
    """How deep brackets nest, outside strings."""
    steps = STEPS[np.frombuffer(STRING.sub(b"", data), dtype=np.uint8)]
    return int(steps.cumsum(dtype=np.int32).max(initial=0))


def sentence(error: UploadError | RopeConfigError, texts: Words) -> str:
    """What is wrong, in one plain sentence."""
    if isinstance(error, UploadError):
        return texts(error.reason, **error.numbers)
    known = {"name": plain(error.key), "expectation": plain(error.expectation, 200)}
    if error.value is None:
        return texts("fault_missing", **known)
    return texts("fault_value", **known, value=plain(shortened(error.value)))


def plain(text: str, most: int = 80) -> str:
    """`text` on one line, cut, without characters that cannot be seen."""
    cut = text if len(text) <= most else f"{text[:most]}…"
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in cut)
