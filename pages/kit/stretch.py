"""The ways to stretch a model beyond its trained length, side by side, and their price."""

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pages.kit import link
from rope_core import mean_cosine
from rope_core.tables import TABLES, Scaling, ntk_base

Array = NDArray[np.float64]
BASE, WIDTH = link.BASE.default, 128
METHODS = ("none", "linear", "ntk", "dynamic", "yarn", "llama3", "longrope")
DYNAMIC_FACTOR = 2.0  # as files with a dynamic table usually state
ROUNDING = 1e-6  # the tables are float32
MODELS = Path(__file__).resolve().parents[2] / "assets" / "models"


@dataclass(frozen=True)
class LongRope:
    """The factors of one model that was stretched by LongRoPE, with its lengths in tokens."""

    repository: str
    width: int
    trained: int
    target: int
    long_factor: tuple[float, ...]


def _phi_3() -> LongRope:
    facts = tomllib.loads((MODELS / "phi_3_mini_128k.toml").read_text(encoding="utf-8"))
    return LongRope(facts["repository"], **facts["rope"] | {"long_factor": tuple(facts["rope"]["long_factor"])})


PHI_3 = _phi_3()


@dataclass(frozen=True)
class Stretch:
    """One way to serve `target` tokens after training at `trained`; the rates are radians a token, one for each pair.

    LongRoPE's factors were searched for one model: its rates and lengths are that model's, whatever is asked for.
    """

    method: str
    trained: int
    target: int

    @classmethod
    def of(cls, method: str, trained: int, target: int) -> "Stretch":
        """The stretch between these lengths, or between the model's own where its factors are for these alone."""
        return cls(method, PHI_3.trained, PHI_3.target) if method == "longrope" else cls(method, trained, target)

    @cached_property
    def before(self) -> Array:
        """The rates in training."""
        return _table("default", Scaling(BASE, PHI_3.width if self.method == "longrope" else WIDTH))

    @cached_property
    def after(self) -> Array:
        """The rates after stretching."""
        factor, trained = self.target / self.trained, self.trained
        match self.method:
            case "none":
                return self.before
            case "ntk":
                return _table("default", Scaling(ntk_base(BASE, WIDTH, factor), WIDTH))
            case "dynamic":
                return _table(
                    "dynamic", Scaling(BASE, WIDTH, factor=DYNAMIC_FACTOR, max_positions=trained), self.target
                )
            case "longrope":
                own = Scaling(BASE, PHI_3.width, original_positions=PHI_3.trained, long_factor=PHI_3.long_factor)
                return _table("longrope", own, PHI_3.target)
        return _table(self.method, Scaling(BASE, WIDTH, factor=factor, original_positions=trained))

    @property
    def slowed(self) -> Array:
        """By how much each pair was slowed; 1 is untouched."""
        return self.before / self.after

    @property
    def reach(self) -> Array:
        """How far each pair turns over the trained length, in radians."""
        return self.before * self.trained

    @property
    def unseen(self) -> NDArray[np.bool_]:
        """Which pairs meet, within the target, angles that training never showed them.

        A pair that finished a turn in training has met them all; a slower one has met those up to its last.
        """
        return np.asarray((self.reach < 2 * np.pi) & (self.after * self.target > self.reach * (1 + ROUNDING)))

    @property
    def kept(self) -> int:
        """How many pairs are left as they were."""
        return int((self.slowed < 1 + ROUNDING).sum())

    @property
    def divided(self) -> int:
        """How many pairs are slowed by the whole factor."""
        return int((self.slowed > self.target / self.trained * (1 - ROUNDING)).sum())

    @property
    def neighbour(self) -> float:
        """How far apart a word and its neighbour stay: 1 − the mean cosine at gap 1."""
        return float(1 - mean_cosine([1], self.after)[0])


def _table(name: str, scaling: Scaling, length: int | None = None) -> Array:
    return TABLES[name](scaling, length)[0].astype(np.float64)
