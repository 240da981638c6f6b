"""Model lab: what a model does with position, exactly as it is built, another model beside it."""

import re

import streamlit as st

from pages.kit import lab_choice, lab_facts, lab_layers, lab_take_away, stage, words
from pages.kit.lab_choice import Chosen
from pages.kit.lab_plots import PAIR, REACH, Pictures, lengths_around
from pages.kit.lab_table import LayerTable
from pages.kit.lab_upload import plain
from pages.kit.link import Quantity
from pages.kit.stage import Control, Picture

LENGTH = "lab_length"
HAND = "hand"  # keeps a control at hand
TOLD = 12  # notes and keys of a file that are told
texts = words.of("lab")


def quantities(pictures: Pictures | None) -> list[Quantity]:
    """What can be set below the pictures: the pair in hand, and the length where a table follows it."""
    if pictures is None:
        return []
    made = [Quantity(PAIR, 0, 0, pictures.count - 1)]
    at = pictures.threshold
    return made if at is None else [*made, Quantity(LENGTH, at, 1, at * REACH)]


def build(here: Chosen, beside: Chosen | None, values: dict[str, int]) -> Picture:
    """The layers of both models, and the pictures of the table in hand."""
    panels, tracks = lab_layers.panels(here, beside, texts), lab_layers.tracks(here, beside, texts)
    pictures = drawn(here, beside, values.get(LENGTH))
    if pictures is None:
        return Picture(panels, [], tracks)
    return Picture([*panels, *pictures.panels()], controls(pictures), [*tracks, *pictures.tracks()])


def drawn(here: Chosen, beside: Chosen | None, length: int | None = None) -> Pictures | None:
    """The pictures at a length; None where the chosen layers do not rotate."""
    made = [LayerTable(chosen.spec).at(length) for chosen in (here, beside) if chosen and chosen.spec.scaling]
    return Pictures(made[0], made[1] if len(made) > 1 else None, texts) if here.spec.scaling else None


def controls(pictures: Pictures) -> list[Control]:
    """A control for each quantity; only the length changes the tables."""
    made = []
    for quantity in quantities(pictures):
        labels = texts(f"control_{quantity.name}"), texts(f"control_{quantity.name}_help")
        by_length = quantity.name == LENGTH
        stops = lengths_around(quantity.default) if by_length else None
        made.append(Control(quantity, *labels, role=HAND, stops=stops, asks=by_length))
    return made


def facts(here: Chosen, beside: Chosen | None, length: int | None) -> None:
    """The facts of both tables, and what was assumed or ignored."""
    sides = [LayerTable(chosen.spec).at(length) for chosen in (here, beside) if chosen]
    told = [lab_facts.facts(side, texts) for side in sides]
    with st.container(key="facts"):
        st.markdown(lab_facts.in_a_table(told[0], told[1] if beside else None, texts))
    if len(sides) > 1 and all(side.spec.scaling for side in sides):
        st.markdown(lab_facts.verdict(sides[0], sides[1], texts))
    for chosen, label in ((here, "notes"), (beside, "notes_beside")):
        if chosen:
            notes(chosen, texts(label))


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
        whole.container(height=420).markdown(lab_facts.pairs_in_a_table(table, texts))
    with st.expander(texts("code")):
        with_transformers, with_torch = st.tabs(["transformers", "torch"])
        with_transformers.code(lab_take_away.with_transformers(table))
        with_torch.code(lab_take_away.with_torch(table))


@st.fragment
def bench() -> None:
    """Everything there is: a choice on the left redraws the right."""
    left, right = st.columns([5, 7], gap="large")
    with left:
        st.caption(words.of("kit")("workshop"))
        st.title(texts("claim"), anchor=False)
        st.markdown(texts("lead"))
        here = lab_choice.here(texts)
        beside = lab_choice.beside(texts)
    if here is None:
        return
    with right:
        values = stage.show("lab", quantities(drawn(here, beside)), lambda values: build(here, beside, values))
    with left:
        facts(here, beside, values.get(LENGTH))
    if here.spec.scaling:
        take_away(here, values.get(LENGTH))


bench()
