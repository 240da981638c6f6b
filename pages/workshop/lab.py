"""Model lab: what a model does with position, exactly as it is built, another model beside it."""

import re

import streamlit as st

from pages.kit import lab_choice, lab_facts, lab_picture, lab_take_away, prose, stage, words
from pages.kit.lab_choice import Chosen
from pages.kit.lab_picture import LENGTH
from pages.kit.lab_table import LayerTable
from pages.kit.lab_upload import plain
from pages.kit.link import Quantity

TOLD = 12  # notes and keys of a file that are told
texts = words.of("lab")


def settings(here: Chosen, beside: Chosen | None) -> list[Quantity]:
    """What can be set below the pictures; where the tables have another threshold, the length begins at it anew."""
    made = lab_picture.quantities(here, beside, texts)
    threshold = next((quantity.default for quantity in made if quantity.name == LENGTH), None)
    before = st.session_state.get("lab_threshold", threshold)
    st.session_state["lab_threshold"] = threshold
    if threshold and before != threshold and LENGTH in st.session_state:
        st.session_state[LENGTH] = threshold
    return made


def facts(here: Chosen, beside: Chosen | None, length: int | None) -> None:
    """The facts of both tables, and what was assumed or ignored."""
    sides = [LayerTable(chosen.spec).at(length) for chosen in (here, beside) if chosen]
    told = [lab_facts.facts(side, texts) for side in sides]
    with st.container(key="facts"):
        st.markdown(lab_facts.in_a_table(told[0], told[1] if beside else None, texts))
    turning = [side for side in sides if side.spec.scaling]
    if len(turning) > 1:
        st.markdown(lab_facts.verdict(turning[0], turning[1], texts))
    if any(len(side.rates) > lab_facts.MOST for side in turning):
        st.markdown(texts("most", most=lab_facts.MOST))
    notes(here, texts("notes"))
    if beside:
        notes(beside, texts("notes_beside"))


def notes(chosen: Chosen, label: str) -> None:
    """What was assumed or ignored, as text: a note may quote the file."""
    spec = chosen.spec
    said = [plain(note, 300) for note in spec.notes[:TOLD]]
    keys = ", ".join(plain(key) for key in spec.ignored_keys[:TOLD])
    said += [texts("ignored", count=len(spec.ignored_keys), keys=keys)] if keys else []
    if said:
        st.markdown(label)
        st.text("\n".join(f"– {note}" for note in said))


def take_away(here: Chosen, length: int | None) -> None:
    """The table as a file and on the page, and the code that builds it."""
    table = LayerTable(here.spec).at(length)
    file = re.sub(r"\W+", "-", here.name) or "config"
    st.subheader(texts("take_away"), anchor=False)
    st.markdown(texts("link_holds" if here.is_in_link else "link_holds_not"))
    made = {"csv": lambda: lab_take_away.as_csv(table), "json": lambda: lab_take_away.as_json(table, here)}
    with st.container(horizontal=True):
        for kind, data in made.items():
            st.download_button(texts(f"download_{kind}"), data, f"{file}.{kind}", on_click="ignore", key=f"lab_{kind}")
    whole = st.expander(texts("whole_table"), on_change="rerun", key="lab_whole")
    if whole.open:
        whole.container(key="pairs").markdown(lab_facts.pairs_in_a_table(table, texts))
    code = st.expander(texts("code"), on_change="rerun", key="lab_code")
    if code.open:
        with_transformers, with_torch = code.tabs(["transformers", "torch"])
        with_transformers.code(lab_take_away.with_transformers(table))
        with_torch.code(lab_take_away.with_torch(table))


@st.fragment
def bench() -> None:
    """Everything there is: a choice on the left redraws the right."""
    left, right = st.columns([5, 7], gap="large")
    with left:
        prose.opening(texts)
        here = lab_choice.here(texts)
        beside = lab_choice.beside(texts)
    if here is None:
        right.markdown(texts("waiting"))
        return
    with right:
        values = stage.show(
            "lab",
            settings(here, beside),
            lambda values: lab_picture.build(here, beside, values.get(LENGTH), texts),
        )
    with left:
        facts(here, beside, values.get(LENGTH))
    if here.spec.scaling:
        take_away(here, values.get(LENGTH))


bench()
