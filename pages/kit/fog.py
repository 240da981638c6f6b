"""The game of the last chapter: words at a hidden place, their scores, and what can be told from them."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.kit import link
from rope_core import inverse_frequencies, sinusoidal
from rope_core.whereabouts import gaps_from_scores, scores_at_shifts

Array = NDArray[np.float64]
WIDTH, BASE = link.DIMENSION.default, link.BASE.default
COUNT = 9  # words of the sentence that stand in the fog
PLACES = np.arange(link.M.high - COUNT + 1)  # where the first of them may stand
CANDIDATES = np.arange(-64, 65)
ADDRESS_LENGTH = 0.5


def hidden_place(game: int) -> int:
    """Where the first word stands in this round."""
    return int(np.random.default_rng(game).integers(len(PLACES)))


@st.cache_resource(max_entries=8, show_spinner=False)
def _queries_and_keys(words: tuple[str, ...]) -> tuple[Array, Array]:
    """A query and a key of length 1 for every word, random with a fixed seed, the same word the same numbers."""
    draw = np.random.default_rng(WIDTH)
    vectors = {word: draw.standard_normal((2, WIDTH)) for word in dict.fromkeys(words)}
    both = np.array([vectors[word] for word in words])
    both /= np.linalg.norm(both, axis=-1, keepdims=True)
    return both[:, 0], both[:, 1]


def score_table(words: tuple[str, ...], place: int) -> Array:
    """RoPE's score of every word with every word, the first at `place`."""
    q, k = _queries_and_keys(words)
    return scores_at_shifts(q, k, np.arange(COUNT), [place], inverse_frequencies(WIDTH, BASE)).reshape(COUNT, COUNT)


def gaps_found(words: tuple[str, ...], place: int) -> Array:
    """Every gap, recovered from the scores alone."""
    q, k = _queries_and_keys(words)
    return gaps_from_scores(score_table(words, place), q, k, CANDIDATES, inverse_frequencies(WIDTH, BASE))


@st.cache_data(max_entries=32, show_spinner=False)
def misfits(words: tuple[str, ...], place: int) -> tuple[Array, Array]:
    """For every place: how far its score table is from the one seen, at most; with RoPE and with an added address."""
    q, k = _queries_and_keys(words)
    steps = np.arange(COUNT)
    rope = scores_at_shifts(q, k, steps, PLACES, inverse_frequencies(WIDTH, BASE))
    addresses = sinusoidal(np.add.outer(PLACES, steps), WIDTH, BASE) * (ADDRESS_LENGTH / np.sqrt(WIDTH / 2))
    added = (q + addresses) @ np.swapaxes(k + addresses, -1, -2)
    far = (np.abs(tables - tables[place]).max(axis=(1, 2)) for tables in (rope, added))
    return next(far), next(far)


def blind_miss() -> float:
    """How far off one is on average who always names the middle."""
    return float(np.abs(PLACES - len(PLACES) // 2).mean())
