"""How fast each pair turns along the sequence: a straight line through its angles, known up to whole turns."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rope_core.diagnosis.arrays import Real
from rope_core.diagnosis.pairs import Turns

JUMP = 0.05
"""An angle that is further than this from its line, in radians, is no rounding in float32 up to position 10^5."""
MOST_FREQUENCIES = 40_000
WIDEST_GAP = 1000.0
"""Between places further apart the whole turns are too many to try."""


@dataclass(frozen=True)
class Lines:
    """angle = start + rate·(place − first place) for every pair, `(pairs,)`; rates up to multiples of `alias`.

    Errors are standard deviations, infinite for a pair of which nothing is seen. The lines hold for the first `length`
    places, 1 where every place shows the same angles.
    """

    rate: Real
    start: Real
    rate_error: Real
    start_error: Real
    alias: float
    length: int


def lines(turns: Turns, places: Real) -> Lines | None:
    """Fit the lines; None where a single place, or places too far apart, give no rate."""
    gaps = np.diff(places)
    if not gaps.size or not 0 < np.abs(gaps).min() < WIDEST_GAP:
        return None
    if np.ptp(gaps) <= 1e-9 * np.abs(gaps).max():
        return _even(turns, places, float(gaps[0]))
    return _uneven(turns, places)


def noise(turns: Turns) -> Real:
    """The standard deviation of every measured angle, `(seq, pairs)`; infinite where nothing is seen."""
    with np.errstate(divide="ignore"):
        return np.asarray(turns.rounding * np.where(turns.known, 0.5 + 1 / np.sqrt(turns.count), np.inf))


def _even(turns: Turns, places: Real, gap: float) -> Lines:
    """Follow the angles step by step, doubling the stretch, as far as the lines hold."""
    steps = np.arange(len(places), dtype=np.float64)
    length, limit = min(2, len(steps)), max(JUMP, 10 * turns.rounding)
    slope, start = _first_slope(turns, length)
    while True:
        slope, start = _improved(turns, steps, slope, start, length)
        reach = min(2 * length, len(steps))
        off = (np.abs(_deviation(turns, steps, slope, start)) > limit) & turns.known
        off &= np.isfinite(slope)
        broken = np.flatnonzero(off[length:reach].any(1))
        if broken.size or reach == length:
            length += int(broken[0]) if broken.size else 0
            break
        length = reach
        again, begin = _first_slope(turns, length)
        slope, start = np.where(np.isfinite(slope), slope, again), np.where(np.isfinite(slope), start, begin)
    slope, start = _improved(turns, steps, slope, start, length)
    found = _with_errors(turns, places - places[0], slope / gap, start, 2 * math.pi / abs(gap), length)
    stands = (np.abs(found.rate) <= 6 * found.rate_error).all()
    return replace(found, length=1) if stands and length == len(places) else found


def _first_slope(turns: Turns, length: int) -> tuple[Real, Real]:
    """Angle per step between neighbours, and the angle at the first step; nan for a pair that is not seen twice."""
    ratio = np.where(turns.known, turns.ratio, 0)[:length]
    both = (ratio[1:] * ratio[:-1].conj()).sum(0)
    slope = np.where(np.abs(both) > 0, np.angle(both), np.nan)
    turned_back = ratio * np.exp(-1j * np.arange(length)[:, np.newaxis] * np.nan_to_num(slope))
    return slope, np.angle(turned_back.sum(0))


def _deviation(turns: Turns, places: Real, slope: Real, start: Real) -> Real:
    line = start + np.outer(places, np.nan_to_num(slope))
    return np.asarray(np.angle(turns.ratio * np.exp(-1j * line)))


def _improved(turns: Turns, places: Real, slope: Real, start: Real, length: int) -> tuple[Real, Real]:
    """One step of least squares on what the lines leave over, in the first `length` places."""
    weight = 1 / noise(turns)[:length] ** 2
    rest, here = _deviation(turns, places, slope, start)[:length], places[:length, np.newaxis]
    total = np.maximum(weight.sum(0), 1e-300)
    middle = (weight * here).sum(0) / total
    spread = (weight * (here - middle) ** 2).sum(0)
    more = (weight * (here - middle) * rest).sum(0) / np.where(spread > 0, spread, np.inf)
    return slope + more, start + (weight * rest).sum(0) / total - more * middle


def _with_errors(turns: Turns, places: Real, rate: Real, start: Real, alias: float, length: int) -> Lines:
    """Add errors: the larger of what the rounding lets expect and what the line leaves over."""
    sigma, here = noise(turns)[:length], places[:length, np.newaxis]
    rest = np.where(turns.known, _deviation(turns, places, rate, start), 0)[:length]
    weight = 1 / sigma**2
    excess = np.ones_like(rate)
    if length > 4:
        excess = np.sqrt(np.maximum(1, (weight * rest**2).sum(0) / (length - 2)))
    total = np.maximum(weight.sum(0), 1e-300)
    middle = (weight * here).sum(0) / total
    spread = (weight * (here - middle) ** 2).sum(0)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate_error = np.where(np.isfinite(rate) & (spread > 0), excess / np.sqrt(spread), np.inf)
        start_error = np.sqrt(excess**2 / total + np.where(np.isinf(rate_error), 0, (rate_error * middle) ** 2))
    return Lines(np.nan_to_num(rate), start, rate_error, start_error, alias, length)


def common_step(places: Real) -> float:
    """The largest step of which all differences of the places are multiples, to a 64th."""
    parts = [Fraction(float(gap)).limit_denominator(64) for gap in np.unique(np.diff(places))]
    below = math.lcm(*(part.denominator for part in parts))
    return math.gcd(*(int(part * below) for part in parts)) / below


def _uneven(turns: Turns, places: Real) -> Lines | None:
    """Try all rates between the aliases on a grid, then improve the best of each pair."""
    step, span, places = common_step(places), float(np.ptp(places)), places - places[0]
    if not step or span / step > MOST_FREQUENCIES / 8:
        return None
    alias = 2 * math.pi / step
    grid = np.linspace(-alias / 2, alias / 2, int(8 * span / step) + 2)
    ratio = np.where(turns.known, turns.ratio, 0)
    waves = np.exp(-1j * np.outer(grid, places))
    power = np.abs(waves @ ratio)
    rate = grid[power.argmax(0)]
    start = np.angle((ratio * np.exp(-1j * np.outer(places, rate))).sum(0))
    for _ in range(4):
        rate, start = _improved(turns, places, rate, start, len(places))
    rate = np.where(turns.known.sum(0) > 1, rate, np.nan)
    return _with_errors(turns, places, rate, start, alias, len(places))
