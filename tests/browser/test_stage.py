"""The stage in a real browser, with a scene that has nothing to do with the project's subject (stage_app/)."""

from collections.abc import Iterator
from math import cos, isclose, radians, sin, sqrt
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.app_server import running_app
from tests.browser.app_helpers import PATIENCE, expect_no_exception, open_page, wait_until_still
from tests.browser.conftest import NewPage
from tests.browser.stage_helpers import (
    EAR,
    Fingers,
    answers,
    between,
    control,
    expect_answer,
    expect_plots,
    expect_query,
    expect_rest,
    handle,
    keys,
    let_frames_pass,
    middle,
    move,
    number,
    on_slider,
    panel,
    part,
    press,
    query,
    reading,
    reports,
    seen,
    slider,
    until,
    watch,
)

SERVER = Path(__file__).resolve().parent / "stage_app" / "server.py"
PLOTLY = "/vendor/plotly.min.js"
SVG = '[data-panel="face"] svg'
LIVE = ".stage [aria-live=polite]"
expect.set_options(timeout=PATIENCE)
DEFAULTS = {"minute": 75, "left": 20, "right": 50, "size": 10, "place": 50, "tooth": 1}


@pytest.fixture(scope="module")
def app_url() -> Iterator[str]:
    """The address of the stage's own scene."""
    with running_app(SERVER) as (url, _):
        yield url


@pytest.fixture
def clock(page: Page, app_url: str) -> Page:
    """The clock, with the ear at what it tells Python."""
    page.add_init_script(EAR)
    open_page(page, app_url)
    return page


# ---------------------------------------------------------------- every number, by plain formulas


def spoken(minute: int, left: int, right: int, size: int, place: int, tooth: int) -> dict[str, str | float]:
    """What the scene must show: worked out here, by hand."""
    degrees = round(minute * 5.995 % 360, 1)
    return {
        "number-hours": minute / 60,
        "number-degrees": 0 if degrees == 360 else degrees,
        "number-beats": ("tick", "tock", "tack")[(minute + 1) % 3],
        "beat": ("tick", "tock", "tack")[minute % 3],
        "number-square": minute * minute / 1000,
        "number-root": sqrt(minute),
        "number-sum": 7 + 2 * left**3 / 10_000 - right**3 / 10_000,
        "number-tenth": (right - left) / 100,
        "number-late": "early" if minute < 720 else "late",
        "number-size": size,
        "number-near": place * place,
        "number-tooth": tooth,
        "distance": right - left,
    }


DECIMALS = {"number-hours": 2, "number-degrees": 1, "number-square": 3, "number-root": 2, "number-sum": 1} | {
    "number-tenth": 1
}


def drawn(minute: int, left: int, right: int) -> dict[tuple[str, str], str]:
    """What the attributes of the drawing must be."""
    dawn = {360: 0, 361: 0.5}.get(minute, 0 if minute < 360 else 1)
    return {
        ("minute-hand", "transform"): f"rotate({minute * 6})",
        ("hour-hand", "transform"): f"rotate({minute / 2:g})",
        ("swept", "stroke-dasharray"): f"{minute * 6 % 360} 360",
        ("dawn", "opacity"): f"{dawn:g}",
        ("left-weight", "transform"): f"translate({10 + 1.5 * left:g} 0)",
        ("rod-line", "d"): f"M0 0H{1.5 * (right - left):g}",
    }


def expect_picture(page: Page, **changes: int) -> None:
    """Every text and attribute of the scene is what its formula says."""
    at = DEFAULTS | changes
    for name, wanted in spoken(**at).items():
        text = part(page, name).text_content() or ""
        if isinstance(wanted, str):
            assert text == wanted, name
            continue
        decimals = DECIMALS.get(name, 0)
        assert isclose(number(text), wanted, abs_tol=0.5001 * 10**-decimals), f"{name}: {text} is not {wanted}"
        assert len(text.partition(".")[2]) == decimals, f"{name}: {text} should have {decimals} decimals"
        assert not (text.startswith("−") and number(text) == 0), f"{name}: {text}"
    for (name, attribute), wanted in drawn(at["minute"], at["left"], at["right"]).items():
        assert part(page, name).get_attribute(attribute) == wanted, name


SETTINGS = (
    {},
    {"minute": 0, "left": 0, "right": 0, "size": 1, "place": 0, "tooth": 100},
    {"minute": 1440, "left": 200, "right": 200, "size": 1000, "place": 100},
    {"minute": 360, "left": 0, "right": 200},
    {"minute": 361, "left": 200, "right": 0},
    {"minute": 362, "left": 51, "right": 50, "tooth": 4},
    {"minute": 719, "left": 100, "right": 99},
    {"minute": 720, "left": 33, "right": 77, "size": 999},
    {"minute": 1141, "left": 150, "right": 7, "place": 61},
    {"minute": 1201, "tooth": 52},
)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_a_link_opens_its_picture(page: Page, app_url: str, setting: dict[str, int]) -> None:
    link = "&".join(f"clock_{name}={value}" for name, value in setting.items())
    open_page(page, app_url, f"/?{link}")
    expect_picture(page, **setting)
    for name, value in (DEFAULTS | setting).items():
        assert number(reading(page, f"clock_{name}").text_content() or "") == value
    expect_query(page, {f"clock_{n}": str(v) for n, v in setting.items() if v != DEFAULTS[n]})


def test_the_hand_moves_every_number_and_line_in_the_browser(clock: Page) -> None:
    for name, pressed, value in (
        ("minute", ["Home"], 0),
        ("minute", ["ArrowRight"] * 3, 3),
        ("minute", ["PageUp", "PageUp", "ArrowLeft"], 122),
        ("left", ["End", "ArrowLeft"], 199),
        ("right", ["PageUp"], None),
        ("tooth", ["End", "ArrowLeft"], 97),
    ):
        keys(clock, f"clock_{name}", *pressed)
        value = int(number(reading(clock, f"clock_{name}").text_content() or "")) if value is None else value
        expect(reading(clock, f"clock_{name}")).to_have_text(f"{value:,}")
    right = int(number(reading(clock, "clock_right").text_content() or ""))
    let_frames_pass(clock, 2)
    expect_picture(clock, minute=122, left=199, right=right, tooth=97)


def test_a_number_is_written_as_readers_of_the_language_expect(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/?clock_minute=1441&lang=fr&clock_left=60")
    expect(part(page, "said")).to_have_text("1 440 minutes font 24,00 heures.".replace(" ", "\u202f", 1))
    expect(part(page, "number-tenth")).to_have_text("−0,1")


# ---------------------------------------------------------------- the keyboard


def test_keys_step_leap_and_go_to_the_ends(clock: Page) -> None:
    for pressed, minute in (
        ("ArrowRight", 76),
        ("ArrowDown", 75),
        ("PageUp", 135),
        ("PageDown", 75),
        ("PageDown", 15),
        ("PageDown", 0),
        ("End", 1440),
        ("PageUp", 1440),
        ("Home", 0),
    ):
        keys(clock, "clock_minute", pressed)
        expect(reading(clock, "clock_minute")).to_have_text(f"{minute:,}")


def test_a_control_keeps_to_its_steps_and_stops(clock: Page) -> None:
    keys(clock, "clock_tooth", "ArrowRight", "ArrowRight")
    expect(reading(clock, "clock_tooth")).to_have_text("7")
    keys(clock, "clock_size", "End")
    expect(reading(clock, "clock_size")).to_have_text("1,000")
    keys(clock, "clock_size", "ArrowLeft")
    expect(reading(clock, "clock_size")).to_have_text("891")  # 1000 ** (59/60)
    expect_rest(clock)
    expect_picture(clock, tooth=7, size=891)


def test_what_moves_together_keeps_its_distance(clock: Page) -> None:
    watch(clock, "[data-part=distance]")
    before = clock.evaluate("history.length")
    keys(clock, "clock_together", "ArrowRight", "PageUp")
    expect(reading(clock, "clock_left")).to_have_text("46")
    expect(reading(clock, "clock_right")).to_have_text("76")
    keys(clock, "clock_together", "End")
    expect(reading(clock, "clock_right")).to_have_text("200")
    expect(reading(clock, "clock_together")).to_have_text("170")
    keys(clock, "clock_together", "Home")
    expect_rest(clock)
    expect_picture(clock, left=0, right=30)
    assert seen(clock, "[data-part=distance]") == []
    wait_until_still(clock)
    expect_query(clock, {"clock_left": "0", "clock_right": "30"})
    assert clock.evaluate("history.length") == before


def test_the_leap_buttons_and_play_answer_the_keyboard(clock: Page) -> None:
    forth = control(clock, "clock_minute").get_by_role("button", name="60 more")
    forth.focus()
    clock.keyboard.press("Enter")
    expect(reading(clock, "clock_minute")).to_have_text("135")
    control(clock, "clock_minute").get_by_role("button", name="60 less").focus()
    clock.keyboard.press("Space")
    expect(reading(clock, "clock_minute")).to_have_text("75")
    control(clock, "clock_minute").get_by_role("button", name="Run").focus()
    clock.keyboard.press("Enter")
    expect(control(clock, "clock_minute").get_by_role("button", name="Hold")).to_be_focused()
    expect(reading(clock, "clock_minute")).not_to_have_text("75")


# ---------------------------------------------------------------- the mouse


def test_a_slider_moves_the_picture_under_the_hand_and_reports_once(clock: Page) -> None:
    watch(clock, "[data-part=minute-hand]", "transform")
    press(clock, on_slider(clock, "clock_minute", 75 / 1440))
    move(clock, between(on_slider(clock, "clock_minute", 0.1), on_slider(clock, "clock_minute", 0.5), 20))
    expect(reading(clock, "clock_minute")).to_have_text("720")
    expect(part(clock, "minute-hand")).to_have_attribute("transform", "rotate(4320)")
    assert len(seen(clock, "[data-part=minute-hand]")) > 5
    assert reports(clock) == []
    expect_query(clock, {})
    clock.mouse.up()
    expect_rest(clock)
    assert [(r["settled"], r["values"]["clock_minute"]) for r in reports(clock)] == [(True, 720)]
    expect_query(clock, {"clock_minute": "720"})
    expect_picture(clock, minute=720)


def test_a_slider_brought_back_to_where_it_was_is_at_rest(clock: Page) -> None:
    start = on_slider(clock, "clock_minute", 75 / 1440)
    press(clock, start)
    move(clock, [on_slider(clock, "clock_minute", 0.4), start])
    clock.mouse.up()
    expect(reading(clock, "clock_minute")).to_have_text("75")
    type_exactly(clock.get_by_label("exact minute"), 300)
    expect(reading(clock, "clock_minute")).to_have_text("300")


def around(page: Page, name: str, degrees: range, radius: float = 1.0) -> list[tuple[float, float]]:
    """Points around the middle of the clock, `degrees` clockwise from where the part's handle is held."""
    start = middle(handle(page, name).locator(".stage-grip"))
    centre = page.locator(SVG).evaluate(
        "(svg) => { const p = new DOMPoint(240, 180).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; }"
    )
    x, y = start[0] - centre[0], start[1] - centre[1]
    turns = [(cos(radians(d)), sin(radians(d))) for d in degrees]
    return [(centre[0] + radius * (x * c - y * s), centre[1] + radius * (x * s + y * c)) for c, s in turns]


def test_a_turning_part_follows_the_hand_around_and_around(clock: Page) -> None:
    circle = around(clock, "minute-hand", range(0, 541, 15))
    press(clock, circle[0])
    move(clock, circle[1:])
    expect(part(clock, "minute-hand")).to_have_attribute("transform", f"rotate({75 * 6 + 540})")
    move(clock, circle[-2::-1])
    move(clock, around(clock, "minute-hand", range(0, -91, -15)))
    clock.mouse.up()
    expect_rest(clock)
    expect_picture(clock, minute=60)
    assert [report["settled"] for report in reports(clock)] == [True]


def test_a_turning_part_stops_at_the_ends_and_turns_back_at_once(clock: Page) -> None:
    circle = around(clock, "minute-hand", range(0, 721, 15))
    press(clock, circle[0])
    move(clock, around(clock, "minute-hand", range(0, -721, -15)))
    expect(reading(clock, "clock_minute")).to_have_text("0")
    move(clock, circle[1:3])
    expect(reading(clock, "clock_minute")).to_have_text("5")
    clock.mouse.up()


def units(page: Page) -> float:
    """How many pixels a unit of the drawing is wide."""
    return page.locator(SVG).evaluate("(svg) => svg.getScreenCTM().a")


def test_a_sliding_part_stays_under_the_hand_out_of_the_window_and_back(clock: Page) -> None:
    x, y = middle(handle(clock, "left-weight"))
    step = 1.5 * units(clock)
    press(clock, (x, y))
    move(clock, between((x, y), (x + 40 * step, y), 8))
    expect(reading(clock, "clock_left")).to_have_text("60")
    move(clock, between((x + 40 * step, y), (3000, 2000), 5))
    expect(reading(clock, "clock_left")).to_have_text("200")
    move(clock, between((3000, 2000), (-900, -500), 5))
    expect(reading(clock, "clock_left")).to_have_text("0")
    move(clock, between((-900, -500), (x + 25 * step, y), 5))
    expect(reading(clock, "clock_left")).to_have_text("45")
    clock.mouse.move(-50, -50)
    clock.mouse.up()
    expect_rest(clock)
    clock.mouse.move(x + 90 * step, y)
    let_frames_pass(clock)
    expect_picture(clock, left=0)


def test_a_part_can_move_several_controls(clock: Page) -> None:
    x, y = middle(handle(clock, "rod"))
    press(clock, (x, y))
    move(clock, between((x, y), (x + 30 * 1.5 * units(clock), y), 6))
    clock.mouse.up()
    expect_rest(clock)
    expect_picture(clock, left=50, right=80)


def test_the_right_button_takes_nothing(clock: Page) -> None:
    x, y = middle(handle(clock, "left-weight"))
    clock.mouse.move(x, y)
    clock.mouse.down(button="right")
    clock.mouse.move(x + 60, y)
    clock.mouse.up(button="right")
    let_frames_pass(clock)
    expect_picture(clock)


def test_a_click_on_what_names_a_value_sets_it(clock: Page) -> None:
    clock.get_by_role("button", name="noon").click()
    expect_rest(clock)
    expect_picture(clock, minute=720)
    expect_query(clock, {"clock_minute": "720"})


def test_a_symbol_lights_up_its_part(clock: Page) -> None:
    symbol = clock.get_by_title("the hand that turns")
    for light, darken in ((symbol.hover, lambda: clock.mouse.move(0, 0)), (symbol.focus, symbol.blur)):
        light()
        expect(part(clock, "minute-hand")).to_contain_class("stage-marked")
        darken()
        expect(part(clock, "minute-hand")).not_to_contain_class("stage-marked")


def test_a_choice_is_made_by_mouse_and_keyboard_and_stands_in_the_link(clock: Page) -> None:
    before = clock.evaluate("history.length")
    clock.get_by_role("radio", name="ringed").check()
    expect(part(clock, "face-name")).to_have_text("ringed")
    clock.keyboard.press("ArrowDown")
    expect(part(clock, "face-name")).to_have_text("numbered")
    expect_rest(clock)
    wait_until_still(clock)
    expect_query(clock, {"clock_face": "2"})
    clock.get_by_label("plain").check()
    expect(part(clock, "face-name")).to_have_text("plain")
    expect_rest(clock)
    wait_until_still(clock)
    expect_query(clock, {})
    assert clock.evaluate("history.length") == before


def test_a_link_makes_a_choice(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/?clock_face=2")
    expect(page.get_by_role("radio", name="numbered")).to_be_checked()
    expect(part(page, "face-name")).to_have_text("numbered")


# ---------------------------------------------------------------- touch


def test_a_finger_drags_sliders_and_parts(phone_page: Page, app_url: str) -> None:
    phone_page.add_init_script(EAR)
    open_page(phone_page, app_url)
    hand = Fingers(phone_page)
    handle(phone_page, "left-weight").scroll_into_view_if_needed()
    x, y = middle(handle(phone_page, "left-weight"))
    hand.drag((x, y), between((x, y), (x + 60 * units(phone_page), y + 40), 8))
    expect_rest(phone_page)
    expect_picture(phone_page, left=60)
    assert phone_page.evaluate("visualViewport.scale") == 1
    slider(phone_page, "clock_right").scroll_into_view_if_needed()
    start, end = (on_slider(phone_page, "clock_right", ratio) for ratio in (0.25, 0.75))
    hand.drag(start, between(start, end, 8))
    expect(reading(phone_page, "clock_right")).to_have_text("150")
    expect_rest(phone_page)
    expect_picture(phone_page, left=60, right=150)


def test_a_second_finger_does_not_disturb_the_first(phone_page: Page, app_url: str) -> None:
    phone_page.add_init_script(EAR)
    open_page(phone_page, app_url)
    hand = Fingers(phone_page)
    handle(phone_page, "left-weight").scroll_into_view_if_needed()
    x, y = middle(handle(phone_page, "left-weight"))
    step = 1.5 * units(phone_page)
    hand.touch("touchStart", [(x, y)])
    hand.touch("touchMove", [(x + 10 * step, y)])
    expect(reading(phone_page, "clock_left")).to_have_text("30")
    other = middle(handle(phone_page, "left-weight"))
    hand.touch("touchStart", [(x + 10 * step, y), other])
    for away in (10, 20, 30):
        hand.touch("touchMove", [(x + 10 * step, y), (other[0] + away * step, other[1])])
    let_frames_pass(phone_page, 3)
    expect(reading(phone_page, "clock_left")).to_have_text("30")
    hand.touch("touchMove", [(x + 15 * step, y), (other[0] + 30 * step, other[1])])
    expect(reading(phone_page, "clock_left")).to_have_text("35")
    hand.touch("touchEnd", [])
    expect_rest(phone_page)
    expect_picture(phone_page, left=35)


# ---------------------------------------------------------------- the exact inputs and the link


def type_exactly(exact: Locator, value: int) -> None:
    """Type a number into an exact input below the stage."""
    exact.fill(str(value))
    exact.press("Enter")


def test_an_exact_number_moves_the_stage(clock: Page) -> None:
    type_exactly(clock.get_by_label("exact minute"), 481)
    expect(part(clock, "minute-hand")).to_have_attribute("transform", f"rotate({481 * 6})")
    until(clock, "location.search === '?clock_minute=481'")
    expect_picture(clock, minute=481)


def test_an_exact_number_stops_what_is_playing(clock: Page) -> None:
    control(clock, "clock_minute").get_by_role("button", name="Run").click()
    expect(reading(clock, "clock_minute")).not_to_have_text("75")
    type_exactly(clock.get_by_label("exact minute"), 900)
    expect(reading(clock, "clock_minute")).to_have_text("900")
    expect(control(clock, "clock_minute").get_by_role("button", name="Run")).to_be_visible()
    let_frames_pass(clock)
    expect_picture(clock, minute=900)
    expect_query(clock, {"clock_minute": "900"})


def test_the_link_follows_and_the_history_does_not_grow(clock: Page) -> None:
    before = clock.evaluate("history.length")
    keys(clock, "clock_minute", "PageUp", "ArrowRight")
    keys(clock, "clock_size", "ArrowRight", "ArrowRight")
    expect_rest(clock)
    press(clock, middle(handle(clock, "left-weight")))
    move(clock, [on_slider(clock, "clock_right", 0.5)])
    clock.mouse.up()
    expect_rest(clock)
    wait_until_still(clock)
    left = number(reading(clock, "clock_left").text_content() or "")
    size = number(reading(clock, "clock_size").text_content() or "")
    expect_query(clock, {"clock_minute": "136", "clock_size": f"{size:g}", "clock_left": f"{left:g}"})
    keys(clock, "clock_minute", "PageDown", "ArrowLeft")
    expect_rest(clock)
    wait_until_still(clock)
    expect_query(clock, {"clock_size": f"{size:g}", "clock_left": f"{left:g}"})
    assert clock.evaluate("history.length") == before


def test_what_else_stands_in_the_link_stays(page: Page, app_url: str) -> None:
    page.add_init_script(EAR)
    open_page(page, app_url, "/?lang=fr&other=a%20b&clock_left=30#place")
    before = page.evaluate("history.length")
    keys(page, "clock_minute", "PageUp")
    expect_rest(page)
    wait_until_still(page)
    expect_query(page, {"lang": "fr", "other": "a b", "clock_left": "30", "clock_minute": "135"})
    assert page.evaluate("location.hash") == "#place"
    assert page.evaluate("history.length") == before


def go_away_and_back(page: Page) -> None:
    """Move something, go to another page by its link, and press the browser's back button once."""
    keys(page, "clock_minute", "PageUp", "PageUp")
    expect_rest(page)
    page.get_by_role("link", name="Twins").click()
    expect(control(page, "castor_at")).to_be_visible()
    wait_until_still(page)
    page.evaluate("history.back()")
    expect(control(page, "clock_minute")).to_be_visible()
    wait_until_still(page)


def test_after_going_back_link_stage_and_exact_numbers_agree(clock: Page) -> None:
    go_away_and_back(clock)
    minute = query(clock).get("clock_minute", "75")
    expect(reading(clock, "clock_minute")).to_have_text(minute)
    expect(clock.get_by_label("exact minute")).to_have_value(minute)
    clock.evaluate("history.forward()")
    expect(control(clock, "castor_at")).to_be_visible()


def test_going_back_once_gives_the_page_as_it_was_left(clock: Page) -> None:
    go_away_and_back(clock)
    expect_query(clock, {"clock_minute": "195"})


# ---------------------------------------------------------------- asking Python while moving


def test_the_newest_value_wins(clock: Page) -> None:
    expect_plots(clock)
    watch(clock, "[data-control=clock_size] output")
    watch(clock, "[data-part=number-size]")
    watch(clock, "[data-part=surface-description]")
    watch(clock, "[data-panel=surface] .stage-plot", "data-drawn")
    press(clock, on_slider(clock, "clock_size", 1 / 3))
    move(clock, between(on_slider(clock, "clock_size", 1 / 3), on_slider(clock, "clock_size", 1), 90))
    clock.mouse.up()
    expect_rest(clock)
    expect(part(clock, "number-size")).to_have_text("1,000")
    until(clock, f"{plot('surface')}.calcdata[0][0].z.at(-1).at(-1) === 35000")
    for selector in ("[data-control=clock_size] output", "[data-part=number-size]"):
        values = [number(text) for text in seen(clock, selector)]
        assert values == sorted(values), selector
        assert values[-1] == 1000
    sizes = [number(text.split()[-1].rstrip(".")) for text in seen(clock, "[data-part=surface-description]")]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 1000
    rounds = [int(text) for text in seen(clock, "[data-panel=surface] .stage-plot")]
    assert rounds == sorted(rounds)
    assert len(set(sizes)) > 1, "Python was to be asked on the way"


def test_python_is_asked_now_and_then_and_told_at_the_end(clock: Page) -> None:
    press(clock, on_slider(clock, "clock_size", 0))
    move(clock, between(on_slider(clock, "clock_size", 0), on_slider(clock, "clock_size", 1), 60))
    move(clock, between(on_slider(clock, "clock_size", 1), on_slider(clock, "clock_size", 0.5), 60))
    clock.mouse.up()
    expect_rest(clock)
    told = reports(clock)
    assert 1 < len(told) < 60
    assert [report["serial"] for report in told] == list(range(1, len(told) + 1))
    assert [report["settled"] for report in told] == [False] * (len(told) - 1) + [True]
    assert told[-1]["values"]["clock_size"] == number(reading(clock, "clock_size").text_content() or "")


def test_a_control_that_does_not_ask_is_not_held_back_by_an_answer(clock: Page) -> None:
    keys(clock, "clock_size", "ArrowRight")
    press(clock, on_slider(clock, "clock_minute", 75 / 1440))
    clock.mouse.move(*on_slider(clock, "clock_minute", 0.5))
    expect(part(clock, "number-size")).not_to_have_text("10")
    let_frames_pass(clock)
    expect(reading(clock, "clock_minute")).to_have_text("720")
    expect(part(clock, "minute-hand")).to_have_attribute("transform", f"rotate({720 * 6})")
    clock.mouse.up()
    expect_rest(clock)


def test_beyond_its_span_a_control_asks_and_within_it_does_not(clock: Page) -> None:
    press(clock, on_slider(clock, "clock_place", 0.5))
    for place in (55, 59, 60, 41, 40):
        clock.mouse.move(*on_slider(clock, "clock_place", place / 100))
        expect(part(clock, "number-near")).to_have_text(f"{place**2:,}")
    assert reports(clock) == []
    clock.mouse.move(*on_slider(clock, "clock_place", 0.9))
    expect(part(clock, "number-near")).to_have_text("8,100")
    assert [report["settled"] for report in reports(clock)] == [False]
    clock.mouse.up()
    expect_rest(clock)
    expect_picture(clock, place=90)


# ---------------------------------------------------------------- plots


def plot(name: str) -> str:
    """JavaScript for the drawn plot of the panel called `name`."""
    return f"document.querySelector('[data-panel={name}] .stage-plot')"


def axis(page: Page, name: str, letter: str) -> list[float]:
    """The range of an axis as drawn."""
    return page.evaluate(f"{plot(name)}._fullLayout.{letter}axis.range")


def on_plot(page: Page, name: str, across: float, down: float) -> tuple[float, float]:
    """A point of a plot's area, at so much of its width and height, brought into the window."""
    area = panel(page, name).locator(".nsewdrag").first
    middle(area)
    box = area.bounding_box()
    assert box is not None
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def zoom(page: Page, name: str) -> list[float]:
    """Zoom into a plot by drawing a box; returns the new range of x."""
    whole = axis(page, name, "x")
    corner = on_plot(page, name, 0.3, 0.3)
    press(page, corner)
    move(page, between(corner, on_plot(page, name, 0.7, 0.7), 5))
    page.mouse.up()
    until(page, f"Math.abs({plot(name)}._fullLayout.xaxis.range[0] - {whole[0]}) > 0.1")
    return axis(page, name, "x")


@pytest.mark.parametrize("name", ["surface", "curve"])
def test_a_zoomed_plot_stays_zoomed(clock: Page, name: str) -> None:
    expect_plots(clock)
    near = zoom(clock, name)
    before = answers(clock)
    keys(clock, "clock_size", "End")
    expect_answer(clock, before)
    expect(panel(clock, name).locator(".stage-plot")).to_have_attribute("data-drawn", str(before + 1))
    expect(panel(clock, "surface").get_by_text("30k")).to_be_visible()
    assert axis(clock, name, "x") == pytest.approx(near)
    clock.emulate_media(color_scheme="dark")
    expect(panel(clock, name).locator(".xtick text").first).to_have_css("fill", "rgb(232, 238, 242)")
    assert axis(clock, name, "x") == pytest.approx(near)


def mark_stands_at(x: float, y: float) -> str:
    """JavaScript: whether the mark of the curve is drawn at (x, y)."""
    return f"""(() => {{
      const plot = {plot("curve")}, {{ xaxis, yaxis }} = plot._fullLayout;
      const mark = plot.querySelectorAll(".scatterlayer .trace")[1].querySelector(".point");
      const {{ e, f }} = mark.transform.baseVal.consolidate().matrix;
      return Math.abs(e - xaxis.c2p({x})) < 0.5 && Math.abs(f - yaxis.c2p({y})) < 0.5;
    }})()"""


def test_a_mark_on_a_plot_follows_the_hand(clock: Page) -> None:
    expect_plots(clock)
    until(clock, mark_stands_at(75, 10 * 75**2 / 1000))
    press(clock, on_slider(clock, "clock_minute", 75 / 1440))
    move(clock, between(on_slider(clock, "clock_minute", 0.1), on_slider(clock, "clock_minute", 0.5), 10))
    until(clock, mark_stands_at(720, 10 * 720**2 / 1000))
    clock.mouse.up()
    keys(clock, "clock_size", "Home")
    until(clock, mark_stands_at(720, 720**2 / 1000))


def test_a_place_on_a_plot_can_be_picked(clock: Page) -> None:
    expect_plots(clock)
    clock.mouse.click(*on_plot(clock, "surface", 4.5 / 6, 0.5 / 4))
    expect(reading(clock, "clock_left")).to_have_text("4")
    expect_rest(clock)
    expect_picture(clock, left=4, right=3)


def rows(page: Page, name: str) -> list[list[str]]:
    """The cells of the panel's number tables, without their head."""
    return page.evaluate(
        """(name) => [...document.querySelectorAll(`[data-panel=${name}] tr`)].slice(1)
          .map((row) => [...row.cells].map((cell) => cell.textContent))""",
        name,
    )


def test_the_numbers_of_a_plot_can_be_read_as_a_table(clock: Page) -> None:
    expect_plots(clock)
    for name in ("surface", "curve"):
        panel(clock, name).get_by_text("As a table").click()
    expect(panel(clock, "surface").locator("tr")).to_have_count(5)
    expect(panel(clock, "curve").locator("table")).to_have_count(2)
    assert numbers_of(rows(clock, "surface")) == [[d, *(10 * (a + 10 * d) for a in range(6))] for d in range(4)]
    line = [[60 * hour, 10 * (60 * hour) ** 2 / 1000] for hour in range(25)]
    assert numbers_of(rows(clock, "curve")[:25]) == line
    keys(clock, "clock_size", "Home")
    expect_rest(clock)
    until(clock, f"{plot('surface')}.dataset.drawn === String(window.reports.at(-1).serial)")
    assert numbers_of(rows(clock, "surface")) == [[d, *(a + 10 * d for a in range(6))] for d in range(4)]
    keys(clock, "clock_minute", "Home", "PageUp")
    expect_rest(clock)
    assert numbers_of(rows(clock, "curve")[-1:]) == [[60, 3.6]]


def numbers_of(cells: list[list[str]]) -> list[list[float]]:
    """The numbers in the cells of a table."""
    return [[pytest.approx(number(cell), abs=1e-4) for cell in row] for row in cells]


def test_plotly_is_fetched_once_and_only_when_a_plot_needs_it(page: Page, app_url: str) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if PLOTLY in request.url else None)
    open_page(page, app_url, "/quiet")
    let_frames_pass(page)
    assert fetched == []
    page.get_by_role("link", name="Clock").click()
    expect(panel(page, "curve")).to_be_visible()
    expect_plots(page)
    assert len(fetched) == 1
    page.get_by_role("link", name="Quiet").click()
    expect(control(page, "quiet_turn")).to_be_visible()
    page.get_by_role("link", name="Clock").click()
    expect(panel(page, "curve")).to_be_visible()
    expect_plots(page)
    assert len(fetched) == 1


def test_a_page_left_before_its_plots_stood_leaves_no_error(page: Page, app_url: str) -> None:
    held: list[Route] = []
    page.route(f"**{PLOTLY}*", lambda route: held.append(route))
    with page.expect_request(f"**{PLOTLY}*"):
        open_page(page, app_url)
    page.get_by_role("link", name="Quiet").click()
    expect(control(page, "quiet_turn")).to_be_visible()
    held[0].continue_()
    until(page, "window.Plotly")
    let_frames_pass(page)


def test_without_plotly_the_rest_works_and_the_page_says_so(browser: Browser, app_url: str) -> None:
    page = browser.new_context().new_page()
    page.route(f"**{PLOTLY}*", lambda route: route.abort())
    open_page(page, app_url)
    expect(panel(page, "surface")).to_contain_text("No plot here.")
    keys(page, "clock_minute", "Home")
    expect(part(page, "minute-hand")).to_have_attribute("transform", "rotate(0)")
    page.context.close()


# ---------------------------------------------------------------- no flicker


def test_the_drawing_and_the_plots_are_never_built_anew(clock: Page) -> None:
    expect_plots(clock)
    kept = f"{SVG}, [data-panel=sums] p, [data-panel=surface] .main-svg, [data-control] input"
    clock.evaluate("(selector) => document.querySelectorAll(selector).forEach((e) => (e.kept = true))", kept)
    keys(clock, "clock_size", "ArrowRight", "End")
    keys(clock, "clock_minute", "PageUp")
    type_exactly(clock.get_by_label("exact left"), 70)
    expect(reading(clock, "clock_left")).to_have_text("70")
    clock.emulate_media(color_scheme="dark")
    expect(part(clock, "distance")).to_have_css("fill", "rgb(232, 238, 242)")
    expect_rest(clock)
    until(clock, f"{plot('surface')}.dataset.drawn === String(window.reports.at(-1).serial)")
    assert clock.evaluate("(selector) => [...document.querySelectorAll(selector)].every((e) => e.kept)", kept)


def test_the_theme_changes_under_a_holding_hand(clock: Page) -> None:
    expect_plots(clock)
    expect(part(clock, "distance")).to_have_css("fill", "rgb(27, 39, 51)")
    press(clock, on_slider(clock, "clock_minute", 75 / 1440))
    clock.mouse.move(*on_slider(clock, "clock_minute", 0.5))
    clock.emulate_media(color_scheme="dark")
    expect(part(clock, "distance")).to_have_css("fill", "rgb(232, 238, 242)")
    expect(panel(clock, "curve").locator(".xtick text").first).to_have_css("fill", "rgb(232, 238, 242)")
    until(clock, f"{plot('curve')}._fullData[0].line.color.toUpperCase() === '#56B4E9'")
    expect_picture(clock, minute=720)
    clock.mouse.up()
    expect_rest(clock)
    expect_picture(clock, minute=720)


def test_another_language_is_another_set_of_words(clock: Page) -> None:
    keys(clock, "clock_minute", "PageUp")
    expect_rest(clock)
    clock.get_by_text("fr", exact=True).click()
    expect(part(clock, "said")).to_have_text("135 minutes font 2,25 heures.")
    expect(panel(clock, "surface").locator("summary")).to_have_text("En tableau")
    for label in ("taille", "ensemble"):
        expect(clock.locator(".stage-label label", has_text=label)).to_have_count(1)
    expect(control(clock, "clock_minute").get_by_role("button", name="60 de plus")).to_be_visible()
    expect(control(clock, "clock_minute").get_by_role("button", name="Lancer")).to_be_visible()
    expect_query(clock, {"clock_minute": "135", "lang": "fr"})


# ---------------------------------------------------------------- what a screen reader hears


def test_pictures_are_described_and_descriptions_follow(clock: Page) -> None:
    face = clock.get_by_role("img", name="A clock at 75 minutes; the weights are 30 apart.")
    expect(face).to_have_count(1)
    press(clock, on_slider(clock, "clock_minute", 75 / 1440))
    clock.mouse.move(*on_slider(clock, "clock_minute", 0.5))
    expect(clock.get_by_role("img", name="A clock at 720 minutes; the weights are 30 apart.")).to_have_count(1)
    clock.mouse.up()
    keys(clock, "clock_size", "End")
    expect(clock.get_by_role("img", name="A slope of 1000.")).to_have_count(1)
    expect(clock.get_by_role("img", name="A square.")).to_have_count(1)


def test_sliders_say_their_name_and_number(clock: Page) -> None:
    for name, label in (("clock_minute", "minute of the day"), ("clock_size", "size of the surface")):
        expect(clock.get_by_role("slider", name=label)).to_have_count(1)
        expect(slider(clock, name)).to_have_attribute("aria-valuetext", reading(clock, name).text_content() or "")
    keys(clock, "clock_size", "End")
    expect(slider(clock, "clock_size")).to_have_attribute("aria-valuetext", "1,000")


@pytest.mark.parametrize(
    ("name", "ends_with"),
    [("clock_minute", "A clock at 1,440 minutes"), ("clock_size", "A slope of 1000.")],
)
def test_the_live_region_speaks_once_and_only_when_the_hand_rests(clock: Page, name: str, ends_with: str) -> None:
    watch(clock, LIVE)
    press(clock, on_slider(clock, name, 0.3))
    move(clock, between(on_slider(clock, name, 0.3), on_slider(clock, name, 1), 60))
    if name == "clock_size":
        expect(part(clock, "number-size")).to_have_text("1,000")
    let_frames_pass(clock, 3)
    assert seen(clock, LIVE) == []
    clock.mouse.up()
    expect_rest(clock)
    expect(clock.locator(LIVE)).to_contain_text(ends_with)
    let_frames_pass(clock, 3)
    assert len(seen(clock, LIVE)) == 1


def test_nothing_else_on_the_stage_is_announced_at_every_step(clock: Page) -> None:
    loud = "[role=status], [role=alert], [aria-live=polite], [aria-live=assertive], output:not([aria-live=off])"
    expect(clock.locator(".stage").locator(loud)).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_amiss(new_page: NewPage, app_url: str, scheme: str) -> None:
    page = new_page(color_scheme=scheme)
    open_page(page, app_url)
    expect_plots(page)
    panel(page, "curve").locator("summary").click()
    found = Axe().run(page, context=".stage")
    assert found.violations_count == 0, found.generate_report()


# ---------------------------------------------------------------- moving by itself


def test_play_moves_until_told_to_hold_and_then_the_link_follows(clock: Page) -> None:
    control(clock, "clock_minute").get_by_role("button", name="Run").click()
    until(clock, "Number(document.querySelector('[data-control=clock_minute] output').textContent) > 80")
    assert reports(clock) == []
    control(clock, "clock_minute").get_by_role("button", name="Hold").click()
    expect_rest(clock)
    minute = int(number(reading(clock, "clock_minute").text_content() or ""))
    let_frames_pass(clock)
    expect_picture(clock, minute=minute)
    expect_query(clock, {"clock_minute": str(minute)})


def test_play_ends_at_the_end_and_begins_anew(page: Page, app_url: str) -> None:
    page.add_init_script(EAR)
    open_page(page, app_url, "/?clock_minute=1435")
    control(page, "clock_minute").get_by_role("button", name="Run").click()
    expect(reading(page, "clock_minute")).to_have_text("1,440")
    expect_rest(page)
    expect_query(page, {"clock_minute": "1440"})
    control(page, "clock_minute").get_by_role("button", name="Run").click()
    until(page, "Number(document.querySelector('[data-control=clock_minute] output').textContent) < 100")


def test_the_hand_takes_over_what_plays(clock: Page) -> None:
    control(clock, "clock_minute").get_by_role("button", name="Run").click()
    expect(reading(clock, "clock_minute")).not_to_have_text("75")
    press(clock, on_slider(clock, "clock_minute", 0.5))
    expect(reading(clock, "clock_minute")).to_have_text("720")
    let_frames_pass(clock)
    expect(reading(clock, "clock_minute")).to_have_text("720")
    clock.mouse.up()
    expect_rest(clock)
    expect_picture(clock, minute=720)


def test_a_page_left_while_playing_leaves_nothing_behind(clock: Page) -> None:
    expect_plots(clock)
    control(clock, "clock_minute").get_by_role("button", name="Run").click()
    expect(reading(clock, "clock_minute")).not_to_have_text("75")
    clock.get_by_role("link", name="Twins").click()
    expect(control(clock, "castor_at")).to_be_visible()
    wait_until_still(clock)
    expect_query(clock, {})
    assert reports(clock) == []


def test_a_stage_that_is_left_is_forgotten(clock: Page) -> None:
    expect_plots(clock)
    clock.evaluate("window.left = new WeakRef(document.querySelector('.stage'))")
    session = clock.context.new_cdp_session(clock)
    for name in ("Quiet", "Twins", "Quiet"):  # the front end keeps the last page it showed
        clock.get_by_role("link", name=name).click()
        expect(clock.get_by_role("link", name=name)).to_have_attribute("aria-current", "page")
        wait_until_still(clock)
    for _ in range(5):
        session.send("HeapProfiler.collectGarbage")
    assert clock.evaluate("window.left.deref() === undefined")


def test_what_plays_may_ask_and_is_not_thrown_back_by_the_answers(clock: Page) -> None:
    expect_plots(clock)
    watch(clock, "[data-control=clock_place] output")
    control(clock, "clock_place").get_by_role("button", name="Run").click()
    expect(reading(clock, "clock_place")).to_have_text("100")
    expect_rest(clock)
    expect_picture(clock, place=100)
    places = [int(text) for text in seen(clock, "[data-control=clock_place] output")]
    assert places == sorted(places)
    assert not all(report["settled"] for report in reports(clock))


READING = "Number(document.querySelector('[data-part=reading]').textContent)"


def test_the_quiet_stage_moves_by_itself_and_stays_where_it_is_held(page: Page, app_url: str) -> None:
    page.add_init_script(EAR)
    open_page(page, app_url, "/quiet")
    watch(page, "[data-part=vane]", "transform")
    until(page, f"{READING} > 20")
    control(page, "quiet_turn").get_by_role("button", name="Hold").click()
    expect_rest(page)
    turned = part(page, "vane").get_attribute("transform") or ""
    assert float(turned[7:-1]) > 3 * 20
    let_frames_pass(page)
    assert part(page, "vane").get_attribute("transform") == turned
    assert any(float(text[7:-1]) % 3 for text in seen(page, "[data-part=vane]")), "it was to glide"
    expect_query(page, {})
    keys(page, "quiet_turn", "End", "ArrowLeft")
    expect_rest(page)
    let_frames_pass(page)
    expect(part(page, "reading")).to_have_text("499")


def test_nothing_moves_unasked_for_those_who_want_rest(new_page: NewPage, app_url: str) -> None:
    page = new_page(reduced_motion="reduce")
    open_page(page, app_url, "/quiet")
    let_frames_pass(page)
    expect(part(page, "reading")).to_have_text("3")
    control(page, "quiet_turn").get_by_role("button", name="Run").click()
    until(page, f"{READING} > 5")


# ---------------------------------------------------------------- two stages on a page


def test_two_stages_do_not_disturb_each_other(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/twins")
    expect_no_exception(page)
    expect(page.locator(".stage")).to_have_count(2)
    expect_plots(page)
    keys(page, "castor_at", "PageUp", "ArrowRight")
    keys(page, "pollux_at", "Home")
    expect(part(page, "reading")).to_have_text(["14", "0"])
    expect(page.get_by_role("img", name="castor 14")).to_have_count(1)
    expect(page.get_by_role("img", name="pollux 0")).to_have_count(1)
    until(page, "[...document.querySelectorAll('.stage-plot')].map((p) => p._fullData[0].x[0]).join() === '14,0'")
    wait_until_still(page)
    expect(part(page, "reading")).to_have_text(["14", "0"])
    expect_query(page, {"castor_at": "14", "pollux_at": "0"})
    ids = page.evaluate("[...document.querySelectorAll('.stage [id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids)) >= 6


def test_a_stage_that_moves_house_goes_on(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/twins")
    keys(page, "castor_at", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(page.get_by_label("exact castor")).to_have_value("6")
    wait_until_still(page)
    page.evaluate("document.querySelector('.stage').old = true")
    page.get_by_text("boxed").click()
    expect(page.get_by_role("checkbox")).to_be_checked()
    wait_until_still(page)
    until(page, "!document.querySelector('.stage').old && document.querySelector('[data-part=reading]').textContent")
    expect(part(page, "reading").first).to_have_text("6")
    keys(page, "castor_at", "Home")
    expect(page.get_by_label("exact castor")).to_have_value("0")
    type_exactly(page.get_by_label("exact castor"), 9)
    expect(part(page, "reading").first).to_have_text("9")


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (1280, 900), (1280, 500)], ids=str)
def test_text_in_a_drawing_can_be_read(new_page: NewPage, app_url: str, size: tuple[int, int]) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    open_page(page, app_url)
    expect_plots(page)
    in_pictures, around_them = page.evaluate(
        """['.stage-drawing text, .stage-plot text', '.stage :is(p, label, output, summary, span)'].map((selector) =>
          Math.min(...[...document.querySelectorAll(selector)].filter((text) => text.textContent).map((text) =>
            parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM?.().a ?? 1))))"""
    )
    assert in_pictures >= 12
    assert around_them >= 12
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_what_a_finger_must_hit_is_large_enough(phone_page: Page, app_url: str) -> None:
    open_page(phone_page, app_url)
    expect_plots(phone_page)
    wanted = ".stage :is(button, input[type=range], .stage-choices label, summary, [data-handle])"
    targets = phone_page.locator(wanted).locator("visible=true")
    assert targets.count() > 10
    for box in [target.bounding_box() for target in targets.all()]:
        assert box is not None
        assert min(box["width"], box["height"]) >= 24
