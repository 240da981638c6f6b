"""Precision: where “only the gap counts” stops being true, in real arithmetic, and the cure beside it."""

import streamlit as st

from pages.kit import chapter, lab_choice, precision_data, precision_picture, stage, waiting, words
from pages.kit.precision_data import FORMATS, GAP, SHIFT, Measured, positions
from pages.kit.words import readable

CODE = chapter.CODE / "precision" / "angles.py"
SHOWN = "precision_shown"
LEAD_WIDTH = 720
texts = words.of("precision")


def found_at(gap: int) -> Measured:
    """What was measured at `gap`; until that is there, what was shown before."""
    found = precision_data.measured(gap)
    if found is None:
        return st.session_state.get(SHOWN) or precision_data.of_default()
    st.session_state[SHOWN] = found
    return found


def under_way(gap: int) -> None:
    """Say that another gap is being measured, or what went wrong."""
    job = precision_data.job_of(gap)
    if job is not None:
        what = texts("measuring", gap=gap, shown=found_at(gap).gap)
        waiting.show(job, what, lambda: precision_data.begin(gap))


def in_a_table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, its numbers to the right."""
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def tables() -> None:
    """How many positions each format tells apart, and where it loses the first."""
    known = positions()
    counts = [texts("column_first", count=int(count)) for count in known.counts]
    rows = [
        [name, *(readable(int(count), ",") for count in row)] for name, row in zip(FORMATS, known.distinct, strict=True)
    ]
    lost = [[name, readable(int(at), ",")] for name, at in zip(FORMATS, known.collision, strict=True)]
    with st.container(key="facts"):
        left, right = st.columns(2, gap="large")
        left.markdown(texts("distinct_title"))
        left.markdown(in_a_table([texts("column_format"), *counts], rows))
        right.markdown(texts("collision_title"))
        right.markdown(in_a_table([texts("column_format"), texts("column_lost")], lost))


def folds() -> None:
    """Why it is so, and the code."""
    with st.expander(texts("why_title")):
        st.markdown(texts("why"))
    with st.expander(texts("code_title")):
        st.code(CODE.read_text(encoding="utf-8"), wrap_lines=True)


@st.fragment
def bench() -> None:
    """The picture, and above it what is still being measured."""
    above = st.container()
    values = stage.show(
        "precision",
        (SHIFT, GAP),
        lambda values: precision_picture.build(found_at(values[GAP.name]), values, texts),
    )
    with above:
        under_way(values[GAP.name])


with st.container(width=LEAD_WIDTH):
    lab_choice.quiet(words.of("kit")("workshop"))
    st.title(texts("claim"), anchor=False)
    st.markdown(texts("lead"))
bench()
tables()
with st.container(width=LEAD_WIDTH):
    folds()
    st.markdown(texts("take_home"))
