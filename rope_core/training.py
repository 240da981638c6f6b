"""Tiny transformers that learn to repeat the token that stood some places back, each told of places in its own way.

Every text is fresh: tokens drawn at random. The answer at place t is the token at t − gap, so a model has to attend to
one distance. The models begin with the same weights and differ in nothing but how they learn of places.
"""

import copy
from collections.abc import Callable, Iterator
from time import monotonic

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from rope_core.additive import sinusoidal
from rope_core.tables import TABLES, Frequencies, Scaling, ntk_base
from rope_core.tensors import cos_sin, turn
from rope_core.training_plan import LOOKS, REACH, TOKENS, WAYS, Kind, Outcome, Plan, Progress, Way

HEADS = 2
BASE = 10_000.0
TEXTS = 32  # in a step, at the trained length; longer texts are fewer, so that a step has as many tokens
RATE = 0.003  # of Adam
EXAMINED = 64  # texts that accuracy is measured with
PORTION = 16  # texts at once, when measuring
FRESH = 1_000_003  # apart from the seeds of training, for texts that measure and texts to train on further


def table(way: Way, head_dim: int, factor: float) -> Frequencies:
    """RoPE's frequencies, `(head_dim/2,)` in radians per token, stretched by a factor in one of the ways."""
    base = ntk_base(BASE, head_dim, factor) if way == "ntk" else BASE
    name = "linear" if way == "linear" else "default"
    return TABLES[name](Scaling(base, head_dim, factor=factor), None)[0]


class Transformer(nn.Module):
    """One causal layer before a reading head: attention and a hidden layer, each behind a norm, each added on.

    A learned table has REACH rows, drawn like the words. Rows that no text reached stay as they were drawn.
    """

    def __init__(self, kind: Kind, width: int, seed: int) -> None:
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.words = nn.Embedding(TOKENS, width)
            self.before = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
            self.query_key_value = nn.Linear(width, 3 * width, bias=False)
            self.out = nn.Linear(width, width, bias=False)
            self.hidden = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
            self.reading = nn.Linear(width, TOKENS, bias=False)
            # Drawn last, so that the other weights are the same for every kind.
            self.address = nn.Parameter(torch.randn(REACH, width)) if kind == "learned" else None
        if kind == "sinusoidal":
            self.address = torch.tensor(sinusoidal(range(REACH), width), dtype=torch.float32)  # type: ignore[assignment]
        self.inv_freq = table("none", width // HEADS, 1.0) if kind == "rope" else None

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return scores of the next answer, `(texts, seq, TOKENS)`, and attention, `(texts, heads, seq, seq)`."""
        stream = self.words(tokens)
        if self.address is not None:
            stream = stream + self.address[: tokens.shape[-1]]
        mixed, weights = self._attend(self.before[0](stream))
        stream = stream + mixed
        stream = stream + self.hidden(self.before[1](stream))
        return self.reading(self.before[2](stream)), weights

    def _attend(self, x: Tensor) -> tuple[Tensor, Tensor]:
        parts = self.query_key_value(x).chunk(3, dim=-1)
        query, key, value = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
        seq = x.shape[-2]
        if self.inv_freq is not None:
            angles = cos_sin(torch.arange(seq), self.inv_freq)
            query, key = turn(query, *angles), turn(key, *angles)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        later = torch.ones(seq, seq, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
        return self.out((weights @ value).transpose(1, 2).flatten(2)), weights


def texts(count: int, length: int, seed: int) -> Iterator[Tensor]:
    """Yield texts without end, `(count, length)` tokens drawn evenly."""
    draw = torch.Generator().manual_seed(seed)
    while True:
        yield torch.randint(TOKENS, (count, length), generator=draw)


def answers(tokens: Tensor, gap: int) -> Tensor:
    """The right answers at the places from `gap` on: the token that stood `gap` places back."""
    return tokens[..., :-gap]


def steps(model: Transformer, length: int, gap: int, seed: int, trained: int) -> Iterator[float]:
    """Train without end, on texts of `length`; yields the loss of each step's texts, measured before the step.

    A step sees as many tokens as one at the `trained` length.
    """
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    for tokens in texts(max(1, TEXTS * trained // length), length, seed):
        said = model(tokens)[0][:, gap:]
        loss = functional.cross_entropy(said.flatten(0, 1), answers(tokens, gap).flatten())
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
        yield loss.item()


@torch.no_grad()
def right_by_place(model: Transformer, length: int, gap: int, seed: int) -> Tensor:
    """The share of answers that are the token `gap` places back, `(length,)`; NaN before place `gap`."""
    draw = texts(PORTION, length, seed + FRESH)
    right = torch.full((length,), torch.nan)
    right[gap:] = 0
    for _ in range(EXAMINED // PORTION):
        tokens = next(draw)
        hits = model(tokens)[0][:, gap:].argmax(-1) == answers(tokens, gap)
        right[gap:] += hits.sum(0) / EXAMINED
    return right


@torch.no_grad()
def attention(model: Transformer, length: int, seed: int) -> Tensor:
    """How much of its attention each place gives to each, `(length, length)`: the mean over texts and heads."""
    weights: Tensor = model(next(texts(PORTION, length, seed + FRESH)))[1]
    return weights.mean((0, 1))


def stretched(model: Transformer, way: Way, plan: Plan) -> Transformer:
    """A copy of a model with RoPE whose table is stretched to the target."""
    longer = copy.deepcopy(model)
    longer.inv_freq = table(way, plan.width // HEADS, plan.factor)
    return longer


class Clock:
    """Counts the steps done, of all kinds, and tells of each."""

    def __init__(self, plan: Plan, report: Callable[[Progress], None]) -> None:
        self.total = plan.steps * len(plan.kinds) + (plan.further * len(WAYS) if "rope" in plan.kinds else 0)
        self.done, self.started, self.report = 0, monotonic(), report

    def tell(self, losses: tuple[float, ...] = (), done: int = 1) -> None:
        """Tell that so many more steps are done."""
        self.done += done
        self.report(Progress(losses, self.done / self.total, monotonic() - self.started))


def run(report: Callable[[Progress], None], plan: Plan) -> Outcome:
    """Train the models of a plan side by side, step by step, look at them, and stretch the one with RoPE.

    Tells `report` of every step. The same plan gives the same outcome, up to the rounding of another machine.
    """
    torch.set_num_threads(1)
    clock = Clock(plan, report)
    models = {kind: Transformer(kind, plan.width, plan.seed) for kind in plan.kinds}
    going = [steps(model, plan.length, plan.gap, plan.seed, plan.length) for model in models.values()]
    losses = []
    for _ in range(plan.steps):
        losses.append(tuple(next(each) for each in going))
        clock.tell(losses[-1], done=len(going))
    right = [right_by_place(model, REACH, plan.gap, plan.seed).numpy() for model in models.values()]
    maps = [attention(model, 2 * plan.length, plan.seed).numpy() for model in models.values()]
    ways = [_stretch(models["rope"], way, plan, clock) for way in WAYS] if "rope" in models else []
    return Outcome(
        loss=np.array(losses, dtype=np.float32).T,
        right=np.stack(right),
        attention=np.stack(maps),
        stretched=np.array([looks for looks, _ in ways], dtype=np.float32),
        shifted=np.array([shifted for _, shifted in ways], dtype=np.float32),
    )


def _stretch(model: Transformer, way: Way, plan: Plan, clock: Clock) -> tuple[list[float], float]:
    """The share of right answers at the target, at LOOKS moments of training on, and that of the shifted gap first."""
    longer = stretched(model, way, plan)
    shifted = _share(longer, plan, plan.shifted_gap)
    going = steps(longer, plan.target, plan.gap, plan.seed + FRESH + 1, plan.length)
    looks = [_share(longer, plan, plan.gap)]
    for look in range(1, LOOKS):
        more = plan.further * look // (LOOKS - 1) - plan.further * (look - 1) // (LOOKS - 1)
        for _ in range(more):
            next(going)
            clock.tell()
        looks.append(_share(longer, plan, plan.gap))
    return looks, shifted


def _share(model: Transformer, plan: Plan, gap: int) -> float:
    return float(right_by_place(model, plan.target, gap, plan.seed).nanmean())
