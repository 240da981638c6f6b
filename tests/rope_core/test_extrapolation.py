"""A score fitted within a length runs away beyond it, and does not when the places are shrunk to fit."""

import math

import numpy as np
import pytest

from rope_core import inverse_frequencies
from rope_core.extrapolation import fitted_weights, waves

RATES, TRAINED, SEEDS = inverse_frequencies(128), 2_048, range(30)


def test_waves_are_cosines_then_sines() -> None:
    assert waves([3], [0.5, 0.1])[0] == pytest.approx([math.cos(1.5), math.cos(0.3), math.sin(1.5), math.sin(0.3)])


def test_the_fit_meets_its_points() -> None:
    draw = np.random.default_rng(4)
    places, values = draw.uniform(0, TRAINED, 20), draw.uniform(-1, 1, 20)
    fitted = waves(places, RATES) @ fitted_weights(RATES, TRAINED, seed=4, points=20)
    assert fitted == pytest.approx(values, abs=1e-3)


def test_a_large_ridge_leaves_nothing() -> None:
    assert np.abs(fitted_weights(RATES, TRAINED, seed=0, ridge=1e12)).max() < 1e-8


def test_the_blow_up_and_its_cure() -> None:
    """Chen et al., arXiv 2306.15595, section 2.3; the medians over 30 seeds are those of the page."""
    weights = np.stack([fitted_weights(RATES, TRAINED, seed) for seed in SEEDS], axis=-1)
    on = np.abs(waves(np.arange(2 * TRAINED), RATES) @ weights)
    shrunk = np.abs(waves(np.arange(2 * TRAINED) / 2, RATES) @ weights)
    assert np.median(on[:TRAINED].max(axis=0)) == pytest.approx(1.4, abs=0.05)
    assert np.median(on[TRAINED:].max(axis=0)) == pytest.approx(4_250, rel=0.05)
    assert on[TRAINED:].max(axis=0).min() > 500
    assert np.median(shrunk.max(axis=0)) == pytest.approx(1.4, abs=0.05)


@pytest.mark.parametrize(
    ("name", "options"), [("trained", {"trained": 0}), ("points", {"points": 0}), ("ridge", {"ridge": -1.0})]
)
def test_what_is_not_above_0_is_refused(name: str, options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{name} must be above 0"):
        fitted_weights(RATES, **{"trained": TRAINED, "seed": 0} | options)
