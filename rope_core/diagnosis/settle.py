"""The simple numbers behind a reading: what was measured is rounded to them, as far as the errors allow."""

from dataclasses import replace

import numpy as np

from rope_core.diagnosis.arrays import Real
from rope_core.diagnosis.findings import EVIDENCE, KNOWN_BASES, Finding
from rope_core.diagnosis.ladder import STEEPEST
from rope_core.diagnosis.pairs import Turns
from rope_core.diagnosis.readings import Reading, held, improved


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


def simple_scale(scale: float, error: float) -> float:
    """The simplest fraction within the error, else the scale itself."""
    for denominator in range(1, 65):
        near = round(scale * denominator) / denominator
        if near and abs(near - scale) <= max(4 * error, 3e-6 * scale):
            return near
    return scale


def simple_base(base: float, error: float) -> float:
    """The base with the fewest digits within a relative error, a known one first."""
    room = max(4 * error, 1e-7)
    for known in KNOWN_BASES:
        if abs(known / base - 1) <= room:
            return known
    for digits in range(1, 10):
        near = float(f"{base:.{digits}g}")
        if abs(near / base - 1) <= room:
            return near
    return base


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


def base_error(finding: Finding, places: Real) -> float:
    """The relative standard deviation of the base, also where the table was stated."""
    if finding.blend is not None:
        return finding.blend.base_error
    free = improved(finding.turns, places, replace(finding.reading, fitted=True))
    return free.errors[1] * finding.turns.pairs if int(finding.turns.known.any(0).sum()) > 1 else np.inf


def has_known_base(finding: Finding) -> bool:
    """Whether the base at this width is one that public models have, which speaks for the width."""
    base, room = base_of(finding), max(4 * finding.reading.errors[1] * finding.turns.pairs, 1e-5)
    return base is None or (room < 0.2 and any(abs(base / known - 1) <= room for known in KNOWN_BASES))


def settled(finding: Finding, places: Real) -> Reading:
    """The reading with the simplest numbers within its errors, if it still explains everything."""
    reading, turns, base = finding.reading, finding.turns, base_of(finding)
    if scale_of(finding) is None or reading.decay >= STEEPEST:
        return reading
    scale = float(np.sign(reading.scale) * simple_scale(abs(reading.scale), reading.errors[0]))
    decays = [reading.decay]
    if base and reading.fitted:
        decays = [float(np.log(simple_base(base, base_error(finding, places)))) / turns.pairs, reading.decay]
    for decay in decays:
        better = _placed(replace(reading, scale=scale, decay=decay), turns, places)
        if better.holds and better.rms <= 1.2 * reading.rms + 0.05:
            return replace(better, errors=(0.0, 0.0, reading.errors[2]))
    return reading


def _placed(reading: Reading, turns: Turns, places: Real) -> Reading:
    """The reading from the simplest first place from which it holds, or from the best one."""
    first, scale = first_alone(turns, places, reading), abs(reading.scale)
    better = reading
    for place in (float(round(first)), round(first * scale) / scale, round(first * 8) / 8, first):
        better = held(turns, places, replace(reading, first=place))
        if better.holds:
            break
    return better


def is_crisp(reading: Reading) -> bool:
    """Whether a settled reading consists of simple numbers alone."""
    turned = abs(reading.first * reading.scale)
    return reading.errors[0] == 0.0 and ((reading.first * 8).is_integer() or abs(turned - round(turned)) < 1e-9)


def likely(found: list[Finding], places: Real) -> list[Finding]:
    """The findings without those that have no simple numbers and are clearly less likely than another."""
    least = dict[int, float]()
    for one in found:
        least[id(one.turns)] = min(one.reading.cost, least.get(id(one.turns), np.inf))
    return [
        one
        for one in found
        if one.reading.cost - least[id(one.turns)] < EVIDENCE or is_crisp(settled(one, places[: len(one.turns.ratio)]))
    ]


def visible(finding: Finding, places: Real) -> int:
    """How many pairs turn visibly; fewer than three leave whole turns open, and with them everything."""
    angles = np.abs(finding.reading.angles(places)) * finding.turns.known
    return int((angles.max(0) > 8 * finding.turns.rounding).sum())


def first_alone(turns: Turns, places: Real, reading: Reading) -> float:
    """The first place that fits best once scale and base stand."""
    first = reading.first
    for _ in range(3):
        now = replace(reading, first=first)
        angles = now.angles(places)
        sigma = turns.rounding + 1e-7 * np.abs(angles)
        weight = np.where(turns.known, (now.rates / sigma) ** 2, 0)
        rest = np.angle(turns.ratio * np.exp(-1j * angles))
        slopes = np.where(np.abs(now.rates) > 0, now.rates, np.inf)
        first += float((weight * rest / slopes).sum() / max(weight.sum(), 1e-300))
    return first
