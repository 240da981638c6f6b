"""Stride, first position, scaling type and factor: what the scale of the angles leaves open, and what it settles."""

import math

import numpy as np

from rope_core.config import RopeSpec
from rope_core.diagnosis.conclusion import COARSE, FEWEST_VISIBLE, Draft, places_of
from rope_core.diagnosis.findings import Finding
from rope_core.diagnosis.lines import lines
from rope_core.diagnosis.readings import Reading
from rope_core.diagnosis.settle import is_one, scale_of, settled, simple_scale, visible

LOG_LINEAR = ("default", "linear", "dynamic")
"""Types whose tables look alike up to base and scale."""


def name_scale(draft: Draft, spec: RopeSpec | None) -> None:
    """Stride and factor out of the scale, and the scaling type."""
    best, scale, case = draft.best, scale_of(draft.best), draft.case
    steps = np.diff(case.places)
    told = draft.explanation.length is None or draft.explanation.actual is not None
    even = bool(len(steps)) and float(np.ptp(steps)) <= 1e-9 and told
    stride = float(steps[0]) if case.stated and even else None
    if not case.stated and is_one(best) and even:
        stride = 1.0
    draft.put("stride", stride, case.stated and even and draft.explanation.half is None)
    _name_type(draft, spec)
    if scale is None:
        draft.remark("table_unknown")
        return
    value = simple_scale(scale, best.reading.errors[0])
    is_stated = best.profile is not None and best.profile.source != "unscaled"
    if is_one(best):
        if not case.stated and not is_stated:
            draft.remark("equal_unit")
        return
    draft.remark("equal_scale", scale=value, factor=1 / value, twice_stride=value / 2, twice_factor=2 / value)
    if abs(value - 2) < 1e-3 and (case.stated or is_stated):
        draft.faults.append("rotated_twice")


def _name_type(draft: Draft, spec: RopeSpec | None) -> None:
    """The scaling type and its factor."""
    best, scale = draft.best, scale_of(draft.best)
    profile, blend = best.profile, best.blend
    if profile is not None:
        sure = _tells_types_apart(draft) and profile.source == "stated"
        draft.put("rope_type", profile.rope_type, sure)
        draft.put("factor", float(profile.factor), sure)
    elif blend is not None:
        draft.put("rope_type", blend.rope_type, len(draft.all) == 1 and best.turns.rounding < COARSE)
        draft.put("factor", None if blend.factor is None else float(f"{blend.factor:.5g}"))
    elif is_one(best):
        draft.put("rope_type", "default")
        draft.put("factor", 1.0)
    elif scale is not None and draft.case.stated and scale < 1:
        draft.put("rope_type", "linear")
        draft.put("factor", 1 / simple_scale(scale, best.reading.errors[0]))
    else:
        draft.put("rope_type", None)
        draft.put("factor", None)
    _remark_dynamic(draft, spec)


def _tells_types_apart(draft: Draft) -> bool:
    """Whether no other type explains the data too: the slow pairs must be seen to turn, and as this type says."""
    best, profile = draft.best, draft.best.profile
    assert profile is not None
    if profile.rope_type in LOG_LINEAR:
        found = lines(best.turns, draft.case.places)
        if found is None or not is_one(best):
            return False
        return bool((found.rate_error < 0.05 * np.abs(best.reading.rates)).all())
    types = {one.profile.rope_type if one.profile else "fitted" for one in draft.all}
    return types == {profile.rope_type}


def _remark_dynamic(draft: Draft, spec: RopeSpec | None) -> None:
    """A larger base is a dynamic table at one length; the length itself where the configuration tells the rest."""
    base, best = draft.fields["base"], draft.best
    if base is None or best.blend is not None or (best.profile and best.profile.rope_type not in LOG_LINEAR):
        return
    length = None
    if spec is not None and spec.scaling is not None and spec.rope_type == "dynamic" and best.turns.pairs > 1:
        scaling, width = spec.scaling, best.turns.width
        assert scaling.max_positions is not None
        growth = (base / scaling.base) ** ((width - 2) / width)
        if growth > 1 + 1e-6 and width == scaling.rotary_dim:
            length = scaling.max_positions * (growth + scaling.factor - 1) / scaling.factor
            draft.put("rope_type", "dynamic")
            draft.put("factor", float(scaling.factor))
            draft.sure -= {"rope_type", "factor"}
    if length is None:
        draft.remark("equal_dynamic", base=base)
    else:
        draft.remark("dynamic_length", base=base, length=round(length))


def name_first(draft: Draft) -> None:
    """The first position: 0 is certain whatever the scale; another depends on the stride."""
    case, best = draft.case, draft.best
    reading = settled(best, places_of(case, best))
    room = max(1e-3, 2e-6 * abs(reading.first))
    zero = all(abs(one.reading.first) <= max(room, 5 * one.reading.errors[2]) < 0.2 for one in draft.all)
    enough = visible(best, places_of(case, best)) >= FEWEST_VISIBLE
    if zero:
        draft.put("first_position", 0.0, draft.explanation.half is None and enough)
    elif case.stated and abs(reading.first - case.places[0]) <= max(room, 5 * reading.errors[2]):
        draft.put("first_position", float(case.places[0]), enough and _all_at(draft.all, float(case.places[0])))
    elif _is_known(best, reading):
        draft.put("first_position", _whole(reading.first))
        if not is_one(best):
            draft.put("first_position", None)
            draft.remark("first_open", places=reading.first, scale=scale_of(best) or 1.0)
    else:
        draft.put("first_position", None)
        draft.remark("first_unknown")
    if case.stated and abs(reading.first - case.places[0]) > max(room, 5 * reading.errors[2]):
        draft.remark("other_first", stated=float(case.places[0]), found=_whole(reading.first))


def _all_at(found: list[Finding], place: float) -> bool:
    return all(abs(one.reading.first - place) <= max(1e-3, 5 * one.reading.errors[2]) < 0.5 for one in found)


def _is_known(best: Finding, reading: Reading) -> bool:
    """Whether the first place is known to less than half a step."""
    whole = abs(reading.first - round(reading.first)) < 1e-9 and reading.errors[0] == 0.0
    return whole or 3 * best.reading.errors[2] < 0.5


def _whole(place: float) -> float:
    near = round(place)
    return float(near) if math.isclose(place, near, abs_tol=2e-2) else float(place)
