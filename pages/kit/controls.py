"""The controls that several pages share: positions, base, dimension, pair."""

from collections.abc import Sequence

import numpy as np

from pages.kit import link
from pages.kit.link import Quantity
from pages.kit.stage import Control
from pages.kit.words import Words

LEAP = 64
BASE_STOPS = sorted({int(float(f"{stop:.2e}")) for stop in np.geomspace(link.BASE.low, link.BASE.high, 241)})
PACE = 12.0


def _words(quantity: Quantity, texts: Words) -> tuple[str, str]:
    return texts(f"control_{quantity.name}"), texts(f"control_{quantity.name}_help")


def position(
    quantity: Quantity, texts: Words, role: str, asks: bool = False, span: tuple[int, int] | None = None
) -> Control:
    """A position, in steps of 1 and of 64, that can be played."""
    return Control(quantity, *_words(quantity, texts), role, leap=LEAP, pace=PACE, asks=asks, span=span)


def base(texts: Words) -> Control:
    """The base, evenly spaced on a logarithmic scale, to three digits."""
    return Control(link.BASE, *_words(link.BASE, texts), stops=BASE_STOPS, asks=True)


def dimension(texts: Words) -> Control:
    """The width that turns, even."""
    return Control(link.DIMENSION, *_words(link.DIMENSION, texts), asks=True)


def pair(texts: Words, d: int) -> Control:
    """The pair of numbers looked at, 0 to d/2 − 1."""
    return Control(link.narrowed(link.PAIR, d // 2 - 1), *_words(link.PAIR, texts), asks=True)


def asking(quantity: Quantity, texts: Words, role: str = "plain", stops: Sequence[int] | None = None) -> Control:
    """A quantity of a page's own that its tracks change with."""
    return Control(quantity, *_words(quantity, texts), role, stops=stops, asks=True)


def together(names: tuple[str, ...], texts: Words) -> Control:
    """One slider that moves several positions by the same distance, so that no gap between them changes."""
    both = Quantity("both", 0, link.M.low, link.M.high)
    return Control(both, *_words(both, texts), role="gap", leap=LEAP, pace=PACE, moves=names)


def choice(quantity: Quantity, texts: Words, names: Sequence[str]) -> Control:
    """A choice among `names`, whose labels are the words `<quantity>_<name>`."""
    labels = [texts(f"{quantity.name}_{name}") for name in names]
    return Control(quantity, *_words(quantity, texts), choices=labels, asks=True)


def options(name: str, names: Sequence[str]) -> Quantity:
    """The quantity of a choice among `names`; the first is the default."""
    return Quantity(name, 0, 0, len(names) - 1, chosen=True)
