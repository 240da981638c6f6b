"""What the stage is sent: read here as the browser reads it."""

import base64
import json
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from pages.kit import stage, words
from pages.kit.link import Quantity
from pages.kit.stage import Control, Drag, Entry, Line, Panel, Picture, PlotTrack, Table, Track, Value, scene, sentence

PLACE = Quantity("sea_place", 3, 0, 10)
KINDS = {"f4": "<f4", "i2": "<i2", "i4": "<i4"}
FLOATS = arrays(np.float64, st.integers(1, 40), elements=st.floats(-2e4, 2e4))


def entries(sent: dict) -> NDArray[np.float64]:
    """The numbers of a table as the browser reads them."""
    packed = np.frombuffer(base64.b64decode(sent["data"]), KINDS[sent["kind"]])
    return packed.astype(np.float64) * sent["unit"]


# ---------------------------------------------------------------- tables


@given(FLOATS, st.integers(0, 4))
def test_a_table_with_decimals_is_what_a_text_shows(values: NDArray[np.float64], decimals: int) -> None:
    found = entries(Table("t", values, decimals=decimals).sent())
    assert found == pytest.approx(values, abs=0.5000001 * 10**-decimals)


@given(FLOATS)
def test_a_table_for_a_drawing_is_as_exact_as_a_float(values: NDArray[np.float64]) -> None:
    sent = Table("t", values).sent()
    assert sent["kind"] == "f4"
    assert entries(sent) == pytest.approx(values, rel=2**-24, abs=1e-40)


@pytest.mark.parametrize(
    ("largest", "kind"), [(32.767, "i2"), (-32.767, "i2"), (32.768, "i4"), (-32.768, "i4"), (2e6, "i4")]
)
def test_a_table_travels_as_small_as_it_can(largest: float, kind: str) -> None:
    sent = Table("t", [0.5, largest], decimals=3).sent()
    assert sent["kind"] == kind
    assert entries(sent) == pytest.approx([0.5, largest])


@pytest.mark.parametrize("wrong", [3e6, -3e6, np.nan, np.inf])
def test_a_table_that_its_decimals_cannot_hold_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"table 't' .* 3 decimals"):
        Table("t", [0.0, wrong], decimals=3).sent()


def test_a_table_of_texts() -> None:
    sent = Table("t", ["sea", "Größe", ""], first=-2, repeats=True).sent()
    assert (sent["kind"], sent["data"], sent["first"], sent["repeats"]) == ("text", ["sea", "Größe", ""], -2, True)


@given(arrays(np.int64, st.integers(1, 9), elements=st.integers(-30_000, 30_000)), st.integers(-9, 9), st.booleans())
def test_a_table_of_whole_numbers(values: NDArray[np.int64], first: int, repeats: bool) -> None:
    sent = Table("t", values, first, repeats, decimals=0).sent()
    assert (sent["first"], sent["repeats"]) == (first, repeats)
    assert entries(sent).tolist() == values.tolist()


# ---------------------------------------------------------------- values and tracks


def test_a_value_is_a_start_and_its_terms() -> None:
    table = Table("swell", [1.0, 2.0])
    value = Value([Line("m", np.float64(0.5)), Entry("gap", table, offset=-2, scale=np.float32(-3))], 7, 360, 1)
    assert value.sent() == {
        "terms": [
            {"variable": "m", "rate": 0.5},
            {"variable": "gap", "table": "swell", "offset": -2, "scale": -3.0},
        ],
        "start": 7.0,
        "modulus": 360,
        "decimals": 1,
    }


def test_a_track_is_cut_at_its_places() -> None:
    sent = Track("beam", "transform", "rotate({} 3 {})", [Value([]), Value([], 2.0)]).sent()
    assert sent["template"] == ["rotate(", " 3 ", ")"]
    assert [value["start"] for value in sent["values"]] == [0.0, 2.0]
    assert (sent["part"], sent["attribute"]) == ("beam", "transform")
    assert Track("word", "text", "sea", []).sent()["template"] == ["sea"]


@pytest.mark.parametrize(("template", "values"), [("rotate({} {})", 1), ("still", 1), ("{}", 0), ("{}{}", 3)])
def test_a_template_has_a_place_for_every_value(template: str, values: int) -> None:
    with pytest.raises(ValueError, match=f"{template.count('{}')} places for {values} values"):
        Track("beam", "transform", template, [Value([])] * values).sent()


def test_a_plots_track_names_its_point() -> None:
    track = PlotTrack("map", 2, "y", 5, Value([Line("m", 2)]))
    place = {name: track.sent()[name] for name in ("plot", "trace", "attribute", "point")}
    assert place == {"plot": "map", "trace": 2, "attribute": "y", "point": 5}
    assert track.sent()["values"] == [track.value.sent()]
    assert track.values == [track.value]


def test_a_sentence_takes_its_values_in_the_order_of_its_places() -> None:
    here, there = Value([], 1.0), Value([], 2.0)
    track = sentence("said", "from [[there]] to [[here:.2f]] and back to [[there]]", here=here, there=there)
    assert (track.part, track.attribute, track.template) == ("said", "text", "from {} to {} and back to {}")
    assert list(track.values) == [there, here, there]
    assert track.sent()["template"] == ["from ", " to ", " and back to ", ""]


def test_a_sentence_misses_no_value() -> None:
    with pytest.raises(KeyError, match="there"):
        sentence("said", "from [[there]]", here=Value([]))


# ---------------------------------------------------------------- scenes


def test_a_scene_is_filled_with_words_and_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = words.Words("en", "home")
    monkeypatch.setattr(texts, "_words", {"wave": "<b>high & low</b>"})
    file = tmp_path / "sea.svg"
    file.write_text("<text>[[wave]]</text><text>[[height:.1f]]</text><text>[[name]]</text>", encoding="utf-8")
    drawn = scene(str(file), texts, height=-2.04, name="<i>")
    assert drawn == ("<text>&lt;b&gt;high &amp; low&lt;/b&gt;</text><text>−2.0</text><text>&lt;i&gt;</text>")
    with pytest.raises(KeyError, match="height"):
        scene(str(file), texts, name="")


# ---------------------------------------------------------------- controls, panels, the whole picture


def test_a_control_says_where_it_stands() -> None:
    sent = Control(PLACE, "place", "where it is", leap=5, moves=("a", "b")).sent({"sea_place": 4})
    wanted = {"name": "sea_place", "value": 4, "low": 0, "high": 10, "step": 1, "default": 3, "leap": 5}
    assert sent | wanted | {"moves": ["a", "b"]} == sent
    assert Control(PLACE, "", "").sent({})["value"] == 3


def test_a_control_beside_the_link_has_no_default_to_leave_out() -> None:
    assert Control(PLACE, "", "", in_link=False).sent({})["default"] is None


def test_a_panel_is_a_drawing_a_formula_or_a_plot() -> None:
    drawing = Panel("sea", "<svg/>", description="waves").sent()
    assert (drawing["kind"], drawing["markup"], drawing["description"]) == ("drawing", "<svg/>", "waves")
    assert Panel("sum", "<p/>", kind="formula").sent()["kind"] == "formula"
    plot = Panel("map", go.Figure(go.Scatter(x=[1], y=np.array([2.0])))).sent()
    assert plot["kind"] == "plot"
    assert json.loads(plot["figure"])["data"][0]["x"] == [1]


def picture() -> Picture:
    """A small picture with two tables, one of them used twice."""
    swell, names = Table("swell", np.arange(3.0)), Table("names", ["a", "b"])
    both = Value([Entry("sea_place", swell), Entry("gap", swell, scale=-1)])
    return Picture(
        panels=[Panel("sea", "<svg/>"), Panel("map", go.Figure(go.Scatter(x=[0], y=[0])))],
        controls=[Control(PLACE, "place", "where it is", stops=[0, 5, 10], span=(2, 4), pace=1.5, asks=True)],
        tracks=[
            Track("wave", "y", "{}", [both]),
            Track("name", "text", "{}", [Value([Entry("sea_place", names)])]),
            PlotTrack("map", 0, "x", 0, Value([Entry("sea_place", swell)])),
        ],
        differences={"gap": ("sea_place", "sea_other")},
        drags=[Drag("wave", "sea_place")],
        autoplay="sea_place",
    )


def test_a_picture_carries_each_table_once_and_can_travel() -> None:
    sent = json.loads(json.dumps(picture().sent({"sea_place": np.int64(5).item()}), allow_nan=False))
    assert set(sent["tables"]) == {"swell", "names"}
    used = {term["table"] for track in sent["tracks"] for value in track["values"] for term in value["terms"]}
    assert used == set(sent["tables"])
    assert sent["differences"] == {"gap": ["sea_place", "sea_other"]}
    assert sent["drags"] == [{"part": "wave", "control": "sea_place"}]
    assert (sent["controls"][0]["value"], sent["autoplay"]) == (5, "sea_place")


def test_the_words_of_the_stage_are_there_in_every_language() -> None:
    for language in words.languages():
        labels = stage._labels(words.Words(language, "home"))
        assert all(labels.values())
        assert "{}" in labels["back"]
        assert "{}" in labels["forth"]
