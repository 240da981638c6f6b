"""Two towers of random layers, lit as far as the gap explains their scores: turned at every layer, addressed once."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.kit import plots
from pages.kit.stage import Drag, Entry, Line, Panel, PlotTrack, Table, Track, Value, scene, sentence
from pages.kit.words import Words
from rope_core.stack import PLACES, WAYS, Shares, Way

Array = NDArray[np.float64]
FILE = Path(__file__).resolve().parents[2] / "assets" / "measured" / "door_layers.npy"
LAYER = "door_layer"
FLOOR, LIT = 13.0, 150.0  # units of the drawing: how high a floor is, how wide one that is lit from end to end
CHANCE = 2 / (PLACES + 1)  # what gap means of unrelated scores explain
FLOORS_HERE: dict[Way, str] = {"turned": '<g class="stage-floors-turned"/>', "added": '<g class="stage-floors-added"/>'}


@cache
def found() -> Array:
    """What assets/measured/door_layers.py found: `(shared, way, share, seed, layer)`."""
    return np.asarray(np.load(FILE), dtype=np.float64)


@dataclass(frozen=True)
class Towers:
    """The means over all seeds; `shared`: one projection serves query and key."""

    shared: bool
    texts: Words

    def shares(self, way: Way) -> Shares:
        """The mean shares of one way, a number for each layer."""
        return Shares(*found()[int(self.shared), WAYS.index(way)].mean(axis=1))

    @property
    def depth(self) -> int:
        """How many layers there are."""
        return len(self.shares("turned").gap)

    def panels(self) -> list[Panel]:
        """The towers, their numbers at the chosen layer, the shares by layer for the same words and for fresh ones."""
        turned, added = self.shares("turned"), self.shares("added")
        same = {"turned": turned.gap, "added": added.gap, "yardstick": added.total}
        fresh = {"turned": turned.mixed, "added": added.mixed, "chance": np.full(self.depth, CHANCE)}
        return [
            Panel("towers", self._drawing(), wide=False),
            Panel("shares", scene("door_shares.html", self.texts), kind="formula", wide=False),
            Panel("same-words", self._plot("same", same), description=self.texts("same_description"), wide=False),
            Panel("fresh-words", self._plot("fresh", fresh), description=self.texts("fresh_description"), wide=False),
        ]

    def tracks(self) -> list[Track | PlotTrack]:
        """The frame around the chosen floor, its numbers and its marks in both plots."""
        up = Value([Line(LAYER, FLOOR)], start=-FLOOR)
        values = self._values()
        said = ("at-layer", "still-there", "fresh-said", "towers-description", "shares-description")
        tracks: list[Track | PlotTrack] = [Track("floor", "transform", "translate({} 0)", [up])]
        tracks += [sentence(part, self.texts.raw(part.replace("-", "_")), **values) for part in said]
        numbers = ("layer", "turned_gap", "added_gap", "added_total")
        tracks += [Track(name.replace("_", "-"), "text", "{}", [values[name]]) for name in numbers]
        for plot, share in (("same-words", "gap"), ("fresh-words", "mixed")):
            for mark, way in enumerate(WAYS, start=3):
                tracks += [PlotTrack(plot, mark, "x", 0, values["layer"])]
                tracks += [PlotTrack(plot, mark, "y", 0, values[f"{way}_{share}"])]
        return tracks

    def drags(self) -> list[Drag]:
        """The frame can be taken up and down."""
        return [Drag("floor", LAYER)]

    def _values(self) -> dict[str, Value]:
        """Every number in words, as it follows the layer."""
        values = {"layer": Value([Line(LAYER, 1)], decimals=0), "depth": Value([], self.depth, decimals=0)}
        values["chance"] = Value([], CHANCE, decimals=3)
        for way in WAYS:
            for share, numbers in self.shares(way)._asdict().items():
                table = Table(f"{way}_{share}", numbers, first=1, decimals=5)
                values[f"{way}_{share}"] = Value([Entry(LAYER, table)], decimals=3)
        return values

    def _drawing(self) -> str:
        markup = scene("door_towers.svg", self.texts, lowest=1, highest=self.depth)
        for way, here in FLOORS_HERE.items():
            shares = self.shares(way)
            floors = [self._floor(layer, way, shares) for layer in range(self.depth)]
            markup = markup.replace(here, "".join(floors))
        return markup

    def _floor(self, layer: int, way: Way, shares: Shares) -> str:
        """One floor, lit from its door as far as the gap explains; beside an added address the yardstick's mark."""
        y = f"{-FLOOR * (layer + 1):g}"
        lit = f'<rect class="stage-lit-{way}" y="{3:g}" width="{LIT * shares.gap[layer]:.2f}" height="{FLOOR - 5:g}"/>'
        dark = f'<rect class="stage-dark" y="3" width="{LIT:g}" height="{FLOOR - 5:g}"/>'
        at = f"{LIT * shares.total[layer]:.2f}"
        mark = f'<path class="stage-yardstick" d="M{at} 1V{FLOOR - 1:g}"/>' if way == "added" else ""
        door = '<use href="#door-small"/>' if way == "turned" else ""
        return f'<g transform="translate(0 {y})">{dark}{lit}{mark}{door}</g>'

    def _plot(self, name: str, lines: dict[str, Array]) -> go.Figure:
        """Lines over the layers; the last is the one to compare with. Marks for the two ways wait for their tracks."""
        looks = (("--gap", "solid"), ("--address", "dash"), ("--soft", "dot"))
        layers = np.arange(1, self.depth + 1)
        traces = [
            plots.line(layers, share.round(4), self.texts(f"line_{key}"), *look)
            for (key, share), look in zip(lines.items(), looks, strict=True)
        ]
        marks = [plots.marker(colour).update(showlegend=False) for colour, _ in looks[:2]]
        marks[1].update(marker_symbol="diamond")
        title, axes = self.texts(f"{name}_title"), (self.texts("axis_layer"), self.texts("axis_share"))
        figure = plots.styled(go.Figure([*traces, *marks]), title, *axes, height=330)
        figure.update_yaxes(range=[0, 1.06]).update_xaxes(range=[0.3, self.depth + 0.7], dtick=4, tick0=4)
        return figure.update_layout(showlegend=True, legend={"orientation": "h", "y": -0.22, "yanchor": "top"})


def ends(texts: Words) -> dict[str, float]:
    """The shares of an added address at the first layer and the last, and the widest standard error of all means."""
    facts: dict[str, float] = {
        "depth": found().shape[-1],
        "seeds": found().shape[-2],
        "places": PLACES,
        "chance": CHANCE,
    }
    for shared in (False, True):
        for name, numbers in Towers(shared, texts).shares("added")._asdict().items():
            start = f"shared_{name}" if shared else name
            facts |= {f"{start}_first": numbers[0], f"{start}_last": numbers[-1]}
    gaps = found()[:, :, :3]  # the place's part wavers more and is told in whole percent
    return facts | {"wavers": float(gaps.std(axis=3).max() / gaps.shape[3] ** 0.5)}
