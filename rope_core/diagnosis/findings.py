"""What explains the data: every reading of every layout, unscaled, from the stated tables, or as measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rope_core.diagnosis.arrays import Real
from rope_core.diagnosis.ladder import Ladder, ladders, scales
from rope_core.diagnosis.lines import Lines, lines, noise
from rope_core.diagnosis.pairs import Turns
from rope_core.diagnosis.readings import Reading, held, placed
from rope_core.diagnosis.scaled import Blend, recognised

FLOORS = (0.0, 1e-5, 3e-4, 4e-3)
"""Errors of the angles in radians to allow for, one after the other: far from 0 float32 angles are rough."""
MOST = {False: 64.0, True: 8.0, None: 512.0}
"""The largest scale looked for: without positions a stride up to 64; with them a factor; at a single place, a place."""
EVIDENCE = 12.0
"""How much likelier, as a logarithm, one explanation must be before another is dropped."""
FEWEST_LEADING = 4
"""So many fast pairs must go down in equal ratios before the others are called scaled."""
MOST_FINDINGS = 12
"""More ladders than this are not followed: so many disagree in everything already."""
KNOWN_BASES = (1e4, 5e5, 1e6, 1e5, 1.5e5, 1.6e5, 2.5e4, 5e6, 2e6, 1e7, 1.2e7, 1e3)
"""Bases of public models, the most frequent first."""


@dataclass(frozen=True)
class Profile:
    """A table to be held against the data: where it comes from, its rates and what it says of itself."""

    source: str  # "stated", "unscaled" (stated base, no scaling), or the name of another kind of layers
    rope_type: str
    rates: Real
    base: float
    factor: float
    modulus: float


@dataclass(frozen=True)
class Finding:
    """One explanation: the turns of a layout, a reading, and the table it uses if that was not fitted."""

    turns: Turns
    reading: Reading
    profile: Profile | None = None
    blend: Blend | None = None
    whole: Turns | None = None  # all places, where the reading explains the first ones only

    @property
    def everything(self) -> Turns:
        """The turns at all places."""
        return self.whole or self.turns

    @property
    def weight(self) -> int:
        """How many angles stand behind it."""
        return int(self.turns.known.sum())


def findings(candidates: Sequence[Turns], places: Real, stated: bool, profiles: Sequence[Profile]) -> list[Finding]:
    """Every explanation of all angles."""
    found = [finding for turns in candidates for finding in _explained(turns, places, stated, profiles)]
    return found or _measured(candidates, places, stated)


def _explained(turns: Turns, places: Real, stated: bool, profiles: Sequence[Profile]) -> list[Finding]:
    fitting = [profile for profile in profiles if len(profile.rates) == turns.pairs]
    if len(places) == 1:
        return _at_one_place(turns, places)
    found = lines(turns, places)
    if found is None:
        return _as_stated(turns, places, fitting)
    if found.length < len(places):
        return []
    for floor in FLOORS:
        kept = _with_floor(turns, places, stated, found, floor, fitting)
        if kept:
            return kept
    return []


def _measured(candidates: Sequence[Turns], places: Real, stated: bool) -> list[Finding]:
    """What explains the angles at rates of no known table, under every layout and width."""
    kept = list[Finding]()
    for turns in candidates:
        found = lines(turns, places)
        if found is not None and found.length == len(places):
            kept += _as_measured(turns, places, stated, found)
    return kept


def _with_floor(
    turns: Turns, places: Real, stated: bool, found: Lines, floor: float, profiles: Sequence[Profile]
) -> list[Finding]:
    """The unscaled tables and the stated ones that agree, with an allowance for the errors of the angles."""
    flat = np.ones(turns.pairs)
    whole = [one for one in ladders(found, MOST[stated], floor) if one.reach == turns.pairs]
    whole = sorted(whole, key=lambda one: abs(abs(one.scale) - 1))[:MOST_FINDINGS]
    kept = [
        Finding(turns, reading)
        for one in whole
        for reading in placed(turns, places, stated, found, Reading(one.scale, one.decay, 0.0, flat, True))
    ]
    for profile in profiles:
        for one in scales(found, profile.rates, MOST[stated], floor)[:MOST_FINDINGS]:
            more = placed(turns, places, stated, found, Reading(one.scale, 0.0, 0.0, profile.rates, False))
            kept += [Finding(turns, reading, profile) for reading in more]
    return kept


def _at_one_place(turns: Turns, places: Real) -> list[Finding]:
    """One place alone: its angles go down like the rates, and the scale is the place itself."""
    angle, error = np.angle(turns.ratio[0]), noise(turns)[0]
    seen = Lines(angle, angle, np.where(np.isfinite(error), 2 * error, np.inf), error, 2 * np.pi, 1)
    flat, kept = np.ones(turns.pairs), list[Finding]()
    for one in ladders(seen, MOST[None], 1e-5):
        if one.reach == turns.pairs:
            reading = Reading(float(np.sign(one.scale)), one.decay, abs(one.scale), flat, True)
            kept.append(Finding(turns, held(turns, places, reading)))
    nearest = sorted(kept, key=lambda finding: finding.reading.first)
    return [finding for finding in nearest if finding.reading.holds][:MOST_FINDINGS]


def _as_stated(turns: Turns, places: Real, profiles: Sequence[Profile]) -> list[Finding]:
    """Places too far apart to follow: only tables that are known can be held against the angles."""
    tables: list[Profile | None] = [*profiles, *([None] * len(KNOWN_BASES))]
    kept = list[Finding]()
    for table, base in zip(tables, (*([1.0] * len(profiles)), *KNOWN_BASES), strict=True):
        rates = np.ones(turns.pairs) if table is None else table.rates
        for sign in (1.0, -1.0):
            reading = Reading(sign, np.log(base) / turns.pairs, float(places[0]), rates, False)
            kept.append(Finding(turns, held(turns, places, reading), table))
    return [finding for finding in kept if finding.reading.holds]


def _as_measured(turns: Turns, places: Real, stated: bool, found: Lines) -> list[Finding]:
    """Angles that go straight, at rates that no unscaled or stated table has: a scaled table, named if recognised."""
    leading = sorted(ladders(found, MOST[stated]), key=lambda one: abs(abs(one.scale) - 1))
    start = leading[0] if leading else Ladder(1.0, 0.0, 0)
    rates = np.where(np.isfinite(found.rate_error), found.rate, 0.0)
    sign = float(np.sign(start.scale))
    if start.reach >= FEWEST_LEADING:
        expected = start.scale * np.exp(-start.decay * np.arange(turns.pairs))
        rates[: start.reach] += found.alias * np.round((expected - rates)[: start.reach] / found.alias)
        behind = np.arange(turns.pairs) >= start.reach
        rates += np.where(behind & (rates * sign < -6 * found.rate_error), found.alias * sign, 0)
    leads = (
        min(len(places), start.reach) >= FEWEST_LEADING
        and len(leading) == 1
        and (rates * sign)[: start.reach].min() > 0
    )
    blend = recognised(rates * sign, found.rate_error, start.reach) if leads else None
    readings = placed(turns, places, stated, found, Reading(sign, 0.0, 0.0, rates * sign, False))
    return [Finding(turns, replace(reading, decay=0.0), None, blend) for reading in readings[:1]]
