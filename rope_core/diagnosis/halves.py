"""Angles computed in half precision: position, frequency and their product rounded to bfloat16 or float16."""

from dataclasses import dataclass, replace

import numpy as np

from rope_core.diagnosis.arrays import Real
from rope_core.diagnosis.pairs import Turns
from rope_core.diagnosis.readings import Reading, held

FORMATS = ("bfloat16", "float16")
WAYS = ("all", "product")
"""What is rounded: position, frequency and product, or the product alone."""


def rounded(values: Real, name: str) -> Real:
    """Values rounded to the nearest number of a half precision, ties to even; beyond float16, infinite."""
    if name == "float16":
        with np.errstate(over="ignore"):
            return values.astype(np.float16).astype(np.float64)
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    kept = (bits + np.uint64(0x7FFF) + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    return np.asarray(kept.astype(np.uint32).view(np.float32), dtype=np.float64)


def half_angles(reading: Reading, places: Real, name: str, way: str) -> Real:
    """The angles of a reading, `(seq, pairs)`, had they been computed in half precision."""
    here = places - places[0] + reading.first
    sign = np.sign(reading.scale)
    rates = np.abs(reading.rates)
    if way == "product":
        return np.asarray(sign * rounded(np.outer(here, rates), name))
    with np.errstate(invalid="ignore"):  # a place beyond float16 is infinite, and times a rate of 0 it is nothing
        return np.asarray(sign * rounded(np.outer(rounded(here, name), rounded(rates, name)), name))


@dataclass(frozen=True)
class Halved:
    """A reading whose angles fit when rounded: the format, and what was rounded."""

    reading: Reading
    name: str
    way: str
    angles: Real


def halved(turns: Turns, places: Real, reading: Reading) -> list[Halved]:
    """A reading under every half precision, held against the data; infinite angles explain nothing."""
    kept = list[Halved]()
    for name in FORMATS:
        for way in WAYS:
            angles = half_angles(reading, places, name, way)
            if np.isfinite(angles).all():
                kept.append(Halved(held(turns, places, reading, angles), name, way, angles))
    return kept


def searched(turns: Turns, places: Real, stated: bool, tables: list[Reading]) -> list[Halved]:
    """Tables that explain all angles once these are rounded, from any first place that the slow pairs allow."""
    kept = list[Halved]()
    for table in tables:
        for first in [float(places[0])] if stated else _first_places(turns, places, table):
            moved = replace(table, first=first)
            kept += [one for one in halved(turns, places, moved) if one.reading.holds]
    return kept


def _first_places(turns: Turns, places: Real, table: Reading) -> list[float]:
    """Whole first places up to 4096, best first, judged by the pairs whose angles stay small enough to be exact."""
    grid = np.arange(4097, dtype=np.float32)
    measured, rates = np.angle(turns.ratio).astype(np.float32), table.rates.astype(np.float32)
    score = np.zeros(len(grid))
    for step in {0, len(places) - 1}:
        angles = np.outer(grid + np.float32(places[step] - places[0]), rates)
        trust = turns.known[step] / (1 + (angles / 128) ** 2)
        score += (trust * (np.cos(measured[step] - angles) - 1)).sum(1) / np.maximum(trust.sum(1), 1e-9)
    return [float(grid[i]) for i in np.argsort(-score)[:3]]
