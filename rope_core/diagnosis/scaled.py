"""The scaled tables that can be told by their rates alone: fast pairs kept, slow ones divided, a blend between."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rope_core.diagnosis.arrays import Real

FEWEST = 3  # pairs between kept and divided, for a straight line that could have failed
CLOSE = 4.0  # standard deviations


@dataclass(frozen=True)
class Blend:
    """What was recognised: rope_type (None if not), base and its relative error, factor, and the scale of pair 0."""

    rope_type: str | None
    base: float
    base_error: float
    factor: float | None
    scale: float


def recognised(rates: Real, error: Real, reach: int) -> Blend:
    """Read rates `(pairs,)`, positive, of which the first `reach` go down in equal ratios."""
    pairs = np.arange(len(rates))
    decay, scale, decay_error = _leading(rates, error, reach)
    base = float(np.exp(decay * len(rates)))
    expected = scale * np.exp(-decay * pairs)
    share = rates / expected
    blur = np.hypot(error / expected, 1e-6) + decay_error * pairs
    start = Blend(None, base, decay_error * len(rates), None, scale)
    if (np.abs(share[reach:]) <= CLOSE * blur[reach:]).all() and (blur[reach:] < 0.05).all():
        return Blend("proportional", base, start.base_error, None, scale)
    tail = _divided(share, blur)
    if tail is None:
        return start
    names = [
        name for name, by in (("llama3", expected), ("yarn", -pairs.astype(float))) if _fits(share, blur, tail, by)
    ]
    return Blend(names[0], base, start.base_error, 1 / tail, scale) if len(names) == 1 else start


def _leading(rates: Real, error: Real, reach: int) -> tuple[float, float, float]:
    """Decay and scale of the first pairs by weighted least squares on the logarithm, and the decay's error."""
    here = np.arange(reach)
    sigma = np.maximum(error[:reach] / rates[:reach], 1e-7)
    weight = 1 / sigma**2
    middle = (weight * here).sum() / weight.sum()
    spread = float((weight * (here - middle) ** 2).sum())
    log = np.log(rates[:reach])
    decay = -float((weight * (here - middle) * log).sum()) / spread
    level = float((weight * log).sum() / weight.sum())
    return decay, float(np.exp(level + decay * middle)), spread**-0.5


def _divided(share: Real, blur: Real) -> float | None:
    """The share that the slowest pairs keep, if the last two that are seen clearly agree on one below 1."""
    clear = np.flatnonzero(blur < 0.02 * np.abs(share))
    if len(clear) < 2:
        return None
    (before, last), (rough, blurred) = share[clear[-2:]], blur[clear[-2:]]
    same = abs(last - before) <= CLOSE * float(np.hypot(rough, blurred))
    return float(last + before) / 2 if same and 0 < last < 1 - CLOSE * float(blurred) else None


def _fits(share: Real, blur: Real, tail: float, by: Real) -> bool:
    """Whether the shares go from 1 to `tail` along a straight line in `by`, cut off at both ends."""
    between = _between(share, blur, tail)
    if between.sum() < FEWEST:
        return False
    slope, level = np.polyfit(by[between], share[between], 1, w=1 / blur[between])
    line = np.clip(slope * by + level, tail, 1)
    return bool((np.abs(share - line) <= CLOSE * blur + 2e-5).all())


def _between(share: Real, blur: Real, tail: float) -> NDArray[np.bool_]:
    room = CLOSE * blur + 1e-5
    return (share < 1 - room) & (share > tail + room)
