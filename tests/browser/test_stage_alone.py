"""The stage without Streamlit, with the test in Python's place and the clock in the test's hand."""

from typing import Any

import pytest
from playwright.sync_api import Page

from pages.kit.link import Quantity
from pages.kit.stage import ASSETS, Control, Line, Panel, Picture, Track, Value
from tests.browser.conftest import NewPage

AT = Quantity("at", 0, 0, 1000)
OTHER = Quantity("other", 0, 0, 1000)
MARKUP = '<svg viewBox="0 0 9 9"><text data-part="here"></text><text data-part="asked"></text></svg>'
WORDS = ("play", "pause", "back", "forth", "table", "plot_missing", "sound_on", "sound_off", "volume")

# What Streamlit does for a component: hands it its element and its data, and takes its reports.
STREAMLIT = """async (source) => {
  const { default: stage } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const parentElement = document.createElement("div");
  parentElement.innerHTML = '<div class="stage-host"></div>';
  document.body.append(parentElement);
  window.reports = [];
  window.endings = [];
  const setStateValue = (name, state) => reports.push(state);
  window.give = (data) => void endings.push(stage({ parentElement, data: [data], key: "alone", setStateValue }));
}"""


class Alone:
    """A stage whose every answer and every millisecond the test decides."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.clock.install(time=0)
        page.route(address, lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
        page.goto(address)
        page.clock.pause_at(1000)
        page.evaluate(STREAMLIT, (ASSETS / "stage.js").read_text(encoding="utf-8"))

    def answer(self, serial: int, at: int, **more: Any) -> None:
        """Python's answer to the report `serial`: drawn for `at`, and told so in the text that it alone writes."""
        here, asked = Value([Line("at", 1)], decimals=0), Value([], at, decimals=0)
        picture = Picture(
            panels=[Panel("face", MARKUP, description=f"drawn for {at}")],
            controls=[Control(AT, "at", "at", asks=True), Control(OTHER, "other", "other", pace=10)],
            tracks=[Track("here", "text", "{}", [here]), Track("asked", "text", "{}", [asked])],
        )
        outside = {"serial": serial, "locale": "en", "plotly": "", "words": dict.fromkeys(WORDS, "{}")}
        self.page.evaluate("give", picture.sent({"at": at, **more}) | outside)

    def move(self, at: int, event: str = "input") -> None:
        """The hand moves the slider to `at` (`input`) or lets go there (`change`)."""
        self.page.evaluate(
            """([at, event]) => {
              const slider = document.querySelector("[data-control=at] input");
              slider.value = at;
              slider.dispatchEvent(new Event(event));
            }""",
            [at, event],
        )

    def wait(self, milliseconds: int) -> None:
        """Let time pass."""
        self.page.clock.run_for(milliseconds)

    @property
    def reports(self) -> list[tuple[int, bool, int]]:
        """The number of every report, whether the hand had let go, and where."""
        return [(r["serial"], r["settled"], r["values"]["at"]) for r in self.page.evaluate("reports")]

    def shown(self, part: str) -> str:
        """What a part of the picture says after the next frame."""
        self.wait(20)
        return self.page.locator(f"[data-part={part}]").text_content() or ""


@pytest.fixture(scope="module")
def app_url() -> str:
    """An address that nobody serves: the page is empty but for the stage."""
    return "http://localhost"


@pytest.fixture
def alone(new_page: NewPage, app_url: str) -> Alone:
    """A stage that has been given its first picture."""
    stage = Alone(new_page(), f"{app_url}/alone")
    stage.answer(0, at=0)
    return stage


def test_it_asks_at_most_every_100_milliseconds(alone: Alone) -> None:
    alone.move(1)
    alone.wait(1)
    assert alone.reports == [(1, False, 1)]
    alone.answer(1, at=1)
    alone.move(2)
    alone.wait(90)
    alone.move(3)
    assert len(alone.reports) == 1
    alone.wait(15)
    assert alone.reports[1:] == [(2, False, 3)]


def test_it_asks_one_question_at_a_time_and_the_newest(alone: Alone) -> None:
    alone.move(1)
    alone.wait(1)
    for at in range(2, 17):
        alone.move(at)
        alone.wait(100)
    assert alone.reports == [(1, False, 1)]
    alone.answer(1, at=1)
    alone.wait(1)
    assert alone.reports[1:] == [(2, False, 16)]
    alone.answer(2, at=16)
    alone.wait(3000)
    assert len(alone.reports) == 2


def test_it_asks_again_when_no_answer_comes(alone: Alone) -> None:
    alone.move(1)
    alone.wait(1)
    alone.move(2)
    alone.wait(1950)
    assert len(alone.reports) == 1
    alone.wait(60)
    assert alone.reports[1:] == [(2, False, 2)]


def test_letting_go_is_told_at_once_and_the_open_question_with_it(alone: Alone) -> None:
    alone.move(1)
    alone.move(1, "change")
    alone.wait(3000)
    assert alone.reports == [(1, True, 1)]


def test_an_answer_never_moves_what_the_hand_is_ahead_with(alone: Alone) -> None:
    alone.move(5)
    alone.wait(1)
    alone.move(9)
    alone.answer(1, at=5)
    assert (alone.shown("here"), alone.shown("asked")) == ("9", "5")
    alone.wait(200)
    alone.move(9, "change")
    alone.answer(2, at=9)
    assert (alone.shown("here"), alone.shown("asked")) == ("9", "9")
    assert alone.reports[-1] == (3, True, 9)
    alone.answer(3, at=8)  # Python has the last word once the hand rests
    assert (alone.shown("here"), alone.shown("asked")) == ("8", "8")


def test_an_older_answer_does_not_move_what_was_just_let_go(alone: Alone) -> None:
    alone.move(5)
    alone.wait(1)
    alone.move(9)
    alone.move(9, "change")
    alone.answer(1, at=5)
    assert (alone.shown("here"), alone.shown("asked")) == ("9", "5")
    alone.answer(2, at=9)
    assert (alone.shown("here"), alone.shown("asked")) == ("9", "9")


def test_an_answer_that_comes_too_late_is_not_drawn(alone: Alone) -> None:
    alone.move(1)
    alone.wait(1)
    alone.move(2)
    alone.wait(2100)
    alone.answer(2, at=2)
    alone.answer(1, at=1)
    assert (alone.shown("here"), alone.shown("asked")) == ("2", "2")


def test_what_was_typed_wins_and_what_plays_goes_on(alone: Alone) -> None:
    alone.page.evaluate("document.querySelector('[data-control=other] .stage-play').click()")
    alone.wait(1000)
    alone.answer(0, at=70)
    assert alone.shown("here") == "70"
    before = int(alone.page.locator("[data-control=other] output").inner_text())
    alone.wait(1000)
    assert 0 < before < int(alone.page.locator("[data-control=other] output").inner_text())
    alone.answer(0, at=70, other=500)
    alone.wait(1000)
    assert alone.page.locator("[data-control=other] output").inner_text() == "500"


def test_only_the_newest_call_ends_the_stage(alone: Alone) -> None:
    alone.answer(0, at=4)
    alone.page.evaluate("endings[0]()")
    assert alone.shown("here") == "4"
    alone.page.evaluate("endings[1]()")
    assert alone.page.locator(".stage").count() == 0
    alone.answer(0, at=6)
    assert alone.shown("here") == "6"
    assert alone.page.locator(".stage").count() == 1


def test_a_stage_that_is_left_says_no_more(alone: Alone) -> None:
    alone.answer(0, at=0, other=990)
    alone.page.evaluate("document.querySelector('[data-control=other] .stage-play').click()")
    alone.wait(100)
    alone.move(1)
    alone.page.evaluate("endings.at(-1)()")
    alone.wait(3000)
    assert alone.reports == []
