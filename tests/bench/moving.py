"""From an input to the frame that shows its effect, while something is dragged and when a slider moves by a step."""

from math import cos, radians, sin

from playwright.sync_api import Browser, Page

from tests.bench.places import Handle, Look, Place
from tests.bench.stopwatch import Urls, fresh_page, open_place, rest

MOVES = 200
DEGREES = 4.0  # a move: more than the slow pair turns in one token, so that every move changes the picture
PRESSES = 8
HUB = "part => { const frame = part.parentNode.getScreenCTM(); return [frame.e, frame.f] }"


def dragged(browser: Browser, urls: Urls, place: Place) -> list[float]:
    """Milliseconds until the picture followed the hand, which takes the place's handle and turns it about its hub."""
    with fresh_page(browser) as page:
        open_place(page, urls, place)
        return turn(page, place.handle, place.moves)


def turn(page: Page, handle: Handle, moves: Look) -> list[float]:
    """Press on the handle, go round its hub in MOVES real moves of the mouse, let go; see `dragged`."""
    taken = page.locator(handle.selector)
    taken.scroll_into_view_if_needed()
    box = taken.bounding_box()
    hub_x, hub_y = page.locator(handle.part).evaluate(HUB)
    x, y = box["x"] + handle.across * box["width"] - hub_x, box["y"] + handle.down * box["height"] - hub_y
    page.mouse.move(hub_x + x, hub_y + y)
    page.mouse.down()
    page.evaluate("look => { window.drag = bench.every('pointermove', look) }", moves.sent())
    for step in range(1, MOVES + 1):
        turned = -radians(step * DEGREES)  # the screen's y points down
        page.mouse.move(hub_x + x * cos(turned) - y * sin(turned), hub_y + x * sin(turned) + y * cos(turned))
    times: list[float] = page.evaluate("drag.stop()")
    page.mouse.up()
    return times


def stepped(browser: Browser, urls: Urls, place: Place, control: str, look: Look) -> list[float]:
    """Milliseconds from an arrow key on the slider of `control` to what `look` sees, each time from rest."""
    times = []
    with fresh_page(browser) as page:
        open_place(page, urls, place)
        page.locator(place.slider.format(control)).focus()
        for _ in range(PRESSES):
            page.evaluate("look => { window.seen = bench.after('keydown', look) }", look.sent())
            page.keyboard.press("ArrowLeft")
            times.append(page.evaluate("seen"))
            rest(page, place)
    return times
