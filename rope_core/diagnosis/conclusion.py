"""From what explains the data to the fields of a diagnosis: what is named, and what is vouched for.

A field holds what the plainest explanation says, and None where two explanations are equally plain. It is vouched for
only if every explanation agrees, the roundabout ones too: without positions, a stride s with a linear factor s is the
same rotation for every s, so that stride and factor are named and not vouched for.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from rope_core.config import RopeSpec
from rope_core.diagnosis.arrays import ROUNDING, Real
from rope_core.diagnosis.explain import Case, Explanation
from rope_core.diagnosis.findings import EVIDENCE, KNOWN_BASES, Finding
from rope_core.diagnosis.halves import Halved, halved
from rope_core.diagnosis.ladder import LARGEST_BASE
from rope_core.diagnosis.settle import (
    base_error,
    base_of,
    has_known_base,
    is_crisp,
    is_one,
    scale_of,
    settled,
    simple_base,
    visible,
)

CERTAIN = 0.01
"""A base is vouched for if eight standard deviations of it are less than this part."""
NEGLIGIBLE = 1e-3
"""A base is named without its error where this is smaller."""
FEWEST_VISIBLE = 3
"""Two pairs that turn fit some table whatever their rates are; the third one can disagree."""
MANY_VISIBLE = 8
FAR = 1000.0
"""A first place as far as this from 0 lets chance explain as much as two more pairs do, where values are coarse."""
COARSE = 1e-5
SMALLEST_SURE = 10.0  # no model has a smaller base
Fields = dict[str, Any]


@dataclass
class Draft:
    """A diagnosis while it is written: fields, what is vouched for, and remarks as (key, numbers)."""

    case: Case
    explanation: Explanation
    best: Finding
    fields: Fields = field(default_factory=dict)
    sure: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    remarks: list[tuple[str, Fields]] = field(default_factory=list)

    @property
    def all(self) -> list[Finding]:
        """Every finding that explains the data."""
        return self.explanation.findings

    def put(self, name: str, value: object, sure: bool = False) -> None:
        """Set a field; only a value can be vouched for."""
        self.fields[name] = value
        if sure and value is not None:
            self.sure.add(name)

    def remark(self, key: str, **numbers: object) -> None:
        """Add a remark."""
        self.remarks.append((key, numbers))


def places_of(case: Case, finding: Finding) -> Real:
    """The places that a finding explains: those given or counted, or the heads where these were taken for them."""
    seq = len(finding.turns.ratio)
    return case.places[:seq] if len(finding.everything.ratio) == len(case.places) else np.arange(seq, dtype=np.float64)


def plainest(found: list[Finding], head_dim: int) -> Finding:
    """The explanation that needs the least: the stated table, scale 1, a simple scale, the whole head."""

    def cost(finding: Finding) -> tuple[Any, ...]:
        scale, profile = scale_of(finding) or 0.0, finding.profile
        rank = 2 if profile is None else {"stated": 0, "unscaled": 1}.get(profile.source, 1)
        simple = is_one(finding)
        return (
            not simple,
            rank,
            not _is_simple(scale),
            not has_known_base(finding),
            finding.turns.width != head_dim,
            round(abs(float(np.log(scale or 1e9))), 3),
            abs(finding.reading.first),
        )

    return min(found, key=cost)


def _is_simple(scale: float) -> bool:
    return abs(scale - float(Fraction(scale).limit_denominator(8))) < 1e-3


def name_shape(draft: Draft) -> None:
    """Layout, width, direction, attention factor."""
    best, found = draft.best, draft.all
    layouts, widths = {one.turns.layout for one in found}, {one.turns.width for one in found}
    head_dim = draft.case.before.shape[-1]
    is_open = len(layouts) > 1 and (head_dim == 2 or bool(draft.case.before[..., 2:].any()))
    draft.put("layout", None if is_open else best.turns.layout, len(layouts) == 1)
    draft.put("rotary_dim", best.turns.width if len(widths) == 1 or has_known_base(best) else None, len(widths) == 1)
    if best.turns.layout == "interleaved" and not _turns_to_the_end(best):
        draft.sure.discard("rotary_dim")
    if len(layouts) > 1:
        draft.remark("equal_layouts", layouts=", ".join(sorted(layouts)), rotary_dim=best.turns.width)
    if len(widths) > 1:
        draft.remark("equal_widths", widths=", ".join(str(width) for width in sorted(widths)))
    signs = {float(np.sign(one.reading.rates[np.abs(one.reading.rates).argmax()])) for one in found}
    sign = float(np.sign(best.reading.rates[np.abs(best.reading.rates).argmax()]))
    even = draft.explanation.length is None or draft.case.stated or "decode_restarted" in draft.faults
    # At rates of no known table a pair that turns by more than half a turn looks like one that turns the other way.
    measured = any(not one.reading.fitted and one.profile is None for one in found) and draft.explanation.half is None
    slow = all((scale_of(one) or np.inf) < 3 for one in found)
    draft.put("direction", int(sign) or None, len(signs) == 1 and even and _enough(draft) and (slow or not measured))
    draft.remark("equal_direction", direction=int(-sign))


def _turns_to_the_end(best: Finding) -> bool:
    """Whether a table turns every pair of the width; interleaved pairs that stand still may belong to it or not."""
    return (best.reading.fitted or best.profile is not None) and bool((best.reading.rates != 0).all())


def _enough(draft: Draft) -> bool:
    """Whether enough is seen to vouch for a table: two places, three pairs and simple numbers, or many pairs."""
    places, best = places_of(draft.case, draft.best), draft.best
    first = best.reading.first
    is_chance = first not in (0.0, places[0]) and abs(first) > FAR and best.turns.rounding > COARSE
    is_crisp_one = draft.explanation.half is not None or is_crisp(settled(best, places))
    few = FEWEST_VISIBLE + 2 * is_chance
    return len(places) > 1 and (_sees(draft) >= MANY_VISIBLE or (is_crisp_one and _sees(draft) >= few))


def _sees(draft: Draft) -> int:
    """How many pairs are seen to turn, in the explanation where the fewest are."""
    return min(visible(one, places_of(draft.case, one)) for one in draft.all)


def name_modulus(draft: Draft) -> None:
    """The attention factor: 1 is vouched for; another only with a table that cannot have been applied twice."""
    best, modulus = draft.best, draft.best.turns.modulus
    room = best.turns.rounding * (1.0 if best.turns.rounding > 1e-6 else 4.0)
    if abs(modulus - 1) <= room:
        draft.put("attention_factor", 1.0, True)
        return
    stated = best.profile is not None and abs(best.profile.modulus / modulus - 1) <= room
    if stated and best.profile is not None:
        draft.put("attention_factor", float(best.profile.modulus), is_one(best))
        return
    is_open = not is_one(best) and scale_of(best) is not None and not draft.case.stated
    shaped = best.blend is not None and best.blend.rope_type in ("yarn", "llama3") and is_one(best)
    draft.put("attention_factor", None if is_open else float(f"{modulus:.7g}"), shaped and draft.case.stated)
    draft.remark("equal_modulus", measured=modulus, once=float(np.sqrt(modulus)))


def name_base(draft: Draft) -> None:
    """The effective base, to the simplest number within its error."""
    best, bases = draft.best, [base_of(one) for one in draft.all]
    base = base_of(best)
    if base is None:
        draft.put("base", None)
        draft.remark("base_open")
        return
    error = base_error(best, places_of(draft.case, best))
    agree = all(other is not None and abs(other / base - 1) < CERTAIN / 2 for other in bases)
    value = base if best.profile is not None else simple_base(base, error)
    known = agree and 8 * error < CERTAIN and draft.explanation.half is None and _enough(draft)
    known &= base >= SMALLEST_SURE and (_is_public(best) or best.turns.rounding < COARSE)
    known &= "rotary_dim" in draft.sure
    draft.put("base", float(value) if error < 0.2 and draft.fields["rotary_dim"] else None, known)
    if not known and 4 * error > NEGLIGIBLE:
        draft.remark("base_rough", base=base, error=min(4 * error, 1e9))


def exponent(draft: Draft, spec: RopeSpec | None) -> None:
    """The exponent over the head instead of the rotary width: another base over the same pairs.

    With interleaved pairs it is also a whole head of which only the first pairs turn. Where nothing is stated, a base
    that public models have decides.
    """
    base, width, head_dim = draft.fields["base"], draft.fields["rotary_dim"], draft.case.before.shape[-1]
    if not width or width >= head_dim or draft.best.profile is not None:
        return
    error = 4 * base_error(draft.best, places_of(draft.case, draft.best))
    stated = (spec.base,) if spec is not None and spec.base else KNOWN_BASES
    plain = base is not None and draft.best.blend is None and _among(base, stated, error)
    other = min(base, LARGEST_BASE) ** (head_dim / width) if base else 0.0
    over_head = _among(other, stated, error * head_dim / width)
    if base is not None:
        draft.remark("equal_exponent", base=base, other=other, rotary_dim=width, head_dim=head_dim)
    if over_head and not plain:
        draft.faults.append("exponent_over_head_dim")
    if over_head or not plain:
        draft.sure -= {"base"} | ({"rotary_dim"} if draft.best.turns.layout == "interleaved" else set())


def _among(base: float, known: tuple[float | None, ...], error: float) -> bool:
    room = max(error, 1e-5)
    return room < 0.05 and any(abs(base / one - 1) <= room for one in known if one)


def name_angles(draft: Draft) -> None:
    """The precision of the angles: whichever of float32 and the half precisions explains the data clearly better."""
    best, half = draft.best, draft.explanation.half
    places = places_of(draft.case, best)
    reading = settled(best, places)
    crisp = half is not None or (is_crisp(reading) and _enough(draft))
    if draft.explanation.length is not None or scale_of(best) is None or not crisp:
        draft.put("angle_dtype", None)
        return
    others = halved(best.turns, places, half.reading if half else reading)
    misfits = {name: min((one.reading.rms for one in others if one.name == name), default=np.inf) for name in _HALVES}
    misfits[_finest(draft, best)] = np.inf if half else min(best.reading.rms, reading.rms)
    first, second = sorted(misfits, key=lambda name: misfits[name])[:2]
    with np.errstate(over="ignore"):
        margin = best.weight * np.log(max(misfits[second], 1e-3) / max(misfits[first], 1e-3))
    if margin <= EVIDENCE:
        draft.put("angle_dtype", None)
        draft.remark("angles_open", first=first, second=second)
        return
    draft.put("angle_dtype", first, _tells_rounding(best, places, others) and _enough(draft))
    if first in _HALVES and not half:
        draft.faults.append("half_precision_angles")


_HALVES = ("bfloat16", "float16")


def _is_public(best: Finding) -> bool:
    """Whether the base was stated, or is one that public models have; another one may be a coincidence of few pairs."""
    return best.profile is not None or has_known_base(best)


def _tells_rounding(best: Finding, places: Real, others: list[Halved]) -> bool:
    """Whether the base is exact enough to tell roundings: one a little off makes the right precision look wrong."""
    hidden = any(one.reading.holds and ROUNDING[one.name] < best.turns.rounding for one in others)
    exact = _is_public(best) or 8 * base_error(best, places) < min(ROUNDING[name] for name in _HALVES)
    return exact and not hidden


def _finest(draft: Draft, best: Finding) -> str:
    """float64 where the values show angles finer than float32, else float32."""
    if draft.explanation.format != "float64":
        return "float32"
    away = np.abs(best.turns.ratio - np.exp(1j * best.reading.angles(places_of(draft.case, best))))[best.turns.known]
    return "float64" if float(away.max()) < 1e-12 * max(1.0, float(np.abs(draft.case.places).max())) else "float32"
