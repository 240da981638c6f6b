"""From an input to the frame that shows its effect, while something is dragged and when a slider moves by a step."""

from collections.abc import Iterator
from math import cos, radians, sin

from playwright.sync_api import Browser, Page

from tests.bench.places import Place
from tests.bench.stopwatch import Urls, fresh_page, open_place, rest

MOVES = 200
DEGREES = 4.0  # a move: more than the slow pair turns in one token, so that every move changes the picture
PRESSES = 8
HUB = "part => { const frame = part.parentNode.getScreenCTM(); return [frame.e, frame.f] }"

Times = dict[tuple[str, str], list[float]]  # what was done, what was seen -> milliseconds


def moved(browser: Browser, urls: Urls, place: Place) -> Times:
    """Take the place's handle, if it has one, and turn it; then press an arrow key on each slider, again and again."""
    with fresh_page(browser) as page:
        open_place(page, urls, place)
        times = {("drag", "drawing"): turn(page, place)} if place.handle else {}
        for control in place.controls:
            rest(page, place)
            times |= step(page, place, control)
        return times


def turn(page: Page, place: Place) -> list[float]:
    """Press on the handle, go round its hub in MOVES real moves of the mouse, let go; how long the picture took."""
    handle = place.handle
    taken = page.locator(handle.selector)
    taken.scroll_into_view_if_needed()
    box = taken.bounding_box()
    hub_x, hub_y = page.locator(handle.part).evaluate(HUB)
    x, y = box["x"] + handle.across * box["width"] - hub_x, box["y"] + handle.down * box["height"] - hub_y
    page.mouse.move(hub_x + x, hub_y + y)
    page.mouse.down()
    page.evaluate("look => { window.drag = bench.every('pointermove', look) }", place.moves.sent())
    for across, down in round_trip(x, y):
        page.mouse.move(hub_x + across, hub_y + down)
    times: list[float] = page.evaluate("drag.stop()")
    page.mouse.up()
    return times


def round_trip(x: float, y: float) -> Iterator[tuple[float, float]]:
    """Points on the circle through (x, y), anticlockwise on a screen, whose y points down."""
    for number in range(1, MOVES + 1):
        angle = -radians(number * DEGREES)
        yield x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)


def step(page: Page, place: Place, control: str) -> Times:
    """Press an arrow key on the slider of `control`, each time after all was at rest."""
    looks = {"drawing": place.moves} | ({"plots": place.plots} if place.plots and control != "m" else {})
    sent = [look.sent() for look in looks.values()]
    times: Times = {(f"key on {control}", what): [] for what in looks}
    page.locator(place.slider.format(control)).focus()
    for _ in range(PRESSES):
        page.evaluate("looks => { window.seen = bench.after('keydown', looks) }", sent)
        page.keyboard.press("ArrowLeft")
        for taken, so_far in zip(page.evaluate("seen"), times.values(), strict=True):
            so_far.append(taken)
        rest(page, place)
    return times
