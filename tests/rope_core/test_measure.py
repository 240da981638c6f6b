import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rope_core import additive_terms, diagonal_spread, inverse_frequencies, mean_cosine, scores, sinusoidal
from rope_core.demo import demo_pair
from tests.rope_core.turnings import bases, layouts, positions

matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6), elements=st.floats(-9, 9))


@given(matrices)
def test_the_spread_is_the_widest_along_any_gap(matrix):
    by_gap = {}
    for (m, n), value in np.ndenumerate(matrix):
        by_gap.setdefault(n - m, []).append(value)
    assert diagonal_spread(matrix) == max(max(values) - min(values) for values in by_gap.values())


@given(st.integers(1, 128), bases, layouts, st.integers(0, 4096 - 31))
def test_rope_scores_spread_by_rounding_only(pairs, base, layout, start):
    q, k = demo_pair(2 * pairs)
    places = start + np.arange(32)
    table = scores(q, k, places, places, inverse_frequencies(2 * pairs, base), layout)
    assert diagonal_spread(table) < 1e-9


@given(st.integers(1, 128), bases, st.integers(0, 4096 - 31))
def test_additive_scores_spread(pairs, base, start):
    q, k = demo_pair(2 * pairs)
    addresses = sinusoidal(start + np.arange(32), 2 * pairs, base)
    assert diagonal_spread(sum(additive_terms(q, k, addresses[:, np.newaxis], addresses))) > 1e-3


@given(st.integers(1, 32), bases, positions)
def test_mean_cosine_is_the_score_of_a_vector_with_itself(pairs, base, gap):
    inv_freq = inverse_frequencies(2 * pairs, base)
    vector = np.full(2 * pairs, 1 / math.sqrt(2 * pairs))
    assert mean_cosine([gap, 0], inv_freq) == pytest.approx([scores(vector, vector, [gap], [0], inv_freq)[0, 0], 1.0])


@given(st.integers(1, 128))
def test_the_demonstration_is_the_same_each_time_and_of_length_1(pairs):
    q, k = demo_pair(2 * pairs)
    assert q.shape == k.shape == (2 * pairs,)
    assert (math.hypot(*q), math.hypot(*k)) == pytest.approx((1.0, 1.0))
    assert abs(q @ k) < 1 - 1e-6
    np.testing.assert_array_equal(demo_pair(2 * pairs), (q, k))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diagonal_spread([1.0, 2.0]), r"two axes of at least 2 positions, got shape \(2,\)"),
        (lambda: diagonal_spread(np.ones((1, 5))), r"two axes of at least 2 positions, got shape \(1, 5\)"),
        (lambda: diagonal_spread(np.ones((2, 2, 2))), r"two axes of at least 2 positions, got shape \(2, 2, 2\)"),
        (lambda: diagonal_spread([[1.0, math.nan], [0.0, 1.0]]), "matrix must be finite numbers, got nan"),
        (lambda: mean_cosine([1], []), "at least one frequency, got none"),
        (lambda: mean_cosine([math.nan], [1.0]), "gaps must be finite numbers, got nan"),
        (lambda: mean_cosine(3, [1.0]), r"gaps must be one-dimensional, got shape \(\)"),
        (lambda: demo_pair(3), "rotary_dim must be an even whole number of at least 2, got 3"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
