"""A hand, an eye and an ear for the tests of the stage."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress

from playwright.sync_api import CDPSession, Error, Locator, Page, expect

from tests.browser.app_helpers import PATIENCE

Point = tuple[float, float]

# Notes everything the stage reports to Python.
EAR = r"""
window.reports = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) {
  const text = typeof message === "string" ? message : new TextDecoder("latin1").decode(message);
  const found = text.match(/"moved":(\{"serial":.*?\}\})/);
  if (found) {
    const report = JSON.parse(found[1]);
    if (report.serial !== window.reports.at(-1)?.serial) window.reports.push(report);
  }
  return send.call(this, message);
};
"""

# Notes every text (or value of an attribute) that the found element shows from now on.
EYE = """([selector, attribute]) => {
  window.seen ??= {};
  const list = (window.seen[selector] = []);
  const show = (e) => (attribute ? e.getAttribute(attribute) : e.textContent);
  let last = show(document.querySelector(selector));
  const look = ([{ target }]) => {
    const now = show((target.closest ? target : target.parentElement).closest(selector));
    if (now !== last) list.push((last = now));
  };
  const everything = { childList: true, characterData: true, subtree: true, attributes: true };
  for (const element of document.querySelectorAll(selector)) new MutationObserver(look).observe(element, everything);
}"""


# ---------------------------------------------------------------- finding


def part(page: Page, name: str) -> Locator:
    """The parts of the picture called `name`."""
    return page.locator(f'[data-part="{name}"]')


def panel(page: Page, name: str) -> Locator:
    """The panel called `name`."""
    return page.locator(f'[data-panel="{name}"]')


def control(page: Page, name: str) -> Locator:
    """The box of the control called `name`."""
    return page.locator(f'[data-control="{name}"]')


def slider(page: Page, name: str) -> Locator:
    """The slider of the control called `name`."""
    return control(page, name).locator("input")


def reading(page: Page, name: str) -> Locator:
    """The number beside the slider of the control called `name`."""
    return control(page, name).locator("output")


def handle(page: Page, name: str) -> Locator:
    """What the hand may take of the part called `name`."""
    return page.locator(f'[data-handle="{name}"]')


def number(text: str) -> float:
    """The number that a text of the stage shows."""
    return float(text.replace("−", "-").replace(",", ""))


# ---------------------------------------------------------------- waiting


def until(page: Page, condition: str) -> None:
    """Wait, frame by frame, until a JavaScript expression is true (the page's policy forbids Playwright's own way).

    One that fails, since what it looks at is not there yet, is not true yet.
    """
    in_time(page, f"(done, next) => {{ ({condition}) ? done() : next(); }}")


def let_frames_pass(page: Page, frames: int = 30) -> None:
    """Let the browser draw so many frames, so that what should not happen has had its chance."""
    in_time(page, f"(done, next, passed) => {{ passed < {frames} ? next() : done(); }}")


def in_time(page: Page, look: str) -> None:
    """Call the JavaScript function `look(done, next, looks so far)` frame by frame until it calls `done`, not `next`.

    A clock of its own ends the waiting: Playwright sets no limit to what a page evaluates, and a look that fails, or
    a browser that draws no more frames, would keep the test for ever.
    """
    page.evaluate(
        f"""() => new Promise((done, fail) => {{
          let look = {look};
          let fault = "never came true";
          let looks = 0;
          const next = () => requestAnimationFrame(again);
          const again = () => {{
            try {{ look(done, next, looks++); }} catch (error) {{ fault = String(error); next(); }}
          }};
          setTimeout(() => {{ look = () => {{}}; fail(new Error(fault)); }}, {PATIENCE});
          again();
        }})"""
    )


def answers(page: Page) -> int:
    """The number of the last report that Python has answered."""
    return int(page.locator(".stage").get_attribute("data-stage-ready") or 0)


def expect_answer(page: Page, after: int) -> None:
    """Wait until the report that followed `after` is answered."""
    expect(page.locator(".stage")).to_have_attribute("data-stage-ready", str(after + 1), timeout=PATIENCE)


def expect_rest(page: Page) -> None:
    """Wait until the last report said that the hand let go, and Python has answered it. Needs the ear."""
    until(
        page,
        "window.reports.at(-1)?.settled && "
        "(({ stageTold, stageReady }, last) => stageTold === last && stageReady === last)"
        "(document.querySelector('.stage').dataset, String(window.reports.at(-1).serial))",
    )


def expect_plots(page: Page) -> None:
    """Wait until every plot is drawn."""
    until(
        page,
        "document.querySelectorAll('.stage-plot').length && !document.querySelector('.stage-plot:not([data-drawn])')",
    )


# ---------------------------------------------------------------- seeing and hearing


def watch(page: Page, selector: str, attribute: str | None = None) -> None:
    """From now on note every new text (or value of `attribute`) that the element shows."""
    page.evaluate(EYE, [selector, attribute])


def seen(page: Page, selector: str) -> list[str]:
    """What `selector` has shown since `watch`, without repetitions in a row."""
    return page.evaluate("(selector) => window.seen[selector]", selector)


def reports(page: Page) -> list[dict]:
    """What the stage has told Python so far. Needs the ear."""
    return page.evaluate("window.reports")


def query(page: Page) -> dict[str, str]:
    """What stands in the address bar."""
    return dict(page.evaluate("[...new URLSearchParams(location.search)]"))


def expect_query(page: Page, wanted: dict[str, str]) -> None:
    """Wait until this stands in the address bar, and nothing else."""
    entries = json.dumps(sorted(wanted.items()), separators=(",", ":"))
    with suppress(Error):  # what stands there instead is told below
        until(page, f"JSON.stringify([...new URLSearchParams(location.search)].sort()) === {json.dumps(entries)}")
    assert query(page) == wanted


# ---------------------------------------------------------------- the hand


def middle(locator: Locator) -> Point:
    """The middle of an element on the screen, brought to the middle of the window first."""
    locator.evaluate("(e) => e.scrollIntoView({ block: 'center', behavior: 'instant' })")
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def on_slider(page: Page, name: str, ratio: float) -> Point:
    """The point of a slider, brought into the window, where its thumb (24 px wide) stands at `ratio` of the way."""
    slider(page, name).scroll_into_view_if_needed()
    box = slider(page, name).bounding_box()
    assert box is not None
    return box["x"] + 12 + ratio * (box["width"] - 24), box["y"] + box["height"] / 2


def press(page: Page, point: Point) -> None:
    """Take hold with the mouse."""
    page.mouse.move(*point)
    page.mouse.down()


def move(page: Page, points: Iterable[Point]) -> None:
    """Move the mouse from point to point."""
    for point in points:
        page.mouse.move(*point)


def between(start: Point, end: Point, steps: int) -> list[Point]:
    """Points on the way, the last of them `end`."""
    return [tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True)) for step in range(1, steps + 1)]


def keys(page: Page, name: str, *pressed: str) -> None:
    """Press keys on the slider of the control called `name`."""
    slider(page, name).focus()
    for key in pressed:
        page.keyboard.press(key)


class Fingers:
    """Fingers on a touch screen."""

    def __init__(self, page: Page) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)

    def touch(self, kind: str, points: Sequence[Point]) -> None:
        """One event of the screen: `touchStart`, `touchMove` or `touchEnd`, with all fingers that are on it."""
        touching = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touching})

    def drag(self, start: Point, points: Iterable[Point]) -> None:
        """One finger: down at `start`, along `points`, up."""
        self.touch("touchStart", [start])
        for point in points:
            self.touch("touchMove", [point])
        self.touch("touchEnd", [])
