"""The bells: every number of the puzzle and the prose by plain formulas, and a rack that can be read at any size."""

import base64
import json
import math
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.kit import words
from pages.kit.link import Quantity
from pages.kit.look_alikes import LookAlikes
from pages.kit.rack import BOTTOM, LEFT, RIGHT, TOP, places
from pages.kit.spectrum import Spectrum
from rope_core import inverse_frequencies, rotate, scores_by_gap
from tests.reading import Number, Shown, faults
from tests.story import FRAME, PAGES

LANGUAGES = list(words.languages())
BASE, WIDTH, ALIKE = 10_000, 128, 0.99
COUNTS = {1: 183, 2: 12, 3: 1, 4: 1, 5: 0, 6: 0}
TURN = 2 * math.pi
MODELS = Path(__file__).resolve().parents[1] / "data" / "models.json"


def wave(pair: int, base: float = BASE, width: int = WIDTH) -> float:
    """Tokens for a whole turn."""
    return TURN * base ** (2 * pair / width)


@cache
def likeness(gap: int, bells: int) -> float:
    """How high the mouths of the first bells stand at `gap`, on average."""
    return math.fsum(math.cos(gap * BASE ** (-2 * pair / WIDTH)) for pair in range(bells)) / bells


@cache
def fooling(bells: int) -> list[int]:
    """The gaps that look like gap 0."""
    return [gap for gap in range(3, 4097) if likeness(gap, bells) >= ALIKE]


@cache
def opened(query: str = "") -> AppTest:
    """The page as it stands after opening it by a link with `query`."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        app.query_params[name] = value
    app.switch_page(PAGES["bells"]).run()
    assert not app.exception
    return app


def stages(query: str = "") -> list[dict]:
    """What the page's two stages were sent."""
    return [json.loads(stage.proto.json)[0] for stage in opened(query).get("bidi_component")]


def numbers(table: dict) -> list[float]:
    """A table of numbers as the browser reads it."""
    kind = {"i2": "<i2", "i4": "<i4", "f4": "<f4"}[table["kind"]]
    return (np.frombuffer(base64.b64decode(table["data"]), kind) * table["unit"]).tolist()


# ---------------------------------------------------------------- the puzzle


@pytest.mark.parametrize("bells", COUNTS)
def test_each_bell_added_removes_some_until_none_is_left(bells: int) -> None:
    assert len(fooling(bells)) == COUNTS[bells]
    key = {0: "found_none", 1: "found_one"}.get(COUNTS[bells], "found_many")
    found = words.Words("en", "bells")(key, found=COUNTS[bells], nearest=3, furthest=4096)
    assert f">{found}<" in stages(f"bells_count={bells}")[0]["panels"][1]["markup"]


def test_with_five_bells_or_more_nothing_is_left() -> None:
    rates = BASE ** (-np.arange(0, WIDTH, 2) / WIDTH)
    gap = Quantity("gap", 0, 0, 4096)
    left = [len(LookAlikes(rates[:bells], gap, words.Words("en", "bells")).found) for bells in range(5, 65)]
    assert left == [0] * 60


@pytest.mark.parametrize("bells", [1, 2, 3, 64])
def test_the_tables_say_how_alike_every_gap_is_and_lead_to_the_next(bells: int) -> None:
    tables = stages(f"bells_count={bells}")[0]["tables"]
    assert numbers(tables["likeness"]) == pytest.approx([likeness(gap, bells) for gap in range(4097)], abs=0.6e-5)
    alike = [float(likeness(gap, bells) >= ALIKE) for gap in range(4097)]
    assert numbers(tables["alike"]) == alike
    if not (there := fooling(bells)):
        assert "next" not in tables
        return
    for gap, after, before in zip(range(4097), numbers(tables["next"]), numbers(tables["previous"]), strict=True):
        assert after == next((other for other in there if other > gap), there[0])
        assert before == next((other for other in reversed(there) if other < gap), there[-1])


def test_one_bell_nearly_repeats_at_44_and_most_nearly_at_710() -> None:
    assert {44, 710} <= set(fooling(1))
    assert max(fooling(1), key=lambda gap: likeness(gap, 1)) == 710
    assert 'data-pick="bells_gap 710"' in stages()[0]["panels"][1]["markup"]


def test_every_bell_turns_by_its_own_rate() -> None:
    turns = {t["part"]: t["values"][0] for t in stages()[0]["tracks"] if t.get("attribute") == "transform"}
    assert len(turns) == 64
    for pair in range(64):
        (term,) = turns[f"bell{pair}"]["terms"]
        assert term["variable"] == "bells_gap"
        assert term["rate"] == pytest.approx(-math.degrees(BASE ** (-2 * pair / WIDTH)), rel=1e-12)


# ---------------------------------------------------------------- the prose


def prose() -> dict[str, Shown]:
    """The numbers of the prose."""
    far = range(65, 4097)
    five = max(far, key=lambda gap: likeness(gap, 5))
    return {f"found_{bells}": Number(count, 0) for bells, count in COUNTS.items()} | {
        "nearest": Number(3, 0),
        "furthest": Number(4096, 0),
        "alike": Number(0.99, 2),
        "bells": Number(64, 0),
        "first_wave": Number(wave(0), 2),
        "last_wave": Number(wave(63), 0),
        "turns_44": Number(44 / TURN, 3),
        "turns_710": Number(710 / TURN, 5),
        "one_in": Number(4094 / len(fooling(1)), 0),
        "far": Number(65, 0),
        "five_gap": Number(five, 0),
        "five_best": Number(likeness(five, 5), 2),
        "far_best": Number(max(likeness(gap, 64) for gap in far), 2),
        "neighbour": Number(likeness(1, 64), 2),
        "limit": Number(TURN * BASE, 0),
        "own_1": Number(likeness(1, 64), 2),
        "own_62": Number(likeness(62, 64), 2),
        "own_67": Number(likeness(67, 64), 2),
        "drawn": Number(2_000, 0),
        "range_1": Number(spread_of_random_scores(1), 2),
        "range_1000": Number(spread_of_random_scores(1_000), 2),
    }


@cache
def spread_of_random_scores(gap: int) -> float:
    """The standard deviation of 2,000 random scores over √d, in complex numbers."""
    q, k = np.random.default_rng(WIDTH).standard_normal((2, 2_000, WIDTH)).view(np.complex128)
    turned = k * np.exp(1j * gap * BASE ** (-np.arange(0, WIDTH, 2) / WIDTH))
    return float((q * turned.conj()).real.sum(axis=1).std() / math.sqrt(WIDTH))


def test_random_words_do_not_fade_and_a_peak_can_stand_anywhere() -> None:
    assert spread_of_random_scores(1) == pytest.approx(spread_of_random_scores(1_000), abs=0.05)
    query = np.random.default_rng(7).standard_normal(WIDTH)
    rates = inverse_frequencies(WIDTH, BASE)
    for peak in (7, 100, 500):
        (key,) = rotate(query[np.newaxis], [-peak], rates)
        assert scores_by_gap(query, key, np.arange(1_000), rates).argmax() == peak


def test_the_bases_named_are_those_of_the_models() -> None:
    bases = {row["repo"]: row["config"].get("rope_theta") for row in json.loads(MODELS.read_text(encoding="utf-8"))}
    assert bases["meta-llama/Llama-3.1-8B-Instruct"] == 500_000
    assert bases["Qwen/Qwen3-8B"] == 1_000_000


def wrong(template: str, text: str) -> list[str]:
    """What is wrong with the numbers in `text`, role colours aside."""
    plain = (re.sub(r":\w+\[([^\[\]]+)\]", r"\1", written).strip() for written in (template, text))
    return faults(*plain, prose())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["formula", "why", "mistake"])
def test_the_numbers_of_the_prose_are_true(key: str, language: str) -> None:
    template = words.load(language, "bells")[key]
    assert any(not wrong(template, text.value) for text in opened(f"lang={language}").markdown)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_the_answers_are_true(language: str) -> None:
    said = words.Words(language, "bells")
    answers = {f"predict_{answer}": f"predict_{answer}_reply" for answer in "abc"} | {"predict_show": "predict_answer"}
    for answer, reply in answers.items():
        app = opened.__wrapped__(f"lang={language}")
        app.pills[0].set_value(said.raw(answer)).run()
        assert any(not wrong(said.raw(reply), text.value) for text in app.markdown)
        assert any(not wrong(said.raw("predict_question"), text.value.split("** ")[-1]) for text in app.markdown)


def test_no_far_gap_is_as_near_as_the_prose_says() -> None:
    assert all(likeness(gap, 64) <= 0.51 for gap in range(65, 4097))


def test_the_numbers_written_out_in_the_prose_are_true() -> None:
    assert wave(64) == pytest.approx(TURN * BASE)  # the pair that is not there
    assert pytest.approx(62_832, abs=0.5) == TURN * BASE
    assert wave(63) == pytest.approx(TURN * BASE ** (126 / 128))
    counted_from_one = [BASE ** (-2 * (i - 1) / WIDTH) for i in range(1, 65)]
    assert counted_from_one == pytest.approx([BASE ** (-2 * i / WIDTH) for i in range(64)])
    slipped = [BASE ** (-2 * i / WIDTH) for i in range(1, 65)]
    assert max(slipped) == pytest.approx(counted_from_one[1])


# ---------------------------------------------------------------- all bells, any base


@pytest.mark.parametrize(
    ("base", "width", "length", "slow"),
    [(10_000, 128, 4096, 18), (10_000, 128, 2048, 23), (500_000, 128, 8192, 29), (1_000_000, 128, 32_768, 24)],
)
def test_the_pairs_that_never_finish_a_turn(base: int, width: int, length: int, slow: int) -> None:
    assert sum(wave(pair, base, width) > length for pair in range(width // 2)) == slow
    sent = stages(f"b={base}&d={width}&bells_context={length}")[1]
    (numbers_panel,) = (panel for panel in sent["panels"] if panel["name"] == "numbers")
    said = words.load("en", "bells")["slow"].replace("[[slow]]", str(slow)).replace("[[pairs]]", str(width // 2))
    assert said.replace("[[context:,]]", f"{length:,}") in numbers_panel["markup"]


@given(base=st.integers(10, 10_000_000), pairs=st.integers(1, 128), context=st.integers(512, 131_072), data=st.data())
def test_the_pair_in_hand_is_told_by_its_own_numbers(base: int, pairs: int, context: int, data: st.DataObject) -> None:
    pair = data.draw(st.integers(0, pairs - 1))
    spectrum = Spectrum({"b": base, "d": 2 * pairs, "pair": pair, "m": 0}, context, words.Words("en", "bells"))
    assert spectrum.slow == sum(wave(i, base, 2 * pairs) > context for i in range(pairs))
    markup = spectrum.panels()[1].content
    (shown,) = re.findall(r"= ([\d,.]+) tokens", markup)
    assert Number(wave(pair, base, 2 * pairs), 2).fault(shown) is None
    plot = spectrum.panels()[0].content.data[0]
    assert plot.y == pytest.approx([wave(i, base, 2 * pairs) for i in range(pairs)], rel=1e-9)
    assert [symbol == "diamond" for symbol in plot.marker.symbol] == [length > context for length in plot.y]


# ---------------------------------------------------------------- the rack


@pytest.mark.parametrize("count", range(1, 129))
def test_the_rack_holds_every_bell_apart_from_its_neighbours(count: int) -> None:
    hung = places(count)
    assert len(hung) == count
    assert all(place.x - place.side / 2 >= LEFT - 1e-6 for place in hung)
    assert all(place.x + place.side / 2 <= RIGHT + 1e-6 for place in hung)
    assert all(place.y - place.side / 2 >= TOP - 1e-6 for place in hung)
    assert all(place.y + place.side / 2 <= BOTTOM + 1e-6 for place in hung)
    assert all(slow.side > fast.side for fast, slow in pairwise(hung))
    for one, other in pairwise(hung):
        apart = (one.side + other.side) / 2 - 1e-6
        assert (other.y - one.y >= apart) if other.first else (other.x - one.x >= apart and other.y == one.y)
    assert min(place.side for place in hung) >= 24  # units of a drawing that is 484 wide
