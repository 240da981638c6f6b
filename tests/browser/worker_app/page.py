"""Holds a process of the worker until a gate opens, and tells its id."""

import os
from pathlib import Path

import streamlit as st

from pages.kit import worker

GATE = os.environ["GATE"]


@st.fragment(run_every=0.1)
def tell() -> None:
    """The process, once it runs."""
    job = st.session_state["job"]
    Path(f"{GATE}.process").write_text("".join(map(str, job.progress)), encoding="utf-8")
    st.markdown(f"{job.state}")


if "job" not in st.session_state:
    st.session_state["job"] = worker.start("training", "tests.pages.jobs:hold", GATE)
tell()
