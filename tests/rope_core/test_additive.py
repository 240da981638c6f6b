import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rope_core import additive_terms, sinusoidal
from tests.rope_core.turnings import bases, positions

vectors = arrays(np.float64, (4, 6), elements=st.floats(-8, 8, width=32))


@given(positions, st.integers(1, 16), bases)
def test_sine_on_even_entries_and_cosine_on_odd(position, pairs, base):
    address = sinusoidal([position], 2 * pairs, base)
    assert address.shape == (1, 2 * pairs)
    for entry in range(2 * pairs):
        angle = position / base ** (2 * (entry // 2) / (2 * pairs))
        assert address[0, entry] == pytest.approx((math.cos if entry % 2 else math.sin)(angle), abs=1e-11)


def test_addresses_take_the_shape_of_the_positions():
    assert sinusoidal(3, 4).tolist() == pytest.approx([math.sin(3), math.cos(3), math.sin(0.03), math.cos(0.03)])
    assert sinusoidal([[0, 1, 2]], 4).shape == (1, 3, 4)


@given(vectors)
def test_the_four_terms_sum_to_the_score(four):
    x_m, x_n, p_m, p_n = four
    assert math.fsum(additive_terms(x_m, x_n, p_m, p_n)) == pytest.approx((x_m + p_m) @ (x_n + p_n), abs=1e-9)


def test_each_term_has_its_name():
    terms = additive_terms(x_m=[1, 0], x_n=[2, 3], p_m=[0, 10], p_n=[100, 0])
    assert terms._asdict() == {
        "content_content": 2,
        "content_position": 100,
        "position_content": 30,
        "position_position": 0,
    }


def test_a_whole_table_of_positions_at_once():
    addresses = sinusoidal(range(5), 6)
    terms = additive_terms(np.ones(6), np.ones(6), addresses[:, np.newaxis], addresses)
    assert terms.position_position.shape == (5, 5)
    assert terms.position_position[1, 4] == pytest.approx(addresses[1] @ addresses[4])
    assert terms.position_content.shape == (5, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sinusoidal([0], 5), "^dim must be an even whole number of at least 2, got 5"),
        (lambda: sinusoidal([0], 4, base=-1), "base must be greater than 0, got -1"),
        (lambda: sinusoidal([math.inf], 4), "positions must be finite numbers, got inf"),
        (lambda: additive_terms([1, 2], [1, 2], [1], [1, 2]), r"share their last axis, got .*p_m \(1,\)"),
        (lambda: additive_terms(1, 1, 1, 1), r"share their last axis, got x_m \(\)"),
        (
            lambda: additive_terms(np.ones((2, 3)), np.ones((4, 3)), *np.ones((2, 3))),
            r"must broadcast, got x_m \(2, 3\)",
        ),
        (lambda: additive_terms([math.nan], [1], [1], [1]), "x_m must be finite numbers, got nan"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
