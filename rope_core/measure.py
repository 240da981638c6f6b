"""What can be read off a table of scores or a set of frequencies."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rope_core.checks import finite_array, finite_vector


def diagonal_spread(matrix: ArrayLike) -> float:
    """Return how far scores with the same gap differ: the largest max − min along any diagonal.

    matrix: scores `(queries, keys)` with at least two positions a side and equal steps on both axes, so that a
    diagonal is a gap. Computed in float64. Exact arithmetic would leave 0 of a RoPE table; rounded angles leave
    about 1e-15 for q and k of length 1 near the start, 1e-13 near position 4,096, and more in proportion to |q|·|k|.
    ValueError for another shape or values that are not finite.
    """
    table = finite_array("matrix", matrix)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(f"matrix must have two axes of at least 2 positions, got shape {table.shape}")
    rows, columns = table.shape
    return max(float(np.ptp(table.diagonal(gap))) for gap in range(2 - rows, columns - 1))


def mean_cosine(gaps: ArrayLike, inv_freq: ArrayLike) -> NDArray[np.float64]:
    """Return how alike gap and gap 0 look to these pairs: the mean of cos(gap · inv_freq) over them, `(gaps,)`.

    1 means that every pair is back where it began. gaps in tokens, inv_freq `(pairs,)` in radians per token:
    the slice `inv_freq[:k]` asks the k fastest alone. ValueError for no frequency or values that are not finite.
    """
    frequencies = finite_vector("inv_freq", inv_freq)
    if not len(frequencies):
        raise ValueError("inv_freq must hold at least one frequency, got none")
    return np.asarray(np.cos(np.multiply.outer(finite_vector("gaps", gaps), frequencies)).mean(axis=-1))
