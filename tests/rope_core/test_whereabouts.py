"""From scores alone every gap can be told and no place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rope_core import inverse_frequencies, scores
from rope_core.whereabouts import gaps_from_scores, scores_at_shifts

WORDS, WIDTH = 5, 16
POSITIONS = np.array([0, 1, 2, 5, 9])
RATES = inverse_frequencies(WIDTH, 500.0)


def vectors(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((2, WORDS, WIDTH))


@given(seed=st.integers(0, 2**32), shift=st.integers(-5_000, 5_000))
def test_every_shift_has_the_table_of_scores(seed: int, shift: int) -> None:
    q, k = vectors(seed)
    (table,) = scores_at_shifts(q, k, POSITIONS, [shift], RATES)
    assert table == pytest.approx(scores(q, k, POSITIONS + shift, POSITIONS + shift, RATES), abs=1e-12)


@given(seed=st.integers(0, 2**32))
def test_no_shift_can_be_told_from_another(seed: int) -> None:
    q, k = vectors(seed)
    tables = scores_at_shifts(q, k, POSITIONS, [0, 1, 77, 4096], RATES)
    assert np.ptp(tables, axis=0).max() < 1e-9


@given(seed=st.integers(0, 2**32), shift=st.integers(0, 4_000))
def test_every_gap_can_be_told(seed: int, shift: int) -> None:
    q, k = vectors(seed)
    (table,) = scores_at_shifts(q, k, POSITIONS, [shift], RATES)
    found = gaps_from_scores(table, q, k, np.arange(-12, 13), RATES)
    assert found.tolist() == (POSITIONS[np.newaxis, :] - POSITIONS[:, np.newaxis]).tolist()


def test_what_does_not_fit_is_refused() -> None:
    q, k = vectors(0)
    with pytest.raises(ValueError, match="q must be one vector for each of 3 positions"):
        scores_at_shifts(q, k, [0, 1, 2], [0], RATES)
    with pytest.raises(ValueError, match="shifts"):
        scores_at_shifts(q, k, POSITIONS, [np.inf], RATES)
    with pytest.raises(ValueError, match="table must be"):
        gaps_from_scores(np.zeros((2, 2)), q, k, [0, 1], RATES)
