"""Known mistakes that leave no straight angles: positions that restart, heads for positions, rows in a wrong order."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rope_core.diagnosis.arrays import Real
from rope_core.diagnosis.findings import KNOWN_BASES, Finding, Profile, findings
from rope_core.diagnosis.lines import lines
from rope_core.diagnosis.pairs import Turns, coherent_turns, moved_width
from rope_core.diagnosis.pairs import turns as turns_of
from rope_core.diagnosis.readings import Reading, held
from rope_core.diagnosis.settle import likely


def prefix(candidates: Sequence[Turns], places: Real) -> int:
    """How many places from the start any layout explains by straight angles."""
    lengths = [found.length for turns in candidates if (found := lines(turns, places)) is not None]
    return max(lengths, default=len(places))


def cut(turns: Turns, length: int) -> Turns:
    """The turns at the first `length` places only."""
    kept = slice(0, length)
    return replace(turns, ratio=turns.ratio[kept], count=turns.count[kept], coherent=turns.coherent[kept])


def started(
    candidates: Sequence[Turns], places: Real, stated: bool, profiles: Sequence[Profile]
) -> tuple[list[Finding], int]:
    """What explains the straight beginning, and its length."""
    length = prefix(candidates, places)
    shorter = [cut(turns, length) for turns in candidates]
    found = likely(findings(shorter, places[:length], stated, profiles), places)
    whole = {(turns.layout, turns.width): turns for turns in candidates}
    kept = list[Finding]()
    for finding in found:
        turns = whole[finding.turns.layout, finding.turns.width]
        kept.append(replace(finding, whole=turns))
    return kept, length


def restarted(finding: Finding, places: Real, length: int) -> Real | None:
    """The places `(seq,)`, if those after the beginning are the first ones again: counted anew, or always the same."""
    turns, reading = finding.everything, finding.reading
    here, after = places - places[0] + reading.first, np.arange(len(places) - length)
    step = (places[-1] - places[0]) / (len(places) - 1)
    for start in {float(reading.first), 0.0}:
        for again in (
            np.full(len(after), start),
            start + step * after,
            start + step * (np.arange(len(after)) % length),
        ):
            actual = np.concatenate((here[:length], again))
            if held(turns, places, reading, np.outer(actual, reading.rates)).holds:
                return np.asarray(actual)
    return None


def heads_as_places(before: Real, after: Real, rounding: float) -> list[Finding]:
    """What explains the data if positions count along the heads; nothing where there is one head alone."""
    if before.shape[1] < 2:
        return []
    swapped = before.swapaxes(1, 2), after.swapaxes(1, 2)
    candidates = coherent_turns(*swapped, rounding)
    heads = np.arange(before.shape[1], dtype=np.float64)
    return likely(findings(candidates, heads, False, []), heads)


def permuted(
    before: Real, after: Real, places: Real, stated: bool, rounding: float, counts: tuple[int | None, int | None]
) -> tuple[list[Finding], bool]:
    """What explains keys whose rows were put into the other layout's order, and whether with a wrong number of heads.

    before `(batch, num_kv_heads, seq, head_dim)` as the first model has them, after as the second turned them.
    """
    for order, is_wrong in _orders(before.shape[1], before.shape[3], counts):
        rows = before.swapaxes(1, 2).reshape(before.shape[0], before.shape[2], -1)[..., order]
        moved = rows.reshape(before.shape[0], before.shape[2], before.shape[1], -1).swapaxes(1, 2)
        moved = np.ascontiguousarray(moved)
        if not moved_width(moved, after, rounding):
            continue
        found = likely(findings(coherent_turns(moved, after, rounding), places, stated, []), places)
        if found:
            return found, is_wrong
    return [], False


def _orders(
    kv_heads: int, head_dim: int, counts: tuple[int | None, int | None]
) -> Iterator[tuple[NDArray[np.intp], bool]]:
    """Row orders from half to interleaved and back, with num_heads // num_kv_heads or num_heads groups, or rightly."""
    heads, stated = counts
    if not heads or not stated or stated != kv_heads:
        return
    rows = kv_heads * head_dim
    for groups in dict.fromkeys((stated, heads // stated, heads)):
        if rows % (2 * groups) == 0:
            order = np.arange(rows).reshape(groups, 2, -1).swapaxes(1, 2).ravel()
            yield order, groups != stated
            yield np.argsort(order), groups != stated


def twice_rewritten(
    before: Real, after: Real, places: Real, rounding: float, profiles: Sequence[Profile]
) -> list[Finding]:
    """What explains two rotations that each read interleaved pairs and write halves, by a stated or a public table.

    The second one reads as pairs what the first has written as halves, so that no layout sees pairs in the data.
    """
    kept = list[Finding]()
    for width in _usual_widths(before.shape[-1]):
        for reading, profile in _known_tables(width // 2, profiles):
            reading = replace(reading, first=float(places[0]))
            undone = _undone(after, np.exp(-1j * reading.angles(places)), width)
            turns = turns_of(before, undone, "interleaved_to_half", width, rounding)
            better = held(turns, places, reading)
            if turns.coherent.all() and better.holds:
                kept.append(Finding(turns, better, profile))
    return kept


def _usual_widths(head_dim: int) -> list[int]:
    return [width for width in (head_dim, head_dim // 2, head_dim // 4) if width > 2 and width % 2 == 0]


def _known_tables(pairs: int, profiles: Sequence[Profile]) -> Iterator[tuple[Reading, Profile | None]]:
    """Readings of the stated tables and of the public bases, in both directions."""
    for sign in (1.0, -1.0):
        for profile in profiles:
            if len(profile.rates) == pairs:
                yield Reading(sign, 0.0, 0.0, profile.rates, False), profile
        for base in KNOWN_BASES:
            yield Reading(sign, float(np.log(base)) / pairs, 0.0, np.ones(pairs), True), None


def _undone(after: Real, back: NDArray[np.complex128], width: int) -> Real:
    """What a rotation from interleaved pairs into halves was given, if it turned by the inverse of `back`."""
    halves = (after[..., : width // 2] + 1j * after[..., width // 2 : width]) * back
    undone = after.copy()
    undone[..., 0:width:2], undone[..., 1:width:2] = halves.real, halves.imag
    return undone


def unevenly(finding: Finding, places: Real) -> Real:
    """The place at which each vector was turned, `(seq,)`, by the slowest pairs that still show it."""
    turns, rates = finding.everything, finding.reading.rates
    grid = np.arange(0.0, max(64.0, 4 * len(places)) / max(abs(float(rates[0])), 0.25), 0.25)
    waves = np.exp(-1j * np.outer(rates, grid))
    score = (np.where(turns.known, turns.ratio, 0) @ waves).real
    return np.asarray(grid[score.argmax(1)])
