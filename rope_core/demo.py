"""The demonstration's query and key: the same on every page, every visit and every machine."""

import numpy as np
from numpy.typing import NDArray

from rope_core.checks import even_width


def demo_pair(rotary_dim: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a query and a key, `(rotary_dim,)` each, of length 1 in random directions.

    The seed is rotary_dim itself. ValueError unless it is even and at least 2.
    """
    width = even_width("rotary_dim", rotary_dim)
    vectors = np.random.default_rng(width).standard_normal((2, width))
    query, key = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return query, key
