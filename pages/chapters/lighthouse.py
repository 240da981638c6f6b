"""Do not add a place: turn towards it. One beam, one pair of numbers, position m."""

import numpy as np
from numpy.typing import NDArray

from pages.kit import chapter, controls, link, ribbon, words
from pages.kit.stage import Drag, Entry, Line, Panel, Picture, Table, Track, Value, scene, sentence
from rope_core import inverse_frequencies, rotate, wavelengths
from rope_core.demo import demo_pair

QUANTITIES = (link.M, link.BASE, link.DIMENSION, link.PAIR)
POSITIONS = np.arange(link.M.low, link.M.high + 1)
GLOWS = range(1, 15)
texts = words.of("lighthouse")


def turned(name: str, pair: NDArray[np.float64], rate: NDArray[np.float64]) -> list[Table]:
    """The two numbers of `pair`, turned by position · rate, as tables over m."""
    both = rotate(np.broadcast_to(pair, (len(POSITIONS), 2)), POSITIONS, rate)
    return [Table(f"{name}{i}", both[:, i], decimals=3) for i in range(2)]


def numbers(x: NDArray[np.float64], rate: NDArray[np.float64]) -> dict[str, Value]:
    """Every number on the page, as it follows m."""
    (cos, sin), after = turned("turn", np.array([1.0, 0.0]), rate), turned("after", x, rate)
    tables = {
        "cos": (cos, 1.0),
        "sin": (sin, 1.0),
        "minus_sin": (sin, -1.0),
        "y0": (after[0], 1.0),
        "y1": (after[1], 1.0),
    }
    return {
        "m": Value([Line("m", 1)], decimals=0),
        "rate": Value([], rate[0], decimals=6),
        "angle": Value([Line("m", rate[0])], decimals=3),
        "degrees": Value([Line("m", np.degrees(rate[0]))], modulus=360, decimals=1),
        "turns": Value([Line("m", 1 / wavelengths(rate)[0])], decimals=2),
        "length": Value([], float(np.hypot(*x)), decimals=3),
        "x0": Value([], x[0], decimals=3),
        "x1": Value([], x[1], decimals=3),
    } | {name: Value([Entry("m", table, scale=sign)], decimals=3) for name, (table, sign) in tables.items()}


def drawing(start: float, degrees: float) -> list[Track]:
    """The beam, the arrow before, the arc between and the afterglow of earlier positions, in degrees."""
    beam, against = Value([Line("m", degrees)], start), Value([Line("m", -degrees)], -start)
    tracks = [
        Track("beam", "transform", "rotate({})", [beam]),
        Track("beam-label", "transform", "rotate({})", [against]),
        Track("beam-name", "transform", "rotate({} 128 36)", [beam]),
        Track("before", "transform", "rotate({})", [Value([], start)]),
        Track("before-label", "transform", "rotate({})", [Value([], -start)]),
        Track("before-name", "transform", "rotate({} 112 24)", [Value([], start)]),
        Track("turned", "stroke-dasharray", "{} 360", [Value([Line("m", degrees)], modulus=360)]),
    ]
    for back in GLOWS:
        there = Table(f"there{back}", [0.0, 1 - back / len(GLOWS)], first=back - 1)
        earlier = Value([Line("m", degrees)], start - back * degrees)
        tracks += [Track(f"glow{back}", "transform", "rotate({})", [earlier])]
        tracks += [Track(f"glow{back}", "opacity", "{}", [Value([Entry("m", there)])])]
    return tracks


def build(values: dict[str, int]) -> Picture:
    """The picture at the visitor's base, dimension and pair; m moves it."""
    pair = values["pair"]
    rate = inverse_frequencies(values["d"], values["b"])[pair : pair + 1]
    x = demo_pair(values["d"])[0].reshape(-1, 2)[pair]
    shown = numbers(x, rate)
    said = ("scene-description", "formula-description", "turned-by", "length-kept")
    return Picture(
        panels=[
            Panel("scene", scene("lighthouse.svg", texts)),
            Panel("formula", scene("lighthouse_formula.html", texts), kind="formula"),
        ],
        controls=[
            controls.position(link.M, texts, "query"),
            controls.base(texts),
            controls.dimension(texts),
            controls.pair(texts, values["d"]),
        ],
        tracks=[
            *drawing(float(np.degrees(np.arctan2(x[1], x[0]))), float(np.degrees(rate[0]))),
            *ribbon.tracks("m", texts),
            *(Track(f"number-{name}", "text", "{}", [value]) for name, value in shown.items()),
            *(sentence(part, texts.raw(part.replace("-", "_")), **shown) for part in said),
        ],
        drags=[Drag("beam", "m")],
    )


first_wave, *_, last_wave = wavelengths(inverse_frequencies(link.DIMENSION.default, link.BASE.default))
chapter.show("lighthouse", QUANTITIES, build, {"first_wave": first_wave, "last_wave": last_wave})
