"""One speed blurs; many speeds ring one unmistakable moment. A puzzle, one bell more at a time; then all bells."""

from typing import Any

import numpy as np
import streamlit as st

from pages.kit import chapter, controls, fading, link, ribbon, stage, words
from pages.kit.link import Quantity
from pages.kit.look_alikes import ALIKE, NEAREST, LookAlikes
from pages.kit.rack import Rack
from pages.kit.spectrum import Spectrum
from pages.kit.stage import Line, Panel, Picture, Value, sentence
from rope_core import inverse_frequencies, mean_cosine, wavelengths

BASE, WIDTH = 10_000, 128  # of the puzzle
RATES = inverse_frequencies(WIDTH, BASE)
BELLS = len(RATES)
GAP = Quantity("bells_gap", 44, 0, 4096)
COUNT = Quantity("bells_count", 1, 1, BELLS)
CONTEXT = Quantity("bells_context", 4096, 512, 131_072)
CONTEXTS = [2**power for power in range(9, 18)]
FAR = np.arange(65, GAP.high + 1)
texts = words.of("bells")


def puzzle(values: dict[str, int]) -> Picture:
    """The bells in use, and the gaps that they cannot tell from gap 0."""
    count = values["bells_count"]
    rack = Rack("puzzle", RATES, "bells_gap", texts)
    look_alikes = LookAlikes(RATES[:count], GAP, texts)
    joining = {pair: f"bells_count {pair + 1}" for pair in range(count, BELLS)}
    said = {"header": "header_gap", "puzzle-description": "puzzle_description", "fixed": "fixed"}
    fixed = {"count": count, "bells": BELLS, "base": BASE, "width": WIDTH}
    shown = {name: Value([], number, decimals=0) for name, number in fixed.items()}
    shown["gap"] = Value([Line("bells_gap", 1)], decimals=0)
    return Picture(
        panels=[Panel("puzzle", rack.drawing(count, joining)), *look_alikes.panels()],
        controls=[controls.position(GAP, texts, "gap"), controls.asking(COUNT, texts, role="bells")],
        tracks=[
            *rack.tracks(),
            *look_alikes.tracks(),
            *(sentence(part, texts.raw(key), **shown) for part, key in said.items()),
        ],
        drags=rack.drags(count),
    )


def every_bell(values: dict[str, int]) -> Picture:
    """All bells of the visitor's base and dimension at position m, and how long each takes for a turn."""
    spectrum = Spectrum(values, values["bells_context"], texts)
    pairs = len(spectrum.inv_freq)
    rack = Rack("every", spectrum.inv_freq, "m", texts)
    said = {"header": "header_position", "rack-description": "rack_description"}
    shown = {
        "m": Value([Line("m", 1)], decimals=0),
        "pairs": Value([], pairs, decimals=0),
    }
    return Picture(
        panels=[
            Panel("rack", rack.drawing(pairs, {pair: f"pair {pair}" for pair in range(pairs)}), wide=False),
            *spectrum.panels(),
        ],
        controls=[
            controls.position(link.M, texts, "query"),
            controls.base(texts),
            controls.dimension(texts),
            controls.pair(texts, values["d"]),
            controls.asking(CONTEXT, texts, stops=CONTEXTS),
        ],
        tracks=[
            *rack.tracks(),
            rack.ring("pair"),
            *spectrum.tracks(),
            *(sentence(part, texts.raw(key), **shown, word=ribbon.followed(texts)[0]) for part, key in said.items()),
        ],
        drags=rack.drags(pairs),
        chimes=rack.chimes(),
    )


def free_play(_: words.Words) -> None:
    """The second stage, across the page."""
    st.subheader(texts("free_heading"), anchor=False)
    st.markdown(texts("free_lead"))
    quantities = (link.M, link.BASE, link.DIMENSION, link.PAIR, CONTEXT)
    st.fragment(stage.show)("bells_rack", quantities, every_bell, page="bells")


def facts() -> dict[str, Any]:
    """The numbers of the prose, all at the puzzle's base and dimension."""
    found = [len(LookAlikes(RATES[:count], GAP, texts).found) for count in range(1, 6)]
    waves, five, every = wavelengths(RATES), mean_cosine(FAR, RATES[:5]), mean_cosine(FAR, RATES)
    return {f"found_{count}": number for count, number in enumerate(found, start=1)} | {
        "nearest": NEAREST,
        "furthest": GAP.high,
        "alike": ALIKE,
        "bells": BELLS,
        "first_wave": waves[0],
        "last_wave": waves[-1],
        "turns_44": 44 / waves[0],
        "turns_710": 710 / waves[0],
        "one_in": (GAP.high + 1 - NEAREST) / found[0],
        "far": FAR[0],
        "five_gap": FAR[five.argmax()],
        "five_best": five.max(),
        "far_best": every.max(),
        "neighbour": mean_cosine([1], RATES)[0],
        "limit": 2 * np.pi * BASE,
        **fading.numbers(),
    }


chapter.show("bells", (GAP, COUNT), puzzle, facts(), below=free_play)
