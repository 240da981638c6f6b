"""A reading: a table, a scale and a first place that say every angle; found, improved and held against the data."""

import math
from dataclasses import dataclass, replace

import numpy as np

from rope_core.diagnosis.arrays import Real
from rope_core.diagnosis.lines import Lines, noise
from rope_core.diagnosis.pairs import Flags, Turns

FLOAT32_ANGLE = 4e-7
"""The largest relative error of an angle whose frequency and product are rounded to float32."""
REACHES = (8192.0, 2.0**17)
"""How far from 0 a first place is looked for: near first, because far places cost time."""
MOST_FIRSTS = 6
FARTHEST = 2.0**18
STRIDE = 0.4  # radians between places that are tried
NEAR = 1.2  # radians that a pair may be off at a place that is tried further
ENOUGH = 100_000  # angles for least squares
MOST_PLACES = 20_000
MOST_TRIED = 400_000


@dataclass(frozen=True)
class Reading:
    """angle = scale·profile·exp(−decay·pair)·(place − first place + first).

    profile `(pairs,)`: all 1 for an unscaled table, whose decay is fitted; else a given table. errors: the standard
    deviations of scale, decay and first. fits `(seq, pairs)`.
    """

    scale: float
    decay: float
    first: float
    profile: Real
    fitted: bool
    errors: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rms: float = 0.0  # of what is left over, relative to the rounding expected of it
    away: float = 0.0  # the same, relative to the vectors
    cost: float = 0.0  # minus the logarithm of the likelihood: a reading that allows for larger errors pays for it
    fits: Flags | None = None

    @property
    def rates(self) -> Real:
        """Radians per place, `(pairs,)`, signed."""
        return np.asarray(self.scale * self.profile * np.exp(-self.decay * np.arange(len(self.profile))))

    def angles(self, places: Real) -> Real:
        """`(seq, pairs)` in radians."""
        return np.outer(places - places[0] + self.first, self.rates)

    @property
    def holds(self) -> bool:
        """Whether every angle is as read."""
        return self.fits is not None and bool(self.fits.all())


def held(turns: Turns, places: Real, reading: Reading, angles: Real | None = None) -> Reading:
    """The reading with its fits and its root mean square error, relative to the rounding expected of it."""
    angles = reading.angles(places) if angles is None else angles
    away = np.abs(turns.ratio - np.exp(1j * angles))
    drift = FLOAT32_ANGLE * np.abs(angles)
    single = turns.rounding / np.sqrt(np.maximum(turns.count, 1))
    fits = (away <= 2 * turns.rounding + 6 * single + drift) | ~turns.known
    expected = np.sqrt((0.9 * turns.rounding) ** 2 + single**2 + (drift / 4) ** 2)
    known = turns.known
    rms = float(np.sqrt(np.mean((away[known] / expected[known]) ** 2))) if known.any() else 0.0
    left = float(np.sqrt(np.mean(away[known] ** 2))) if known.any() else 0.0
    cost = float((np.log(expected[known]) + (away[known] / expected[known]) ** 2 / 2).sum())
    return replace(reading, fits=fits, rms=rms, away=left, cost=cost)


def placed(turns: Turns, places: Real, stated: bool, found: Lines, base: Reading) -> list[Reading]:
    """The readings of a scale, decay and profile: one for each first place that explains the angles at the start."""
    faster = abs(base.scale) if abs(base.scale) > 2.5 else 1.0
    for far in (0.0, *REACHES) if stated else REACHES:
        tried = {0.0, *(_first_places(found, base.rates, far / faster) if far else [float(places[0])])}
        kept = list[Reading]()
        for first in sorted(tried):
            better = held(turns, places, improved(turns, places, replace(base, first=first)))
            if (
                better.holds
                and _is_near(better, base)
                and not any(abs(better.first - other.first) < 0.01 for other in kept)
            ):
                kept.append(better)
        if kept:
            return [reading for reading in kept if _whole(reading)] or kept
    return []


def _is_near(reading: Reading, base: Reading) -> bool:
    """Whether the improvement stayed by what was proposed."""
    return 0.5 <= reading.scale / base.scale <= 2 and abs(reading.first) <= FARTHEST


def _whole(reading: Reading) -> bool:
    """Whether the first place, in tokens or in strides, is a multiple of an eighth as far as can be seen."""
    room = max(5e-4, 3 * reading.errors[2])
    return any(abs(place - round(8 * place) / 8) <= room for place in (reading.first, reading.first * reading.scale))


def _first_places(found: Lines, rates: Real, far: float) -> Real:
    """The likeliest first places up to a distance from 0: from slow pairs, which are coarse, to fast ones."""
    seen = np.flatnonzero(np.isfinite(found.start_error) & (np.abs(rates) * far > 1e-3))
    if not len(seen):
        return np.zeros(0)
    seen = seen[np.argsort(np.abs(rates[seen]))][np.unique(np.linspace(0, len(seen) - 1, 10).astype(int))]
    step = STRIDE / abs(float(rates[seen[0]]))
    grid = np.arange(-step, far + step, step)
    for pair in seen:
        parts = max(1, math.ceil(step * abs(float(rates[pair])) / STRIDE))
        step /= parts
        grid = grid[: max(1, MOST_TRIED // parts)]
        grid = (grid[:, np.newaxis] + (np.arange(parts) - (parts - 1) / 2) * step).ravel()
        turned = found.start[pair] - rates[pair] * grid
        away = turned - 2 * np.pi * np.round(turned / (2 * np.pi))
        grid = grid[np.abs(away) <= NEAR + 4 * found.start_error[pair]][:MOST_PLACES]
    score = np.cos(found.start[seen] - np.outer(grid, rates[seen])).sum(1)
    best = list[float]()
    for place in grid[np.argsort(-score)][: 20 * MOST_FIRSTS]:
        if len(best) < MOST_FIRSTS and all(abs(place - other) > 3 * step for other in best):
            best.append(float(place))
    return np.asarray(best)


def improved(turns: Turns, places: Real, reading: Reading) -> Reading:
    """Four steps of least squares on all angles at once, and the standard deviations that remain."""
    some = slice(None, None, 1 + turns.ratio.size // ENOUGH)
    fewer = replace(turns, ratio=turns.ratio[some], count=turns.count[some])
    for _ in range(4):
        reading = _step(fewer, places[some], reading)
    return reading


def _step(turns: Turns, places: Real, reading: Reading) -> Reading:
    design, rest = _design(turns, places, reading)
    size = np.sqrt((design**2).sum(0))
    free = np.flatnonzero(size > 1e-9)
    scaled = design[:, free] / size[free]
    inverse = np.linalg.pinv(scaled.T @ scaled, rcond=1e-13, hermitian=True)
    change, spread = np.zeros(3), np.zeros(3)
    change[free] = inverse @ (scaled.T @ rest) / size[free]
    excess = max(1.0, float(np.sqrt(np.mean(rest**2))))
    spread[free] = np.sqrt(np.maximum(np.diag(inverse), 0)) / size[free] * excess
    change[1] = np.clip(change[1], -0.5, 0.5)
    return replace(
        reading,
        scale=reading.scale + float(change[0]),
        decay=reading.decay + float(change[1]),
        first=reading.first + float(change[2]),
        errors=(float(spread[0]), float(spread[1]), float(spread[2])),
    )


def _design(turns: Turns, places: Real, reading: Reading) -> tuple[Real, Real]:
    """How each angle follows scale, decay and first, `(seq·pairs, 3)`, and the rest; in standard deviations."""
    angles, rates = reading.angles(places), reading.rates
    sigma = np.sqrt(noise(turns) ** 2 + (FLOAT32_ANGLE / 3 * np.abs(angles)) ** 2)
    weight = np.where(turns.known, 1 / sigma, 0)
    by_decay = -angles * np.arange(len(rates)) * (1.0 if reading.fitted else 0.0)
    rows = [angles / reading.scale, by_decay, np.broadcast_to(rates, angles.shape)]
    rest = np.angle(turns.ratio * np.exp(-1j * angles)) * weight
    return np.stack([(row * weight).ravel() for row in rows], -1), rest.ravel()
