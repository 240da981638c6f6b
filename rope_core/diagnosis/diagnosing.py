"""Which convention turned `before` into `after`: the doctor's only question."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike

from rope_core.config import RopeSpec
from rope_core.diagnosis.arrays import ROUNDING, Real, checked, checked_head_counts, checked_positions
from rope_core.diagnosis.conclusion import (
    Draft,
    exponent,
    name_angles,
    name_base,
    name_modulus,
    name_shape,
    places_of,
    plainest,
)
from rope_core.diagnosis.explain import Case, Explanation, explained
from rope_core.diagnosis.faults import unevenly
from rope_core.diagnosis.findings import Finding, Profile
from rope_core.diagnosis.pairs import Flags, Turns, common_factor, moved_width
from rope_core.diagnosis.placing import name_first, name_scale
from rope_core.diagnosis.readings import held
from rope_core.diagnosis.sentences import said
from rope_core.diagnosis.settle import base_of, is_one, scale_of, settled
from rope_core.diagnosis.stated import Specs, own_spec, profiles
from rope_core.rotation import Layout


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What a rotation was. A field is None where the data cannot tell between readings.

    layout, direction (+1 or −1), base (the effective one of the table that was used), first_position and stride (in
    tokens), rotary_dim, attention_factor, rope_type, factor, angle_dtype ("float64", "float32" or finer, "bfloat16",
    "float16"). sure: the fields that are vouched for, because every reading that explains the data agrees in them; a
    field with a value that is not in sure holds what the plainest reading says.
    angles `(seq, pairs)`: as measured, in radians, continued along the reading where there is one, nan where nothing is
    seen. fits `(seq, pairs)`: where the reading explains them. residual: the root mean square of after minus what the
    reading predicts, relative to after; nan without a reading. faults: names of known mistakes. remarks: (key, numbers)
    for every sentence of `explanation`.
    """

    layout: Layout | None = None
    direction: int | None = None
    base: float | None = None
    first_position: float | None = None
    stride: float | None = None
    rotary_dim: int | None = None
    attention_factor: float | None = None
    rope_type: str | None = None
    factor: float | None = None
    angle_dtype: str | None = None
    sure: frozenset[str] = frozenset()
    angles: Real | None = None
    fits: Flags | None = None
    residual: float = float("nan")
    faults: tuple[str, ...] = ()
    remarks: tuple[tuple[str, dict[str, object]], ...] = ()

    @property
    def explanation(self) -> str:
        """The remarks in plain English."""
        return said(self.remarks)


MOST_ALIASES = 4
ALIKE = 1e-4
"""Rates that differ by less than this part are those of one table, rounded differently."""
MOST_LISTED = 12
FEWEST_ANGLES = 16
"""So many pairs of one length do not come about by chance."""
CONVENTION = tuple(one.name for one in fields(Diagnosis))[:10]


def diagnose(
    before: ArrayLike,
    after: ArrayLike,
    positions: ArrayLike | None = None,
    spec: RopeSpec | Mapping[str, RopeSpec] | None = None,
    num_heads: int | None = None,
    num_kv_heads: int | None = None,
    *,
    layer_type: str | None = None,
) -> Diagnosis:
    """Say by which convention the vectors `before` became `after`, and vouch only for what the data settle.

    before, after: real arrays of one shape, `(seq, head_dim)`, `(heads, seq, head_dim)` or
    `(batch, heads, seq, head_dim)`; bfloat16 widened to float32 is recognised by its rounding. positions: `(seq,)` in
    tokens; without them they count up from first_position by a positive stride. spec: a RopeSpec, or what `read_config`
    gives, with the layer_type of these layers; a stated table that explains the data is taken as the one used.
    num_heads and num_kv_heads: of the model, to recognise keys in a wrong row order.
    DiagnosisError, a ValueError with one word as `reason`, for arrays that cannot be diagnosed.
    """
    first, second = checked(before, after)
    given = checked_positions(positions, first.shape[0], first.shape[2])
    checked_head_counts(num_heads, num_kv_heads)
    places = np.arange(first.shape[2], dtype=np.float64) if given is None else given
    tables = profiles(spec, layer_type, places)
    case = Case(first, second, places, given is not None, tuple(tables), (num_heads, num_kv_heads))
    if not moved_width(first, second, ROUNDING[case.format]):
        return _unturned(case)
    factor = common_factor(first, second)
    if not moved_width(first * factor, second, 2 * ROUNDING[case.format]):
        return _unturned(case, factor)
    found = explained(case)
    return _concluded(case, found, spec, layer_type) if found.findings else _unexplained(found)


def _unturned(case: Case, factor: float = 1.0) -> Diagnosis:
    pairs = case.before.shape[-1] // 2
    seen = (np.abs(case.before).max((0, 1)) > 0).any(-1)
    angles = np.where(seen[:, np.newaxis], 0.0, np.nan) * np.ones(pairs)
    said: tuple[str, dict[str, object]] = ("nothing_turned" if seen.any() else "no_values", {})
    if factor != 1.0:
        said = ("only_scaled", {"factor": factor})
    remarks = (said, _untold(CONVENTION))
    return Diagnosis(angles=angles, fits=np.ones(angles.shape, bool), residual=0.0, remarks=remarks)


def _untold(names: tuple[str, ...]) -> tuple[str, dict[str, object]]:
    return "cannot_tell", {"fields": ", ".join(names)}


def _unexplained(found: Explanation) -> Diagnosis:
    turns = found.turns
    assert turns is not None
    angles = np.where(turns.known, np.angle(turns.ratio), np.nan)
    numbers: dict[str, object] = {"layout": turns.layout, "rotary_dim": turns.width}
    if not found.pairwise:
        numbers["share"] = float(turns.coherent[turns.known].mean()) if turns.known.any() else 0.0
        return Diagnosis(angles=angles, fits=turns.coherent, remarks=(("nothing_fits", numbers), _untold(CONVENTION)))
    known = {"layout", "rotary_dim"} if found.pairwise == 1 and turns.layout != "interleaved" else {"layout"}
    untold = tuple(name for name in CONVENTION if name not in ("layout", "rotary_dim"))
    return Diagnosis(
        layout=turns.layout,
        rotary_dim=turns.width,
        sure=frozenset(known if turns.known.sum() >= FEWEST_ANGLES else set()),
        angles=angles,
        fits=np.zeros(angles.shape, bool) | ~turns.known,
        remarks=(("angles_unexplained", numbers), _untold(untold)),
    )


def _concluded(case: Case, found: Explanation, spec: Specs, layer_type: str | None) -> Diagnosis:
    best = plainest(found.findings, case.before.shape[-1])
    if found.halves:
        found = replace(found, half=next(h for one, h in zip(found.findings, found.halves, strict=True) if one is best))
    draft = Draft(case, found, best, faults=list(found.faults))
    own = own_spec(spec, layer_type)
    name_shape(draft)
    name_modulus(draft)
    name_base(draft)
    exponent(draft, own)
    if "heads_axis" in draft.faults:
        _name_nothing_of_places(draft)
    else:
        name_scale(draft, own)
        name_first(draft)
        name_angles(draft)
    _remark_tables(draft, spec, layer_type)
    _remark_rest(draft)
    _withdraw(draft)
    return _finished(draft)


def _name_nothing_of_places(draft: Draft) -> None:
    for name in ("stride", "first_position", "rope_type", "factor", "angle_dtype"):
        draft.put(name, None)


def _remark_tables(draft: Draft, spec: Specs, layer_type: str | None) -> None:
    """How the table found compares with the stated ones."""
    if not draft.case.profiles or "heads_axis" in draft.faults:
        return
    sources = {one.profile.source for one in draft.all if one.profile is not None and is_one(one)}
    sources |= {
        profile.source for profile in draft.case.profiles if is_one(draft.best) and _is_like(draft.best, profile)
    }
    if "stated" in sources or "rotated_twice" in draft.faults:
        return
    others = sorted(source.removeprefix("layer:") for source in sources if source.startswith("layer:"))
    own = own_spec(spec, layer_type)
    if others and layer_type is None:
        draft.remark("table_of", found=", ".join(others))
    elif others and "base" in draft.sure:
        draft.faults.append("one_table_for_all_layers")
    elif "unscaled" in sources and own is not None:
        draft.remark("scaling_not_applied", rope_type=own.rope_type)
    elif not others and all(profile.rope_type != "dynamic" for profile in draft.case.profiles):
        draft.remark("differs_from_config")
    if others:
        draft.remarks.append(("_tables", {"found": ", ".join(others), "layer_type": layer_type or ""}))


def _is_like(found: Finding, profile: Profile) -> bool:
    """Whether the rates that were measured are those of a stated table, though not to its last digit."""
    rates = np.abs(found.reading.rates)
    return len(rates) == len(profile.rates) and np.allclose(rates, profile.rates, rtol=ALIKE, atol=0)


def _remark_rest(draft: Draft) -> None:
    """Other scales that whole turns allow, a coarser precision, places that are not even."""
    best, found = draft.best, draft.explanation
    others = {round(scale_of(one) or 0.0, 2): one for one in draft.all if one.turns is best.turns}
    for one in list(others.values())[:MOST_ALIASES]:
        scale, base = scale_of(one), base_of(one)
        if one is not best and scale and base and abs(scale / (scale_of(best) or 1) - 1) > 0.01:
            draft.remark("equal_alias", scale=scale, base=base)
    if found.reordered and not found.faults:
        draft.remark("rows_converted", num_kv_heads=draft.case.counts[1])
    if found.format != draft.case.format:
        draft.remark("rounded_to", format=found.format)
    if found.actual is not None and found.length is not None:
        draft.remark("places_after", length=found.length, places=_listed(found.actual[found.length :]))
    elif found.length is not None:
        draft.remark("straight_until", length=found.length)
        draft.remark("places_found", places=_listed(unevenly(best, draft.case.places)))


def _listed(places: Real) -> str:
    """The first of the places, in words."""
    return ", ".join(f"{place:g}" for place in places[:MOST_LISTED]) + (", …" if len(places) > MOST_LISTED else "")


def _withdraw(draft: Draft) -> None:
    """Vouch for less where the explanation itself is partial."""
    if draft.explanation.length is not None:
        draft.sure -= {"stride", "factor", "rope_type", "angle_dtype"}
        if "decode_restarted" not in draft.faults:
            draft.put("stride", None)
            draft.put("rope_type", None)
            draft.put("factor", None)
    if draft.explanation.half is not None and draft.best.turns.layout == "interleaved":
        draft.sure.discard("rotary_dim")
    if draft.explanation.format != draft.case.format:
        draft.sure &= {"layout", "direction", "rotary_dim", "attention_factor"}


def _finished(draft: Draft) -> Diagnosis:
    best, found = draft.best, draft.explanation
    turns, reading = best.everything, settled(best, places_of(draft.case, best))
    seq = len(turns.ratio)
    places = draft.case.places if len(draft.case.places) == seq else np.arange(seq, dtype=np.float64)
    straight = reading.angles(places) if found.half is None else found.half.angles
    expected = straight if found.actual is None else np.asarray(np.outer(found.actual, reading.rates))
    angles = np.where(turns.known, expected + np.angle(turns.ratio * np.exp(-1j * expected)), np.nan)
    residual = _residual(turns, expected)
    fits = held(turns, places, reading, straight).fits
    faults = tuple(dict.fromkeys(draft.faults))
    remarks = (*_opening(draft, faults), *(one for one in draft.remarks if one[0] != "_tables"))
    open_fields = tuple(name for name in CONVENTION if draft.fields.get(name) is None)
    remarks = (*remarks, *((_untold(open_fields),) if open_fields else ()))
    return Diagnosis(
        **draft.fields,
        sure=frozenset(draft.sure),
        angles=angles,
        fits=fits,
        residual=residual,
        faults=faults,
        remarks=remarks,
    )


def _residual(turns: Turns, expected: Real) -> float:
    away = np.abs(turns.ratio - np.exp(1j * expected))[turns.known]
    return float(np.sqrt(np.mean(away**2))) if away.size else 0.0


def _opening(draft: Draft, faults: tuple[str, ...]) -> list[tuple[str, dict[str, object]]]:
    """What was found, and a sentence for each mistake."""
    turns, case, half = draft.best.turns, draft.case, draft.explanation.half
    layouts = sorted({one.turns.layout for one in draft.all})
    numbers: dict[str, object] = {
        "layout": draft.fields["layout"] or ", ".join(layouts),
        "rotary_dim": turns.width,
        "head_dim": case.before.shape[-1],
        "length": draft.explanation.length,
        "num_heads": case.counts[0],
        "num_kv_heads": case.counts[1],
        "angle_dtype": half.name if half else draft.fields["angle_dtype"],
    }
    tables = next((found for key, found in draft.remarks if key == "_tables"), {})
    opening = "clockwise" if draft.fields["direction"] == -1 else "counter_clockwise"
    return [(opening, numbers), *((name, {**numbers, **tables}) for name in faults)]
