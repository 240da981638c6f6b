"""What was trained: the default plan's outcome from a file, a visitor's own by the worker."""

from functools import cache
from pathlib import Path

import numpy as np
import streamlit as st

from pages.kit import worker
from pages.kit.worker_lanes import Job
from rope_core.training_plan import Array, Outcome, Plan, Progress

FILE = Path(__file__).resolve().parents[2] / "assets" / "measured" / "training.npz"
JOB, OWN = "training_job", "training_own"


@cache
def of_default() -> Outcome:
    """What came of the default plan; made by assets/measured/training.py."""
    with np.load(FILE) as file:
        return Outcome(**{name: file[name].astype(np.float32) for name in file})


def begin(plan: Plan) -> None:
    """Have the worker train, and nothing else any more for this visitor."""
    before = job()
    if before is not None:
        before[1].stop()
    st.session_state[JOB] = plan, worker.start("training", "rope_core.training:run", plan)


def job() -> tuple[Plan, Job] | None:
    """What the visitor asked for last and the work on it, until its outcome is there."""
    found: tuple[Plan, Job] | None = st.session_state.get(JOB)
    if found is not None and found[1].state == "done":
        st.session_state[OWN] = found[0], found[1].result
        del st.session_state[JOB]
        return None
    return found


def shown() -> tuple[Plan, Outcome]:
    """The visitor's last outcome; before there is one, that of the default plan."""
    own: tuple[Plan, Outcome] | None = st.session_state.get(OWN)
    return own or (Plan(), of_default())


def losses(told: list[Progress], plan: Plan) -> Array:
    """The losses so far, `(kinds, steps so far)`."""
    rows = [progress.losses for progress in told if progress.losses]
    return np.array(rows, dtype=np.float32).reshape(-1, len(plan.kinds)).T


def seconds_left(progress: Progress) -> float:
    """How long the rest takes if it goes on as it went."""
    return progress.seconds * (1 - progress.share) / progress.share
