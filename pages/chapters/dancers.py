"""Two turns meet and only the difference is left. A query at m, a key at n, and every score over (m, n)."""

import numpy as np

from pages.kit import chapter, controls, link, ribbon, words
from pages.kit.comparison import GAPS, Comparison, span
from pages.kit.stage import Control, Drag, Entry, Line, Panel, Picture, Table, Track, Value, scene, sentence
from rope_core import inverse_frequencies, scores_by_gap
from rope_core.demo import demo_pair

QUANTITIES = (link.M, link.N, link.BASE, link.DIMENSION, link.PAIR)
SAID = ("query-word", "key-word", "gap-text", "between-text", "query-turn", "key-turn", "pair-score", "all-score")
texts = words.of("dancers")


def drawing(rate: float, starts: list[float]) -> list[Track]:
    """The dancers and the dial, in degrees; the arc between the two arrows follows the gap alone."""
    query, key = Value([Line("m", rate)], starts[0]), Value([Line("n", rate)], starts[1])
    turns = {"query": query, "from-query": query, "key": key, "from-key": key}
    between = Value([Line("gap", rate)], starts[1] - starts[0], modulus=360)
    tracks = [Track(part, "transform", "rotate({})", [value]) for part, value in turns.items()]
    return [*tracks, Track("between", "stroke-dasharray", "{} 360", [between])]


def numbers(rate: float, starts: list[float], pair_scores: Table) -> dict[str, Value]:
    """Every number in words, as it follows m, n and the gap; `rate` and `starts` in degrees."""
    return {
        "m": Value([Line("m", 1)], decimals=0),
        "n": Value([Line("n", 1)], decimals=0),
        "gap": Value([Line("gap", 1)], decimals=0),
        "query_turn": Value([Line("m", rate)], modulus=360, decimals=1),
        "key_turn": Value([Line("n", rate)], modulus=360, decimals=1),
        "between": Value([Line("gap", rate)], starts[1] - starts[0], modulus=360, decimals=1),
        "pair_score": Value([Entry("gap", pair_scores)], decimals=4),
    }


def at_hand(values: dict[str, int]) -> list[Control]:
    """Both places, alone and together, then what the angles are made of."""
    return [
        controls.position(link.M, texts, "query", span=span(values["m"])),
        controls.position(link.N, texts, "key", span=span(values["n"])),
        controls.together(("m", "n"), texts),
        controls.base(texts),
        controls.dimension(texts),
        controls.pair(texts, values["d"]),
    ]


def build(values: dict[str, int]) -> Picture:
    """The picture at the visitor's base, dimension and pair; m and n move it."""
    pair = slice(values["pair"], values["pair"] + 1)
    frequency = inverse_frequencies(values["d"], values["b"])[pair]
    q, k = (vector.reshape(-1, 2)[pair] for vector in demo_pair(values["d"]))
    starts = [float(np.degrees(np.arctan2(v[0, 1], v[0, 0]))) for v in (q, k)]
    by_gap = Table("pair", scores_by_gap(q[0], k[0], GAPS, frequency), first=int(GAPS[0]), decimals=4)
    comparison = Comparison(values, texts)
    rate = float(np.degrees(frequency[0]))
    shown = numbers(rate, starts, by_gap) | {"score": comparison.rope, "additive": comparison.additive()}
    query_word, key_word = ribbon.followed(texts)
    described = ("scene-description", "formula-description")
    return Picture(
        panels=[
            Panel("scene", scene("dancers.svg", texts)),
            Panel("formula", scene("dancers_formula.html", texts), kind="formula"),
            *comparison.panels(),
        ],
        controls=at_hand(values),
        tracks=[
            *drawing(rate, starts),
            *comparison.tracks(),
            *(
                sentence(part, texts.raw(part.replace("-", "_")), **shown, query_word=query_word, key_word=key_word)
                for part in (*SAID, *described)
            ),
        ],
        differences={"gap": ("n", "m")},
        drags=[Drag("query", "m"), Drag("key", "n")],
    )


FREQUENCIES = inverse_frequencies(link.DIMENSION.default, link.BASE.default)
QUERY, KEY = demo_pair(link.DIMENSION.default)
GAP = link.N.default - link.M.default
chapter.show(
    "dancers",
    QUANTITIES,
    build,
    {
        "gap": GAP,
        "distance": abs(GAP),
        "score": scores_by_gap(QUERY, KEY, [GAP], FREQUENCIES)[0],
        "other_score": scores_by_gap(QUERY, QUERY, [GAP], FREQUENCIES)[0],
    },
)
