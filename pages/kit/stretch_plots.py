"""What every way to stretch does to every pair, what it costs, and what happens without it."""

from html import escape

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from pages.kit import plots
from pages.kit.stage import Panel, scene
from pages.kit.stretch import BASE, METHODS, WIDTH, Stretch
from pages.kit.words import Words, readable
from rope_core import inverse_frequencies
from rope_core.extrapolation import fitted_weights, waves

FITTED, SEEDS = 2048, range(30)  # the length and the draws of the experiment
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "5px 2px")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x")


def panels(chosen: Stretch, lengths: tuple[int, int], texts: Words) -> list[Panel]:
    """The panels below the screw, with the chosen way marked; `lengths` in training and wanted, in tokens."""
    return [
        Panel("slowed", _slowed(chosen, lengths, texts), description=texts("slowed_description")),
        Panel("prices", _prices(chosen, lengths, texts), kind="formula", description=texts("prices_description")),
        Panel("blow-up", _blow_up(texts), description=texts("blow_up_description", **blow_up())),
        Panel("blow-up-note", scene("screw_note.html", texts, note=texts("blow_up_note", **blow_up())), kind="formula"),
    ]


def _slowed(chosen: Stretch, lengths: tuple[int, int], texts: Words) -> go.Figure:
    lines = []
    for method, dash, symbol in zip(METHODS, DASHES, SYMBOLS, strict=True):
        way = Stretch.of(method, *lengths)
        colour, width = ("--gap", 4.0) if method == chosen.method else ("--soft", 1.8)
        waves_of = 2 * np.pi / way.before
        line = plots.line(waves_of, way.slowed, texts(f"screw_method_{method}"), colour, dash, width)
        lines.append(line.update(mode="lines+markers", marker={"symbol": symbol, "size": 8, "maxdisplayed": 7}))
    figure = plots.styled(go.Figure(lines), texts("slowed_title"), texts("axis_wave"), texts("axis_slowed"), height=400)
    figure.update_xaxes(type="log", dtick="D2").update_yaxes(type="log", dtick="D2")
    figure.add_vline(x=chosen.trained, line={"width": 1, "dash": "dot", "color": plots.OUTLINE})
    return plots.with_legend(figure)


def _prices(chosen: Stretch, lengths: tuple[int, int], texts: Words) -> str:
    heads = "".join(
        f'<th scope="col">{escape(texts(key))}</th>' for key in ("control_screw_method", "price_unseen", "price_near")
    )
    rows = [f"<tr>{heads}</tr>"]
    for method in METHODS:
        way = Stretch.of(method, *lengths)
        unseen = texts("price_of", count=int(way.unseen.sum()), all=len(way.after))
        cells = (unseen, readable(way.neighbour, ".4f"))
        mark = "yes" if method == chosen.method else "no"
        name = f'<th scope="row">{escape(texts(f"screw_method_{method}"))}</th>'
        rows.append(f'<tr data-chosen="{mark}">{name}{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>')
    return f'<table class="stage-prices">{"".join(rows)}</table><p>{escape(texts("prices_note"))}</p>'


@st.cache_data(max_entries=2, show_spinner=False)
def _curves() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """|score| over twice the fitted length for every seed: as it goes on, and with the places shrunk to fit."""
    rates, places = inverse_frequencies(WIDTH, BASE), np.arange(2 * FITTED)
    weights = np.stack([fitted_weights(rates, FITTED, seed) for seed in SEEDS], axis=-1)
    return np.abs(waves(places, rates) @ weights).T, np.abs(waves(places / 2, rates) @ weights).T


def blow_up() -> dict[str, float]:
    """The medians over the seeds of the largest score within the fitted length, beyond it, and shrunk to fit."""
    on, shrunk = _curves()
    largest = {"inside": on[:, :FITTED], "beyond": on[:, FITTED:], "shrunk": shrunk}
    return {name: float(np.median(part.max(axis=1))) for name, part in largest.items()} | {
        "fitted": FITTED,
        "seeds": len(SEEDS),
    }


def _blow_up(texts: Words) -> go.Figure:
    on, shrunk = _curves()
    middle = int(np.argsort(on[:, FITTED:].max(axis=1))[len(SEEDS) // 2])  # the seed nearest the median
    places = np.arange(0, 2 * FITTED, 4)
    lines = [
        plots.line(places, on[middle, ::4], texts("blow_up_on"), "--address", "solid", 1.6),
        plots.line(places, shrunk[middle, ::4], texts("blow_up_shrunk"), "--gap", "solid", 1.6),
    ]
    figure = plots.styled(go.Figure(lines), texts("blow_up_title"), texts("axis_place"), texts("axis_size"), height=300)
    figure.update_yaxes(type="log", dtick=1, exponentformat="power")
    figure.add_vline(x=FITTED, line={"width": 1, "dash": "dot", "color": plots.OUTLINE})
    return plots.with_legend(figure)
