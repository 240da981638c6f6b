"""The doctor's bench: samples are named rightly, any link opens it, whatever is brought is an answer or a sentence."""

import io
import json
import os
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from assets.samples import samples as script
from pages.kit import doctor_case, doctor_files, doctor_picture, doctor_samples, doctor_words, words, worker
from pages.kit.chapter import CODE
from pages.kit.doctor_case import Asked, Seen, examined
from pages.kit.worker_lanes import Lane, Limits
from rope_core.config import read_config
from rope_core.diagnosis import CONVENTION, SENTENCES
from rope_core.frequencies import inverse_frequencies
from rope_core.rotation import rotate
from tests.story import FRAME

TEXTS = words.Words("en", "doctor")
PATIENCE = 60.0
EVIL = "<img src=x onerror=planted()>**planted** :red[planted] $planted$ [[planted]] `planted`"
NO_MISTAKE = ("right", "interleaved_part", "first_position_only", "other_tokens")
LINKS = ["doctor_sample=banana", f"doctor_sample={EVIL}&doctor_from={EVIL}", "doctor_pair=1e999", "doctor_pair=banana"]
LINKS += ["doctor_pair=-4", "doctor_pair=99999", "doctor_pair=nan", "doctor_sample=", f"{EVIL}=1&lang=xx"]


@pytest.fixture(autouse=True)
def lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes of the test's own."""
    monkeypatch.setattr(worker, "LANES", {"bench": Lane(Limits(processes=1, places=3, seconds=PATIENCE, idle=1))})


def opened(query: str = "") -> AppTest:
    """The bench as it stands after opening it by a link."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        app.query_params[name] = value
    app.switch_page("workshop/doctor.py").run()
    assert not app.exception
    return app


def bring(*files: tuple[str, bytes], config: Any = None, app: AppTest | None = None) -> AppTest:
    """The bench once these files are dropped in and examined."""
    app = app or opened("doctor_from=files")
    if config is not None:
        data = config if isinstance(config, bytes) else json.dumps(config).encode()
        app.file_uploader(key="doctor_config").set_value(("config.json", data, "application/json"))
    app.file_uploader(key="doctor_files").set_value([(*file, "application/octet-stream") for file in files]).run()
    return settled(app)


def settled(app: AppTest) -> AppTest:
    """Run the page until the worker has answered, as the browser does."""
    for _ in range(int(PATIENCE / 0.05)):
        assert not app.exception
        job = app.session_state[doctor_files.JOB][1] if doctor_files.JOB in app.session_state else None
        if job is None or job.state == "failed":
            return app
        job.wait(0.05)
        app.run()
    pytest.fail("the worker never answered")


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def picture(app: AppTest) -> dict[str, Any]:
    (stage,) = app.get("bidi_component")
    return json.loads(stage.proto.json)[0]


def figure(app: AppTest, name: str) -> dict[str, Any]:
    (found,) = [json.loads(panel["figure"]) for panel in picture(app)["panels"] if panel["name"] == name]
    return found


def verdict(app: AppTest) -> str:
    return app.subheader[0].value if app.subheader else ""


def shown_fields(app: AppTest) -> list[list[str]]:
    (table,) = [text.value for text in app.markdown if text.value.startswith(f"| {TEXTS('column_field')}")]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def said(app: AppTest) -> list[str]:
    return [text.value for text in app.text]


X = np.random.default_rng(3).standard_normal((2, 12, 16))
Y = rotate(X, np.arange(12), inverse_frequencies(16), "half")


# ---------------------------------------------------------------- the samples


def test_the_files_are_what_the_script_makes() -> None:
    assert doctor_samples.names()[0] == "right"
    assert set(doctor_samples.names()) == {make.__name__ for make in script.MADE}
    for name in doctor_samples.names():
        wanted = script.made(name)
        with np.load(doctor_samples.FOLDER / f"{name}.npz") as file:
            assert set(file) == set(wanted)
            # cosines differ in their last digit from one kind of processor to another
            assert all(np.allclose(file[key], array, rtol=0, atol=1e-5) for key, array in wanted.items())
    stored = {path.stem: json.loads(path.read_text("utf-8")) for path in doctor_samples.FOLDER.glob("*.json")}
    assert stored == script.KNOWN


@pytest.mark.parametrize("name", doctor_samples.names())
def test_every_sample_is_named_for_what_it_is(name: str) -> None:
    app = opened(f"doctor_sample={name}")
    found = doctor_samples.seen(name).diagnosis
    assert list(found.faults) == ([] if name in NO_MISTAKE else [name])
    assert app.selectbox(key="doctor_sample").value == name
    assert TEXTS(f"sample_{name}") in [text.value for text in app.markdown]
    if found.faults:
        assert TEXTS(f"mistake_{name}") in verdict(app)
        assert any(TEXTS(f"cure_{name}") in text.value for text in app.markdown)
    rows = shown_fields(app)
    assert [row[0] for row in rows] == [TEXTS(f"field_{field}") for field in CONVENTION]
    for field, row in zip(CONVENTION, rows, strict=True):
        how = "open" if getattr(found, field) is None else "sure" if field in found.sure else "plainest"
        assert row[2] == TEXTS(f"how_{how}")


def test_the_verdict_on_the_right_one_is_its_convention() -> None:
    app = opened()
    assert verdict(app) == "A rotation with layout `half`, base 500,000, all 64 entries turning, from position 0 on."
    marks = figure(app, "angle")["data"][1]
    assert marks["y"] == pytest.approx(marks["x"], abs=1e-5)  # pair 0 turns by a radian a place


def test_a_part_of_a_head_and_a_late_start_are_told() -> None:
    told = "layout `interleaved`, base 10,000, 16 of 64 entries turning, from position 100 on"
    assert verdict(opened("doctor_sample=interleaved_part")) == f"A rotation with {told}."


def test_where_nothing_can_be_told_the_page_says_so() -> None:
    app = opened("doctor_sample=first_position_only")
    assert verdict(app) == TEXTS("verdict_nothing_turned")
    assert {row[2] for row in shown_fields(app)} == {TEXTS("how_open")}
    assert TEXTS("cannot_tell_note") in [text.value for text in app.markdown]


def test_where_nothing_fits_the_page_says_so_and_draws_no_line() -> None:
    app = opened("doctor_sample=other_tokens")
    assert verdict(app).startswith(TEXTS.raw("verdict_nothing_fits").partition(":")[0])
    assert TEXTS("nothing_fits_note") in [text.value for text in app.markdown]
    assert TEXTS("line_reading") not in [trace["name"] for trace in figure(app, "angle")["data"]]


def test_restarted_places_do_not_fit_and_are_marked_so() -> None:
    app = opened("doctor_sample=decode_restarted&doctor_pair=2")
    line, fits, fails = figure(app, "angle")["data"]
    assert [trace["name"] for trace in (fits, fails)] == [TEXTS("mark_fits"), TEXTS("mark_fails")]
    assert fits["x"] == list(range(24))
    assert fails["x"] == list(range(24, 32))
    assert line["y"][1] / line["x"][1] == pytest.approx(10_000 ** (-2 * 2 / 64), rel=1e-5)
    assert TEXTS("cell_fails") in [trace["name"] for trace in figure(app, "map")["data"]]


def test_what_the_config_states_stands_beside_what_was_found() -> None:
    rows = {row[0]: row[1:] for row in shown_fields(opened("doctor_sample=one_table_for_all_layers"))}
    assert rows[TEXTS("field_base")] == ["10,000", TEXTS("how_sure"), "≠ **1,000,000**"]
    assert rows[TEXTS("field_layout")] == ["`half`", TEXTS("how_sure"), "`half`"]


# ---------------------------------------------------------------- words and links


def test_the_page_has_a_sentence_for_every_remark_with_the_same_numbers() -> None:
    for key, sentence in SENTENCES.items():
        if key in doctor_words.TOLD_ELSEWHERE:
            continue
        told = set(re.findall(r"\[\[(\w+)", TEXTS.raw(f"remark_{key}")))
        assert told <= set(re.findall(r"\{(\w+)", sentence)), key


@pytest.mark.parametrize("query", LINKS, ids=lambda query: query[:30])
def test_any_link_opens_the_bench(query: str) -> None:
    app = opened(query)
    assert app.selectbox(key="doctor_sample").value == "right"
    assert 0 <= app.number_input(key="doctor_pair").value < 32
    assert "planted" not in json.dumps(picture(app))


def test_a_link_reopens_the_view() -> None:
    app = opened("doctor_sample=rotated_twice&doctor_pair=7")
    assert app.number_input(key="doctor_pair").value == 7
    assert figure(app, "angle")["layout"]["title"]["text"] == TEXTS("angle_title", pair=7)


# ---------------------------------------------------------------- files


def test_a_file_is_answered_as_the_core_answers_and_only_once() -> None:
    app = bring(("mine.npz", npz(before=X, after=Y, positions=np.arange(12))))
    assert verdict(app).startswith("A rotation with layout `half`, base 10,000, all 16 entries")
    assert len(app.session_state[doctor_files.KNOWN]) == 1
    app.number_input(key="doctor_pair").set_value(3).run()
    assert doctor_files.JOB not in app.session_state
    assert figure(app, "angle")["layout"]["title"]["text"] == TEXTS("angle_title", pair=3)


def test_two_files_with_unknown_names_are_the_visitors_to_tell() -> None:
    app = bring(("a.npz", npz(q=Y)), ("b.npz", npz(q=X)))
    assert verdict(app).endswith("turning backwards, from position 0 on.")
    app.selectbox(key="doctor_which").set_value(1).run()
    assert "backwards" not in verdict(settled(app))


def test_a_config_with_several_kinds_of_layers_asks_which() -> None:
    with np.load(doctor_samples.FOLDER / "one_table_for_all_layers.npz") as file:
        data = npz(**file)
    app = bring(("mine.npz", data), config=script.LAYERS)
    assert TEXTS("verdict_mistake", mistakes=TEXTS("mistake_one_table_for_all_layers")) != verdict(app)
    labels = app.selectbox(key="doctor_layers").options
    assert labels == [TEXTS("layers_open"), *read_config(script.LAYERS)]
    app.selectbox(key="doctor_layers").set_value(1 + labels[1:].index("full_attention")).run()
    app = settled(app)
    assert verdict(app) == TEXTS("verdict_mistake", mistakes=TEXTS("mistake_one_table_for_all_layers"))
    assert len(shown_fields(app)[0]) == 4


def test_head_counts_are_passed_on() -> None:
    with np.load(doctor_samples.FOLDER / "k_permuted_wrong_heads.npz") as file:
        app = bring(("mine.npz", npz(**file)))
    assert not doctor_words.mistakes(Seen(**last_reply(app)["seen"]).diagnosis, TEXTS)
    app.number_input(key="doctor_heads").set_value(8)
    app.number_input(key="doctor_kv_heads").set_value(2).run()
    assert TEXTS("mistake_k_permuted_wrong_heads") in verdict(settled(app))
    app.number_input(key="doctor_heads").set_value(7).run()
    assert said(settled(app)) == [TEXTS("fault_head_counts")]


def last_reply(app: AppTest) -> dict[str, Any]:
    return list(app.session_state[doctor_files.KNOWN].values())[-1]


BAD = {
    "broken.npz": (b"hello", "fault_no_zip"),
    "empty.npz": (b"", "fault_empty"),
    "cut.npz": (npz(before=X, after=Y)[:400], "fault_cut"),
    "model.pt": (b"PK\x03\x04", "fault_ending"),
    "x.safetensors": (b"\x02\0\0\0\0\0\0\0[]", "fault_header"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_answered_with_one_plain_sentence(name: str) -> None:
    data, reason = BAD[name]
    app = bring((name, data))
    (sentence,) = said(app)
    assert sentence.startswith(TEXTS.raw(reason).partition("[[")[0])
    assert not app.get("bidi_component")


def test_three_files_are_too_many() -> None:
    assert said(bring(*[("x.npz", npz(before=X, after=Y))] * 3)) == [TEXTS("fault_files", found=3)]


@pytest.mark.parametrize("config", [b"{", {"model_type": "llama", "rope_theta": "x"}, b""])
def test_a_bad_config_is_a_sentence_and_the_diagnosis_goes_on_without_it(config: Any) -> None:
    app = bring(("mine.npz", npz(before=X, after=Y)), config=config)
    assert len(said(app)) == 1
    assert verdict(app).startswith("A rotation with layout `half`, base 10,000")


def test_what_is_not_used_and_which_file_is_bad_is_said() -> None:
    app = bring(("mine.npz", npz(before=X, after=Y, more=X)))
    assert any("`more (mine.npz)`" in text.value for text in app.markdown)
    (sentence,) = said(bring(("a.npz", npz(before=X, after=Y)), ("b.npz", b"no zip")))
    assert sentence == f"b.npz: {TEXTS('fault_no_zip')}"


@pytest.mark.parametrize(
    ("stride", "way", "told"), [(2, "verdict_scaled", "2 times"), (1, "verdict_read", "base 10,000")]
)
def test_the_verdict_tells_of_a_table_turned_faster(stride: int, way: str, told: str) -> None:
    turned = rotate(X, stride * np.arange(12), inverse_frequencies(16), "half")
    said_of_it = doctor_words.verdict(examined(X, turned, None, Asked()), TEXTS)
    assert said_of_it.startswith(TEXTS.raw(way).partition("[[")[0])
    assert told in said_of_it


def test_a_config_with_layers_not_named_is_held_against_all_its_tables() -> None:
    asked = Asked(read_config(script.LAYERS))
    x = np.random.default_rng(8).standard_normal((2, 16, 32))
    for base, way in ((10_000.0, "verdict_table_of"), (500_000.0, "verdict_against")):
        seen = examined(x, rotate(x, np.arange(16), inverse_frequencies(32, base), "half"), None, asked)
        parts = f"layout `half`, base {base:,.0f}, all 32 entries turning, from position 0 on"
        assert doctor_words.verdict(seen, TEXTS) == TEXTS(way, parts=parts, found="`sliding_attention`")


def test_what_a_file_carries_is_only_ever_text() -> None:
    evil = EVIL.replace("/", " ")
    for app in (
        bring(("x.npz", npz(**{evil: X, "b": Y, "c": X}))),
        bring((f"{evil}.npz", npz(**{evil: X, "b": Y}))),
        bring((f"x.{evil}", b"x")),
        bring(("x.npz", npz(**{evil: X, "before": X, "after": Y}))),
        bring(("x.npz", npz(before=X, after=Y)), (f"{evil}.npz", b"no")),
        bring(("x.npz", npz(before=X, after=Y)), config=script.LAYERS | {"rope_parameters": evil_layers(evil)}),
    ):
        marked_up = [
            element.value for kind in (app.markdown, app.title, app.subheader, app.caption) for element in kind
        ]
        assert not [text for text in marked_up if "planted" in re.sub(r"`[^`]*`", "", text)]
        assert all("planted" not in json.dumps(picture(app)) for _ in app.get("bidi_component"))


def evil_layers(evil: str) -> dict[str, Any]:
    table = {"rope_type": "default", "rope_theta": 10_000.0}
    return {evil: table, "full_attention": {"rope_type": "default", "rope_theta": 77.0}}


def test_a_worker_that_dies_is_a_sentence_and_a_way_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    start = worker.start
    monkeypatch.setattr(worker, "start", lambda lane, _, *__: start(lane, "tests.pages.test_doctor:dies"))
    app = bring(("mine.npz", npz(before=X, after=Y)))
    assert any(TEXTS("worker_crashed") in text.value for text in app.markdown)
    monkeypatch.setattr(worker, "start", start)
    (retry,) = [button for button in app.button if button.label == TEXTS("worker_retry")]
    retry.click().run()
    assert verdict(settled(app)).startswith("A rotation with layout `half`")


def dies(report: Any) -> None:
    """What a worker process does in the test above."""
    os._exit(1)


# ---------------------------------------------------------------- the picture


def test_states_blocks_and_lines_are_those_of_the_diagnosis() -> None:
    x = np.random.default_rng(1).standard_normal((1, 300, 8))
    x[:, :, 2] = x[:, :, 6] = 0  # pair 2 of the layout half
    y = rotate(x, np.arange(300), inverse_frequencies(8), "half")
    seen = examined(x, y, None, Asked())
    assert seen.cells.shape == (4, doctor_case.PLACES)
    assert (seen.cells[2] == doctor_case.UNSEEN).all()
    assert (seen.cells[[0, 1, 3]] == doctor_case.FITS).all()
    assert seen.counts.tolist() == [[300, 300, 0, 300]] * 2
    assert seen.lines[0, [0, 1, 3]] == pytest.approx(inverse_frequencies(8)[[0, 1, 3]], rel=1e-9)
    assert doctor_picture.pair_in_words(seen, 2, TEXTS) == TEXTS("pair_unseen", pair=2)
    assert TEXTS("map_blocks") in (doctor_picture.build(seen, 2, TEXTS).panels[2].description or "")


def test_a_block_fails_where_anything_in_it_fails() -> None:
    states = np.array([[0, 2], [1, 2], [2, 0], [2, 2]], dtype=np.int8)
    assert doctor_case._blocks(states, np.array([0, 2]), np.array([0, 1])).tolist() == [[1, 2], [2, 0]]
    assert doctor_case._edges(300, 96).tolist() == sorted({int(i * 300 / 96) for i in range(96)})


def test_angles_that_follow_no_table_are_told_apart_from_no_rotation() -> None:
    rng = np.random.default_rng(5)
    x = rng.standard_normal((2, 16, 32))
    z = (x[..., :16] + 1j * x[..., 16:]) * np.exp(1j * rng.uniform(-3, 3, (16, 16)))
    seen = examined(x, np.concatenate([z.real, z.imag], -1), None, Asked())
    assert doctor_words.verdict(seen, TEXTS) == TEXTS("verdict_angles_unexplained", layout="`half`")
    assert doctor_words.note(seen) == "angles_unexplained_note"
    assert doctor_picture.pair_in_words(seen, 3, TEXTS) == TEXTS("pair_no_table", pair=3, seen=16)


@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 9), st.sampled_from([2, 4, 6, 10])),
    seed=st.integers(0, 99),
    size=st.sampled_from([0.0, 1.0, 1e-30, 1e30]),
    turns=st.booleans(),
)
def test_any_arrays_give_a_picture_and_words(shape: tuple[int, int, int], seed: int, size: float, turns: bool) -> None:
    rng = np.random.default_rng(seed)
    before = rng.standard_normal(shape) * size
    after = rotate(before, np.arange(shape[1]), inverse_frequencies(shape[2])) if turns else rng.standard_normal(shape)
    seen = examined(before, after, None, Asked())
    for pair in {0, seen.angles.shape[1] - 1}:
        sent = doctor_picture.build(seen, pair, TEXTS).sent({})
        assert "NaN" not in json.dumps(sent)
    assert doctor_words.verdict(seen, TEXTS).endswith(".")
    assert doctor_words.table(seen, None, TEXTS).count("\n") == len(CONVENTION) + 1
    assert all("[[" not in text for text in doctor_words.explanation(seen.diagnosis, TEXTS))


# ---------------------------------------------------------------- the code


def test_the_code_runs_as_it_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    found = runpy.run_path(str(CODE / "doctor" / "diagnose.py"))["found"]
    assert (found.layout, found.base, found.rotary_dim, found.faults) == ("half", 10_000, 64, ())
    assert found.explanation in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(CODE / "doctor" / "save.py"))
    for file in ("rotation.npz", "rotation.safetensors"):
        reply = doctor_case.run(lambda _: None, [(file, (tmp_path / file).read_bytes())], None, Asked())
        assert reply["seen"]["shape"] == (1, 4, 32, 64)
        assert reply["seen"]["is_given"]
