"""The numbers that the pages say aloud, computed again."""

import math

import numpy as np
import pytest

from rope_core import (
    additive_terms,
    diagonal_spread,
    inverse_frequencies,
    mean_cosine,
    rotate,
    scores,
    scores_by_gap,
    sinusoidal,
    wavelengths,
)
from rope_core.demo import demo_pair

LLAMA_2 = inverse_frequencies(128)
GAP, SHIFTS = 5, np.arange(1001)


class TestAnAddedAddress:
    """Dimension 64, one content each side, gap 5, both shifted by 0 to 1,000."""

    queries, keys = sinusoidal(SHIFTS, 64), sinusoidal(SHIFTS + GAP, 64)

    def test_unprojected_addresses_compare_by_the_gap_alone(self):
        term = additive_terms(np.zeros(64), np.zeros(64), self.queries, self.keys).position_position
        assert term.mean() == pytest.approx(23.50, abs=0.005)
        assert term.std() < 1e-13

    def test_projections_leave_one_term_of_four_at_rest(self):
        spreads = []
        for seed in range(20):
            random = np.random.default_rng(seed)
            x_m, x_n = random.standard_normal((2, 64))
            w_q, w_k = random.standard_normal((2, 64, 64)) / math.sqrt(64)
            terms = additive_terms(w_q @ x_m, w_k @ x_n, self.queries @ w_q.T, self.keys @ w_k.T)
            spreads.append([np.std(term) for term in terms])
        content, *addressed = np.mean(spreads, axis=0)
        assert content == 0
        assert all(3 < spread < 5.3 for spread in addressed)

    def test_rotation_leaves_nothing_but_rounding(self):
        q, k = np.random.default_rng(0).standard_normal((2, 64))
        inv_freq = inverse_frequencies(64)
        shifts = np.unique(np.geomspace(1, 1e6, 2000).astype(int))
        turned_q, turned_k = (rotate(np.tile(x, (len(shifts), 1)), shifts + s, inv_freq) for x, s in ((q, 0), (k, GAP)))
        deviation = np.abs(np.vecdot(turned_q, turned_k) - scores_by_gap(q, k, [GAP], inv_freq))
        assert 1e-12 < deviation.max() < 1e-9


class TestDancers:
    """128 positions of the demonstration's query and key."""

    @pytest.mark.parametrize(("start", "order"), [(0, 1e-15), (4096 - 127, 5e-14)])
    def test_diagonals_of_the_demonstration_differ_by_rounding(self, start, order):
        q, k = demo_pair(64)
        places = start + np.arange(128)
        spread = diagonal_spread(scores(q, k, places, places, inverse_frequencies(64)))
        assert order / 5 < spread < order * 5

    def test_an_added_address_spreads_them_by_about_3(self):
        q, k = demo_pair(64)
        addresses = sinusoidal(np.arange(128), 64)
        spread = diagonal_spread(sum(additive_terms(q, k, addresses[:, np.newaxis], addresses)))
        assert 3.0 < spread < 3.5


class TestBells:
    """Base 10,000, 64 pairs."""

    periods = wavelengths(LLAMA_2)

    def test_periods(self):
        assert self.periods[0] == pytest.approx(6.28, abs=0.005)
        assert self.periods[-1] == pytest.approx(54_410, abs=0.5)
        assert wavelengths(inverse_frequencies(128, 500_000))[-1] == pytest.approx(2_559_196, abs=0.5)

    def test_turns_in_4096_tokens(self):
        assert 4096 / self.periods[0] == pytest.approx(652, abs=0.5)
        assert 4096 / self.periods[-1] == pytest.approx(0.075, abs=0.0005)
        assert 360 * 4096 / self.periods[-1] == pytest.approx(27, abs=0.5)

    def test_one_bell_nearly_repeats_at_44_and_710(self):
        alike = mean_cosine([44, 710], LLAMA_2[:1])
        assert alike[0] == pytest.approx(0.99984, abs=5e-6)
        assert 710 / self.periods[0] == pytest.approx(113.00001, abs=5e-6)
        assert 1 - alike[1] == pytest.approx(1.8e-9, abs=5e-11)

    @pytest.mark.parametrize(("bells", "best_gap", "alike"), [(2, 9_563, 0.99987), (8, 43_687, 0.890), (64, 67, 0.509)])
    def test_best_match_beyond_64(self, bells, best_gap, alike):
        gaps = np.arange(65, 65_537)
        similarity = mean_cosine(gaps, LLAMA_2[:bells])
        assert gaps[similarity.argmax()] == best_gap
        assert similarity.max() == pytest.approx(alike, abs=5e-4 if alike < 0.99 else 5e-6)

    def test_the_puzzle_five_bells_leave_no_gap_that_looks_like_0(self):
        gaps = np.arange(3, 4097)
        counts = [int((mean_cosine(gaps, LLAMA_2[:bells]) >= 0.99).sum()) for bells in range(1, 9)]
        assert counts == [183, 12, 1, 1, 0, 0, 0, 0]
