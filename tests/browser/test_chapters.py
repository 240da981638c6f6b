"""The chapters in a real browser: every number and angle on the page by plain formulas, at every kind of setting."""

import math
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.kit import words
from tests.app_server import running_app
from tests.browser import picture, truth
from tests.browser.app_helpers import open_page, serious_faults, unfold, wait_until_still
from tests.browser.conftest import PHONE, NewPage
from tests.browser.picture import Reading, Scene
from tests.browser.stage_helpers import (
    Fingers,
    Point,
    handle,
    keys,
    let_frames_pass,
    move,
    number,
    on_slider,
    part,
    press,
    query,
    reading,
    seen,
    until,
    watch,
)
from tests.browser.truth import At
from tests.reading import fields
from tests.story import STORY

DEFAULTS = asdict(At())


@dataclass(frozen=True)
class Chapter:
    """A chapter whose whole picture is known: what it must show, and which quantities it lets set."""

    name: str
    truth: Callable[[At, Reading], list[Scene]]
    exact: tuple[str, ...]


CHAPTERS = {
    chapter.name: chapter
    for chapter in (
        Chapter("lighthouse", truth.lighthouse, ("m", "b", "d", "pair")),
        Chapter("dancers", truth.dancers, ("m", "n", "b", "d", "pair")),
    )
}
# What a link says -> what must be shown: in range as it is, out of range the nearest end, unreadable the default.
BY_LINK = {
    "": At(),
    "m=0&n=0": At(m=0, n=0),
    "m=4096&n=4096": At(m=4096, n=4096),
    "m=0&n=4096&pair=31": At(m=0, n=4096, pair=31),
    "m=4096&n=0&b=10": At(m=4096, n=0, b=10),
    "b=10000000&m=1000&n=998&pair=3": At(m=1000, n=998, b=10_000_000, pair=3),
    "d=2&m=100&n=7": At(m=100, n=7, d=2),
    "d=256&pair=127&m=4096&n=1": At(m=4096, n=1, d=256, pair=127),
    "m=-5&n=1e6&d=7&pair=9999": At(m=0, n=4096, d=6, pair=2),
    "m=12.9&b=1e999&d=1": At(m=12, d=2),
    "m=banana&n=nan&b=3&pair=-1&d=300": At(b=10, d=256),
    "m=4097&n=٣&b=1e8&pair=31&d=62": At(m=4096, n=3, b=10_000_000, d=62, pair=30),
}
# Typed one after the other into the exact inputs, as text -> what must be shown then.
TYPED = (
    ({"d": "7"}, {"d": 6}),
    ({"pair": "2", "m": "40.9"}, {"pair": 2, "m": 40}),
    ({"d": "2"}, {"d": 2, "pair": 0}),
    ({"d": "256", "b": "11"}, {"d": 256, "b": 11}),
    ({"pair": "127", "n": "4096"}, {"pair": 127, "n": 4096}),
    ({"m": "0"}, {"m": 0}),
    ({"b": "9999999"}, {"b": 9_999_999}),
    ({"n": "1", "d": "255"}, {"d": 254, "pair": 126, "n": 1}),
    ({"d": "128"}, {"d": 128, "pair": 63}),
    ({"pair": "1", "m": "2049"}, {"pair": 1, "m": 2049}),
    ({"b": "10", "pair": "63"}, {"b": 10, "pair": 63}),
)


def expect_picture(page: Page, chapter: Chapter, at: At, what: object = "") -> None:
    """Wait until the whole page shows `chapter` at this setting and nothing else."""
    setting = asdict(at)
    query = {name: str(value) for name, value in setting.items() if value != DEFAULTS[name]}
    inputs = {name: setting[name] for name in chapter.exact}

    def faults(reading: Reading) -> list[str]:
        scenes = chapter.truth(at, reading) if reading["stages"] else []
        return picture.faults_of(reading, scenes, inputs, query) if scenes else ["no stage stands yet"]

    picture.expect(page, faults, f"{chapter.name} at {at} {what}")


def type_exactly(page: Page, values: Iterable[tuple[str, str]]) -> None:
    for name, text in values:
        box = page.get_by_label(f"exact {name}", exact=True)
        box.fill(text)
        box.press("Enter")


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_every_number_and_angle_is_true(page: Page, app_url: str, chapter: Chapter) -> None:
    for link, at in BY_LINK.items():
        open_page(page, app_url, f"/{chapter.name}?{link}")
        expect_picture(page, chapter, at, f"by the link ?{link}")


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=CHAPTERS)
def test_every_number_and_angle_is_true_as_settings_are_typed(page: Page, app_url: str, chapter: Chapter) -> None:
    open_page(page, app_url, f"/{chapter.name}")
    at = At()
    for typed, changes in TYPED:
        type_exactly(page, [(name, text) for name, text in typed.items() if name in chapter.exact])
        at = replace(at, **{name: value for name, value in changes.items() if name in chapter.exact})
        expect_picture(page, chapter, at, f"when {typed} were typed")


def test_every_bell_stands_where_its_rate_says(page: Page, app_url: str) -> None:
    for link, at in BY_LINK.items():
        open_page(page, app_url, f"/bells?{link}")

        def faults(shown: Reading, at: At = at) -> list[str]:
            return list(truth.rack(at, shown["stages"][1])) if len(shown["stages"]) == 2 else ["no rack stands yet"]

        picture.expect(page, faults, f"bells by the link ?{link}")


def test_the_diagonals_spread_is_rounding_for_rope_and_not_for_an_added_address(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/dancers")
    some = random.Random(64)
    for _ in range(8):
        b, d = round(10 ** some.uniform(1, 7)), 2 * some.randint(1, 128)
        at = At(b=b, d=d, m=some.randint(0, 4096), n=some.randint(0, 4096))
        type_exactly(page, [(name, str(getattr(at, name))) for name in ("m", "n", "b", "d")])
        expect_picture(page, CHAPTERS["dancers"], at)
        assert number(part(page, "spread-additive").inner_text()) > 0.05


# ---------------------------------------------------------------- the hand in the picture


def held_at(page: Page, name: str) -> tuple[Point, Point]:
    """The point that a part turns about and the middle of its grip, on the screen."""
    handle(page, name).scroll_into_view_if_needed()
    let_frames_pass(page)
    about, grip = page.evaluate(
        """(name) => {
          const { e, f } = document.querySelector(`[data-part=${name}]`).getScreenCTM();
          const box = document.querySelector(`[data-handle=${name}] .stage-grip`).getBoundingClientRect();
          return [[e, f], [box.left + box.width / 2, box.top + box.height / 2]];
        }""",
        name,
    )
    return about, grip


def swing(page: Page, touch: bool, name: str, degrees: float) -> None:
    """Take hold of a turning part and lead it around by so many degrees, anticlockwise."""
    (x, y), start = held_at(page, name)
    radius, first = math.hypot(start[0] - x, start[1] - y), math.atan2(y - start[1], start[0] - x)
    angles = [first + math.radians(degrees * step / 24) for step in range(1, 25)]
    way = [(x + radius * math.cos(angle), y - radius * math.sin(angle)) for angle in angles]
    if touch:
        Fingers(page).drag(start, way)
        return
    press(page, start)
    move(page, way)
    page.mouse.up()


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
@pytest.mark.parametrize(
    ("chapter", "turns"),
    [("lighthouse", [("beam", "m", 98), ("beam", "m", -470)]), ("dancers", [("query", "m", -61), ("key", "n", 143)])],
)
def test_what_is_turned_by_hand_stands_where_the_angle_says(
    new_page: NewPage, app_url: str, chapter: str, turns: list[tuple[str, str, float]], touch: bool
) -> None:
    page = new_page(**PHONE) if touch else new_page()
    at = At(m=140, n=30, pair=8)
    open_page(page, app_url, f"/{chapter}?m=140&n=30&pair=8")
    expect_picture(page, CHAPTERS[chapter], at)
    for thing, name, degrees in turns:
        swing(page, touch, thing, degrees)
        steps = degrees / math.degrees(10_000 ** (-2 * 8 / 64))
        at = replace(at, **{name: round(getattr(at, name) + steps)})
        expect_picture(page, CHAPTERS[chapter], at, f"after turning {thing} by {degrees}°")


def test_moving_both_together_changes_no_number_of_the_gap(page: Page, app_url: str) -> None:
    at = At(m=40, n=75, pair=4)
    open_page(page, app_url, "/dancers?m=40&n=75&pair=4")
    expect_picture(page, CHAPTERS["dancers"], at)
    of_gap = ["gap-text", "between-text", "pair-score"]
    before = {name: part(page, name).text_content() for name in of_gap}
    for name in (*of_gap, "all-score", "query-turn"):
        watch(page, f"[data-part={name}]")
    watch(page, "[data-part=between]", "stroke-dasharray")
    press(page, on_slider(page, "both", 40 / 4061))
    move(page, [on_slider(page, "both", ratio / 10) for ratio in range(1, 9)])
    page.mouse.up()
    keys(page, "both", "PageDown", "ArrowRight", "ArrowRight")
    let_frames_pass(page, 3)  # what a key sets is drawn in the next frame
    here = int(number(reading(page, "both").inner_text()))
    assert here > 1_000
    expect_picture(page, CHAPTERS["dancers"], replace(at, m=here, n=here + 35))
    for name in of_gap:
        assert set(seen(page, f"[data-part={name}]")) <= {before[name]}
    assert len(set(seen(page, "[data-part=between]"))) <= 1
    template = words.load("en", "dancers")["all_score"]
    scores = [fields(template, text) for text in seen(page, "[data-part=all-score]")]
    assert len({said["score"][0] for said in scores}) == 1
    assert len({said["additive"][0] for said in scores}) > 3
    assert len(seen(page, "[data-part=query-turn]")) > 3


# ---------------------------------------------------------------- the maps


def on_map(page: Page, name: str, m: float, n: float) -> tuple[Point, tuple[int, int]]:
    """The whole pixel of a map that is nearest to (m, n), and the positions that it stands for."""
    plot = page.locator(f"[data-panel={name}] .stage-plot")
    plot.evaluate("(e) => e.scrollIntoView({ block: 'center' })")
    let_frames_pass(page)
    box = plot.evaluate(
        """(e) => {
          const { left, top } = e.getBoundingClientRect(), { xaxis: x, yaxis: y } = e._fullLayout;
          const down = y.range.toReversed();
          return { x: [left + x._offset, x._length, ...x.range], y: [top + y._offset, y._length, ...down] };
        }"""
    )
    point, place = [], []
    for wanted, (start, length, first, last) in ((n, box["x"]), (m, box["y"])):
        pixel = round(start + (wanted - first) / (last - first) * length)
        point.append(pixel)
        place.append(round(first + (pixel - start) / length * (last - first)))
    return (point[0], point[1]), (place[1], place[0])


def test_a_diagonal_is_picked_on_either_map(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/dancers?m=1000&n=1030")
    expect_picture(page, CHAPTERS["dancers"], At(m=1000, n=1030))
    for name, wanted in (("map-rope", (980, 1060)), ("map-additive", (1010, 1040))):
        point, (m, n) = on_map(page, name, *wanted)
        page.mouse.click(*point)
        expect_picture(page, CHAPTERS["dancers"], At(m=m, n=n), f"after a click on {name}")


def test_a_zoomed_map_stays_zoomed_while_its_numbers_change(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/dancers")
    expect_picture(page, CHAPTERS["dancers"], At())
    corners = [on_map(page, "map-rope", 20 + step, 30 + step)[0] for step in (0, 10, 30, 50)]
    press(page, corners[0])
    move(page, corners[1:])
    page.mouse.up()
    shown = """["x", "y"].map((axis) =>
      document.querySelector("[data-panel=map-rope] .stage-plot")._fullLayout[`${axis}axis`].range)"""
    until(page, f"({shown})[0][0] > 25")
    near = page.evaluate(shown)
    at = At()
    for name, value in (("b", 10_600), ("d", 66), ("m", 18)):
        keys(page, name, "ArrowRight")
        at = replace(at, **{name: value})
        expect_picture(page, CHAPTERS["dancers"], at)
    assert page.evaluate(shown) == near


# ---------------------------------------------------------------- the link and the history


def shown_setting(page: Page) -> At:
    """The setting that the address asks for."""
    return At(**{name: int(text) for name, text in query(page).items() if name in DEFAULTS})


def use(page: Page, name: str, *pressed: str) -> None:
    """Press keys on a slider, let go, and wait until Python has answered."""
    answered = "[...document.querySelectorAll('.stage')].map((e) => e.dataset.stageReady).join()"
    for key in pressed:
        before = page.evaluate(answered)
        keys(page, name, key)
        until(page, f"{answered} !== '{before}'")
    wait_until_still(page)
    let_frames_pass(page, 10)


def test_a_link_shows_the_same_picture_in_another_browser_and_at_another_server(
    new_page: NewPage, browser: Browser, app_url: str
) -> None:
    page, chapter = new_page(), CHAPTERS["dancers"]
    open_page(page, app_url, "/dancers?pair=5")
    for name in ("m", "n", "both", "b", "d", "pair"):
        use(page, name, "ArrowRight", "PageUp" if name != "d" else "ArrowRight")
    swing(page, False, "key", 200)
    let_frames_pass(page)
    at = shown_setting(page)
    assert all(getattr(at, name) != value for name, value in DEFAULTS.items())
    expect_picture(page, chapter, at)
    link, stages = page.url.removeprefix(app_url), rounded(picture.read(page)["stages"])
    other = new_page()
    open_page(other, app_url, link)
    expect_picture(other, chapter, at)
    assert rounded(picture.read(other)["stages"]) == stages
    with running_app() as (url, _):
        first = browser.new_page(viewport={"width": 1280, "height": 900})
        open_page(first, url, link)
        expect_picture(first, chapter, at)
        assert rounded(picture.read(first)["stages"]) == stages
        first.close()


def rounded(value: object) -> object:
    """A reading with its numbers to six places, since a window scrolls by parts of a pixel."""
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return {name: rounded(item) for name, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", CHAPTERS)
@pytest.mark.parametrize("link", ["", "?m=40&n=30&pair=31"])
def test_no_control_adds_to_the_history(page: Page, app_url: str, name: str, link: str) -> None:
    open_page(page, app_url, f"/{name}{link}")
    before, grown = page.evaluate("history.length"), []
    steps = [("m", "ArrowRight"), ("n", "PageUp"), ("both", "ArrowRight"), ("b", "ArrowRight"), ("d", "ArrowLeft")]
    for control, key in [*steps, ("pair", "ArrowLeft" if link else "ArrowRight")]:
        if control in CHAPTERS[name].exact or (control == "both" and name == "dancers"):
            use(page, control, key)
            grown += [control] * (page.evaluate("history.length") - before - len(grown))
    type_exactly(page, [("pair", "4"), ("d", "11")])
    expect(page).to_have_url(re.compile("pair=4"))
    expect(page).to_have_url(re.compile("d=10"))
    let_frames_pass(page)
    grown += ["typed"] * (page.evaluate("history.length") - before - len(grown))
    assert grown == []


def test_back_and_forward_go_from_page_to_page_and_the_pictures_with_them(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/lighthouse?m=40&pair=2")
    use(page, "m", "ArrowRight", "PageUp")
    here = [page.url]
    before = page.evaluate("history.length")
    page.get_by_role("link", name=words.load("en", "dancers")["title"]).last.click()
    expect(page).to_have_url(re.compile("/dancers.*m=105"))
    expect_picture(page, CHAPTERS["dancers"], shown_setting(page), "after going on")
    assert page.evaluate("history.length") == before + 1
    use(page, "both", "PageUp")
    use(page, "n", "ArrowRight")
    here.append(page.url)
    for at, step in ((0, page.go_back), (1, page.go_forward), (0, page.go_back)):
        step()
        expect(page).to_have_url(here[at])
        chapter = CHAPTERS[("lighthouse", "dancers")[at]]
        expect_picture(page, chapter, shown_setting(page), f"after {step.__name__}")
        wait_until_still(page)
        assert page.url == here[at]
    assert page.evaluate("history.length") == before + 1


# ---------------------------------------------------------------- on a phone, for everybody

# Code and tables of numbers scroll within themselves; formulas have a text for screen readers, Streamlit a folded menu.
SIDEWAYS = """() => {
  const within = `input, pre, .stage-table, .stage-unseen, .katex-mathml, [data-testid=stCode],
    [data-testid=stSidebar]`;
  const wide = [];
  for (const e of document.querySelectorAll("body, body *")) {
    if (e.closest(within) || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const { right, width, height } = e.getBoundingClientRect();
    const hides = getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1;
    if (width > 1 && height > 1 && (hides || right > innerWidth + 1))
      wide.push(`${e.tagName}.${e.getAttribute("class")} “${e.textContent.slice(0, 40)}”: ${right}, ${e.scrollWidth}`);
  }
  return wide;
}"""


def test_nothing_scrolls_sideways_on_a_phone(phone_page: Page, app_url: str) -> None:
    for name in STORY:
        open_page(phone_page, app_url, "/" if name == "home" else f"/{name}?m=4096&n=4001&b=9999999&d=256&pair=127")
        unfold(phone_page)
        wide = phone_page.evaluate(SIDEWAYS)
        assert not wide, f"{name}:\n" + "\n".join(wide)
        assert phone_page.evaluate("document.scrollingElement.scrollWidth") <= 390, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page: NewPage, app_url: str, scheme: str) -> None:
    page, found = new_page(color_scheme=scheme), []
    for name in STORY:
        open_page(page, app_url, "/" if name == "home" else f"/{name}")
        unfold(page)
        found += serious_faults(page)
    assert not found, "\n".join(found)


def tab_to(page: Page, is_it: str) -> None:
    """Press Tab until `is_it`, an expression about the focused `e`, is true."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate(f"() => {{ const e = document.activeElement; return Boolean({is_it}); }}"):
            return
    pytest.fail(f"the Tab key never reaches {is_it}")


def test_everything_can_be_set_with_the_keyboard_alone(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/dancers")
    at = At()
    for name, key, changes in (
        ("m", "ArrowRight", {"m": 18}),
        ("n", "PageUp", {"n": 76}),
        ("both", "ArrowRight", {"m": 19, "n": 77}),
        ("b", "End", {"b": 10_000_000}),
        ("d", "Home", {"d": 2}),
    ):
        tab_to(
            page,
            f"e.type === 'range' && e.closest('[data-control]').dataset.control === '{name}'",
        )
        page.keyboard.press(key)
        at = replace(at, **changes)
        expect_picture(page, CHAPTERS["dancers"], at, f"after {key} on {name}")
    for name, text, value in (("d", "12", 12), ("pair", "3", 3)):
        tab_to(page, f"e.getAttribute('aria-label') === 'exact {name}'")
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        at = replace(at, **{name: value})
        expect_picture(page, CHAPTERS["dancers"], at, f"after typing {name}")
    tab_to(page, "e.closest('.st-key-predict') && e.tagName === 'BUTTON'")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-predict")).to_contain_text(words.load("en", "dancers")["predict_b_reply"][:20])
    tab_to(page, "e.closest('[data-testid=stExpander]') && e.tagName === 'SUMMARY'")
    page.keyboard.press("Enter")
    expect(page.locator("[data-testid=stExpander] details").first).to_have_attribute("open", "")
    tab_to(page, "e.closest('[data-testid=stPageLink]') && e.textContent.includes('→')")
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile("/dancers"))


# ---------------------------------------------------------------- the code panel

RESULTS: dict[str, Callable[[Page], list[str]]] = {
    "lighthouse": lambda page: [part(page, f"number-{name}").inner_text() for name in ("y0", "y1")],
    "dancers": lambda page: (
        2 * fields(words.load("en", "dancers")["all_score"], part(page, "all-score").inner_text())["score"]
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_code_as_it_stands_on_the_page_gives_what_the_page_shows(page: Page, app_url: str, name: str) -> None:
    open_page(page, app_url, f"/{name}")
    shown = RESULTS[name](page)
    page.get_by_text(words.load("en", "kit")["code_title"]).click()
    for way in ("rope_core", "torch"):
        page.get_by_role("tab", name=way).click()
        code = page.get_by_test_id("stCode").locator("visible=true").inner_text()
        pasted: dict[str, object] = {}
        exec(code, pasted)
        result = [float(value) for value in pasted["result"]]
        assert [
            f"{value:.{len(text.partition('.')[2])}f}".replace("-", "−")
            for value, text in zip(result, shown, strict=True)
        ] == shown
