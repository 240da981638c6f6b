"""Why a length beyond training goes wrong: a score fitted inside a length, looked at outside it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rope_core.checks import finite_number, finite_vector

Array = NDArray[np.float64]


def waves(positions: ArrayLike, inv_freq: ArrayLike) -> Array:
    """Return cosine and sine of position · frequency side by side, `(positions, 2·pairs)`.

    Every score of RoPE is a sum of these over the gap, with weights that the two words give.
    Positions in tokens, inv_freq in radians per token. ValueError for values that are not finite.
    """
    angles = np.multiply.outer(finite_vector("positions", positions), finite_vector("inv_freq", inv_freq))
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)


def fitted_weights(inv_freq: ArrayLike, trained: int, seed: int, points: int = 256, ridge: float = 1e-8) -> Array:
    """Return weights of `waves`, `(2·pairs,)`, that fit random values in [−1, 1] at random places within `trained`.

    Ridge regression, the experiment of arXiv 2306.15595, section 2.3: places and values are uniform draws of
    `numpy.random.default_rng(seed)`. ValueError for a length, a count or a ridge that is not above 0.
    """
    for name, number in (("trained", trained), ("points", points), ("ridge", ridge)):
        if finite_number(name, number) <= 0:
            raise ValueError(f"{name} must be above 0, got {number!r}")
    draw = np.random.default_rng(seed)
    found = waves(draw.uniform(0, trained, points), inv_freq)
    values = draw.uniform(-1, 1, points)
    square = found.T @ found + ridge * np.eye(found.shape[1])
    return np.asarray(np.linalg.solve(square, found.T @ values))
