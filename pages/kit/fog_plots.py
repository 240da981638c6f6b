"""What the game of the last chapter shows: the scores one is given, and what they know."""

import numpy as np
import plotly.graph_objects as go

from pages.kit import fog, plots
from pages.kit.stage import Panel, scene
from pages.kit.words import Words


def scores_seen(seen: tuple[str, ...], place: int, texts: Words) -> go.Figure:
    """The scores of every word with every word: all there is to go by."""
    found, order = fog.score_table(seen, place), np.arange(fog.COUNT)
    axes = texts("axis_key"), texts("axis_query")
    figure = plots.heat_map(found, order, order, float(np.abs(found).max()), texts("table_title"), axes)
    figure.update_traces(colorbar={"y": -0.45})
    for axis in (figure.update_xaxes, figure.update_yaxes):
        axis(tickvals=order, ticktext=list(seen))
    return figure


def answers(seen: tuple[str, ...], place: int, texts: Words) -> list[Panel]:
    """The answer: no place fits better than another, and every gap can be read off."""
    found, steps = fog.gaps_found(seen, place), np.arange(fog.COUNT)
    rope, added = fog.misfits(seen, place)
    right = texts("gaps_found", right=int((found == steps - steps[:, np.newaxis]).sum()), all=found.size)
    said = texts("answer_description", rope=float(rope.max()), added=float(np.sort(added)[1]))
    return [
        Panel("answer", _misfit_plot(rope, added, place, texts), description=said),
        Panel("gaps", scene("nowhere_gaps.html", texts, gaps_found=right, gaps_note=said), kind="formula"),
    ]


def _misfit_plot(rope: fog.Array, added: fog.Array, place: int, texts: Words) -> go.Figure:
    """How badly each place fits the scores seen: with RoPE all fit alike, with an added address only one."""
    every = slice(place % 4, None, 4)  # the true place among them
    lines = [
        plots.line(fog.PLACES[every], added[every], texts("answer_added"), "--address", width=1.2),
        plots.line(fog.PLACES[every], rope[every], texts("answer_rope"), "--gap"),
        plots.ring("--address").update(x=[place], y=[0], name=texts("answer_place", place=place)),
    ]
    titles = texts("answer_title"), texts("axis_place"), texts("axis_misfit")
    return plots.with_legend(plots.styled(go.Figure(lines), *titles, height=300))
