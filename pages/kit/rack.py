"""A rack of bells, one for each pair: the fast small and bright, the slow large and dark, mouth up where they began."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np
from numpy.typing import NDArray

from pages.kit.plots import speeds
from pages.kit.stage import Chime, Drag, Entry, Line, Table, Track, Value, scene
from pages.kit.words import Words
from rope_core import wavelengths

Array = NDArray[np.float64]
LEFT, RIGHT, TOP, BOTTOM = 54.0, 466.0, 52.0, 478.0  # between the posts, below the lintel, above the floor
LARGEST = 230.0  # a bell alone in its rack does not fill it
GROWTH = 1.6  # how many times larger the slowest is than the fastest
REACH = 108.0  # half the side of a bell's place, in the units the bell is drawn in
HIGHEST, LOWEST = 1760.0, 82.4  # hertz: an a and a low e
BELLS_HERE = '<g class="stage-bells"/>'


@dataclass(frozen=True)
class Place:
    """Where a bell hangs: the centre and side of its square; whether it is the first in its row."""

    x: float
    y: float
    side: float
    first: bool


@cache
def places(count: int) -> tuple[Place, ...]:
    """Places for `count` bells, graded in size, in the number of rows that lets them be largest."""
    sizes = np.linspace(1, GROWTH, count)
    rows = max((_in_rows(sizes, number) for number in range(1, count + 1)), key=_unit)
    unit, y, made = _unit(rows), TOP, []
    air = (BOTTOM - TOP - unit * sum(row[-1] for row in rows)) / len(rows)
    for row in rows:
        shares = unit * row + (RIGHT - LEFT - unit * row.sum()) / len(row)
        centres, height = LEFT + np.cumsum(shares) - shares / 2, unit * row[-1] + air
        made += [Place(x, y + height / 2, unit * size, x == centres[0]) for x, size in zip(centres, row, strict=True)]
        y += height
    return tuple(made)


def _in_rows(sizes: Array, number: int) -> list[Array]:
    """`sizes` in at most `number` rows of about the same length."""
    middles = (np.cumsum(sizes) - sizes / 2) / sizes.sum()
    return np.split(sizes, np.flatnonzero(np.diff((middles * number).astype(int))) + 1)


def _unit(rows: list[Array]) -> float:
    """How large a bell of size 1 can be so that these rows fit."""
    across = (RIGHT - LEFT) / max(row.sum() for row in rows)
    down = (BOTTOM - TOP) / sum(row[-1] for row in rows)
    return float(min(across, down, LARGEST / rows[-1][-1]))


def _row(pair: int, first: Place) -> str:
    """The beam that a row hangs on, and the number of its first pair."""
    beam = f'<path class="stage-beam" d="M{LEFT - 6} {first.y:.1f}H{RIGHT + 6}"/>'
    number = f'<text class="stage-soft" x="{LEFT - 20}" y="{first.y:.1f}" dy="0.35em" text-anchor="end">{pair}</text>'
    return beam + number


def _there(place: Place) -> str:
    return f"translate({place.x:.1f} {place.y:.1f}) scale({place.side / REACH / 2:.4f})"


@dataclass(frozen=True)
class Rack:
    """The bells of `inv_freq` (radians per token), turned by `variable`; `name` tells apart the racks of one page."""

    name: str
    inv_freq: Array
    variable: str
    texts: Words

    def drawing(self, in_use: int, picks: Mapping[int, str]) -> str:
        """The rack, the bells from `in_use` on as outlines; `picks`: what a click on a bell sets, by its pair."""
        hung, colours = places(len(self.inv_freq)), speeds(len(self.inv_freq))
        rows = [_row(pair, place) for pair, place in enumerate(hung) if place.first]
        bells = [
            self._bell(pair, place, colours[pair], "stage-in-use" if pair < in_use else "stage-unused", picks.get(pair))
            for pair, place in enumerate(hung)
        ]
        return scene("bells_rack.svg", self.texts, rack=self.name).replace(BELLS_HERE, "".join(rows + bells))

    def _bell(self, pair: int, place: Place, colour: str, state: str, pick: str | None) -> str:
        title = escape(self.texts("bell", pair=pair, wavelength=wavelengths(self.inv_freq)[pair]))
        picked = f' data-pick="{pick}"' if pick else ""
        return (
            f'<g class="{state}" data-handle="bell{pair}"{picked} transform="{_there(place)}"><title>{title}</title>'
            f'<use href="#{self.name}-seat"/>'
            f'<g data-part="bell{pair}" color="{colour}"><use href="#{self.name}-bell"/></g></g>'
        )

    def tracks(self) -> list[Track]:
        """One turn for each bell, anticlockwise as everywhere."""
        turns = [Value([Line(self.variable, -degrees)], modulus=360) for degrees in np.degrees(self.inv_freq)]
        return [Track(f"bell{pair}", "transform", "rotate({})", [turn]) for pair, turn in enumerate(turns)]

    def chimes(self) -> list[Chime]:
        """A note each time a bell has come round: the slower, the lower."""
        pitches = np.geomspace(HIGHEST, LOWEST, max(len(self.inv_freq), 2))
        return [
            Chime(f"bell{pair}", str(pair), Value([Line(self.variable, rate)]), pitch)
            for pair, (rate, pitch) in enumerate(zip(self.inv_freq / (2 * np.pi), pitches, strict=False))
        ]

    def drags(self, in_use: int) -> list[Drag]:
        """The bells in use can be turned by the hand."""
        return [Drag(f"bell{pair}", self.variable) for pair in range(in_use)]

    def ring(self, variable: str) -> Track:
        """The ring around the bell whose number is `variable`."""
        where = np.array([(place.x, place.y, place.side / REACH / 2) for place in places(len(self.inv_freq))]).T
        tables = [Table(f"ring-{axis}", numbers) for axis, numbers in zip(("x", "y", "size"), where, strict=True)]
        follows = [Value([Entry(variable, table)]) for table in tables]
        return Track("in-hand", "transform", "translate({} {}) scale({})", follows)
