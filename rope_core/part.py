"""The text part of a config.json: where it stands in the file, which family it belongs to, whether anything rotates."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rope_core import families
from rope_core.families import Family, LayerType
from rope_core.keys import Keys, RopeConfigError

TEXT_PARTS = ("text_config", "decoder", "thinker_config", "llm_config", "language_config")
OTHER_POSITIONS = ("alibi", "absolute", "learned", "learned_absolute", "relative", "relative_key", "nope", "none")
ROPE_KEY = r"rope|rotary|yarn|ntk|attn_factor|mscale|beta_(fast|slow)|original_max_position"
"""The names of keys that speak of rotation."""

KNOWN: dict[str, Family] = {
    **dict.fromkeys((*families.NO_ROPE, *families.NOT_READ), Family()),
    **families.REMOTE,
    **families.FAMILIES,
}


@dataclass(frozen=True)
class Part:
    """The text part of a file and the family it belongs to; `notes` say what was assumed."""

    keys: Keys
    name: str
    family: Family
    is_known: bool
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Inside:
    """The rope dict of one label's layers (None: they do not rotate), the dict around it, whether the two differ."""

    params: Mapping[str, Any] | None
    around: Mapping[str, Any]
    is_nested: bool


def identify(config: Mapping[str, Any]) -> Part:
    """The text part of a config.json; RopeConfigError where its family cannot be told or rotates by other rules."""
    keys, notes = _text_part(config)
    name = _model_type(keys, config)
    names = (name, families.ALIASES.get(name, ""), name + "_text", name.removesuffix("_text"))
    known = next((known for known in names if known in KNOWN), None)
    if name == "git" or known in families.NOT_READ:
        raise RopeConfigError("model_type", name, "a text model that turns each head by one position")
    if known is None:
        return _unknown(keys, name, notes)
    if known.removesuffix("_text") != name.removesuffix("_text"):
        notes.append(f"The model type {name} is read as {known}.")
    if KNOWN[known].remark:
        notes.append(KNOWN[known].remark)
    return Part(keys, known, KNOWN[known], True, tuple(notes))


def _text_part(config: Mapping[str, Any]) -> tuple[Keys, list[str]]:
    """The part of the file that describes the text model, at most four objects deep."""
    keys, path = Keys(config), list[str]()
    keys.object("text_config")
    while len(path) < 4:
        inner = next((key for key in TEXT_PARTS if isinstance(keys.get(key), Mapping) and keys.get(key)), None)
        if inner is None:
            break
        keys = Keys(keys.object(inner) or {})
        path.append(inner)
    return keys, [f"Read from {'.'.join(path)}, the text part of the file."] if path else []


def _model_type(keys: Keys, config: Mapping[str, Any]) -> str:
    """The model type of the text part; of its architecture, or of the whole file, where it has none."""
    architecture = _architecture(keys)
    name = families.ARCHITECTURES.get(architecture) or keys.text("model_type") or _of_architecture(architecture)
    name = name or Keys(config).text("model_type")
    if not name:
        raise RopeConfigError("model_type", None, "the name of a model family, or architectures that tell it")
    return name


def _architecture(keys: Keys) -> str:
    return next(iter(keys.names("architectures")), "")


def _of_architecture(architecture: str) -> str:
    """The family an architecture's name begins with: LongcatFlashNgramForCausalLM is of longcat_flash."""
    words = re.findall("[A-Z]+[^A-Z]*", re.sub(r"(For[A-Z]\w*|LMHeadModel|Model)$", "", architecture))
    beginnings = ["".join(words[:count]).lower() for count in range(len(words), 0, -1)]
    squashed = {re.sub("[_-]", "", name.removesuffix("_text")): name for name in KNOWN}
    return next((squashed[name] for name in beginnings if name in squashed), "")


def _unknown(keys: Keys, name: str, notes: list[str]) -> Part:
    """A model type that is in no table: read from its keys, if these or the architecture speak of a text model."""
    speaks = any(re.search(ROPE_KEY, str(key)) for key in keys.values)
    if not speaks and not _architecture(keys).endswith(("ForCausalLM", "LMHeadModel")):
        raise RopeConfigError("model_type", name, "a text model, or keys that say how its layers rotate")
    is_mla = keys.get("qk_rope_head_dim") is not None
    family = families.UNKNOWN_MLA if is_mla else families.UNKNOWN
    if keys.get("swa_rope_theta") is not None:
        family = replace(family, by_label=families.UNKNOWN_MLA_WINDOWS if is_mla else families.UNKNOWN_WINDOWS)
    layout = "DeepSeek-V3's layout" if is_mla else "the layout half"
    notes.append(f"{name} is not known to transformers 5.24.0: read from its keys alone, with {layout} assumed.")
    return Part(keys, name, family, False, tuple(notes))


def reason_without_rope(part: Part) -> str:
    """Why no layer of the model rotates, in a sentence; empty where some layer does."""
    keys, family = part.keys, part.family
    if part.name in families.NO_ROPE:
        return f"The family {part.name} has no rotary position embedding."
    if keys.get("alibi") is True:
        return "alibi is true: positions enter as a bias on the scores, nothing rotates."
    if family.switch:
        key, on, silent = family.switch
        if (keys.get(key) if key in keys.values else silent) != on:
            return f"Without {key} {str(on).lower()} this family does not rotate."
    if family.null_base_is_none:
        stated = {**keys.values, **(keys.object("rope_parameters") or {})}
        if "rope_theta" in stated and stated["rope_theta"] is None:
            return "rope_theta is null: nothing rotates."
    return "" if part.is_known else _switched_off(keys)


def _switched_off(keys: Keys) -> str:
    if keys.get("use_rope") is False or keys.get("rotary") is False or keys.get("mla_use_nope") is True:
        return "The file switches rotary position embedding off."
    if keys.get("position_embedding_type") in OTHER_POSITIONS:
        return f"position_embedding_type is {keys.text('position_embedding_type')}: nothing rotates."
    return "qk_rope_head_dim is 0: no part of a head rotates." if keys.get("qk_rope_head_dim") == 0 else ""


def inside(part: Part, label: str) -> Inside:
    """The rope dict of the layers with this label.

    A non-empty `rope_scaling` replaces `rope_parameters` whole, except in families that lay it over what they assume.
    """
    around, rule = _around(part), part.family.by_label.get(label, LayerType())
    own = Keys(around).object(label) if label and label in around else None
    if part.family.flat == "scaling":
        scaling = _scaling(part) if rule.scaled else None
        return Inside({**(rule.start if own is None else own), **(scaling or {})}, around, True)
    if label and label in around:
        return Inside(own, around, True)
    if part.family.flat == "refuse":
        raise RopeConfigError("rope_parameters", around, f"an object for each layer type, and one named {label}")
    flat = {key: value for key, value in around.items() if key not in rule.drops}
    return Inside({**rule.start, **flat} if rule.scaled else {}, around, False)


def is_split(part: Part, labels: tuple[str, ...]) -> bool:
    """Whether layers with different labels have rope dicts of their own."""
    return bool(part.family.by_label) or any(label in _around(part) for label in set(labels) - {""})


def _around(part: Part) -> Mapping[str, Any]:
    """The whole rope dict of the file, or of its family where the file has none."""
    scaling, parameters = _scaling(part), part.keys.object("rope_parameters")
    if part.family.flat == "scaling":
        return part.family.parameters or {} if parameters is None else parameters
    if scaling or parameters or (parameters is not None and not part.family.by_label):
        return scaling or parameters or {}
    return part.family.parameters or {}


def _scaling(part: Part) -> Mapping[str, Any] | None:
    return part.keys.object("rope_scaling") if part.family.reads_scaling else None
