"""The doctor: which convention turned one array into another."""

from rope_core.diagnosis.arrays import DiagnosisError
from rope_core.diagnosis.diagnosing import CONVENTION, Diagnosis, diagnose
from rope_core.diagnosis.sentences import SENTENCES

__all__ = ["CONVENTION", "SENTENCES", "Diagnosis", "DiagnosisError", "diagnose"]
