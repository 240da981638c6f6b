"""The picture of the bench of precision: the number line, fault and cure side by side, the place in hand in numbers."""

from html import escape

import numpy as np
import plotly.graph_objects as go

from pages.kit import plots, precision_line
from pages.kit.precision_data import FLOAT32, FORMATS, GAP, OWN, SHIFT, Measured, positions
from pages.kit.stage import Control, Panel, Picture
from pages.kit.words import Words, readable

WAYS = {"own": OWN, "float32": FLOAT32}
LOOKS = {  # the narrow formats in one colour, the wide ones without; told apart by dashes too
    "float64": ("--soft", "dot", 2.0),
    "float32": ("--ink", "solid", 2.0),
    "bfloat16": ("--st-violet-text-color", "solid", 3.5),
    "float16": ("--st-violet-text-color", "dash", 2.5),
}
HAND = "hand"  # a role without a colour of its own keeps a control at hand
HEIGHT = 430
RANGE = [-17.0, 1.0]  # powers of ten, for both plots


def build(found: Measured, values: dict[str, int], texts: Words) -> Picture:
    """What was measured, at the shift in hand."""
    shift = values[SHIFT.name]
    line = precision_line.drawing(shift, found.gap, texts)
    panels = [
        Panel("line", line, "drawing", texts("line_description", shift=shift, **_told(shift)), wide=False),
        Panel(
            "numbers", _numbers(found, shift, texts), "formula", texts("numbers_description", shift=shift), wide=False
        ),
    ]
    for way in WAYS:
        figure = _errors(way, found, shift, texts)
        panels.append(Panel(way, figure, description=texts(f"{way}_description"), wide=False))
    return Picture(panels, [_control(SHIFT.name, texts), _control(GAP.name, texts)], [])


def _told(shift: int) -> dict[str, int]:
    """How many of the positions from the shift on each format tells apart."""
    rows = positions().line[:, positions().shifts == shift][:, 0]
    return {name: precision_line.told_apart(row) for name, row in zip(FORMATS, rows, strict=True)}


def _control(name: str, texts: Words) -> Control:
    labels = texts(f"control_{name}"), texts(f"control_{name}_help")
    if name == GAP.name:
        return Control(GAP, *labels, role="gap")
    return Control(SHIFT, *labels, role=HAND, stops=positions().shifts.tolist(), asks=True)


def _errors(way: str, found: Measured, shift: int, texts: Words) -> go.Figure:
    """The error of the scores by shift, a curve for each format, on the range that both ways share."""
    shifts, errors = positions().shifts, found.errors[WAYS[way]]
    lines = []
    for name, curve in zip(FORMATS, errors, strict=True):
        hover = f"{name}, {texts('axis_shift')} %{{x:,}}: %{{y:.2g}}<extra></extra>"
        shown = np.where(curve > 0, curve, np.nan)  # what is 0 has no place on a logarithmic axis
        lines.append(plots.line(shifts, shown, name, *LOOKS[name]).update(hovertemplate=hover))
    lines.append(_typical(found, texts))
    ended = np.flatnonzero(np.isnan(errors[FORMATS.index("float16")]))
    if len(ended):
        last = ended[0] - 1
        lines.append(_end(int(shifts[last]), float(errors[FORMATS.index("float16")][last]), texts))
    title = texts(f"{way}_title", gap=found.gap)
    figure = plots.styled(go.Figure(lines), title, texts("axis_shift"), texts("axis_error"), HEIGHT)
    figure.update_layout(meta={"picks": {"x": SHIFT.name}})
    figure.update_xaxes(type="log", range=[-0.1, 6.2], dtick=1, tickformat="~s")
    figure.update_yaxes(type="log", range=RANGE, dtick=2, exponentformat="power", zeroline=False)
    figure.add_vline(x=shift, line={"width": 1.5, "color": plots.OUTLINE})
    return plots.with_legend(figure)


def _typical(found: Measured, texts: Words) -> go.Scatter:
    ends = positions().shifts[[0, -1]]
    line = plots.line(ends, np.full(2, found.typical), texts("line_typical"), "--soft", "longdash", 1.2)
    return line.update(hoverinfo="skip")


def _end(shift: int, error: float, texts: Words) -> go.Scatter:
    mark = {"size": 11, "symbol": "x"}
    end = go.Scatter(x=[shift], y=[error], mode="markers", marker=mark, name=texts("mark_end"))
    return end.update(meta={"colour": LOOKS["float16"][0]}, hoverinfo="skip")


def _numbers(found: Measured, shift: int, texts: Words) -> str:
    """A table of the place in hand: what each format makes of the two positions, and what that costs."""
    at = int(np.flatnonzero(positions().shifts == shift)[0])
    heads = "".join(
        f'<th scope="col">{escape(texts(f"column_{name}"))}</th>' for name in ("format", "gap", "own", "float32")
    )
    rows = []
    for row, name in enumerate(FORMATS):
        query, key = found.read[row, :, at]
        gap = readable(key - query, ",.0f") if np.isfinite([query, key]).all() else "–"
        off = [_amount(float(found.errors[way, row, at])) for way in WAYS.values()]
        cells = "".join(f"<td>{text}</td>" for text in (gap, *off))
        rows.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
    note = texts("numbers_note", typical=found.typical)
    return f'<table class="stage-prices stage-numbers"><tr>{heads}</tr>{"".join(rows)}</table><p>{escape(note)}</p>'


def _amount(error: float) -> str:
    """An error to two digits; a dash where there is none."""
    if np.isnan(error):
        return "–"
    return readable(error, ".2g" if error >= 0.001 else ".1e")
