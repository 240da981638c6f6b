"""What a training is asked for and what comes of it: plain numbers, so that nobody needs torch to ask or to read."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Kind = Literal["none", "sinusoidal", "learned", "rope"]
Way = Literal["none", "linear", "ntk"]

KINDS: tuple[Kind, ...] = get_args(Kind)
"""How a model learns of places: not at all, by an added address that is fixed or learned, or by turning."""
WAYS: tuple[Way, ...] = get_args(Way)
"""What is done to RoPE's table for a longer text: nothing, position interpolation, NTK-aware."""

TOKENS = 16
"""How many different tokens there are: guessing is right once in so many times."""
REACH = 256
"""The longest text a model is looked at with, in tokens; as many rows has a learned table."""
TARGETS = (64, 128, 256)
WIDTHS = (32, 64, 128)
LOOKS = 11
"""How many times a stretched model is looked at while it trains on: before, after, and between."""

LIMITS: dict[str, tuple[int, int]] = {
    "gap": (1, 12),  # at most half of a length
    "length": (24, 48),
    "steps": (20, 400),
    "seed": (0, 999),
    "further": (0, 400),
}


@dataclass(frozen=True)
class Plan:
    """What to train. Lengths and the gap are in tokens; ValueError outside LIMITS, KINDS, WIDTHS, TARGETS."""

    kinds: tuple[Kind, ...] = KINDS
    gap: int = 5
    length: int = 32
    steps: int = 200
    seed: int = 0
    width: int = 64
    target: int = 64
    further: int = 300

    def __post_init__(self) -> None:
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise ValueError(f"{name} must be a whole number from {low} to {high}, got {value!r}")
        if not self.kinds or len(set(self.kinds)) < len(self.kinds) or not set(self.kinds) <= set(KINDS):
            raise ValueError(f"kinds must be different ones of {', '.join(KINDS)}, got {self.kinds!r}")
        if self.width not in WIDTHS:
            raise ValueError(f"width must be one of {WIDTHS}, got {self.width!r}")
        if self.target not in TARGETS:
            raise ValueError(f"target must be one of {TARGETS}, got {self.target!r}")

    @property
    def factor(self) -> float:
        """How many times longer than in training the target is."""
        return self.target / self.length

    @property
    def shifted_gap(self) -> int:
        """The gap that position interpolation, which divides every gap by the factor, makes look like the trained."""
        return round(self.gap * self.factor)


@dataclass(frozen=True)
class Progress:
    """What a training tells while it runs.

    losses: of the newest step, one a model; empty after the last step, while the models are looked at and stretched.
    share: how much of all the work is done, 0 to 1. seconds: how long it took so far.
    """

    losses: tuple[float, ...]
    share: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of a training: arrays alone.

    loss: `(kinds, steps)`, the cross-entropy of each step's fresh texts before the step, in nats.
    right: `(kinds, REACH)`, the share of right answers by place; NaN before the first place that has an answer.
    attention: `(kinds, 2·length, 2·length)`, how much of its attention each place (row) gives to each other, the
    mean over texts and heads. stretched: `(ways, LOOKS)`, the share of right answers at the target length, with the
    steps trained on rising evenly from 0 to `further`. shifted: `(ways,)`, the share of answers that are the token
    `shifted_gap` places back, before training on. Both are empty where no RoPE was trained.
    """

    loss: Array
    right: Array
    attention: Array
    stretched: Array
    shifted: Array

    def right_within(self, length: int) -> Array:
        """The share of right answers of each model in texts of `length`: no place sees what comes after it."""
        return np.asarray(np.nanmean(self.right[:, :length], axis=1))

    def learned_at(self, below: float = 0.01) -> list[int | None]:
        """The first step of each model with a loss below this, counted from 1; None where there is none."""
        under = self.loss < below
        return [int(row.argmax()) + 1 if row.any() else None for row in under]
