"""Precision: FACTS of other people's measurements come out again, and the arithmetic is torch's."""

import math

import numpy as np
import pytest
import torch

from rope_core import inverse_frequencies, rotate
from rope_core import precision as p

GAP = -5
SHIFTS = np.unique(np.geomspace(1, 2**20, 121).round().astype(int))


def errors(shifts: list[int], dtype: str, angles: str, gap: int = GAP) -> list[float]:
    return p.score_errors(gap, shifts, dtype, angles).tolist()


# ---------------------------------------------------------------- the measurement is what it says


def test_float64_scores_are_those_of_the_numpy_core() -> None:
    q, k = (x.numpy()[:, 0] for x in p.content())
    inv_freq = inverse_frequencies(p.HEAD_DIM)
    for gap, shift in ((-5, 0), (-5, 1000), (7, 123_456), (0, 2**20)):
        m, n = shift + max(0, -gap), shift + max(0, gap)
        turned = [rotate(x[:, None], [at], inv_freq)[:, 0] for x, at in ((q, m), (k, n))]
        wanted = (turned[0] * turned[1]).sum(-1) / math.sqrt(128)
        assert p.scores(gap, [shift], "float64", "own")[:, 0].numpy() == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("gap", [-5, 0, 256])
def test_the_earlier_of_the_two_stands_at_the_shift(gap: int) -> None:
    m, n = p.places_of(gap, [0, 9, 2**20])
    assert (n - m).tolist() == [gap] * 3
    assert np.minimum(m, n).tolist() == [0, 9, 2**20]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_own_angles_are_torchs_and_rounded_at_every_step(dtype: str) -> None:
    kind = p.DTYPES[dtype]
    inv_freq = torch.from_numpy(inverse_frequencies(8))
    cos, sin = p.own_cos_sin([0, 1, 257, 3001], inv_freq, kind)
    assert cos.dtype == sin.dtype == kind
    for row, position in enumerate((0, 1, 257, 3001)):
        for pair, rate in enumerate(inv_freq.tolist()):
            angle = torch.tensor(position).to(kind) * torch.tensor(rate, dtype=torch.float64).to(kind)
            assert cos[row, pair] == torch.cos(angle)
            assert sin[row, pair] == torch.sin(angle)


def test_content_has_the_spread_of_normal_numbers_and_is_the_same_every_time() -> None:
    q, k = p.content()
    assert q.shape == k.shape == (p.HEADS, 1, p.HEAD_DIM)
    assert abs(float(q.std()) - 1) < 0.02
    assert torch.equal(q, p.content()[0])
    # of normal numbers the mean size is √(2/π), about 0.80
    assert p.typical_score(GAP) == pytest.approx(math.sqrt(2 / math.pi), rel=0.1)


# ---------------------------------------------------------------- what is stated about precision


def test_float32_grows_with_the_position() -> None:
    """0.00002 at 4,096 and 0.0005 at 131,072, to the one digit in which all draws of q and k agree."""
    at_4096, at_131k = errors([4096, 131_072], "float32", "own")
    assert f"{at_4096:.0e}" == "2e-05"
    assert f"{at_131k:.0e}" == "5e-04"
    assert errors([4096, 131_072], "float32", "float32") == [at_4096, at_131k]


def test_bfloat16_with_float32_angles_is_flat() -> None:
    found = errors([0, 256, 4096, 16_384, 131_072], "bfloat16", "float32")
    assert all(0.0023 < error < 0.0045 for error in found)


def test_bfloat16_with_angles_of_its_own_loses_the_score_within_a_page() -> None:
    at_256, *late = errors([256, 4096, 16_384, 131_072, 2**20], "bfloat16", "own")
    assert 0.2 < at_256 < 0.25
    assert all(0.5 < error < 0.6 for error in late)


def test_float16_is_an_eighth_of_bfloat16_and_lasts_eight_times_as_long() -> None:
    """Three digits more: the flat error is an eighth, and what happens at m in bfloat16 happens at 8m."""
    fine, coarse = errors([256], "float16", "float32")[0], errors([256], "bfloat16", "float32")[0]
    assert coarse / fine == pytest.approx(8, rel=0.2)
    early, late = errors([512], "bfloat16", "own")[0], errors([4096], "float16", "own")[0]
    assert late == pytest.approx(early, rel=0.5)


def test_float64_keeps_to_the_gap_and_float32_angles_cost_it_its_digits() -> None:
    assert errors([2**20], "float64", "own")[0] < 2e-11
    own, wide = errors([2**20], "float32", "own")[0], errors([2**20], "float64", "float32")[0]
    assert wide == pytest.approx(own, rel=0.01)


def test_at_gap_0_there_is_nothing_to_lose() -> None:
    """Both are turned by the same wrong angle."""
    assert errors([2**20], "bfloat16", "own", gap=0)[0] < 0.005


def test_float16_positions_end_at_65504() -> None:
    assert p.as_read([65_504, 65_519, 65_520], "float16").tolist() == [65_504, 65_504, math.inf]
    found = errors([65_504 - 5, 65_519 - 5, 65_520 - 5, 2**20], "float16", "own")
    assert np.isfinite(found).tolist() == [True, True, False, False]
    assert np.isfinite(errors([65_520, 2**20], "float16", "float32")).all()


def test_a_reported_float16_table_is_off_by_as_much_as_reported() -> None:
    """0.78: the largest error of a cosine over 2,048 positions at 64 dimensions (gpt-neox#1003)."""
    inv_freq = inverse_frequencies(64)
    cos, _ = p.own_cos_sin(np.arange(2048), torch.from_numpy(inv_freq), torch.float16)
    true = np.cos(np.arange(2048)[:, None] * inv_freq)
    assert f"{np.abs(cos.double().numpy() - true).max():.2f}" == "0.78"


# ---------------------------------------------------------------- positions


@pytest.mark.parametrize(("dtype", "count"), [("bfloat16", 769), ("float16", 3073), ("float32", 4096)])
def test_distinct_positions_among_4096(dtype: str, count: int) -> None:
    assert p.distinct(4096, dtype) == count
    assert len({float(torch.tensor(m).to(p.DTYPES[dtype])) for m in range(4096)}) == count


def test_positions_that_float16_does_not_hold_are_not_told_apart() -> None:
    assert p.distinct(2**20, "float16") == p.distinct(65_505, "float16") == 2048 + 5 * 1024


@pytest.mark.parametrize(("dtype", "first"), [("bfloat16", 256), ("float16", 2048), ("float32", 2**24)])
def test_the_first_collision_is_the_first_of_all(dtype: str, first: int) -> None:
    assert p.first_collision(dtype) == first
    read = torch.arange(first + 2, dtype=torch.int32).to(p.DTYPES[dtype])
    assert torch.nonzero(read[1:] == read[:-1])[:, 0].tolist() == [first]


def test_the_first_collision_of_float64_is_beyond_every_document() -> None:
    assert p.first_collision("float64") == 2**53
    assert float(2**53) == float(2**53 + 1) != float(2**53 - 1)


def test_positions_become_others_in_bfloat16() -> None:
    assert p.as_read([256, 257, 258, 15_962, 2**20], "bfloat16").tolist() == [256, 256, 258, 15_936, 2**20]


def test_all_of_it_at_once_says_the_same() -> None:
    shares: list[float] = []
    found = p.run(shares.append, GAP, SHIFTS)
    assert shares == sorted(shares)
    assert {name: part.shape for name, part in found.items()} == {
        "errors": (2, 4, len(SHIFTS)),
        "read": (4, 2, len(SHIFTS)),
        "typical": (),
    }
    for row, angles in enumerate(p.ANGLES):
        for column, dtype in enumerate(p.DTYPES):
            wanted = p.score_errors(GAP, SHIFTS, dtype, angles)
            assert np.array_equal(found["errors"][row, column], wanted, equal_nan=True)
    assert np.array_equal(found["read"][2][0], p.as_read(SHIFTS + 5, "bfloat16"))
    assert found["typical"] == p.typical_score(GAP)
