"""Which entries make a pair: the layouts and widths under which every pair turned, and by what complex number."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rope_core.diagnosis.arrays import Real
from rope_core.rotation import Layout

Complex = NDArray[np.complex128]
Flags = NDArray[np.bool_]

SLACK = 8.0
"""Errors up to so many roundings are rounding: cosine, sine, two products, a sum and the ratio itself."""
SMALLEST = 2.0**-24
"""Half a step of the smallest float16 numbers, which have no relative precision."""


@dataclass(frozen=True)
class Turns:
    """after/before of every pair as complex numbers, under one layout and width.

    ratio `(seq, pairs)`, with the modulus taken out; count: how many vectors stand behind each, 0 where before is zero.
    modulus: the attention factor as measured. coherent `(seq, pairs)`: one number explains all batches and heads,
    and its modulus is the common one. rounding: the relative error of one value.
    """

    layout: Layout
    width: int
    ratio: Complex
    count: Real
    modulus: float
    coherent: Flags
    rounding: float

    @property
    def pairs(self) -> int:
        """How many pairs the width holds."""
        return self.width // 2

    @property
    def known(self) -> Flags:
        """`(seq, pairs)`: where there is something to be seen."""
        return self.count > 0


def joined(x: Real, layout: str, width: int) -> Complex:
    """The first `width` entries of the last axis as complex pairs."""
    if layout == "interleaved":
        return np.asarray(x[..., 0:width:2] + 1j * x[..., 1:width:2])
    return np.asarray(x[..., : width // 2] + 1j * x[..., width // 2 : width])


def turns(before: Real, after: Real, layout: Layout, width: int, rounding: float) -> Turns:
    """Measure the ratio of every pair of `(batch, heads, seq, head_dim)` by least squares over batches and heads."""
    source = joined(before, "half" if layout == "half" else "interleaved", width)
    target = joined(after, "interleaved" if layout == "interleaved" else "half", width)
    power = np.abs(source) ** 2
    total, fourth = power.sum((0, 1)), (power**2).sum((0, 1))
    known = total > 0
    ratio = (target * source.conj()).sum((0, 1)) / np.where(known, total, 1)
    count = np.where(known, total**2 / np.where(fourth > 0, fourth, 1), 0)
    modulus = _modulus(np.abs(ratio[known]))
    limit = SLACK * rounding * modulus * np.sqrt(power) + SMALLEST * (rounding > ROUGH)
    coherent = (np.abs(target - ratio * source) <= limit).all((0, 1))
    coherent &= ~known | (np.abs(np.abs(ratio) - modulus) <= SLACK * rounding * modulus + _least(total, rounding))
    return Turns(layout, width, np.where(known, ratio / modulus, 1), count, modulus, coherent, rounding)


ROUGH = 2.0**-20


def _least(total: Real, rounding: float) -> Real:
    return np.asarray(2 * SMALLEST * (rounding > ROUGH) / np.sqrt(np.where(total > 0, total, 1)))


def _modulus(moduli: Real) -> float:
    """The common modulus: the middle of them, then the middle of those near it, which pairs that are none leave be."""
    if not moduli.size:
        return 1.0
    middle = float(np.median(moduli))
    near = moduli[np.abs(moduli - middle) <= 0.05 * middle]
    return float(np.median(near)) if middle > 0 and near.size else 1.0


def common_factor(before: Real, after: Real) -> float:
    """The one number that makes `before` most nearly `after`; 1 where every value is zero."""
    power = float((before**2).sum())
    return float((before * after).sum()) / power if power else 1.0


def moved_width(before: Real, after: Real, rounding: float) -> int:
    """The smallest even width beyond which every entry passed unchanged."""
    limit = 2 * rounding * np.abs(before) + SMALLEST * (rounding > ROUGH)
    moved = (np.abs(after - before) > limit).any((0, 1, 2))
    last = int(np.flatnonzero(moved)[-1]) + 1 if moved.any() else 0
    return last + last % 2


def coherent_turns(before: Real, after: Real, rounding: float, stated: tuple[int, ...] = ()) -> list[Turns]:
    """Every layout and width under which all pairs turned as pairs; narrowest first within a layout.

    Interleaved pairs are the same at every width that holds all that moved: the smallest, the
    quarters of the head and the stated widths stand for them.
    """
    least, head_dim = moved_width(before, after, rounding), before.shape[-1]
    usual = (head_dim // 8 * 2, head_dim // 4 * 2, head_dim // 8 * 6, head_dim, *stated)
    widest = {max(least, 2), *(width for width in usual if least <= width <= head_dim)}
    tried: list[tuple[Layout, int]] = [("interleaved", width) for width in sorted(widest)]
    widths = range(max(least, 2), head_dim + 1, 2)
    tried += [(layout, width) for layout in _SPLIT for width in widths]
    return [found for layout, width in tried if (found := _if_coherent(before, after, layout, width, rounding))]


_SPLIT: tuple[Layout, ...] = ("half", "interleaved_to_half")


def _if_coherent(before: Real, after: Real, layout: Layout, width: int, rounding: float) -> Turns | None:
    few = np.s_[:1, :4, -4:]
    if before.size > 4096 and not turns(before[few], after[few], layout, width, rounding).coherent.all():
        return None
    found = turns(before, after, layout, width, rounding)
    return found if found.coherent.all() else None


def best_turns(before: Real, after: Real, rounding: float) -> Turns:
    """The layout and width under which the most pairs turned as pairs, where none explains all of them."""
    head_dim, tried = before.shape[-1], list[Turns]()
    for width in range(head_dim, 1, -2) if head_dim <= 64 else (head_dim, head_dim // 2, head_dim // 4):
        width -= width % 2
        for layout in ("half", "interleaved", *_SPLIT[1:]) if width == head_dim else _SPLIT:
            tried.append(turns(before, after, layout, width, rounding))
    return max(tried, key=lambda found: float(found.coherent.mean()))
