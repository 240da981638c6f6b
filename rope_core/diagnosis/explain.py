"""In which order explanations are tried, from the plain rotation to the known mistakes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rope_core.diagnosis.arrays import ROUNDING, Real, precision
from rope_core.diagnosis.faults import heads_as_places, permuted, restarted, started, twice_rewritten
from rope_core.diagnosis.findings import EVIDENCE, KNOWN_BASES, Finding, Profile, findings
from rope_core.diagnosis.halves import Halved, searched
from rope_core.diagnosis.lines import lines
from rope_core.diagnosis.pairs import Turns, best_turns, coherent_turns
from rope_core.diagnosis.readings import Reading
from rope_core.diagnosis.settle import is_crisp, likely, settled

FEWEST_HALF_PLACES = 4
FEWEST_HALF_ANGLES = 150
"""With fewer places or angles one of the many tables in half precision would explain them by chance."""


@dataclass(frozen=True)
class Case:
    """What is to be diagnosed: arrays `(batch, heads, seq, head_dim)`, the places, and what is stated of the model."""

    before: Real
    after: Real
    places: Real
    stated: bool
    profiles: tuple[Profile, ...]
    counts: tuple[int | None, int | None]

    @property
    def format(self) -> str:
        """The number format of the values after the rotation."""
        return precision(self.after)


@dataclass(frozen=True)
class Explanation:
    """What explains a case: equal findings, best ones unordered, or none; and the mistakes that were recognised."""

    findings: list[Finding] = field(default_factory=list)
    faults: tuple[str, ...] = ()
    half: Halved | None = None
    halves: tuple[Halved, ...] = ()  # one for each finding, where the angles were in half precision
    turns: Turns | None = None  # the layout that comes nearest, where nothing explains all
    length: int | None = None  # how many places go straight, where not all do
    pairwise: int = 0  # how many widths of that layout let all pairs turn as pairs
    actual: Real | None = None  # the places where the vectors were turned, where these restart
    reordered: bool = False  # the rows of the keys were put into the other layout's order
    format: str = ""  # the precision at which it holds


def explained(case: Case) -> Explanation:
    """Try every explanation in the precision of the values, then in coarser ones."""
    names = list(ROUNDING)
    for name in reversed(names[: names.index(case.format) + 1]):
        found = _at(case, ROUNDING[name])
        if found is not None:
            return replace(found, format=name)
    return _nearest(case)


def _at(case: Case, rounding: float) -> Explanation | None:
    widths = tuple(2 * len(profile.rates) for profile in case.profiles)
    candidates = coherent_turns(case.before, case.after, rounding, widths)
    found = likely(findings(candidates, case.places, case.stated, case.profiles), case.places)
    if found:
        return _rather_half(case, candidates, found) or Explanation(found)
    return _half(case, candidates) or _restarted(case, candidates) or _misread(case, rounding)


def _rather_half(case: Case, candidates: Sequence[Turns], found: list[Finding]) -> Explanation | None:
    """Angles in half precision, where they explain the data clearly better than a reading of no simple numbers."""
    if any(is_crisp(settled(one, case.places)) for one in found):
        return None
    half, away = _half(case, candidates), min(one.reading.away for one in found)
    if half is None or half.half is None:
        return None
    odds = found[0].weight * np.log(max(away, 1e-16) / max(half.half.reading.away, 1e-16))
    return half if odds > EVIDENCE else None


def _half(case: Case, candidates: Sequence[Turns]) -> Explanation | None:
    """Angles in half precision, for the stated tables and for bases of public models."""
    if len(case.places) < FEWEST_HALF_PLACES:
        return None
    candidates = [turns for turns in candidates if turns.known.sum() >= FEWEST_HALF_ANGLES]
    every = list[tuple[Finding, Halved]]()
    for turns in candidates:
        flat = np.ones(turns.pairs)
        tables = [Reading(1.0, 0.0, 0.0, one.rates, False) for one in case.profiles if len(one.rates) == turns.pairs]
        bases = {*KNOWN_BASES, *_rough_bases(turns, case.places)}
        tables += [Reading(1.0, float(np.log(base)) / turns.pairs, 0.0, flat, False) for base in bases]
        kept = searched(turns, case.places, case.stated, [*tables, *(replace(one, scale=-1.0) for one in tables)])
        if kept:
            best = min(kept, key=lambda one: one.reading.rms)
            profile = next((one for one in case.profiles if one.rates is best.reading.profile), None)
            every.append((Finding(turns, best.reading, profile), best))
    if not every:
        return None
    halves = tuple(one for _, one in every)
    return Explanation([one for one, _ in every], ("half_precision_angles",), halves[-1], halves)


def _rough_bases(turns: Turns, places: Real) -> list[float]:
    """The base that the slow pairs suggest, rounded to two digits."""
    found = lines(turns, places)
    if found is None or turns.pairs < 3:
        return []
    slow = (np.abs(found.rate) < 0.5) & (np.abs(found.rate) > 8 * found.rate_error) & np.isfinite(found.rate_error)
    if slow.sum() < 2:
        return []
    pairs = np.arange(turns.pairs)[slow]
    decay = -float(np.median(np.log(np.abs(found.rate[slow])) / np.maximum(pairs, 1)))
    return [float(f"{np.exp(decay * turns.pairs):.2g}")] if 0 < decay * turns.pairs < 30 else []


def _restarted(case: Case, candidates: Sequence[Turns]) -> Explanation | None:
    """Angles that go straight at the start alone: positions that restart, or places that are not even."""
    if not candidates or len(case.places) < 2:
        return None
    found, length = started(candidates, case.places, case.stated, case.profiles)
    if not found:
        return None
    again = [(finding, restarted(finding, case.places, length)) for finding in found if length > 1]
    kept = [(finding, actual) for finding, actual in again if actual is not None]
    if kept:
        return Explanation([one for one, _ in kept], ("decode_restarted",), length=length, actual=kept[0][1])
    return Explanation(found, length=length)


def _misread(case: Case, rounding: float) -> Explanation | None:
    """Heads taken for positions, keys in a wrong order, and a rotation into another layout applied twice."""
    found = heads_as_places(case.before, case.after, rounding)
    if found:
        return Explanation(found, ("heads_axis",))
    found, is_wrong = permuted(case.before, case.after, case.places, case.stated, rounding, case.counts)
    faults = ("k_permuted_wrong_heads",) if is_wrong else ()
    if found:
        return Explanation(found, faults, reordered=True)
    found = twice_rewritten(case.before, case.after, case.places, rounding, case.profiles)
    return Explanation(found, ("rotated_twice",)) if found else None


def _nearest(case: Case) -> Explanation:
    """Nothing explains all: the only layout whose pairs turn as pairs, else the one that explains the most of them."""
    rounding = ROUNDING[case.format]
    pairwise = coherent_turns(case.before, case.after, rounding)
    if len({turns.layout for turns in pairwise}) == 1:
        return Explanation(turns=pairwise[0], format=case.format, pairwise=len(pairwise))
    return Explanation(turns=best_turns(case.before, case.after, rounding), format=case.format)
