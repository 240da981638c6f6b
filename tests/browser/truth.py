"""What the chapters must show at any setting, by plain formulas: none of the code that feeds the pages is called here.

The demonstration's query and key are given numbers, and come from where they are kept.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pages.kit import words
from rope_core.demo import demo_pair
from tests.browser.picture import Reading, Scene, of_turn
from tests.reading import Below, Number, Shown, Word, faults

QUERY_WORD, KEY_WORD = "lamp", "sea"
ADDRESS_LENGTH = 0.5  # half as long as the word, as the page says
SIDE = 128
LAST = 4096
FLOAT32 = 1e-6
HALF_DIGIT = 0.501e-4
Pair = tuple[float, float]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class At:
    """A setting of the shared quantities."""

    m: int = 17
    n: int = 12
    b: int = 10_000
    d: int = 64
    pair: int = 0

    @property
    def gap(self) -> int:
        """Key position minus query position."""
        return self.n - self.m

    @property
    def rate(self) -> float:
        """Radians the pair turns a step."""
        return self.speed(self.pair)

    @property
    def degrees(self) -> float:
        """Degrees the pair turns a step."""
        return math.degrees(self.rate)

    def speed(self, pair: int) -> float:
        """Radians that any pair turns a step."""
        return self.b ** (-2 * pair / self.d)

    def words(self) -> tuple[list[Pair], list[Pair]]:
        """The demonstration's query and key, two numbers at a time."""
        query, key = (vector.tolist() for vector in demo_pair(self.d))
        return tuple([(v[2 * i], v[2 * i + 1]) for i in range(self.d // 2)] for v in (query, key))


def turned(pair: Pair, angle: float) -> Pair:
    """A pair of numbers turned by an angle in radians."""
    x, y = pair
    return x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)


def dot(one: Pair, other: Pair) -> float:
    """The dot product of two pairs."""
    return one[0] * other[0] + one[1] * other[1]


def direction(pair: Pair) -> float:
    """Where an arrow points, in degrees."""
    return math.degrees(math.atan2(pair[1], pair[0]))


# ---------------------------------------------------------------- scores


def rope_score(at: At) -> float:
    """The dot product of query and key, every pair turned by its own place."""
    query, key = at.words()
    speeds = [at.speed(i) for i in range(at.d // 2)]
    places = zip(query, key, speeds, strict=True)
    return sum(dot(turned(q, at.m * speed), turned(k, at.n * speed)) for q, k, speed in places)


def address(at: At, position: int) -> list[Pair]:
    """The sinusoidal address of a position, scaled to its length."""
    scale = ADDRESS_LENGTH / math.sqrt(at.d / 2)
    angles = [position * at.speed(i) for i in range(at.d // 2)]
    return [(scale * math.sin(angle), scale * math.cos(angle)) for angle in angles]


def additive_score(at: At) -> float:
    """The dot product of query and key after each had its address added."""
    query, key = at.words()
    total = 0.0
    for q, k, p_m, p_n in zip(query, key, address(at, at.m), address(at, at.n), strict=True):
        total += dot((q[0] + p_m[0], q[1] + p_m[1]), (k[0] + p_n[0], k[1] + p_n[1]))
    return total


def rope_map(at: At, rows: Array, columns: Array) -> Array:
    """RoPE's scores over (m, n): each pair a complex number, turned, times the other's conjugate."""
    query, key = (np.array([complex(*pair) for pair in vector]) for vector in at.words())
    speeds = np.array([at.speed(i) for i in range(at.d // 2)])
    turned_query = query * np.exp(1j * np.outer(rows, speeds))
    turned_key = key * np.exp(1j * np.outer(columns, speeds))
    return (turned_query @ turned_key.conj().T).real


def additive_map(at: At, rows: Array, columns: Array) -> Array:
    """The scores over (m, n) with an address added to both words."""
    query, key = (np.array(vector).ravel() for vector in at.words())
    speeds = np.array([at.speed(i) for i in range(at.d // 2)])

    def placed(word: Array, positions: Array) -> Array:
        angles = np.outer(positions, speeds)
        waves = np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(positions), -1)
        return word + ADDRESS_LENGTH / math.sqrt(at.d / 2) * waves

    return placed(query, rows) @ placed(key, columns).T


def spread(scores: Array) -> float:
    """How far the scores along one diagonal differ, at most."""
    side = len(scores)
    return max(float(np.ptp(np.diagonal(scores, offset))) for offset in range(1 - side, side))


# ---------------------------------------------------------------- lighthouse


def lighthouse(at: At, _: Reading) -> list[Scene]:
    """The beam, the arrow before, the arc, the afterglow, the ribbon, the formula."""
    x = at.words()[0][at.pair]
    start, angle = direction(x), at.m * at.rate
    y, around = turned(x, angle), at.m * at.degrees
    numbers: dict[str, Shown] = {
        "x0": Number(x[0], 3),
        "x1": Number(x[1], 3),
        "y0": Number(y[0], 3),
        "y1": Number(y[1], 3),
        "cos": Number(math.cos(angle), 3),
        "sin": Number(math.sin(angle), 3),
        "minus_sin": Number(-math.sin(angle), 3),
        "m": Number(at.m, 0),
        "rate": Number(at.rate, 6),
        "angle": Number(angle, 3),
        "degrees": Number(around, 1, modulus=360),
        "turns": Number(angle / (2 * math.pi), 2),
        "length": Number(math.hypot(*x), 3),
    }
    order = ["y0", "y1", "cos", "minus_sin", "sin", "cos", "x0", "x1"]
    ribbon, there = _ribbon(at.m)
    glows = {f"glow{back}": start + around - back * at.degrees for back in range(1, 15)}
    return [
        Scene(
            page="lighthouse",
            named=numbers,
            sentences={
                "turned-by": "turned_by",
                "length-kept": "length_kept",
                "scene-description": "scene_description",
                "formula-description": "formula_description",
            },
            texts={f"number-{name}": numbers[name] for name in order} | ribbon,
            turns={
                "beam": start + around,
                "beam-label": -start - around,
                "beam-name": start + around,
                "before": start,
                "before-label": -start,
                "before-name": start,
            }
            | glows,
            directions={
                "beam": start + around,
                "beam-name": 0,
                "before": start,
                "before-name": 0,
            }
            | glows,
            arcs={"turned": (around % 360, start + around)},
            opacities={f"glow{back}": 1 - back / 14 if back <= at.m else 0 for back in range(1, 15)} | there,
            controls={"m": at.m, "b": at.b, "d": at.d, "pair": at.pair},
            order=[f"number-{name}" for name in order],
        )
    ]


def _ribbon(m: int) -> tuple[dict[str, Shown], dict[str, float]]:
    """The word at position m, the positions around it, and how much of each is seen: before 0 there is nothing."""
    texts: dict[str, Shown] = {"word": Word(QUERY_WORD)}
    there: dict[str, float] = {}
    for step in range(-2, 3):
        texts[f"at{step:+d}"] = Number(m + step, 0)
        there[f"at{step:+d}"] = float(m + step >= 0)
    return texts, there


# ---------------------------------------------------------------- dancers


def dancers(at: At, reading: Reading) -> list[Scene]:
    """The two dancers, the dial, the scores, the two maps, the diagonal."""
    q, k = (vector[at.pair] for vector in at.words())
    query, key = direction(q) + at.m * at.degrees, direction(k) + at.n * at.degrees
    named: dict[str, Shown] = {
        "m": Number(at.m, 0),
        "n": Number(at.n, 0),
        "gap": Number(at.gap, 0),
        "query_word": Word(QUERY_WORD),
        "key_word": Word(KEY_WORD),
        "query_turn": Number(at.m * at.degrees, 1, modulus=360),
        "key_turn": Number(at.n * at.degrees, 1, modulus=360),
        "between": Number(key - query, 1, modulus=360),
        "pair_score": Number(dot(turned(q, at.m * at.rate), turned(k, at.n * at.rate)), 4),
        "score": Number(rope_score(at), 4),
        "additive": Number(additive_score(at), 4),
    }
    said = ("query-word", "key-word", "gap-text", "between-text", "query-turn", "key-turn", "pair-score", "all-score")
    maps = {name: f"{name}-description".replace("-", "_") for name in ("map-rope", "map-additive")}
    described = {f"{name}-description" for name in ("scene", "formula", "diagonal", *maps)}
    expected = Maps(at, reading["stages"][0]["plots"])
    turns = {"query": query, "from-query": query, "key": key, "from-key": key}
    return [
        Scene(
            page="dancers",
            named=named,
            sentences={part: part.replace("-", "_") for part in (*said, *described)},
            special={f"{name}-description": {"spread": expected.spreads[name]} for name in maps},
            texts={"spread-rope": expected.spreads["map-rope"], "spread-additive": expected.spreads["map-additive"]},
            turns=turns,
            directions=turns,
            arcs={"between": ((key - query) % 360, key)},
            controls={"m": at.m, "n": at.n, "both": min(at.m, at.n), "b": at.b, "d": at.d, "pair": at.pair},
            plots=expected.faults,
        )
    ]


class Maps:
    """The two maps over the windows that the page chose around m and n, and the scores along the diagonal."""

    def __init__(self, at: At, plots: dict[str, Any]) -> None:
        self.at = at
        self.plots = plots
        self.drawn = [*plots] == ["map-rope", "map-additive", "diagonal"] and all(p["traces"] for p in plots.values())
        self.scores: dict[str, Array] = {}
        self.spreads: dict[str, Shown] = {"map-rope": Below(1e-9), "map-additive": Number(math.inf, 3)}
        if self.drawn:
            self.rows, self.columns = (np.array(plots["map-rope"]["traces"][0][axis]) for axis in ("y", "x"))
            self.scores["map-rope"] = rope_map(at, self.rows, self.columns)
            self.scores["map-additive"] = additive_map(at, self.rows, self.columns)
            self.spreads["map-additive"] = Number(spread(self.scores["map-additive"]), 3)

    def faults(self, _: dict[str, Any]) -> Iterable[str]:
        """What is wrong with the plots."""
        if not self.drawn:
            yield "not all plots are drawn"
            return
        for name, positions, here in (("m", self.rows, self.at.m), ("n", self.columns, self.at.n)):
            if not _is_window(positions, here):
                yield f"the window of {name} is {positions[0]} to {positions[-1]}"
        limit = max(float(np.abs(found).max()) for found in self.scores.values())
        for name in self.scores:
            yield from (f"{name}: {fault}" for fault in self._of_map(name, limit))
        yield from (f"diagonal: {fault}" for fault in self._of_diagonal())

    def _of_map(self, name: str, limit: float) -> Iterable[str]:
        heat, diagonal, here = self.plots[name]["traces"]
        if heat["x"] != self.columns.tolist() or heat["y"] != self.rows.tolist():
            yield "its axes are not those of the other map"
        if not np.allclose(heat["z"], self.scores[name], rtol=0, atol=FLOAT32):
            yield f"a score is off by {np.abs(np.array(heat['z']) - self.scores[name]).max()}"
        if abs(heat["zmax"] - limit) > FLOAT32 or heat["zmin"] != -heat["zmax"]:
            yield f"its colours range from {heat['zmin']} to {heat['zmax']}, not to {limit}"
        if (here["x"], here["y"]) != ([self.at.n], [self.at.m]):
            yield f"its mark is at {here['x']}, {here['y']}"
        ends = [int(self.rows[0]), int(self.rows[-1])]
        if (diagonal["y"], diagonal["x"]) != (ends, [end + self.at.gap for end in ends]):
            yield f"its diagonal goes from {diagonal['x']} to {diagonal['y']}"

    def _of_diagonal(self) -> Iterable[str]:
        level, wavy, on_level, on_wavy = self.plots["diagonal"]["traces"]
        keys = self.rows + self.at.gap
        inside = (keys >= 0) & (keys <= LAST)
        additive = np.full(len(keys), np.nan)
        if inside.any():  # not yet, while the page is still on its way to another window
            additive[inside] = np.diagonal(additive_map(self.at, self.rows[inside], keys[inside]))
        here = rope_score(self.at)
        for trace, wanted in ((level, np.full(len(keys), here)), (wavy, additive)):
            shown = np.array([math.nan if y is None else y for y in trace["y"]], dtype=float)
            right = np.allclose(shown, wanted, rtol=0, atol=HALF_DIGIT, equal_nan=True)
            if not right or trace["x"] != self.rows.tolist():
                yield f"the scores of {trace['name']} are wrong"
        for trace, score in ((on_level, here), (on_wavy, additive_score(self.at))):
            if trace["x"] != [self.at.m] or abs(trace["y"][0] - score) > HALF_DIGIT:
                yield f"a mark is at {trace['x']}, {trace['y']}, not at {score}"


def _is_window(positions: Array, here: int) -> bool:
    first, last = int(positions[0]), int(positions[-1])
    whole = positions.tolist() == list(range(first, first + SIDE))
    return whole and first >= 0 and last <= LAST and first <= here <= last


# ---------------------------------------------------------------- bells


def rack(at: At, stage: dict[str, Any]) -> Iterable[str]:
    """What is wrong with the rack of all bells: every bell, the pair in hand in numbers, the wavelengths."""
    found = {part["name"]: part for part in stage["parts"]}
    if (
        sum(name.removeprefix("bell").isdigit() for name in found) != at.d // 2
        or not stage["plots"]["spectrum"]["traces"]
    ):
        yield "not all bells are drawn"
        return
    for pair in range(at.d // 2):
        turn = -at.m * math.degrees(at.speed(pair))
        yield from (f"bell {pair}: {fault}" for fault in of_turn(found[f"bell{pair}"].get("transform", ""), turn))
    finer = min(int(-math.log10(at.rate)), 3)
    numbers: dict[str, Shown] = {
        "m": Number(at.m, 0),
        "angle": Number(at.m * at.rate, 3 + finer),
        "turns": Number(at.m * at.rate / (2 * math.pi), 2 + finer),
        "degrees": Number(at.m * at.degrees, 1 + finer, modulus=360),
    }
    yield from faults(words.Words("en", "bells").raw("turned"), found["turned"]["text"], numbers)
    pairs, _, ring = stage["plots"]["spectrum"]["traces"]
    if not np.allclose(pairs["y"], [2 * math.pi / at.speed(pair) for pair in range(at.d // 2)], rtol=1e-12, atol=0):
        yield "a wavelength is wrong"
    if ring["x"] != [at.pair] or not math.isclose(ring["y"][0], 2 * math.pi / at.rate, rel_tol=FLOAT32):
        yield f"the ring is at {ring['x']}, {ring['y']}"
