"""Home: in ten seconds what this is, a small stage that moves, the way to the first chapter."""

from collections.abc import Iterable

import numpy as np
import streamlit as st

from pages.kit import chapter, link, stage, words
from pages.kit.link import Quantity
from pages.kit.stage import Control, Line, Panel, Picture, Track, Value, scene, sentence
from rope_core import inverse_frequencies

SHIFT = Quantity("home_shift", 0, 0, link.M.high)
WORDS, QUERY, KEY = range(9), 1, 5
PACE = 1.6  # places a second
PAIR = 4  # slow enough to follow, fast enough that neighbours differ
RATE = float(np.degrees(inverse_frequencies(link.DIMENSION.default, link.BASE.default)[PAIR]))
LINK_WIDTH = 190  # pixels
texts = words.of("home")


def build(_: dict[str, int]) -> Picture:
    """Nine words of the sentence, each turned by its place; the document moves beneath them."""
    tracks = []
    for word, written in zip(WORDS, texts("sentence").split(), strict=False):
        turn = Value([Line("home_shift", RATE)], start=word * RATE)
        place = Value([Line("home_shift", 1)], start=word, decimals=0)
        tracks += [
            Track(f"word-turn{word}", "transform", "rotate({})", [turn]),
            Track(f"word{word}", "text", written, []),
            Track(f"at{word}", "text", "{}", [place]),
        ]
    between = Value([], start=(KEY - QUERY) * RATE, decimals=0)
    tracks += [
        Track("from-query", "transform", "rotate({})", [Value([Line("home_shift", RATE)], QUERY * RATE)]),
        Track("from-key", "transform", "rotate({})", [Value([Line("home_shift", RATE)], KEY * RATE)]),
        Track("between", "stroke-dasharray", "{} 360", [Value([], (KEY - QUERY) * RATE)]),
        sentence("between-text", texts.raw("between_text"), between=between),
    ]
    labels = texts("control_home_shift"), texts("control_home_shift_help")
    slider = Control(SHIFT, *labels, role="gap", pace=PACE, glides=True, in_link=False)
    panel = Panel("scene", scene("home.svg", texts), description=texts("scene_description", gap=KEY - QUERY))
    return Picture([panel], [slider], tracks, autoplay=SHIFT.name)


def told(names: Iterable[str], label: str) -> None:
    """Pages, each with its claim beside it."""
    for number, name in enumerate(names, start=1):
        page = words.of(name)
        with st.container(horizontal=True, vertical_alignment="center", gap=None):
            chapter.link_to(name, texts(label, number=number, title=page("title")), width=LINK_WIDTH)
            st.markdown(chapter.aside(page("claim")), width="content")


first, *others = list(st.session_state["story"])[1:]
with st.container(horizontal=True, key="spread"):
    with st.container(key="picture"):
        st.fragment(stage.show)("home", (), build)
    with st.container(key="prose", width=chapter.PROSE_WIDTH):
        st.title(texts("claim"), anchor=False)
        st.markdown(texts("lead", step=RATE))
        if st.button(texts("begin", page=words.of(first)("title"))):
            st.switch_page(st.session_state["story"][first])
        st.markdown(texts("promise"))
kit = words.of("kit")
st.subheader(kit("story"), anchor=False)
told([first, *others], "chapter")
st.subheader(kit("workshop"), anchor=False)
st.markdown(texts("workshop"))
told(st.session_state["workshop"], "bench")
