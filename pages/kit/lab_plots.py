"""The plots of a table: its wavelengths, what scaling does to each, its scores by gap, its change by length."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.kit import plots
from pages.kit.lab_facts import MOST, is_told
from pages.kit.lab_table import WAYS, Array, LayerTable
from pages.kit.words import Words
from rope_core import mean_cosine

PAIR = "lab_pair"
GAPS = 400  # points of a score by gap
PAIRS_BY_LENGTH = ((1.0, "solid"), (0.5, "dash"), (0.25, "dot"))
LENGTHS = 61  # points of a table by length
REACH = 8  # how many times the threshold lengths go
SYMBOLS = dict(zip(WAYS, ("circle", "diamond", "square", "triangle-up", "x-thin"), strict=True))


@dataclass(frozen=True)
class Plots:
    """The plots of the table `here`, with that of another model `beside` it drawn hollow."""

    here: LayerTable
    beside: LayerTable | None
    texts: Words

    @cached_property
    def sides(self) -> list[LayerTable]:
        """The tables there are."""
        return [self.here] if self.beside is None else [self.here, self.beside]

    @property
    def is_scaled(self) -> bool:
        """Whether there is anything to see of scaling."""
        return any(side.is_scaled for side in self.sides)

    # The wavelengths

    @cached_property
    def _top(self) -> int:
        """The upper end of the axis of wavelengths, as a power of ten."""
        finite = [side.waves[np.isfinite(side.waves)] for side in self.sides]
        highest = max([1.0, *np.concatenate(finite), *(side.served or 1 for side in self.sides)])
        return int(np.ceil(np.log10(highest) + 0.2))

    def heights(self, side: LayerTable) -> Array:
        """The wavelengths as they are drawn: those without end at the upper edge."""
        return np.where(np.isfinite(side.waves), side.waves, 10.0 ** (self._top - 0.15))

    def waves(self) -> go.Figure:
        """How long each pair takes for a turn, against the lengths."""
        texts, here = self.texts, self.here
        traces = [self._ring()]
        if here.is_scaled:
            unscaled = 2 * np.pi / np.where(here.before > 0, here.before, np.nan)
            traces += [self._line(unscaled, texts("before_scaling"), "--soft", "dot")]
        traces += self._marks(here, self.heights(here))
        if self.beside is not None:
            traces += [self._hollow(self.beside, self.heights(self.beside))]
        traces += self._lengths()
        figure = self._styled(traces, "waves", "axis_pair", "axis_wave", height=430)
        return figure.update_yaxes(type="log", range=[0.5, self._top], dtick=1, tickformat="~s")

    def _lengths(self) -> list[go.Scatter]:
        """Lines across at the lengths before scaling and served."""
        here, texts = self.here, self.texts
        across = np.array([-0.7, self.count - 0.3])
        if here.trained == here.served:
            named = [(here.trained, "line_both", "dash")]
        else:
            named = [(here.trained, "line_trained", "dash"), (here.served, "line_served", "longdashdot")]
        lines = [(length, name, dash) for length, name, dash in named if length is not None]
        return [
            plots.line(across, np.full(2, length), texts(name, length=length), "--ink", dash, width=1.5)
            for length, name, dash in lines
        ]

    # What scaling does

    def slowed(self) -> go.Figure:
        """By how much scaling divides each pair."""
        traces = [self._ring(), *self._marks(self.here, self.here.slowed)]
        if self.beside is not None:
            traces += [self._hollow(self.beside, self.beside.slowed)]
        values = np.concatenate([side.slowed[np.isfinite(side.slowed) & (side.slowed > 0)] for side in self.sides])
        low, high = min(values.min(), 1.0) * 0.85, max(values.max(), 2.0) * 1.2
        figure = self._styled(traces, "slowed", "axis_pair", "axis_slowed", height=320)
        return figure.update_yaxes(type="log", range=np.log10([low, high]).tolist(), dtick="D2")

    # By length

    @property
    def threshold(self) -> int | None:
        """The longest sequence that leaves both tables as they are built; None where no length changes them."""
        return min((side.threshold for side in self.sides if side.threshold), default=None)

    def by_length(self) -> go.Figure:
        """By how much a few pairs are divided, on both sides of the length where that changes."""
        thresholds = {side.threshold for side in self.sides if side.threshold}
        lengths = np.array(sorted({length for at in thresholds for length in lengths_around(at)}))
        traces = [
            line
            for side, name, colour in zip(self.sides, ("here", "beside"), ("--gap", "--soft"), strict=False)
            if side.threshold
            for line in self._pairs_by_length(side, lengths, name, colour)
        ]
        figure = self._styled(traces, "by_length", "axis_length", "axis_slowed", height=320)
        for at in thresholds:
            figure.add_vline(x=at, line={"width": 1.5, "dash": "dash", "color": plots.OUTLINE})
        figure.add_vline(x=self.here.length or self.threshold, line={"width": 1.5, "color": plots.OUTLINE})
        figure.update_xaxes(type="log", range=None, dtick=1, tickformat="~s")
        return figure.update_yaxes(type="log", dtick="D2")

    def _pairs_by_length(self, side: LayerTable, lengths: NDArray[np.int_], name: str, colour: str) -> list[go.Scatter]:
        """By how much three pairs are divided: the slowest, one in the middle, one among the fast."""
        pairs = {round((len(side.rates) - 1) * share): dash for share, dash in PAIRS_BY_LENGTH}
        slowed = np.array([LayerTable(side.spec, int(length)).slowed[list(pairs)] for length in lengths])
        return [
            plots.line(lengths, column, self.texts(f"line_pair_{name}", pair=pair), colour, dash)
            for column, (pair, dash) in zip(slowed.T, pairs.items(), strict=True)
        ]

    # The scores

    def scores(self) -> go.Figure:
        """The mean cosine of all pairs by gap."""
        longest = max([2, *(min(side.served or 2**15, 2**40) for side in self.sides)])
        points = min(GAPS, 2**20 // max(len(side.rates) for side in self.sides))
        gaps = np.unique(np.geomspace(1, longest, points).round())
        looks = (("--gap", "solid", 2.5), ("--soft", "dash", 2.0))
        traces = [
            plots.line(gaps, mean_cosine(gaps, side.rates).round(5), self.texts(name), *look)
            for side, name, look in zip(self.sides, ("here", "beside"), looks, strict=False)
        ]
        figure = self._styled(traces, "scores", "axis_gap", "axis_cosine", height=320)
        figure.update_xaxes(type="log", range=None, dtick=1, tickformat="~s")
        return figure.update_yaxes(range=[-0.5, 1.05])

    # Parts of several figures

    @property
    def count(self) -> int:
        """How many pairs are drawn."""
        return max(min(len(side.rates), MOST) for side in self.sides)

    def _styled(self, traces: list[go.Scatter], name: str, x: str, y: str, height: int) -> go.Figure:
        texts = self.texts
        figure = plots.styled(go.Figure(traces), texts(f"{name}_title"), texts(x), texts(y), height)
        figure.update_layout(meta={"picks": {"x": PAIR}} if x == "axis_pair" else {})
        return plots.with_legend(figure.update_xaxes(range=[-0.7, self.count - 0.3], zeroline=False))

    def _marks(self, side: LayerTable, heights: Array) -> list[go.Scatter]:
        """The pairs, one trace for each way in which scaling treats them."""
        ways, heights = side.ways[:MOST], heights[:MOST]
        colours = np.array(plots.speeds(len(ways)))
        traces = []
        for way in WAYS:
            pairs = np.flatnonzero((ways == way) & np.isfinite(heights))
            if not len(pairs):
                continue
            name = self.texts(f"mark_{way}" if is_told(side, way) else "mark_plain")
            how = {"size": self._size, "symbol": SYMBOLS[way], "color": colours[pairs].tolist()}
            how["line"] = {"width": 0.7, "color": plots.OUTLINE}
            traces.append(self._scatter(pairs, heights[pairs], name).update(marker=how))
        return traces

    def _hollow(self, side: LayerTable, heights: Array) -> go.Scatter:
        """The pairs of the table beside, without colours of their own."""
        symbols = [f"{SYMBOLS[way]}-open" for way in side.ways[:MOST]]
        trace = self._scatter(np.arange(len(symbols)), heights[:MOST], self.texts("beside"))
        how = {"size": self._size + 3, "symbol": symbols, "line": {"width": 1.4}}
        return trace.update(marker=how, meta={"colour": "--soft"})

    def _ring(self) -> go.Scatter:
        return plots.ring("--ink").update(name=self.texts("mark_ring"), legendrank=2000)

    @property
    def _size(self) -> int:
        return max(6, 10 - self.count // 24)

    def _scatter(self, pairs: NDArray[np.int_], heights: Array, name: str) -> go.Scatter:
        hover = f"{self.texts('axis_pair')} %{{x}}: %{{y:,.5~g}}<extra></extra>"
        return go.Scatter(x=pairs.tolist(), y=heights.tolist(), mode="markers", name=name, hovertemplate=hover)

    def _line(self, heights: Array, name: str, colour: str, dash: str) -> go.Scatter:
        heights = heights[:MOST]
        return plots.line(np.arange(len(heights)), heights, name, colour, dash, width=1.5).update(hoverinfo="skip")


def lengths_around(threshold: int) -> list[int]:
    """Lengths from a part of the threshold to a multiple of it, evenly apart on a logarithmic scale.

    The threshold itself and the next length are among them.
    """
    ends = max(1, threshold // REACH), threshold * REACH
    return sorted({*map(int, np.geomspace(*ends, LENGTHS).round()), threshold, threshold + 1})
