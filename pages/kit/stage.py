"""The stage: what Python says about a moving picture, and its one component.

Python sends panels, controls and tracks; the browser moves the parts (`assets/stage/stage.js`). A track says how one
attribute of one part follows the variables: straight lines and tables, added up. The variables are the controls and
the differences of two controls. So the picture moves under the hand, and all mathematics stays in Python.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import plotly
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import ArrayLike

from pages.kit import link, words
from pages.kit.link import Quantity

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "stage"
PLOTLY_SOURCE = f"vendor/plotly.min.js?v={plotly.__version__}"


@dataclass(frozen=True, eq=False)
class Table:
    """One entry per whole value of a variable: numbers or texts, from `first` on.

    Beyond its ends it keeps its last entry, or `repeats`. With `decimals` the numbers travel rounded to so many
    places (all that a text shows); without, as float32 (enough for a drawing).
    """

    name: str
    values: ArrayLike
    first: int = 0
    repeats: bool = False
    decimals: int | None = None

    def sent(self) -> dict[str, Any]:
        """The table as the browser reads it."""
        head: dict[str, Any] = {"first": self.first, "repeats": self.repeats, "unit": 1.0}
        numbers = np.asarray(self.values)
        if numbers.dtype.kind in "US":
            return head | {"kind": "text", "data": numbers.tolist()}
        kind, packed = "f4", numbers.astype(np.float32)
        if self.decimals is not None:
            head["unit"] = 10.0**-self.decimals
            whole = np.rint(numbers.astype(np.float64) * 10.0**self.decimals)
            if not (np.abs(whole) < 2**31).all():
                raise ValueError(f"table {self.name!r} holds numbers too large, or none, for {self.decimals} decimals")
            kind = "i2" if np.abs(whole).max(initial=0) < 2**15 else "i4"
            packed = whole.astype(kind)
        return head | {"kind": kind, "data": base64.b64encode(packed.tobytes()).decode()}


@dataclass(frozen=True)
class Line:
    """`rate · variable`."""

    variable: str
    rate: float

    def sent(self) -> dict[str, Any]:
        """The term as the browser reads it."""
        return {"variable": self.variable, "rate": float(self.rate)}


@dataclass(frozen=True)
class Entry:
    """`scale ·` the table's entry at `variable + offset`."""

    variable: str
    table: Table
    offset: int = 0
    scale: float = 1.0

    def sent(self) -> dict[str, Any]:
        """The term as the browser reads it."""
        return {"variable": self.variable, "table": self.table.name, "offset": self.offset, "scale": float(self.scale)}


@dataclass(frozen=True)
class Value:
    """`start` plus its terms, within `modulus` if given, written with `decimals` if it is a text."""

    terms: Sequence[Line | Entry]
    start: float = 0.0
    modulus: float | None = None
    decimals: int | None = None

    def sent(self) -> dict[str, Any]:
        """The value as the browser reads it."""
        terms = [term.sent() for term in self.terms]
        return {"terms": terms, "start": float(self.start), "modulus": self.modulus, "decimals": self.decimals}


@dataclass(frozen=True)
class Track:
    """How an attribute (or the `text`) of the parts `part` follows its values, put into the `{}` of `template`."""

    part: str
    attribute: str
    template: str
    values: Sequence[Value]

    def sent(self) -> dict[str, Any]:
        """The track as the browser reads it."""
        template = self.template.split("{}")
        if len(template) != len(self.values) + 1:
            raise ValueError(f"template {self.template!r} has {len(template) - 1} places for {len(self.values)} values")
        values = [value.sent() for value in self.values]
        return {"part": self.part, "attribute": self.attribute, "template": template, "values": values}


@dataclass(frozen=True)
class PlotTrack:
    """How one coordinate (`x` or `y`) of one point of a plot's trace follows a value."""

    plot: str
    trace: int
    attribute: str
    point: int
    value: Value

    @property
    def values(self) -> Sequence[Value]:
        """The one value, as in a Track."""
        return [self.value]

    def sent(self) -> dict[str, Any]:
        """The track as the browser reads it."""
        place = {"plot": self.plot, "trace": self.trace, "attribute": self.attribute, "point": self.point}
        return place | {"values": [self.value.sent()]}


@dataclass(frozen=True)
class Panel:
    """One picture: an SVG drawing, a formula in HTML or a Plotly figure, with a description in words.

    Panels that are not `wide` share a line where the window allows. A click on a part with
    `data-pick="<control> <value>"` sets that control.

    Markup is ours alone: what a visitor typed reaches a picture only through a track's text.
    """

    name: str
    content: str | go.Figure
    kind: str = "drawing"
    description: str | None = None
    wide: bool = True

    def sent(self) -> dict[str, Any]:
        """The panel as the browser reads it."""
        is_plot = isinstance(self.content, go.Figure)
        body = {"figure": self.content.to_json()} if isinstance(self.content, go.Figure) else {"markup": self.content}
        kind = "plot" if is_plot else self.kind
        manner = {"description": self.description, "wide": self.wide}
        return {"name": self.name, "kind": kind} | manner | body


@dataclass(frozen=True)
class Control:
    """A slider over a quantity of the link, over several that it `moves` together, or a choice among named `choices`.

    `stops`: the values it offers where they are not evenly spaced. `leap`: its coarse step. `pace`: how many values a
    second it plays; `glides`: between them too, for drawings alone. `asks`: its tracks change with it, so Python is
    asked while it moves; `span`: asked beyond it. One that is not `in_link` only plays with the picture.
    """

    quantity: Quantity
    label: str
    help: str
    role: str = "plain"
    stops: Sequence[int] | None = None
    leap: int | None = None
    pace: float | None = None
    asks: bool = False
    span: tuple[int, int] | None = None
    moves: Sequence[str] = ()
    glides: bool = False
    in_link: bool = True
    choices: Sequence[str] | None = None

    def sent(self, values: Mapping[str, int]) -> dict[str, Any]:
        """The control as the browser reads it."""
        q = self.quantity
        ends = {"low": q.low, "high": q.high, "step": q.step, "default": q.default if self.in_link else None}
        motion = {
            "stops": self.stops,
            "leap": self.leap,
            "pace": self.pace,
            "glides": self.glides,
            "choices": self.choices,
        }
        manner = motion | {"asks": self.asks, "span": self.span}
        names = {"name": q.name, "label": self.label, "help": self.help, "role": self.role, "moves": list(self.moves)}
        return names | ends | manner | {"value": values.get(q.name, q.default)}


@dataclass(frozen=True)
class Drag:
    """A part that the hand may take: its `transform` track is a straight line of the control, read backwards."""

    part: str
    control: str


@dataclass(frozen=True)
class Chime:
    """A note of `pitch` hertz that sounds, once sound is asked for, whenever `value` passes a whole number.

    The part lights up with it, and its `name` is written beside the sound's button.
    """

    part: str
    name: str
    value: Value
    pitch: float

    def sent(self) -> dict[str, Any]:
        """The chime as the browser reads it."""
        return {"part": self.part, "name": self.name, "value": self.value.sent(), "pitch": float(self.pitch)}


@dataclass(frozen=True)
class Picture:
    """Everything a stage shows."""

    panels: Sequence[Panel]
    controls: Sequence[Control]
    tracks: Sequence[Track | PlotTrack]
    differences: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    drags: Sequence[Drag] = ()
    autoplay: str | None = None
    chimes: Sequence[Chime] = ()

    def sent(self, values: Mapping[str, int]) -> dict[str, Any]:
        """The picture as the browser reads it, with the controls at `values`."""
        terms = [term for track in self.tracks for value in track.values for term in value.terms]
        tables = {term.table.name: term.table for term in terms if isinstance(term, Entry)}
        return {
            "panels": [panel.sent() for panel in self.panels],
            "controls": [control.sent(values) for control in self.controls],
            "tracks": [track.sent() for track in self.tracks],
            "tables": {name: table.sent() for name, table in tables.items()},
            "differences": {name: list(pair) for name, pair in self.differences.items()},
            "drags": [{"part": drag.part, "control": drag.control} for drag in self.drags],
            "chimes": [chime.sent() for chime in self.chimes],
            "autoplay": self.autoplay,
        }


def scene(file: str, texts: words.Words, **numbers: float | str) -> str:
    """A drawing or formula from `assets/stage/`, its `[[name]]` places filled with numbers or the page's words."""

    def place(name: str, spec: str) -> str:
        return escape(words.readable(numbers[name], spec) if name in numbers else texts(name))

    return words.fill((ASSETS / file).read_text(encoding="utf-8"), place)


def sentence(part: str, template: str, **values: Value | str) -> Track:
    """A track that writes a sentence of the words: each `[[name]]` in it is the value, or the text, of that name."""
    used: list[Value] = []

    def place(name: str, spec: str) -> str:
        value = values[name]
        if isinstance(value, str):
            return value
        used.append(value)
        return "{}"

    text = words.fill(template, place)
    return Track(part, "text", text, used)


@cache
def _component() -> Callable[..., Any]:
    css = (ASSETS / "stage.css").read_text(encoding="utf-8")
    js = (ASSETS / "stage.js").read_text(encoding="utf-8")
    html = '<div class="stage-host"></div>'
    return st.components.v2.component("stage", html=html, css=css, js=js, isolate_styles=False)


def show(
    name: str, quantities: Sequence[Quantity], build: Callable[[dict[str, int]], Picture], page: str | None = None
) -> dict[str, int]:
    """Show the picture that `build` makes of the values of `quantities`, with exact inputs below; returns the values.

    Call it inside a fragment: while a control moves, only that fragment runs again. `page`: whose words it uses,
    where a page has a second stage with a name of its own.
    """
    key, moving = f"{name}_stage", f"{name}_moving"

    def on_moved() -> None:
        state = st.session_state[key]["moved"]
        values = link.fitted(quantities, state["values"])
        if state["settled"]:
            st.session_state.pop(moving, None)
            link.settle(quantities, values)
        else:
            st.session_state[moving] = values

    place = st.container()
    link.inputs(quantities, words.of(page or name), on_change=lambda: st.session_state.pop(moving, None))
    settled = link.read(quantities)  # only now: going back in the browser's history, the inputs follow the link
    values: dict[str, int] = settled | st.session_state.get(moving, {})
    data = build(values).sent(values)
    state = st.session_state.get(key, {}).get("moved") or {"serial": 0}
    texts = words.of("kit")
    data |= {"serial": state["serial"], "locale": texts.language, "plotly": PLOTLY_SOURCE, "words": _labels(texts)}
    with place:
        # In a list, since Streamlit looks through a dict for data frames, and imports pandas for it.
        _component()(key=key, data=[data], default={"moved": None}, on_moved_change=on_moved)
    return values


def _labels(texts: words.Words) -> dict[str, str]:
    names = ("play", "pause", "back", "forth", "table", "plot_missing", "sound_on", "sound_off", "volume")
    return {name: texts(f"stage_{name}") for name in names}
