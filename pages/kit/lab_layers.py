"""Which layers rotate: one lane for each kind of layers, a bar at each of its places in the model."""

from collections.abc import Sequence

from pages.kit.lab_choice import Chosen
from pages.kit.lab_upload import plain
from pages.kit.stage import Panel, Track
from pages.kit.words import Words
from rope_core.config import RopeSpec

LEFT, WIDTH = 6.0, 468.0  # units of the drawing
TOP, LANE, BAR = 8.0, 50.0, 14.0
MOST = 6  # lanes that are drawn


def panels(here: Chosen, beside: Chosen | None, texts: Words) -> list[Panel]:
    """The lanes of each model whose file tells which layers it has; those of the chosen kind are lit."""
    return [
        Panel(name, _drawing(name, chosen), description=texts(f"{name}_description"))
        for name, chosen in _models(here, beside)
    ]


def tracks(here: Chosen, beside: Chosen | None, texts: Words) -> list[Track]:
    """The words of the lanes: what a file calls its layers reaches the picture only here, as text."""
    return [
        Track(f"{name}{row}", "text", _label(name, kind, spec, texts).replace("{}", "{ }"), [])
        for name, chosen in _models(here, beside)
        for row, (kind, spec) in enumerate(list(chosen.specs.items())[:MOST])
    ]


def _models(here: Chosen, beside: Chosen | None) -> list[tuple[str, Chosen]]:
    both = (("lanes_here", here), ("lanes_beside", beside))
    return [(name, chosen) for name, chosen in both if chosen and any(spec.layers for spec in chosen.specs.values())]


def _label(name: str, kind: str, spec: RopeSpec, texts: Words) -> str:
    does = texts("lane_still") if spec.rope_type == "none" else spec.rope_type
    layers = "unknown" if spec.layers is None else "one" if len(spec.layers) == 1 else "many"
    said = texts(f"lane_{layers}", kind=plain(kind, 24), does=does, count=len(spec.layers or ()))
    return texts("lane_beside", said=said) if name == "lanes_beside" else said


def _drawing(name: str, chosen: Chosen) -> str:
    count = 1 + max(spec.layers[-1] for spec in chosen.specs.values() if spec.layers)
    kinds = list(chosen.specs)[:MOST]
    lanes = [
        _lane(f"{name}{row}", row, chosen.specs[kind], kind == chosen.kind, count) for row, kind in enumerate(kinds)
    ]
    return f'<svg viewBox="0 0 480 {TOP + LANE * len(lanes):g}">{"".join(lanes)}</svg>'


def _lane(part: str, row: int, spec: RopeSpec, is_chosen: bool, count: int) -> str:
    """One lane: its words, and bars upon its rail; full ones turn, hollow ones do not."""
    top, lit = TOP + LANE * row, "yes" if is_chosen else "no"
    look = "still" if spec.rope_type == "none" else "turning"
    text = f'<text data-part="{part}" x="{LEFT:g}" y="{top + 13:g}"></text>'
    rail = f'<path class="stage-rail" d="M{LEFT:g} {top + 30:g}h{WIDTH:g}"/>'
    bars = f'<path d="{_bars(spec.layers or (), count, top + 23)}"/>'
    return f'<g class="stage-layers stage-layers-{look}" data-chosen="{lit}">{text}{rail}{bars}</g>'


def _bars(layers: Sequence[int], count: int, top: float) -> str:
    """The bars of some layers of `count`, as SVG path data."""
    step = WIDTH / count
    wide = min(step * 0.78, 24.0)
    return "".join(
        f"M{LEFT + (layer + 0.5) * step - wide / 2:.2f} {top:g}h{wide:.2f}v{BAR:g}h{-wide:.2f}z" for layer in layers
    )
