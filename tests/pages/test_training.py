"""The training bench: any link opens it, what it shows is what came out, and work is followed from start to end."""

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from assets.measured import training as script
from pages.kit import training_data, training_picture, training_settings, words, worker
from pages.kit.training_settings import NAMES
from rope_core import training as core
from rope_core.training_plan import KINDS, LIMITS, LOOKS, REACH, WAYS, Kind, Outcome, Plan, Progress
from tests.reading import Number, faults
from tests.story import FRAME

TEXTS, KIT = words.Words("en", "training"), words.Words("en", "kit")
EVIL = "<script>planted()</script>[[planted]]$planted$"
MAPS = [f"map-{kind}" for kind in training_picture.ORDER]
WHOLE = ["loss", "places", "lengths", *MAPS, "maps-note", "stretched", "ways"]
# What a link says -> the fields of the plan that come of it; what is not named is the default.
LINKS: dict[str, dict[str, Any]] = {
    "": {},
    "training_gap=7": {"gap": 7},
    "training_gap=7.9": {"gap": 7},
    "training_gap=0": {"gap": 1},
    "training_gap=-3": {"gap": 1},
    "training_gap=99": {"gap": 12},
    "training_gap=banana": {},
    "training_gap=": {},
    "training_gap=nan&training_steps=inf&training_seed=-inf": {},
    "training_length=1e999": {},
    "training_length=1e12&training_steps=1e12&training_seed=1e12&training_further=1e12": {
        "length": 48, "steps": 400, "seed": 999, "further": 400,
    },
    "training_length=0&training_steps=0&training_further=-1": {"length": 24, "steps": 20, "further": 0},
    "training_seed=" + "9" * 5000: {"seed": 999},
    "training_target=128&training_width=128": {"target": 128, "width": 128},
    "training_target=65&training_width=1e9": {},
    f"training_target={EVIL}&training_width={EVIL}&training_models={EVIL}&training_gap={EVIL}&{EVIL}=1": {},
    "training_models=RoPE": {"kinds": ("rope",)},
    "training_models=learned&training_models=RoPE": {"kinds": ("learned", "rope")},
    "training_models=rubbish": {},
}  # fmt: skip


def opened(query: str = "") -> AppTest:
    """The bench as it stands after opening it by a link."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        app.query_params[name] = [*app.query_params.get(name, []), value]
    app.switch_page("workshop/training.py").run()
    assert not app.exception
    return app


def picture(app: AppTest) -> dict[str, dict[str, Any]]:
    """The panels that the page's stage was sent, by name."""
    (stage,) = app.get("bidi_component")
    return {panel["name"]: panel for panel in json.loads(stage.proto.json)[0]["panels"]}


def figure(app: AppTest, name: str) -> dict[str, Any]:
    return dict(json.loads(picture(app)[name]["figure"]))


def lines(app: AppTest, name: str) -> dict[str, dict[str, Any]]:
    """The lines of a plot by name."""
    return {trace["name"]: trace for trace in figure(app, name)["data"]}


def texts(app: AppTest) -> list[str]:
    return [element.value for element in app.markdown]


def rows(app: AppTest, name: str) -> list[list[str]]:
    """A table of the picture, without its heads."""
    markup = picture(app)[name]["markup"]
    found = re.findall(r'<tr><th scope="row">([^<]*)</th>(.*?)</tr>', markup)
    return [[first, *re.findall(r"<td>([^<]*)</td>", cells)] for first, cells in found]


# ---------------------------------------------------------------- work that the test holds in its hand


@dataclass
class Work:
    """A job in any state."""

    plan: Plan
    state: str = "waiting"
    place: int = 1
    progress: list[Progress] = field(default_factory=list)
    result: Outcome | None = None
    fault: str | None = None

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed", "stopped")

    def stop(self) -> None:
        if not self.is_over:
            self.state, self.place = "stopped", 0


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Work]:
    """All work that the page begins; nothing of it runs."""
    made: list[Work] = []

    def start(lane: str, function: str, plan: Plan) -> Work:
        assert (lane, function) == ("training", "rope_core.training:run")
        made.append(Work(plan))
        return made[-1]

    monkeypatch.setattr(worker, "start", start)
    return made


def outcome(plan: Plan, seed: int = 0) -> Outcome:
    """An outcome that nobody trained, in the right shapes."""
    draw = np.random.default_rng(seed)
    kinds, ways = len(plan.kinds), len(WAYS) if "rope" in plan.kinds else 0
    shapes = {
        "loss": (kinds, plan.steps), "right": (kinds, REACH), "attention": (kinds, 2 * plan.length, 2 * plan.length),
        "stretched": (ways, LOOKS), "shifted": (ways,),
    }  # fmt: skip
    return Outcome(**{name: draw.random(shape, dtype=np.float32) for name, shape in shapes.items()})


def press(app: AppTest, label: str) -> None:
    (button,) = [button for button in app.button if button.label == label]
    button.click().run()
    assert not app.exception


def pressed(query: str = "") -> AppTest:
    app = opened(query)
    press(app, TEXTS("train"))
    return app


# ---------------------------------------------------------------- any link


@pytest.mark.parametrize("query", LINKS, ids=lambda query: query[:40])
def test_any_link_opens_the_bench_and_asks_for_what_is_possible(query: str, begun: list[Work]) -> None:
    app = pressed(query)
    assert begun[0].plan == Plan(**LINKS[query])
    assert "planted" not in json.dumps([*picture(app).values(), *texts(app)])


def test_the_inputs_end_where_the_limits_do() -> None:
    boxes = {box.key: (box.min, box.max) for box in opened().number_input}
    assert boxes == {f"training_{name}": ends for name, ends in LIMITS.items()}


def test_without_a_model_there_is_nothing_to_train(begun: list[Work]) -> None:
    app = opened()
    app.pills[0].set_value([]).run()
    assert not app.exception
    (button,) = app.button
    assert (button.label, button.disabled) == (TEXTS("train_none"), True)
    assert not begun


def test_every_kind_has_its_name_and_look() -> None:
    assert sorted(NAMES.values()) == sorted(KINDS) == sorted(training_picture.ORDER)
    looks = [training_picture.LOOK[kind] for kind in KINDS]
    assert len(set(looks)) == len(KINDS)
    assert len({dash for _, dash in training_picture.WAY_LOOK.values()}) == len(WAYS)
    assert script.FILE == training_data.FILE


# ---------------------------------------------------------------- what is shown at once


def test_the_results_of_the_default_plan_stand_at_once(begun: list[Work]) -> None:
    app = opened()
    assert list(picture(app)) == WHOLE
    assert TEXTS("shown_stored", **vars(Plan())) in texts(app)
    assert not begun
    found = training_data.of_default()
    for kind, line in zip(training_picture.ORDER, figure(app, "loss")["data"], strict=False):
        row = KINDS.index(kind)
        assert line["name"] == training_settings.name(kind)
        assert line["y"] == pytest.approx(found.loss[row].tolist(), abs=1e-5)
        assert line["x"] == list(range(1, 201))


def test_another_plan_is_asked_for_before_it_is_trained(begun: list[Work]) -> None:
    app = opened("training_gap=9")
    assert TEXTS("shown_stored", **vars(Plan())) + TEXTS("shown_other") in texts(app)
    assert not begun


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_the_table_counts_right_answers_by_length() -> None:
    found = training_data.of_default()
    right: dict[Kind, list[float]] = {kind: found.right[row].tolist() for row, kind in enumerate(KINDS)}
    for kind, cells in zip(training_picture.ORDER, rows(opened(), "lengths"), strict=True):
        under = [step for step, loss in enumerate(found.loss[KINDS.index(kind)], start=1) if loss < 0.01]
        shares = [f"{mean(right[kind][5:at]):.1%}" for at in (32, 64, 128, 256)]
        assert cells == [training_settings.name(kind), str(under[0]) if under else TEXTS("never"), *shares]


def test_right_answers_by_place_are_means_of_blocks() -> None:
    found, app = training_data.of_default(), opened()
    for kind in KINDS:
        line = lines(app, "places")[training_settings.name(kind)]
        right = found.right[KINDS.index(kind)].tolist()
        for middle, share in zip(line["x"], line["y"], strict=True):
            start = int(middle - 3.5)
            assert share == pytest.approx(mean(right[start : start + 8]), abs=1e-4)
        assert (line["x"][0], line["x"][-1]) == (8.5, 248.5)


def test_all_maps_share_one_range_and_tell_how_much_is_on_the_gap() -> None:
    found, app = training_data.of_default(), opened()
    for kind in KINDS:
        drawn, attention = figure(app, f"map-{kind}"), found.attention[KINDS.index(kind)]
        heat, stripe = drawn["data"]
        assert (heat["zmin"], heat["zmax"]) == (0, 1)
        packed = heat["z"]
        shown = np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]).reshape(64, 64)
        assert shown == pytest.approx(attention, abs=6e-4)
        on_gap = mean([float(attention[place, place - 5]) for place in range(5, 64)])
        assert drawn["layout"]["title"]["text"] == TEXTS("map_title", model=training_settings.name(kind), at_gap=on_gap)
        assert [below - at for at, below in zip(stripe["x"], stripe["y"], strict=True)] == [5, 5]


def test_stretching_is_told_as_it_came_out() -> None:
    found, app = training_data.of_default(), opened()
    wanted = [
        [TEXTS(f"way_{way}"), f"{looks[0]:.1%}", f"{shifted:.1%}", f"{looks[-1]:.1%}"]
        for way, looks, shifted in zip(WAYS, found.stretched, found.shifted, strict=True)
    ]
    assert rows(app, "ways") == wanted
    for way, looks in zip(WAYS, found.stretched, strict=True):
        line = lines(app, "stretched")[TEXTS(f"way_{way}")]
        assert line["x"] == [30 * look for look in range(LOOKS)]
        assert line["y"] == pytest.approx(looks.tolist(), abs=1e-4)


def test_the_numbers_of_the_prose_are_true() -> None:
    found, app = training_data.of_default(), opened()
    right, ways = dict(zip(KINDS, found.right, strict=True)), dict(zip(WAYS, found.stretched, strict=True))
    numbers = {"tokens": Number(16, 0), "target": Number(64, 0), "reach": Number(256, 0), "gap": Number(5, 0)}
    numbers |= {"factor": Number(2, 0), "shifted": Number(10, 0), "further": Number(300, 0)}
    for kind in ("rope", "learned", "sinusoidal"):
        step = int(np.flatnonzero(found.loss[KINDS.index(kind)] < 0.01)[0]) + 1
        numbers[f"{kind}_learned"] = Number(step, 0)
    percent = {
        "none_within": right["none"][5:32].mean(), "rope_far": right["rope"][5:].mean(),
        "linear_shifted": found.shifted[WAYS.index("linear")],
    }  # fmt: skip
    percent |= {f"{kind}_right": right[kind][5:64].mean() for kind in ("rope", "learned", "sinusoidal")}
    percent |= {f"{way}_at_once": ways[way][0] for way in WAYS} | {f"{way}_after": ways[way][-1] for way in WAYS}
    told = {name: f"{share:.0%}" for name, share in percent.items()}
    for key in ("lead", "out", "stretch", "made"):
        template = words.fill(TEXTS.raw(key), lambda name, spec: told.get(name, f"[[{name}{spec and ':'}{spec}]]"))
        start = template.partition("[[")[0].strip()
        (said,) = [text for text in texts(app) if text.strip().startswith(start)]
        assert faults(template.strip(), said.strip(), numbers) == [], key


def test_how_it_is_made_is_told_as_it_is() -> None:
    made, note = TEXTS.raw("made"), TEXTS.raw("maps_note")
    assert f"learning rate {core.RATE}," in made
    assert f"{core.TEXTS} fresh random texts a step" in made.replace("\n", " ")
    assert f"sees {core.TEXTS} fresh texts" in TEXTS("set_steps_help")
    assert f"Accuracy: {core.EXAMINED} texts" in made
    assert f"both heads and {core.PORTION} texts" in note
    assert core.HEADS == 2
    assert "first loss below 0.01" in TEXTS.raw("lengths_note")
    assert training_picture.LEARNED == 0.01


def test_what_the_prose_claims_came_out() -> None:
    found = training_data.of_default()
    within, beyond = (dict(zip(KINDS, found.right[:, part], strict=True)) for part in (slice(5, 32), slice(32, 64)))
    assert abs(found.learned_at()[KINDS.index("rope")] - found.learned_at()[KINDS.index("learned")]) < 20
    assert within["rope"].mean() == pytest.approx(within["learned"].mean(), abs=0.01)
    assert beyond["rope"].mean() > 0.9
    assert 2 / 16 < beyond["sinusoidal"].mean() < 0.5
    assert beyond["learned"].mean() < 2 / 16
    assert found.right_within(256)[KINDS.index("rope")] < 0.7
    assert found.stretched[WAYS.index("none"), 0] > 0.95


# ---------------------------------------------------------------- the work


def test_a_place_in_the_queue_is_told_and_can_be_given_up(begun: list[Work]) -> None:
    app = pressed()
    assert KIT("worker_waiting", place=1) in texts(app)
    assert [button.disabled for button in app.button if button.label == TEXTS("train")] == [True]
    press(app, TEXTS("stop"))
    assert begun[0].state == "stopped"
    assert TEXTS("stopped") in texts(app)
    assert list(picture(app)) == WHOLE
    assert [button.disabled for button in app.button] == [False]


def test_the_curve_grows_and_the_time_left_is_told(begun: list[Work]) -> None:
    app = pressed("training_models=RoPE&training_models=learned&training_steps=50")
    work = begun[0]
    work.state, work.place = "running", 0
    app.run()
    assert list(picture(app)) == ["loss"]
    assert lines(app, "loss")["RoPE"]["x"] == []
    for step in range(1, 4):
        work.progress.append(Progress((3.0 / step, 2.0 / step), step / 10, 1.5 * step))
        app.run()
        assert lines(app, "loss")["RoPE"]["y"] == pytest.approx([2.0 / s for s in range(1, step + 1)])
        assert lines(app, "loss")["learned"]["y"] == pytest.approx([3.0 / s for s in range(1, step + 1)])
    (bar,) = app.get("progress")
    assert bar.proto.value == 30
    assert bar.proto.text == f"{TEXTS('training', step=3, steps=50)} {TEXTS('left', seconds=4.5 * 0.7 / 0.3)}"
    work.progress.append(Progress((), 0.9, 9))
    app.run()
    assert app.get("progress")[0].proto.text.startswith(TEXTS("looking"))
    assert len(lines(app, "loss")["RoPE"]["x"]) == 3


def test_what_came_out_is_shown_and_stays(begun: list[Work]) -> None:
    app = pressed("training_models=RoPE&training_models=sinusoidal&training_gap=3&training_length=40")
    work = begun[0]
    work.state, work.place, work.result = "done", 0, outcome(work.plan)
    app.run()
    assert list(picture(app)) == [name for name in WHOLE if name not in ("map-learned", "map-none")]
    assert TEXTS("shown_own", **vars(work.plan)) in texts(app)
    assert lines(app, "loss")["RoPE"]["y"] == pytest.approx(work.result.loss[1].tolist(), abs=1e-5)
    assert [row[0] for row in rows(app, "lengths")] == ["RoPE", "sinusoidal"]
    press(app, TEXTS("train"))
    begun[1].state, begun[1].place, begun[1].fault = "failed", 0, "crashed"
    app.run()
    assert TEXTS("shown_own", **vars(work.plan)) in texts(app)


def test_without_rope_there_is_nothing_about_stretching(begun: list[Work]) -> None:
    app = pressed("training_models=learned")
    begun[0].state, begun[0].result = "done", outcome(begun[0].plan)
    app.run()
    assert not {"stretched", "ways"} & set(picture(app))
    assert "map-learned" in picture(app)


@pytest.mark.parametrize("fault", worker.FAULTS)
def test_what_went_wrong_is_a_sentence_and_can_be_tried_again(fault: str, begun: list[Work]) -> None:
    app = pressed("training_gap=4")
    begun[0].state, begun[0].place, begun[0].fault = "failed", 0, fault
    app.run()
    assert KIT(f"worker_{fault}") in texts(app)
    assert list(picture(app)) == WHOLE
    press(app, KIT("worker_retry"))
    assert [work.plan for work in begun] == [Plan(gap=4)] * 2
    assert KIT("worker_waiting", place=1) in texts(app)


def test_the_worker_trains_what_was_asked() -> None:
    app = opened("training_models=RoPE&training_steps=20&training_further=0&training_width=32&training_length=24")
    press(app, TEXTS("train"))
    _, job = app.session_state[training_data.JOB]
    assert job.wait(90)
    assert job.state == "done"
    assert len(job.progress) == 20
    app.run()
    assert not app.exception
    assert training_data.JOB not in app.session_state
    assert lines(app, "loss")["RoPE"]["y"] == pytest.approx([step.losses[0] for step in job.progress], abs=1e-5)
