"""Home: in ten seconds what this is, a small stage that moves, the way to the first chapter."""

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


def story() -> None:
    """The chapters, each with its claim."""
    for number, name in enumerate(list(st.session_state["story"])[1:], start=1):
        of_chapter = words.of(name)
        with st.container(gap=None):
            chapter.link_to(name, texts("chapter", number=number, title=of_chapter("title")))
            st.markdown(chapter.aside(of_chapter("claim")))


with st.container(horizontal=True, key="spread"):
    with st.container(key="picture"):
        st.fragment(stage.show)("home", (), build)
    with st.container(key="prose", width=chapter.PROSE_WIDTH):
        st.title(texts("claim"), anchor=False)
        st.markdown(texts("lead", step=RATE))
        first = list(st.session_state["story"])[1]
        if st.button(texts("begin", page=words.of(first)("title"))):
            st.switch_page(st.session_state["story"][first])
        st.markdown(texts("promise"))
st.subheader(texts("story"), anchor=False)
story()
