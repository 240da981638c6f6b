"""What a rotation must keep, whatever turns."""

import math

import numpy as np
import pytest
from hypothesis import given

from rope_core import inverse_frequencies, rotate, scores, scores_by_gap
from rope_core.rotation import LAYOUTS
from tests.rope_core.turnings import SEQ, factors, interleaved_to_half, positions, turnings

TOLERANCE = {"atol": 1e-9, "rtol": 0}
MANY = np.arange(SEQ)


def entries_of_pair(layout, pair, width):
    """Return where a pair is read and where it is written, from the definition of the layouts."""
    neighbours, halves = (2 * pair, 2 * pair + 1), (pair, pair + width // 2)
    return {
        "interleaved": (neighbours, neighbours),
        "half": (halves, halves),
        "interleaved_to_half": (neighbours, halves),
    }[layout]


@given(turnings(), positions, factors)
def test_each_pair_turns_counter_clockwise_by_position_times_frequency(turning, start, factor):
    turned = rotate(turning.x, start + MANY, turning.inv_freq, turning.layout, factor)
    for row, position in enumerate(range(start, start + SEQ)):
        for pair, frequency in enumerate(turning.inv_freq):
            (read_0, read_1), written = entries_of_pair(turning.layout, pair, turning.width)
            x0, x1, angle = turning.x[row, read_0], turning.x[row, read_1], position * float(frequency)
            expected = (
                factor * (x0 * math.cos(angle) - x1 * math.sin(angle)),
                factor * (x0 * math.sin(angle) + x1 * math.cos(angle)),
            )
            assert turned[row, list(written)] == pytest.approx(expected, abs=1e-12)


@given(turnings(), positions, factors)
def test_what_does_not_turn_passes_untouched(turning, start, factor):
    before = turning.x.copy()
    turned = rotate(turning.x, start + MANY, turning.inv_freq, turning.layout, factor)
    np.testing.assert_array_equal(turned[:, turning.width :], before[:, turning.width :])
    np.testing.assert_array_equal(turning.x, before)


@given(turnings(), positions, factors)
def test_length_is_kept_times_the_attention_factor(turning, start, factor):
    turned = rotate(turning.x, start + MANY, turning.inv_freq, turning.layout, factor)
    lengths = [np.linalg.norm(x[:, : turning.width], axis=-1) for x in (turning.x, turned)]
    np.testing.assert_allclose(lengths[1], factor * lengths[0], **TOLERANCE)


@given(turnings(), positions, positions, positions)
def test_only_the_gap_counts(turning, m, n, shift):
    one = scores(turning.x[0], turning.y[0], [m], [n], turning.inv_freq, turning.layout)
    other = scores(turning.x[0], turning.y[0], [m + shift], [n + shift], turning.inv_freq, turning.layout)
    np.testing.assert_allclose(one, other, **TOLERANCE)


@given(turnings(), positions)
def test_layouts_agree_after_permuting(turning, start):
    x, inv_freq, places = turning.x, turning.inv_freq, start + MANY
    interleaved = interleaved_to_half(rotate(x, places, inv_freq, "interleaved"), turning.width)
    half = rotate(interleaved_to_half(x, turning.width), places, inv_freq, "half")
    np.testing.assert_allclose(interleaved, half, **TOLERANCE)
    np.testing.assert_allclose(rotate(x, places, inv_freq, "interleaved_to_half"), half, **TOLERANCE)


@given(turnings(), factors)
def test_position_0_only_lengthens(turning, factor):
    moved = turning.layout == "interleaved_to_half"
    expected = interleaved_to_half(turning.x, turning.width) if moved else turning.x.copy()
    expected[:, : turning.width] *= factor
    np.testing.assert_array_equal(rotate(turning.x, 0, turning.inv_freq, turning.layout, factor), expected)


@given(turnings(), positions, positions)
def test_turning_twice_adds(turning, first, second):
    layout = "half" if turning.layout == "half" else "interleaved"
    twice = rotate(rotate(turning.x, first, turning.inv_freq, layout), second, turning.inv_freq, layout)
    np.testing.assert_allclose(twice, rotate(turning.x, first + second, turning.inv_freq, layout), **TOLERANCE)


@given(turnings(), positions, positions)
def test_scores_are_a_function_of_the_gap(turning, m, start):
    q, k, gaps = turning.x[0], turning.y[0], start + MANY
    by_gap = scores_by_gap(q, k, gaps, turning.inv_freq, turning.layout)
    row = scores(q, k, [m], m + gaps, turning.inv_freq, turning.layout)
    assert by_gap.shape == (SEQ,)
    np.testing.assert_allclose(by_gap, row[0], **TOLERANCE)


@given(turnings(), positions, positions)
def test_scores_are_dot_products_of_turned_vectors(turning, m, n):
    x, y, inv_freq, layout = turning.x, turning.y, turning.inv_freq, turning.layout
    table = scores(x, y, m + MANY, n + 2 * MANY, inv_freq, layout)
    for i, j in np.ndindex(SEQ, SEQ):
        query, key = rotate(x[i], m + i, inv_freq, layout), rotate(y[j], n + 2 * j, inv_freq, layout)
        assert table[i, j] == pytest.approx(math.fsum(query * key), abs=1e-9)


def test_gap_is_key_position_minus_query_position():
    q, k, inv_freq = [1.0, 0.0], [0.0, 1.0], [0.25]
    assert scores_by_gap(q, k, [2, -2], inv_freq) == pytest.approx([-math.sin(0.5), math.sin(0.5)])
    assert scores(q, k, [10], [12], inv_freq)[0, 0] == pytest.approx(-math.sin(0.5))


def test_one_query_and_one_key_serve_all_positions():
    q, k, inv_freq = np.arange(4.0), np.ones(4), inverse_frequencies(4)
    table = scores(np.tile(q, (3, 1)), np.tile(k, (2, 1)), [0, 1, 2], [5, 6], inv_freq)
    assert table.shape == (3, 2)
    np.testing.assert_array_equal(scores(q, k, [0, 1, 2], [5, 6], inv_freq), table)
    np.testing.assert_array_equal(scores(q[np.newaxis], k[np.newaxis], [0, 1, 2], [5, 6], inv_freq), table)
    np.testing.assert_array_equal(scores_by_gap(q[np.newaxis], k, [5], inv_freq), table[0, :1])


def test_heads_are_kept():
    q, k = np.random.default_rng(0).standard_normal((2, 5, 3, 4))
    inv_freq = inverse_frequencies(4)
    table = scores(q, k, MANY, MANY, inv_freq)
    assert table.shape == (5, 3, 3)
    np.testing.assert_allclose(table[4], scores(q[4], k[4], MANY, MANY, inv_freq))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_of_each_batch_serve_all_its_heads(layout):
    x = np.random.default_rng(1).standard_normal((2, 2, 3, 6))
    places, inv_freq = np.array([[0, 1, 2], [70, 80, 90]]), inverse_frequencies(4)
    turned = rotate(x, places, inv_freq, layout)
    for batch, head in np.ndindex(2, 2):
        np.testing.assert_array_equal(turned[batch, head], rotate(x[batch, head], places[batch], inv_freq, layout))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_frequency_turns_nothing(layout):
    x = np.arange(6.0).reshape(2, 3)
    turned = rotate(x, [4, 5], [], layout, 2.0)
    np.testing.assert_array_equal(turned, x)
    assert not np.shares_memory(turned, x)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("given_dtype", "returned"), [("f2", "f2"), ("f4", "f4"), ("f8", "f8"), ("i4", "f8"), ("?", "f8")]
)
def test_the_dtype_stays_and_whole_numbers_become_float64(layout, given_dtype, returned):
    x = np.ones((3, 5), given_dtype)
    assert rotate(x, MANY, inverse_frequencies(4), layout).dtype == returned


@pytest.mark.parametrize("layout", LAYOUTS)
def test_angles_are_float64_even_for_small_dtypes(layout):
    places, inv_freq = [131_071], inverse_frequencies(4)
    x = np.array([[1.0, 0.5, -0.25, 2.0]])
    exact = rotate(x, places, inv_freq, layout)
    np.testing.assert_allclose(rotate(x.astype("f4"), places, inv_freq, layout), exact, atol=1e-6)
    np.testing.assert_allclose(rotate(x.astype("f2"), places, inv_freq, layout), exact, atol=2e-3)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_order_does_not_matter(layout):
    x = np.random.default_rng(2).standard_normal((3, 2, 7)).astype("f4")
    reordered = np.asfortranarray(x)[:, ::-1][..., ::-1]
    np.testing.assert_array_equal(
        rotate(reordered, [5, 6], inverse_frequencies(6), layout),
        rotate(reordered.copy(), [5, 6], inverse_frequencies(6), layout),
    )


GOOD = {"x": np.ones((2, 4)), "positions": [0, 1], "inv_freq": [1.0, 0.01], "layout": "half", "attention_factor": 1.0}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"layout": "halves"}, "layout must be one of interleaved, half, interleaved_to_half, got 'halves'"),
        ({"positions": [0, 1, 2]}, r"shape \(3,\) do not fit the leading axes \(2,\)"),
        ({"positions": [[0, 1]]}, r"shape \(1, 2\) do not fit"),
        ({"positions": [0, math.nan]}, "positions must be finite numbers, got nan"),
        ({"positions": [0, math.inf]}, "positions must be finite numbers, got inf"),
        ({"positions": None}, "positions must be finite numbers"),
        ({"positions": "banana"}, "positions must be finite numbers, got 'banana'"),
        ({"inv_freq": [1.0, math.inf]}, "inv_freq must be finite numbers, got inf"),
        ({"inv_freq": [[1.0]]}, r"inv_freq must be one-dimensional, got shape \(1, 1\)"),
        ({"inv_freq": 1.0}, r"inv_freq must be one-dimensional, got shape \(\)"),
        ({"inv_freq": [1.0, 1.0, 1.0]}, "3 frequencies turn 6 entries, but head_dim is 4"),
        ({"attention_factor": math.nan}, "attention_factor must be a finite number, got nan"),
        ({"attention_factor": "1"}, "attention_factor must be a finite number, got '1'"),
        ({"x": 1.0}, r"x must be an array of real numbers, got float64 of shape \(\)"),
        ({"x": np.ones((2, 4)) * 1j}, "x must be an array of real numbers, got complex128"),
        ({"x": [["a", "b"]]}, "x must be an array of real numbers, got <U1"),
    ],
)
def test_bad_input_is_named(bad, message):
    rotate(**GOOD)
    with pytest.raises(ValueError, match=message):
        rotate(**GOOD | bad)


GOOD_SCORES = {
    "q": np.ones((2, 4)),
    "k": np.ones(4),
    "query_positions": [0, 1],
    "key_positions": [3],
    "inv_freq": [1.0],
}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"k": np.ones(6)}, r"q and k must share head_dim, got shapes \(2, 4\) and \(6,\)"),
        ({"query_positions": [0, 1, 2]}, "3 positions do not fit 2 vectors"),
        ({"query_positions": [0]}, "1 positions do not fit 2 vectors"),
        ({"key_positions": 3}, r"key_positions must be one-dimensional, got shape \(\)"),
        ({"key_positions": [math.nan]}, "key_positions must be finite numbers, got nan"),
        ({"layout": "neox"}, "layout must be one of .*'neox'"),
    ],
)
def test_bad_scores_are_named(bad, message):
    scores(**GOOD_SCORES)
    with pytest.raises(ValueError, match=message):
        scores(**GOOD_SCORES | bad)


def test_scores_by_gap_takes_one_vector_each():
    with pytest.raises(ValueError, match=r"one vector each, got shapes \(2, 4\) and \(4,\)"):
        scores_by_gap(np.ones((2, 4)), np.ones(4), [0], [1.0])
