"""The pictures of a training: losses, right answers by place and by length, attention, and what stretching did."""

from html import escape

import numpy as np
import plotly.graph_objects as go

from pages.kit import plots
from pages.kit.number_table import number_table
from pages.kit.stage import Panel, Picture
from pages.kit.training_settings import name
from pages.kit.words import Words, readable
from rope_core.training_plan import LOOKS, REACH, TARGETS, TOKENS, WAYS, Array, Kind, Outcome, Plan, Way

LOOK: dict[Kind, tuple[str, str]] = {  # what is added in red, what turns in green; told apart by dashes too
    "rope": ("--gap", "solid"),
    "sinusoidal": ("--address", "solid"),
    "learned": ("--address", "dash"),
    "none": ("--soft", "dot"),
}
WAY_LOOK: dict[Way, tuple[str, str]] = {
    "none": ("--soft", "dot"),
    "linear": ("--st-violet-text-color", "dash"),
    "ntk": ("--gap", "solid"),
}
ORDER: tuple[Kind, ...] = ("rope", "sinusoidal", "learned", "none")
SHADES = [[0.0, "#FFFFFF"], [0.5, "#5AA9A3"], [1.0, "#01544D"]]
LEARNED = 0.01  # a loss below this counts as learned
LOSSES = [-3.6, 0.7]  # powers of ten
BLOCK = 8  # places whose answers make one point of the curve


def live(losses: Array, plan: Plan, texts: Words) -> Picture:
    """The losses so far."""
    return Picture([Panel("loss", _loss(losses, plan, texts), description=texts("loss_description"))], [], [])


def build(outcome: Outcome, plan: Plan, texts: Words) -> Picture:
    """Everything that came of a training."""
    panels = [
        Panel("loss", _loss(outcome.loss, plan, texts), description=texts("loss_description")),
        Panel("places", _places(outcome, plan, texts), description=texts("places_description", length=plan.length)),
        Panel("lengths", _lengths(outcome, plan, texts), "formula", texts("lengths_description")),
        *_maps(outcome, plan, texts),
        Panel("maps-note", _said("maps_note", plan, texts), "formula"),
    ]
    if len(outcome.stretched):
        described = texts("stretched_description", target=plan.target)
        panels += [
            Panel("stretched", _stretched(outcome, plan, texts), description=described),
            Panel("ways", _ways(outcome, plan, texts), "formula", texts("ways_description")),
        ]
    return Picture(panels, [], [])


def _rows(plan: Plan) -> list[tuple[Kind, int]]:
    """The models in the order in which they are shown, with their places in the outcome."""
    return [(kind, plan.kinds.index(kind)) for kind in ORDER if kind in plan.kinds]


def _loss(losses: Array, plan: Plan, texts: Words) -> go.Figure:
    """The loss by step on a logarithmic axis, whose range is always the same."""
    steps = np.arange(1, losses.shape[1] + 1)
    lines = [plots.line(steps, losses[row].round(6), name(kind), *LOOK[kind]) for kind, row in _rows(plan)]
    ends = np.array([1, plan.steps])
    for value, key in ((np.log(TOKENS), "line_guess"), (LEARNED, "line_learned")):
        level = plots.line(ends, np.full(2, value).round(4), texts(key, tokens=TOKENS, below=LEARNED), "--ink", "dot")
        lines.append(level.update(line_width=1.2, hoverinfo="skip"))
    figure = plots.styled(go.Figure(lines), texts("loss_title"), texts("axis_step"), texts("axis_loss"), 360)
    figure.update_xaxes(range=[0, plan.steps + 1], zeroline=False)
    figure.update_yaxes(type="log", range=LOSSES, dtick=1, exponentformat="power")
    return plots.with_legend(figure)


def _places(outcome: Outcome, plan: Plan, texts: Words) -> go.Figure:
    """The share of right answers by place, as the mean of BLOCK places; the trained length is an upright."""
    starts = range(plan.gap, REACH - BLOCK + 1, BLOCK)
    middles = np.array([start + (BLOCK - 1) / 2 for start in starts])
    lines = []
    for kind, row in _rows(plan):
        means = np.array([outcome.right[row, start : start + BLOCK].mean() for start in starts])
        lines.append(plots.line(middles, means.round(4), name(kind), *LOOK[kind]))
    title = texts("places_title")
    figure = plots.styled(go.Figure(lines), title, texts("axis_place"), texts("axis_right"), 320)
    figure.update_xaxes(range=[0, REACH], dtick=32, zeroline=False)
    figure.update_yaxes(range=[0, 1.04], tickformat=".0%", zeroline=False)
    figure.add_vline(x=plan.length, line={"width": 1.5, "dash": "dash", "color": plots.OUTLINE})
    return plots.with_legend(figure)


def _maps(outcome: Outcome, plan: Plan, texts: Words) -> list[Panel]:
    return [
        Panel(
            f"map-{kind}",
            _map(outcome.attention[row], name(kind), plan, texts),
            description=texts("map_description", model=name(kind), at_gap=on_stripe(outcome.attention[row], plan.gap)),
            wide=False,
        )
        for kind, row in _rows(plan)
    ]


def on_stripe(attention: Array, gap: int) -> float:
    """The mean share of its attention that a place gives to the one `gap` places back."""
    return float(np.diagonal(attention, -gap).mean())


def _map(attention: Array, title: str, plan: Plan, texts: Words) -> go.Figure:
    """One map from 0 to 1, which all maps share; a thin line marks the gap, dashes the trained length."""
    axes = texts("axis_seen"), texts("axis_place")
    heat = go.Heatmap(
        z=attention.round(3), zmin=0, zmax=1, colorscale=SHADES, name=title,
        colorbar={"orientation": "h", "thickness": 10, "len": 1.0, "y": -0.26, "yanchor": "top", "tickformat": ".0%"},
        hovertemplate=f"{axes[1]} %{{y}}, {axes[0]} %{{x}}: %{{z:.0%}}<extra></extra>",
    )  # fmt: skip
    size = len(attention)
    told = texts("map_title", model=title, at_gap=on_stripe(attention, plan.gap))
    figure = plots.styled(go.Figure(heat), told, *axes, height=370)
    stripe = plots.line(np.array([0, size - 1 - plan.gap]), np.array([plan.gap, size - 1]), "", "--gap", "dot", 1.5)
    figure.add_trace(stripe.update(hoverinfo="skip"))
    dashes = {"width": 1.2, "dash": "dash", "color": plots.OUTLINE}
    figure.add_vline(x=plan.length - 0.5, line=dashes).add_hline(y=plan.length - 0.5, line=dashes)
    figure.update_xaxes(range=[-0.5, size - 0.5], constrain="domain", dtick=16)
    return figure.update_yaxes(range=[size - 0.5, -0.5], scaleanchor="x", dtick=16)


def _stretched(outcome: Outcome, plan: Plan, texts: Words) -> go.Figure:
    """The share of right answers at the target while the stretched model trains on."""
    steps = np.array([plan.further * look // (LOOKS - 1) for look in range(LOOKS)])
    lines = [
        plots.line(steps, outcome.stretched[row].round(4), texts(f"way_{way}"), *WAY_LOOK[way]).update(
            mode="lines+markers"
        )
        for row, way in enumerate(WAYS)
    ]
    title = texts("stretched_title", length=plan.length, target=plan.target)
    figure = plots.styled(go.Figure(lines), title, texts("axis_further"), texts("axis_right"), 320)
    figure.update_xaxes(range=[-0.02 * plan.further - 1, 1.02 * plan.further + 1], zeroline=False)
    figure.update_yaxes(range=[0, 1.04], tickformat=".0%", zeroline=False)
    return plots.with_legend(figure)


def _lengths(outcome: Outcome, plan: Plan, texts: Words) -> str:
    """Right answers by length as a table, and when each model had learned the task."""
    lengths = (plan.length, *TARGETS)
    learned = outcome.learned_at(LEARNED)
    head = [texts("column_model"), texts("column_learned"), *(texts("column_length", length=at) for at in lengths)]
    rows = []
    for kind, row in _rows(plan):
        first = learned[row]
        shares = [readable(outcome.right_within(at)[row], ".1%") for at in lengths]
        rows.append([name(kind), texts("never") if first is None else readable(first), *shares])
    return number_table(head, rows) + _said("lengths_note", plan, texts)


def _ways(outcome: Outcome, plan: Plan, texts: Words) -> str:
    """What each way did at once, and after the further steps."""
    named = {"gap": plan.gap, "shifted": plan.shifted_gap, "further": plan.further}
    head = [texts(f"column_{key}", **named) for key in ("way", "at_once", "shifted", "after")]
    rows = [
        [texts(f"way_{way}"), *(readable(share, ".1%") for share in (looks[0], shifted, looks[-1]))]
        for way, looks, shifted in zip(WAYS, outcome.stretched, outcome.shifted, strict=True)
    ]
    return number_table(head, rows) + _said("ways_note", plan, texts)


def _said(key: str, plan: Plan, texts: Words) -> str:
    numbers = {"gap": plan.gap, "shifted": plan.shifted_gap, "length": plan.length, "target": plan.target}
    return f"<p>{escape(texts(key, tokens=TOKENS, factor=plan.factor, reach=REACH, block=BLOCK, **numbers))}</p>"
