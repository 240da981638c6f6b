"""Plotly figures in the house style: score maps with white at 0, and lines."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.colors import sample_colorscale

# White at 0, and no colour that is somebody's role.
DIVERGING = [[0.0, "#6B3F0A"], [0.25, "#C99A4B"], [0.5, "#FFFFFF"], [0.75, "#5AA9A3"], [1.0, "#01544D"]]
OUTLINE = "#83919C"  # seen on light and on dark
MARGIN = {"l": 8, "r": 8, "t": 34, "b": 8}


def styled(figure: go.Figure, title: str, x: str, y: str, height: int, state: str = "") -> go.Figure:
    """`figure` with the house's layout instead of its own; a zoom is kept as long as `state` stays the same."""
    figure.layout = {  # several times faster than update_layout
        "title": {"text": title, "font": {"size": 15}, "x": 0.02, "y": 0.98, "yanchor": "top"},
        "xaxis": {"title": {"text": x, "standoff": 6}, "automargin": True},
        "yaxis": {"title": {"text": y, "standoff": 6}, "automargin": True},
        "margin": MARGIN,
        "height": height,
        "showlegend": False,
        "uirevision": state,
        "template": "none",
    }
    return figure


def with_legend(figure: go.Figure) -> go.Figure:
    """`figure` with its legend below."""
    return figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom"}
    )


def heat_map(
    scores: NDArray[np.float64],
    rows: NDArray[np.int_],
    columns: NDArray[np.int_],
    limit: float,
    title: str,
    axes: tuple[str, str],
) -> go.Figure:
    """A map of scores, rows downwards, on the range −limit to limit, with the true range on its colour bar."""
    bar = {"orientation": "h", "thickness": 10, "len": 1.0, "y": -0.3, "yanchor": "top", "x": 0.5, "nticks": 5}
    heat = go.Heatmap(
        z=scores.astype(np.float32), x=columns, y=rows, zmin=-limit, zmax=limit, colorscale=DIVERGING, colorbar=bar,
        name=title, hovertemplate=f"{axes[1]} %{{y}}, {axes[0]} %{{x}}: %{{z:.4f}}<extra></extra>",
    )  # fmt: skip
    figure = styled(go.Figure(heat), title, *axes, height=330, state=f"{rows[0]} {columns[0]}")
    figure.update_xaxes(range=[columns[0] - 0.5, columns[-1] + 0.5], constrain="domain")
    return figure.update_yaxes(range=[rows[-1] + 0.5, rows[0] - 0.5], scaleanchor="x")


def with_diagonal(score_map: go.Figure, rows: NDArray[np.int_]) -> go.Figure:
    """A map over (n, m) where a click takes m and n there.

    Trace 1 is the diagonal and trace 2 the place looked at; both wait for tracks.
    """
    ends = [int(rows[0]), int(rows[-1])]
    diagonal = go.Scatter(x=[0, 0], y=ends, mode="lines", line={"width": 2.5, "dash": "dot"}, meta={"colour": "--gap"})
    score_map.add_traces([diagonal.update(hoverinfo="skip"), ring("--gap")])
    return score_map.update_layout(meta={"picks": {"x": "n", "y": "m"}})


def line(
    x: NDArray[Any], y: NDArray[Any], name: str, colour: str, dash: str = "solid", width: float = 2.5
) -> go.Scatter:
    """A line in a theme colour (a CSS variable of the stage)."""
    how = {"width": width, "dash": dash}
    return go.Scatter(x=x.tolist(), y=y.tolist(), mode="lines", name=name, line=how, meta={"colour": colour})


def marker(colour: str) -> go.Scatter:
    """One mark in a theme colour that waits for its tracks."""
    return go.Scatter(x=[0], y=[0], mode="markers", marker={"size": 12}, meta={"colour": colour}, name="")


def ring(colour: str) -> go.Scatter:
    """An open mark in a theme colour, around what is looked at, that waits for its tracks."""
    how = {"size": 15, "symbol": "circle-open", "line": {"width": 3}}
    mark = go.Scatter(x=[0], y=[0], mode="markers", marker=how, meta={"colour": colour})
    return mark.update(hoverinfo="skip", cliponaxis=False)


def speeds(pairs: int) -> list[str]:
    """A colour for each pair along cividis, the fast bright, the slow dark."""
    return list(sample_colorscale("cividis", np.linspace(1, 0, pairs)))
