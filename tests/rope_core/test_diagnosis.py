"""The doctor names planted conventions, and never vouches for what is not so."""

from itertools import product

import numpy as np
import pytest

from rope_core import diagnose
from rope_core.diagnosis import CONVENTION, SENTENCES
from tests.rope_core.planted import Planted, agrees, anything, expected, turned, wrong

SHAPES = [(12,), (2, 12), (3, 9), (2, 2, 10), (1, 16), (4, 8)]
WALKS = [(0, 1), (100, 1), (7, 1), (0, 2), (5, 3), (0, 0.5)]
PLAIN = [
    Planted(layout, direction, base, first, stride, 32, width, format=name, shape=SHAPES[number % 6], seed=number)
    for number, (layout, direction, base, (first, stride), width, name) in enumerate(
        product(
            ("interleaved", "half", "interleaved_to_half"),
            (1, -1),
            (10000.0, 500000.0),
            WALKS,
            (32, 16),
            ("float32", "bfloat16"),
        )
    )
]


def test_there_are_enough_cases():
    assert len(PLAIN) == 288


@pytest.mark.parametrize("case", PLAIN, ids=range(len(PLAIN)))
def test_a_plain_rotation_is_named(case):
    found, right = diagnose(*case.arrays()), expected(case)
    assert wrong(found, case) == {}
    assert {"layout", "direction", "attention_factor"} <= found.sure
    assert found.direction == right["direction"]
    assert found.fits.all()
    assert not found.faults
    if case.format == "float32":
        assert {"base", "rotary_dim", "angle_dtype"} <= found.sure
        assert agrees("base", found.base, right["base"])
    if found.base is not None and found.rotary_dim == case.rotary_dim:
        assert found.base == pytest.approx(right["base"], rel=0.1)
    if case.stride == 1:
        assert (found.stride, found.factor) == (1, 1)
        assert found.first_position == case.first or (case.format == "bfloat16" and found.first_position is None)
    else:
        assert (found.stride, found.factor) == (None, None)
        assert found.first_position == (0 if case.first == 0 else None)
    assert not found.sure & {"stride", "factor", "rope_type"}


@pytest.mark.parametrize("case", PLAIN[::7], ids=range(len(PLAIN[::7])))
def test_positions_settle_stride_and_first(case):
    found = diagnose(*case.arrays(), case.positions())
    assert wrong(found, case) == {}
    assert {"stride", "first_position", "layout", "direction"} <= found.sure
    assert (found.stride, found.first_position) == (case.stride, case.first)


@pytest.mark.parametrize("seed", [*range(200), 878, 3518])
def test_nothing_vouched_for_is_ever_wrong(seed):
    case, told = anything(seed)
    positions = [case.first + case.stride * step for step in range(case.shape[-1])] if told else None
    found = diagnose(*case.arrays(), positions)
    assert wrong(found, case) == {}
    assert found.sure <= {name for name in CONVENTION if getattr(found, name) is not None}
    assert found.explanation
    assert found.angles.shape == found.fits.shape


# Known mistakes


@pytest.mark.parametrize("layout", ["interleaved", "half", "interleaved_to_half"])
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
@pytest.mark.parametrize("first", [0, 40])
def test_decoding_that_restarts(layout, name, first):
    case = Planted(layout, first=first, format=name, shape=(2, 16), fault="decode_restarted")
    found = diagnose(*case.arrays())
    assert found.faults == ("decode_restarted",)
    assert wrong(found, case) == {}
    assert "layout" in found.sure
    assert found.fits[:13].all()
    assert not found.fits[13:].all(1).any()


def test_decoding_that_counts_anew():
    case = Planted(shape=(2, 12))
    case.positions = lambda: [*range(8), *range(4)]
    assert diagnose(*case.arrays()).faults == ("decode_restarted",)


@pytest.mark.parametrize("layout", ["interleaved", "half", "interleaved_to_half"])
@pytest.mark.parametrize("shape", [(4, 6), (2, 8, 5)])
def test_heads_taken_for_positions(layout, shape):
    case = Planted(layout, shape=shape, fault="heads_axis")
    found = diagnose(*case.arrays())
    assert found.faults == ("heads_axis",)
    assert wrong(found, case) == {}
    assert found.layout == layout
    assert found.base == 10000


@pytest.mark.parametrize("positions", [None, range(12)])
@pytest.mark.parametrize("base", [10000.0, 500000.0])
def test_exponents_over_the_whole_head(positions, base):
    case = Planted(base=base, rotary_dim=16, fault="exponent_over_head_dim")
    found = diagnose(*case.arrays(), positions)
    assert found.faults == ("exponent_over_head_dim",)
    assert "base" not in found.sure
    assert found.base == pytest.approx(base**0.5, rel=1e-5)


@pytest.mark.parametrize("angles", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
@pytest.mark.parametrize("first", [0, 300])
def test_angles_in_half_precision(angles, name, first):
    case = Planted(first=first, shape=(2, 40), angles=angles, format=name)
    found = diagnose(*case.arrays(), case.positions())
    assert wrong(found, case) == {}
    if angles == "bfloat16" or name == "float32":
        assert found.faults == ("half_precision_angles",)
        assert found.angle_dtype == angles
        assert "angle_dtype" in found.sure
        assert found.base == 10000


def reordered(keys, groups):
    """Put the rows of keys `(heads, seq, head_dim)` into the interleaved order of so many heads, as converters do."""
    heads, seq, head_dim = keys.shape
    rows = np.moveaxis(keys, 1, -1).reshape(heads * head_dim, seq)
    rows = rows.reshape(groups, 2, heads * head_dim // groups // 2, seq).swapaxes(1, 2).reshape(heads, head_dim, seq)
    return np.moveaxis(rows, -1, 1)


@pytest.mark.parametrize(("groups", "fault"), [(4, ("k_permuted_wrong_heads",)), (2, ())])
def test_keys_in_another_order(groups, fault):
    case = Planted("interleaved", head_dim=8, rotary_dim=8)
    keys, _ = case.arrays()
    found = diagnose(keys, turned(reordered(keys, groups), case).astype(np.float32), num_heads=8, num_kv_heads=2)
    assert found.faults == fault
    assert found.layout == "interleaved"
    assert wrong(found, case) == {}
    assert "heads" in found.explanation
    assert diagnose(keys, keys[::-1]).faults == ()


def test_restarted_places_are_drawn_where_they_were_turned():
    found = diagnose(*Planted(shape=(2, 16), fault="decode_restarted").arrays())
    np.testing.assert_allclose(found.angles[13:], 0, atol=1e-5)
    np.testing.assert_allclose(found.angles[12], 12 * 10000.0 ** (-np.arange(16) / 16), atol=1e-5)
    assert found.residual < 1e-6
    assert dict(found.remarks)["places_after"] == {"length": 13, "places": "0, 0, 0"}
    assert found.stride == 1


@pytest.mark.parametrize("angles", ["bfloat16", "float16"])
@pytest.mark.parametrize("direction", [1, -1])
def test_half_precision_in_a_part_of_interleaved_pairs(angles, direction):
    case = Planted("interleaved", direction, 5e5, 0, 1, 64, 32, angles=angles, format="float16", shape=(2, 4, 24))
    found = diagnose(*case.arrays(), case.positions())
    assert wrong(found, case) == {}
    assert (found.layout, found.faults) == ("interleaved", ("half_precision_angles",))


@pytest.mark.parametrize("first", [0, 5])
@pytest.mark.parametrize(("head_dim", "base"), [(6, 3e5), (8, 1.2e7), (10, 5e7)])
def test_few_steep_pairs_claim_no_half_precision(head_dim, base, first):
    case = Planted(base=base, first=first, head_dim=head_dim, rotary_dim=head_dim, format="float64", shape=(24,))
    for positions in (None, case.positions()):
        found = diagnose(*case.arrays(), positions)
        assert found.faults == ()
        assert wrong(found, case) == {}


# What the data cannot tell


@pytest.mark.parametrize("factor", [2.0, -0.5, 1.19])
def test_what_is_only_scaled_has_not_turned(factor):
    before, _ = Planted().arrays()
    found = diagnose(before, before * np.float32(factor))
    assert found.sure == set()
    assert f"{factor:g} times before" in found.explanation


@pytest.mark.parametrize(("name", "head_dim", "seq"), [("float16", 64, 12), ("float16", 16, 40), ("bfloat16", 64, 40)])
def test_a_stretched_table_vouches_for_no_base(name, head_dim, seq):
    stretched = {"rope_type": "longrope", "short_factor": [1 + 0.02 * i for i in range(head_dim // 2)]}
    case = Planted(head_dim=head_dim, rotary_dim=head_dim, scaling=stretched, format=name, shape=(3, seq), seed=64)
    assert wrong(diagnose(*case.arrays()), case) == {}


@pytest.mark.parametrize("offset", [0, 32])
def test_interleaved_pairs_that_stand_still_leave_the_width_open(offset):
    case = Planted("interleaved", head_dim=32, rotary_dim=32, shape=(2, 9), modulus=0.125)
    part, turned_part = case.arrays()
    before = np.random.default_rng(2).standard_normal((2, 9, 64)).astype(np.float32)
    after = before * np.float32(0.125)
    before[..., offset : offset + 32], after[..., offset : offset + 32] = part, turned_part
    found = diagnose(before, after)
    assert "rotary_dim" not in found.sure
    assert "base" not in found.sure or found.base == 10000


def test_position_zero_tells_nothing():
    before, after = Planted(shape=(3, 1)).arrays()
    found = diagnose(before, after)
    assert all(getattr(found, name) is None for name in CONVENTION)
    assert found.sure == set()
    assert "cannot tell" in found.explanation


def test_zeros_tell_nothing():
    found = diagnose(np.zeros((4, 8)), np.zeros((4, 8)))
    assert found.sure == set()
    assert "zero" in found.explanation


def test_two_pairs_vouch_for_no_table():
    case = Planted(head_dim=4, rotary_dim=4, shape=(8,))
    found = diagnose(*case.arrays())
    assert not found.sure & {"base", "direction", "first_position"}
    assert found.layout == "half"


def test_what_is_no_rotation_fits_nowhere():
    rng = np.random.default_rng(1)
    found = diagnose(rng.standard_normal((2, 6, 16)), rng.standard_normal((2, 6, 16)))
    assert found.sure == set()
    assert not found.fits.any()
    assert "No layout" in found.explanation


def test_one_bad_position_is_shown():
    case = Planted(shape=(2, 12))
    before, after = case.arrays()
    after[:, 7] = before[:, 7]
    found = diagnose(before, after)
    assert found.layout == "half"
    assert found.fits[:7].all()
    assert not found.fits[7, 0]


# Equal readings


def test_every_remark_has_a_sentence():
    found = [diagnose(*anything(seed)[0].arrays()) for seed in range(20)]
    keys = {key for diagnosis in found for key, _ in diagnosis.remarks}
    assert keys <= set(SENTENCES)
    assert {"clockwise", "counter_clockwise", "equal_direction"} <= keys


TWICE = [Planted(fault="rotated_twice"), Planted(stride=2), Planted(scaling={"rope_type": "linear", "factor": 0.5})]


@pytest.mark.parametrize("case", TWICE, ids=["twice", "stride", "linear"])
def test_twice_is_stride_2_is_linear_half(case):
    found = diagnose(*case.arrays())
    assert (found.stride, found.factor, found.rope_type) == (None, None, None)
    assert found.faults == ()
    assert found.first_position == 0
    assert found.base == 10000
    for reading in ("stride of 2", "linear factor of 0.5", "rotated twice"):
        assert reading in found.explanation
    np.testing.assert_allclose(case.arrays()[1], TWICE[0].arrays()[1], atol=1e-6)


def test_twice_with_positions_is_named():
    case = TWICE[0]
    found = diagnose(*case.arrays(), case.positions())
    assert found.faults == ("rotated_twice",)
    assert found.factor is None
    assert "factor" not in found.sure
    assert "linear factor of 0.5" in found.explanation


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float64"])
@pytest.mark.parametrize("width", [32, 16])
@pytest.mark.parametrize("direction", [1, -1])
def test_twice_into_another_layout_is_named(name, width, direction):
    case = Planted("interleaved_to_half", direction, 5e5, 3, 1, 32, width, format=name, fault="rotated_twice")
    found = diagnose(*case.arrays(), case.positions())
    assert found.faults == ("rotated_twice",)
    assert wrong(found, case) == {}
    assert (found.layout, found.base, found.direction) == ("interleaved_to_half", 5e5, direction)


@pytest.mark.parametrize(
    "case", [Planted(scaling={"rope_type": "linear", "factor": 4.0}, first=8), Planted(stride=0.25, first=2)]
)
def test_linear_is_a_stride(case):
    found = diagnose(*case.arrays())
    assert (found.stride, found.factor, found.first_position) == (None, None, None)
    assert "stride of 0.25" in found.explanation
    assert "linear factor of 4" in found.explanation


def test_a_stride_that_undoes_a_factor_is_not_vouched_for():
    case = Planted(stride=2, first=4, scaling={"rope_type": "linear", "factor": 2.0})
    found = diagnose(*case.arrays())
    assert wrong(found, case) == {}
    assert (found.stride, found.factor) == (1, 1)
    assert "every s" in found.explanation


def test_dynamic_is_a_larger_base():
    case = Planted(scaling={"rope_type": "dynamic", "factor": 2.0, "max": 64, "length": 200})
    found = diagnose(*case.arrays())
    assert found.base == pytest.approx(case.effective_base, rel=1e-5)
    assert "base" in found.sure
    assert "rope_type" not in found.sure
    assert "dynamic" in found.explanation


@pytest.mark.parametrize("layout", ["interleaved", "half", "interleaved_to_half"])
def test_layouts_are_one_at_width_2(layout):
    case = Planted(layout, head_dim=2, rotary_dim=2)
    found = diagnose(*case.arrays())
    assert found.layout is None
    assert "layout" not in found.sure
    assert "half, interleaved, interleaved_to_half" in found.explanation


def test_a_direction_is_negated_positions():
    case = Planted(direction=-1)
    before, after = case.arrays()
    assert diagnose(before, after).direction == -1
    negated = diagnose(before, after, [-place for place in case.positions()])
    assert negated.direction == 1
    assert "negated positions" in negated.explanation


# Shapes and precisions


@pytest.mark.parametrize("shape", [(10,), (3, 10), (2, 3, 10)])
@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_every_shape_and_dtype(shape, name):
    case = Planted(shape=shape, format=name, first=3)
    found = diagnose(*case.arrays())
    assert wrong(found, case) == {}
    assert found.layout == "half"
    assert found.direction == 1
    assert found.angles.shape == (10, 16)
    steps = (np.arange(10) + 3) * 10000.0 ** (-np.arange(16)[:, np.newaxis] / 16)
    np.testing.assert_allclose(found.angles, steps.T, atol=4e-3 if name == "float16" else 1e-5)


def test_the_residual_is_the_rounding():
    for name, most in (("bfloat16", 2**-8), ("float32", 2**-23), ("float64", 2**-50)):
        found = diagnose(*Planted(format=name).arrays())
        assert most / 64 < found.residual < most
    assert diagnose(*Planted(format="float64").arrays()).angle_dtype == "float64"
