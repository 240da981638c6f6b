"""The tables from plain numbers, against numbers from papers, bug reports and transformers' own init functions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rope_core.frequencies import inverse_frequencies
from rope_core.tables import TABLES, Scaling, magnitude, yarn_edges
from tests.rope_core.models import BUGS

LLAMA_31 = Scaling(500000.0, 128, factor=8.0, original_positions=8192)
GPT_OSS = Scaling(150000.0, 64, factor=32.0, original_positions=4096, truncate=False)
bases = st.floats(100, 1e7)
widths = st.integers(2, 64).map(lambda pairs: 2 * pairs)
factors = st.floats(1, 64)
lengths = st.integers(1024, 131072)
scalings = st.builds(
    Scaling, bases, widths, factor=factors, max_positions=lengths, original_positions=st.integers(512, 16384)
)


def shares(scaling: Scaling, name: str) -> tuple[int, int, int]:
    """How many pairs are kept, blended, divided by the factor."""
    ratio = TABLES["default"](scaling, None)[0].astype(float) / TABLES[name](scaling, None)[0]
    kept, divided = np.isclose(ratio, 1, rtol=1e-6), np.isclose(ratio, scaling.factor, rtol=1e-6)
    return int(kept.sum()), int((~kept & ~divided).sum()), int(divided.sum())


def test_one_function_for_every_type():
    assert list(TABLES) == ["default", "linear", "dynamic", "llama3", "yarn", "longrope", "proportional"]


@given(bases, widths)
def test_the_default_table_is_the_papers_in_float32(base, width):
    table, factor = TABLES["default"](Scaling(base, width), None)
    assert table.dtype == np.float32
    assert factor == 1.0
    np.testing.assert_allclose(table, inverse_frequencies(width, base), rtol=2e-6)


def test_an_odd_width_keeps_its_own_exponent():
    table, _ = TABLES["default"](Scaling(10000.0, 25), None)
    np.testing.assert_allclose(table, [10000.0 ** (-2 * i / 25) for i in range(13)], rtol=5e-7)


@given(scalings)
def test_linear_divides_every_frequency(scaling):
    table, factor = TABLES["linear"](scaling, None)
    np.testing.assert_allclose(table * scaling.factor, TABLES["default"](scaling, None)[0], rtol=3e-7)
    assert factor == 1.0


@given(scalings.filter(lambda scaling: scaling.rotary_dim > 2), st.floats(1.01, 30))
def test_dynamic_grows_the_base_beyond_the_served_length(scaling, beyond):
    served, width = scaling.max_positions, scaling.rotary_dim
    for length in (None, 1, served):
        assert TABLES["dynamic"](scaling, length)[0].tolist() == TABLES["default"](scaling, None)[0].tolist()
    length = int(served * beyond) + 1
    stretch = (scaling.factor * length / served - (scaling.factor - 1)) ** (width / (width - 2))
    grown = TABLES["default"](replace(scaling, base=scaling.base * stretch), None)[0]
    np.testing.assert_allclose(TABLES["dynamic"](scaling, length)[0], grown, rtol=1e-6)
    # The slowest pair is slowed exactly as much as the length has grown (NTK-aware interpolation).
    last = TABLES["default"](scaling, None)[0][-1] / TABLES["dynamic"](scaling, length)[0][-1]
    assert last == pytest.approx(scaling.factor * length / served - (scaling.factor - 1), rel=1e-5)


def test_dynamic_as_reported():
    bug = BUGS[8]
    scaling = Scaling(1000000.0, 128, factor=2.0, max_positions=32768)
    assert TABLES["dynamic"](scaling, bug["seq_len"])[0][63] == pytest.approx(bug["right"]["inv_freq_last"], rel=1e-6)
    assert TABLES["dynamic"](scaling, 65536)[0][63] == pytest.approx(bug["at_65536"]["inv_freq_last"], rel=1e-6)


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [(LLAMA_31, (29, 6, 29)), (Scaling(500000.0, 64, factor=32.0, original_positions=8192), (15, 3, 14))],
    ids=["Llama 3.1 8B", "Llama 3.2 1B"],
)
def test_llama3_keeps_blends_and_divides(scaling, expected):
    assert shares(scaling, "llama3") == expected


@given(scalings)
def test_llama3_is_a_clipped_blend_in_frequency(scaling):
    table = TABLES["llama3"](scaling, None)[0].astype(float)
    plain = TABLES["default"](scaling, None)[0].astype(float)
    turns = scaling.original_positions * plain / (2 * math.pi)
    share = np.clip((turns - 1) / 3, 0, 1)
    np.testing.assert_allclose(table, plain * (share + (1 - share) / scaling.factor), rtol=1e-5)


def test_yarn_edges_as_reported():
    bug = BUGS[11]
    assert yarn_edges(GPT_OSS) == pytest.approx((bug["right"]["low"], bug["right"]["high"]), rel=1e-12)
    np.testing.assert_allclose(TABLES["yarn"](GPT_OSS, None)[0][8:18], bug["right"]["inv_freq"], rtol=1e-6)
    second = bug["second_input"]
    scaling = Scaling(float(second["base"]), 64, factor=8.0, original_positions=131072)
    assert yarn_edges(scaling) == (second["right"]["low"], second["right"]["high"])
    assert TABLES["yarn"](scaling, None)[0][-1] == pytest.approx(second["right"]["inv_freq_last"], rel=1e-6)


def test_yarn_keeps_the_fast_pairs():
    # Llama 2, 4k: YaRN's ramp leaves 21 pairs and divides 18 whole (arXiv 2309.00071, equation 23).
    assert shares(Scaling(10000.0, 128, factor=16.0, original_positions=4096), "yarn") == (21, 25, 18)


def test_yarn_edges_that_meet_leave_nothing_to_blend():
    scaling = Scaling(10000.0, 64, factor=4.0, original_positions=4096, beta_fast=8.0, beta_slow=8.0, truncate=False)
    low, high = yarn_edges(scaling)
    assert high - low == pytest.approx(0.001)
    kept, blended, divided = shares(scaling, "yarn")
    assert (kept, blended, divided) == (math.ceil(low), 0, 32 - math.ceil(low))


@given(scalings, st.booleans())
def test_yarn_stays_between_the_plain_and_the_divided_table(scaling, truncate):
    scaling = replace(scaling, truncate=truncate)
    table, factor = TABLES["yarn"](scaling, None)
    plain = TABLES["default"](scaling, None)[0].astype(float)
    assert (table <= plain * (1 + 1e-6)).all()
    assert (table >= plain / scaling.factor * (1 - 1e-6)).all()
    assert factor == pytest.approx(0.1 * math.log(scaling.factor) + 1, abs=1e-12)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, magnitude(40.0)),
        ({"mscale": 0.707}, magnitude(40.0)),
        ({"mscale_all_dim": 0.707}, magnitude(40.0)),
        ({"mscale": 1.0, "mscale_all_dim": 1.0}, 1.0),
        ({"mscale": 1.0, "mscale_all_dim": 0.707}, magnitude(40.0) / magnitude(40.0, 0.707)),
        ({"mscale": 1.0, "mscale_all_dim": 1.0, "attention_factor": 0.0}, 0.0),
    ],
)
def test_yarn_attention_factor(stated, expected):
    scaling = Scaling(10000.0, 64, factor=40.0, original_positions=4096, **stated)
    assert TABLES["yarn"](scaling, None)[1] == pytest.approx(expected, abs=1e-12)


def test_the_magnitude_does_not_shrink():
    assert magnitude(0.5) == magnitude(1.0) == 1.0
    assert magnitude(40.0) == pytest.approx(1.3688879454113936, abs=1e-12)


@given(scalings, st.data())
def test_longrope_switches_beyond_the_original_length(scaling, data):
    pairs = scaling.rotary_dim // 2
    lists = st.lists(st.floats(0.5, 80, width=32), min_size=pairs, max_size=pairs).map(tuple)
    short, long = data.draw(lists), data.draw(lists)
    scaling = replace(scaling, short_factor=short, long_factor=long)
    plain = TABLES["default"](scaling, None)[0].astype(float)
    expected = math.sqrt(1 + math.log(scaling.factor) / math.log(scaling.original_positions))
    for length, stretch in ((None, short), (scaling.original_positions, short), (scaling.original_positions + 1, long)):
        table, factor = TABLES["longrope"](scaling, length)
        np.testing.assert_allclose(table * np.array(stretch), plain, rtol=5e-7)
        assert factor == pytest.approx(expected, abs=1e-12)


def test_proportional_turns_the_first_pairs_at_the_speeds_of_the_whole_head():
    table, _ = TABLES["proportional"](Scaling(1e6, 512, partial=0.25), None)
    assert len(table) == 256
    np.testing.assert_allclose(table[:64], [1e6 ** (-2 * i / 512) for i in range(64)], rtol=5e-7)
    assert not table[64:].any()
