"""The picture of the doctor: the angle of the pair in hand by position, and the map of what fits."""

from html import escape

import numpy as np
import plotly.graph_objects as go

from pages.kit import plots
from pages.kit.doctor_case import FAILS, FITS, PAIRS, PLACES, UNSEEN, Real, Seen
from pages.kit.link import Quantity
from pages.kit.stage import Control, Panel, Picture
from pages.kit.words import Words, readable

PAIR = "doctor_pair"
HAND = "hand"  # a role without a colour of its own keeps a control at hand
FITTING, FAILING, CLEAR = "#A9BFCE", "#C24A00", "rgba(0,0,0,0)"  # apart in brightness as well as in hue
FEW = 8  # places
FEWEST_ROWS, MOST_ROWS = 8, 20  # that the height of the map follows


def quantity(seen: Seen) -> Quantity:
    """The pair in hand."""
    return Quantity(PAIR, 0, 0, seen.angles.shape[1] - 1)


def build(seen: Seen, pair: int, texts: Words) -> Picture:
    """The panels for a pair in hand; Python is asked for another one."""
    labels = texts("control_doctor_pair"), texts("control_doctor_pair_help")
    angle = "angle_description" if seen.has_reading else "angle_description_open"
    panels = [
        Panel("angle", _angle(seen, pair, texts), description=texts(angle)),
        Panel("pair", f'<p class="stage-verdict">{escape(pair_in_words(seen, pair, texts))}</p>', kind="formula"),
        Panel("map", _map(seen, pair, texts), description=_told_of_map(seen, texts)),
    ]
    return Picture(panels, [Control(quantity(seen), *labels, role=HAND, asks=True)], [])


def pair_in_words(seen: Seen, pair: int, texts: Words) -> str:
    """What the pair in hand does, in one sentence."""
    fits, known = (int(count[pair]) for count in seen.counts)
    slope = seen.lines[0, pair]
    if not known:
        return texts("pair_unseen", pair=pair)
    if np.isnan(slope):
        return texts("pair_no_table" if seen.keeps_lengths else "pair_no_line", pair=pair, fits=fits, seen=known)
    key = "pair_average" if seen.is_stepped else "pair_line"
    return texts(key, pair=pair, slope=readable(float(slope), ".6g"), fits=fits, seen=known)


def _axis(seen: Seen) -> str:
    return "axis_head" if seen.counts_heads else "axis_position" if seen.is_given else "axis_place"


def _angle(seen: Seen, pair: int, texts: Words) -> go.Figure:
    places, angles, states = seen.places, seen.angles[:, pair], seen.states[:, pair]
    slope, start = seen.lines[:, pair]
    traces = []
    if np.isfinite(slope):
        ends = np.array([places.min(), places.max()])
        traces.append(
            plots.line(
                ends, slope * ends + start, texts("line_average" if seen.is_stepped else "line_reading"), "--gap"
            )
        )
    looks = ((FITS, "mark_fits", "circle", "--ink"), (FAILS, "mark_fails", "x", "--address"))
    for state, name, symbol, colour in looks:
        here = states == state
        if here.any():
            mark = go.Scatter(x=places[here].tolist(), y=angles[here].tolist(), mode="markers", name=texts(name))
            traces.append(mark.update(marker={"size": 8, "symbol": symbol}, meta={"colour": colour}))
    figure = go.Figure(traces)
    figure = plots.styled(figure, texts("angle_title", pair=pair), texts(_axis(seen)), texts("axis_angle"), 360)
    return plots.with_legend(figure.update_xaxes(zeroline=False, dtick=_tick(places)))


def _map(seen: Seen, pair: int, texts: Words) -> go.Figure:
    """Cells by place (across) and pair (down); arrows beside the row of the pair in hand."""
    rows = len(seen.cells)
    cells = np.where(seen.cells == UNSEEN, np.nan, seen.cells == FAILS).astype(np.float32)
    hover = f"{texts('axis_pair')} %{{y}}, {texts(_place_axis(seen))} %{{x}}<extra></extra>"
    heat = go.Heatmap(
        z=cells, x=seen.cell_places.tolist(), y=seen.cell_pairs.tolist(), zmin=0, zmax=1, showscale=False,
        colorscale=[[0, FITTING], [1, FAILING]], name=texts("map_title"), hovertemplate=hover, xgap=_gap(seen),
        ygap=_gap(seen),
    )  # fmt: skip
    looks = ((FITS, "cell_fits", FITTING), (FAILS, "cell_fails", FAILING), (UNSEEN, "cell_unseen", CLEAR))
    keys = [_key(texts(name), colour) for state, name, colour in looks if (seen.cells == state).any()]
    figure = go.Figure([heat, *keys, _arrows(seen, pair, texts)])
    height = 150 + 14 * min(max(rows, FEWEST_ROWS), MOST_ROWS)
    figure = plots.styled(figure, texts("map_title"), texts(_place_axis(seen)), texts("axis_pair"), height, str(rows))
    figure.update_yaxes(autorange="reversed", zeroline=False, showgrid=False)
    figure.update_xaxes(range=_span(seen), zeroline=False, showgrid=False, dtick=_tick(seen.cell_places))
    figure.update_layout(meta={"picks": {"y": PAIR}})
    return plots.with_legend(figure)


def _tick(places: Real) -> int | None:
    """The step between ticks: whole where few places would make Plotly part them; None leaves it to Plotly."""
    return 1 if np.ptp(places) < FEW else None


def _place_axis(seen: Seen) -> str:
    return "axis_head" if seen.counts_heads else "axis_place"


def _gap(seen: Seen) -> int:
    """Pixels between cells, as long as there is room for them both ways."""
    return 1 if max(seen.cells.shape) <= 64 else 0


def _span(seen: Seen) -> list[float]:
    """The ends of the map across, with room for the arrows."""
    cell = float(np.diff(seen.cell_places).max(initial=1))
    width = float(seen.cell_places[-1]) + cell
    return [-cell / 2 - 0.04 * width, width - cell / 2 + 0.04 * width]


def _key(name: str, colour: str) -> go.Scatter:
    """A square for the legend alone."""
    how = {"size": 12, "symbol": "square", "color": colour, "line": {"width": 1, "color": plots.OUTLINE}}
    return go.Scatter(x=[None], y=[None], mode="markers", name=name, marker=how)


def _arrows(seen: Seen, pair: int, texts: Words) -> go.Scatter:
    row = seen.cell_pairs[np.searchsorted(seen.cell_pairs, pair, side="right") - 1]
    left, right = _span(seen)
    inset = 0.015 * (right - left)
    how = {"size": 10, "symbol": ["triangle-right", "triangle-left"]}
    arrows = go.Scatter(x=[left + inset, right - inset], y=[row, row], mode="markers", name=texts("cell_pair"))
    return arrows.update(marker=how, meta={"colour": "--ink"}, hoverinfo="skip")


def _told_of_map(seen: Seen, texts: Words) -> str:
    """What the map shows, and what a cell stands for where it is not one pair at one place."""
    rows, columns = seen.cells.shape
    fits, known = seen.total
    said = texts("map_description", fits=fits, seen=known)
    is_thinned = rows == PAIRS or columns == PLACES
    return f"{said} {texts('map_blocks')}" if is_thinned else said
