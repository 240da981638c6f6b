"""A clock whose hands can be turned, two weights on a rail, a surface and a curve."""

from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from pages.kit import words
from pages.kit.link import Quantity
from pages.kit.stage import Control, Drag, Entry, Line, Panel, Picture, PlotTrack, Table, Track, Value, scene, sentence

HERE = Path(__file__).resolve().parent
MINUTE = Quantity("clock_minute", 75, 0, 1440)
LEFT = Quantity("clock_left", 20, 0, 200)
RIGHT = Quantity("clock_right", 50, 0, 200)
SIZE = Quantity("clock_size", 10, 1, 1000)
PLACE = Quantity("clock_place", 50, 0, 100)
TOOTH = Quantity("clock_tooth", 1, 1, 100, step=3)
FACE = Quantity("clock_face", 0, 0, 2, chosen=True)
QUANTITIES = (MINUTE, RIGHT, LEFT, SIZE, PLACE, TOOTH, FACE)
TOGETHER = Quantity("clock_together", 0, 0, 200)
FACES = ("plain", "ringed", "numbered")
STOPS = sorted({round(1000 ** (step / 60)) for step in range(61)})
WINDOW = 10  # the tables that follow the place reach so far to either side of where it was asked

LOOK = {"template": "none", "height": 260, "margin": {"t": 10, "r": 10, "b": 30, "l": 40}}

MINUTES = np.arange(MINUTE.high + 1)
BEAT = Table("beat", ["tick", "tock", "tack"], repeats=True)
SQUARE = Table("square", MINUTES**2 / 1000, decimals=3)
ROOT = Table("root", np.sqrt(MINUTES), decimals=2)
DAWN = Table("dawn", [0.0, 0.5, 1.0], first=360)
CUBE = Table("cube", np.arange(201) ** 3 / 1e4)
LATE = Table("late", ["early", "late"], first=719)


def numbers(values: dict[str, int]) -> dict[str, Value]:
    """Every number of the formula panel."""
    near = range(values["clock_place"] - WINDOW, values["clock_place"] + WINDOW + 1)
    window = Table("near", [place**2 for place in near], first=near[0], decimals=0)
    cubes = [Entry("clock_left", CUBE, scale=2), Entry("clock_right", CUBE, scale=-1)]
    return {
        "minute": Value([Line("clock_minute", 1)], decimals=0),
        "hours": Value([Line("clock_minute", 1 / 60)], decimals=2),
        "degrees": Value([Line("clock_minute", 5.995)], modulus=360, decimals=1),
        "beats": Value([Entry("clock_minute", BEAT, offset=1)]),
        "square": Value([Entry("clock_minute", SQUARE)], decimals=3),
        "root": Value([Entry("clock_minute", ROOT)], decimals=2),
        "sum": Value(cubes, start=7, decimals=1),
        "gap": Value([Line("clock_gap", 1)], decimals=0),
        "tenth": Value([Line("clock_gap", 0.01)], decimals=1),
        "late": Value([Entry("clock_minute", LATE)]),
        "size": Value([], values["clock_size"], decimals=0),
        "near": Value([Entry("clock_place", window)], decimals=0),
        "tooth": Value([Line("clock_tooth", 1)], decimals=0),
    }


def drawing() -> list[Track]:
    """The hands, what they swept, the beat, the weights and the rod between them."""
    turn, left = Value([Line("clock_minute", 6)]), Value([Line("clock_left", 1.5)], 10)
    return [
        Track("minute-hand", "transform", "rotate({})", [turn]),
        Track("hour-hand", "transform", "rotate({})", [Value([Line("clock_minute", 0.5)])]),
        Track("swept", "stroke-dasharray", "{} 360", [Value([Line("clock_minute", 6)], modulus=360)]),
        Track("beat", "text", "{}", [Value([Entry("clock_minute", BEAT)])]),
        Track("dawn", "opacity", "{}", [Value([Entry("clock_minute", DAWN)])]),
        Track("left-weight", "transform", "translate({} 0)", [left]),
        Track("right-weight", "transform", "translate({} 0)", [Value([Line("clock_right", 1.5)], 10)]),
        Track("rod", "transform", "translate({} 0)", [left]),
        Track("rod-line", "d", "M0 0H{}", [Value([Line("clock_gap", 1.5)])]),
    ]


def surface(size: int) -> go.Figure:
    """A heatmap of `size · (across + 10 · down)`."""
    across, down = np.arange(6), np.arange(4)
    figure = go.Figure(go.Heatmap(x=across, y=down, z=size * (across + 10.0 * down[:, None]), name="surface"))
    return figure.update_layout(meta={"picks": {"x": "clock_left", "y": "clock_right"}}, **LOOK)


def curve(size: int) -> go.Figure:
    """The square of the minute, `size` times, and a mark upon it."""
    x = np.arange(0, MINUTE.high + 1, 60)
    line = go.Scatter(x=x, y=size * x**2 / 1000.0, name="curve", mode="lines", meta={"colour": "--key"})
    mark = go.Scatter(x=[0], y=[0], name="mark", mode="markers", meta={"colour": "--query"})
    return go.Figure([line, mark]).update_layout(showlegend=False, **LOOK)


def build(values: dict[str, int]) -> Picture:
    """The whole scene."""
    texts = words.of("clock")
    shown, size, place = numbers(values), values["clock_size"], values["clock_place"]
    names = {q.name: (texts(f"control_{q.name}"), texts(f"control_{q.name}_help")) for q in (*QUANTITIES, TOGETHER)}
    return Picture(
        panels=[
            Panel("face", scene(str(HERE / "clock.svg"), texts)),
            Panel("sums", scene(str(HERE / "formula.html"), texts), kind="formula", wide=True),
            Panel("surface", surface(size), description=texts("surface_description", size=size)),
            Panel("curve", curve(size), description=texts("curve_description")),
        ],
        controls=[
            Control(MINUTE, *names["clock_minute"], role="query", leap=60, pace=40),
            Control(LEFT, *names["clock_left"], role="query"),
            Control(RIGHT, *names["clock_right"], role="key"),
            Control(TOGETHER, *names["clock_together"], moves=("clock_left", "clock_right"), leap=25),
            Control(SIZE, *names["clock_size"], stops=STOPS, asks=True),
            Control(PLACE, *names["clock_place"], pace=40, span=(place - WINDOW, place + WINDOW)),
            Control(TOOTH, *names["clock_tooth"]),
            Control(FACE, *names["clock_face"], choices=[texts(f"face_{face}") for face in FACES], asks=True),
        ],
        tracks=[
            *drawing(),
            *(Track(f"number-{name}", "text", "{}", [value]) for name, value in shown.items()),
            Track("distance", "text", "{}", [shown["gap"]]),
            Track("face-name", "text", texts(f"face_{FACES[values['clock_face']]}"), []),
            *(sentence(part, texts.raw(part.replace("-", "_")), **shown) for part in ("said", "face-description")),
            PlotTrack("curve", 1, "x", 0, Value([Line("clock_minute", 1)])),
            PlotTrack("curve", 1, "y", 0, Value([Entry("clock_minute", SQUARE, scale=size)])),
        ],
        differences={"clock_gap": ("clock_right", "clock_left")},
        drags=[Drag("minute-hand", "clock_minute"), Drag("left-weight", "clock_left"), Drag("rod", "clock_together")],
    )
