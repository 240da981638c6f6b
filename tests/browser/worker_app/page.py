"""Holds a process of the worker until a gate opens, and tells its id."""

import os

import streamlit as st

from pages.kit import worker


@st.fragment(run_every=0.1)
def tell() -> None:
    """The process, once it runs."""
    for process in st.session_state["job"].progress:
        st.markdown(f"working as {process}")


if "job" not in st.session_state:
    st.session_state["job"] = worker.start("training", "tests.pages.jobs:hold", os.environ["GATE"])
tell()
