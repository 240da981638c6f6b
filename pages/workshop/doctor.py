"""Doctor: which convention turned these vectors, from the vectors alone."""

import streamlit as st

from pages.kit import chapter, doctor_files, doctor_picture, doctor_samples, doctor_words, prose, stage, words
from pages.kit.doctor_case import Asked, Seen
from pages.kit.doctor_picture import PAIR
from pages.kit.tensor_files import as_text
from rope_core.config import RopeSpec

SAMPLE, FILES = "sample", "files"  # names that every language shares, for they stand in the link
CODE = chapter.CODE / "doctor"
texts = words.of("doctor")


def told(seen: Seen, spec: RopeSpec | None) -> None:
    """The verdict, mistakes with their cures, and the fields."""
    with st.container(key="doctor_verdict"):
        st.subheader(doctor_words.verdict(seen, texts), anchor=False)
    for mistake, cure in doctor_words.mistakes(seen.diagnosis, texts):
        st.markdown(f"{mistake} **{texts('cure')}** {cure}")
    note = doctor_words.note(seen)
    if note:
        st.markdown(texts(note))
    shape = as_text(seen.shape)
    prose.small_print(texts("read_shape" if seen.is_given else "read_shape_counted", shape=shape))
    with st.container(key="facts"):
        st.markdown(doctor_words.table(seen, spec, texts))
    prose.small_print(f"{texts('sure_note')} {texts('layouts_note')}")


def explained(seen: Seen) -> None:
    """What the picture leaves to be said, and what else the data say."""
    prose.small_print(doctor_words.below_picture(seen, texts))
    said = doctor_words.explanation(seen.diagnosis, texts)
    if said:
        st.markdown(f"**{texts('explanation')}**\n\n" + "\n".join(f"- {sentence}" for sentence in said))


def code(file: str) -> None:
    """Show code that runs as it stands."""
    st.code((CODE / file).read_text(encoding="utf-8"), wrap_lines=True)


def closing() -> None:
    """The code, and one line to take home."""
    with st.expander(texts("code_title")):
        tabs = st.tabs([texts("code_diagnose"), texts("code_save")])
        for tab, file in zip(tabs, ("diagnose.py", "save.py"), strict=True):
            with tab:
                code(file)
    st.markdown(texts("take_home"))


def spec_of(asked: Asked) -> RopeSpec | None:
    """What is stated of the layers at hand; None where nothing is, or where it is not known which layers they are."""
    return asked.specs[asked.layer_type] if asked.specs and asked.layer_type else None


@st.fragment
def bench() -> None:
    """Everything there is: a choice on the left redraws the right."""
    left, right = st.columns([5, 7], gap="large")
    with left:
        prose.opening(texts)
        source = st.radio(texts("source"), [SAMPLE, FILES], horizontal=True, key="doctor_from", bind="query-params")
        found = doctor_samples.chosen(texts) if source == SAMPLE else doctor_files.brought(texts)
    if found is None:
        with right:
            st.markdown(texts("waiting"))
            code("save.py")
        return
    seen, asked = found
    with left:
        told(seen, spec_of(asked))
    with right:
        stage.show(
            "doctor",
            [doctor_picture.quantity(seen)],
            lambda values: doctor_picture.build(seen, values[PAIR], texts),
        )
        explained(seen)


bench()
closing()
