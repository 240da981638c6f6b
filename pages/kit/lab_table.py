"""One table of a model, at one length, and what can be read off it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rope_core import wavelengths
from rope_core.config import RopeSpec
from rope_core.tables import TABLES, Scaling

Array = NDArray[np.float64]
WAYS = ("kept", "blended", "divided", "own", "still")
BY_LENGTH = ("dynamic", "longrope")
ROUNDING = 1e-6  # the tables are float32


@dataclass(frozen=True)
class LayerTable:
    """The table that `spec` gives for a sequence of `length` tokens, or as the model is built when None."""

    spec: RopeSpec
    length: int | None = None

    @cached_property
    def made(self) -> tuple[NDArray[np.float32], float]:
        """`(inv_freq, attention_factor)` as transformers builds them."""
        return self.spec.table(self.length)

    def at(self, length: int | None) -> "LayerTable":
        """The table of the same layers for a sequence of `length` tokens, where the length changes it at all."""
        return replace(self, length=length) if self.threshold else self

    @property
    def scaling(self) -> Scaling:
        """The numbers that make the table. ValueError where nothing rotates."""
        if self.spec.scaling is None:
            raise ValueError("layers of the rope type none have no table")
        return self.spec.scaling

    @cached_property
    def rates(self) -> Array:
        """Radians per token, one for each pair."""
        return self.made[0].astype(np.float64)

    @cached_property
    def waves(self) -> Array:
        """Tokens for a whole turn, one for each pair."""
        return wavelengths(self.rates)

    @cached_property
    def before(self) -> Array:
        """The rates without scaling."""
        rope_type = "proportional" if self.spec.rope_type == "proportional" else "default"
        return TABLES[rope_type](replace(self.scaling, factor=1.0), None)[0].astype(np.float64)

    @cached_property
    def slowed(self) -> Array:
        """By how much scaling divides each rate; 1 is untouched, not a number where nothing turns."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.before / self.rates

    @cached_property
    def ways(self) -> NDArray[np.str_]:
        """What scaling does to each pair: one of WAYS.

        kept: nothing; divided: by the whole factor; blended: by less; own: by a factor of its own; still: no turning.
        """
        whole = self.scaling.factor
        others = "own" if self.spec.rope_type in BY_LENGTH else "blended"
        is_kept, is_divided = (np.abs(self.slowed / by - 1) < ROUNDING for by in (1.0, whole))
        divided = "divided" if others == "blended" else others
        return np.select([self.rates == 0, is_kept, is_divided], ["still", "kept", divided], others)

    def count(self, way: str) -> int:
        """How many pairs scaling treats this way."""
        return int((self.ways == way).sum())

    @property
    def is_scaled(self) -> bool:
        """Whether scaling changes any pair at all, at any length."""
        return self.spec.rope_type in BY_LENGTH or bool(self.count("kept") + self.count("still") < len(self.rates))

    @property
    def trained(self) -> int | None:
        """The length in training, before scaling, in tokens; None where the file does not tell it."""
        if self.spec.rope_type == "linear":  # max_position_embeddings may be the length before or after
            return None
        return self.scaling.original_positions or self.scaling.max_positions

    @property
    def served(self) -> int | None:
        """The length that is served, in tokens."""
        return self.scaling.max_positions

    @property
    def threshold(self) -> int | None:
        """The longest sequence whose table is the one the model is built with; None where it is always the same."""
        if self.spec.scaling is None or self.spec.rope_type not in BY_LENGTH:
            return None
        if self.spec.rope_type == "longrope" and self.scaling.long_factor == self.scaling.short_factor:
            return None
        return self.trained

    @property
    def unfinished_in_training(self) -> int | None:
        """How many pairs, not yet scaled, never finish a turn in the length in training."""
        return None if self.trained is None else int((wavelengths(self.before) > self.trained).sum())

    @property
    def unfinished_when_served(self) -> int | None:
        """How many pairs never finish a turn in the length that is served."""
        return None if self.served is None else int((self.waves > self.served).sum())


def differing(one: LayerTable, other: LayerTable) -> int | None:
    """How many pairs of two tables differ; None where they have not equally many."""
    if len(one.rates) != len(other.rates):
        return None
    return int((one.made[0] != other.made[0]).sum())
