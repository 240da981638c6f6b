"""How fast each pair of entries turns."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rope_core.checks import even_width, finite_array, positive_number


def inverse_frequencies(rotary_dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """Return the angle each pair turns per token, fastest first.

    `base**(-2i/rotary_dim)` for i = 0 … rotary_dim/2 − 1, in radians per token, shape `(rotary_dim/2,)`
    (Su et al., arXiv 2104.09864, section 3.4.2, where i counts from 1).
    ValueError unless rotary_dim is even and at least 2, and base finite and greater than 0.
    """
    width = even_width("rotary_dim", rotary_dim)
    exponents = -np.arange(0, width, 2) / width
    return np.power(positive_number("base", base), exponents)


def wavelengths(inv_freq: ArrayLike) -> NDArray[np.float64]:
    """Return the tokens each pair needs for a whole turn, `2π/|inv_freq|`; infinite where the frequency is 0.

    Same shape as inv_freq (radians per token). ValueError if a frequency is not finite.
    """
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(2 * np.pi / np.abs(finite_array("inv_freq", inv_freq)))
