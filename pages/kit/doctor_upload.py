"""Which of the arrays that a visitor brings went into the rotation, and which came out of it.

It imports no Streamlit, for the worker calls it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from pages.kit.tensor_files import Array, FileError, arrays, as_text

FILES = 2
POSITIONS = ("positions", "position_ids")
RANKS = (2, 3, 4)
LONGEST, WIDEST = 4096, 1024  # positions and entries of a head, so that no diagnosis holds up the others for long


@dataclass(frozen=True, eq=False)
class Brought:
    """An array with the name it has in its file, and that file's name."""

    name: str
    file: str
    array: Array

    @property
    def label(self) -> str:
        """What it is called where a visitor chooses."""
        return f"{self.name} ({self.file})"

    @property
    def is_candidate(self) -> bool:
        """Whether it may be one side of a rotation."""
        return self.array.dtype.kind == "f" and self.array.ndim in RANKS and self.name.lower() not in POSITIONS


@dataclass(frozen=True, eq=False)
class Sides:
    """What went in, what came out, positions where there are any, and what the other arrays are called."""

    before: Array
    after: Array
    positions: Array | None
    unused: tuple[str, ...]


class WhichIsWhichError(ValueError):
    """Two arrays whose names do not tell which went in and which came out; `labels` are what they are called."""

    def __init__(self, labels: tuple[str, str]) -> None:
        self.labels = labels
        super().__init__(*labels)


def read(files: Sequence[tuple[str, bytes]], first: int | None) -> Sides:
    """Before, after, and positions where there are any, out of files `(name, bytes)`; checked.

    first: which of two went in, 0 or 1, where their names do not tell. FileError for what cannot be diagnosed,
    WhichIsWhichError where a visitor must say.
    """
    if not files:
        raise FileError("no_arrays")
    if len(files) > FILES:
        raise FileError("files", found=len(files))
    found = [one for file, data in files for one in _opened(file, data, len(files) > 1)]
    before, after = _sides(found, first)
    _check_side("before", before.array)
    _check_side("after", after.array)
    if before.array.shape != after.array.shape:
        raise FileError("shapes", before=as_text(before.array.shape), after=as_text(after.array.shape))
    unused = [one for one in found if one not in (before, after) and one.name.lower() not in POSITIONS]
    return Sides(before.array, after.array, _positions(found, before.array), tuple(one.label for one in unused))


def _opened(file: str, data: bytes, is_one_of_many: bool) -> list[Brought]:
    """The arrays of one file; where it is one of many, what is wrong with it is said with its name."""
    try:
        return [Brought(name, file, array) for name, array in arrays(file, data).items()]
    except FileError as error:
        if is_one_of_many:
            error.said["file"] = file
        raise


def _sides(found: Sequence[Brought], first: int | None) -> tuple[Brought, Brought]:
    """What went in and what came out: by their names, by those of their files, else as the visitor says."""
    named = [_named(found, role) for role in ("before", "after")]
    candidates = [one for one in found if one.is_candidate]
    if len(candidates) == 2 and None in named:
        one, other = candidates
        if first is None and not any(named):
            raise WhichIsWhichError((one.label, other.label))
        is_turned = named[0] is other or named[1] is one or (first == 1 and not any(named))
        named = [other, one] if is_turned else [one, other]
    before, after = named
    if before is None or after is None:
        names = ", ".join(one.name for one in found)
        raise FileError("roles" if len(found) > 1 else "one_array", names=names)
    return before, after


def _named(found: Sequence[Brought], role: str) -> Brought | None:
    """The array that is called `role`, or that lies alone in a file called so; None where there is none."""
    by_name = [one for one in found if one.name.lower() == role]
    by_file = [one for one in found if PurePath(one.file).stem.lower() == role and one.is_candidate]
    kept = by_name or (by_file if len(by_file) == 1 else [])
    if len(kept) > 1:
        raise FileError("twice", name=role)
    return kept[0] if kept else None


def _check_side(name: str, array: Array) -> None:
    if array.dtype.kind != "f":
        raise FileError("dtype", name=name, dtype=str(array.dtype))
    if array.ndim not in RANKS:
        raise FileError("rank", name=name, rank=array.ndim)
    if array.size == 0:
        raise FileError("no_values", name=name, shape=as_text(array.shape))
    if array.shape[-1] % 2:
        raise FileError("odd", name=name, width=array.shape[-1])
    if array.shape[-1] > WIDEST:
        raise FileError("wide", name=name, width=array.shape[-1], most=WIDEST)
    if array.shape[-2] > LONGEST:
        raise FileError("long", name=name, length=array.shape[-2], most=LONGEST)
    _check_finite(name, array)


def _check_finite(name: str, array: Array) -> None:
    wrong = array.size - int(np.isfinite(array).sum())
    if wrong:
        raise FileError("not_finite", name=name, wrong=wrong, size=array.size)


def _positions(found: Sequence[Brought], before: Array) -> Array | None:
    kept = [one.array for one in found if one.name.lower() in POSITIONS]
    if not kept:
        return None
    if len(kept) > 1:
        raise FileError("twice", name="positions")
    (places,) = kept
    _check_finite("positions", places)
    seq = before.shape[-2]
    row = places.reshape(-1, places.shape[-1])[0] if places.ndim in (1, 2) and places.size else places
    if row.shape != (seq,):
        raise FileError("positions", shape=as_text(places.shape), seq=seq)
    if (places != row).any():
        raise FileError("positions_differ")
    return row
