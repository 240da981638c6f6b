"""The gaps that look like gap 0 to the bells in use: how alike each gap is, which ones cannot be told apart."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.kit import plots
from pages.kit.link import Quantity
from pages.kit.stage import Entry, Line, Panel, PlotTrack, Table, Track, Value, scene, sentence
from pages.kit.words import Words
from rope_core import mean_cosine

Array = NDArray[np.float64]
ALIKE = 0.99  # a mean cosine of this much looks the same
NEAREST = 3  # nearer gaps are not looked at


@dataclass(frozen=True)
class LookAlikes:
    """What the pairs of `inv_freq` (radians per token) say about every value of the quantity `gap`."""

    inv_freq: Array
    gap: Quantity
    texts: Words

    @cached_property
    def gaps(self) -> NDArray[np.int_]:
        """All gaps there are."""
        return np.arange(self.gap.low, self.gap.high + 1)

    @cached_property
    def likeness(self) -> Array:
        """How alike each gap is to gap 0."""
        return mean_cosine(self.gaps, self.inv_freq)

    @cached_property
    def found(self) -> NDArray[np.int_]:
        """The gaps that look like gap 0."""
        return self.gaps[(self.gaps >= NEAREST) & (self.likeness >= ALIKE)]

    def panels(self) -> list[Panel]:
        """What is found in words, with buttons that lead there, and the likeness of every gap."""
        key = ("found_none", "found_one", "found_many")[min(len(self.found), 2)]
        said = self.texts(key, found=len(self.found), nearest=NEAREST, furthest=self.gap.high)
        likest = int(self.found[np.argmax(self.likeness[self.found])]) if len(self.found) else self.gap.low
        numbers: dict[str, float | str] = {"said": said, "number": len(self.found), "likest": likest}
        return [
            Panel("found", scene("bells_found.html", self.texts, **numbers), kind="formula"),
            Panel("likeness", self._figure(), description=said),
        ]

    def tracks(self) -> list[Track | PlotTrack]:
        """The verdict on the gap in hand, the way to its neighbours, its place on the curve."""
        gap = Value([Line(self.gap.name, 1)], decimals=0)
        likeness = Value([self._entry("likeness", self.likeness, decimals=5)], decimals=5)
        alike = Value([self._entry("alike", self.likeness >= ALIKE)])
        spoken = {"likeness": "likeness", "found-description": "found_description"}
        return [
            *(sentence(part, self.texts.raw(key), gap=gap, likeness=likeness) for part, key in spoken.items()),
            Track("ringing", "opacity", "{}", [alike]),
            Track("verdict", "data-alike", "{}", [alike]),
            *(self._jumps() if len(self.found) else []),
            PlotTrack("likeness", 3, "x", 0, gap),
            PlotTrack("likeness", 3, "y", 0, likeness),
        ]

    def _entry(self, name: str, values: NDArray[np.generic], decimals: int = 0) -> Entry:
        return Entry(self.gap.name, Table(name, values, first=self.gap.low, decimals=decimals))

    def _jumps(self) -> list[Track]:
        """The buttons that lead to the look-alike before and after the gap in hand, round the end."""
        before = self.found[np.searchsorted(self.found, self.gaps, side="left") - 1]
        after = self.found[np.searchsorted(self.found, self.gaps, side="right") % len(self.found)]
        tracks = []
        for part, goal in (("previous", before), ("next", after)):
            there = self._entry(part, goal)
            tracks += [sentence(part, self.texts.raw(f"jump_{part}"), there=Value([there], decimals=0))]
            tracks += [Track(part, "data-pick", f"{self.gap.name} {{}}", [Value([there])])]
        return tracks

    def _figure(self) -> go.Figure:
        """The likeness over the gap; traces: the curve, the threshold, the look-alikes, the gap in hand."""
        texts, gaps, found = self.texts, self.gaps, self.found
        curve = plots.long_line(gaps, self.likeness.round(5), texts("likeness_curve"), "--soft", width=1).update(
            opacity=0.6
        )
        limit = plots.line(gaps[[0, -1]], np.full(2, ALIKE), texts("likeness_limit"), "--ink", "dash", width=1.5)
        same = plots.line(found, self.likeness[found - gaps[0]].round(5), texts("likeness_found"), "--gap")
        same.update(mode="markers", marker={"size": 8, "symbol": "diamond"})
        figure = go.Figure([curve, limit.update(hoverinfo="skip"), same, plots.ring("--gap")])
        plots.styled(
            figure, texts("likeness_title", alike=ALIKE), texts("axis_gap"), texts("axis_likeness"), height=270
        )
        figure.update_xaxes(range=[gaps[0] - 60, gaps[-1] + 60], showgrid=False, zeroline=False)
        figure.update_yaxes(range=[-1.08, 1.16], dtick=0.5)
        return figure.update_layout(meta={"picks": {"x": self.gap.name}})
