"""The picture of the lab: the layers, the plots, the pair in hand in numbers, and what can be set."""

from pages.kit import lab_layers
from pages.kit.lab_choice import Chosen
from pages.kit.lab_facts import MOST, amount, way_of
from pages.kit.lab_plots import PAIR, REACH, Plots, lengths_around
from pages.kit.lab_table import LayerTable
from pages.kit.link import Quantity
from pages.kit.stage import Control, Entry, Line, Panel, Picture, PlotTrack, Table, Track, Value, scene, sentence
from pages.kit.words import Words, readable

LENGTH = "lab_length"
HAND = "hand"  # a role without a colour of its own keeps a control at hand


def quantities(here: Chosen, beside: Chosen | None, texts: Words) -> list[Quantity]:
    """What can be set: the pair in hand, and the length where a table follows it."""
    plots = _plots(here, beside, None, texts)
    if plots is None:
        return []
    made = [Quantity(PAIR, 0, 0, plots.count - 1)]
    at = plots.threshold
    return made if at is None else [*made, Quantity(LENGTH, at, 1, at * REACH)]


def build(here: Chosen, beside: Chosen | None, length: int | None, texts: Words) -> Picture:
    """The layers of both models, and the plots of the chosen layers' tables at a length."""
    panels, tracks = lab_layers.panels(here, beside, texts), lab_layers.tracks(here, beside, texts)
    plots = _plots(here, beside, length, texts)
    if plots is None:
        return Picture(panels, [], tracks)
    controls = [_control(quantity, texts) for quantity in quantities(here, beside, texts)]
    return Picture([*panels, *_panels(plots)], controls, [*tracks, *_tracks(plots)])


def _plots(here: Chosen, beside: Chosen | None, length: int | None, texts: Words) -> Plots | None:
    """The plots at a length; None where the chosen layers do not rotate."""
    made = [LayerTable(chosen.spec).at(length) for chosen in (here, beside) if chosen and chosen.spec.scaling]
    return Plots(made[0], made[1] if len(made) > 1 else None, texts) if here.spec.scaling else None


def _control(quantity: Quantity, texts: Words) -> Control:
    """A control that stays at hand; only the length changes the tables."""
    labels = texts(f"control_{quantity.name}"), texts(f"control_{quantity.name}_help")
    if quantity.name == PAIR:
        return Control(quantity, *labels, role=HAND)
    return Control(quantity, *labels, role=HAND, stops=lengths_around(quantity.default), asks=True)


def _panels(plots: Plots) -> list[Panel]:
    figures = {"waves": plots.waves()}
    figures |= {"slowed": plots.slowed()} if plots.is_scaled else {}
    figures |= {"by_length": plots.by_length()} if plots.threshold else {}
    figures |= {"scores": plots.scores()}
    first, *others = [
        Panel(name, figure, description=plots.texts(f"{name}_description")) for name, figure in figures.items()
    ]
    return [first, Panel("pair", scene("lab_pair.html", plots.texts), kind="formula"), *others]


def _tracks(plots: Plots) -> list[Track | PlotTrack]:
    """The rings around the pair in hand, and its numbers."""
    rings = {"waves": plots.heights(plots.here)} | ({"slowed": plots.here.slowed} if plots.is_scaled else {})
    pair = Value([Line(PAIR, 1)], decimals=0)
    made: list[Track | PlotTrack] = [sentence("pair-description", plots.texts.raw("pair_description"), pair=pair)]
    for name, heights in rings.items():
        height = Value([Entry(PAIR, Table(name, heights[:MOST]))])
        made += [PlotTrack(name, 0, "x", 0, pair), PlotTrack(name, 0, "y", 0, height)]
    said = [_said(name, side, plots.texts) for name, side in zip(("here", "beside"), plots.sides, strict=False)]
    return made + said


def _said(name: str, side: LayerTable, texts: Words) -> Track:
    """Every pair in one sentence; where a table has fewer pairs, its last stays."""
    pairs = zip(side.rates[:MOST], side.waves[:MOST], side.ways[:MOST], side.slowed[:MOST], strict=True)
    sentences = []
    for pair, (rate, wave, way, by) in enumerate(pairs):
        turned = {"rate": readable(rate, ".6g"), "wave": amount(wave, texts)}
        turns = amount((side.served or 0) / wave, texts)
        kind = "still" if way == "still" else "turns" if side.served else "unknown"
        said = texts(f"pair_{kind}", pair=pair, turns=turns, served=side.served or 0, **turned)
        sentences.append(f"{texts(f'pair_{name}', said=said)} {way_of(side, way, by, texts)}".strip())
    return Track(f"pair-{name}", "text", "{}", [Value([Entry(PAIR, Table(name, sentences))])])
