"""A model's config.json, read into one `RopeSpec` for each kind of layer.

Reading and arithmetic are apart: `read_config` settles every spelling once, the tables take plain numbers
(`rope_core.tables`), and what a family assumes is data (`rope_core.families`). Source: transformers 5.24.0,
`RotaryEmbeddingConfigMixin` in `modeling_rope_utils.py` and the configuration files of its families.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rope_core.families import Family, LayerType, Layout
from rope_core.keys import LARGEST, SMALLEST, Keys, RopeConfigError, json_object
from rope_core.layers import Group, groups_of
from rope_core.part import ROPE_KEY, Inside, Part, identify, inside, reason_without_rope
from rope_core.tables import TABLES, Frequencies, Scaling, magnitude

TYPE_ALIASES = {"mrope": "default", "su": "longrope"}
NUMBERS: dict[str, tuple[str, ...]] = {
    "linear": ("factor",),
    "dynamic": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
    "yarn": ("factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "attention_factor"),
    "longrope": ("factor", "attention_factor"),
    "proportional": ("factor",),
}
REQUIRED = {"linear": ("factor",), "dynamic": ("factor",), "llama3": NUMBERS["llama3"]}
MAY_BE_ZERO = ("beta_fast", "beta_slow", "mscale", "mscale_all_dim", "attention_factor")
FROM_ORIGINAL = ("llama3", "yarn", "longrope")  # the types that start from the length before scaling
BESIDE_THE_TABLE = ("mrope_section", "mrope_interleaved", "llama_4_scaling_beta", "max_position_embeddings")
NO_EXPONENT = "a rotary width other than 2, for which the exponent d/(d - 2) does not exist"


@dataclass(frozen=True)
class RopeSpec:
    """How the layers of one kind rotate; `rope_type` "none" where they do not.

    `head_dim` is the width of a head, or of its rope slice in latent attention; `rotated_slice` says where in a query's
    head the turning entries stand. `layers` are the indices of these layers, None where the file does not tell.
    `softmax_scale_multiplier` is what the family multiplies its scores by besides. `notes` say what was assumed or
    ignored, `ignored_keys` which keys of the file had no effect.
    """

    rope_type: str
    scaling: Scaling | None = None
    head_dim: int | None = None
    rotated_slice: Literal["first", "last"] | None = None
    layout: Layout | None = None
    layers: tuple[int, ...] | None = None
    softmax_scale_multiplier: float = 1.0
    notes: tuple[str, ...] = ()
    ignored_keys: tuple[str, ...] = ()

    @property
    def base(self) -> float | None:
        """The base of the frequencies before any scaling."""
        return self.scaling.base if self.scaling else None

    @property
    def rotary_dim(self) -> int:
        """The width of a head that the frequencies are made for; an odd one turns one entry more, 0 turns none."""
        return self.scaling.rotary_dim if self.scaling else 0

    def table(self, seq_len: int | None = None) -> tuple[Frequencies, float]:
        """Return `(inv_freq, attention_factor)` for a sequence of `seq_len` tokens, or as a model is built when None.

        inv_freq: radians per token, float32, one per pair; attention_factor multiplies cos and sin. A function of
        seq_len alone: transformers keeps a dynamic table until a shorter sequence resets it. RopeConfigError unless
        seq_len is a whole number of at least 1.
        """
        length = Keys({"seq_len": seq_len}).whole("seq_len", LARGEST["max_position_embeddings"])
        if self.scaling is None:
            return np.zeros(0, dtype=np.float32), 1.0
        with np.errstate(all="ignore"):  # a frequency too small for float32 becomes 0, as in transformers
            return TABLES[self.rope_type](self.scaling, length)


def read_config(config: Mapping[str, Any]) -> dict[str, RopeSpec]:
    """Read a model's `config.json`, given as a dict, into one RopeSpec for each kind of layer.

    Keys: `all` where one table serves every layer; the file's own layer types where it has them; `rotary` and `none`
    where some layers rotate, others do not and the file has no names for them. A model without RoPE has `all` alone, of
    type "none". RopeConfigError, a ValueError with key, value and expectation, where no table can be made.
    """
    part = identify(json_object("config.json", config))
    reason = reason_without_rope(part)
    if reason:
        specs = {"all": RopeSpec("none", notes=(*part.notes, reason))}
    else:
        specs = {name: _spec(part, group, layers) for name, (group, layers) in groups_of(part).items()}
    ignored = part.keys.unasked(ROPE_KEY)
    return {name: replace(spec, ignored_keys=spec.ignored_keys + ignored) for name, spec in specs.items()}


@dataclass(frozen=True)
class _Reading:
    """What is known while one RopeSpec is read; `notes` grow on the way."""

    part: Part
    group: Group
    layers: tuple[int, ...] | None
    rule: LayerType
    inside: Inside
    params: Keys
    notes: list[str]

    @property
    def shape(self) -> Family:
        """The row that says how wide these layers' heads are and how they are laid out."""
        return self.rule.family or self.part.family


def _spec(part: Part, group: Group, layers: tuple[int, ...] | None) -> RopeSpec:
    if not group.rotates:
        return RopeSpec("none", layers=layers, notes=(*part.notes, "These layers do not rotate."))
    rule, found = part.family.by_label.get(group.label, LayerType()), inside(part, group.label)
    reading = _Reading(part, group, layers, rule, found, Keys(found.params or {}), list(part.notes))
    rope_type = _rope_type(reading)
    head_dim = _head_dim(reading)
    width, share = _width(reading, rope_type, head_dim)
    rope_type, base = _stretched(reading, rope_type, _base(reading), width)
    scaling = Scaling(base, width, share, **_numbers(reading, rope_type, width))
    _remark(reading, rope_type, scaling)
    spec = RopeSpec(
        rope_type,
        scaling,
        head_dim,
        reading.shape.rotated_slice,
        _layout(reading),
        layers,
        _softmax_multiplier(reading, rope_type, scaling.factor),
        tuple(reading.notes),
        tuple(key for key in reading.params.unasked() if key not in BESIDE_THE_TABLE and key not in rule.start),
    )
    return _checked(spec)


def _rope_type(reading: _Reading) -> str:
    stated, older = reading.params.text("rope_type"), reading.params.text("type")
    if stated and older and stated != older:
        reading.notes.append(f"rope_type {stated} and type {older} disagree: rope_type wins.")
    name = stated or older or "default"
    rope_type = {**TYPE_ALIASES, **reading.part.family.aliases}.get(name, name)
    if rope_type != name:
        reading.notes.append(f"The rope type {name} is read as {rope_type}.")
    allowed = reading.part.family.types or tuple(TABLES)
    if rope_type not in allowed:
        raise RopeConfigError("rope_type" if stated else "type", name, f"one of {', '.join(allowed)}")
    return rope_type


def _layout(reading: _Reading) -> Layout:
    key = reading.shape.layout_key
    return "half" if key and reading.part.keys.flag(key) is False else reading.shape.layout


# Widths


def _head_dim(reading: _Reading) -> int:
    shape, keys = reading.shape, reading.part.keys
    stated = _own_head_dim(keys, reading.layers)
    for key in shape.head_dim_keys:
        stated = stated or keys.whole(key, LARGEST["head_dim"])
    if keys.values.get("head_dim") not in (None, stated) and "head_dim" not in shape.head_dim_keys:
        reading.notes.append("head_dim of the file is not the width that turns in this family: not used.")
    if stated:
        return stated + (keys.whole(shape.nope_key, LARGEST["head_dim"]) or 0 if shape.nope_key else 0)
    is_null = any(key in keys.values for key in shape.head_dim_keys)  # then it is divided, whatever the family says
    if shape.head_dim and not is_null:
        reading.notes.append(f"The file states no width of a head: {shape.head_dim} is assumed.")
        return shape.head_dim
    hidden, heads = _size(reading, "hidden_size"), _size(reading, "num_attention_heads")
    if not 1 <= hidden // heads <= LARGEST["head_dim"]:
        raise RopeConfigError(
            "hidden_size", hidden, f"from {heads} to {heads * LARGEST['head_dim']}, for {heads} heads"
        )
    return hidden // heads


def _own_head_dim(keys: Keys, layers: tuple[int, ...] | None) -> int | None:
    """The head_dim that per_layer_config states for the first of these layers."""
    for layer, facts in (keys.object("per_layer_config") or {}).items():
        if layers and str(layer).lstrip("0") == str(layers[0] or ""):
            own = Keys({"per_layer_config": facts}).object("per_layer_config") or {}
            return Keys(own).whole("head_dim", LARGEST["head_dim"])
    return None


def _size(reading: _Reading, name: str) -> int:
    stated, assumed = reading.part.keys.size(name), getattr(reading.part.family, name)
    if stated is None and assumed is None:
        raise RopeConfigError(name, None, "a whole number")
    if stated is None:
        reading.notes.append(f"The file states no {name}: {assumed} is assumed.")
    return int(stated or assumed)


def _width(reading: _Reading, rope_type: str, head_dim: int) -> tuple[int, float]:
    """The width of a head that the frequencies are made for, and which part of the pairs turns (proportional only)."""
    share, width = _partial(reading, head_dim)
    if rope_type == "proportional":
        return head_dim, share
    if width != head_dim and not reading.shape.honours_partial and not reading.shape.nope_key:
        width = _whole_head(reading, rope_type, head_dim, width)
    if width < 1:
        raise RopeConfigError("partial_rotary_factor", share, f"a part that leaves at least 1 entry of {head_dim}")
    if width % 2 and (width == head_dim > 4 or rope_type == "yarn"):
        raise RopeConfigError("head_dim", head_dim, f"a rotary width that is even, not {width}")
    if width == 2 and rope_type == "dynamic":
        raise RopeConfigError("head_dim", head_dim, NO_EXPONENT)
    if width % 2:
        reading.notes.append(f"The rotary width {width} is odd: {width // 2 + 1} pairs turn {width + 1} entries.")
    return width, 1.0


def _partial(reading: _Reading, head_dim: int) -> tuple[float, int]:
    """The turning part of a head, as a share and as a width."""
    shape, keys, share = reading.shape, reading.part.keys, reading.params.number("partial_rotary_factor", 0)
    share = reading.group.partial if share is None else share
    for key in shape.partial_keys:
        if share is None and key in keys.values:  # null means 1, not the family's share
            share = 1.0 if keys.get(key) is None else keys.number(key, 0)
    width = keys.whole(shape.rotary_dim_key, head_dim) if share is None and shape.rotary_dim_key else None
    width = shape.rotary_dim if share is None and width is None else width
    if width:
        return width / head_dim, width
    share = shape.partial if share is None else share
    if share > 1:
        raise RopeConfigError("partial_rotary_factor", share, "a number from 0 to 1")
    return share, int(head_dim * share)


def _whole_head(reading: _Reading, rope_type: str, head_dim: int, width: int) -> int:
    """The width in a family that turns whole heads: its scaled tables honour the partial factor all the same."""
    if rope_type != "default":
        reading.notes.append(
            f"This family turns whole heads: transformers builds a table for {width} and cannot apply it."
        )
        return width
    reading.notes.append(f"This family ignores partial_rotary_factor without scaling: all {head_dim} entries turn.")
    reading.params.forget("partial_rotary_factor")
    for key in reading.shape.partial_keys:
        reading.part.keys.forget(key)
    return head_dim


# Numbers


def _base(reading: _Reading) -> float:
    part, rule, notes = reading.part, reading.rule, reading.notes
    within, listed = reading.params.number("rope_theta"), reading.group.base
    if listed and not isinstance(part.keys.get("rope_theta"), list):
        return listed
    keys = part.family.base_keys if rule.base_key is None else (rule.base_key,)
    beside = listed or next((number for key in keys if (number := part.keys.number(key))), None)
    if within and beside and within != beside:
        notes.append(f"rope_theta {within:g} inside the rope dict wins over {beside:g} beside it.")
    if within or beside:
        return within or beside or 0.0
    base = part.family.base if rule.base is None else rule.base
    ratio = part.keys.number(part.family.base_ratio_key) if part.family.base_ratio_key else None
    notes.append(f"The file states no base: {base:g} is assumed{f', times {ratio:g}' if ratio else ''}.")
    return base * (ratio or 1.0)


def _stretched(reading: _Reading, rope_type: str, base: float, width: int) -> tuple[str, float]:
    """Type and base under a fixed `alpha`: `HunYuanDenseV1RotaryEmbedding.compute_ntk_alpha_rope_parameters`."""
    alpha = reading.params.number("alpha", 0) if reading.part.family.alpha and rope_type == "dynamic" else None
    if not alpha:
        return rope_type, base
    stretched = base * alpha ** (width / (width - 2))
    reading.notes.append(f"alpha {alpha:g} stretches the base {base:g} to {stretched:g}, whatever the length.")
    reading.params.get("factor")
    return "default", stretched


def _numbers(reading: _Reading, rope_type: str, width: int) -> dict[str, Any]:
    """What a Scaling holds besides base and widths."""
    params, served = reading.params, reading.part.keys.size("max_position_embeddings")
    served = served or reading.part.family.max_position_embeddings
    names = NUMBERS.get(rope_type, ())
    numbers: dict[str, Any] = {key: params.number(key, 0 if key in MAY_BE_ZERO else SMALLEST) for key in names}
    missing = [key for key in REQUIRED.get(rope_type, ()) if numbers[key] is None]
    missing += ["factor"] if rope_type == "yarn" and "factor" not in params.values else []
    by_ratio = rope_type in ("yarn", "longrope") and numbers["factor"] is None
    missing += ["max_position_embeddings"] if served is None and (rope_type == "dynamic" or by_ratio) else []
    if missing:
        raise RopeConfigError(missing[0], None, f"a number, which the rope type {rope_type} needs")
    original = _original(reading, served) if rope_type in FROM_ORIGINAL else None
    if original and served and by_ratio:
        numbers["factor"] = served / original
    if rope_type == "longrope":
        numbers |= _longrope_numbers(reading, (width + 1) // 2)
    if rope_type == "yarn":
        numbers["truncate"] = _truncate(reading)
    kept = {key: value for key, value in numbers.items() if value is not None and (value or key[:4] != "beta")}
    return {**kept, "max_positions": served, "original_positions": original}


def _original(reading: _Reading, served: int | None) -> int:
    """The length before scaling: beside a flat rope dict, else inside it, else the length that is served."""
    key, most, keys = "original_max_position_embeddings", LARGEST["max_position_embeddings"], reading.part.keys
    within = reading.params.whole(key, most)
    beside = None if reading.inside.is_nested else keys.whole(key, most) or reading.part.family.original_positions
    if within and beside and within != beside:
        reading.notes.append(f"{key} {beside} beside the rope dict wins over {within} inside it.")
    if not (within or beside or served):
        raise RopeConfigError(key, None, "the length before scaling, or max_position_embeddings")
    if not (within or beside):
        reading.notes.append(f"The file states no {key}: max_position_embeddings {served} stands in.")
    return beside or within or served or 1


def _longrope_numbers(reading: _Reading, pairs: int) -> dict[str, Any]:
    numbers: dict[str, Any] = {}
    for key in ("short_factor", "long_factor"):
        numbers[key] = reading.params.numbers(key)
        if len(numbers[key]) != pairs:
            raise RopeConfigError(key, list(numbers[key]), f"a list of {pairs} numbers, one for each pair")
    if reading.part.family.never_long:
        numbers["long_factor"] = numbers["short_factor"]
        numbers |= {key: reading.params.number(key, 0) for key in ("short_mscale", "long_mscale")}
    return numbers


def _truncate(reading: _Reading) -> bool:
    """Whether YaRN's edges are whole pairs; transformers looks for it around the dicts of layer types, never inside."""
    if reading.inside.is_nested and "truncate" in (reading.inside.params or {}):
        reading.notes.append("truncate stands inside the dict of a layer type, where transformers does not look.")
    elif not reading.inside.is_nested:
        reading.params.get("truncate")
    around = reading.inside.around
    return bool(Keys(around).flag("truncate")) if "truncate" in around else True


def _softmax_multiplier(reading: _Reading, rope_type: str, factor: float) -> float:
    """What latent attention scales its scores by besides: `DeepseekV3Attention.__init__`."""
    scaled = reading.shape.softmax_mscale and rope_type != "default"
    share = reading.params.number("mscale_all_dim", 0) if scaled else None
    return magnitude(factor, share) ** 2 if share else 1.0


def _remark(reading: _Reading, rope_type: str, scaling: Scaling) -> None:
    """Note what a person should know of these numbers."""
    notes, factor, keys, family = reading.notes, scaling.factor, reading.part.keys, reading.part.family
    if keys.get("rope_scaling") and keys.get("rope_parameters") and family.reads_scaling and family.flat != "scaling":
        notes.append("rope_scaling replaces rope_parameters whole.")
    if "mrope_section" in reading.params.values:
        notes.append("Images and video take their positions from several axes; text turns by this table.")
    served, original = scaling.max_positions, scaling.original_positions
    if factor < 1:
        notes.append(f"factor {factor:g} is below 1: frequencies grow instead of shrinking.")
    if rope_type == "yarn" and served and original and factor != served / original and served != original:
        notes.append(f"factor {factor:g} is not the ratio of the lengths {served} and {original}; the factor counts.")
    if rope_type == "llama3" and served and original and original >= served:
        notes.append(f"The length before scaling, {original}, is not below the length served, {served}.")
    if rope_type == "dynamic":
        notes.append(
            f"Beyond {served} tokens the table follows the length; transformers keeps that of the longest sequence "
            "until a short one resets it."
        )
    if scaling.long_factor != scaling.short_factor:
        notes.append(f"Beyond {original} tokens the long factors replace the short ones, at every position.")


def _checked(spec: RopeSpec) -> RopeSpec:
    """The spec, if its tables are finite on both sides of the length where they may change."""
    scaling = spec.scaling
    turn = scaling and (scaling.original_positions or scaling.max_positions)
    for length in (None, min(turn + 1, LARGEST["max_position_embeddings"]) if turn else None):
        try:
            table, factor = spec.table(length)
        except ArithmeticError:
            table, factor = np.full(1, np.nan, dtype=np.float32), 1.0
        if not (np.isfinite(table).all() and math.isfinite(factor)):
            raise RopeConfigError("rope_theta", spec.base, f"numbers that give a finite table of type {spec.rope_type}")
    return spec
