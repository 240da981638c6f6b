"""The door: its matrix by plain formulas, its towers from what was measured, its numbers from the models themselves."""

import base64
import json
import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from pages.kit import words
from pages.kit.position_tables import PositionTable, known
from pages.kit.towers import FILE
from rope_core import stack
from rope_core.demo import demo_pair
from rope_core.stack import DEPTH, HEADS, PLACES, WAYS, WIDTH, measured
from tests.reading import Number, Shown, Word, faults
from tests.story import FRAME, PAGES

Array = NDArray[np.float64]
LANGUAGES = list(words.languages())
M, N, D, B = 17, 12, 64, 10_000
SETTINGS = [  # m, b, d, pair
    (17, 10_000, 64, 0),
    (0, 10_000, 64, 31),
    (4096, 10_000, 256, 127),
    (4096, 10, 2, 0),
    (1000, 10_000_000, 8, 2),
    (95, 500, 34, 16),
    (96, 500, 32, 5),
]


@cache
def opened(query: str = "") -> AppTest:
    """The page as it stands after opening it by a link with `query`."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        app.query_params[name] = value
    app.switch_page(PAGES["door"]).run()
    assert not app.exception
    return app


def stages(query: str = "") -> list[dict[str, Any]]:
    """What the page's two stages were sent."""
    return [json.loads(sent.proto.json)[0] for sent in opened(query).get("bidi_component")]


def panel(sent: dict[str, Any], name: str) -> dict[str, Any]:
    """One panel of a stage."""
    (found,) = (panel for panel in sent["panels"] if panel["name"] == name)
    return found


def tracks(sent: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """The tracks of a stage, by part and attribute."""
    return {(track["part"], track["attribute"]): track for track in sent["tracks"] if track.get("part")}


def look_up(sent: dict[str, Any], name: str, key: int) -> Any:
    """The entry of a table as the browser reads it."""
    table = sent["tables"][name]
    if table["kind"] == "text":
        entries = table["data"]
    else:
        kind = {"i2": "<i2", "i4": "<i4", "f4": "<f4"}[table["kind"]]
        entries = (np.frombuffer(base64.b64decode(table["data"]), kind) * table["unit"]).tolist()
    return entries[min(max(key - table["first"], 0), len(entries) - 1)]


def reading(sent: dict[str, Any], value: dict[str, Any], at: dict[str, int]) -> Any:
    """What a value is where the controls stand at `at`."""
    total = value["start"]
    for term in value["terms"]:
        if "rate" in term:
            total += term["rate"] * at[term["variable"]]
            continue
        entry = look_up(sent, term["table"], at[term["variable"]] + term["offset"])
        if isinstance(entry, str):
            return entry
        total += term["scale"] * entry
    return total % value["modulus"] if value["modulus"] else total


# ---------------------------------------------------------------- the matrix


@pytest.mark.parametrize(("m", "b", "d", "pair"), SETTINGS)
def test_the_colours_of_every_block_are_its_cosine_and_sine(m: int, b: int, d: int, pair: int) -> None:
    sent = stages(f"m={m}&b={b}&d={d}&pair={pair}")[0]
    of_part = tracks(sent)
    assert sum(part.startswith("block") and attribute == "style" for part, attribute in of_part) == d // 2
    for i, part in [*((i, f"block{i}") for i in range(d // 2)), (pair, "lens")]:
        track = of_part[part, "style"]
        assert "".join(track["template"]) == "--cos-up:%;--cos-down:%;--sin-up:%;--sin-down:%"
        angle = m * b ** (-2 * i / d)
        cos, sin = 100 * math.cos(angle), 100 * math.sin(angle)
        shown = [reading(sent, value, {"m": m}) for value in track["values"]]
        assert shown == pytest.approx([max(cos, 0), max(-cos, 0), max(sin, 0), max(-sin, 0)], abs=0.501)


@pytest.mark.parametrize(("m", "b", "d", "pair"), SETTINGS)
def test_the_numbers_of_the_block_in_hand(m: int, b: int, d: int, pair: int) -> None:
    sent = stages(f"m={m}&b={b}&d={d}&pair={pair}")[0]
    rate = b ** (-2 * pair / d)
    cos, sin = math.cos(m * rate), math.sin(m * rate)
    x, y = demo_pair(d)[0].tolist()[2 * pair : 2 * pair + 2]
    expected = {"cos": cos, "sin": sin, "minus_sin": -sin, "x0": x, "x1": y, "y0": x * cos - y * sin}
    expected |= {"y1": x * sin + y * cos, "rate": rate, "pair": pair, "d": d, "numbers": d * d, "filled": 2 * d}
    expected |= {"m": m, "angle": m * rate, "degrees": math.degrees(m * rate) % 360}
    of_part = tracks(sent)
    for name, number in expected.items():
        (value,) = of_part[f"number-{name}", "text"]["values"]
        away = reading(sent, value, {"m": m}) - number
        turn = 360 if name == "degrees" else math.inf
        assert min(abs(away), turn - abs(away)) <= 0.501 * 10 ** -value["decimals"], name


@pytest.mark.parametrize(("m", "b", "d", "pair"), SETTINGS)
def test_query_and_key_pass_the_door_and_are_turned(m: int, b: int, d: int, pair: int) -> None:
    sent = stages(f"m={m}&b={b}&d={d}&pair={pair}")[0]
    of_part, degrees = tracks(sent), math.degrees(m * b ** (-2 * pair / d))
    assert reading(sent, of_part["wings", "transform"]["values"][0], {"m": m}) == pytest.approx(degrees)
    arc = reading(sent, of_part["turned", "stroke-dasharray"]["values"][0], {"m": m})
    assert (arc - degrees + 180) % 360 == pytest.approx(180)
    for role, vector in zip(("query", "key"), demo_pair(d), strict=True):
        x, y = vector.tolist()[2 * pair : 2 * pair + 2]
        start = math.degrees(math.atan2(y, x))
        for when, turn in (("before", 0.0), ("after", degrees)):
            shown = reading(sent, of_part[f"{role}-{when}", "transform"]["values"][0], {"m": m})
            assert shown == pytest.approx(start + turn)
    assert not [part for part, _ in of_part if "value" in part or "parcel" in part]


@pytest.mark.parametrize("d", [2, 4, 8, 32, 34, 64, 256])
def test_the_matrix_has_a_block_for_every_pair_on_the_diagonal(d: int) -> None:
    sent = stages(f"d={d}&pair=0")[0]
    markup = panel(sent, "matrix")["markup"]
    placed = re.findall(
        r'data-part="block(\d+)" data-pick="pair (\d+)" transform="translate\((\S+) (\S+)\) scale\((\S+)\)"', markup
    )
    assert [(int(i), int(j)) for i, j, *_ in placed] == [(i, i) for i in range(d // 2)]
    cell = 240 / d
    for i, _, x, y, scale in placed:
        assert (float(x), float(y)) == pytest.approx((2 * int(i) * cell,) * 2, abs=1e-3)
        assert float(scale) == pytest.approx(cell, abs=1e-4)
    frame = tracks(sent)["frame", "transform"]["values"]
    assert [reading(sent, value, {"pair": d // 2 - 1}) for value in frame] == pytest.approx([240 - 2 * cell] * 2)


# ---------------------------------------------------------------- the counter


def learned_places(table: PositionTable) -> list[tuple[int, ...]]:
    """The shapes of all parameters for places in the model that transformers builds from its default config."""
    config = getattr(transformers, table.config)()
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(config)
    names = re.compile(r"position|wpe|rotary")
    return [tuple(weights.shape) for name, weights in model.named_parameters() if names.search(name)]


@pytest.mark.parametrize("table", known(), ids=lambda table: table.model)
def test_the_tables_are_those_of_the_models(table: PositionTable) -> None:
    assert learned_places(table) == ([(table.rows, table.width)] if table.learned else [])


@pytest.mark.parametrize(
    ("config", "checkpoint", "model"),
    [
        ("LlamaConfig", "meta-llama/Llama-2-7b-hf", "Llama 2 7B"),
        ("BertConfig", "google-bert/bert-base-uncased", "BERT base"),
        ("GPT2Config", "openai-community/gpt2", "GPT-2"),
        ("GPTNeoConfig", "EleutherAI/gpt-neo-1.3B", "GPT-Neo 1.3B"),
    ],
)
def test_the_default_configs_are_the_named_models(config: str, checkpoint: str, model: str) -> None:
    assert checkpoint in getattr(transformers, config).__doc__
    assert [table.model for table in known() if table.config == config] == [model]


@pytest.mark.parametrize("m", [0, 511, 512, 1023, 1024, 2047, 2048, 4096])
def test_the_counter_says_who_has_a_row(m: int) -> None:
    sent, said = stages()[0], words.Words("en", "door")
    of_part = tracks(sent)
    for number, table in enumerate(known()):
        shown = reading(sent, of_part[f"row{number}", "text"]["values"][0], {"m": m})
        there = "counter_there" if m < table.rows else "counter_none"
        assert shown == said(there if table.learned else "counter_turned")
        assert f"<b>{table.rows * table.width:,}</b>" in panel(sent, "counter")["markup"]


# ---------------------------------------------------------------- the towers


@cache
def kept() -> Array:
    """What was measured: `(shared, way, share, seed, layer)`."""
    return np.load(FILE).astype(np.float64)


def test_what_was_measured_is_all_there() -> None:
    assert kept().shape == (2, 2, 4, 100, DEPTH)
    assert np.isfinite(kept()).all()
    assert (kept()[:, WAYS.index("turned"), 0] == 1).all()


@pytest.mark.parametrize("seed", [0, 41, 99])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_what_was_measured_is_found_again(seed: int, shared: bool, way: stack.Way) -> None:
    again = np.array(measured(seed, way, shared, depth=2))
    assert kept()[int(shared), WAYS.index(way), :, seed, :2] == pytest.approx(again, rel=1e-3, abs=1e-4)


def mean(share: str, way: stack.Way, shared: bool = False) -> Array:
    """The mean over all seeds, layer by layer."""
    return kept()[int(shared), WAYS.index(way), ["gap", "total", "mixed", "place"].index(share)].mean(axis=0)


@pytest.mark.parametrize("shared", [False, True])
def test_the_towers_are_lit_as_far_as_was_measured(shared: bool) -> None:
    sent = stages(f"door_projections={int(shared)}")[1]
    markup = panel(sent, "towers")["markup"]
    for way in WAYS:
        lit = [float(width) for width in re.findall(rf'class="stage-lit-{way}" y="3" width="([\d.]+)"', markup)]
        assert lit == pytest.approx(150 * mean("gap", way, shared), abs=0.006)
    marks = [float(at) for at in re.findall(r'class="stage-yardstick" d="M([\d.]+) ', markup)]
    assert marks == pytest.approx(150 * mean("total", "added", shared), abs=0.006)


@pytest.mark.parametrize("shared", [False, True])
def test_numbers_and_plots_of_the_layers_are_what_was_measured(shared: bool) -> None:
    sent = stages(f"door_projections={int(shared)}")[1]
    for way in WAYS:
        for share in ("gap", "mixed"):
            shown = [look_up(sent, f"{way}_{share}", layer) for layer in range(1, DEPTH + 1)]
            assert shown == pytest.approx(mean(share, way, shared), abs=1e-5)
    for share in ("total", "place"):
        shown = [look_up(sent, f"added_{share}", layer) for layer in range(1, DEPTH + 1)]
        assert shown == pytest.approx(mean(share, "added", shared), abs=1e-5)
    for plot, share, last in (
        ("same-words", "gap", mean("total", "added", shared)),
        ("fresh-words", "mixed", [2 / 33] * DEPTH),
    ):
        lines = json.loads(panel(sent, plot)["figure"])["data"]
        expected = (mean(share, "turned", shared), mean(share, "added", shared), last)
        for line, numbers in zip(lines[:3], expected, strict=True):
            assert line["x"] == [*range(1, DEPTH + 1)]
            assert line["y"] == pytest.approx(numbers, abs=0.51e-4)


# What the page says of them in words, with the waver of the means in mind: two standard errors of a difference.


def lead(shared: bool, layer: int) -> tuple[float, float]:
    """How much more the gap explains of an added address than the yardstick, and the standard error."""
    gap, total = kept()[int(shared), WAYS.index("added"), :2, :, layer]
    return float((gap - total).mean()), float((gap - total).std() / 10)


def test_with_a_projection_each_the_gap_never_leads_the_yardstick() -> None:
    for layer in range(DEPTH):
        ahead, error = lead(False, layer)
        assert ahead < 2 * error, layer


def test_with_one_projection_it_leads_at_first_and_no_more_at_the_last() -> None:
    ahead, error = lead(True, 0)
    assert ahead > 4 * error
    ahead, error = lead(True, DEPTH - 1)
    assert abs(ahead) < 2 * error


def test_the_places_do_not_fade_out_of_the_scores() -> None:
    for shared in (False, True):
        assert (mean("place", "added", shared)[1:] > 0.9 * mean("place", "added", shared)[0]).all()


def test_with_fresh_words_the_gap_explains_little_either_way() -> None:
    assert max(mean("mixed", way, shared).max() for way in WAYS for shared in (False, True)) < 0.15


# ---------------------------------------------------------------- the prose


def turned(x: list[float], place: int, pairs: list[tuple[int, int]]) -> list[float]:
    """`x` turned at `place`, its entries paired as given."""
    result = list(x)
    for i, (a, b) in enumerate(pairs):
        angle = place * B ** (-2 * i / D)
        result[a] = x[a] * math.cos(angle) - x[b] * math.sin(angle)
        result[b] = x[a] * math.sin(angle) + x[b] * math.cos(angle)
    return result


def dot(x: list[float], y: list[float]) -> float:
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


def prose() -> dict[str, Shown]:
    """The numbers of the prose."""
    q, k = (vector.tolist() for vector in demo_pair(D))
    neighbours, halves = [(2 * i, 2 * i + 1) for i in range(32)], [(i, i + 32) for i in range(32)]
    moved_q, moved_k = ([x[a] for a, _ in neighbours] + [x[b] for _, b in neighbours] for x in (q, k))

    def score(m: int, n: int) -> float:
        return dot(turned(q, m, neighbours), turned(k, n, neighbours))

    scores = {
        "right": score(M, N),
        "permuted": dot(turned(moved_q, M, halves), turned(moved_k, N, halves)),
        "not_permuted": dot(turned(q, M, halves), turned(k, N, halves)),
        "twice": dot(turned(q, M, neighbours), turned(turned(k, N, neighbours), N, neighbours)),
        "afresh": score(0, N),
    }
    scores |= {f"mixed_{s}": dot(turned(q, M + s, neighbours), turned(k, N + s, halves)) for s in range(3)}
    whole = {"m": M, "n": N, "twice_n": 24, "twice_gap": 7, "further": 100, "depth": 24, "seeds": 100}
    whole |= {"head_dim": 96, "rotary_dim": 24}
    part = {"part_right": B ** (-22 / 24), "part_wrong": B ** (-22 / 96)}
    shares: dict[str, Shown] = {}
    for start, shared in (("", False), ("shared_", True)):
        for name in ("gap", "total"):
            first, *_, last = mean(name, "added", shared)
            shares |= {f"{start}{name}_first": Number(first, 2), f"{start}{name}_last": Number(last, 2)}
    errors = kept()[:, :, :3].std(axis=3) / 10
    return (
        {name: Number(value, 4) for name, value in scores.items()}
        | {name: Number(value, 0) for name, value in whole.items()}
        | {name: Number(value, 5) for name, value in part.items()}
        | {"value": Number(dot(k, turned(k, 100, neighbours)), 2), "chance": Number(2 / 33, 3)}
        | {"wavers": Number(float(errors.max()), 2)}
        | shares
    )


def wrong(template: str, text: str, expected: dict[str, Shown]) -> list[str]:
    """What is wrong with the numbers in `text`, role colours aside."""
    plain = (re.sub(r":\w+\[([^\[\]]+)\]", r"\1", written).strip() for written in (template, text))
    return faults(*plain, expected)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", ["why", "mistake", "measured", "slips"])
def test_the_numbers_of_the_prose_are_true(key: str, language: str) -> None:
    template, expected = words.load(language, "door")[key], prose()
    assert any(not wrong(template, text.value, expected) for text in opened(f"lang={language}").markdown)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_numbers_of_the_answers_are_true(language: str) -> None:
    said = words.Words(language, "door")
    ends = {"first": 0, "last": -1}
    expected: dict[str, Shown] = {
        f"{name}_{end}": Word(f"{mean(name, 'added')[at]:.0%}") for name in ("gap", "place") for end, at in ends.items()
    }
    expected["depth"] = Number(24, 0)
    answers = {f"predict_{answer}": f"predict_{answer}_reply" for answer in "abc"} | {"predict_show": "predict_answer"}
    for answer, reply in answers.items():
        app = opened.__wrapped__(f"lang={language}")
        app.pills[0].set_value(said.raw(answer)).run()
        assert any(not wrong(said.raw(reply), text.value, expected) for text in app.markdown)


def test_two_layouts_give_one_score_and_a_mixture_gives_many() -> None:
    score = {name: number.value for name, number in prose().items() if isinstance(number, Number)}
    assert score["right"] == pytest.approx(score["permuted"], abs=1e-12)
    others = [score[name] for name in ("right", "not_permuted", "mixed_0", "mixed_1", "mixed_2")]
    assert min(abs(a - b) for i, a in enumerate(others) for b in others[:i]) > 0.005


def test_the_set_up_is_what_the_prose_says() -> None:
    assert (WIDTH, HEADS, WIDTH // HEADS, DEPTH, PLACES, PLACES**2, 2 * PLACES - 1) == (64, 4, 16, 24, 32, 1024, 63)
    assert stack.random_layers(1, 0)[0].up.shape == (64, 256)
    assert 2 / (PLACES + 1) == 2 / 33
    assert N - M == -5


def test_gpt_neox_turns_a_quarter_of_a_head() -> None:
    config = transformers.GPTNeoXConfig()
    assert "EleutherAI/gpt-neox-20b" in transformers.GPTNeoXConfig.__doc__
    head_dim = config.hidden_size // config.num_attention_heads
    assert (head_dim, head_dim * config.rope_parameters["partial_rotary_factor"]) == (96, 24)
    with torch.device("meta"):
        shallow = transformers.GPTNeoXModel(transformers.GPTNeoXConfig(num_hidden_layers=1))
    assert shallow.rotary_emb.inv_freq.shape == (12,)


def test_bfloat16_tells_769_of_4096_places_apart() -> None:
    places = torch.arange(4096).to(torch.bfloat16)
    assert len(places.unique()) == 769
    assert places[257] == 256
