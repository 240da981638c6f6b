"""What a visitor reads while a job waits, runs, or has failed."""

from collections.abc import Callable

import streamlit as st

from pages.kit import words
from pages.kit.worker_lanes import Job

EVERY = 0.3  # seconds


def show(job: Job, what: str, retry: Callable[[], None]) -> None:
    """Say `what` the job is and how it stands; once done the page runs again, where it failed `retry` is offered."""
    with st.container(border=True, key="waiting"):
        if job.state == "failed":
            texts = words.of("kit")
            st.markdown(f"{what} {texts(f'worker_{job.fault}')}")
            st.button(texts("worker_retry"), on_click=retry)
        else:
            st.fragment(_look, run_every=EVERY)(job, what)


def _look(job: Job, what: str) -> None:
    texts = words.of("kit")
    place = job.place
    st.markdown(f"{what} {texts('worker_waiting', place=place) if place else texts('worker_running')}")
    if job.is_over:
        st.rerun()
