"""What is measured: every address, every part of a page that is watched, every thing the hand takes hold of."""

from dataclasses import asdict, dataclass
from pathlib import Path

from tests.app_server import ROOT
from tests.story import STORY

PLAIN = Path(__file__).resolve().parent / "plain"
SERVERS = {"app": ROOT / "app.py"} | {name: PLAIN / f"{name}.py" for name in ("bare", "dials", "maps")}


@dataclass(frozen=True)
class Look:
    """What is watched: an attribute of all elements that a selector finds (see watch.js)."""

    selector: str
    attribute: str = "class"

    def sent(self) -> dict[str, str]:
        """The look as the page reads it."""
        return asdict(self)


@dataclass(frozen=True)
class Handle:
    """A thing to be turned by the hand: where it is taken (across and down its box), and the part that turns."""

    selector: str
    part: str
    across: float = 0.5
    down: float = 0.5


@dataclass(frozen=True)
class Place:
    """A page of a server. `first` sees its first picture and `whole` all that it shows, plots too.

    `moves` sees the drawing that follows the hand, `plots` the last of the plots that follow b and d.
    `controls` are those of its sliders that are tried; `slider` is where to find one.
    """

    name: str
    server: str
    path: str
    first: Look
    whole: Look
    moves: Look | None = None
    plots: Look | None = None
    handle: Handle | None = None
    controls: tuple[str, ...] = ()
    slider: str = "input[aria-label={}]"


def plain(name: str, server: str, look: Look, *controls: str) -> Place:
    """The one page of a plain server: a single picture."""
    return Place(name, server, "/", first=look, whole=look, moves=look, controls=controls)


BARE = plain("bare page", "bare", Look("[data-testid=stMarkdown]"))
DIALS = plain("plain dials", "dials", Look(".js-plotly-plot path.js-line", "d"), "m", "b", "d")
MAPS = plain("plain maps", "maps", Look("[data-testid=stColumn]:last-child .heatmaplayer image", "href"), "b", "d")

STAGE = Look(".stage[data-stage-ready]")
ALL = Look(
    "[data-testid=stApp][data-test-script-state=notRunning]:has(.stage)"
    ":not(:has(.stage-host:empty)):not(:has(.stage-plot:not([data-drawn])))"
)
TOLD = {name: Place(name, "app", "/" if name == "home" else f"/{name}", STAGE, ALL) for name in STORY}


def turned(name: str, handle: Handle, moves: Look, plots: Look | None = None) -> Place:
    """A chapter at d = 256 and a pair so slow that it can be followed by the hand."""
    path, slider = f"/{name}?d=256&pair=50", "[data-control={}] input"
    return Place(name, "app", path, STAGE, ALL, moves, plots, handle, ("m", "b", "d"), slider)


LIGHTHOUSE = turned(
    "lighthouse",
    Handle("[data-handle=beam] .stage-grip", "[data-part=beam]"),
    Look("[data-part=beam]", "transform"),
)
DANCERS = turned(
    "dancers",
    Handle("[data-handle=query] .stage-grip", "[data-part=query]"),
    Look("[data-part=query]", "transform"),
    plots=Look("[data-panel=map-additive] .heatmaplayer image", "href"),
)
BELLS = turned(
    "bells",
    Handle("[data-panel=rack] [data-handle=bell50]", "[data-panel=rack] [data-part=bell50]", down=0.85),
    Look("[data-panel=rack] [data-part^=bell]", "transform"),
    plots=Look("[data-panel=spectrum] .scatterlayer .point", "transform"),
)
WITH_PLOTS = DANCERS.name
# Each chapter whose picture follows m, b and d, and the plain page that shows the same.
ALIKE = {LIGHTHOUSE: DIALS, DANCERS: MAPS, BELLS: DIALS}
