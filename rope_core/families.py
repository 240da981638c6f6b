"""What a model family assumes where its config.json is silent, as transformers 5.24.0 assumes it.

One row for each `model_type`. A family that differs from the others differs in a value here, never in a branch
elsewhere. The numbers that open a row are its hidden_size, num_attention_heads, max_position_embeddings and, where the
family does not divide the first by the second, its head_dim.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Layout = Literal["half", "interleaved", "interleaved_to_half"]
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Pattern:
    """The label of each layer when the file lists none: every `every`-th layer is `on`, the others are `off`."""

    every: int
    key: str | None = None  # the file's key for another `every`
    first: int = -1  # which layer of each group is `on`
    from_end: bool = False  # groups are counted from the last layer
    on: str = "full_attention"
    off: str = "sliding_attention"
    last_on: bool = False  # the last layer is `on` in any case
    after_dense: bool = (
        False  # groups are counted after the first_k_dense_replace layers, which have a pattern of theirs
    )


@dataclass(frozen=True)
class LayerType:
    """How the layers of one label differ from the rest of the family."""

    base: float | None = None  # None: the family's
    base_key: str | None = None  # the top-level key of the base; None: the family's
    scaled: bool = True  # whether a flat rope dict reaches these layers
    start: Facts = field(default_factory=dict)  # what a flat rope dict is laid over
    drops: tuple[str, ...] = ()  # the keys of a flat rope dict that do not reach them
    family: "Family | None" = None  # widths and layout, where these layers have their own


@dataclass(frozen=True)
class Family:
    """The facts of one family; every default is the commonest fact."""

    hidden_size: int | None = None
    num_attention_heads: int | None = None
    max_position_embeddings: int | None = None
    head_dim: int | None = None

    # how wide the turning part of a head is, and how it is laid out
    layout: Layout = "half"
    layout_key: str | None = None  # false in the file turns interleaved_to_half into half
    rotated_slice: Literal["first", "last"] = "first"
    head_dim_keys: tuple[str, ...] = ("head_dim",)
    nope_key: str | None = None  # the key of the still width, where a head is the sum of both
    rotary_dim_key: str | None = None  # the key of the turning width itself
    rotary_dim: int | None = None  # the turning width of a silent file
    partial: float = 1.0
    partial_keys: tuple[str, ...] = ("partial_rotary_factor",)
    honours_partial: bool = False  # whether the unscaled table does; the scaled ones always do

    # the numbers of the table
    base: float = 10000.0
    base_keys: tuple[str, ...] = ("rope_theta",)
    base_ratio_key: str | None = None  # what a base that is not stated is multiplied by
    parameters: Facts | None = None  # the rope dict of a file that has none
    reads_scaling: bool = True  # whether rope_scaling has an effect at all
    original_positions: int | None = None  # the top-level original_max_position_embeddings of a silent file
    aliases: Mapping[str, str] = field(default_factory=dict)  # further names of rope types
    types: tuple[str, ...] = ()  # the rope types the family takes; empty: all
    alpha: bool = False  # `alpha` beside the type dynamic stretches the base once and for all
    never_long: bool = False  # the model code leaves longrope's long factors unused
    softmax_mscale: bool = False  # mscale_all_dim multiplies the softmax scale too

    # which layers rotate, and which share a table
    by_label: Mapping[str, LayerType] = field(default_factory=dict)  # the labels that have tables of their own
    flat: Literal["any", "scaling", "refuse"] = "any"  # which flat rope dicts such a family reads
    labels: Mapping[str, str] = field(default_factory=dict)  # layer type in the file -> label of its table
    pattern: Pattern | None = None
    lists: tuple[str, ...] = ()  # the per-layer lists the family reads besides layer_types
    layer_bases: bool = True  # layer_rope_theta holds bases; otherwise only its zeros count
    rotating: tuple[str, ...] = ()  # the labels that rotate; empty: all that attend
    rotates_unwindowed: bool = False  # with sliding_window null, all labels rotate
    rotates_dense_prefix: bool = False  # the first_k_dense_replace layers rotate whatever their label
    switch: tuple[str, Any, Any] | None = None  # key, the value that means RoPE, the value of a silent file
    null_base_is_none: bool = False  # rope_theta null means no RoPE

    remark: str = ""


def _both(full: LayerType, sliding: LayerType) -> dict[str, LayerType]:
    return {"full_attention": full, "sliding_attention": sliding}


def _by_window(full: Facts | None, sliding: Facts) -> dict[str, Facts | None]:
    return {"full_attention": full, "sliding_attention": sliding}


def _rope(base: float | None, rope_type: str = "default", /, **others: float | bool) -> dict[str, Any]:
    return {"rope_type": rope_type, "rope_theta": base, **others}


def _thetas(full: float, sliding: float, /, **others: float | bool) -> dict[str, Facts | None]:
    return _by_window(_rope(full, **others), _rope(sliding, **others))


def _llama3(base: float, factor: float) -> dict[str, Any]:
    bounds = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    return _rope(base, "llama3", factor=factor, original_max_position_embeddings=8192, **bounds)


def _yarn(base: float | None, factor: float, original: int, /, **others: float | bool) -> dict[str, Any]:
    return _rope(base, "yarn", factor=factor, original_max_position_embeddings=original, **others)


# Facts that several rows share.
_DEFAULT = {"rope_type": "default"}
_PARTIAL: Facts = {"honours_partial": True}
_SPLIT: Facts = {"layout": "interleaved"}
_MLA: Facts = {
    "layout": "interleaved_to_half",
    "rotated_slice": "last",
    "head_dim_keys": ("qk_rope_head_dim",),
    "softmax_mscale": True,
}
_MLA_SWITCHED: Facts = {**_MLA, "layout_key": "rope_interleave"}
_NEOX: Facts = {**_PARTIAL, "base_keys": ("rotary_emb_base",), "partial_keys": ("rotary_pct",)}
_AS_GIVEN: Facts = {"base_keys": (), "partial_keys": ()}
_GPTJ: Facts = {**_SPLIT, **_PARTIAL, **_AS_GIVEN, "rotary_dim_key": "rotary_dim", "rotary_dim": 64}
_PHI3: Facts = {
    **_PARTIAL,
    "original_positions": 4096,
    "aliases": {"yarn": "longrope"},
    "types": ("default", "longrope"),
}
_GEMMA3: Facts = {
    "flat": "scaling",
    "by_label": _both(
        LayerType(1e6, "rope_theta", start=_DEFAULT),
        LayerType(1e4, "rope_local_base_freq", scaled=False, start=_DEFAULT),
    ),
}
_GEMMA3_PATTERN = Pattern(6, "sliding_window_pattern")
_MODERNBERT: Facts = {
    "flat": "scaling",
    "by_label": _both(
        LayerType(1.6e5, "global_rope_theta", start=_DEFAULT), LayerType(1e4, "local_rope_theta", start=_DEFAULT)
    ),
    "pattern": Pattern(3, "global_attn_every_n_layers", first=0),
}
_WIDE_HEADS = LayerType(family=Family(head_dim=512, head_dim_keys=("global_head_dim",)))
_GEMMA4: Facts = {
    **_AS_GIVEN,
    "flat": "refuse",
    "by_label": _both(_WIDE_HEADS, LayerType()),
    "pattern": Pattern(6, last_on=True),
    "parameters": _by_window(_rope(1e6, "proportional", partial_rotary_factor=0.25), _rope(1e4)),
}
_WINDOWED: Facts = {"flat": "refuse", "by_label": _both(LayerType(), LayerType())}
_SLIDING_TURNS: Facts = {"rotating": ("sliding_attention",)}
_COHERE2: Facts = {**_SPLIT, **_SLIDING_TURNS, "pattern": Pattern(4, "sliding_window_pattern")}
_EXAONE4: Facts = {**_SLIDING_TURNS, "rotates_unwindowed": True, "pattern": Pattern(4, "sliding_window_pattern")}
_MUSE: Facts = {
    **_SLIDING_TURNS,
    "layer_bases": False,
    "lists": ("layer_rope_theta",),
    "pattern": Pattern(4, first=0, from_end=True),
}
_NOPE_EVERY_4: Facts = {
    "lists": ("no_rope_layers",),
    "pattern": Pattern(4, "no_rope_layer_interval", on="none", off="rotary"),
}
_HYBRID: Facts = {"pattern": Pattern(4, "full_attention_interval", off="linear_attention")}
_QWEN35: Facts = {**_PARTIAL, **_HYBRID, "partial": 0.25}
_GPT_OSS = _yarn(None, 32.0, 4096, truncate=False)
_STEP: Facts = {
    **_PARTIAL,
    "partial_keys": (),
    "flat": "scaling",
    "by_label": _both(LayerType(start=_DEFAULT), LayerType(scaled=False, start=_DEFAULT)),
    "pattern": Pattern(1),
}
# fmt: off
_DEEPSEEK_V4 = Family(
    4096, 64, 1048576, 512, rotated_slice="last", rotary_dim_key="qk_rope_head_dim", partial=0.125,
    **_SPLIT, **_PARTIAL, lists=("compress_ratios",),
    by_label={
        "main": LayerType(scaled=False),
        "compress": LayerType(
            1.6e5, "compress_rope_theta", start={"attention_factor": 1.0},
            drops=("rope_theta", "partial_rotary_factor"),
        ),
    },
    labels={
        "sliding_attention": "main",
        "compressed_sparse_attention": "compress",
        "heavily_compressed_attention": "compress",
    },
)
_BAILING = Family(
    2560, 32, 262144, 64, base=6e6, pattern=Pattern(6, "layer_group_size", off="linear_attention"), **_MLA,
)
_BAILING_LIGHTNING = Family(
    head_dim=128, head_dim_keys=("linear_head_dim", "head_dim"), rotary_dim_key="rotary_dim", **_PARTIAL,
)
_UNCERTAIN_LIGHTNING = (
    "transformers does not build the lightning layers of this architecture; a public port turns the first rotary_dim "
    "entries of their heads, layout half."
)

FAMILIES: dict[str, Family] = {
    "afmoe": Family(2048, 16, 16384, 128, pattern=Pattern(4, "global_attn_every_n_layers"), **_SLIDING_TURNS),
    "apertus": Family(4096, 32, 65536, base=1.2e7, parameters=_llama3(1.2e7, 8.0)),
    "apertus1p5_text": Family(4096, 32, 65536, base=1.2e7, parameters=_llama3(1.2e7, 8.0)),
    "arcee": Family(2560, 32, 4096),
    "aria_text": Family(4096, 32, 2048),
    "axk1": Family(7168, 64, 32768, 64, **_MLA_SWITCHED),
    "axk2": Family(2048, 32, 131072, 32, **_MLA),
    "bailing_hybrid": _BAILING,
    "bailing_moe_v2_5": replace(
        _BAILING, by_label={"rotary": LayerType(), "linear_attention": LayerType(family=_BAILING_LIGHTNING)},
        pattern=Pattern(6, "layer_group_size", on="rotary", off="linear_attention"),
        labels={"full_attention": "rotary"}, remark=_UNCERTAIN_LIGHTNING,
    ),
    "bamba": Family(4096, 32, 262144, lists=("attn_layer_indices",), partial=0.5, partial_keys=(), **_PARTIAL),
    "beam": Family(
        5120, 48, 8192, 128, pattern=Pattern(6, last_on=True), **_WINDOWED, **_AS_GIVEN,
        parameters=_by_window(None, _rope(1e4)),
    ),
    "bitnet": Family(2560, 20, 2048, base=5e5),
    "chameleon": Family(4096, 32, 4096),
    "codegen": Family(4096, 16, 2048, **_GPTJ),
    "cohere": Family(8192, 64, 8192, base=5e5, **_SPLIT),
    "cohere2": Family(8192, 64, 8192, **_COHERE2),
    "cohere2_moe": Family(
        8192, 64, 8192, 128, rotates_dense_prefix=True, reads_scaling=False, partial_keys=(),
        **{**_COHERE2, "pattern": Pattern(4, "sliding_window_pattern", after_dense=True)},
    ),
    "cosmos3_edge_text": Family(2048, 16, 131072, 128, base=1e8, types=("default",), parameters=_rope(1e8)),
    "csm": Family(2048, 32, 2048, base=5e5),
    "cwm": Family(6144, 48, 131072, 128, base=1e6, parameters=_llama3(1e6, 16.0)),
    "dbrx": Family(2048, 16, 2048),
    "deepseek_ocr2_text": Family(4096, 32, 2048, head_dim_keys=()),
    "deepseek_v2": Family(4096, 32, 2048, 64, **{**_MLA, **_SPLIT}),
    "deepseek_v3": Family(7168, 128, 4096, 64, **_MLA_SWITCHED),
    "deepseek_v32": Family(7168, 128, 163840, 64, **_MLA),
    "deepseek_v4": _DEEPSEEK_V4,
    "diffllama": Family(2048, 32, 2048),
    "diffusion_gemma_text": Family(2304, 8, 131072, 256, **_PARTIAL, **_GEMMA4),
    "doge": Family(1024, 8, 2048),
    "dory": Family(2560, 16, 8192, 256, pattern=Pattern(4), parameters=_thetas(1e7, 1e4), **_WINDOWED),
    "dots1": Family(4608, 32, 2048),
    "embedding_gemma2_text": Family(
        512, 4, 262144, 256, flat="refuse", by_label=_both(_WIDE_HEADS, LayerType()), **_AS_GIVEN,
        pattern=Pattern(6, "sliding_window_pattern", last_on=True), parameters=_thetas(1e6, 1e4),
    ),
    "emu3_text_model": Family(4096, 32, 9216, base=1e6),
    "ernie4_5": Family(1024, 16, 131072, 128, base=5e5, **_SPLIT),
    "ernie4_5_moe": Family(2560, 20, 131072, base=5e5, **_SPLIT),
    "esm": Family(768, 12, 1026, switch=("position_embedding_type", "rotary", "absolute"), base=1e4),
    "eurobert": Family(768, 12, 8192),
    "exaone": Family(4096, 32, 4096, base=5e5),
    "exaone4": Family(4096, 32, 2048, **_EXAONE4),
    "exaone_moe": Family(4096, 32, 2048, **_EXAONE4),
    "falcon": Family(4544, 71, 2048, head_dim_keys=()),
    "falcon_h1": Family(4096, 32, 8192),
    "flex_olmo": Family(4096, 32, 4096, base=5e5),
    "flint": Family(2048, 32, 262144, 128, **_SLIDING_TURNS),
    "gemma": Family(3072, 16, 8192, 256),
    "gemma2": Family(2304, 8, 8192, 256),
    "gemma3_text": Family(2304, 8, 131072, 256, pattern=_GEMMA3_PATTERN, **_GEMMA3),
    "gemma3n_text": Family(2048, 8, 32768, 256, pattern=Pattern(5), **_GEMMA3),
    "gemma4_text": Family(2304, 8, 131072, 256, **_GEMMA4),
    "gemma4_unified_text": Family(2304, 8, 262144, 256, **_GEMMA4),
    "glm": Family(4096, 32, 131072, 128, partial=0.5, **_PARTIAL, **_SPLIT),
    "glm4": Family(4096, 32, 131072, 128, partial=0.5, **_PARTIAL, **_SPLIT),
    "glm4_moe": Family(4096, 96, 131072, partial=0.5, **_PARTIAL),
    "glm4_moe_lite": Family(2048, 20, 202752, 64, **_PARTIAL, **_MLA_SWITCHED),
    "glm4v_moe_text": Family(4096, 96, 65536, partial=0.5, **_PARTIAL),
    "glm4v_text": Family(4096, 32, 32768, **_PARTIAL, **_SPLIT),
    "glm_image_text": Family(4096, 32, 131072, **_PARTIAL),
    "glm_moe_dsa": Family(6144, 64, 202752, 64, **_MLA),
    "glm_ocr_text": Family(1024, 16, 131072, **_PARTIAL, **_SPLIT),
    "gpt_neox": Family(6144, 64, 2048, partial=0.25, **_NEOX),
    "gpt_neox_japanese": Family(2560, 32, 2048, **_NEOX),
    "gpt_oss": Family(2880, 64, 131072, 64, base=1.5e5, parameters=_GPT_OSS),
    "gptj": Family(4096, 16, 2048, **_GPTJ),
    "granite": Family(4096, 32, 2048),
    "granite4_vision_text": Family(4096, 32, 2048),
    "granite_docling_text": Family(1024, 16, 32768),
    "granite_swa": Family(2560, 20, 8192, lists=("layer_rope_theta",)),
    "granitemoe": Family(4096, 32, 2048),
    "granitemoe_swa": Family(4096, 32, 2048, lists=("layer_rope_theta",)),
    "granitemoehybrid": Family(4096, 32, 2048, switch=("position_embedding_type", "rope", None)),
    "granitemoeshared": Family(4096, 32, 2048),
    "gte": Family(768, 12, 8192, base=1.6e5),
    "helium": Family(2560, 20, 4096, 128, base=1e5, **_SPLIT),
    "hrm_text": Family(1536, 12, 2048, 128),
    "hunyuan_v1_dense": Family(4096, 32, 2048, alpha=True),
    "hunyuan_v1_moe": Family(4096, 32, 2048, alpha=True),
    "hunyuan_vl_text": Family(
        4096, 32, 2048, head_dim_keys=("head_dim", "attention_head_dim"), alpha=True,
        aliases={"xdrope": "dynamic"},
    ),
    "hy_v3": Family(4096, 64, 131072, 128, base=11158840.0),
    "hy_v4": Family(2816, 32, 262144, 64, **{**_MLA, "layout": "half"}),
    "hy_v4_vl_text": Family(6144, 64, 262144, 64, **{**_MLA, **_SPLIT}),
    "hyperclovax": Family(4096, 32, 2048),
    "idefics": Family(4096, 32, 2048),
    "internlm3": Family(4096, 32, 32768, 128),
    "iquestcoder": Family(5120, 40, 131072, 128),
    "jais2": Family(3328, 26, 8192),
    "jetmoe": Family(2048, 32, 4096, 128, head_dim_keys=("kv_channels", "head_dim")),
    "jina_embeddings_v3": Family(1024, 16, 8194, base=2e4),
    "kolibri1": Family(2560, 48, 262144, 128, **{**_EXAONE4, "pattern": Pattern(5)}),
    "laguna": Family(
        2048, 48, 131072, 128, **_PARTIAL, **_WINDOWED, **_AS_GIVEN, pattern=Pattern(1),
        parameters=_by_window(_rope(5e5, partial_rotary_factor=0.5), _rope(1e4, partial_rotary_factor=1.0)),
    ),
    "lara_mini": Family(1024, 16, 131072, 128),
    "lfm2": Family(2560, 32, 128000, base=1e6, lists=("full_attn_idxs",)),
    "lfm2_moe": Family(2048, 32, 128000, base=1e6),
    "lfm3": Family(
        2048, 16, 128000, 128, base=1e6, **_WINDOWED,
        parameters=_by_window(_rope(1e6, "proportional", partial_rotary_factor=0.5), _rope(1e4)),
    ),
    "llama": Family(4096, 32, 2048),
    "llama4_text": Family(5120, 40, 131072, 128, base=5e5, **_SPLIT, **_NOPE_EVERY_4),
    "longcat_flash": Family(6144, 64, 131072, 64, base=1e7, **_MLA),
    "mellum": Family(
        2304, 32, 131072, 128, **_PARTIAL, **_WINDOWED, **_AS_GIVEN, pattern=Pattern(1),
        parameters=_thetas(5e5, 1e4),
    ),
    "mimo_v2_flash": Family(
        4096, 64, 131072, 192, partial=0.334, lists=("hybrid_layer_pattern",), **_PARTIAL, **_WINDOWED, **_AS_GIVEN,
        parameters=_thetas(5e6, 1e4, partial_rotary_factor=0.334),
    ),
    "minicpm3": Family(2560, 40, 32768, 32, **{**_MLA, "layout": "half"}),
    "minimax": Family(4096, 32, 131072, base=1e6, pattern=Pattern(2, first=0, off="linear_attention")),
    "minimax_m2": Family(3072, 48, 196608, 128, base=5e6, rotary_dim_key="rotary_dim", **_PARTIAL),
    "minimax_m3_vl_text": Family(6144, 64, 524288, 128, base=5e6, **_PARTIAL),
    "ministral": Family(4096, 32, 131072),
    "ministral3": Family(
        4096, 32, 262144, 128, parameters=_yarn(1e6, 16.0, 16384, mscale=1.0, mscale_all_dim=1.0),
    ),
    "mistral": Family(4096, 32, 131072),
    "mistral4": Family(
        4096, 32, 1048576, 128, **_MLA_SWITCHED,
        nope_key="qk_nope_head_dim", rotary_dim_key="qk_rope_head_dim", partial=0.5,
        parameters=_yarn(1e4, 128.0, 8192, mscale=1.0, mscale_all_dim=1.0),
    ),
    "mistral_large4_text": Family(
        6144, 64, 1048576, 64, **_MLA, **_NOPE_EVERY_4,
        parameters=_yarn(1e4, 2048.0, 512, attention_factor=1.0),
        remark="Trained weights stretch each of these frequencies once more; the file cannot say by how much.",
    ),
    "mixtral": Family(4096, 32, 131072, base=1e6),
    "mllama_text_model": Family(4096, 32, 131072, base=5e5),
    "modernbert": Family(768, 12, 8192, **_MODERNBERT),
    "modernbert-decoder": Family(768, 12, 8192, **_MODERNBERT),
    "moonshine": Family(288, 8, 512, partial=0.9, **_PARTIAL, **_SPLIT),
    "muse_glimmer_text": Family(6656, 32, 131072, 128, **_MUSE),
    "muse_spark_text": Family(8192, 128, 1048576, 64, **_MUSE, parameters=_rope(5e5)),
    "nanochat": Family(
        768, 6, 2048, remark="This family turns the other way: the angle at position p is -p times the frequency.",
    ),
    "nemotron": Family(6144, 48, 4096, partial=0.5, **_PARTIAL),
    "nomic_bert": Family(768, 12, 2048, base=1e3),
    "olmo": Family(4096, 32, 2048),
    "olmo2": Family(4096, 32, 2048),
    "olmo3": Family(
        4096, 32, 2048, base=5e5, flat="scaling", pattern=Pattern(4),
        by_label=_both(LayerType(start=_DEFAULT), LayerType(5e5, "", scaled=False, start=_DEFAULT)),
    ),
    "olmo_hybrid": Family(3840, 30, 65536, null_base_is_none=True, pattern=Pattern(4, off="linear_attention")),
    "olmoe": Family(2048, 16, 4096),
    "openai_privacy_filter": Family(640, 14, 131072, 64, base=1.5e5, parameters=_GPT_OSS, **_SPLIT),
    "paddleocr_vl_text": Family(1024, 16, 131072, 128, base=5e5),
    "persimmon": Family(4096, 64, 16384, partial=0.5, **_PARTIAL),
    "phi": Family(2048, 32, 2048, partial=0.5, **_PARTIAL),
    "phi3": Family(3072, 32, 4096, **_PHI3),
    "phi4_multimodal": Family(3072, 32, 131072, **_PHI3),
    "phimoe": Family(
        4096, 32, 131072, base=1e6, never_long=True,
        remark="The code of this family never uses the long factors of longrope, only the factors on cos and sin.",
    ),
    "qwen2": Family(4096, 32, 32768),
    "qwen2_5_omni_text": Family(3584, 28, 32768, base=1e6),
    "qwen2_5_vl_text": Family(8192, 64, 32768, base=1e6),
    "qwen2_moe": Family(2048, 16, 32768),
    "qwen2_vl_text": Family(8192, 64, 32768, base=1e6),
    "qwen3": Family(4096, 32, 32768, 128),
    "qwen3_5_moe_text": Family(2048, 16, 32768, 256, **_QWEN35),
    "qwen3_5_text": Family(4096, 16, 32768, 256, **_QWEN35),
    "qwen3_moe": Family(2048, 32, 32768),
    "qwen3_next": Family(2048, 16, 32768, 256, **_QWEN35),
    "qwen3_omni_moe_text": Family(2048, 28, 32768, base=1e6),
    "qwen3_vl_moe_text": Family(2048, 16, 128000, base=5e5),
    "qwen3_vl_text": Family(4096, 32, 128000, 128, base=5e5),
    "qwen4_exp_text": Family(2048, 16, 32768, 256, **_PARTIAL, **_HYBRID),
    "recurrent_gemma": Family(
        2560, 10, None, partial=0.5, types=("default",), **_PARTIAL,
        pattern=Pattern(3, on="sliding_attention", off="linear_attention"),
    ),
    "roformer": Family(768, 12, 1536, base_keys=(), partial_keys=(), **_SPLIT),
    "sarvam_mla": Family(4096, 64, 4096, 64, aliases={"deepseek_yarn": "yarn"}, **_MLA_SWITCHED),
    "sarvam_moe": Family(4096, 64, 131072, 64, base=8e6, **_PARTIAL),
    "seed_oss": Family(4096, 80, 524288, 128),
    "smollm3": Family(2048, 16, 32768, base=2e6, **_NOPE_EVERY_4),
    "solar_open": Family(4096, 64, 131072, 128, base=1e6, **_PARTIAL),
    "stablelm": Family(2560, 32, 4096, partial=0.25, **_PARTIAL),
    "starcoder2": Family(3072, 24, 4096),
    "step3p5": Family(4096, 64, 128000, 128, **_STEP),
    "t5_gemma_module": Family(2304, 8, 8192, 256),
    "t5gemma2_decoder": Family(2304, 8, 131072, 256, pattern=_GEMMA3_PATTERN, **_GEMMA3),
    "t5gemma2_text": Family(2304, 8, 131072, 256, pattern=_GEMMA3_PATTERN, **_GEMMA3),
    "ultrabert": Family(4096, 32, 32768, pattern=Pattern(3), parameters=_thetas(2.56e6, 1e4), **_WINDOWED),
    "unlimited_ocr_text": Family(1280, 10, 32768, head_dim_keys=()),
    "vaultgemma": Family(2304, 8, 8192, 256),
    "voxtral_realtime_text": Family(4096, 32, 131072),
    "youtu": Family(2048, 16, 131072, 64, **_MLA_SWITCHED),
    "zamba2": Family(
        2560, 32, 4096, 160, head_dim_keys=("attention_head_dim",), switch=("use_mem_rope", True, False),
    ),
    "zaya": Family(
        2048, 8, 131072, 128, **_PARTIAL, **_AS_GIVEN, flat="refuse",
        by_label={"hybrid": LayerType(), "hybrid_sliding": LayerType()}, pattern=Pattern(1, on="hybrid"),
        parameters={
            "hybrid": _rope(5e6, partial_rotary_factor=0.5),
            "hybrid_sliding": _rope(1e4, partial_rotary_factor=0.5),
        },
    ),
}
# fmt: on
"""The families that transformers 5.24.0 builds, by `model_type`."""

# fmt: off
REMOTE: dict[str, Family] = {
    "chatglm": Family(
        4096, 32, 2048, head_dim_keys=("kv_channels", "head_dim"), base_ratio_key="rope_ratio", partial=0.5,
        **_PARTIAL, **_SPLIT,
        remark="This family lives in remote code: interleaved, half of each head, base 10000 times rope_ratio.",
    ),
    "deepseek_v41": replace(
        _DEEPSEEK_V4,
        remark="Not known to transformers 5.24.0: read as deepseek_v4. What serves the layers of ratio 1 is not known.",
    ),
}
# fmt: on
"""Families that transformers 5.24.0 does not build, in the convention of their own code."""

UNKNOWN = Family(
    base_ratio_key="rope_ratio",
    base_keys=("rope_theta", "rotary_emb_base"),
    partial_keys=("partial_rotary_factor", "rotary_pct"),
    honours_partial=True,
    head_dim_keys=("head_dim", "kv_channels"),
    rotary_dim_key="rotary_dim",
    lists=("no_rope_layers", "layer_rope_theta", "attn_type_list", "hybrid_layer_pattern"),
)
"""How a model type that nobody knows is read: from its keys, like Llama where they are silent."""

UNKNOWN_MLA = replace(UNKNOWN, rotary_dim_key=None, partial_keys=(), **_MLA_SWITCHED)
"""The same with a rope slice of its own, as in DeepSeek-V3."""

_WINDOW_LAYERS = LayerType(base_key="swa_rope_theta", scaled=False)
UNKNOWN_MLA_WINDOWS = _both(LayerType(), _WINDOW_LAYERS)
UNKNOWN_WINDOWS = _both(
    LayerType(), replace(_WINDOW_LAYERS, family=replace(UNKNOWN, head_dim_keys=("swa_head_dim", "head_dim")))
)
"""The labels of an unknown model whose sliding layers have a base of their own, swa_rope_theta."""

ALIASES = {
    "kimi_k2": "deepseek_v3",
    "fuyu": "persimmon",
}
"""Names under which a known family's files also go."""

ARCHITECTURES = {"BailingMoeV2_5ForCausalLM": "bailing_moe_v2_5"}
"""Architectures that differ from what their model_type says."""

UNCERTAIN = "uncertain"
"""The label of layers whose table nobody has told."""

LAYER_LISTS: dict[str, tuple[dict[int, str], str]] = {
    "no_rope_layers": ({0: "none"}, "rotary"),
    "attn_type_list": ({0: "none"}, "all"),
    "hybrid_layer_pattern": ({0: "full_attention"}, "sliding_attention"),
    "compress_ratios": ({0: "main", 1: UNCERTAIN}, "compress"),
}
"""Lists with a number for each layer: the label of some numbers, and of every other."""

LAYER_INDICES = {"full_attn_idxs": "conv", "attn_layer_indices": "linear_attention"}
"""Lists of the layers that have full attention, and the label of the others."""

STILL = frozenset({"none", "linear_attention", "conv", "mamba", "mamba2", "recurrent", "moe", "mlp"})
"""Labels of layers that have no attention, or none that rotates."""

SELF_NAMED = STILL | {"all", "rotary"}
"""Labels that say what their layers do, so that they serve as names."""

NOT_READ = frozenset({"blt", "cohere_compass_text", "dots3_note_text", "ernie4_5_vl_moe_text", "molmo2_text", "neomme"})
"""Families that rotate by several axes or tables in a way RopeSpec cannot say."""

NO_ROPE = frozenset(
    """
    albert bart bert bert-generation big_bird bigbird_pegasus biogpt blenderbot blenderbot-small bloom bros
    camembert canine clip_text_model convbert cpmant ctrl data2vec-text deberta deberta-v2 distilbert electra
    ernie falcon_mamba flaubert fnet fsmt funnel glm5_next glm5_next_text gpt-sw3 gpt2 gpt_bigcode gpt_neo
    ibert imagegpt inkling2 inkling2_text inkling2_loop inkling2_loop_text inkling_mm_model inkling_text jamba
    kimi_linear layoutlm layoutlmv2 layoutlmv3 led lilt longformer longt5 luke lxmert m2m_100 mamba mamba2
    marian markuplm mbart megatron-bert mobilebert mpnet mpt mra mt5 mvp nemotron_h nllb-moe nystromformer
    openai-gpt opt pegasus pegasus_x perceiver plbart prophetnet reformer rembert roberta roberta-prelayernorm
    roc_bert rwkv splinter squeezebert switch_transformers t5 tapas trocr umt5 visual_bert whisper xglm xlm
    xlm-roberta xlm-roberta-xl xlnet xlstm xmod yoso zamba
    """.split()
)
"""Families of transformers 5.24.0 without rotary embedding, whatever keys their files carry."""
