"""What a diagnosis is given: two arrays of one shape, checked, and how finely their values are rounded."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Real = NDArray[np.float64]
Whole = NDArray[np.int64]

ROUNDING = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-24, "float64": 2.0**-53}
"""The largest relative error of rounding to a format, coarsest first."""
SPARE_BITS = {"bfloat16": 45, "float16": 42, "float32": 29}
"""How many of the 52 bits of a float64 stay zero where the value came from a narrower format."""
LARGEST_FLOAT16 = 65504.0


class DiagnosisError(ValueError):
    """Arrays that cannot be diagnosed; `reason` is one word, for a page that says it in its own language."""

    def __init__(self, reason: str, sentence: str) -> None:
        self.reason = reason
        super().__init__(sentence)


def checked(before: ArrayLike, after: ArrayLike) -> tuple[Real, Real]:
    """Return both arrays as float64 of shape `(batch, heads, seq, head_dim)`; DiagnosisError if they are not fit."""
    first, second = _real("before", before), _real("after", after)
    if first.shape != second.shape:
        raise DiagnosisError("shapes_differ", f"before has shape {first.shape}, after has shape {second.shape}.")
    if first.ndim not in (2, 3, 4):
        raise DiagnosisError("rank", f"An array of 2, 3 or 4 axes was expected, found {first.ndim}.")
    if first.size == 0:
        raise DiagnosisError("empty", f"An array of shape {first.shape} holds no values.")
    if first.shape[-1] % 2:
        raise DiagnosisError("odd_width", f"The last axis must be even, to hold pairs, found {first.shape[-1]}.")
    shape = (1,) * (4 - first.ndim) + first.shape
    return first.reshape(shape), second.reshape(shape)


def _real(name: str, values: ArrayLike) -> Real:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise DiagnosisError("rank", f"{name} has rows of different lengths.") from error
    if array.dtype.kind not in "fiub":
        raise DiagnosisError("not_real", f"{name} must hold real numbers, found {array.dtype}.")
    if not np.isfinite(array).all():
        raise DiagnosisError("not_finite", f"{name} holds values that are not finite.")
    return array.astype(np.float64)


def checked_positions(positions: ArrayLike | None, batch: int, seq: int) -> Real | None:
    """Return positions as `(seq,)`; several rows, one for each sequence of the batch, must agree."""
    if positions is None:
        return None
    places = _real("positions", positions)
    if places.ndim == 2 and places.shape[0] in (1, batch) and (places == places[0]).all():
        places = places[0]
    if places.shape != (seq,):
        raise DiagnosisError("positions_shape", f"{seq} positions were expected, found an array of {places.shape}.")
    return places


def checked_head_counts(num_heads: int | None, num_kv_heads: int | None) -> None:
    """DiagnosisError unless the head counts are whole, at least 1, and the first is a multiple of the second."""
    counts = [count for count in (num_heads, num_kv_heads) if count is not None]
    whole = all(isinstance(count, int | np.integer) and count >= 1 for count in counts)
    if not whole or (num_heads and num_kv_heads and num_heads % num_kv_heads):
        raise DiagnosisError("head_counts", f"{num_heads} heads and {num_kv_heads} key heads do not go together.")


def precision(values: Real) -> str:
    """The coarsest format that holds every value exactly, whatever the array was widened to since."""
    bits = values.view(np.int64)
    for name, spare in SPARE_BITS.items():
        fits = name != "float16" or np.abs(values).max() <= LARGEST_FLOAT16
        if fits and not (bits & ((1 << spare) - 1)).any():
            return name
    return "float64"
