"""How long every pair takes for a whole turn, against a context length; the pair in hand with its numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.kit import plots
from pages.kit.stage import Entry, Line, Panel, PlotTrack, Table, Track, Value, scene, sentence
from pages.kit.words import Words
from rope_core import inverse_frequencies, wavelengths

Array = NDArray[np.float64]
OUTLINE = "#83919C"  # seen on light and on dark
DECADES = (0, 8)  # of the axis: it holds every base and context, so that a change of either is seen as one


@dataclass(frozen=True)
class Spectrum:
    """The wavelengths at the visitor's b and d, and the pair in hand at position m."""

    values: dict[str, int]
    context: int
    texts: Words

    @cached_property
    def inv_freq(self) -> Array:
        """Radians per token, one for each pair."""
        return inverse_frequencies(self.values["d"], self.values["b"])

    @cached_property
    def waves(self) -> Array:
        """Tokens for a whole turn, one for each pair."""
        return wavelengths(self.inv_freq)

    @property
    def slow(self) -> int:
        """How many pairs never finish a turn within the context."""
        return int((self.waves > self.context).sum())

    def panels(self) -> list[Panel]:
        """The wavelengths, and the pair in hand in numbers."""
        pair, pairs = self.values["pair"], len(self.waves)
        said = self.texts("slow_one" if self.slow == 1 else "slow", slow=self.slow, pairs=pairs, context=self.context)
        numbers: dict[str, float | str] = {
            "pair": pair,
            "base": self.values["b"],
            "width": self.values["d"],
            "rate": self.texts("rate", rate=self.inv_freq[pair]),
            "wave": self.texts("wave", wave=self.waves[pair]),
            "slow_sentence": said,
        }
        return [
            Panel("spectrum", self._figure(), description=said, wide=False),
            Panel("numbers", scene("bells_numbers.html", self.texts, **numbers), kind="formula"),
        ]

    def tracks(self) -> list[Track | PlotTrack]:
        """What the pair in hand does at position m, and its ring on the plot."""
        rate, wave = (float(of[self.values["pair"]]) for of in (self.inv_freq, self.waves))
        finer = min(int(-np.log10(rate)), 3)  # places more for a slow pair
        shown = {
            "m": Value([Line("m", 1)], decimals=0),
            "angle": Value([Line("m", rate)], decimals=3 + finer),
            "turns": Value([Line("m", 1 / wave)], decimals=2 + finer),
            "degrees": Value([Line("m", np.degrees(rate))], modulus=360, decimals=1 + finer),
        }
        return [
            sentence("turned", self.texts.raw("turned"), **shown),
            sentence("numbers-description", self.texts.raw("turned"), **shown),
            PlotTrack("spectrum", 2, "x", 0, Value([Line("pair", 1)])),
            PlotTrack("spectrum", 2, "y", 0, Value([Entry("pair", Table("waves", self.waves))])),
        ]

    def _figure(self) -> go.Figure:
        """Traces: the pairs, round where a turn fits into the context, a diamond where not; the context; the ring."""
        texts, waves, ends = self.texts, self.waves, np.array([-0.7, len(self.waves) - 0.3])
        size = max(6, 11 - len(waves) // 20)
        how = {"size": size, "color": plots.speeds(len(waves)), "line": {"width": 0.7, "color": OUTLINE}}
        how["symbol"] = np.where(waves > self.context, "diamond", "circle").tolist()
        hover = f"{texts('axis_pair')} %{{x}}: %{{y:,.2f}}<extra></extra>"
        pairs = go.Scatter(x=np.arange(len(waves)).tolist(), y=waves.tolist(), mode="markers", marker=how)
        pairs.update(name=texts("axis_wave"), hovertemplate=hover)
        limit = plots.line(ends, np.full(2, self.context), texts("control_bells_context"), "--ink", "dash", width=1.5)
        figure = go.Figure([pairs, limit.update(hoverinfo="skip"), plots.ring("--query")])
        plots.styled(figure, texts("spectrum_title"), texts("axis_pair"), texts("axis_wave"), height=440)
        figure.update_xaxes(range=ends.tolist(), dtick=1 if len(waves) <= 10 else None, showgrid=False, zeroline=False)
        figure.update_yaxes(type="log", range=DECADES, dtick=1, tickformat="~s")
        return figure.update_layout(meta={"picks": {"x": "pair"}})
