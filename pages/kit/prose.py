"""How words are set on a page: grey lines, small print, a bench's opening, tables."""

from collections.abc import Sequence

import streamlit as st

from pages.kit import words
from pages.kit.words import Words


def aside(text: str) -> str:
    """`text` as a grey line; Streamlit's own caption is too pale to read."""
    return f":gray[{text}]"


def small_print(text: str) -> None:
    """Show `text` small and grey."""
    st.markdown(aside(f":small[{text}]"))


def opening(texts: Words, **facts: float | str) -> None:
    """What a bench of the workshop begins with: its claim and its lead."""
    small_print(words.of("kit")("workshop"))
    st.title(texts("claim"), anchor=False)
    st.markdown(texts("lead", **facts))


def table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str = "---") -> str:
    """A Markdown table; `align` says how all columns but the first stand, `--:` to the right."""
    lines = [head, [":--", *[align] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
