"""What can be told from scores alone: every gap, and no place."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rope_core.checks import finite_array, finite_vector
from rope_core.rotation import rotate, scores_by_gap


def scores_at_shifts(
    q: ArrayLike, k: ArrayLike, positions: ArrayLike, shifts: ArrayLike, inv_freq: ArrayLike
) -> NDArray[np.float64]:
    """Return the score table of the same words at every shift, `(shifts, words, words)`.

    q, k: `(words, head_dim)`, read interleaved; positions `(words,)` and shifts `(shifts,)` in tokens; inv_freq in
    radians per token. ValueError for shapes that do not fit or values that are not finite.
    """
    places = np.add.outer(finite_vector("shifts", shifts), finite_vector("positions", positions))
    turned = []
    for name, vectors in (("q", q), ("k", k)):
        array = finite_array(name, vectors)
        if array.ndim != 2 or len(array) != places.shape[1]:
            raise ValueError(f"{name} must be one vector for each of {places.shape[1]} positions, got {array.shape}")
        turned.append(rotate(np.broadcast_to(array, (*places.shape, array.shape[-1])), places, inv_freq))
    return np.asarray(turned[0] @ np.swapaxes(turned[1], -1, -2))


def gaps_from_scores(
    table: ArrayLike, q: ArrayLike, k: ArrayLike, candidates: ArrayLike, inv_freq: ArrayLike
) -> NDArray[np.float64]:
    """Return, for every score of a table, the candidate gap whose score comes closest to it, `(words, words)`.

    table: scores `(words, words)` of the words q and k `(words, head_dim)`, read interleaved; candidates in tokens.
    ValueError for shapes that do not fit or values that are not finite.
    """
    queries, keys, found = finite_array("q", q), finite_array("k", k), finite_array("table", table)
    if found.shape != (len(queries), len(keys)):
        raise ValueError(f"table must be {(len(queries), len(keys))}, a score for each q and k, got {found.shape}")
    gaps = finite_vector("candidates", candidates)
    result = np.empty(found.shape)
    for i, query in enumerate(queries):
        for j, key in enumerate(keys):
            result[i, j] = gaps[np.argmin(np.abs(scores_by_gap(query, key, gaps, inv_freq) - found[i, j]))]
    return result
