"""It adds nothing and never fades. The whole turn as one matrix, as a door, and layer by layer."""

import numpy as np
import streamlit as st

from pages.kit import chapter, controls, link, position_tables, ribbon, slips, stage, words
from pages.kit.blocks import Blocks
from pages.kit.comparison import span, window
from pages.kit.link import Quantity
from pages.kit.stage import Control, Drag, Entry, Line, Panel, Picture, Table, Track, Value, scene, sentence
from pages.kit.towers import LAYER, Towers, ends
from rope_core import inverse_frequencies, rotate
from rope_core.demo import demo_pair
from rope_core.stack import DEPTH

QUANTITIES = (link.M, link.BASE, link.DIMENSION, link.PAIR)
FLOOR = Quantity(LAYER, 1, 1, DEPTH)
PROJECTIONS = ("own", "shared")
SHARED = controls.options("door_projections", PROJECTIONS)
PARTS = ("scene", "matrix", "block")
SAID = ("door-word", "matrix-size", "lens-pair", "pair-turned", *(f"{part}-description" for part in PARTS))
texts = words.of("door")


def numbers(values: dict[str, int], rate: float) -> dict[str, Value]:
    """Every number of the first picture: what the chosen pair's block makes of its two entries at m."""
    places, d = window(values["m"]), values["d"]
    finer = min(int(-np.log10(rate)), 3)  # places more for a slow pair
    x = demo_pair(d)[0].reshape(-1, 2)[values["pair"]]
    sources = {"x": x, "turn": np.array([1.0, 0.0])}
    turned = {name: rotate(np.broadcast_to(of, (len(places), 2)), places, [rate]) for name, of in sources.items()}
    entries = {"y0": ("x", 0, 1.0), "y1": ("x", 1, 1.0), "cos": ("turn", 0, 1.0), "sin": ("turn", 1, 1.0)}
    entries["minus_sin"] = ("turn", 1, -1.0)
    constants = {"x0": (x[0], 3), "x1": (x[1], 3), "rate": (rate, 6 + finer), "pair": (values["pair"], 0), "d": (d, 0)}
    constants |= {"numbers": (d * d, 0), "filled": (2 * d, 0)}
    shown = {name: Value([], float(number), decimals=decimals) for name, (number, decimals) in constants.items()}
    for name, (of, i, sign) in entries.items():
        table = Table(f"{of}{i}", turned[of][:, i], first=int(places[0]), decimals=3)
        shown[name] = Value([Entry("m", table, scale=sign)], decimals=3)
    return shown | {
        "m": Value([Line("m", 1)], decimals=0),
        "angle": Value([Line("m", rate)], decimals=3 + finer),
        "degrees": Value([Line("m", np.degrees(rate))], modulus=360, decimals=1 + finer),
    }


def door(values: dict[str, int], rate: float) -> list[Track]:
    """The wings, and the query and the key of the word before and after, in degrees."""
    step = float(np.degrees(rate))
    tracks = [
        Track("wings", "transform", "rotate({})", [Value([Line("m", step)])]),
        Track("turned", "stroke-dasharray", "{} 360", [Value([Line("m", step)], modulus=360)]),
    ]
    for role, vector in zip(("query", "key"), demo_pair(values["d"]), strict=True):
        x, y = vector.reshape(-1, 2)[values["pair"]]
        start = float(np.degrees(np.arctan2(y, x)))
        for when, turn in (("before", []), ("after", [Line("m", step)])):
            tracks.append(Track(f"{role}-{when}", "transform", "rotate({})", [Value(turn, start)]))
    return tracks


def build(values: dict[str, int]) -> Picture:
    """The door and its matrix at the visitor's base, dimension and pair; m turns both."""
    frequencies = inverse_frequencies(values["d"], values["b"])
    rate = float(frequencies[values["pair"]])
    blocks, shown = Blocks(frequencies, values["pair"], window(values["m"]), texts), numbers(values, rate)
    return Picture(
        panels=[
            Panel("scene", scene("door.svg", texts)),
            Panel("block", scene("door_block.html", texts), kind="formula"),
            Panel("matrix", blocks.drawing()),
            Panel("counter", position_tables.counter(texts), kind="formula"),
        ],
        controls=[
            controls.position(link.M, texts, "query", span=span(values["m"])),
            controls.base(texts),
            controls.dimension(texts),
            controls.pair(texts, values["d"]),
        ],
        tracks=[
            *door(values, rate),
            *blocks.tracks(),
            *position_tables.tracks(texts),
            *(Track(f"number-{name}", "text", "{}", [value]) for name, value in shown.items()),
            *(
                sentence(part, texts.raw(part.replace("-", "_")), **shown, word=ribbon.followed(texts)[0])
                for part in SAID
            ),
        ],
        drags=[Drag("wings", "m"), *blocks.drags()],
    )


def layers(values: dict[str, int]) -> Picture:
    """Both towers; the layer moves through them."""
    towers = Towers(PROJECTIONS[values[SHARED.name]] == "shared", texts)
    label, help_text = texts(f"control_{LAYER}"), texts(f"control_{LAYER}_help")
    return Picture(
        panels=towers.panels(),
        controls=[
            controls.choice(SHARED, texts, PROJECTIONS),
            Control(FLOOR, label, help_text, role="layer", pace=4.0),
        ],
        tracks=towers.tracks(),
        drags=towers.drags(),
    )


def climb(_: words.Words) -> None:
    """The towers across the page, how they were measured, and what else goes wrong at the door."""
    st.subheader(texts("layers_heading"), anchor=False)
    st.markdown(texts("layers_lead"), width=chapter.PROSE_WIDTH)
    st.fragment(stage.show)("door_layers", (FLOOR, SHARED), layers, page="door")
    for fold in ("measured", "slips"):
        with st.expander(texts(f"{fold}_title")):
            st.markdown(texts(fold, **FACTS), width=chapter.PROSE_WIDTH)


FACTS = slips.layouts() | slips.places() | slips.value() | slips.part() | ends(texts)
chapter.show("door", QUANTITIES, build, FACTS, below=climb)
