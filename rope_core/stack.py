"""A stack of random transformer layers, and how much of its scores the gap explains.

The layers are as a model's are before training: pre-norm, with attention over all tokens and a two-layer network
(Radford et al., "Language Models are Unsupervised Multitask Learners", section 2.3), every weight Gaussian.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rope_core.additive import sinusoidal
from rope_core.checks import finite_array
from rope_core.frequencies import inverse_frequencies
from rope_core.rotation import rotate

Array = NDArray[np.float64]
Way = Literal["turned", "added"]
WAYS: tuple[Way, ...] = get_args(Way)
WIDTH, HEADS, DEPTH = 64, 4, 24
PLACES = 32  # both words stand at each of these in turn


class Layer(NamedTuple):
    """The weights of one layer, each `(entries in, entries out)`, of variance 1 / entries in."""

    query: Array
    key: Array
    value: Array
    output: Array
    up: Array
    down: Array


class Shares(NamedTuple):
    """What a stack does with two words, one number a layer (mean over the heads), each `(depth,)`.

    gap: share of the variance of the score over all places (m, n) that the gap explains, the words being the same.
    total: the same for the sum m + n, which says nothing about distance: a yardstick for `gap`.
    mixed: as `gap`, with fresh words at every pair of places.
    place: variance with the same words over variance with fresh words: what the places alone make of it.
    """

    gap: Array
    total: Array
    mixed: Array
    place: Array


def random_layers(depth: int, seed: int, shared: bool = False) -> list[Layer]:
    """Return `depth` layers drawn from `seed`; a deeper stack begins with the layers of a shallower one.

    shared: one projection serves query and key.
    """
    random = np.random.default_rng(seed)
    shapes = [(WIDTH, WIDTH)] * 4 + [(WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]
    layers = [Layer(*(random.normal(0, a**-0.5, (a, b)) for a, b in shapes)) for _ in range(depth)]
    return [layer._replace(key=layer.query) for layer in layers] if shared else layers


def stack_scores(layers: list[Layer], words: ArrayLike, positions: ArrayLike, way: Way) -> Array:
    """Return every layer's scores before the softmax, `(depth, texts, HEADS, tokens, tokens)`, queries first.

    words: `(texts, tokens, WIDTH)`; positions: `(texts, tokens)`, in tokens. Each token looks at all of its text.
    way: `added`: the sinusoidal address is added to the words, below the first layer, and nothing is turned;
    `turned`: nothing is added, and every layer turns its queries and keys (base 10,000). ValueError for another way.
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    hidden, places, found = finite_array("words", words), finite_array("positions", positions), []
    if way == "added":
        hidden = hidden + sinusoidal(places, WIDTH)
    for layer in layers:
        seen = _normed(hidden)
        query, key, value = (_heads(seen @ weights) for weights in layer[:3])
        if way == "turned":
            inv_freq = inverse_frequencies(WIDTH // HEADS)
            query, key = rotate(query, places, inv_freq), rotate(key, places, inv_freq)
        found.append(query @ key.swapaxes(-1, -2) / (WIDTH // HEADS) ** 0.5)
        carried = (_softmax(found[-1]) @ value).swapaxes(-2, -3).reshape(hidden.shape)
        hidden = hidden + carried @ layer.output
        hidden = hidden + _gelu(_normed(hidden) @ layer.up) @ layer.down
    return np.stack(found)


def gap_share(scores: ArrayLike) -> Array:
    """Return the share of the variance over (m, n) that the gap n − m explains, without the last two axes.

    scores: `(..., places, places)`, at least two places. The variance of the means per gap over the variance of all:
    1 where the gap alone decides. Unrelated scores have 2 / (places + 1) on average, for with so few places a gap
    there are differences between means by chance. ValueError for other shapes, or scores that are all equal.
    """
    table = finite_array("scores", scores)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2] or table.shape[-1] < 2:
        raise ValueError(f"scores must be as many queries as keys, at least two, got shape {table.shape}")
    gaps = range(1 - table.shape[-1], table.shape[-1])
    means = np.stack([table.diagonal(gap, -2, -1).mean(-1) for gap in gaps], axis=-1)
    counts = table.shape[-1] - np.abs(gaps)
    variance = table.var(axis=(-2, -1))
    if not variance.all():
        raise ValueError("scores must not all be equal: there is no variance to explain")
    between = (counts * (means - table.mean(axis=(-2, -1))[..., np.newaxis]) ** 2).sum(-1) / counts.sum()
    return np.asarray(between / variance)


def measured(seed: int, way: Way, shared: bool = False, depth: int = DEPTH) -> Shares:
    """Return the shares of one stack and one pair of words, both drawn from `seed`.

    The two words make a text of two tokens; it passes the stack once for every pair of places below PLACES, and the
    score of the first with the second is read at each layer. The stack and the words are the same for both ways.
    """
    random = np.random.default_rng([seed, 1])
    positions = np.indices((PLACES, PLACES)).reshape(2, -1).T
    same = np.tile(random.standard_normal((1, 2, WIDTH)), (PLACES**2, 1, 1))
    fresh = random.standard_normal((PLACES**2, 2, WIDTH))
    layers = random_layers(depth, seed, shared)
    held, mixed = (_tables(stack_scores(layers, words, positions, way)) for words in (same, fresh))
    gap, total, fresh_gap = (gap_share(tables).mean(-1) for tables in (held, held[..., ::-1], mixed))
    return Shares(gap, total, fresh_gap, _variance(held) / _variance(mixed))


def _tables(scores: Array) -> Array:
    """The score of the first token with the second, as `(depth, HEADS, m, n)`."""
    return scores[..., 0, 1].swapaxes(-1, -2).reshape(len(scores), HEADS, PLACES, PLACES)


def _variance(tables: Array) -> Array:
    return np.asarray(tables.var(axis=(-2, -1)).mean(-1))


def _heads(x: Array) -> Array:
    return x.reshape(*x.shape[:-1], HEADS, -1).swapaxes(-2, -3)


def _normed(x: Array) -> Array:
    """Layer norm without learned gain and bias, which are 1 and 0 before training."""
    centred = x - x.mean(-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred * centred).mean(-1, keepdims=True)))


def _softmax(scores: Array) -> Array:
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def _gelu(x: Array) -> Array:
    """The smooth step of GPT-2, by its tanh formula (Hendrycks and Gimpel, arXiv 1606.08415, section 2)."""
    return np.asarray(0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x * x * x))))
