"""Which layers of a model share a table, and under which name."""

from collections.abc import Mapping
from dataclasses import dataclass

from rope_core import families
from rope_core.families import Pattern
from rope_core.keys import LARGEST, Keys, RopeConfigError
from rope_core.part import Part, inside, is_split

DENSE_PATTERN = "prefix_dense_sliding_window_pattern"
MOST_KINDS = 64  # of layers; real models have up to four


@dataclass(frozen=True)
class Group:
    """Layers that share one table: their label, empty where labels do not matter, and what lists say of them."""

    label: str
    rotates: bool
    base: float | None = None
    partial: float | None = None


def groups_of(part: Part) -> dict[str, tuple[Group, tuple[int, ...] | None]]:
    """The groups of layers by name, each with its layer indices, None where the file does not tell them."""
    labels, are_named, are_counted = _labels(part)
    if len(set(labels)) > MOST_KINDS:
        raise RopeConfigError("layer_types", list(set(labels)), f"at most {MOST_KINDS} kinds of layers")
    split = is_split(part, labels)
    still = _still_layers(part, labels, split)
    bases = _layer_bases(part, len(labels))
    partials = part.keys.numbers("partial_rotary_factors", len(labels))
    members: dict[Group, list[int]] = {}
    for layer, label in enumerate(labels):
        if label != families.UNCERTAIN:
            own, turns = label if split else "", layer not in still
            base, partial = (values[layer] if values and turns else None for values in (bases, partials))
            members.setdefault(Group(own, turns, base, partial), []).append(layer)
    if not 1 <= len(members) <= MOST_KINDS:
        raise RopeConfigError("layers", list(members), f"1 to {MOST_KINDS} kinds of layers whose table is known")
    names = _names(members, labels, are_named)
    return {names[group]: (group, tuple(layers) if are_counted else None) for group, layers in members.items()}


def _labels(part: Part) -> tuple[tuple[str, ...], bool, bool]:
    """A label for each layer; whether the file names them, and whether it tells how many there are."""
    keys, family = part.keys, part.family
    named = keys.names("layer_types") or keys.names("layers_block_type")
    count = keys.size("num_hidden_layers") or len(named)
    if len(named) < count and named:
        raise RopeConfigError("layer_types", list(named), f"a list with an entry for each of {count} layers")
    if named:
        return tuple(family.labels.get(name, name) for name in named[:count]), True, True
    listed = _listed_labels(part, count)
    if listed:
        return listed, False, True
    if family.pattern and (count or not family.by_label):
        return _pattern_labels(family.pattern, keys, count), False, bool(count)
    if family.by_label or family.rotating:  # which labels there are is known, which layers carry them is not
        return tuple(family.by_label) or (family.rotating[0], "none"), False, False
    return ("",) * max(count, 1), False, bool(count)


def _listed_labels(part: Part, count: int) -> tuple[str, ...]:
    """The labels that a list of numbers gives; empty where the file has no such list or the family does not read it."""
    for key in part.family.lists:
        if key in families.LAYER_LISTS and part.keys.entries(key):
            special, other = families.LAYER_LISTS[key]
            return tuple(special.get(int(number), other) for number in part.keys.numbers(key, count or None, 0))
        if key in families.LAYER_INDICES and count and part.keys.entries(key):
            chosen = part.keys.numbers(key, None, 0)
            return tuple("full_attention" if layer in chosen else families.LAYER_INDICES[key] for layer in range(count))
    return ()


def _pattern_labels(pattern: Pattern, keys: Keys, count: int) -> tuple[str, ...]:
    every = (keys.whole(pattern.key, LARGEST["num_hidden_layers"]) if pattern.key else None) or pattern.every
    count = count or 2 * every  # enough to meet both labels
    ahead = min(_dense_prefix(keys), count) if pattern.after_dense else 0
    own = keys.whole(DENSE_PATTERN, LARGEST["num_hidden_layers"]) or 1
    prefix = [pattern.off if (layer + 1) % own else pattern.on for layer in range(ahead)]
    places = range(count - 1, -1, -1) if pattern.from_end else range(count - ahead)
    labels = [*prefix, *(pattern.on if place % every == pattern.first % every else pattern.off for place in places)]
    return (*labels[:-1], pattern.on if pattern.last_on else labels[-1])


def _still_layers(part: Part, labels: tuple[str, ...], split: bool) -> set[int]:
    """The layers that do not rotate."""
    family, keys, count = part.family, part.keys, len(labels)
    marks = _listed_labels(part, count)
    if not marks and family.pattern and "none" in (family.pattern.on, family.pattern.off):
        marks = _pattern_labels(family.pattern, keys, count)
    still = {layer for layer, mark in enumerate(marks) if mark == "none"}
    if "layer_rope_theta" in family.lists and keys.entries("layer_rope_theta"):
        bases = keys.numbers("layer_rope_theta", count, 0)
        return still | {layer for layer, base in enumerate(bases) if base == 0}
    dense = _dense_layers(keys, count) if family.rotates_dense_prefix else set()
    without = {label for label in set(labels) if _is_still(part, label, split)}
    return still | {layer for layer, label in enumerate(labels) if label in without and layer not in dense}


def _is_still(part: Part, label: str, split: bool) -> bool:
    """Whether the layers with this label do not rotate."""
    family, keys = part.family, part.keys
    if label not in family.by_label:
        has_window = "sliding_window" not in keys.values or keys.get("sliding_window") is not None
        may_turn = not family.rotating or label in family.rotating or (family.rotates_unwindowed and not has_window)
        if label in families.STILL or not may_turn:
            return True
    return split and inside(part, label).params is None


def _dense_layers(keys: Keys, count: int) -> set[int]:
    """The layers without experts, where a window pattern of 1 among them lets them rotate whatever their label."""
    if keys.whole(DENSE_PATTERN, LARGEST["num_hidden_layers"]) not in (None, 1):
        return set()
    kinds = keys.names("mlp_layer_types", count)
    return {layer for layer, kind in enumerate(kinds) if kind == "dense"} if kinds else set(range(_dense_prefix(keys)))


def _dense_prefix(keys: Keys) -> int:
    return int(min(keys.number("first_k_dense_replace", 0) or 0, LARGEST["num_hidden_layers"]))


def _layer_bases(part: Part, count: int) -> tuple[float, ...]:
    """The base of each layer where the file lists them, 0 for no rotation; empty where it does not."""
    if isinstance(part.keys.get("rope_theta"), list):
        return part.keys.numbers("rope_theta", count)
    listed = "layer_rope_theta" in part.family.lists and part.family.layer_bases
    return part.keys.numbers("layer_rope_theta", count, 0) if listed else ()


def _names(members: Mapping[Group, list[int]], labels: tuple[str, ...], are_named: bool) -> dict[Group, str]:
    """A name for each group: its label where the file or the family has labels, else what its layers do."""
    if len(members) == 1 and not next(iter(members)).label:
        return dict.fromkeys(members, "all")
    names, plain = {}, {group: "rotary" if group.rotates else "none" for group in members}
    for group, layers in members.items():
        own = {labels[layer] for layer in layers}
        is_told = bool(group.label) or are_named or own <= families.SELF_NAMED
        names[group] = own.pop() if len(own) == 1 and is_told else plain[group]
    for choice in (names, plain):
        if len(set(choice.values())) == len(choice):
            return choice
    return {group: f"{names[group]} {number}" for number, group in enumerate(members, 1)}
