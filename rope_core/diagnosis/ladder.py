"""From the rates of the pairs to a table: which scale and which base make them, whole turns left open.

The rates of an unscaled table go down in equal ratios, like the rungs of a ladder: rate = scale·exp(−decay·pair), where
decay = ln(base)/pairs. The first two pairs that are seen propose a scale and a decay for every number of whole turns
between two places; a Kalman filter follows each proposal down the pairs and drops it where a pair disagrees.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rope_core.diagnosis.arrays import Real
from rope_core.diagnosis.lines import Lines

GATE = 6.0  # standard deviations
LARGEST_BASE = 1e13
SMALLEST_BASE = 1.2
STEEPEST = 40.0
"""The decay that stands for none: the pairs behind the first turn too little to be seen."""


@dataclass(frozen=True)
class Ladder:
    """One proposal: signed scale (radians per place of pair 0), decay per pair, and the pairs it explains."""

    scale: float
    decay: float
    reach: int  # the first pair that disagrees, or the number of pairs


def ladders(found: Lines, most: float, floor: float = 0.0) -> list[Ladder]:
    """Every proposal with at most `most` for its scale, the ones that explain the most pairs.

    floor: an angle error to allow for besides, in radians.
    """
    error = np.sqrt(found.rate_error**2 + (floor / max(found.length - 1, 1)) ** 2)
    seen = np.flatnonzero(np.isfinite(error))
    steep = _steep(found, error, seen, most)
    if len(seen) < 2:
        return steep
    state, covariance = _proposals(found, error, seen, most)
    alive, reach = np.ones(len(state), bool), np.full(len(state), len(found.rate))
    for pair in seen[2:]:
        state, covariance, agrees = _followed(state, covariance, found, error[pair], int(pair), alive)
        reach[alive & ~agrees] = pair
        alive &= agrees
    kept = np.flatnonzero(reach == reach.max(initial=0))
    return steep + [Ladder(float(state[i, 0]), float(state[i, 1]), int(reach[i])) for i in kept]


def _steep(found: Lines, error: Real, seen: NDArray[np.intp], most: float) -> list[Ladder]:
    """One pair alone that turns visibly: its scale up to whole turns, and a decay that nothing measures."""
    if not len(seen) or (np.abs(found.rate) > GATE * error)[seen[1:]].any() or seen[0] > 0:
        return []
    rates = found.rate[seen[0]] + _turns(found, most)
    return [Ladder(float(rate), STEEPEST, len(found.rate)) for rate in rates if 1e-4 < abs(rate) <= most]


def _turns(found: Lines, most: float) -> Real:
    count = int(most / found.alias) + 1
    return np.asarray(found.alias * np.arange(-count, count + 1, dtype=np.float64))


def _proposals(found: Lines, error: Real, seen: NDArray[np.intp], most: float) -> tuple[Real, Real]:
    """State `(proposals, 2)`: scale and decay, and its covariance, from the first two pairs that are seen."""
    one, two = int(seen[0]), int(seen[1])
    first, second = np.meshgrid(found.rate[one] + _turns(found, most), found.rate[two] + _turns(found, most))
    steps = two - one
    with np.errstate(all="ignore"):
        decay = np.log(first / second) / steps
        scale = first * np.exp(decay * one)
        room = (first * second > 0) & (np.abs(scale) <= most) & (np.abs(scale) > 1e-4)
        pairs = len(found.rate)
        room &= (decay * pairs >= np.log(SMALLEST_BASE)) & (decay * pairs <= np.log(LARGEST_BASE))
    first, second, decay, scale = first[room], second[room], decay[room], scale[room]
    by_first, by_second = error[one] / first, error[two] / second
    # ln scale = ln first + decay·one; decay = (ln first − ln second)/steps
    rows = np.stack([(1 + one / steps) * by_first, -one / steps * by_second, by_first / steps, -by_second / steps], -1)
    jacobian = rows.reshape(-1, 2, 2)
    jacobian[:, 0] *= scale[:, np.newaxis]
    return np.stack([scale, decay], -1), jacobian @ jacobian.swapaxes(-1, -2)


def _followed(
    state: Real, covariance: Real, found: Lines, error: float, pair: int, alive: NDArray[np.bool_]
) -> tuple[Real, Real, NDArray[np.bool_]]:
    """One step of the filter, and which proposals agree with this pair."""
    power = np.exp(-state[:, 1] * pair)
    expected = state[:, 0] * power
    slope = np.stack([power, -pair * expected], -1)
    away = found.rate[pair] - expected
    away -= found.alias * np.round(away / found.alias)
    spread = np.einsum("ni,nij,nj->n", slope, covariance, slope)
    total = spread + error**2 + (2e-7 * expected) ** 2
    agrees = np.abs(away) <= GATE * np.sqrt(total)
    gain = np.einsum("nij,nj->ni", covariance, slope) / total[:, np.newaxis]
    use = (alive & agrees)[:, np.newaxis]
    state = np.where(use, state + gain * away[:, np.newaxis], state)
    smaller = covariance - gain[:, :, np.newaxis] * gain[:, np.newaxis, :] * total[:, np.newaxis, np.newaxis]
    return state, np.where(use[:, :, np.newaxis], smaller, covariance), agrees


def scales(found: Lines, profile: Real, most: float, floor: float = 0.0) -> list[Ladder]:
    """Every scale at which the rates are those of a given table `(pairs,)`, whose decay is 0."""
    error = np.sqrt(found.rate_error**2 + (floor / max(found.length - 1, 1)) ** 2)
    seen = np.flatnonzero(np.isfinite(error) & (profile > 0))
    if not len(seen):
        return []
    lead = int(seen[0])
    proposed = (found.rate[lead] + _turns(found, most * profile[lead])) / profile[lead]
    away = found.rate - proposed[:, np.newaxis] * profile
    away -= found.alias * np.round(away / found.alias)
    width = error[lead] / profile[lead] * profile
    agrees = np.abs(away) <= GATE * (np.hypot(error, 4e-7 * proposed[:, np.newaxis] * profile) + width)
    good = (agrees | np.isinf(error)).all(1) & (np.abs(proposed) > 1e-4) & (np.abs(proposed) <= most)
    return [Ladder(float(scale), 0.0, len(profile)) for scale in proposed[good]]
