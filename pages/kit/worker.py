"""The worker: work that costs, or needs torch, runs beside the web process, bounded, queued, stopped at once.

`job = start("bench", "rope_core.precision:run", …)` has that function called in a process of its own, with a first
argument `report` that takes whatever is to be seen meanwhile. The lane "bench" is for short jobs, one after the other
in one warm process; "training" for at most two longer ones at a time.

A visitor's jobs stop when the visitor presses stop, goes to another page (`on_page`), or closes it.
"""

from threading import Lock
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.kit.worker_lanes import Job, Lane, Limits

FAULTS = ("full", "crashed", "late", "error")
"""Why a job failed; each has a sentence in `kit.toml`, under `worker_<fault>`."""

LANES = {
    "bench": Lane(Limits(processes=1, places=8, seconds=60, idle=300)),
    "training": Lane(Limits(processes=2, places=8, seconds=600, idle=60, niceness=15)),
}
_alive: set[tuple[str, Job]] = set()  # with their visitors
_change = Lock()


def start(lane: str, function: str, *arguments: Any) -> Job:  # noqa: ANN401
    """Have `function`, named as "module:name", called with `report` and the arguments in a process of the lane."""
    visitor = _visitor()
    job = LANES[lane].add((function, arguments), lambda: _is_here(visitor))
    with _change:
        _alive.difference_update({entry for entry in _alive if entry[1].is_over})
        if visitor is not None:
            _alive.add((visitor, job))
    return job


def on_page(page: str) -> None:
    """Note that the visitor is on `page`; coming from another one, all jobs begun there stop."""
    visitor = _visitor()
    if visitor is not None and st.session_state.get("worker_page", page) != page:
        with _change:
            left = [job for whose, job in _alive if whose == visitor]
        for job in left:
            job.stop()
    st.session_state["worker_page"] = page


def _visitor() -> str | None:
    """The session that runs the page; None outside one."""
    context = get_script_run_ctx()
    return context.session_id if context else None


def _is_here(visitor: str | None) -> bool:
    """Whether the visitor's page is still open; always so where no server runs."""
    return visitor is None or not runtime.exists() or runtime.get_instance().is_active_session(visitor)
