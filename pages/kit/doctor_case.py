"""A diagnosis with what the page shows of it: the angles by position, thinned, and where they fit.

It imports no Streamlit, for the worker calls it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pages.kit.doctor_upload import WhichIsWhichError, read
from pages.kit.tensor_files import FileError
from rope_core.config import RopeSpec
from rope_core.diagnosis import Diagnosis, DiagnosisError, diagnose

PLACES, PAIRS = 128, 128  # cells of the map, at most
DRAWN = 512  # pairs that can be taken in hand
FITS, FAILS, UNSEEN = 0, 1, 2

Real = NDArray[np.float64]
Reply = dict[str, Any]  # of numpy and rope_core alone, so that it may cross to the web process


@dataclass(frozen=True)
class Asked:
    """What is known of the model besides the arrays; a count of 0 is not known."""

    specs: Mapping[str, RopeSpec] | None = None
    layer_type: str | None = None
    num_heads: int = 0
    num_kv_heads: int = 0


@dataclass(frozen=True, eq=False)
class Seen:
    """A diagnosis, without its arrays, and what of them is drawn.

    places `(drawn places,)`, angles `(drawn places, drawn pairs)`, states alike: FITS, FAILS or UNSEEN. lines
    `(2, drawn pairs)`: slope and start of the reading, not a number where there is none. cells `(rows, columns)`:
    the states over all pairs (rows) and places (columns), a block of them each, which begins at cell_pairs and
    cell_places (places as counted in the array). counts: places that fit and places seen, `(2, drawn pairs)`; total:
    the same over all pairs. size: all places and all pairs.
    """

    diagnosis: Diagnosis
    shape: tuple[int, ...]
    is_given: bool  # whether positions came along
    places: Real
    angles: Real
    states: NDArray[np.int8]
    lines: Real
    cells: NDArray[np.int8]
    cell_places: Real
    cell_pairs: Real
    counts: NDArray[np.int64]
    total: tuple[int, int]
    size: tuple[int, int]

    @property
    def has_reading(self) -> bool:
        """Whether anything explains the data."""
        return bool(np.isfinite(self.diagnosis.residual))

    @property
    def keeps_lengths(self) -> bool:
        """Whether all pairs of a layout turn as pairs, though by angles that nothing explains."""
        return not self.has_reading and self.diagnosis.layout is not None

    @property
    def is_stepped(self) -> bool:
        """Whether the reading goes in steps, so that the lines are only its averages."""
        return "half_precision_angles" in self.diagnosis.faults

    @property
    def counts_heads(self) -> bool:
        """Whether the angles are by head, since they do not follow the position."""
        return "heads_axis" in self.diagnosis.faults


def run(report: Callable[[object], None], files: Sequence[tuple[str, bytes]], first: int | None, asked: Asked) -> Reply:
    """Read the files and diagnose. A reply has `seen` and `unused`, or `fault` and `said`, or `which`."""
    try:
        brought = read(files, first)
        seen = examined(brought.before, brought.after, brought.positions, asked)
    except FileError as error:
        return {"fault": error.reason, "said": error.said}
    except WhichIsWhichError as error:
        return {"which": error.labels}
    except DiagnosisError as error:
        return {"fault": error.reason, "said": {}}
    return {"seen": {field.name: getattr(seen, field.name) for field in fields(seen)}, "unused": brought.unused}


def examined(before: ArrayLike, after: ArrayLike, positions: ArrayLike | None, asked: Asked) -> Seen:
    """Diagnose, and thin what is drawn. DiagnosisError for arrays that cannot be diagnosed."""
    found = diagnose(
        before,
        after,
        positions,
        asked.specs,
        asked.num_heads or None,
        asked.num_kv_heads or None,
        layer_type=asked.layer_type,
    )
    assert found.angles is not None
    assert found.fits is not None
    count = len(found.angles)  # heads instead of places, where those were mistaken
    given = positions is not None and "heads_axis" not in found.faults
    places = np.asarray(positions, dtype=np.float64) if given else np.arange(count, dtype=np.float64)
    states = np.where(np.isnan(found.angles), UNSEEN, np.where(found.fits, FITS, FAILS)).astype(np.int8)
    kept = np.unique(np.linspace(0, count - 1, min(count, PLACES)).round().astype(int))
    drawn = slice(0, DRAWN)
    across, down = _edges(count, PLACES), _edges(states.shape[1], PAIRS)
    return Seen(
        diagnosis=replace(found, angles=None, fits=None),
        shape=np.shape(before),
        is_given=given,
        places=places[kept],
        angles=found.angles[kept, drawn],
        states=states[kept, drawn],
        lines=_lines(places, found.angles[:, drawn], states[:, drawn], bool(np.isfinite(found.residual))),
        cells=_blocks(states, across, down).T,
        cell_places=across.astype(np.float64),
        cell_pairs=down.astype(np.float64),
        counts=np.stack([(states[:, drawn] == FITS).sum(0), (states[:, drawn] != UNSEEN).sum(0)]),
        total=(int((states == FITS).sum()), int((states != UNSEEN).sum())),
        size=(count, states.shape[1]),
    )


def _edges(count: int, most: int) -> NDArray[np.int_]:
    """Where the blocks begin, of equal size up to rounding, at most so many."""
    return np.unique(np.linspace(0, count, min(count, most), endpoint=False).astype(int))


def _blocks(states: NDArray[np.int8], across: NDArray[np.int_], down: NDArray[np.int_]) -> NDArray[np.int8]:
    """The state of each block: it fails where anything in it fails, and is unseen where nothing in it is seen."""
    fails, fits = (
        np.logical_or.reduceat(np.logical_or.reduceat(states == one, across), down, 1) for one in (FAILS, FITS)
    )
    return np.where(fails, FAILS, np.where(fits, FITS, UNSEEN)).astype(np.int8)


def _lines(places: Real, angles: Real, states: NDArray[np.int8], has_reading: bool) -> Real:
    """The straight line through the angles that fit, `(slope and start, pairs)`, by least squares."""
    weight = (states == FITS).astype(np.float64)
    total = weight.sum(0)
    known = np.where(states == FITS, angles, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle, height = (weight * places[:, None]).sum(0) / total, known.sum(0) / total
        away = weight * (places[:, None] - middle)
        spread = (away**2).sum(0)
        slope = (away * known).sum(0) / np.where(spread > 0, spread, np.nan)
        lines = np.stack([slope, height - slope * middle])
    return lines if has_reading else np.full_like(lines, np.nan)
