"""Slips at the door in numbers: the demonstration's query and key turned rightly, and in every wrong way."""

import numpy as np

from pages.kit import link
from rope_core import inverse_frequencies, rotate, scores, scores_by_gap
from rope_core.demo import demo_pair

M, N, WIDTH, BASE = link.M.default, link.N.default, link.DIMENSION.default, link.BASE.default
FURTHER = 100  # places that a sentence is carried on
# A model that turns a part of each head: GPT-NeoX-20B.
HEAD_DIM, ROTARY_DIM = 96, 24


def layouts() -> dict[str, float]:
    """One score in either layout, on entries in the right order and not, and with layouts mixed at three places."""
    (q, k), inv_freq = demo_pair(WIDTH), inverse_frequencies(WIDTH, BASE)
    moved = np.arange(WIDTH).reshape(-1, 2).T.ravel()  # the firsts of all pairs, then the seconds
    found = {
        "right": scores(q, k, [M], [N], inv_freq)[0, 0],
        "permuted": scores(q[moved], k[moved], [M], [N], inv_freq, "half")[0, 0],
        "not_permuted": scores(q, k, [M], [N], inv_freq, "half")[0, 0],
    }
    for shift in range(3):
        query, key = rotate(q[np.newaxis], M + shift, inv_freq), rotate(k[np.newaxis], N + shift, inv_freq, "half")
        found[f"mixed_{shift}"] = np.vecdot(query, key)[0]
    return {name: float(score) for name, score in found.items()}


def places() -> dict[str, float]:
    """The score with the key turned a second time, and with the query counted from 0 again."""
    (q, k), inv_freq = demo_pair(WIDTH), inverse_frequencies(WIDTH, BASE)
    twice, afresh = scores(q, k, [M, 0], [2 * N, N], inv_freq).diagonal()
    return {"m": M, "n": N, "gap": N - M, "twice_n": 2 * N, "twice_gap": 2 * N - M, "twice": twice, "afresh": afresh}


def value() -> dict[str, float]:
    """How alike a value is to itself FURTHER places on, were it turned too."""
    v = demo_pair(WIDTH)[1]
    return {"further": FURTHER, "value": scores_by_gap(v, v, [FURTHER], inverse_frequencies(WIDTH, BASE))[0]}


def part() -> dict[str, float]:
    """The slowest rate of a part of a head: by the part's own width, and wrongly by the head's."""
    by_head = BASE ** (-(ROTARY_DIM - 2) / HEAD_DIM)
    right = inverse_frequencies(ROTARY_DIM, BASE)[-1]
    return {"head_dim": HEAD_DIM, "rotary_dim": ROTARY_DIM, "part_right": right, "part_wrong": by_head}
