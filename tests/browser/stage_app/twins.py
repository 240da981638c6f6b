"""Two stages side by side, with the same names inside and a plot each."""

from collections.abc import Callable

import plotly.graph_objects as go

from pages.kit.link import Quantity
from pages.kit.stage import Control, Line, Panel, Picture, PlotTrack, Track, Value, sentence

MARKUP = '<svg viewBox="0 0 100 40" aria-hidden="true"><text data-part="reading" x="10" y="25"></text></svg>'


def twin(name: str, default: int) -> tuple[str, tuple[Quantity], Callable[[dict[str, int]], Picture]]:
    """The stage called `name`: one control, one text, one mark on a plot."""
    quantity = Quantity(f"{name}_at", default, 0, 100)
    value = Value([Line(quantity.name, 1)], decimals=0)

    def build(values: dict[str, int]) -> Picture:
        plot = go.Figure(go.Scatter(x=[0], y=[0], mode="markers")).update_layout(template="none", height=200)
        return Picture(
            panels=[Panel("face", MARKUP), Panel("plot", plot, description=name)],
            controls=[Control(quantity, name, name, leap=10)],
            tracks=[
                Track("reading", "text", "{}", [value]),
                sentence("face-description", f"{name} [[at]]", at=value),
                PlotTrack("plot", 0, "x", 0, value),
            ],
        )

    return name, (quantity,), build


BOTH = (twin("castor", 3), twin("pollux", 4))
