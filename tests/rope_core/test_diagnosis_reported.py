"""The doctor over rotations that transformers computed, over reported bugs, and over what configurations state."""

import numpy as np
import pytest

from rope_core import diagnose, read_config
from tests.rope_core.golden import GOLDEN, ROTATIONS
from tests.rope_core.models import BUGS
from tests.rope_core.planted import Planted, turned, wrong


@pytest.mark.parametrize("name", ROTATIONS)
@pytest.mark.parametrize("side", ["q", "k"])
@pytest.mark.parametrize("told", [True, False])
def test_rotations_of_transformers(name, side, told):
    row = ROTATIONS[name]
    found = diagnose(row[side], row[f"{side}_rot"], row["positions"] if told else None)
    assert (found.layout, found.rotary_dim, found.direction) == (row["layout"], row["rotary_dim"], 1)
    assert {"layout", "rotary_dim"} <= found.sure
    assert found.base == row["base"]
    assert found.attention_factor == 1
    steps = np.diff(row["positions"])
    if told or np.ptp(steps) == 0:
        assert found.first_position == row["positions"][0]
        assert found.fits.all()
        assert found.faults == ()
        assert {"direction", "base"} <= found.sure
    else:  # uneven positions, and nobody says so
        assert not found.fits.all()
        assert "after them" in found.explanation


def test_positions_on_three_axes_fit_in_part():
    row = next(row for row in GOLDEN["rotations"] if "positions_thw" in row)
    found = diagnose(row["q"], row["q_rot"])
    assert (found.layout, found.base, found.first_position) == ("half", row["base"], 4)
    assert found.fits[:2].all()
    assert not found.fits[2].all()


def test_bfloat16_from_transformers():
    row = GOLDEN["bf16"]
    found = diagnose(row["q"], row["q_rot_bf16"], row["positions"])
    assert (found.layout, found.base, found.angle_dtype) == ("half", row["base"], "float32")
    assert "angle_dtype" in found.sure
    assert found.faults == ()


@pytest.mark.parametrize(("side", "layout"), [("right", "interleaved"), ("wrong", "half")])
def test_a_wrong_layout(side, layout):
    bug = BUGS[3]
    found = diagnose(bug["q"], bug[side], bug["positions"])
    assert found.layout == layout
    assert {"layout", "rotary_dim", "base", "direction"} <= found.sure
    assert (found.rotary_dim, found.base, found.first_position) == (8, 10000, 0)


@pytest.mark.parametrize("call", [0, 1])
@pytest.mark.parametrize("side", ["right", "wrong"])
def test_a_cache_that_forgets_the_offset(side, call):
    bug = BUGS[5]
    first = bug["input"]["calls"][call]["offset"]
    found = diagnose(bug["input"]["x"], bug[side][call], range(first, first + 3))
    assert found.layout == "interleaved"
    assert found.base is None
    assert found.first_position == (first if side == "right" else 0)
    assert ("start" in found.explanation) == (side == "wrong" and call == 1)


def test_decoding_that_restarts_as_reported():
    bug = BUGS[6]
    case = Planted(shape=(2, 6))
    case.positions = lambda: [place for call in bug["wrong_positions"] for place in call]
    assert diagnose(*case.arrays()).faults == ("decode_restarted",)
    case.positions = lambda: [place for call in bug["right_positions"] for place in call]
    assert diagnose(*case.arrays()).faults == ()


def test_keys_with_the_wrong_head_count_as_reported():
    bug = BUGS[4]
    counts, width = bug["input"], bug["input"]["head_dim"]
    case = Planted("interleaved", head_dim=width, rotary_dim=width, shape=(2, 10))
    keys, _ = case.arrays()
    rows = np.moveaxis(keys, 1, 0).reshape(10, -1)
    for side, fault in (("right", ()), ("wrong", ("k_permuted_wrong_heads",))):
        moved = Planted("interleaved", head_dim=width, rotary_dim=width, shape=(2, 10))
        after = turned_rows(rows[:, bug[side]], moved)
        heads = counts["num_attention_heads"], counts["num_key_value_heads"]
        assert diagnose(keys, after, num_heads=heads[0], num_kv_heads=heads[1]).faults == fault


def turned_rows(rows, case):
    return turned(np.moveaxis(rows.reshape(10, 2, -1), 0, 1), case).astype(np.float32)


def test_angles_in_half_precision_as_reported():
    bug = BUGS[9]["input"]
    first = bug["position"] - 7
    for name in ("float16", "bfloat16"):
        case = Planted(base=bug["base"], rotary_dim=bug["dim"], first=first, shape=(2, 15), angles=name)
        found = diagnose(*case.arrays(), case.positions())
        assert found.faults == ("half_precision_angles",)
        assert found.angle_dtype == name


def test_positions_in_the_dtype_of_the_tensor():
    case = Planted("interleaved", head_dim=8, rotary_dim=8, shape=(1, 600), angles="bfloat16", format="bfloat16")
    found = diagnose(*case.arrays(), case.positions())
    assert found.faults == ("half_precision_angles",)
    assert found.angle_dtype == "bfloat16"


# What configurations state

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 512,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
STATED = {
    "default": (None, 10000.0, {}, 1.0),
    "linear": ({"type": "linear", "factor": 4.0}, 10000.0, {"rope_type": "linear", "factor": 4.0}, 1.0),
    "llama3": (
        LLAMA3,
        500000.0,
        {"rope_type": "llama3", "factor": 8.0, "low": 1.0, "high": 4.0, "original": 512},
        1.0,
    ),
    "yarn": (YARN, 10000.0, {"rope_type": "yarn", "factor": 4.0, "original": 4096}, 0.1 * np.log(4.0) + 1),
    "longrope": (
        {
            "rope_type": "longrope",
            "short_factor": [1 + i / 8 for i in range(32)],
            "long_factor": [2 + i for i in range(32)],
            "original_max_position_embeddings": 4096,
            "attention_factor": 1.19,
        },
        10000.0,
        {"rope_type": "longrope", "short_factor": [1 + i / 8 for i in range(32)]},
        1.19,
    ),
}


def stated(scaling, base):
    return read_config(
        {
            "model_type": "llama",
            "hidden_size": 256,
            "num_attention_heads": 4,
            "max_position_embeddings": 32768,
            "rope_theta": base,
            "rope_scaling": scaling,
        }
    )


def planted(name, **more):
    _, base, scaling, modulus = STATED[name]
    return Planted(base=base, head_dim=64, rotary_dim=64, scaling=scaling, modulus=modulus, shape=(2, 16), **more)


@pytest.mark.parametrize("name", STATED)
@pytest.mark.parametrize("first", [0, 7])
def test_the_stated_table_is_recognised(name, first):
    case = planted(name, first=first)
    found = diagnose(*case.arrays(), spec=stated(*STATED[name][:2]))
    assert (found.rope_type, found.first_position, found.stride) == (name, first, 1)
    factor = case.scaling.get("factor")
    assert factor is None or found.factor == factor
    assert {"rope_type", "base", "attention_factor"} <= found.sure
    assert found.base == case.base
    assert {key: value for key, value in wrong(found, case).items() if name != "longrope" or key != "factor"} == {}


@pytest.mark.parametrize("name", ["llama3", "linear", "yarn"])
def test_scaling_that_was_not_applied(name):
    case = Planted(base=STATED[name][1], head_dim=64, rotary_dim=64, shape=(2, 16))
    found = diagnose(*case.arrays(), case.positions(), spec=stated(*STATED[name][:2]))
    assert found.rope_type == "default"
    assert "without it" in found.explanation


def test_a_stated_table_applied_twice():
    case = planted("yarn", fault="rotated_twice")
    found = diagnose(*case.arrays(), spec=stated(*STATED["yarn"][:2]))
    assert found.faults == ("rotated_twice",)
    assert found.rope_type == "yarn"
    assert found.attention_factor is None
    assert found.stride is None


def test_another_base_than_stated():
    found = diagnose(*planted("default").arrays(), spec=stated(None, 1e6))
    assert found.base == 10000
    assert "No table that the configuration states" in found.explanation


def test_a_dynamic_table_at_a_length():
    case = planted("default")
    case.scaling = {"rope_type": "dynamic", "factor": 2.0, "max": 32768, "length": 50000}
    found = diagnose(*case.arrays(), spec=stated({"type": "dynamic", "factor": 2.0}, 10000.0))
    assert found.rope_type == "dynamic"
    assert found.base == pytest.approx(case.effective_base, rel=1e-5)
    assert dict(found.remarks)["dynamic_length"]["length"] == pytest.approx(50000, abs=10)


GEMMA = read_config(
    {
        "model_type": "gemma3_text",
        "hidden_size": 1152,
        "num_attention_heads": 4,
        "head_dim": 64,
        "num_hidden_layers": 12,
        "rope_theta": 1e6,
        "rope_local_base_freq": 1e4,
    }
)


@pytest.mark.parametrize(("base", "faults"), [(1e6, ("one_table_for_all_layers",)), (1e4, ())])
def test_one_table_for_all_layers(base, faults):
    case = Planted(base=base, head_dim=64, rotary_dim=64)
    found = diagnose(*case.arrays(), spec=GEMMA, layer_type="sliding_attention")
    assert found.faults == faults
    assert found.base == base


@pytest.mark.parametrize("first", [0, 400])
def test_one_table_for_all_layers_is_told_at_any_place(first):
    case = Planted(base=1e4, first=first, head_dim=64, rotary_dim=64, shape=(1, 2, 8))
    found = diagnose(*case.arrays(), case.positions(), spec=GEMMA, layer_type="full_attention")
    assert found.faults == ("one_table_for_all_layers",)


def test_two_coarse_places_accuse_no_table():
    case = Planted(base=5e5, head_dim=64, rotary_dim=64, shape=(2, 2), format="bfloat16")
    found = diagnose(*case.arrays(), spec=GEMMA, layer_type="full_attention")
    assert found.faults == ()
    assert "The table is that of" not in found.explanation


def test_a_table_of_none_of_the_layers():
    case = Planted(base=5e5, head_dim=64, rotary_dim=64)
    assert "No table that the configuration states" in diagnose(*case.arrays(), spec=GEMMA).explanation


def test_whose_table_it_is():
    case = Planted(base=1e6, head_dim=64, rotary_dim=64)
    found = diagnose(*case.arrays(), spec=GEMMA)
    assert found.faults == ()
    assert "full_attention" in found.explanation


def test_scaled_tables_are_recognised_unstated():
    for name in ("llama3", "yarn"):
        case = planted(name, format="float64")
        found = diagnose(*case.arrays(), case.positions())
        assert found.rope_type == name
        assert found.factor == pytest.approx(case.scaling["factor"], rel=1e-3)
        assert found.base == case.base
        assert wrong(found, case) == {}
