"""RoPE's scores beside those of an added address: two maps over (m, n), one colour range, one diagonal of both."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from pages.kit import link, plots
from pages.kit.stage import Entry, Line, Panel, PlotTrack, Table, Value, scene
from pages.kit.words import Words
from rope_core import (
    additive_terms,
    diagonal_spread,
    inverse_frequencies,
    mean_cosine,
    scores,
    scores_by_gap,
    sinusoidal,
)
from rope_core.demo import demo_pair

Array = NDArray[np.float64]
POSITIONS = np.arange(link.M.low, link.M.high + 1)
GAPS = np.arange(-link.M.high, link.M.high + 1)
SIDE = 128
ADDRESS_LENGTH = 0.5  # beside words of length 1, so that the address does not drown them


def window(position: int) -> NDArray[np.int_]:
    """SIDE positions around `position`, moving on by half a window at a time."""
    start = min(max((position - SIDE // 4) // (SIDE // 2) * (SIDE // 2), 0), link.M.high + 1 - SIDE)
    return np.arange(start, start + SIDE)


def span(position: int) -> tuple[int, int]:
    """The first and last position of the window around `position`."""
    return int(window(position)[0]), int(window(position)[-1])


def addresses(positions: NDArray[np.int_], d: int, b: int) -> Array:
    """The sinusoidal address of each position, all of ADDRESS_LENGTH."""
    return sinusoidal(positions, d, b) * (ADDRESS_LENGTH / math.sqrt(d / 2))


def mark_tracks(plot: str, rows: NDArray[np.int_]) -> list[PlotTrack]:
    """The marks on a score map: the diagonal of the gap, and the place (n, m)."""
    m, n = Value([Line("m", 1)]), Value([Line("n", 1)])
    ends = [PlotTrack(plot, 1, "x", i, Value([Line("gap", 1)], float(rows[-i]))) for i in range(2)]
    return [*ends, PlotTrack(plot, 2, "x", 0, n), PlotTrack(plot, 2, "y", 0, m)]


@st.cache_data(max_entries=16, show_spinner=False)
def _tables(d: int, b: int) -> dict[str, Array]:
    """RoPE's score by gap, and the additive score's parts: one by gap, one by n, one by m, one constant."""
    (q, k), frequencies, places = demo_pair(d), inverse_frequencies(d, b), addresses(POSITIONS, d, b)
    terms, forth = additive_terms(q, k, places, places), mean_cosine(POSITIONS, frequencies)
    return {
        "rope": scores_by_gap(q, k, GAPS, frequencies),
        "address_address": ADDRESS_LENGTH**2 * np.concatenate((forth[:0:-1], forth)),  # the same back and forth
        "word_address": np.pad(terms.content_position, 1, constant_values=np.nan),  # no score beyond the ends
        "address_word": terms.position_content,
        "word_word": np.asarray(terms.content_content),
    }


@st.cache_data(max_entries=16, show_spinner=False)
def _maps(d: int, b: int, m_start: int, n_start: int) -> tuple[Array, Array]:
    """RoPE's and the additive scores over the window that starts at (m_start, n_start)."""
    (q, k), m, n = demo_pair(d), m_start + np.arange(SIDE), n_start + np.arange(SIDE)
    places_m, places_n = addresses(m, d, b)[:, np.newaxis], addresses(n, d, b)
    rope = scores(q, k, m, n, inverse_frequencies(d, b))
    return rope, np.asarray(sum(additive_terms(q, k, places_m, places_n)))


@dataclass(frozen=True)
class Comparison:
    """The two maps at the visitor's d and b, in the windows around m and n."""

    values: dict[str, int]
    texts: Words

    @cached_property
    def rope(self) -> Value:
        """RoPE's score, a function of the gap alone."""
        by_gap = Table("rope", self._found["rope"], first=int(GAPS[0]), decimals=4)
        return Value([Entry("gap", by_gap)], decimals=4)

    def additive(self, m: int | None = None) -> Value:
        """The additive score at (m, n): three functions of one variable each. With `m` given: at (m, m + gap)."""
        found, (by_gap, by_n, by_m) = self._found, self._additive_tables
        if m is None:
            terms = [Entry("gap", by_gap), Entry("n", by_n), Entry("m", by_m)]
            return Value(terms, float(found["word_word"]), decimals=4)
        terms = [Entry("gap", by_gap), Entry("gap", by_n, offset=m)]
        return Value(terms, float(found["word_word"] + found["address_word"][m]))

    def panels(self) -> list[Panel]:
        """The two maps, what the diagonal says of each, and the scores along it."""
        rope, additive = _maps(self.values["d"], self.values["b"], int(self._m[0]), int(self._n[0]))
        limit = float(max(np.abs(rope).max(), np.abs(additive).max()))
        axes = (self.texts("axis_n"), self.texts("axis_m"))
        spread, maps = {}, []
        for name, over in (("rope", rope), ("additive", additive)):
            spread[name] = diagonal_spread(over)
            heat = plots.heat_map(over, self._m, self._n, limit, self.texts(f"map_{name}"), axes)
            said = self.texts(f"map_{name}_description", spread=spread[name])
            maps.append(Panel(f"map-{name}", plots.with_diagonal(heat, self._m), description=said, wide=False))
        return [
            *maps,
            Panel("spread", scene("comparison_spread.html", self.texts, **spread), kind="formula"),
            Panel("diagonal", self._diagonal(limit), description=self.texts("diagonal_description")),
        ]

    def tracks(self) -> list[PlotTrack]:
        """The marks on the maps and the scores along the diagonal."""
        tracks = [*mark_tracks("map-rope", self._m), *mark_tracks("map-additive", self._m)]
        for point, position in enumerate(self._m):
            tracks.append(PlotTrack("diagonal", 0, "y", point, self.rope))
            tracks.append(PlotTrack("diagonal", 1, "y", point, self.additive(int(position))))
        for trace, score in ((2, self.rope), (3, self.additive())):
            tracks += [
                PlotTrack("diagonal", trace, "x", 0, Value([Line("m", 1)])),
                PlotTrack("diagonal", trace, "y", 0, score),
            ]
        return tracks

    def _diagonal(self, limit: float) -> go.Figure:
        level = plots.line(self._m, np.zeros(SIDE), self.texts("map_rope"), "--gap", "solid")
        wavy = plots.line(self._m, np.zeros(SIDE), self.texts("map_additive"), "--address", "dash")
        figure = go.Figure([level, wavy, plots.marker("--gap"), plots.marker("--address")])
        plots.styled(figure, self.texts("diagonal_title"), self.texts("axis_m"), self.texts("axis_score"), height=250)
        figure.update_yaxes(range=[-limit, limit])
        return figure

    @cached_property
    def _found(self) -> dict[str, Array]:
        return _tables(self.values["d"], self.values["b"])

    @cached_property
    def _additive_tables(self) -> tuple[Table, Table, Table]:
        by_gap = Table("address_address", self._found["address_address"], first=int(GAPS[0]))
        by_n = Table("word_address", self._found["word_address"], first=-1)
        return by_gap, by_n, Table("address_word", self._found["address_word"])

    @property
    def _m(self) -> NDArray[np.int_]:
        return window(self.values["m"])

    @property
    def _n(self) -> NDArray[np.int_]:
        return window(self.values["n"])
