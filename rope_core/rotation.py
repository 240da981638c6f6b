"""The rotation of query and key, and the scores it leaves.

A pair (x0, x1) at position p turns counter-clockwise by the angle p·inv_freq:
(x0·cos − x1·sin, x0·sin + x1·cos), which is (x0 + i·x1)·exp(i·p·inv_freq) in complex numbers.
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rope_core.checks import aligned_shape, check_rotary_width, finite_array, finite_number, finite_vector

Layout = Literal["interleaved", "half", "interleaved_to_half"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)


def check_layout(layout: str) -> None:
    """ValueError unless `layout` is one of LAYOUTS."""
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")


def rotate(
    x: ArrayLike,
    positions: ArrayLike,
    inv_freq: ArrayLike,
    layout: Layout = "interleaved",
    attention_factor: float = 1.0,
) -> NDArray[Any]:
    """Return `x` with each pair turned by position · frequency and lengthened by attention_factor.

    x: `(..., seq, head_dim)`. The first 2·len(inv_freq) entries turn, the rest pass untouched.
    positions: tokens, whole or not, `(seq,)` or with axes before it that line up with the first axes of x, so
    that `(batch, seq)` serves an x of `(batch, heads, seq, head_dim)`; a single number serves all of x.
    inv_freq: `(pairs,)`, radians per token. Angles are float64 whatever the dtype of x.
    layout: which entries make a pair: `interleaved` (2i, 2i+1), `half` (i, i + rotary_dim/2), or
    `interleaved_to_half`, which reads the first way and writes the second.
    The result is a new array of x's shape and floating dtype; whole numbers become float64.
    ValueError for shapes that do not fit, an unknown layout, values that are not finite, an x that is not real.
    """
    check_layout(layout)
    source = _real_array("x", x)
    frequencies = finite_vector("inv_freq", inv_freq)
    check_rotary_width(len(frequencies), source.shape[-1])
    places = finite_array("positions", positions)
    angles = places.reshape(aligned_shape(places.shape, source.shape[:-1]))[..., np.newaxis] * frequencies
    turns = finite_number("attention_factor", attention_factor) * (np.cos(angles) + 1j * np.sin(angles))
    return _turn(source, turns, layout).astype(source.dtype, copy=False)


def scores(
    q: ArrayLike,
    k: ArrayLike,
    query_positions: ArrayLike,
    key_positions: ArrayLike,
    inv_freq: ArrayLike,
    layout: Layout = "interleaved",
) -> NDArray[Any]:
    """Return the dot product of every turned query with every turned key, `(queries, keys)`.

    q: `(queries, head_dim)`, or `(head_dim,)` or `(1, head_dim)` for one query at all query_positions
    `(queries,)`; k likewise.
    Axes before these (heads) are kept. Positions in tokens, inv_freq in radians per token.
    ValueError as in `rotate`, and if q and k differ in head_dim.
    """
    queries, keys = _real_array("q", q), _real_array("k", k)
    if queries.shape[-1] != keys.shape[-1]:
        raise ValueError(f"q and k must share head_dim, got shapes {queries.shape} and {keys.shape}")
    turned_queries = _rotate_each(queries, finite_vector("query_positions", query_positions), inv_freq, layout)
    turned_keys = _rotate_each(keys, finite_vector("key_positions", key_positions), inv_freq, layout)
    return np.asarray(turned_queries @ np.swapaxes(turned_keys, -1, -2))


def scores_by_gap(
    q: ArrayLike, k: ArrayLike, gaps: ArrayLike, inv_freq: ArrayLike, layout: Layout = "interleaved"
) -> NDArray[Any]:
    """Return the score of one query and one key as a function of the gap alone, `(gaps,)`.

    gap = key position − query position, in tokens, negative for earlier keys: entry j is
    `scores(q, k, [m], [m + gaps[j]])` for every m. q and k: `(head_dim,)`. ValueError as in `scores`.
    """
    query, key = _real_array("q", q), _real_array("k", k)
    if query.size != query.shape[-1] or key.size != key.shape[-1]:
        raise ValueError(f"q and k must be one vector each, got shapes {query.shape} and {key.shape}")
    # R(m)ᵀR(n) = R(n − m): the query may stay at 0 while the key turns by the gap.
    return scores(query.ravel(), key.ravel(), [0.0], gaps, inv_freq, layout).ravel()


def _turn(x: NDArray[Any], turns: NDArray[Any], layout: Layout) -> NDArray[Any]:
    """Return `x` in C order, in float32 or wider, with its first entries turned: a pair times a complex number."""
    x = np.ascontiguousarray(x, dtype=np.result_type(x, np.float32))
    turns = turns.astype(np.result_type(x, np.complex64), copy=False)
    turned = np.empty_like(x)
    half, width = turns.shape[-1], 2 * turns.shape[-1]
    turned[..., width:] = x[..., width:]
    if layout == "interleaved":
        np.multiply(x[..., :width].view(turns.dtype), turns, out=turned[..., :width].view(turns.dtype))
        return turned
    if layout == "half":
        pairs = np.empty((*x.shape[:-1], half), turns.dtype)
        pairs.real, pairs.imag = x[..., :half], x[..., half:width]
        pairs *= turns
    else:
        pairs = x[..., :width].view(turns.dtype) * turns
    turned[..., :half], turned[..., half:width] = pairs.real, pairs.imag
    return turned


def _real_array(name: str, x: ArrayLike) -> NDArray[Any]:
    """Return `x` as a floating array of at least one axis; ValueError if it does not hold real numbers."""
    array = np.asarray(x)
    if array.dtype.kind in "bui":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.ndim == 0:
        raise ValueError(f"{name} must be an array of real numbers, got {array.dtype} of shape {array.shape}")
    return array


def _rotate_each(x: NDArray[Any], places: NDArray[np.float64], inv_freq: ArrayLike, layout: Layout) -> NDArray[Any]:
    """Turn `x`, `(..., seq, head_dim)` or one vector for all, at the places `(seq,)`."""
    if x.ndim == 1 or x.shape[-2] == 1:
        x = np.broadcast_to(x, (*x.shape[:-2], len(places), x.shape[-1]))
    if x.shape[-2] != len(places):
        raise ValueError(f"{len(places)} positions do not fit {x.shape[-2]} vectors, one position each was expected")
    return rotate(x, places, inv_freq, layout)
