"""The model lab: true tables of real models, code that builds them, and a plain sentence for whatever is brought."""

import base64
import contextlib
import csv
import io
import json
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.kit import lab_facts, lab_layers, lab_picture, lab_take_away, lab_typed, lab_upload, words
from pages.kit.lab_choice import Chosen
from pages.kit.lab_models import models
from pages.kit.lab_plots import lengths_around
from pages.kit.lab_table import LayerTable
from pages.kit.lab_typed import INNER, OUTER, Field
from pages.kit.lab_upload import UploadError
from rope_core.config import RopeSpec, read_config
from rope_core.keys import RopeConfigError
from tests.rope_core.models import MODELS, is_transformers, key_of
from tests.story import FRAME

TEXTS = words.Words("en", "lab")
ROWS = {model["repo"]: model for model in MODELS}
LLAMA, PHI, GEMMA = "meta-llama/Llama-3.1-8B-Instruct", "microsoft/Phi-3-mini-128k-instruct", "google/gemma-4-31B-it"
EVIL = "<img src=x onerror=planted()>**planted** :red[planted] $planted$ [planted](http://planted.example) `planted`"
REFUSED = ["mistralai/Mistral-Large-3-675B-Instruct-2512", "xai-org/grok-2"]


def chosen(config: dict[str, Any], kind: str | None = None, name: str = "") -> Chosen:
    """A model as the lab holds it; its first kind of layers unless another is asked for."""
    specs = read_config(config)
    return Chosen(name, specs, kind or next(iter(specs)))


def spec(name: str, kind: str = "all") -> RopeSpec:
    return read_config(ROWS[name]["config"])[kind]


def tables() -> dict[str, LayerTable]:
    """Every table of every model in the data that can be read, on both sides of the length where it changes."""
    made = {}
    for name in ROWS.keys() - REFUSED:
        for kind, one in read_config(ROWS[name]["config"]).items():
            at = LayerTable(one).threshold
            for length in [None] if at is None else [at, at + 1, 3 * at]:
                if one.scaling is not None:
                    made[f"{name} {kind} {length}"] = LayerTable(one, length)
    return made


def opened(query: str = "") -> AppTest:
    """The lab as it stands after opening it by a link."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        app.query_params[name] = value
    app.switch_page("workshop/lab.py").run()
    assert not app.exception
    return app


def picture(app: AppTest) -> dict[str, Any]:
    """What the page's stage was sent."""
    (stage,) = app.get("bidi_component")
    return json.loads(stage.proto.json)[0]


def waves(app: AppTest) -> list[float]:
    """The wavelengths that the ring around the pair in hand passes, one for each pair."""
    return np.frombuffer(base64.b64decode(picture(app)["tables"]["waves"]["data"]), "<f4").tolist()


def shown_facts(app: AppTest) -> list[list[str]]:
    """The rows of the facts, without the heads."""
    (table,) = [text.value for text in app.markdown if text.value.startswith(f"| {TEXTS('fact')}")]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


# ---------------------------------------------------------------- the models that are known by name


def test_the_models_are_those_of_the_data_and_read_the_same() -> None:
    assert set(models()) == set(ROWS)
    assert list(models()) == sorted(models(), key=str.lower)
    for name, model in models().items():
        assert model.revision == (ROWS[name]["revision"] or "not pinned")
        assert model.is_variation == ("@" in name)
        if name in REFUSED:
            with pytest.raises(RopeConfigError):
                read_config(model.config)
        else:
            assert read_config(model.config) == read_config(ROWS[name]["config"])


def test_every_model_of_the_list_shows_its_tables() -> None:
    app = opened()
    assert list(app.selectbox(key="lab_model").options) == list(models())
    for name in set(models()) - set(REFUSED):
        app.selectbox(key="lab_model").set_value(name).run()
        for row in (row for row in ROWS[name]["tables"] if is_transformers(row)):
            if row["seq_len"] is None:
                expect_table(app, name, row)


def expect_table(app: AppTest, name: str, row: dict[str, Any]) -> None:
    kind = key_of(row, ROWS[name]["tables"])
    if any(box.key == "lab_layers" for box in app.selectbox):
        app.selectbox(key="lab_layers").set_value(kind).run()
    assert not app.exception, (name, kind)
    facts = dict(shown_facts(app))
    assert facts[TEXTS("fact_type")] == f"`{row['rope_type']}`", (name, kind)
    if row["rope_type"] == "none":
        assert "waves" not in picture(app)["tables"]
        return
    turning = [2 * math.pi / rate for rate in row["inv_freq"] if rate]
    assert waves(app)[: len(turning)] == pytest.approx(turning, rel=1e-6), (name, kind)
    assert len(waves(app)) == len(row["inv_freq"])
    assert float(facts[TEXTS("fact_attention")]) == pytest.approx(row["attention_factor"], rel=1e-5)
    assert facts[TEXTS("fact_scores")] == f"× {row['attention_factor'] ** 2:.5g}"


@pytest.mark.parametrize("name", REFUSED)
def test_a_model_that_cannot_be_read_says_why(name: str) -> None:
    app = opened(f"lab_model={name}")
    assert ["model_type" in text.value for text in app.text] == [True]
    assert not app.get("bidi_component")


# ---------------------------------------------------------------- what scaling does

LLAMA_32_1B = {
    "model_type": "llama",
    "head_dim": 64,
    "max_position_embeddings": 131072,
    "rope_parameters": {
        "rope_type": "llama3",
        "rope_theta": 5e5,
        "factor": 32.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
}
# Of gpt-oss YaRN's edges are 8.09 and 17.40 among 32 pairs: 0 to 8 are kept, 18 to 31 divided.
WAYS = {
    "Llama 3.1": (spec(LLAMA), {"kept": 29, "blended": 6, "divided": 29}),
    "Llama 3.2": (read_config(LLAMA_32_1B)["all"], {"kept": 15, "blended": 3, "divided": 14}),
    "gpt-oss": (spec("openai/gpt-oss-120b"), {"kept": 9, "blended": 9, "divided": 14}),
    "Gemma 3": (spec("google/gemma-3-4b-it", "full_attention"), {"divided": 128}),
    "Gemma 4": (spec(GEMMA, "full_attention"), {"kept": 64, "still": 192}),
    "Qwen 3": (spec("Qwen/Qwen3-8B"), {"kept": 64}),
}


@pytest.mark.parametrize("name", WAYS)
def test_pairs_are_kept_blended_or_divided(name: str) -> None:
    one, counts = WAYS[name]
    table = LayerTable(one)
    assert {way: table.count(way) for way in lab_facts.WAYS if table.count(way)} == counts
    told = lab_facts.facts(table, TEXTS)["ways"]
    if table.is_scaled:
        assert told == ", ".join(TEXTS(f"count_{way}", count=count) for way, count in counts.items())
    else:
        assert told == (TEXTS("count_still", count=192) if "still" in counts else TEXTS("unscaled"))


def test_pairs_that_never_finish_a_turn_are_counted_before_scaling_and_after() -> None:
    facts = lab_facts.facts(LayerTable(spec(LLAMA)), TEXTS)
    slow = [2 * math.pi * 5e5 ** (2 * i / 128) for i in range(64)]
    assert facts["never_trained"] == str(sum(wave > 8192 for wave in slow)) == "29"
    assert facts["never_served"] == str(sum(8 * wave > 131072 for wave in slow)) == "25"
    assert (facts["trained"], facts["served"]) == ("8,192", "131,072")
    assert facts["waves"] == "6.283 to 20,473,565"


@pytest.mark.parametrize(
    ("name", "factor", "on_scores", "softmax"),
    [
        ("openai/gpt-oss-120b", "1.34657", "× 1.8133", None),
        ("deepseek-ai/DeepSeek-R1", "1", "× 1", "× 1.8739"),
        ("deepseek-ai/DeepSeek-V2-Lite-Chat", "1", "× 1", "× 1.5896"),
        (PHI, "1.19024", "× 1.4167", None),
    ],
)
def test_the_attention_factor_and_what_it_does_to_scores(
    name: str, factor: str, on_scores: str, softmax: str | None
) -> None:
    facts = lab_facts.facts(LayerTable(spec(name)), TEXTS)
    assert (facts["attention"], facts["scores"], facts.get("softmax")) == (factor, on_scores, softmax)


def test_a_length_in_training_that_the_file_does_not_tell_is_not_made_up() -> None:
    facts = lab_facts.facts(LayerTable(spec("google/gemma-3-4b-it", "full_attention")), TEXTS)
    assert (facts["trained"], facts["never_trained"], facts["served"]) == ("not told", "not told", "131,072")


# ---------------------------------------------------------------- by length


@pytest.mark.parametrize(("length", "row"), [("4096", 0), ("4097", 1), ("1000000", 1)])
def test_a_table_that_follows_the_length_changes_beyond_its_threshold(length: str, row: int) -> None:
    app = opened(f"lab_model={PHI}&lab_length={length}")
    wanted = ROWS[PHI]["tables"][row]["inv_freq"]
    assert waves(app) == pytest.approx([2 * math.pi / rate for rate in wanted], rel=1e-6)
    assert app.number_input(key="lab_length").value == min(int(length), 8 * 4096)


@pytest.mark.parametrize("name", [PHI, "m42-health/med42-70b@dynamic2", "openbmb/MiniCPM-2B-128k"])
def test_both_sides_of_the_threshold_are_drawn(name: str) -> None:
    app = opened(f"lab_model={name}")
    at = LayerTable(spec(name)).threshold
    (figure,) = [json.loads(p["figure"]) for p in picture(app)["panels"] if p["name"] == "by_length"]
    for trace in figure["data"]:
        lengths, divided = trace["x"], np.array(trace["y"])
        here = lengths.index(at)
        assert lengths[here + 1] == at + 1
        assert set(divided[: here + 1]) == {divided[0]}
        assert (divided[here + 1 :] > divided[0]).all()
    assert {at, at + 1} <= set(lengths_around(at))


def test_another_model_begins_at_its_own_threshold() -> None:
    app = opened(f"lab_model={PHI}&lab_length=9000")
    app.selectbox(key="lab_model").set_value("openbmb/MiniCPM-2B-128k").run()
    assert app.number_input(key="lab_length").value == 65_536
    app.selectbox(key="lab_model").set_value("m42-health/med42-70b@dynamic2").run()
    assert app.number_input(key="lab_length").value == 2_048


def test_the_length_is_asked_for_only_where_it_changes_something() -> None:
    inputs = {box.key for box in opened(f"lab_model={LLAMA}").number_input}
    assert inputs == {"lab_pair"}
    beside = opened(f"lab_model={LLAMA}&lab_beside={PHI}&lab_length=5000")
    assert {box.key for box in beside.number_input} == {"lab_pair", "lab_length"}
    texts = [row[2] for row in shown_facts(beside) if row[0] == TEXTS("fact_waves")]
    assert texts == ["≠ **6.472 to 3,361,156**"]


# ---------------------------------------------------------------- the layers


def test_the_lanes_show_which_layers_rotate() -> None:
    smol = chosen(ROWS["HuggingFaceTB/SmolLM3-3B-Base"]["config"])
    (panel,) = lab_layers.panels(smol, None, TEXTS)
    lanes = re.findall(r'stage-layers-(\w+)" data-chosen="(\w+)".*?<path d="([^"]*z)"', panel.content)
    assert [(look, lit, bars.count("z")) for look, lit, bars in lanes] == [("turning", "yes", 27), ("still", "no", 9)]
    labels = [track.template for track in lab_layers.tracks(smol, None, TEXTS)]
    assert labels == ["rotary: 27 layers, default", "none: 9 layers, do not turn"]


# ---------------------------------------------------------------- two models


def test_differences_are_marked_and_only_they() -> None:
    app = opened(f"lab_model={LLAMA}&lab_beside=Qwen/Qwen3-8B")
    sides = [lab_facts.facts(LayerTable(spec(name)), TEXTS) for name in (LLAMA, "Qwen/Qwen3-8B")]
    rows = {row[0]: row[1:] for row in shown_facts(app)}
    for name in sides[0]:
        here, beside = (side.get(name, "–") for side in sides)
        wanted = [here, beside] if here == beside else [f"**{here}**", f"≠ **{beside}**"]
        assert rows[TEXTS(f"fact_{name}")] == wanted
    assert any("≠" in row[1] for row in rows.values())
    assert TEXTS("tables_differ", count=63, pairs=64, first=1) in [text.value for text in app.markdown]


def test_a_model_beside_itself_differs_in_nothing() -> None:
    app = opened(f"lab_model={LLAMA}&lab_beside={LLAMA}")
    assert not [row for row in shown_facts(app) if "≠" in row[2]]
    assert TEXTS("tables_equal", pairs=64) in [text.value for text in app.markdown]


# ---------------------------------------------------------------- to take home


def built(code: str) -> tuple[np.ndarray, float]:
    """What code ends with when it runs."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "copied", "exec"), names)
    assert printed.getvalue()
    return names["result"].numpy(), names["attention_factor"]


@pytest.mark.parametrize("way", ["with_torch", "with_transformers"])
def test_the_code_builds_the_table_of_every_model(way: str) -> None:
    for name, table in tables().items():
        code = getattr(lab_take_away, way)(table)
        inv_freq, attention_factor = built(code)
        assert inv_freq.dtype == np.float32
        assert inv_freq == pytest.approx(table.made[0], rel=5e-7, abs=0), name
        assert attention_factor == pytest.approx(table.made[1], abs=1e-12), name


@pytest.mark.parametrize("rope_type", ["default", "linear", "dynamic", "llama3"])
@pytest.mark.parametrize("way", ["with_torch", "with_transformers"])
def test_the_code_builds_odd_widths_too(way: str, rope_type: str) -> None:
    numbers = {"factor": 3.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0} if rope_type != "default" else {}
    inside = {"rope_type": rope_type, "rope_theta": 1e4, "partial_rotary_factor": 0.5, **numbers}
    one = read_config(
        {"model_type": "stablelm", "head_dim": 50, "max_position_embeddings": 8192, "rope_parameters": inside}
    )
    table = LayerTable(one["all"])
    assert one["all"].rotary_dim == 25
    assert built(getattr(lab_take_away, way)(table))[0] == pytest.approx(table.made[0], rel=5e-7, abs=0)


@pytest.mark.parametrize("path", sorted(lab_take_away.CODE.glob("*.py")), ids=lambda path: path.stem)
def test_the_code_runs_as_it_lies_there(path: Any) -> None:
    inv_freq, attention_factor = built(path.read_text(encoding="utf-8"))
    assert np.isfinite(inv_freq).all()
    assert attention_factor >= 1


def test_the_files_read_back_as_the_very_table() -> None:
    for name, table in tables().items():
        rows = list(csv.DictReader(io.StringIO(lab_take_away.as_csv(table))))
        assert [int(row["pair"]) for row in rows] == list(range(len(table.rates)))
        assert np.array_equal(np.float32([row["inv_freq"] for row in rows]), table.made[0]), name
        with np.errstate(divide="ignore"):
            wanted = 2 * np.pi / table.rates
        assert [float(row["wavelength"]) for row in rows] == wanted.tolist()
        one = Chosen(name, {"all": table.spec}, "all")
        data = json.loads(lab_take_away.as_json(table, one), parse_constant=pytest.fail)
        assert np.array_equal(np.float32(data["inv_freq"]), table.made[0]), name
        assert data["attention_factor"] == table.made[1]
        assert (data["model"], data["layer_type"], data["seq_len"]) == (name, "all", table.length)


def test_the_whole_table_is_listed_when_it_is_opened() -> None:
    listed = lab_facts.pairs_in_a_table(LayerTable(spec(LLAMA)), TEXTS).splitlines()[2:]
    wanted = ROWS[LLAMA]["tables"][0]["inv_freq"]
    rows = [line.strip("| ").split(" | ") for line in listed]
    assert [int(row[0]) for row in rows] == list(range(64))
    assert [float(row[1].replace(" × 10", "e").translate(RAISED)) for row in rows] == pytest.approx(wanted, rel=1e-8)


RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")

# ---------------------------------------------------------------- what a visitor brings


def paste(text: str) -> AppTest:
    """The lab after `text` was pasted as a config.json."""
    app = opened("lab_from=config.json")
    app.text_area(key="lab_text").set_value(text).run()
    assert not app.exception
    return app


def test_a_pasted_file_and_a_dropped_one_show_the_same_table() -> None:
    text = json.dumps(ROWS[LLAMA]["config"])
    pasted = paste(text)
    dropped = opened("lab_from=config.json")
    dropped.file_uploader(key="lab_file").set_value(("config.json", text.encode(), "application/json")).run()
    assert not dropped.exception
    known = opened(f"lab_model={LLAMA}")
    assert waves(pasted) == waves(dropped) == waves(known)
    assert TEXTS("link_holds_not") in [text.value for text in pasted.markdown]
    assert TEXTS("link_holds") in [text.value for text in known.markdown]


BAD = {
    "{": TEXTS("fault_json", line=1, column=2),
    '{"model_type":\n "llama",\n}': TEXTS("fault_json", line=3, column=1),
    " \n ": TEXTS("fault_empty"),
    "[]": TEXTS("fault_object"),
    "7": TEXTS("fault_object"),
    '{"model_type":\0}': TEXTS("fault_json", line=1, column=15),
    "[" * 10_000 + "]" * 10_000: TEXTS("fault_deep", deepest=64),
    '{"a":' * 10_000 + "1" + "}" * 10_000: TEXTS("fault_deep", deepest=64),
    '{"a":' + "1" * 5_000 + "}": TEXTS("fault_digits"),
    '{"name": "a package", "version": "1.0"}': "model_type is missing",
    '{"model_type": "llama", "rope_theta": NaN}': "rope_theta is nan",
    '{"model_type": "llama", "rope_theta": Infinity}': "rope_theta is inf",
    '{"model_type": "llama", "rope_theta": "10000"}': "rope_theta is '10000'",
    '{"model_type": "llama", "rope_theta": 0}': "rope_theta is 0",
    '{"model_type": "llama", "head_dim": -64}': "head_dim is -64",
    '{"model_type": "llama", "hidden_size": 1' + "0" * 30 + "}": "hidden_size is 1000",
    '{"model_type": "llama", "rope_parameters": {"rope_type": "banana"}}': "rope_type is 'banana'",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:30])
def test_a_bad_file_is_answered_with_one_plain_sentence(text: str) -> None:
    app = paste(text)
    (said,) = [element.value for element in app.text]
    assert said.startswith(BAD[text])
    assert said.endswith(".")
    assert "\n" not in said
    assert not app.get("bidi_component")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x" * 50 * 2**20, "fault_large"),
        (b"\x89PNG\r\n\x1a\n\0\0", "fault_bytes"),
        (b"", "fault_empty"),
        ('{"model_type": "llama"}'.encode("utf-16"), "fault_bytes"),
    ],
)
def test_a_file_of_another_kind_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(UploadError) as caught:
        lab_upload.parsed(data)
    assert caught.value.reason == reason
    assert lab_upload.sentence(caught.value, TEXTS)


def test_a_mark_of_the_byte_order_is_no_fault() -> None:
    assert lab_upload.parsed(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_is_brought_is_an_object_or_a_named_fault(data: bytes) -> None:
    try:
        found: object = lab_upload.parsed(data)
    except UploadError as error:
        found = lab_upload.sentence(error, TEXTS)
    assert isinstance(found, dict) or found


NESTED = st.recursive(st.text('[]{}"\\ x', max_size=6), lambda inner: st.lists(inner, max_size=3), max_leaves=20)


def levels(value: object) -> int:
    return 1 + max(map(levels, value), default=0) if isinstance(value, list) else 0


@given(value=NESTED)
def test_the_depth_is_that_of_the_brackets_outside_strings(value: object) -> None:
    assert lab_upload.depth(json.dumps(value).encode()) == levels(value)


EVIL_FILES = {
    "a model type": {"model_type": EVIL},
    "a rope type": {"model_type": "llama", "rope_scaling": {"rope_type": EVIL, "factor": 2}},
    "an unknown family": {"model_type": EVIL, "rope_theta": 5, "hidden_size": 64, "num_attention_heads": 1},
    "a key": {"model_type": "llama", f"rope_{EVIL}": 1, "rope_parameters": {EVIL: 1, "rope_theta": 1e4}},
    "a kind of layers": {
        "model_type": "llama",
        "num_hidden_layers": 3,
        "layer_types": [EVIL, "\ud800\u202e", "x" * 10_000],
        "rope_parameters": {
            EVIL: {"rope_type": "default", "rope_theta": 1e4},
            "\ud800\u202e": {"rope_type": "linear", "factor": 2},
            "x" * 10_000: None,
        },
    },
}


@pytest.mark.parametrize("name", EVIL_FILES)
def test_what_a_file_carries_is_only_ever_text(name: str) -> None:
    app = paste(json.dumps(EVIL_FILES[name]))
    marked_up = [element.value for kind in (app.markdown, app.caption, app.title, app.subheader) for element in kind]
    marked_up += [code.value for code in app.code]
    assert not [text for text in marked_up if "planted" in text]
    for sent in map(picture, [app] if app.get("bidi_component") else []):
        assert "planted" not in json.dumps([sent["panels"], sent["controls"], sent["tables"]])
        assert all(track["attribute"] == "text" for track in sent["tracks"] if "planted" in json.dumps(track))
    seen = [text.value for text in app.text] + [label for box in app.selectbox for label in box.options]
    assert any("planted" in text for text in seen)
    assert all(text.replace("\n", "").isprintable() and len(text) < 2_000 for text in seen)


JUNK = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.lists(st.integers(), max_size=3)
)
SIZES = st.sampled_from([1, 2, 3, 4, 7, 50, 64, 128, 1024, 65536, 10**12, 0, -1, 10**30])
NUMBERS = st.sampled_from([0.0, 1e-30, 1e-9, 0.1, 0.5, 1.0, 2.0, 8.0, 1e4, 1e9, 1e29, 1e30, -1.0, math.nan, math.inf])
INSIDE = st.fixed_dictionaries(
    {"rope_type": st.sampled_from(["default", "linear", "dynamic", "llama3", "yarn", "proportional"])},
    optional={field.key: NUMBERS | SIZES | JUNK for field in INNER},
)
FILES = st.fixed_dictionaries(
    {"model_type": st.sampled_from(["llama", "stablelm", "gemma3_text", "deepseek_v3", "smollm3", "new"])},
    optional={
        "head_dim": SIZES,
        "qk_rope_head_dim": SIZES,
        "hidden_size": SIZES,
        "num_hidden_layers": st.sampled_from([0, 1, 5, 40]),
        "max_position_embeddings": SIZES,
        "rope_parameters": INSIDE | st.dictionaries(st.sampled_from(["full_attention", "sliding_attention"]), INSIDE),
        "rope_theta": NUMBERS,
    },
)


@given(file=FILES, beside=FILES, length=st.integers(1, 2**40))
def test_any_file_gives_a_picture_or_a_sentence(file: dict[str, Any], beside: dict[str, Any], length: int) -> None:
    try:
        one, other = chosen(file), chosen(beside)
    except RopeConfigError as error:
        lab_upload.sentence(error, TEXTS)
        return
    quantities = lab_picture.quantities(one, other, TEXTS)
    sent = lab_picture.build(one, other, length, TEXTS).sent({q.name: q.default for q in quantities})
    assert "NaN" not in json.dumps(sent)
    assert "Infinity" not in json.dumps(sent)
    for table in (LayerTable(side.spec).at(length) for side in (one, other) if side.spec.scaling):
        assert lab_facts.facts(table, TEXTS)
        assert lab_take_away.as_csv(table)
        assert "\n" in lab_take_away.with_torch(table)
        json.loads(lab_take_away.as_json(table, one), parse_constant=pytest.fail)


# ---------------------------------------------------------------- what a visitor types


@pytest.mark.parametrize("rope_type", lab_typed.TYPES)
def test_typed_parameters_are_read_as_the_config_they_spell(rope_type: str) -> None:
    app = opened(f"lab_from=rope_parameters&lab_rope_type={rope_type}&lab_head_dim=64&lab_rope_theta=500000.0")
    inside = {"rope_type": rope_type, "rope_theta": 5e5, "partial_rotary_factor": 1.0}
    inside |= {"factor": 8.0} if rope_type != "default" else {}
    if rope_type in ("llama3", "yarn"):
        inside |= {"original_max_position_embeddings": 4096}
    if rope_type == "llama3":
        inside |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    file = {"model_type": "llama", "head_dim": 64, "max_position_embeddings": 32768, "rope_parameters": inside}
    table = LayerTable(read_config(file)["all"])
    assert waves(app) == pytest.approx(table.waves, rel=1e-6)
    assert dict(shown_facts(app))[TEXTS("fact_attention")] == f"{table.made[1]:.6g}"


def test_a_part_of_a_head_can_be_typed_in_both_layouts() -> None:
    for layout in lab_typed.FAMILIES:
        app = opened(f"lab_from=rope_parameters&lab_layout={layout}&lab_partial_rotary_factor=0.29&lab_head_dim=100")
        assert waves(app) == pytest.approx([2 * math.pi * 1e4 ** (2 * i / 28) for i in range(14)], rel=1e-6)
        assert dict(shown_facts(app))[TEXTS("fact_layout")] == f"`{layout}`"


FIELDS = {field.name: field for field in (*OUTER, *INNER)}


@pytest.mark.parametrize("rope_type", ["llama3", "yarn"])
@pytest.mark.parametrize(
    ("raw", "wanted"),
    [("banana", "default"), ("1e999", "default"), ("-5", "low"), ("1e300", "high"), ("nan", "default")],
)
def test_a_link_to_typed_parameters_out_of_range_takes_the_nearest_end(raw: str, wanted: str, rope_type: str) -> None:
    names = {box.key for box in opened(f"lab_from=rope_parameters&lab_rope_type={rope_type}").number_input} & set(
        FIELDS
    )
    app = opened(
        "&".join([f"lab_from=rope_parameters&lab_rope_type={rope_type}", *(f"{name}={raw}" for name in names)])
    )
    for name in names:
        assert app.number_input(key=name).value == getattr(FIELDS[name], wanted), name


@given(raw=st.text(max_size=20) | st.floats().map(str) | st.integers().map(str), field=st.sampled_from(list(FIELDS)))
def test_a_field_is_clean_whatever_is_typed(raw: str, field: str) -> None:
    one: Field = FIELDS[field]
    value = one.clean(raw)
    assert value is one.default or one.low <= value <= one.high
    assert value is None or one.clean(str(value)) == value


LINKS = [
    "lab_model=nobody/nothing",
    f"lab_model={EVIL}",
    f"lab_from={EVIL}",
    f"lab_model={GEMMA}&lab_layers={EVIL}&lab_beside={EVIL}&lab_pair=1e999&lab_length=banana",
    "lab_from=rope_parameters&lab_rope_type=longrope&lab_layout=x",
    "lab_pair=-7",
    "lab_pair=99999",
    f"lab_model={PHI}&lab_length=-1",
    f"lab_model={PHI}&lab_length=1e300",
]


@pytest.mark.parametrize("query", LINKS, ids=lambda query: query[:50])
def test_any_link_opens_the_lab(query: str) -> None:
    app = opened(query)
    assert "planted" not in json.dumps(picture(app))
    pairs = len(waves(app))
    assert 0 <= app.number_input(key="lab_pair").value < pairs


def test_a_link_reopens_the_view() -> None:
    app = opened(f"lab_model={GEMMA}&lab_layers=sliding_attention&lab_beside=google/gemma-3-4b-it&lab_pair=40")
    assert app.selectbox(key="lab_model").value == GEMMA
    assert app.selectbox(key="lab_layers").value == "sliding_attention"
    assert app.selectbox(key="lab_beside").value == "google/gemma-3-4b-it"
    assert app.number_input(key="lab_pair").value == 40
    assert len(waves(app)) == 128
