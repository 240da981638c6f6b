"""A stage without a plot that starts to move by itself, in between the numbers too, and leaves no trace in the link."""

from pages.kit.link import Quantity
from pages.kit.stage import Control, Line, Panel, Picture, Track, Value

TURN = Quantity("quiet_turn", 3, 0, 500)
MARKUP = """<svg viewBox="-50 -50 100 100" aria-hidden="true">
  <path data-part="vane" class="stage-key-line" d="M0 0V-40"/><text data-part="reading"></text></svg>"""


def build(_: dict[str, int]) -> Picture:
    """A vane that turns."""
    return Picture(
        panels=[Panel("face", MARKUP, description="a vane")],
        controls=[Control(TURN, "turn", "how far the vane turned", pace=50, glides=True, in_link=False)],
        tracks=[
            Track("vane", "transform", "rotate({})", [Value([Line("quiet_turn", 3)])]),
            Track("reading", "text", "{}", [Value([Line("quiet_turn", 1)], decimals=0)]),
        ],
        autoplay="quiet_turn",
    )
