"""Rotary position embedding, computed exactly: pure functions on numpy arrays.

The same rotation for torch tensors is in `rope_core.tensors`, which nothing here imports.
"""

from rope_core.additive import AdditiveTerms, additive_terms, sinusoidal
from rope_core.config import RopeSpec, read_config
from rope_core.diagnosis import Diagnosis, DiagnosisError, diagnose
from rope_core.frequencies import inverse_frequencies, wavelengths
from rope_core.keys import RopeConfigError
from rope_core.measure import diagonal_spread, mean_cosine
from rope_core.rotation import Layout, rotate, scores, scores_by_gap

__all__ = [
    "AdditiveTerms",
    "Diagnosis",
    "DiagnosisError",
    "Layout",
    "RopeConfigError",
    "RopeSpec",
    "additive_terms",
    "diagnose",
    "diagonal_spread",
    "inverse_frequencies",
    "mean_cosine",
    "read_config",
    "rotate",
    "scores",
    "scores_by_gap",
    "sinusoidal",
    "wavelengths",
]
