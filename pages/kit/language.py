"""The language: from the link, else from the browser, else English; chosen by hand where there are several."""

import streamlit as st

from pages.kit import words


def choose() -> None:
    """Offer the languages there are; the choice stands in the link as `lang`.

    The options are the codes, since Streamlit binds what it shows.
    """
    names = words.languages()
    if len(names) < 2:
        return
    with st.container(horizontal=True, horizontal_alignment="right", key="languages"):
        st.segmented_control(
            words.load(words.chosen_language(), "kit")["language_label"],
            list(names),
            default=words.browser_language(),
            required=True,
            key="lang",
            bind="query-params",
            label_visibility="collapsed",
        )
