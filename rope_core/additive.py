"""The older way: an address is added to the word, and the comparison falls into four terms."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rope_core.checks import even_width, finite_array
from rope_core.frequencies import inverse_frequencies


class AdditiveTerms(NamedTuple):
    """The four products of (x_m + p_m)·(x_n + p_n), named query side first; their sum is the whole score."""

    content_content: NDArray[np.float64]
    content_position: NDArray[np.float64]
    position_content: NDArray[np.float64]
    position_position: NDArray[np.float64]


def sinusoidal(positions: ArrayLike, dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """Return the sinusoidal address of each position, `(*positions.shape, dim)`.

    Sine of position · frequency on even entries, cosine on odd (Vaswani et al., arXiv 1706.03762, section 3.5).
    Positions in tokens. ValueError for an odd or zero dim, a base not finite or not above 0, positions not finite.
    """
    width = even_width("dim", dim)
    angles = finite_array("positions", positions)[..., np.newaxis] * inverse_frequencies(width, base)
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(*angles.shape[:-1], width)


def additive_terms(x_m: ArrayLike, x_n: ArrayLike, p_m: ArrayLike, p_n: ArrayLike) -> AdditiveTerms:
    """Return the four products of a query x_m + p_m and a key x_n + p_n, each summed over the last axis.

    Contents x and addresses p: `(..., dim)`, already projected where there are projections (W(x + p) = Wx + Wp);
    axes before dim broadcast (Ke et al., arXiv 2006.15595, equation 6).
    ValueError if the shapes do not fit or a value is not finite.
    """
    named = {"x_m": x_m, "x_n": x_n, "p_m": p_m, "p_n": p_n}
    arrays = {name: finite_array(name, values) for name, values in named.items()}
    shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
    widths = {array.shape[-1:] for array in arrays.values()}
    if len(widths) != 1 or () in widths:
        raise ValueError(f"contents and addresses must share their last axis, got {shapes}")
    query_content, key_content, query_address, key_address = arrays.values()
    try:
        return AdditiveTerms(
            np.asarray(np.vecdot(query_content, key_content)),
            np.asarray(np.vecdot(query_content, key_address)),
            np.asarray(np.vecdot(query_address, key_content)),
            np.asarray(np.vecdot(query_address, key_address)),
        )
    except ValueError as error:
        raise ValueError(f"the axes before the last must broadcast, got {shapes}") from error
