"""Adding an address drags the address into the comparison. Two houses, two words, four terms."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.kit import chapter, controls, link, plots, ribbon, words
from pages.kit.comparison import SIDE, mark_tracks, span, window
from pages.kit.four_terms import KINDS, TERMS, WIDTH, FourTerms, spread
from pages.kit.stage import Entry, Line, Panel, Picture, PlotTrack, Table, Track, Value, scene, sentence

SIDES = ("projected", "bare")
KIND, PROJECTED = controls.options("address_kind", KINDS), controls.options("address_sides", SIDES)
COLOURS = {"ww": "--ink", "wa": "--query", "aw": "--key", "aa": "--address"}
DASHES = {"ww": "solid", "wa": "dash", "aw": "dot", "aa": "dashdot"}
STREET, TREES = 6.0, 60.0  # units of the drawing for a step along the street, and from tree to tree
SAID = ("query-word", "key-word", "gap-text", "sum", "scene-description", "sum-description")
texts = words.of("address")


def chosen(values: dict[str, int]) -> FourTerms:
    """The addresses that the visitor chose."""
    return FourTerms(KINDS[values[KIND.name]], SIDES[values[PROJECTED.name]] == "projected")


def values_of(terms: FourTerms, gap: int) -> dict[str, Value]:
    """The four terms and their sum. The fourth needs both places: its table holds for this gap alone."""
    along, (by_n, by_m) = terms.along(gap), terms.by_place()
    here = Entry("gap", Table("here", [float("nan"), 0.0, float("nan")], first=gap - 1))
    both = [Entry("m", Table("aa", along["aa"])), here]
    content = float(terms.content)
    one = {"ww": [], "wa": [Entry("n", Table("wa", by_n))], "aw": [Entry("m", Table("aw", by_m))], "aa": both}
    made = {name: Value(one[name], content if name == "ww" else 0.0, decimals=2) for name in TERMS}
    return made | {"sum": Value([term for name in TERMS for term in one[name]], content, decimals=2)}


def along_plot(terms: FourTerms, gap: int, x: NDArray[np.int_]) -> go.Figure:
    """Each term while both words are carried along at this gap, with its spread in the legend."""
    found = {name: term[x] for name, term in terms.along(gap).items()}
    lines = []
    for name in TERMS:
        title = texts("spread", term=texts(f"term_{name}"), spread=spread(found[name]))
        lines.append(plots.line(x, found[name].round(4), title, COLOURS[name], DASHES[name]))
    marks = [plots.marker(COLOURS[name]) for name in TERMS]
    figure = go.Figure([*lines, *(mark.update(showlegend=False) for mark in marks)])
    plots.styled(figure, texts("along_title", gap=gap), texts("axis_m"), texts("axis_score"), height=330)
    return plots.with_legend(figure)


def panels(terms: FourTerms, m: int, n: int) -> list[Panel]:
    """The street with the four bars, the terms over the shift and the map of their sum."""
    rows, columns = window(m), window(n)
    scores, found = terms.map(rows, columns)
    limit, axes = float(abs(scores).max()), (texts("axis_n"), texts("axis_m"))
    said = texts("map_description", spread=found)
    heat = plots.heat_map(scores, rows, columns, limit, texts("map_title"), axes)
    relative = terms.kind == "sinusoidal" and not terms.projected
    remark = texts("note_relative" if relative else "note_not_relative", value=terms.along(n - m)["aa"][m])
    return [
        Panel("scene", scene("address.svg", texts)),
        Panel("sum", scene("address_sum.html", texts), kind="formula"),
        Panel("along", along_plot(terms, n - m, rows), description=texts("along_description")),
        Panel("remark", scene("address_remark.html", texts, remark=remark), kind="formula"),
        Panel("map", plots.with_diagonal(heat, rows), description=said),
        Panel("spread", scene("address_spread.html", texts, spread=found), kind="formula"),
    ]


def tracks(shown: dict[str, Value], rows: NDArray[np.int_]) -> list[Track | PlotTrack]:
    """How the street, the bars, the marks and the sentences follow m and n."""
    street = Value([Line("m", -STREET)], modulus=TREES)
    told = {name: Value([Line(name, 1)], decimals=0) for name in ("m", "n", "gap")}
    query, key = ribbon.followed(texts)
    marks = [(PlotTrack("along", 4 + i, "x", 0, Value([Line("m", 1)])), PlotTrack("along", 4 + i, "y", 0, shown[name]))
             for i, name in enumerate(TERMS)]  # fmt: skip
    return [
        *(Track(part, "transform", "translate({} 0)", [street]) for part in ("trees", "stones")),
        *(Track(f"value-{name}", "text", "{}", [shown[name]]) for name in TERMS),
        *(Track(f"bar-{name}", "transform", "scale({} 1)", [replace(shown[name], decimals=None)]) for name in TERMS),
        *(track for pair in marks for track in pair),
        *mark_tracks("map", rows),
        *(sentence(part, texts.raw(part.replace("-", "_")), **told, **shown, query=query, key=key) for part in SAID),
    ]


def build(values: dict[str, int]) -> Picture:
    """The picture for the chosen addresses; m and n move it, and Python is asked where a term needs both."""
    m, n = values["m"], values["n"]
    terms = chosen(values)
    return Picture(
        panels=panels(terms, m, n),
        controls=[
            controls.choice(KIND, texts, KINDS),
            controls.choice(PROJECTED, texts, SIDES),
            controls.position(link.M, texts, "query", asks=True, span=span(m)),
            controls.position(link.N, texts, "key", asks=True, span=span(n)),
            controls.together(("m", "n"), texts),
        ],
        tracks=tracks(values_of(terms, n - m), window(m)),
        differences={"gap": ("n", "m")},
    )


constant = FourTerms("sinusoidal", False)
chapter.show(
    "address",
    (KIND, PROJECTED, link.M, link.N),
    build,
    {
        "gap": link.N.default - link.M.default,
        "constant": constant.along(link.N.default - link.M.default)["aa"][link.M.default],
        "constant_spread": spread(constant.along(link.N.default - link.M.default)["aa"]),
        "cross_spread": spread(constant.along(link.N.default - link.M.default)["wa"][:SIDE]),
        "places": SIDE,
        "width": WIDTH,
    },
)
