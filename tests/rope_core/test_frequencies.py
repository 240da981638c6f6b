import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rope_core import inverse_frequencies, wavelengths
from tests.rope_core.golden import TABLES

UNSCALED = [name for name, row in TABLES.items() if row["resolved"]["rope_type"] == "default"]


@pytest.mark.parametrize("name", UNSCALED)
def test_unscaled_models_have_the_table_transformers_builds(name):
    row = TABLES[name]
    table = inverse_frequencies(row["resolved"]["rotary_dim"], row["resolved"]["base"])
    np.testing.assert_allclose(table, row["inv_freq"], rtol=5e-7)


@given(st.integers(1, 128), st.floats(1e-3, 1e9))
def test_every_frequency_is_the_power_of_the_base(pairs, base):
    table = inverse_frequencies(2 * pairs, base)
    assert table.dtype == np.float64
    expected = [math.exp(-2 * i / (2 * pairs) * math.log(base)) for i in range(pairs)]
    np.testing.assert_allclose(table, expected, rtol=1e-12)


def test_base_is_ten_thousand_unless_said():
    assert inverse_frequencies(4).tolist() == [1.0, 0.01]


def test_base_may_be_a_whole_number_however_large():
    assert inverse_frequencies(4, 10**18)[1] == pytest.approx(1e-9)


@given(st.integers(1, 64), st.floats(1.5, 1e7))
def test_a_pair_is_home_again_after_its_wavelength(pairs, base):
    inv_freq = inverse_frequencies(2 * pairs, base)
    np.testing.assert_allclose(wavelengths(inv_freq) * inv_freq, np.full(pairs, math.tau))


def test_a_pair_that_stands_still_has_an_infinite_wavelength():
    assert wavelengths([1.0, 0.0, -0.0, -0.5]).tolist() == [math.tau, math.inf, math.inf, 2 * math.tau]


@pytest.mark.parametrize("rotary_dim", [0, 1, 7, -2, 64.0, "64", None, True])
def test_a_width_that_makes_no_pairs_is_refused(rotary_dim):
    with pytest.raises(ValueError, match=rf"rotary_dim must be an even whole number.*{rotary_dim}"):
        inverse_frequencies(rotary_dim)


@pytest.mark.parametrize("base", [0, 0.0, -1, -10000.0, math.inf, -math.inf, math.nan, 10**400, "10000", None])
def test_a_base_that_is_no_positive_number_is_refused(base):
    with pytest.raises(ValueError, match=rf"base must be .*{base}"):
        inverse_frequencies(64, base)


@pytest.mark.parametrize("inv_freq", [[1.0, math.nan], [math.inf], "fast", [None]])
def test_a_frequency_that_is_no_number_is_refused(inv_freq):
    with pytest.raises(ValueError, match="inv_freq must be finite"):
        wavelengths(inv_freq)
