"""The reader and the tables against transformers 5.24.0 itself, run here."""

import contextlib
import copy
import json

import numpy as np
import pytest
import transformers
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from rope_core import rotate
from rope_core.config import RopeSpec, read_config
from rope_core.families import FAMILIES, NO_ROPE, NOT_READ
from rope_core.keys import RopeConfigError
from tests.rope_core import transformers_build as built
from tests.rope_core.golden import GOLDEN
from tests.rope_core.models import MODELS, is_transformers

# Families whose rotation has no `RotaryEmbedding` with frequencies in it; they are compared in tests of their own.
BY_OTHER_MEANS = {"gptj", "codegen", "roformer", "esm", "granite4_vision_text"}
OURS_ALONE = {"bailing_moe_v2_5"}  # an architecture that shares bailing_hybrid's model_type
LIVE = sorted(set(FAMILIES) - BY_OTHER_MEANS - OURS_ALONE)
# At their defaults these switch rotation off, or turn a whole head of 73 entries.
SILENT = {
    "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": ["full_attention"] * 32},
    "zamba2": {"use_mem_rope": True},
}
# At their defaults the sections of these do not fit the width of their heads.
SECTIONS = {
    "glm4v_moe_text": [4, 6, 6],
    "glm4v_text": [8, 12, 12],
    "glm_image_text": [8, 12, 12],
    "hunyuan_vl_text": [8, 12, 12],
}
ODD_BY_DEFAULT = {"qwen3_omni_moe_text"}
FILES = [m["config"] for m in MODELS if any(map(is_transformers, m["tables"]))] + [
    row["config"] for row in GOLDEN["inv_freq"]
]
LENGTHS = (None, 100, 4097, 140_000)


def spec_of(specs: dict[str, RopeSpec], label: str | None) -> RopeSpec:
    """Our spec for a layer type of transformers, or for the one table it has."""
    if label in specs:
        return specs[label]
    rotating = [spec for name, spec in specs.items() if spec.rope_type != "none" and name != "linear_attention"]
    assert len(rotating) == 1, specs.keys()
    return rotating[0]


def tolerance(spec: RopeSpec, seq_len: int | None) -> float:
    """5e-7, except where transformers' own rounding is magnified.

    A blend magnifies one unit in the last place of a power by up to the factor; and beyond the served length
    transformers computes the dynamic base in float32, whose error grows with the factor.
    """
    beyond = spec.rope_type == "dynamic" and (seq_len or 0) > spec.scaling.max_positions
    return 1e-7 * max(5, spec.scaling.factor) if beyond or spec.rope_type in ("llama3", "yarn") else 5e-7


def check(file: dict, seq_len: int | None = None, expected: dict | None = None) -> None:
    """Every table that transformers builds from a file is ours."""
    specs = read_config(file)
    config = built.text_config(file)
    compared = [label for label in built.labels(config) if label is None or label in specs]
    assert compared
    for label in compared:
        frequencies, factor = (expected or {}).get(label) or built.table(config, label, seq_len)
        spec = spec_of(specs, label)
        ours, our_factor = spec.table(seq_len)
        np.testing.assert_allclose(ours, frequencies, rtol=tolerance(spec, seq_len), atol=0, err_msg=str(file)[:2000])
        assert our_factor == pytest.approx(factor, abs=1e-12)


def test_the_version_is_the_one_we_follow():
    assert transformers.__version__ == GOLDEN["meta"]["transformers"] == "5.24.0"


@pytest.mark.parametrize(
    "file", [file for file in FILES if file["model_type"] != "gptj"], ids=lambda f: f["model_type"]
)
def test_a_real_model(file):
    for seq_len in LENGTHS:
        check(file, seq_len)


# The table of families


def silent_file(model_type: str) -> dict:
    return {"model_type": model_type, **SILENT.get(model_type, {})}


@pytest.mark.parametrize("model_type", sorted(set(LIVE) - ODD_BY_DEFAULT))
def test_a_family_whose_file_says_nothing(model_type):
    check(silent_file(model_type))


@pytest.mark.parametrize("model_type", sorted(set(LIVE) - ODD_BY_DEFAULT))
def test_a_family_as_transformers_saves_it(model_type):
    config = CONFIG_MAPPING[model_type](**SILENT.get(model_type, {}))
    saved = json.loads(config.to_json_string(use_diff=False))
    saved.pop("time_step_limit", None)  # not read back by transformers itself
    check(saved)


@pytest.mark.parametrize("model_type", LIVE)
def test_a_family_with_sizes_of_its_own(model_type):
    file = {**silent_file(model_type), "hidden_size": 512, "num_attention_heads": 8}
    if model_type == "zamba2":
        file["attention_head_dim"] = 128
    check(file)


@pytest.mark.parametrize("model_type", LIVE)
def test_a_familys_sizes(model_type):
    """What stands in for sizes that a file does not state; dynamic tables depend on the last of them."""
    config, family = CONFIG_MAPPING[model_type](), FAMILIES[model_type]
    for name in ("hidden_size", "num_attention_heads", "max_position_embeddings"):
        assert getattr(family, name) == getattr(config, name, None), name


@pytest.mark.parametrize("model_type", sorted(set(LIVE) - ODD_BY_DEFAULT))
def test_a_familys_layout(model_type):
    file = silent_file(model_type)
    if model_type in SECTIONS:
        sections = {"rope_type": "default", "mrope_section": SECTIONS[model_type]}
        file |= {"hidden_size": 512, "num_attention_heads": 8, "rope_parameters": sections}
    config, specs = built.text_config(file), read_config(file)
    for label in built.labels(config):
        spec = spec_of(specs, label)
        frequencies, factor = spec.table()
        turns = -3 if model_type == "nanochat" else 3  # the one family that turns the other way
        width = 2 * len(frequencies)
        ours = rotate(np.eye(width), [turns] * width, frequencies, spec.layout, factor)
        np.testing.assert_allclose(built.turned(config, spec.layout, 3, label), ours, atol=2e-6)


@pytest.mark.parametrize("model_type", ["axk1", "deepseek_v3", "glm4_moe_lite", "mistral4", "sarvam_mla", "youtu"])
def test_a_switch_in_the_file_changes_the_layout(model_type):
    file = {"model_type": model_type, "rope_interleave": False}
    (spec,) = read_config(file).values()
    assert spec.layout == "half"
    width = 2 * len(spec.table()[0])
    ours = rotate(np.eye(width), [3] * width, *spec.table()[:1], spec.layout, spec.table()[1])
    np.testing.assert_allclose(built.turned(built.text_config(file), "half", 3), ours, atol=2e-6)


@pytest.mark.parametrize("model_type", ["gptj", "codegen"])
@pytest.mark.parametrize("rotary_dim", [None, 32])
def test_the_families_with_a_table_of_cosines(model_type, rotary_dim):
    file = {"model_type": model_type, "n_embd": 1024, "n_head": 8}
    file |= {} if rotary_dim is None else {"rotary_dim": rotary_dim}
    (spec,) = read_config(file).values()
    config = built.text_config(file)
    sines, cosines = np.split(built.rotary_embedding(config).embed_positions.numpy()[:2048], 2, axis=-1)
    angles = np.arange(2048)[:, None] * spec.table()[0].astype(float)
    np.testing.assert_allclose(sines, np.sin(angles), atol=2e-4)
    np.testing.assert_allclose(cosines, np.cos(angles), atol=2e-4)
    vectors = np.eye(spec.rotary_dim, dtype=np.float32)
    module, torch = built.modelling(config), built.torch
    out = module.apply_rotary_pos_emb(
        torch.tensor(vectors)[None, :, None], *(torch.tensor(a[3])[None, None] for a in (sines, cosines))
    )
    ours = rotate(vectors, [3] * len(vectors), spec.table()[0], spec.layout)
    np.testing.assert_allclose(out[0, :, 0], ours, atol=2e-6)


def test_roformer():
    file = {"model_type": "roformer", "hidden_size": 512, "num_attention_heads": 8}
    (spec,) = read_config(file).values()
    module, torch = built.modelling(built.text_config(file)), built.torch
    table = module.RoFormerSinusoidalPositionalEmbedding(8, 64)
    turning = table.create_weight()[3].expand(1, 1, 64, 64)
    vectors = torch.eye(64)[None, None]
    out = module.RoFormerSelfAttention.apply_rotary_position_embeddings(turning, vectors, vectors)[0]
    ours = rotate(np.eye(64), [3] * 64, spec.table()[0], spec.layout)
    np.testing.assert_allclose(out[0, 0], ours, atol=2e-6)


def test_esm_rotates_where_its_file_says_so():
    file = {"model_type": "esm", "position_embedding_type": "rotary", "hidden_size": 320, "num_attention_heads": 20}
    check(file)
    assert read_config({**file, "position_embedding_type": "absolute"})["all"].rope_type == "none"


@pytest.mark.parametrize("seq_len", [100, 5000])
def test_phimoe_turns_by_its_short_factors_at_any_length(seq_len):
    pairs = np.linspace(1, 30, 64).tolist()
    rope = {
        "type": "longrope",
        "short_factor": pairs,
        "long_factor": pairs[::-1],
        "short_mscale": 1.25,
        "long_mscale": 1.5,
    }
    file = {"model_type": "phimoe", "rope_scaling": {**rope, "original_max_position_embeddings": 4096}}
    (spec,) = read_config(file).values()
    frequencies, factor = spec.table(seq_len)
    positions = built.torch.tensor([[seq_len - 1]])
    cosines, _ = built.rotary_embedding(built.text_config(file))(built.torch.zeros(1), positions)
    angles = np.float32(seq_len - 1) * frequencies
    np.testing.assert_allclose(cosines[0, 0, :64], factor * np.cos(angles), atol=2e-3)


@pytest.mark.parametrize("model_type", ["hunyuan_v1_dense", "hunyuan_v1_moe"])
def test_a_fixed_alpha_stretches_the_base(model_type):
    file = {"model_type": model_type, "hidden_size": 512, "num_attention_heads": 4, "head_dim": 128}
    rope = {"type": "dynamic", "alpha": 1000.0, "factor": 1.0}
    for seq_len in LENGTHS:
        check({**file, "rope_scaling": rope}, seq_len)
        check({**file, "rope_scaling": {**rope, "alpha": None, "factor": 2.0}}, seq_len)


@pytest.mark.parametrize(
    "keys", [{"rope_parameters": {"rope_theta": None, "rope_type": "default"}}, {"rope_theta": None}]
)
def test_a_null_base_means_no_rotation_in_olmo_hybrid(keys):
    file = {"model_type": "olmo_hybrid", "num_hidden_layers": 8, **keys}
    assert built.text_config(file).rope_parameters["rope_theta"] is None
    assert read_config(file)["all"].rope_type == "none"


def test_no_family_of_transformers_is_left_to_guessing():
    """Every causal language model that transformers builds is in one of our tables, or holds a text part that is."""
    names = built.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    unknown = [
        name for name in names if name in CONFIG_MAPPING and not getattr(CONFIG_MAPPING[name], "sub_configs", None)
    ]
    for name in sorted(set(unknown) - {"bert-generation"} - NOT_READ):
        try:
            notes = [note for spec in read_config({"model_type": name}).values() for note in spec.notes]
        except RopeConfigError as caught:
            notes = [str(caught)]
        assert not any(note.startswith("model_type") or "not known to" in note for note in notes), name


def test_families_without_rotation_have_no_rotary_embedding():
    for name in sorted(NO_ROPE & set(CONFIG_MAPPING)):
        config = CONFIG_MAPPING[name]
        assert not getattr(config, "default_theta", None) or not hasattr(config(), "rope_parameters"), name


# Which layers rotate


ROTATES = {  # model type: which layers transformers rotates, from its modelling file
    "afmoe": lambda config: [kind == "sliding_attention" for kind in config.layer_types],
    "cohere2": lambda config: [kind == "sliding_attention" for kind in config.layer_types],
    "exaone4": lambda config: [config.sliding_window is None or kind[0] == "s" for kind in config.layer_types],
    "kolibri1": lambda config: [config.sliding_window is None or kind[0] == "s" for kind in config.layer_types],
    "smollm3": lambda config: [bool(mark) for mark in config.no_rope_layers],
    "llama4_text": lambda config: [bool(mark) for mark in config.no_rope_layers],
    "mistral_large4_text": lambda config: [bool(mark) for mark in config.no_rope_layers],
    "muse_glimmer_text": lambda config: [base != 0 for base in config.layer_rope_theta],
    "muse_spark_text": lambda config: [base != 0 for base in config.layer_rope_theta],
    "qwen3_next": lambda config: [kind == "full_attention" for kind in config.layer_types],
    "qwen3_5_text": lambda config: [kind == "full_attention" for kind in config.layer_types],
    "qwen4_exp_text": lambda config: [kind == "indexed_attention" for kind in config.layer_types],
    "olmo_hybrid": lambda config: [kind == "full_attention" for kind in config.layer_types],
    "minimax": lambda config: [kind == "full_attention" for kind in config.layer_types],
    "bailing_hybrid": lambda config: [kind == "full_attention" for kind in config.layer_types],
    "lfm2": lambda config: [kind == "full_attention" for kind in config.layer_types],
    "cohere2_moe": lambda config: [
        kind == "sliding_attention" or (dense == "dense" and config.prefix_dense_sliding_window_pattern == 1)
        for kind, dense in zip(config.layer_types, config.mlp_layer_types, strict=True)
    ],
}
MORE = {
    "exaone4": [{"sliding_window": None, "layer_types": ["full_attention"] * 12}],
    "smollm3": [{"no_rope_layer_interval": 3}, {"no_rope_layers": [1, 0] * 6}],
    "llama4_text": [{"no_rope_layer_interval": 2}, {"no_rope_layers": []}],
    "qwen3_next": [{"full_attention_interval": 3}],
    "lfm2": [{"full_attn_idxs": [0, 5, 7]}],
    "cohere2": [{"sliding_window_pattern": 3}],
    "cohere2_moe": [
        {"first_k_dense_replace": 3},
        {"mlp_layer_types": ["dense"] * 2 + ["sparse"] * 10},
        {"first_k_dense_replace": 3, "prefix_dense_sliding_window_pattern": 2, "layer_types": ["full_attention"] * 12},
    ],
    "afmoe": [{"global_attn_every_n_layers": 6}],
    "bailing_hybrid": [{"layer_group_size": 4}],
}


@pytest.mark.parametrize(
    ("model_type", "keys"),
    [(model_type, keys) for model_type in ROTATES for keys in [{}, *MORE.get(model_type, [])]],
)
def test_which_layers_rotate(model_type, keys):
    file = {"model_type": model_type, "num_hidden_layers": 12, **keys}
    config = built.text_config(file)
    expected = {layer for layer, rotates in enumerate(ROTATES[model_type](config)) if rotates}
    saved = {**file, "layer_types": list(config.layer_types)} if getattr(config, "layer_types", None) else file
    for spelling in (file, saved):
        specs = read_config(spelling)
        rotating = [layer for spec in specs.values() if spec.rope_type != "none" for layer in spec.layers]
        assert sorted(rotating) == sorted(expected)
        assert sorted(layer for spec in specs.values() for layer in spec.layers) == list(range(12))


BY_LABEL = [
    "gemma3_text",
    "gemma3n_text",
    "gemma4_text",
    "olmo3",
    "modernbert",
    "dory",
    "ultrabert",
    "embedding_gemma2_text",
]


@pytest.mark.parametrize("model_type", BY_LABEL)
@pytest.mark.parametrize("layers", [6, 13])
def test_which_layers_have_which_table(model_type, layers):
    file = {"model_type": model_type, "num_hidden_layers": layers}
    kinds = built.text_config(file).layer_types
    specs = read_config(file)
    assert {name: spec.layers for name, spec in specs.items()} == {
        kind: tuple(layer for layer in range(layers) if kinds[layer] == kind) for kind in set(kinds)
    }


# Other spellings of the same, and scalings that no file of the data has


plain = st.sampled_from([500.0, 10000, 10000.0, 500000, 1e6, 1e7])
shares = st.sampled_from([0.25, 0.5, 0.75, 0.4, 0.29, 1 / 3, 0.5, 1.0])
maybe = st.booleans()


@st.composite
def scalings(draw, pairs: int) -> dict:
    """A rope dict of any type, in any of its spellings, with any of its optional keys."""
    name = draw(st.sampled_from(["default", "linear", "dynamic", "llama3", "yarn", "longrope", "proportional"]))
    optional = {
        "yarn": {
            "beta_fast": st.sampled_from([32, 16.0, 64, 0, None]),
            "beta_slow": st.sampled_from([1, 2.0, 0, None]),
            "mscale": st.sampled_from([1.0, 0.707, 0]),
            "mscale_all_dim": st.sampled_from([1.0, 0.707, 0]),
            "attention_factor": st.sampled_from([1.0, 1.3, None, 0.0]),
            "truncate": maybe,
        },
        "longrope": {"factor": st.sampled_from([1.0, 8.0, 0.5]), "attention_factor": st.sampled_from([1.0, None])},
        "proportional": {"factor": st.sampled_from([1.0, 8.0])},
    }.get(name, {})
    optional |= {"original_max_position_embeddings": st.sampled_from([1024, 4096, 8192])}
    optional |= {"rope_theta": plain, "partial_rotary_factor": shares}
    rope = {key: draw(value) for key, value in optional.items() if draw(maybe)}
    if name in ("linear", "dynamic", "llama3", "yarn"):
        rope["factor"] = draw(st.sampled_from([1.0, 2, 4.0, 32.0, 0.5]))
    if name == "llama3":
        rope |= {
            "low_freq_factor": draw(st.sampled_from([1, 2.0])),
            "high_freq_factor": draw(st.sampled_from([4.0, 8])),
        }
    if name == "longrope":
        numbers = st.lists(st.floats(1, 60), min_size=pairs, max_size=pairs)
        rope |= {"short_factor": draw(numbers), "long_factor": draw(numbers)}
    for key in draw(st.sampled_from([("type",), ("rope_type",), ("type", "rope_type")])):
        rope[key] = name
    return rope


@st.composite
def small_files(draw) -> dict:
    """A small file of any family."""
    model_type = draw(st.sampled_from([name for name in LIVE if name not in ("zamba2", "mistral4")]))
    heads = draw(st.sampled_from([4, 8, 12]))
    file = {
        **silent_file(model_type),
        "hidden_size": heads * draw(st.sampled_from([16, 50, 64, 80, 128])),
        "num_attention_heads": heads,
    }
    family = FAMILIES[model_type]
    if family.head_dim_keys == ("head_dim",) and not family.by_label and draw(maybe):
        file["head_dim"] = draw(st.sampled_from([16, 50, 64, 100, 128]))
    optional = {
        "rope_theta": plain,
        "partial_rotary_factor": shares,
        "max_position_embeddings": st.sampled_from([2048, 32768]),
    }
    return file | {key: draw(value) for key, value in optional.items() if draw(maybe)}


def text_part(file: dict) -> dict:
    return file.get("text_config", file)


def pairs_of(file: dict) -> int:
    """How many pairs turn; a file that is refused before anything is respelled is no example."""
    try:
        specs = read_config(file).values()
    except RopeConfigError:
        reject()
    return len(next(iter(s for s in specs if s.rope_type != "none")).table()[0])


@st.composite
def respelled(draw) -> dict:
    """A real file or a small one, its rope keys moved, renamed, nulled or replaced."""
    file = copy.deepcopy(draw(st.one_of(st.sampled_from(FILES), small_files())))
    part, key = text_part(file), draw(st.sampled_from(["rope_scaling", "rope_parameters"]))
    is_nested = any(isinstance(value, dict) for value in (part.get("rope_parameters") or {}).values())
    kind = draw(st.sampled_from(["scaled", "moved", "null"]))
    if kind == "null":
        part.setdefault(key, draw(st.sampled_from([None, {}])))
    elif not is_nested:
        rope = dict(part.pop("rope_scaling", None) or part.pop("rope_parameters", None) or {})
        part.pop("rope_parameters", None)
        if kind == "scaled":
            rope = draw(scalings(pairs_of(file)))
        for name in ("rope_theta", "partial_rotary_factor"):
            if name in part and not isinstance(part[name], list) and draw(maybe):
                rope.setdefault(name, part.pop(name))
        if kind == "moved" and "rope_type" in rope and draw(maybe):
            rope["type"] = rope.pop("rope_type")
        part[key] = rope
        # in these transformers drops the key, or looks for it before it has it
        if (
            FAMILIES.get(part["model_type"], FAMILIES["llama"]).by_label == {}
            and "_vl" not in part["model_type"]
            and draw(maybe)
        ):
            part["original_max_position_embeddings"] = draw(st.sampled_from([None, 2048, 8192]))
    if "text_config" not in file and draw(st.integers(0, 4)) == 0:
        file = {"model_type": "llava", "text_config": file}
    return file


@pytest.mark.filterwarnings("ignore:.rope_scaling. is deprecated:FutureWarning")
@settings(max_examples=600)
@given(respelled(), st.sampled_from(LENGTHS))
def test_any_spelling(file, seq_len):
    try:
        config = built.text_config(file)
        expected = {label: built.table(config, label, seq_len) for label in built.labels(config)}
    except Exception:  # transformers refuses in many ways; ours is one
        with contextlib.suppress(RopeConfigError):
            read_config(file)
        return
    check(file, seq_len, expected)
