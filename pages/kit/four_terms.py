"""An added address in full: the words, the addresses and the four terms of their comparison."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.kit import link
from rope_core import additive_terms, diagonal_spread, sinusoidal

Array = NDArray[np.float64]
Kind = Literal["sinusoidal", "learned"]
KINDS: tuple[Kind, ...] = ("sinusoidal", "learned")
TERMS = ("ww", "wa", "aw", "aa")  # word and address, query side first
POSITIONS = np.arange(link.M.low, link.M.high + 1)
WIDTH = link.DIMENSION.default


@st.cache_resource(max_entries=4, show_spinner=False)
def _both_sides(kind: Kind, projected: bool) -> tuple[Array, Array, Array, Array]:
    """Query word, key word, and the address of every position on either side, after the projections if there are any.

    The words, a learned table as it is before training, and the projections are random with a fixed seed.
    """
    draw = np.random.default_rng(WIDTH).standard_normal
    words, projections = draw((2, WIDTH)), draw((2, WIDTH, WIDTH)) / np.sqrt(WIDTH)
    learned = draw((len(POSITIONS), WIDTH)) / np.sqrt(2)  # as long as the sinusoidal ones, on average
    table = sinusoidal(POSITIONS, WIDTH) if kind == "sinusoidal" else learned
    for_query, for_key = projections if projected else (np.eye(WIDTH), np.eye(WIDTH))
    return for_query @ words[0], for_key @ words[1], table @ for_query.T, table @ for_key.T


@dataclass(frozen=True)
class FourTerms:
    """(x_m + p_m)·(x_n + p_n) for one choice of addresses."""

    kind: Kind
    projected: bool

    @property
    def content(self) -> float:
        """The term of the two words alone, the same at every place."""
        query, key, _, _ = _both_sides(self.kind, self.projected)
        return float(query @ key)

    def along(self, gap: int) -> dict[str, Array]:
        """Each term at every query position m with the key at m + gap; not a number where there is no such key."""
        query, key, query_places, key_places = _both_sides(self.kind, self.projected)
        keys = POSITIONS + gap
        inside = (keys >= 0) & (keys < len(POSITIONS))
        terms = additive_terms(query, key, query_places, key_places[np.clip(keys, 0, len(POSITIONS) - 1)])
        return {
            name: np.where(inside, np.broadcast_to(term, keys.shape), np.nan)
            for name, term in zip(TERMS, terms, strict=True)
        }

    def by_place(self) -> tuple[Array, Array]:
        """The two terms that follow one place alone: word·address over n, address·word over m."""
        query, key, query_places, key_places = _both_sides(self.kind, self.projected)
        terms = additive_terms(query, key, query_places, key_places)
        return terms.content_position, terms.position_content

    def map(self, rows: NDArray[np.int_], columns: NDArray[np.int_]) -> tuple[Array, float]:
        """The whole score over the places `rows` × `columns`, and its diagonal spread."""
        query, key, query_places, key_places = _both_sides(self.kind, self.projected)
        scores = (query + query_places[rows]) @ (key + key_places[columns]).T
        return scores, diagonal_spread(scores)


def spread(term: Array) -> float:
    """How far a term moves over the places where it is known; 0 where it is known nowhere."""
    known = term[np.isfinite(term)]
    return float(np.ptp(known)) if len(known) else 0.0
