"""Pages that measure themselves (watch.js), and what becomes of the times."""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.bench.places import Look, Place
from tests.browser.app_helpers import wait_until_still

WATCH = Path(__file__).with_name("watch.js")
PATIENCE = 120_000  # milliseconds
VIEWPORT = {"width": 1280, "height": 900}
SCRIPT = Look("[data-testid=stApp]", "data-test-script-state")

Urls = dict[str, str]  # a server's name -> its address


@dataclass(frozen=True)
class Spread:
    """What was measured again and again."""

    values: Sequence[float]
    unit: str = "ms"

    @property
    def median(self) -> float:
        """The figure that counts."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        """The median, how far it reaches, and of how many."""
        if len(self.values) < 2:
            return f"{self.median:,.0f} {self.unit}"
        p95 = statistics.quantiles(self.values, n=20, method="inclusive")[-1]
        return f"{self.median:,.0f} {self.unit} (p95 {p95:,.0f}, n {len(self.values)})"


@contextmanager
def fresh_page(browser: Browser) -> Iterator[Page]:
    """A page with an empty cache that can measure itself."""
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.add_init_script(path=WATCH)
        yield page


def open_place(page: Page, urls: Urls, place: Place) -> None:
    """Go to the place and wait until all of it stands."""
    page.goto(urls[place.server] + place.path)
    wait_until_still(page)
    page.wait_for_selector(place.whole.selector, state="attached")
    rest(page, place)


def rest(page: Page, place: Place) -> None:
    """Wait until nothing moves any more: neither the picture nor the script."""
    looks = [look.sent() for look in (place.first, place.moves, place.plots, SCRIPT) if look]
    page.evaluate("looks => bench.still(looks)", looks)
