"""Tiny transformers: the task is what it says, the models differ in nothing but places, the outcome is honest."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from assets.measured.training import FILE
from rope_core import training
from rope_core.tables import ntk_base
from rope_core.training import Transformer, answers, attention, right_by_place, run, steps, stretched, table, texts
from rope_core.training_plan import KINDS, LIMITS, LOOKS, REACH, TOKENS, WAYS, Outcome, Plan, Progress

SMALL = Plan(gap=2, length=24, steps=20, seed=3, width=32, further=10)
TOO_SHORT = 4  # steps


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def told() -> list[Progress]:
    return []


@pytest.fixture(scope="module")
def outcome(told: list[Progress]) -> Outcome:
    return run(told.append, SMALL)


@pytest.fixture(scope="module")
def stored() -> Outcome:
    with np.load(FILE) as file:
        return Outcome(**{name: file[name].astype(np.float32) for name in file})


@pytest.fixture(scope="module")
def trained() -> dict[str, Transformer]:
    """A model of each kind that learned the task, and one that cannot."""
    models = {kind: Transformer(kind, 64, 1) for kind in ("rope", "learned")}
    for model in models.values():
        list(islice(steps(model, 32, 5, 1, 32), 90))
    return models


# ---------------------------------------------------------------- what is asked


@pytest.mark.parametrize("field", LIMITS)
def test_a_plan_stays_within_its_limits(field: str) -> None:
    low, high = LIMITS[field]
    for value in (low, high):
        assert getattr(replace(Plan(), **{field: value}), field) == value
    for value in (low - 1, high + 1, float(low), True, None, "5"):
        with pytest.raises(ValueError, match=field):
            replace(Plan(), **{field: value})


@pytest.mark.parametrize(
    "wrong", [{"kinds": ()}, {"kinds": ("rope", "rope")}, {"kinds": ("alibi",)}, {"width": 65}, {"target": 65}]
)
def test_a_plan_takes_nothing_unknown(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Plan(**wrong)


def test_every_plan_is_a_task() -> None:
    assert 2 * LIMITS["gap"][1] <= LIMITS["length"][0]
    assert 2 * LIMITS["length"][1] <= REACH
    assert LIMITS["length"][1] < Plan().target


# ---------------------------------------------------------------- the task


@pytest.mark.parametrize("gap", [1, 5, 12])
def test_the_answer_stood_gap_places_back(gap: int) -> None:
    tokens = next(texts(7, 40, 0))
    found = answers(tokens, gap)
    assert [found[3, place - gap].item() for place in range(gap, 40)] == [
        tokens[3, place - gap].item() for place in range(gap, 40)
    ]
    assert found.shape == (7, 40 - gap)


def test_texts_are_fresh_and_even() -> None:
    first, second = islice(texts(64, 64, 5), 2)
    assert not torch.equal(first, second)
    assert torch.equal(first, next(texts(64, 64, 5)))
    assert not torch.equal(first, next(texts(64, 64, 6)))
    counts = torch.bincount(first.flatten(), minlength=TOKENS)
    assert counts.shape == (TOKENS,)
    assert (counts > 0.7 * first.numel() / TOKENS).all()


# ---------------------------------------------------------------- the models


def test_the_models_begin_alike() -> None:
    models = [Transformer(kind, 32, 9) for kind in KINDS]
    first = dict(models[0].named_parameters())
    for model in models[1:]:
        own = dict(model.named_parameters())
        assert own.keys() - first.keys() <= {"address"}
        assert all(torch.equal(own[name], first[name]) for name in first)


@pytest.mark.parametrize("kind", KINDS)
def test_no_place_sees_what_comes_after_it(kind: str) -> None:
    model, tokens = Transformer(kind, 32, 0), next(texts(2, 30, 0))
    changed = tokens.clone()
    changed[:, 20:] = (changed[:, 20:] + 1) % TOKENS
    with torch.no_grad():
        (said, weights), (other, _) = model(tokens), model(changed)
    assert torch.allclose(said[:, :20], other[:, :20], atol=1e-5)
    assert not torch.allclose(said[:, 20:], other[:, 20:], atol=1e-3)
    assert torch.allclose(weights.sum(-1), torch.ones(()), atol=1e-5)
    assert (weights.triu(1) == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_model_that_is_told_of_places_knows_them(kind: str) -> None:
    model, tokens = Transformer(kind, 32, 0), next(texts(1, 12, 0))
    shuffled = tokens.clone()
    shuffled[:, :-1] = tokens[:, torch.randperm(11, generator=torch.Generator().manual_seed(1))]
    with torch.no_grad():
        alike = torch.allclose(model(tokens)[0][:, -1], model(shuffled)[0][:, -1], atol=1e-5)
    assert alike == (kind == "none")


def test_turning_attends_to_the_gap_and_adding_to_places() -> None:
    same = torch.full((1, 40), 3)
    with torch.no_grad():
        weights = {kind: Transformer(kind, 32, 0)(same)[1][0].log() for kind in ("rope", "sinusoidal", "learned")}
    for kind, logs in weights.items():
        differences = logs[:, 30:, 5] - logs[:, 30:, 6]  # of scores, by row
        along = torch.stack([logs[:, 20 + i, 5 + i] - logs[:, 20 + i, 6 + i] for i in range(15)], dim=-1)
        assert torch.allclose(along, along[:, :1], atol=1e-4) == (kind == "rope"), kind
        assert not torch.allclose(differences, differences[:, :1], atol=1e-4)


def test_rows_that_no_text_reached_stay_as_they_were_drawn() -> None:
    model = Transformer("learned", 32, 0)
    drawn = model.address.detach().clone()
    list(islice(steps(model, 24, 3, 0, 24), TOO_SHORT))
    assert torch.equal(model.address[24:], drawn[24:])
    assert not torch.isclose(model.address[:24], drawn[:24]).all(dim=1).any()
    assert drawn.shape == (REACH, 32)


def test_a_step_at_a_longer_length_sees_as_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, real = [], training.texts
    monkeypatch.setattr(training, "texts", lambda count, length, seed: seen.append(count * length) or real(1, 8, seed))
    for length in (32, 64, 128, 256):
        next(steps(Transformer("none", 32, 0), length, 2, 0, 32))
    assert len(set(seen)) == 1


def test_models_are_measured_with_texts_they_did_not_train_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, real = [], training.texts
    monkeypatch.setattr(training, "texts", lambda count, length, seed: seeds.append(seed) or real(1, length, seed))
    run(lambda _: None, replace(SMALL, kinds=("rope",), steps=20, further=10))
    first, *others = seeds
    assert first == SMALL.seed
    assert first not in others
    assert len(set(others)) == 2  # to measure, and to train on further
    assert min(others) > LIMITS["seed"][1]


# ---------------------------------------------------------------- what a learned task looks like


def test_rope_learns_the_distance_and_a_learned_table_its_rows(trained: dict[str, Transformer]) -> None:
    right = {kind: right_by_place(model, 64, 5, 1) for kind, model in trained.items()}
    for share in right.values():
        assert share[:5].isnan().all()
        assert share[5:32].mean() > 0.97
    assert right["rope"][32:].mean() > 0.85
    assert right["learned"][32:].mean() < 0.2
    diagonals = attention(trained["rope"], 48, 1).diagonal(-5)
    assert diagonals[27:].mean() > 0.5


def test_interpolation_moves_the_stripe_and_ntk_does_not(trained: dict[str, Transformer]) -> None:
    plan = Plan(seed=1)
    maps = {way: attention(stretched(trained["rope"], way, plan), 64, 1) for way in WAYS}
    strongest = {
        way: max(range(20), key=lambda gap, found=found: found.diagonal(-gap)[20:].mean())
        for way, found in maps.items()
    }
    assert strongest == {"none": 5, "linear": 10, "ntk": 5}
    assert plan.shifted_gap == 10


def test_the_tables_are_those_of_the_stretches() -> None:
    plain = 10_000 ** (-2 * np.arange(16) / 32)
    assert table("none", 32, 4.0) == pytest.approx(plain, rel=1e-6)
    assert table("linear", 32, 4.0) == pytest.approx(plain / 4, rel=1e-6)
    assert table("ntk", 32, 4.0) == pytest.approx(ntk_base(10_000, 32, 4) ** (-2 * np.arange(16) / 32), rel=1e-6)
    assert table("ntk", 32, 4.0)[[0, -1]] == pytest.approx(plain[[0, -1]] / [1, 4], rel=1e-6)


# ---------------------------------------------------------------- the whole training


def test_every_step_is_told(outcome: Outcome, told: list[Progress]) -> None:
    losses = [progress.losses for progress in told if progress.losses]
    assert pytest.approx(outcome.loss, rel=1e-6) == np.array(losses).T
    assert len(told) == SMALL.steps + len(WAYS) * SMALL.further
    shares, seconds = [p.share for p in told], [p.seconds for p in told]
    assert shares == sorted(set(shares))
    assert seconds == sorted(seconds)
    assert shares[-1] == 1
    assert told[SMALL.steps - 1].share == pytest.approx(80 / 110)


def test_the_outcome_has_its_shapes(outcome: Outcome) -> None:
    assert outcome.loss.shape == (4, SMALL.steps)
    assert outcome.right.shape == (4, REACH)
    assert outcome.attention.shape == (4, 48, 48)
    assert outcome.stretched.shape == (3, LOOKS)
    assert outcome.shifted.shape == (3,)
    assert np.isnan(outcome.right[:, :2]).all()
    assert all(values.dtype == np.float32 for values in vars(outcome).values())
    first = np.log(TOKENS)
    assert outcome.loss[:, 0] == pytest.approx([first] * 4, abs=0.6)


def test_the_same_plan_gives_the_same_and_another_seed_another(outcome: Outcome) -> None:
    plan = replace(SMALL, kinds=("rope",))
    again = run(lambda _: None, plan)
    assert again.loss[0] == pytest.approx(outcome.loss[KINDS.index("rope")], rel=1e-4)
    assert run(lambda _: None, replace(plan, seed=4, further=0)).loss[0] != pytest.approx(again.loss[0], rel=1e-2)


def test_without_rope_nothing_is_stretched() -> None:
    none = run(lambda _: None, replace(SMALL, kinds=("none",)))
    assert (none.stretched.size, none.shifted.size) == (0, 0)
    assert none.learned_at() == [None]


def test_a_shorter_text_counts_its_own_places() -> None:
    right = np.full((1, REACH), np.nan, dtype=np.float32)
    right[0, 5:32], right[0, 32:] = 1, 0
    found = Outcome(np.array([[0.5, 0.009, 0.02]], dtype=np.float32), right, *np.zeros((3, 0), dtype=np.float32))
    assert found.right_within(32) == pytest.approx([1])
    assert found.right_within(64) == pytest.approx([27 / 59])
    assert found.learned_at() == [2]


# ---------------------------------------------------------------- what was made beforehand


def test_the_file_begins_as_the_script_trains(stored: Outcome) -> None:
    found = run(lambda _: None, replace(Plan(), steps=20, further=0))
    # Roundings of another machine grow with the steps, so only the first ones are compared closely.
    assert found.loss == pytest.approx(stored.loss[:, :20], rel=2e-3)
    assert stored.loss.shape == (len(KINDS), Plan().steps)


def test_the_file_shows_what_the_bench_is_for(stored: Outcome) -> None:
    learned = dict(zip(KINDS, stored.learned_at(), strict=True))
    right = dict(zip(KINDS, stored.right_within(64), strict=True))
    ways = dict(zip(WAYS, stored.stretched, strict=True))
    assert learned["none"] is None
    assert 50 < learned["rope"] < 90
    assert 50 < learned["learned"] < 100
    assert 120 < learned["sinusoidal"] < 200
    assert right["rope"] > 0.93
    assert 0.45 < right["learned"] < 0.55
    assert 0.5 < right["sinusoidal"] < 0.7
    assert ways["linear"][0] < 0.1 < 0.9 < ways["linear"][-1]
    assert ways["ntk"][0] > 0.95
    assert dict(zip(WAYS, stored.shifted, strict=True))["linear"] > 0.9
