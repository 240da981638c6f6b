"""Every page as Streamlit runs it: it opens by any link, answers every guess, says only numbers that are true."""

import json
import math
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.kit import link, words
from rope_core.demo import demo_pair
from tests.reading import Number, Shown, faults
from tests.story import CHAPTERS, FRAME, PAGES

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = list(words.languages())
DEFAULTS = {"m": 17, "n": 12, "b": 10_000, "d": 64, "pair": 0}
EVIL = "<script>planted()</script>planted<img src=x onerror=planted()>[[planted]]$planted$"
# What a link says -> what becomes of it; what is not named is the default.
LINKS: dict[str, dict[str, int]] = {
    "m=40": {"m": 40},
    "m=banana": {},
    "m=": {},
    "m=nan": {},
    "m=inf": {},
    "m=-inf": {},
    "m=0x10": {},
    "m=-5": {"m": 0},
    "m=1e6": {"m": 4096},
    "m=4097&n=-1": {"m": 4096, "n": 0},
    "m=12.9": {"m": 12},
    "m=١٧": {},
    "m=١٨": {"m": 18},
    "m=3&m=4": {"m": 4},
    "d=7": {"d": 6},
    "d=1": {"d": 2},
    "d=257": {"d": 256},
    "b=1e999": {},
    "b=-1e999": {},
    "b=9": {"b": 10},
    "b=1e9": {"b": 10_000_000},
    "pair=9999": {"pair": 31},
    "pair=-1": {},
    "d=4&pair=20": {"d": 4, "pair": 1},
    "d=7&pair=3": {"d": 6, "pair": 2},
    "m=-5&n=1e6&b=1e999&d=7&pair=9999": {"m": 0, "n": 4096, "d": 6, "pair": 2},
    "unknown=1&M=3&lang=xx": {},
    "m=" + "9" * 5_000: {"m": 4096},
    "rubbish" * 1_500: {},
    f"m={EVIL}&{EVIL}=1&lang={EVIL}": {},
}


def opened(page: str, query: str = "") -> AppTest:
    """The page called `page` as it stands after opening it by a link with `query`, without the server in between."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        given_before = app.query_params.get(name, [])
        app.query_params[name] = [*given_before, value]
    app.switch_page(PAGES[page])
    return app.run()


def pictures(app: AppTest) -> list[dict]:
    """What the page's stages were sent."""
    return [json.loads(stage.proto.json)[0] for stage in app.get("bidi_component")]


def texts(app: AppTest) -> list[str]:
    """All prose on the page."""
    kinds = (app.title, app.header, app.subheader, app.caption, app.markdown)
    return [element.value for kind in kinds for element in kind]


def of_chapters(names: Iterable[str], cases: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, case) for name in names for case in cases]


# ---------------------------------------------------------------- opening


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_in_its_language(page: str, language: str) -> None:
    app = opened(page, f"lang={language}")
    assert not app.exception
    assert [title.value for title in app.title] == [words.load(language, page)["claim"]]
    assert pictures(app)
    assert not [text for text in texts(app) if words.PLACEHOLDER.search(text)]


@pytest.mark.parametrize(("page", "query"), of_chapters(PAGES, LINKS), ids=lambda text: text[:40])
def test_any_link_opens_the_page_with_values_in_range(page: str, query: str) -> None:
    app = opened(page, query)
    assert not app.exception
    wanted = DEFAULTS | LINKS[query]
    inputs = {box.key: box.value for box in app.number_input}
    assert {name: inputs[name] for name in inputs.keys() & wanted} == {
        name: wanted[name] for name in inputs.keys() & wanted
    }
    for picture in pictures(app):
        shown = {control["name"]: control["value"] for control in picture["controls"] if not control["moves"]}
        assert {name: shown[name] for name in shown.keys() & inputs} == {
            name: inputs[name] for name in shown.keys() & inputs
        }


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_pages_own_names_take_no_harm_either(page: str) -> None:
    own = {box.key: box for box in opened(page).number_input if box.key not in DEFAULTS}
    for bad, fits in (("1e999", "value"), ("banana", "value"), ("-1e6", "min"), ("1e12", "max")):
        app = opened(page, "&".join(f"{name}={bad}" for name in own))
        assert not app.exception
        for box in app.number_input:
            assert box.key in DEFAULTS or box.value == getattr(own[box.key], fits), (box.key, bad)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_of_a_link_becomes_part_of_the_page(page: str) -> None:
    app = opened(page, "&".join(f"{name}={EVIL}" for name in (*DEFAULTS, "lang", "unknown", f"{page}_own")))
    assert not app.exception
    assert not [text for text in [*texts(app), *map(str, pictures(app))] if "planted" in text]


@pytest.mark.parametrize("page", CHAPTERS)
@pytest.mark.parametrize("text", ["", "  ", "one", "one two", "two " * 2_000, "x" * 10_000, EVIL, "١٧ 九 \u202e\0"])
def test_a_text_of_ones_own_is_only_ever_text(page: str, text: str) -> None:
    boxes = [box.key for box in opened(page).text_input]
    app = opened(page, "&".join(f"{name}={text}" for name in boxes))
    assert not app.exception
    for picture in pictures(app):
        assert "planted" not in str(picture["panels"])
        assert "planted" not in str(picture["controls"])


RAW = st.text(max_size=50) | st.integers().map(str) | st.floats().map(str)


@given(raw=st.fixed_dictionaries({}, optional=dict.fromkeys(DEFAULTS, RAW)))
def test_whatever_is_given_the_values_are_in_range(raw: dict[str, str]) -> None:
    values = link.fitted(link.SHARED.values(), raw)
    assert 0 <= values["m"] <= 4096
    assert 0 <= values["n"] <= 4096
    assert 10 <= values["b"] <= 10_000_000
    assert 2 <= values["d"] <= 256
    assert values["d"] % 2 == 0
    assert 0 <= values["pair"] < values["d"] // 2
    again = link.fitted(link.SHARED.values(), values)
    assert again == values


# ---------------------------------------------------------------- guessing


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", CHAPTERS)
def test_every_guess_is_met_with_a_reply(page: str, language: str) -> None:
    prose = words.Words(language, page)
    answers = [answer for answer in "abc" if prose.has(f"predict_{answer}")]
    replies = {prose.raw(f"predict_{answer}"): f"predict_{answer}_reply" for answer in answers}
    replies[prose.raw("predict_show")] = "predict_answer"
    app = opened(page, f"lang={language}")
    before = texts(app)
    assert len(answers) >= 2
    assert list(app.pills[0].options) == list(replies)
    for guess, reply in replies.items():
        app.pills[0].set_value(guess).run()
        assert not app.exception
        new = [text for text in texts(app) if text not in before]
        assert len(new) == 1
        start = prose.raw(reply).partition("[[")[0].strip()
        assert start
        assert new[0].strip().startswith(start)


# ---------------------------------------------------------------- the numbers of the prose, by plain formulas


def of_dancers(gap: int) -> dict[str, Shown]:
    query, key = (vector.tolist() for vector in demo_pair(64))

    def score(q: list[float], k: list[float]) -> float:
        total = 0.0
        for i in range(32):
            angle = gap * 10_000 ** (-2 * i / 64)
            x, y = k[2 * i], k[2 * i + 1]
            total += q[2 * i] * (x * math.cos(angle) - y * math.sin(angle))
            total += q[2 * i + 1] * (x * math.sin(angle) + y * math.cos(angle))
        return total

    return {
        "gap": Number(gap, 0),
        "distance": Number(-gap, 0),
        "score": Number(score(query, key), 4),
        "other_score": Number(score(query, query), 4),
    }


PROSE: dict[str, dict[str, Shown]] = {
    "lighthouse": {
        "first_wave": Number(2 * math.pi, 2),
        "last_wave": Number(2 * math.pi * 10_000 ** (62 / 64), 0),
    },
    "dancers": of_dancers(12 - 17),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PROSE)
def test_the_numbers_of_the_prose_are_true(page: str, language: str) -> None:
    template = words.load(language, page)["mistake"]
    said = [text for text in texts(opened(page, f"lang={language}")) if text.startswith(template[:20].strip())]
    assert len(said) == 1
    assert faults(template.strip(), said[0].strip(), PROSE[page]) == []


# ---------------------------------------------------------------- what the web process loads

LOADS = f"""
import sys
from streamlit.testing.v1 import AppTest
import app
for page in {list(PAGES.values())}:
    opened = AppTest.from_file({str(FRAME)!r}, default_timeout=60).switch_page(page).run()
    assert not opened.exception and opened.title, page
print("loaded:", *(name for name in ("torch", "transformers", "streamlit", "numpy") if name in sys.modules))
"""


def test_no_page_loads_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADS], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["loaded: streamlit numpy"], done.stdout + done.stderr
