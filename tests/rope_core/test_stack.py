"""The random stack: against torch, against plain formulas, and against what its measure must be."""

import numpy as np
import pytest
import torch
import torch.nn.functional as nn
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rope_core.stack import (
    DEPTH,
    HEADS,
    PLACES,
    WAYS,
    WIDTH,
    Layer,
    gap_share,
    measured,
    random_layers,
    stack_scores,
)

HEAD = WIDTH // HEADS
ways = pytest.mark.parametrize("way", WAYS)


def text(seed, tokens, texts=3):
    """Random words at random places."""
    random = np.random.default_rng(seed)
    return random.standard_normal((texts, tokens, WIDTH)), random.integers(0, 500, (texts, tokens))


def plain_share(table, group):
    """The share that `group(m, n)` explains, one cell at a time."""
    groups = {}
    for m, row in enumerate(table.tolist()):
        for n, score in enumerate(row):
            groups.setdefault(group(m, n), []).append(score)
    every = [score for scores in groups.values() for score in scores]
    mean = sum(every) / len(every)
    between = sum(len(scores) * (sum(scores) / len(scores) - mean) ** 2 for scores in groups.values())
    return between / sum((score - mean) ** 2 for score in every)


# ---------------------------------------------------------------- the layers


def torch_scores(layers, words, positions, way):
    """The same stack with torch's own layer norm, attention and GELU."""
    places = torch.tensor(positions, dtype=torch.float64)
    hidden = torch.tensor(words)
    if way == "added":
        angles = places[..., None] * 10_000.0 ** (-torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
        hidden = hidden + torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)
    turns = places[:, None, :, None] * 10_000.0 ** (-torch.arange(0, HEAD, 2, dtype=torch.float64) / HEAD)
    found = []
    for layer in layers:
        weights = Layer(*map(torch.tensor, layer))
        seen = nn.layer_norm(hidden, (WIDTH,), eps=0.0)
        q, k, v = (
            (seen @ w).unflatten(-1, (HEADS, HEAD)).transpose(1, 2) for w in (weights.query, weights.key, weights.value)
        )
        if way == "turned":
            pairs = (torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) for x in (q, k))
            q, k = (torch.view_as_real(x * torch.polar(torch.ones_like(turns), turns)).flatten(-2) for x in pairs)
        found.append(torch.einsum("thqd,thkd->thqk", q, k) / HEAD**0.5)
        carried = nn.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2)
        hidden = hidden + carried @ weights.output
        between = nn.gelu(nn.layer_norm(hidden, (WIDTH,), eps=0.0) @ weights.up, approximate="tanh")
        hidden = hidden + between @ weights.down
    return torch.stack(found).numpy()


@ways
@pytest.mark.parametrize("shared", [False, True])
def test_the_stack_is_what_torch_makes_of_it(way, shared):
    words, positions = text(seed=1, tokens=4)
    layers = random_layers(6, seed=2, shared=shared)
    ours = stack_scores(layers, words, positions, way)
    assert ours.shape == (6, 3, HEADS, 4, 4)
    np.testing.assert_allclose(ours, torch_scores(layers, words, positions, way), atol=1e-10)


def test_a_deeper_stack_begins_with_the_shallower_one():
    for shallow, deep in zip(random_layers(2, seed=5), random_layers(3, seed=5)[:2], strict=True):
        for one, other in zip(shallow, deep, strict=True):
            np.testing.assert_array_equal(one, other)
    assert not np.array_equal(random_layers(1, seed=5)[0].query, random_layers(1, seed=6)[0].query)


def test_the_weights_keep_the_size_of_what_comes_in():
    for layer in random_layers(2, seed=3):
        for weights in layer:
            assert weights.std() == pytest.approx(len(weights) ** -0.5, rel=0.05)
            assert abs(weights.mean()) < 0.1 * weights.std()
        assert not np.array_equal(layer.query, layer.key)


def test_shared_projections_are_the_query_s():
    own, shared = random_layers(2, seed=4), random_layers(2, seed=4, shared=True)
    for before, after in zip(own, shared, strict=True):
        for one, other in zip(after, before._replace(key=before.query), strict=True):
            np.testing.assert_array_equal(one, other)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), shift=st.integers(-1000, 1000))
def test_turned_layers_know_no_place_at_any_depth(seed, shift):
    words, positions = text(seed, tokens=3)
    layers = random_layers(5, seed)
    here, there = (stack_scores(layers, words, places, "turned") for places in (positions, positions + shift))
    np.testing.assert_allclose(here, there, atol=1e-9)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), shift=st.integers(1, 1000))
def test_layers_above_an_address_do(seed, shift):
    words, positions = text(seed, tokens=3)
    layers = random_layers(5, seed)
    here, there = (stack_scores(layers, words, places, "added") for places in (positions, positions + shift))
    assert (np.abs(here - there).max(axis=(1, 2, 3, 4)) > 1e-3).all()


def test_an_unknown_way_is_refused():
    words, positions = text(seed=0, tokens=2)
    with pytest.raises(ValueError, match=r"turned, added, got 'carried'"):
        stack_scores(random_layers(1, 0), words, positions, "carried")


def test_words_that_are_no_numbers_are_refused():
    words, positions = text(seed=0, tokens=2)
    words[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"words must be finite numbers, got nan"):
        stack_scores(random_layers(1, 0), words, positions, "added")


# ---------------------------------------------------------------- the share


@given(st.integers(2, 9).flatmap(lambda side: arrays(np.float64, (side, side), elements=st.floats(-9, 9, width=16))))
def test_the_share_is_the_variance_of_the_means_over_all_of_it(table):
    if table.var() < 1e-6:
        return
    assert gap_share(table) == pytest.approx(plain_share(table, lambda m, n: n - m), abs=1e-9)
    assert gap_share(table[:, ::-1]) == pytest.approx(plain_share(table, lambda m, n: m + n), abs=1e-9)
    assert -1e-12 <= gap_share(table) <= 1 + 1e-12


@given(st.lists(st.floats(-9, 9, width=16), min_size=3, max_size=19, unique=True))
def test_where_the_gap_alone_decides_it_explains_everything(by_gap):
    side = (len(by_gap) + 1) // 2
    table = np.array([[by_gap[side - 1 + n - m] for n in range(side)] for m in range(side)])
    assert gap_share(table) == pytest.approx(1)


def test_unrelated_scores_are_explained_by_chance_alone():
    tables = np.random.default_rng(0).standard_normal((2000, PLACES, PLACES))
    shares = gap_share(tables)
    assert shares.shape == (2000,)
    assert shares.mean() == pytest.approx(2 / (PLACES + 1), abs=4 * shares.std() / 2000**0.5)
    assert shares.std() / 2000**0.5 < 0.0005


@pytest.mark.parametrize("shape", [(4,), (3, 4), (1, 1), (2, 3, 2)])
def test_scores_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match=r"as many queries as keys, at least two, got shape"):
        gap_share(np.zeros(shape))


def test_scores_that_are_all_equal_are_refused():
    with pytest.raises(ValueError, match=r"must not all be equal"):
        gap_share(np.ones((2, 3, 3)))


# ---------------------------------------------------------------- the measurement


@ways
def test_the_measurement_by_hand(way):
    """One layer: the same two words, drawn as the measurement draws them, put at every pair of places."""
    random = np.random.default_rng([8, 1])
    same, fresh = random.standard_normal((2, WIDTH)), random.standard_normal((PLACES**2, 2, WIDTH))
    layers, tables = random_layers(1, seed=8), {"same": [], "fresh": []}
    for name, words in (("same", [same] * PLACES**2), ("fresh", fresh)):
        places = [(m, n) for m in range(PLACES) for n in range(PLACES)]
        scores = [
            stack_scores(layers, word[None], [place], way)[0, 0, :, 0, 1]
            for word, place in zip(words, places, strict=True)
        ]
        tables[name] = np.array(scores).T.reshape(HEADS, PLACES, PLACES)
    found = measured(8, way, depth=1)
    by_gap, by_sum = (lambda m, n: n - m), (lambda m, n: m + n)
    assert found.gap == pytest.approx(np.mean([plain_share(table, by_gap) for table in tables["same"]]))
    assert found.total == pytest.approx(np.mean([plain_share(table, by_sum) for table in tables["same"]]))
    assert found.mixed == pytest.approx(np.mean([plain_share(table, by_gap) for table in tables["fresh"]]))
    variances = {name: np.mean([table.var() for table in of_heads]) for name, of_heads in tables.items()}
    assert found.place == pytest.approx(variances["same"] / variances["fresh"])


def test_a_turn_at_every_layer_leaves_all_of_it_to_the_gap():
    shares = measured(3, "turned")
    assert shares.gap.shape == (DEPTH,)
    np.testing.assert_allclose(shares.gap, 1, atol=1e-12)
