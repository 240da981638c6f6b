"""Rotary position embedding, computed exactly: pure functions on numpy arrays.

The same rotation for torch tensors is in `rope_core.tensors`, which nothing here imports.
"""

from rope_core.additive import AdditiveTerms, additive_terms, sinusoidal
from rope_core.frequencies import inverse_frequencies, wavelengths
from rope_core.measure import diagonal_spread, mean_cosine
from rope_core.rotation import Layout, rotate, scores, scores_by_gap

__all__ = [
    "AdditiveTerms",
    "Layout",
    "additive_terms",
    "diagonal_spread",
    "inverse_frequencies",
    "mean_cosine",
    "rotate",
    "scores",
    "scores_by_gap",
    "sinusoidal",
    "wavelengths",
]
