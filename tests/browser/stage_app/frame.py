"""Three pages with stages that know nothing of the project's subject, in words of their own (server.py)."""

import streamlit as st

from pages.kit import stage, words
from tests.browser.stage_app import clock, quiet, twins


def show_clock() -> None:
    """A clock, two weights on a rail and two plots, in one stage."""
    st.fragment(stage.show)("clock", clock.QUANTITIES, clock.build)


def show_twins() -> None:
    """Two stages whose panels and parts bear the same names; both can move house."""
    boxed = st.checkbox("boxed")
    for name, quantities, build in twins.BOTH:
        with st.expander(name, expanded=True) if boxed else st.container():
            st.fragment(stage.show)(name, quantities, build)


def show_quiet() -> None:
    """A stage without a plot that starts to move by itself."""
    st.fragment(stage.show)("quiet", (), quiet.build)


st.segmented_control("language", list(words.languages()), default="en", key="lang", bind="query-params")
pages = [
    st.Page(show_clock, title="Clock", url_path="clock", default=True),
    st.Page(show_twins, title="Twins", url_path="twins"),
    st.Page(show_quiet, title="Quiet", url_path="quiet"),
]
st.navigation(pages, position="top").run()
