"""The bench of precision: any link opens it, its numbers are torch's, a measurement that fails is a sentence."""

import contextlib
import io
import json
import os
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from assets.measured import precision as script
from pages.kit import precision_data, precision_line, words, worker
from pages.kit.chapter import CODE
from pages.kit.precision_data import FORMATS, GAP, SHIFT
from pages.kit.words import readable
from pages.kit.worker_lanes import Lane, Limits
from rope_core import precision as core
from rope_core.frequencies import inverse_frequencies
from tests.story import FRAME

TEXTS = words.Words("en", "precision")
PATIENCE = 60.0
EVIL = "<script>planted()</script>[[planted]]$planted$"
# What a link says -> the shift and the gap that come of it.
LINKS = {
    "": (4096, -5),
    "precision_shift=256": (256, -5),
    "precision_shift=260": (257, -5),
    "precision_shift=15962": (15_962, -5),
    "precision_shift=0": (1, -5),
    "precision_shift=-7": (1, -5),
    "precision_shift=1e12": (2**20, -5),
    "precision_shift=65000": (65_536, -5),
    "precision_shift=banana": (4096, -5),
    "precision_shift=": (4096, -5),
    "precision_shift=nan": (4096, -5),
    "precision_shift=inf": (4096, -5),
    "precision_shift=" + "9" * 5000: (2**20, -5),
    f"precision_shift={EVIL}&precision_gap={EVIL}&{EVIL}=1": (4096, -5),
    "precision_gap=banana": (4096, -5),
    "precision_gap=": (4096, -5),
    "precision_gap=nan": (4096, -5),
    "precision_gap=-inf": (4096, -5),
    "precision_gap=1e999": (4096, -5),
    "precision_gap=-5.0": (4096, -5),
    "precision_gap=0": (4096, 0),
    "precision_gap=12.9": (4096, 12),
    "precision_gap=-1e6": (4096, -256),
    "precision_gap=999&precision_shift=300": (287, 256),
}


def opened(query: str = "") -> AppTest:
    """The bench as it stands after opening it by a link."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        app.query_params[name] = value
    app.switch_page("workshop/precision.py").run()
    assert not app.exception
    return app


def until(app: AppTest, condition: Callable[[], bool]) -> None:
    """Run the page until something is so, as the browser does while a job runs."""
    for _ in range(int(PATIENCE / 0.05)):
        if condition():
            return
        job = app.session_state[precision_data.JOB][1]
        job.wait(0.05)
        app.run()
        assert not app.exception
    pytest.fail("it never came to be")


def picture(app: AppTest) -> dict[str, Any]:
    """What the page's stage was sent."""
    (stage,) = app.get("bidi_component")
    return json.loads(stage.proto.json)[0]


def panel(app: AppTest, name: str) -> dict[str, Any]:
    (found,) = [panel for panel in picture(app)["panels"] if panel["name"] == name]
    return found


def curves(app: AppTest, way: str) -> dict[str, Any]:
    """The curves of a plot by their names."""
    return {trace["name"]: trace for trace in json.loads(panel(app, way)["figure"])["data"]}


def shown_gap(app: AppTest) -> int:
    title = json.loads(panel(app, "own")["figure"])["layout"]["title"]["text"]
    return int(title.rsplit(" ", 1)[1].replace("−", "-"))


def rows(app: AppTest) -> dict[str, list[str]]:
    """The table of the place in hand."""
    markup = panel(app, "numbers")["markup"]
    found = re.findall(r'<th scope="row">(\w+)</th>((?:<td>[^<]*</td>)+)', markup)
    return {name: re.findall(r"<td>([^<]*)</td>", cells) for name, cells in found}


# ---------------------------------------------------------------- what was measured


def test_the_file_is_what_the_script_measures() -> None:
    found = script.measured()
    with np.load(script.FILE) as stored:
        assert set(stored) == set(found)
        for name in ("shifts", "line", "read", "counts", "distinct", "collision"):
            assert np.array_equal(stored[name], found[name]), name
        # cosines differ in their last digit from one kind of processor to another
        same = pytest.approx(found["errors"], rel=0.1, abs=1e-16, nan_ok=True)
        assert stored["errors"] == same
        assert float(stored["typical"]) == pytest.approx(float(found["typical"]), rel=1e-9)


def test_the_page_and_the_core_name_formats_and_ways_in_one_order() -> None:
    assert tuple(core.DTYPES) == FORMATS
    assert (core.ANGLES[precision_data.OWN], core.ANGLES[precision_data.FLOAT32]) == ("own", "float32")
    assert (GAP.default, precision_data.FILE) == (script.GAP, script.FILE)
    assert set(script.NAMED) <= set(precision_data.positions().shifts.tolist())


# ---------------------------------------------------------------- any link


@pytest.mark.parametrize("query", LINKS, ids=lambda query: query[:40])
def test_any_link_opens_the_bench(query: str) -> None:
    app = opened(query)
    shift, gap = LINKS[query]
    controls = {control["name"]: control["value"] for control in picture(app)["controls"]}
    assert controls == {"precision_shift": shift, "precision_gap": gap}
    assert app.number_input(key="precision_gap").value == gap
    until(app, lambda: shown_gap(app) == gap) if gap != GAP.default else None
    assert "planted" not in json.dumps(picture(app))


def test_the_slider_offers_what_was_measured_and_the_link_takes_nothing_else() -> None:
    (control,) = [control for control in picture(opened())["controls"] if control["name"] == "precision_shift"]
    assert control["stops"] == precision_data.positions().shifts.tolist()
    assert [SHIFT.clean(stop) for stop in control["stops"]] == control["stops"]
    assert {2**power for power in range(21)} <= set(control["stops"])


# ---------------------------------------------------------------- the picture


@pytest.mark.parametrize(("way", "angles"), [("own", "own"), ("float32", "float32")])
def test_the_curves_are_the_errors(way: str, angles: str) -> None:
    drawn = curves(opened(), way)
    for name in FORMATS:
        shifts = drawn[name]["x"]
        wanted = core.score_errors(-5, shifts, name, angles)
        found = np.array([np.nan if error is None else error for error in drawn[name]["y"]])
        assert found == pytest.approx(wanted, rel=0.1, abs=1e-16, nan_ok=True), name
    assert drawn[TEXTS("line_typical")]["y"] == pytest.approx([core.typical_score(-5)] * 2)


def test_fault_and_cure_share_one_range_that_holds_every_curve() -> None:
    app = opened()
    figures = [json.loads(panel(app, way)["figure"]) for way in ("own", "float32")]
    assert [figure["layout"]["yaxis"]["type"] for figure in figures] == ["log", "log"]
    low, high = figures[0]["layout"]["yaxis"]["range"]
    assert figures[1]["layout"]["yaxis"]["range"] == [low, high]
    assert figures[1]["layout"]["xaxis"]["range"] == figures[0]["layout"]["xaxis"]["range"]
    for figure in figures:
        errors = [error for trace in figure["data"] for error in trace["y"] if error is not None]
        assert 10**low < min(errors) < max(errors) < 10**high


def test_float16_ends_where_its_positions_end_and_only_there() -> None:
    app = opened()
    shifts, errors = curves(app, "own")["float16"]["x"], curves(app, "own")["float16"]["y"]
    held = [shift for shift, error in zip(shifts, errors, strict=True) if error is not None]
    assert held == [shift for shift in shifts if shift + 5 < 65_520]
    assert curves(app, "own")[TEXTS("mark_end")]["x"] == [max(held)]
    assert TEXTS("mark_end") not in curves(app, "float32")
    assert None not in curves(app, "float32")["float16"]["y"]
    assert f"{65_504:,}" in TEXTS("numbers_note", typical=0)
    assert torch.finfo(torch.float16).max == 65_504


@pytest.mark.parametrize("shift", [1, 256, 4096, 15_962, 2**20])
def test_the_place_in_hand_in_numbers(shift: int) -> None:
    found = rows(opened(f"precision_shift={shift}"))
    assert list(found) == list(FORMATS)
    for name, (gap, own, wide) in found.items():
        query, key = core.as_read([shift + 5, shift], name)
        held = np.isfinite([query, key]).all()
        assert gap == (readable(key - query, ",.0f") if held else "–")
        for text, angles in ((own, "own"), (wide, "float32")):
            error = float(core.score_errors(-5, [shift], name, angles)[0])
            if np.isnan(error):
                assert text == "–"
            else:
                mantissa, _, power = text.partition(" × 10")
                shown = float(mantissa) * 10.0 ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)
                assert shown == pytest.approx(error, rel=0.15)


def bricks(markup: str) -> list[list[tuple[float, bool]]]:
    """Of each lane its bricks: how wide in positions, and whether one position stands alone in it."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for alone, top, wide in re.findall(r'data-alone="(\w+)" x="[\d.]+" y="([\d.]+)" width="([\d.]+)"', markup):
        found.setdefault(top, []).append((round((float(wide) + 2) * 16 / precision_line.WIDTH, 1), alone == "yes"))
    return list(found.values())


@pytest.mark.parametrize("shift", [1, 256, 257, 4096, 15_962, 65_536, 2**20])
def test_bricks_are_the_positions_that_are_one_number(shift: int) -> None:
    app = opened(f"precision_shift={shift}")
    lanes = bricks(panel(app, "line")["markup"])
    for name, lane in zip(precision_line.LANES, lanes, strict=True):
        read = [float(torch.tensor(shift + step).to(core.DTYPES[name])) for step in range(16)]
        runs = [read.count(number) for number in dict.fromkeys(read)]
        assert [wide for wide, _ in lane] == runs, name
        assert [alone for _, alone in lane] == [
            run == 1 and bool(np.isfinite(number)) for run, number in zip(runs, dict.fromkeys(read), strict=True)
        ]


def test_257_stands_in_one_brick_with_256() -> None:
    bfloat16 = bricks(panel(opened("precision_shift=256"), "line")["markup"])[2]
    assert bfloat16[0] == (2, False)


@pytest.mark.parametrize(("gap", "wanted"), [(-5, "query at 4,101"), (5, "key at 4,101"), (200, "key further on")])
def test_query_and_key_stand_over_their_positions(gap: int, wanted: str) -> None:
    assert wanted in precision_line.drawing(4096, gap, TEXTS)


# ---------------------------------------------------------------- tables, prose, code


def test_the_tables_of_positions() -> None:
    distinct, collision = (
        [line.strip("| ").split(" | ") for line in text.value.splitlines()[2:]]
        for text in opened().markdown
        if text.value.startswith(f"| {TEXTS('column_format')}")
    )
    counts = (1024, 4096, 65_536, 2**20)
    assert distinct == [[name, *(f"{core.distinct(count, name):,}" for count in counts)] for name in FORMATS]
    assert collision == [[name, f"{core.first_collision(name):,}"] for name in FORMATS]


def test_the_numbers_in_the_prose_are_true() -> None:
    why = TEXTS("why")
    digits = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
    assert all(core.first_collision(name) == 2**count for name, count in digits.items())
    assert re.findall(r"(\w+) has (\d+)", why.replace(" binary ones", "")) == [
        (name, str(count)) for name, count in digits.items()
    ]
    assert core.as_read([257, 15_962], "bfloat16").tolist() == [256, 15_936]
    assert "257 becomes 256, and 15,962 becomes 15,936" in why
    assert round(32 / (2 * np.pi)) == 5
    between = torch.linspace(-1, 1, 100_001, dtype=torch.float64)
    assert f"{float((between.bfloat16().double() - between).abs().max()):.3f}" == "0.002"
    assert f"{core.score_errors(-5, [2**20], 'float32', 'float32')[0]:.3f}" == "0.003"
    rates = torch.from_numpy(inverse_frequencies(core.HEAD_DIM))
    assert f"{float(1000 * (rates.bfloat16().double() - rates).abs().max()):.1f}" == "1.2"
    assert "at a gap of 1,000, one pair is 1.2 radians off" in why
    assert f"over {core.HEADS} draws of q and k with {core.HEAD_DIM} entries" in TEXTS("numbers_note", typical=0)


def test_rounded_frequencies_still_keep_to_the_gap() -> None:
    rates = torch.from_numpy(inverse_frequencies(core.HEAD_DIM)).bfloat16().float()
    cos, sin = (table.double() for table in core.cos_sin([0, 5, 4096, 4101], rates))
    turned = torch.complex(cos, sin)
    assert torch.allclose(turned[1] / turned[0], turned[3] / turned[2], atol=1e-3)


def test_the_code_runs_when_pasted_and_shows_fault_and_cure() -> None:
    path = CODE / "precision" / "angles.py"
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        own, wide = runpy.run_path(str(path), run_name="__main__")["result"]
    assert "[4096.0, 4096.0]" in printed.getvalue()
    assert own > 1
    assert wide < 0.002
    assert [code.value.strip() for code in opened().code] == [path.read_text(encoding="utf-8").strip()]


# ---------------------------------------------------------------- the worker


@pytest.fixture
def nothing_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane of the test's own, and only the first gap measured."""
    monkeypatch.setattr(worker, "LANES", {"bench": Lane(Limits(processes=1, places=1, seconds=PATIENCE, idle=1))})
    first = precision_data.of_default()
    monkeypatch.setattr(precision_data, "_measured", lambda found={GAP.default: first}: found)


def waiting(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown if text.value.startswith(TEXTS("measuring", gap=9, shown=-5))]


def test_another_gap_is_measured_by_the_worker_while_the_picture_stays(nothing_measured: None) -> None:
    app = opened("precision_gap=9")
    assert len(waiting(app)) == 1
    assert shown_gap(app) == -5
    until(app, lambda: shown_gap(app) == 9)
    assert waiting(app) == []
    drawn = curves(app, "own")["bfloat16"]
    assert drawn["y"] == pytest.approx(core.score_errors(9, drawn["x"], "bfloat16", "own").tolist(), rel=0.1)
    assert "key at 4,105" in panel(app, "line")["markup"]


def test_a_crashed_worker_is_a_sentence_and_can_be_tried_again(
    nothing_measured: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = worker.start
    monkeypatch.setattr(worker, "start", lambda *_: start("bench", "tests.pages.jobs:leave"))
    app = opened("precision_gap=9")
    until(app, lambda: bool(app.button))
    texts = words.Words("en", "kit")
    assert [text.endswith(texts("worker_crashed")) for text in waiting(app)] == [True]
    assert shown_gap(app) == -5
    monkeypatch.setattr(worker, "start", start)
    app.button[0].click().run()
    until(app, lambda: shown_gap(app) == 9)
    assert not app.button


def test_a_full_queue_is_a_sentence(nothing_measured: None, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    ahead = []
    for state in ("running", "waiting"):
        ahead.append(worker.start("bench", "tests.pages.jobs:hold", str(tmp_path / "gate")))
        while ahead[-1].state != state:
            assert not ahead[-1].wait(0.01)
    app = opened("precision_gap=9")
    assert [text.endswith(words.Words("en", "kit")("worker_full")) for text in waiting(app)] == [True]
    for job in ahead:
        job.stop()


def test_a_place_in_the_queue_is_told(nothing_measured: None, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    ahead = worker.start("bench", "tests.pages.jobs:hold", str(tmp_path / "gate"))
    while ahead.state != "running":
        assert not ahead.wait(0.01)
    app = opened("precision_gap=9")
    assert [text.endswith(words.Words("en", "kit")("worker_waiting", place=1)) for text in waiting(app)] == [True]
    ahead.stop()
    until(app, lambda: shown_gap(app) == 9)


def test_another_wish_takes_the_place_of_the_first(nothing_measured: None) -> None:
    app = opened("precision_gap=9")
    first = app.session_state[precision_data.JOB][1]
    app.number_input(key="precision_gap").set_value(10).run()
    assert first.is_over
    until(app, lambda: shown_gap(app) == 10)


def test_leaving_the_page_stops_the_work_and_coming_back_begins_it_anew(nothing_measured: None) -> None:
    app = opened("precision_gap=9")
    job = app.session_state[precision_data.JOB][1]
    app.switch_page("workshop/lab.py").run()
    assert job.is_over
    app.switch_page("workshop/precision.py").run()
    until(app, lambda: shown_gap(app) == 9)
