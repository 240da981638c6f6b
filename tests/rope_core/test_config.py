"""Reading a config.json: real models, known mistakes, odd spellings, and files that are none."""

import contextlib
import copy
import json
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rope_core.config import RopeSpec, read_config
from rope_core.keys import RopeConfigError
from tests.rope_core.golden import GOLDEN
from tests.rope_core.models import BUGS, CONFIGS, MODELS, is_transformers, is_uncertain, key_of

LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072}
SMALL = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "max_position_embeddings": 4096}
ROWS = [(model, table) for model in MODELS for table in model["tables"]]
REFUSED = ("mistralai/Mistral-Large-3-675B-Instruct-2512", "xai-org/grok-2")


def only(config: dict) -> RopeSpec:
    """The one spec of a file whose layers all share a table."""
    specs = read_config(config)
    assert list(specs) == ["all"]
    return specs["all"]


def check_table(spec: RopeSpec, row: dict) -> None:
    frequencies, factor = spec.table(row["seq_len"])
    assert frequencies.dtype == np.float32
    np.testing.assert_allclose(frequencies, np.array(row["inv_freq"], dtype=np.float32), rtol=5e-7, atol=0)
    assert factor == pytest.approx(1.0 if row["attention_factor"] is None else row["attention_factor"], abs=1e-12)
    assert spec.softmax_scale_multiplier == pytest.approx(row["softmax_scale_multiplier"], abs=1e-12)


def name_of(row: tuple[dict, dict]) -> str:
    return f"{row[0]['repo']}/{row[1]['layer_type']}@{row[1]['seq_len']}"


# What is in the data


@pytest.mark.parametrize("row", [row for row in ROWS if row[0]["repo"] not in REFUSED], ids=name_of)
def test_a_model_of_the_data(row):
    model, table = row
    spec = read_config(model["config"])[key_of(table, model["tables"])]
    check_table(spec, table)
    stated = (spec.rope_type, spec.base, spec.head_dim, spec.rotary_dim, spec.layout)
    assert stated == tuple(table[key] for key in ("rope_type", "base", "head_dim", "rotary_dim", "layout"))
    assert spec.layers == (None if table["layers"] is None else tuple(table["layers"]))
    assert spec.rotated_slice == {"first": "first", None: None}.get(table["rotated_slice"], "last")


@pytest.mark.parametrize("model", [model for model in MODELS if model["repo"] not in REFUSED], ids=lambda m: m["repo"])
def test_every_layer_of_a_model_is_in_one_group(model):
    specs = read_config(model["config"])
    listed = [layer for spec in specs.values() for layer in spec.layers or ()]
    assert len(set(listed)) == len(listed)
    uncertain = {layer for table in model["tables"] if is_uncertain(table) for layer in table["layers"] or ()}
    if listed and not uncertain:
        assert sorted(listed) == list(range(len(listed)))


@pytest.mark.parametrize("row", GOLDEN["inv_freq"], ids=lambda row: row["name"])
def test_a_table_of_transformers(row):
    specs = read_config(row["config"])
    spec = specs[row["layer_type"]] if row["layer_type"] else specs.get("all") or specs["rotary"]
    check_table(spec, row)
    resolved = row["resolved"]
    assert (spec.rope_type, spec.base, spec.head_dim, spec.rotary_dim, spec.layout) == (
        *(resolved[key] for key in ("rope_type", "base", "head_dim", "rotary_dim")),
        row["layout"],
    )


@pytest.mark.parametrize("repo", REFUSED)
def test_files_that_do_not_say_what_they_are(repo):
    """Without model_type and architectures, or under the model_type of an image captioner."""
    assert not any(is_transformers(table) for table in next(m for m in MODELS if m["repo"] == repo)["tables"])
    with pytest.raises(RopeConfigError, match=r"^model_type: expected"):
        read_config(CONFIGS[repo])


BEHAVIOUR = {row["name"]: row for row in GOLDEN["behaviour"]}
REJECTED = {
    "theta_zero": "rope_theta",
    "linear_without_factor": "factor",
    "unknown_type": "rope_type",
    "yarn_without_factor": "factor",
    "llama3_without_high": "high_freq_factor",
    "phi3_wrong_length": "short_factor",
}


def test_what_is_rejected_is_what_should_be():
    assert {name for name, row in BEHAVIOUR.items() if row["rope_core_should"].startswith("reject")} == set(REJECTED)


@pytest.mark.parametrize(("name", "key"), REJECTED.items())
def test_a_file_that_transformers_rejects_or_should(name, key):
    with pytest.raises(RopeConfigError) as caught:
        read_config(BEHAVIOUR[name]["config"])
    assert caught.value.key == key


def test_an_unknown_type_is_answered_with_the_known_ones():
    with pytest.raises(RopeConfigError, match="default, linear, dynamic, llama3, yarn, longrope, proportional"):
        read_config(BEHAVIOUR["unknown_type"]["config"])


@pytest.mark.parametrize("name", sorted(set(BEHAVIOUR) - set(REJECTED)))
def test_a_file_that_transformers_takes(name):
    row = BEHAVIOUR[name]
    spec = only(row["config"])
    frequencies, factor = spec.table()
    assert (spec.rope_type, spec.base, len(frequencies)) == (row["rope_type"], row["base"], row["n_freqs"])
    assert frequencies[[0, -1]] == pytest.approx([row["inv_freq_first"], row["inv_freq_last"]], rel=5e-7)
    assert factor == pytest.approx(row["attention_factor"], abs=1e-12)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("type_and_rope_type_disagree", "rope_type wins"),
        ("linear_factor_below_1", "below 1"),
        ("yarn_factor_disagrees_with_ratio", "the factor counts"),
        ("llama_partial_default", "ignores partial_rotary_factor"),
        ("llama_partial_linear", "cannot apply it"),
        ("yarn_without_original", "max_position_embeddings 4096 stands in"),
        ("llama3_without_original", "is not below the length served"),
        ("theta_inside_beats_top", "wins over 999"),
        ("no_rope_keys", "states no base"),
    ],
)
def test_what_a_person_should_know_is_noted(name, words):
    assert any(words in note for note in only(BEHAVIOUR[name]["config"]).notes)


def test_dynamic_is_a_function_of_the_length_alone():
    trace = GOLDEN["traces"]["dynamic_ntk"]
    spec, kept = only(trace["config"]), 2048
    for step in trace["steps"]:
        # transformers keeps the longest length seen until a sequence is shorter than the served length
        kept = 2048 if step["seq_len"] < 2048 else max(kept, step["seq_len"])
        assert spec.table(kept)[0][-1] == pytest.approx(step["inv_freq_last"], rel=5e-7)
    assert any("keeps that of the longest" in note for note in spec.notes)


# Bug reports


@pytest.mark.parametrize("number", [1, 2])
def test_reported_frequencies(number):
    bug = BUGS[number]
    frequencies, _ = only(bug["config"]).table()
    assert frequencies[bug["index"]] == pytest.approx(bug["right"], rel=1e-6)
    assert frequencies[bug["index"]] != pytest.approx(bug["wrong"], rel=1e-3)
    if "longest_wavelength" in bug:
        assert 2 * math.pi / frequencies[-1] == pytest.approx(bug["longest_wavelength"]["right"], rel=1e-6)


def test_reported_layout_of_gptj():
    spec = only(BUGS[3]["config"])
    assert (spec.layout, spec.rotary_dim, spec.head_dim) == (BUGS[3]["right_layout"], 8, 16)


def test_reported_dynamic_table():
    bug = BUGS[8]
    spec = only(bug["config"])
    assert spec.table(bug["seq_len"])[0][-1] == pytest.approx(bug["right"]["inv_freq_last"], rel=1e-6)
    assert spec.table(65536)[0][-1] == pytest.approx(bug["at_65536"]["inv_freq_last"], rel=1e-6)
    assert spec.base == bug["right"]["base"]


def test_reported_yarn_table():
    frequencies, _ = only(BUGS[11]["config"]).table()
    np.testing.assert_allclose(frequencies[8:18], BUGS[11]["right"]["inv_freq"], rtol=1e-6)


@pytest.mark.parametrize("case", [case for case in BUGS[12]["cases"] if "rope" in case], ids=lambda case: case["name"])
def test_reported_attention_factor(case):
    spec = only({**LLAMA, "rope_theta": 10000.0, "rope_scaling": case["rope"]})
    assert spec.table()[1] == pytest.approx(case.get("right", case.get("transformers_value")), abs=1e-9)
    assert spec.softmax_scale_multiplier == 1.0
    assert ("attn_factor" in spec.ignored_keys) == ("attn_factor" in case["rope"])


@pytest.mark.parametrize(
    ("repo", "name"),
    [
        ("deepseek-ai/DeepSeek-R1", "DeepSeek-V3 softmax scale multiplier"),
        ("deepseek-ai/DeepSeek-V2-Lite-Chat", "DeepSeek-V2-Lite softmax scale multiplier"),
    ],
)
def test_reported_softmax_multiplier(repo, name):
    case = next(case for case in BUGS[12]["cases"] if case["name"] == name)
    spec = only(CONFIGS[repo])
    assert spec.softmax_scale_multiplier == pytest.approx(case["right"], abs=1e-9)
    if "right_scale" in case:
        assert case["qk_head_dim"] ** -0.5 * spec.softmax_scale_multiplier == pytest.approx(case["right_scale"])


@pytest.mark.parametrize("case", BUGS[14]["cases"], ids=lambda case: case["name"])
def test_reported_head_dim(case):
    assert only(case["config"]).head_dim == case["right"]
    divided = only({**case["config"], "head_dim": None})
    assert divided.head_dim == case["wrong"]  # null means: divide, even where the family has a width of its own


@pytest.mark.parametrize("spelling", BUGS[16]["same_model_in_four_spellings"])
def test_reported_spellings_of_one_model(spelling):
    spec = only({**BUGS[16]["base_fields"], **spelling})
    assert (spec.rope_type, spec.base) == ("llama3", 500000.0)
    assert spec.table()[0][-1] == pytest.approx(BUGS[16]["right_inv_freq_last"], rel=1e-6)


@pytest.mark.parametrize("spelling", BUGS[16]["unscaled_spellings"])
def test_reported_spellings_of_no_scaling(spelling):
    spec = only({**BUGS[16]["base_fields"], **spelling})
    assert (spec.rope_type, spec.base) == ("default", BUGS[16]["unscaled_right"]["base"])


def test_reported_longrope_switch():
    bug = BUGS[17]
    spec = only(bug["config"])
    for length, right in zip(bug["seq_lens"], bug["right"], strict=True):
        frequencies, factor = spec.table(length)
        assert frequencies[47] == pytest.approx(right, rel=1e-6)
        assert factor == pytest.approx(bug["attention_factor_both"], abs=1e-12)


# Spellings


def test_the_text_part_of_a_larger_file():
    inner = CONFIGS["google/gemma-3-4b-it"]["text_config"]
    for whole in ({"model_type": "gemma3", "text_config": inner}, {"model_type": "x", "llm_config": inner}):
        specs = read_config(whole)
        for name, spec in read_config(inner).items():
            assert specs[name].scaling == spec.scaling
            assert any("text part" in note for note in specs[name].notes)
    assert read_config({**inner, "text_config": None}).keys() == read_config(inner).keys()


def test_the_smallest_file_of_gemma_3():
    """The published 4B file states neither heads nor their width."""
    text = {"model_type": "gemma3_text", "hidden_size": 2560, "num_hidden_layers": 34, "sliding_window": 1024}
    specs = read_config(
        {"model_type": "gemma3", "text_config": {**text, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}}
    )
    assert specs["full_attention"].table()[0][0] == 0.125
    assert {spec.head_dim for spec in specs.values()} == {256}
    assert any("256 is assumed" in note for note in specs["full_attention"].notes)


@pytest.mark.parametrize("width", [25, 50])
def test_partial_widths_of_a_head_of_fifty(width):
    config = {"model_type": "phi", "hidden_size": 200, "num_attention_heads": 4, "partial_rotary_factor": width / 50}
    spec = only(config)
    assert (spec.head_dim, spec.rotary_dim, len(spec.table()[0])) == (50, width, math.ceil(width / 2))
    assert any("turn 26 entries" in note for note in spec.notes) == (width == 25)


@pytest.mark.parametrize(("head_dim", "partial", "width"), [(100, 0.29, 28), (64, 1 / 3, 21), (192, 0.334, 64)])
def test_a_partial_width_is_cut_off_not_rounded(head_dim, partial, width):
    config = {"model_type": "stablelm", "head_dim": head_dim, "partial_rotary_factor": partial}
    assert only(config).rotary_dim == width


def test_a_null_share_is_the_whole_head_and_no_share_the_familys():
    config = {"model_type": "phi", "head_dim": 64}
    assert only(config).rotary_dim == 32
    assert only({**config, "partial_rotary_factor": None}).rotary_dim == 64


@pytest.mark.parametrize(
    ("beside", "within", "expected"), [(8192, 1024, 8192), (None, 1024, 1024), (8192, None, 8192), (None, None, 131072)]
)
def test_the_length_before_scaling_beside_the_rope_dict_wins(beside, within, expected):
    key = "original_max_position_embeddings"
    spec = only({**LLAMA, key: beside, "rope_scaling": {"type": "yarn", "factor": 4.0, key: within}})
    assert spec.scaling.original_positions == expected
    assert any("wins over 1024 inside it" in note for note in spec.notes) == bool(beside and within)


def test_the_old_name_of_longrope():
    config = copy.deepcopy(CONFIGS["microsoft/Phi-3-mini-128k-instruct"])
    for name in ("su", "yarn", "longrope"):
        config["rope_scaling"]["type"] = name
        assert only(config).rope_type == "longrope"
    config["rope_scaling"]["type"] = "linear"
    with pytest.raises(RopeConfigError, match="one of default, longrope"):
        read_config(config)


def test_an_architecture_tells_the_family():
    config = {key: value for key, value in CONFIGS["Qwen/Qwen3-8B"].items() if key != "model_type"}
    assert only(config).scaling == only(CONFIGS["Qwen/Qwen3-8B"]).scaling
    with pytest.raises(RopeConfigError, match=r"^model_type"):
        read_config({**config, "architectures": ["MyOwnForCausalLM"]})


@pytest.mark.parametrize(
    "repo", ["ByteDance/Ouro-2.6B-Thinking", "openbmb/MiniCPM-2B-128k", "internlm/internlm-chat-7b"]
)
def test_an_unknown_family_is_read_from_its_keys_with_a_note(repo):
    assert any("is not known to transformers" in note for note in only(CONFIGS[repo]).notes)


def test_the_base_of_remote_code():
    config = {
        "model_type": "chatglm",
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "kv_channels": 128,
        "rope_ratio": 500,
    }
    spec = only(config)
    assert (spec.base, spec.rotary_dim, spec.layout) == (5e6, 64, "interleaved")
    assert any("times 500" in note for note in spec.notes)


def test_layers_that_rotate_by_lists_of_their_own():
    zeros = {**LLAMA, "model_type": "granite_swa", "num_hidden_layers": 4, "layer_rope_theta": [0, 1e4, 1e4, 1e6]}
    specs = read_config(zeros)
    assert {(spec.base, spec.layers) for spec in specs.values()} == {(None, (0,)), (1e4, (1, 2)), (1e6, (3,))}
    named = read_config(
        {**zeros, "layer_types": ["full_attention", *["sliding_attention"] * 3], "layer_rope_theta": [0, 1, 1, 1]}
    )
    assert {name: spec.layers for name, spec in named.items()} == {
        "full_attention": (0,),
        "sliding_attention": (1, 2, 3),
    }


def test_a_layer_type_without_a_rope_dict_does_not_rotate():
    file = copy.deepcopy(CONFIGS["poolside/Laguna-XS-2.1"])
    file["rope_parameters"]["full_attention"] = None
    specs = read_config(file)
    assert specs["full_attention"].rope_type == "none"
    assert specs["sliding_attention"].rope_type == "default"


def test_keys_without_effect_are_named():
    spec = only(
        {
            **LLAMA,
            "rope_theta": 1e6,
            "rope_scaling": {"type": "linear", "factor": 2, "alpha": 3},
            "use_dynamic_ntk": True,
        }
    )
    assert set(spec.ignored_keys) == {"alpha", "use_dynamic_ntk"}
    for place in ({"partial_rotary_factor": 0.5}, {"rope_parameters": {"partial_rotary_factor": 0.5}}):
        assert only({**LLAMA, "rope_theta": 1e6, **place}).ignored_keys == ("partial_rotary_factor",)
    assert "rope_theta" in only(CONFIGS["upstage/Solar-Open2-250B"]).ignored_keys


def test_a_scaling_replaces_the_parameters_whole():
    parameters = {"rope_type": "yarn", "factor": 4.0, "rope_theta": 5e5, "partial_rotary_factor": 0.5}
    spec = only({**LLAMA, "rope_scaling": {"type": "linear", "factor": 2.0}, "rope_parameters": parameters})
    assert (spec.rope_type, spec.base, spec.rotary_dim, spec.ignored_keys) == ("linear", 10000.0, 128, ())
    assert any("replaces rope_parameters" in note for note in spec.notes)


def test_the_compressed_layers_of_deepseek_v4_have_their_own_base_and_width():
    file = copy.deepcopy(CONFIGS["deepseek-ai/DeepSeek-V4.1-Flash"])
    plain = read_config(file)["compress"]
    file["text_config"]["rope_scaling"] |= {"rope_theta": 77.0, "partial_rotary_factor": 0.5}
    assert read_config(file)["compress"].scaling == plain.scaling


@pytest.mark.parametrize(
    "key",
    [
        {"use_rope": False},
        {"rotary": False},
        {"mla_use_nope": True},
        {"position_embedding_type": "alibi"},
        {"alibi": True},
    ],
)
def test_an_unknown_family_may_switch_rotation_off(key):
    config = {"model_type": "ouro", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4}
    assert only(config).rope_type == "default"
    assert only({**config, **key}).rope_type == "none"


def test_yarn_inside_a_layer_type_loses_its_truncate():
    file = copy.deepcopy(CONFIGS["poolside/Laguna-XS-2.1"])
    plain = read_config(file)["full_attention"]
    file["rope_parameters"]["full_attention"]["truncate"] = False
    spec = read_config(file)["full_attention"]
    assert spec.scaling == plain.scaling
    assert "truncate" in spec.ignored_keys
    assert any("does not look" in note for note in spec.notes)


@pytest.mark.parametrize(
    "repo", [m["repo"] for m in MODELS if {table["source"] for table in m["tables"]} == {"negative"}]
)
def test_a_model_without_rotation_has_an_empty_table_at_any_length(repo):
    spec = only(CONFIGS[repo])
    for length in (None, 1, 100_000):
        frequencies, factor = spec.table(length)
        assert (frequencies.shape, frequencies.dtype, factor) == ((0,), np.float32, 1.0)
    assert spec.notes


def test_the_dict_is_left_as_it_was():
    for config in CONFIGS.values():
        before = json.dumps(config)
        try:
            read_config(config)
        except RopeConfigError:
            continue
        finally:
            assert json.dumps(config) == before


# What is no config.json


DEEP = json.loads('{"text_config":' * 400 + "{}" + "}" * 400)
BAD = [
    ([], "config.json"),
    ("llama", "config.json"),
    (None, "config.json"),
    ({}, "model_type"),
    ({"model_type": ""}, "model_type"),
    ({"model_type": 3}, "model_type"),
    ({"model_type": "vit", "hidden_size": 768}, "model_type"),
    ({"name": "a-package", "version": "1.0.0", "dependencies": {}}, "model_type"),
    ({"model_type": "\0", "hidden_size": 4}, "model_type"),
    (DEEP, "model_type"),
    ({"model_type": "llama", "text_config": [1]}, "text_config"),
    ({**LLAMA, "architectures": "LlamaForCausalLM"}, "architectures"),
    ({**LLAMA, "hidden_size": "4096"}, "hidden_size"),
    ({**LLAMA, "hidden_size": -4096}, "hidden_size"),
    ({**LLAMA, "hidden_size": 0}, "hidden_size"),
    ({**LLAMA, "hidden_size": 10**30}, "hidden_size"),
    ({**LLAMA, "hidden_size": 4096.5}, "hidden_size"),
    ({**LLAMA, "hidden_size": 16}, "hidden_size"),
    ({**LLAMA, "num_attention_heads": 0}, "num_attention_heads"),
    ({**LLAMA, "num_attention_heads": True}, "num_attention_heads"),
    ({**LLAMA, "head_dim": -1}, "head_dim"),
    ({**LLAMA, "head_dim": 0}, "head_dim"),
    ({**LLAMA, "head_dim": 10**30}, "head_dim"),
    ({**LLAMA, "head_dim": 25}, "head_dim"),
    ({**LLAMA, "num_hidden_layers": 10**30}, "num_hidden_layers"),
    ({**LLAMA, "num_hidden_layers": -1}, "num_hidden_layers"),
    ({**LLAMA, "max_position_embeddings": 10**30}, "max_position_embeddings"),
    ({**LLAMA, "max_position_embeddings": math.inf}, "max_position_embeddings"),
    ({**LLAMA, "rope_theta": math.nan}, "rope_theta"),
    ({**LLAMA, "rope_theta": math.inf}, "rope_theta"),
    ({**LLAMA, "rope_theta": -1}, "rope_theta"),
    ({**LLAMA, "rope_theta": "10000"}, "rope_theta"),
    ({**LLAMA, "rope_theta": 10**400}, "rope_theta"),
    ({**LLAMA, "rope_theta": {"a": 1}}, "rope_theta"),
    ({**LLAMA, "rope_theta": True}, "rope_theta"),
    ({**LLAMA, "rope_scaling": "linear"}, "rope_scaling"),
    ({**LLAMA, "rope_scaling": [2.0]}, "rope_scaling"),
    ({**LLAMA, "rope_scaling": {"type": 3}}, "type"),
    ({**LLAMA, "rope_scaling": {"type": "axial"}}, "type"),
    ({**LLAMA, "rope_scaling": {"type": "linear", "factor": None}}, "factor"),
    ({**LLAMA, "rope_scaling": {"type": "linear", "factor": "2"}}, "factor"),
    ({**LLAMA, "rope_scaling": {"type": "linear", "factor": math.nan}}, "factor"),
    ({**LLAMA, "rope_scaling": {"type": "linear", "factor": 0}}, "factor"),
    ({**LLAMA, "rope_scaling": {"type": "yarn", "factor": 4, "beta_fast": -1}}, "beta_fast"),
    ({**LLAMA, "rope_scaling": {"type": "yarn", "factor": 4, "truncate": "no"}}, "truncate"),
    ({**LLAMA, "rope_scaling": {"type": "yarn", "factor": 4, "rope_theta": 1}}, "rope_theta"),
    ({**LLAMA, "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 64}}, "long_factor"),
    ({**LLAMA, "rope_scaling": {"type": "longrope", "short_factor": [0.0] * 64}}, "short_factor"),
    ({**LLAMA, "rope_scaling": {"type": "longrope", "short_factor": "1"}}, "short_factor"),
    ({**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2}, "head_dim": 2}, "head_dim"),
    ({"model_type": "phi", "head_dim": 50, "rope_scaling": {"type": "yarn", "factor": 2}}, "head_dim"),
    (
        {"model_type": "ouro", "head_dim": 64, "rope_scaling": {"type": "yarn", "factor": None}},
        "max_position_embeddings",
    ),
    ({"model_type": "phi", "head_dim": 64, "partial_rotary_factor": 2.0}, "partial_rotary_factor"),
    ({"model_type": "phi", "head_dim": 64, "partial_rotary_factor": 0.0}, "partial_rotary_factor"),
    ({"model_type": "gptj", "n_embd": 64, "n_head": 4, "rotary_dim": 17}, "rotary_dim"),
    ({"model_type": "gemma4_text", "rope_parameters": {"rope_theta": 1e4}}, "rope_parameters"),
    ({"model_type": "gemma2", "num_hidden_layers": 3, "layer_types": ["full_attention"]}, "layer_types"),
    ({"model_type": "smollm3", "num_hidden_layers": 3, "no_rope_layers": [1]}, "no_rope_layers"),
    ({"model_type": "ouro", "rope_theta": 1e4}, "hidden_size"),
    (
        {"model_type": "ouro", "head_dim": 64, "rope_scaling": {"type": "dynamic", "factor": 2}},
        "max_position_embeddings",
    ),
]


@pytest.mark.parametrize(("config", "key"), BAD, ids=range(len(BAD)))
def test_a_bad_file_is_refused_in_one_sentence_that_names_the_key(config, key):
    with pytest.raises(RopeConfigError) as caught:
        read_config(config)
    sentence = str(caught.value)
    assert caught.value.key == key
    assert sentence.startswith(f"{key}: expected {caught.value.expectation}, found ")
    assert sentence.endswith(".")
    assert len(sentence) < 300
    assert "\n" not in sentence
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("length", [0, -1, 1.5, "8", True, 10**30, math.nan])
def test_a_length_that_is_none(length):
    for repo in ("Qwen/Qwen3-8B", "openai-community/gpt2-xl"):
        with pytest.raises(RopeConfigError, match=r"^seq_len"):
            only(CONFIGS[repo]).table(length)


def test_huge_values_cost_no_memory():
    tracemalloc.start()
    for config in (
        {**LLAMA, "head_dim": 2**16},
        {**LLAMA, "num_hidden_layers": 10_000},
        {**LLAMA, "rope_theta": "9" * 5_000_000},
        {**LLAMA, "layer_types": ["full_attention"] * 20_001},
        {**LLAMA, "rope_scaling": {"type": "longrope", "short_factor": [1.0] * 1_000_000}},
        {**LLAMA, "rope_scaling": {str(number): number for number in range(1000)}},
    ):
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        with contextlib.suppress(RopeConfigError):
            read_config(config)
        assert tracemalloc.get_traced_memory()[1] - before < 5_000_000
    tracemalloc.stop()


KEYS = sorted({key for config in CONFIGS.values() for part in (config, config.get("text_config", {})) for key in part})
INNER = sorted(
    {
        key
        for config in CONFIGS.values()
        for dict_ in (config.get("rope_scaling"), config.get("rope_parameters"))
        for key in dict_ or ()
    }
)
TYPES = ("default", "linear", "dynamic", "llama3", "yarn", "longrope", "proportional", "mrope", "su")
numbers = st.one_of(
    st.integers(-3, 70000),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0, -1, 10**30, 10**400, 2**63, 1e-300, 1e300, 1, 2, 0.5, 64, 4096, 10000.0]),
)
leaves = st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=5), st.sampled_from(TYPES))
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(st.one_of(st.sampled_from(INNER), st.text(max_size=3)), inner, max_size=4),
    ),
    max_leaves=8,
)
rope_dicts = st.dictionaries(st.sampled_from(INNER), values, max_size=6)
files = st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=5)), values, max_size=8)
model_types = st.sampled_from(sorted({"x", *(config.get("model_type", "x") for config in CONFIGS.values())}))


@given(files, model_types, rope_dicts, st.sampled_from(["rope_scaling", "rope_parameters"]))
@example({"per_layer_config": {"9" * 5000: {}}}, "gemma4_text", {}, "rope_scaling")
@example({1: 2, "rope_theta": 1.0}, "llama", {None: 3}, "rope_parameters")
def test_whatever_a_file_holds_it_is_read_or_refused(file, model_type, rope, key):
    config = {**file, "model_type": model_type, key: rope}
    try:
        specs = read_config(config)
    except RopeConfigError:
        return
    for spec in specs.values():
        for length in (None, 1, 5000, 10**6):
            frequencies, factor = spec.table(length)
            assert np.isfinite(frequencies).all()
            assert math.isfinite(factor)


@given(st.sampled_from(sorted(CONFIGS)), st.data())
def test_a_real_file_with_one_spoilt_value_is_read_or_refused(repo, data):
    config = copy.deepcopy(CONFIGS[repo])
    part = data.draw(st.sampled_from([config, *(value for value in config.values() if isinstance(value, dict))]))
    if part:
        part[data.draw(st.sampled_from(sorted(part)))] = data.draw(values)
    try:
        specs = read_config(config)
    except RopeConfigError:
        return
    assert all(np.isfinite(spec.table(length)[0]).all() for spec in specs.values() for length in (None, 10**6))
