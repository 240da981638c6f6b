"""From what explains the data to the fields of a diagnosis: what is named, and what is vouched for.

A field holds what the plainest explanation says, and None where two explanations are equally plain. It is vouched for
only if every explanation agrees, the roundabout ones too: without positions, a stride s with a linear factor s is the
same rotation for every s, so that stride and factor are named and not vouched for.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rope_core.config import RopeSpec
from rope_core.diagnosis.arrays import ROUNDING, Real
from rope_core.diagnosis.explain import Case, Explanation
from rope_core.diagnosis.findings import KNOWN_BASES, Finding
from rope_core.diagnosis.halves import halved
from rope_core.diagnosis.ladder import STEEPEST
from rope_core.diagnosis.pairs import Turns
from rope_core.diagnosis.readings import Reading, held, improved

EVIDENCE = 12.0
"""How much likelier, as a logarithm, one explanation must be before another is dropped."""
CERTAIN = 0.01
"""A base is vouched for if eight standard deviations of it are less than this part."""
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


def scale_of(finding: Finding) -> float | None:
    """Radians per place of a pair whose frequency is 1, without sign; None where the table is unknown."""
    if finding.blend is not None:
        return finding.blend.scale
    measured = not finding.reading.fitted and finding.profile is None and np.ptp(finding.reading.profile) > 0
    return None if measured else abs(finding.reading.scale)


def is_one(finding: Finding) -> bool:
    """Whether the scale is 1, as far as can be seen."""
    scale, error = scale_of(finding), finding.reading.errors[0]
    return scale is not None and abs(scale - 1) <= max(5 * error, 2e-5) < 0.2


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
            finding.turns.width != head_dim,
            abs(np.log(scale or 1e9)),
            abs(finding.reading.first),
        )

    return min(found, key=cost)


def _is_simple(scale: float) -> bool:
    return abs(scale - float(Fraction(scale).limit_denominator(8))) < 1e-3


def simple_scale(scale: float, error: float) -> float:
    """The simplest fraction within the error, else the scale itself."""
    for denominator in range(1, 65):
        near = round(scale * denominator) / denominator
        if near and abs(near - scale) <= max(4 * error, 3e-6 * scale):
            return near
    return scale


def simple_base(base: float, error: float) -> float:
    """The base with the fewest digits within a relative error, a known one first."""
    room = max(4 * error, 3e-6)
    for known in KNOWN_BASES:
        if abs(known / base - 1) <= room:
            return known
    for digits in range(1, 8):
        near = float(f"{base:.{digits}g}")
        if abs(near / base - 1) <= room:
            return near
    return base


def places_of(case: Case, finding: Finding) -> Real:
    """The places that a finding explains: those given or counted, or the heads where these were taken for them."""
    seq = len(finding.turns.ratio)
    return case.places[:seq] if len(finding.everything.ratio) == len(case.places) else np.arange(seq, dtype=np.float64)


def base_error(case: Case, finding: Finding) -> float:
    """The relative standard deviation of the base, also where the table was stated."""
    if finding.blend is not None:
        return finding.blend.base_error
    reading, places = finding.reading, places_of(case, finding)
    free = improved(finding.turns, places, replace(reading, fitted=True))
    seen = int(finding.turns.known.any(0).sum())
    return free.errors[1] * finding.turns.pairs if seen > 1 else np.inf


def base_of(finding: Finding) -> float | None:
    """The effective base of the table that was used; None where it is unknown."""
    if finding.profile is not None:
        return finding.profile.base
    if finding.blend is not None:
        return finding.blend.base
    if finding.reading.decay >= STEEPEST:
        return None
    seen = int(finding.turns.known.any(0).sum())
    return float(np.exp(finding.reading.decay * finding.turns.pairs)) if scale_of(finding) and seen > 1 else None


def name_shape(draft: Draft) -> None:
    """Layout, width, direction, attention factor."""
    best, found = draft.best, draft.all
    layouts, widths = {one.turns.layout for one in found}, {one.turns.width for one in found}
    head_dim = draft.case.before.shape[-1]
    open_layout = len(layouts) > 1 and (head_dim == 2 or best.turns.width > 2)
    draft.put("layout", None if open_layout else best.turns.layout, len(layouts) == 1)
    draft.put("rotary_dim", best.turns.width, len(widths) == 1)
    if len(layouts) > 1:
        draft.remark("equal_layouts", layouts=", ".join(sorted(layouts)), rotary_dim=best.turns.width)
    if len(widths) > 1:
        draft.remark("equal_widths", widths=", ".join(str(width) for width in sorted(widths)))
    signs = {float(np.sign(one.reading.rates[np.abs(one.reading.rates).argmax()])) for one in found}
    sign = float(np.sign(best.reading.rates[np.abs(best.reading.rates).argmax()]))
    even = draft.explanation.length is None or draft.case.stated or "decode_restarted" in draft.faults
    draft.put("direction", int(sign) or None, len(signs) == 1 and even)
    draft.remark("equal_direction", direction=int(-sign))


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
    error = base_error(draft.case, best)
    agree = all(other is not None and abs(other / base - 1) < CERTAIN / 2 for other in bases)
    value = base if best.profile is not None else simple_base(base, error)
    known = agree and 8 * error < CERTAIN and draft.explanation.half is None
    draft.put("base", float(value) if error < 0.2 else None, known and len({one.turns.width for one in draft.all}) == 1)
    if not known:
        draft.remark("base_rough", base=base, error=min(4 * error, 1e9))


def exponent(draft: Draft, spec: RopeSpec | None) -> None:
    """The exponent over the head instead of the rotary width: another base over the same pairs."""
    base, width, head_dim = draft.fields["base"], draft.fields["rotary_dim"], draft.case.before.shape[-1]
    if base is None or not width or width >= head_dim or draft.best.profile is not None:
        return
    other, error = base ** (head_dim / width), 4 * base_error(draft.case, draft.best) * head_dim / width
    draft.remark("equal_exponent", base=base, other=other, rotary_dim=width, head_dim=head_dim)
    room = max(error, 1e-5)
    stated = (spec.base,) if spec is not None and spec.base else KNOWN_BASES
    plain = any(abs(base / known - 1) <= room for known in stated if known)
    if room < 0.05 and any(abs(other / known - 1) <= room for known in stated if known):
        draft.sure.discard("base")
        if not plain:
            draft.faults.append("exponent_over_head_dim")


def name_angles(draft: Draft) -> None:
    """The precision of the angles: whichever of float32 and the half precisions explains the data clearly better."""
    best, half = draft.best, draft.explanation.half
    reading, places = settled(draft), places_of(draft.case, best)
    if draft.explanation.length is not None or scale_of(best) is None:
        draft.put("angle_dtype", None)
        return
    others = halved(best.turns, places, half.reading if half else reading)
    rms = {name: min((one.reading.rms for one in others if one.name == name), default=np.inf) for name in _HALVES}
    exact = np.inf if half else min(best.reading.rms, reading.rms)
    scores = {_finest(draft, best): exact, **rms}
    first, second = sorted(scores, key=lambda name: scores[name])[:2]
    with np.errstate(over="ignore"):
        margin = best.weight * np.log(max(scores[second], 1e-3) / max(scores[first], 1e-3))
    draft.put("angle_dtype", first if margin > EVIDENCE else None, margin > EVIDENCE)
    if margin <= EVIDENCE:
        draft.remark("angles_open", first=first, second=second)
    elif first in _HALVES and not half:
        draft.faults.append("half_precision_angles")


_HALVES = ("bfloat16", "float16")


def _finest(draft: Draft, best: Finding) -> str:
    """float64 where the values show angles finer than float32, else float32."""
    if draft.explanation.format != "float64":
        return "float32"
    away = np.abs(best.turns.ratio - np.exp(1j * best.reading.angles(places_of(draft.case, best))))[best.turns.known]
    return "float64" if float(away.max()) < 1e-12 * max(1.0, float(np.abs(draft.case.places).max())) else "float32"


def settled(draft: Draft) -> Reading:
    """The reading with the simplest numbers within its errors, if it still explains everything."""
    reading, turns = draft.best.reading, draft.best.turns
    if scale_of(draft.best) is None or draft.best.reading.decay >= STEEPEST:
        return reading
    places = places_of(draft.case, draft.best)
    base = draft.fields.get("base")
    scale = np.sign(reading.scale) * simple_scale(abs(reading.scale), reading.errors[0])
    decay = (
        float(np.log(base)) / turns.pairs if base and draft.best.profile is None and reading.fitted else reading.decay
    )
    plain = replace(reading, scale=float(scale), decay=decay)
    moved = replace(plain, first=first_alone(turns, places, plain))
    for first in (float(round(moved.first)), round(moved.first * 64) / 64, moved.first):
        better = held(turns, places, replace(moved, first=first))
        if better.holds and better.rms <= 1.2 * reading.rms + 0.05:
            return replace(better, errors=(0.0, 0.0, reading.errors[2]))
    return reading


def first_alone(turns: Turns, places: Real, reading: Reading) -> float:
    """The first place that fits best once scale and base stand."""
    first = reading.first
    for _ in range(3):
        now = replace(reading, first=first)
        angles = now.angles(places)
        sigma = ROUNDING["bfloat16"] * 1e-3 + turns.rounding + 1e-7 * np.abs(angles)
        weight = np.where(turns.known, (now.rates / sigma) ** 2, 0)
        rest = np.angle(turns.ratio * np.exp(-1j * angles))
        slopes = np.where(np.abs(now.rates) > 0, now.rates, np.inf)
        first += float((weight * rest / slopes).sum() / max(weight.sum(), 1e-300))
    return first
