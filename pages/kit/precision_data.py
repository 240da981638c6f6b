"""What was measured of precision: the gap that the page begins with from a file, others by the worker."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.kit import worker
from pages.kit.link import Quantity
from pages.kit.worker_lanes import Job

FILE = Path(__file__).resolve().parents[2] / "assets" / "measured" / "precision.npz"
FORMATS = ("float64", "float32", "bfloat16", "float16")  # in the order of the file
OWN, FLOAT32 = range(2)  # the ways to compute angles, in the order of the file
GAP = Quantity("precision_gap", -5, -256, 256)
JOB = "precision_job"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """The errors of scores by shift at one gap, `(ways, formats, shifts)`, and the average size of a score.

    `read`: what the positions of query and key become, `(formats, 2, shifts)`.
    """

    gap: int
    errors: Array
    read: Array
    typical: float


@dataclass(frozen=True)
class Positions:
    """What becomes of positions, whatever the gap: see assets/measured/precision.py."""

    shifts: NDArray[np.int64]
    line: Array
    counts: NDArray[np.int64]
    distinct: NDArray[np.int64]
    collision: NDArray[np.int64]


@dataclass(frozen=True)
class Shift(Quantity):
    """A shift in the link; it becomes the nearest that was measured."""

    def clean(self, raw: object) -> int:
        """`raw` as a shift that was measured."""
        shifts = positions().shifts
        return int(shifts[np.abs(shifts - super().clean(raw)).argmin()])


SHIFT = Shift("precision_shift", 4096, 1, 2**20, chosen=True)


@cache
def _stored() -> dict[str, Any]:
    with np.load(FILE) as file:
        return dict(file)


@cache
def positions() -> Positions:
    """What was measured of positions."""
    stored = _stored()
    return Positions(*(stored[name] for name in ("shifts", "line", "counts", "distinct", "collision")))


@cache
def _measured() -> dict[int, Measured]:
    """By gap; one for each gap that the page takes at most."""
    return {GAP.default: _as_measured(GAP.default, _stored())}


def of_default() -> Measured:
    """What was measured at the gap that the page begins with."""
    return _measured()[GAP.default]


def _as_measured(gap: int, found: dict[str, Any]) -> Measured:
    return Measured(gap, found["errors"], found["read"], float(found["typical"]))


def measured(gap: int) -> Measured | None:
    """What was measured at `gap`; None, and the work begun, where nothing was yet."""
    job = _job(gap)
    if gap not in _measured() and job is not None and job.state == "done":
        _measured()[gap] = _as_measured(gap, job.result)
    if gap not in _measured() and (job is None or job.state == "stopped"):
        begin(gap)
    return _measured().get(gap)


def begin(gap: int) -> None:
    """Have the worker measure at `gap`, and nothing else any more for this visitor."""
    _, before = st.session_state.get(JOB, (None, None))
    if before is not None:
        before.stop()
    shifts = positions().shifts.tolist()
    st.session_state[JOB] = gap, worker.start("bench", "rope_core.precision:run", gap, shifts)


def job_of(gap: int) -> Job | None:
    """The work that measures at `gap`; None where that is done."""
    return None if gap in _measured() else _job(gap)


def _job(gap: int) -> Job | None:
    whose, job = st.session_state.get(JOB, (None, None))
    return job if whose == gap else None
