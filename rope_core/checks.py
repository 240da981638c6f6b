"""Checks of what callers hand in: a ValueError that names the value and what was expected."""

import sys
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray


def finite_array(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as a float64 array; ValueError unless every one of them is a finite number."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be finite numbers, got {values!r}") from error
    finite = np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{name} must be finite numbers, got {array[~finite][0]} among them")
    return array


def finite_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return `values` as a one-dimensional float64 array of finite numbers; ValueError otherwise."""
    vector = finite_array(name, values)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {vector.shape}")
    return vector


def finite_number(name: str, value: float) -> float:
    """Return `value` as a float; ValueError unless it is one finite number."""
    if not isinstance(value, Real) or not -sys.float_info.max <= value <= sys.float_info.max:
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return float(value)


def positive_number(name: str, value: float) -> float:
    """Return `value` as a float; ValueError unless it is finite and greater than 0."""
    number = finite_number(name, value)
    if number <= 0:
        raise ValueError(f"{name} must be greater than 0, got {value!r}")
    return number


def even_width(name: str, value: int) -> int:
    """Return `value` as an int; ValueError unless it is an even whole number of at least 2."""
    if not isinstance(value, Integral) or value < 2 or value % 2:
        raise ValueError(f"{name} must be an even whole number of at least 2, got {value!r}")
    return int(value)


def check_rotary_width(pairs: int, head_dim: int) -> None:
    """ValueError if a head has fewer entries than the 2·pairs that are to turn."""
    if 2 * pairs > head_dim:
        raise ValueError(f"{pairs} frequencies turn {2 * pairs} entries, but head_dim is {head_dim}")


def aligned_shape(positions: tuple[int, ...], leading: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape in which positions broadcast over the `leading` axes `(..., seq)` of the turned array.

    The last axis of `positions` is seq; the axes before it line up with the first axes of `leading`, and what lies
    between is filled with 1: `(batch, seq)` over `(batch, heads, seq)` becomes `(batch, 1, seq)`.
    ValueError if they do not fit.
    """
    missing = len(leading) - len(positions)
    aligned = positions[:-1] + (1,) * missing + positions[-1:] if positions else positions
    fits = missing >= 0 and all(size in (1, room) for size, room in zip(aligned[::-1], leading[::-1], strict=False))
    if not fits:
        raise ValueError(f"positions of shape {positions} do not fit the leading axes {leading} of x")
    return aligned
