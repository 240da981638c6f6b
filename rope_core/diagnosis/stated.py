"""The tables that a configuration states, as profiles to hold against the data."""

from collections.abc import Mapping

import numpy as np

from rope_core.config import RopeSpec
from rope_core.diagnosis.arrays import DiagnosisError, Real
from rope_core.diagnosis.findings import Profile
from rope_core.tables import TABLES

Specs = RopeSpec | Mapping[str, RopeSpec] | None


def profiles(spec: Specs, layer_type: str | None, places: Real) -> list[Profile]:
    """The tables of the stated layers, without their scaling too, and those of the other layers under their names.

    DiagnosisError for a layer type that the configuration does not have.
    """
    kinds = spec if isinstance(spec, Mapping) else {} if spec is None else {"all": spec}
    if layer_type is not None and layer_type not in kinds:
        raise DiagnosisError("layer_type", f"The layer type {layer_type!r} is not one of {', '.join(kinds) or 'none'}.")
    own = layer_type or (next(iter(kinds)) if len(kinds) == 1 else None)
    return [
        profile
        for name, kind in kinds.items()
        if kind.scaling is not None
        for profile in _tables("stated" if name == own else f"layer:{name}", kind, places)
    ]


def own_spec(spec: Specs, layer_type: str | None) -> RopeSpec | None:
    """The RopeSpec of the layers at hand, None where it is not known which they are."""
    if not isinstance(spec, Mapping):
        return spec
    return spec[layer_type] if layer_type else next(iter(spec.values())) if len(spec) == 1 else None


def _tables(source: str, spec: RopeSpec, places: Real) -> list[Profile]:
    """One profile for each different table over the lengths that come into question."""
    scaling = spec.scaling
    assert scaling is not None
    kept = list[Profile]()
    lengths = [None, len(places), max(int(places.max()) + 1, 1)]
    lengths += [scaling.original_positions + 1] if scaling.original_positions else []
    for length in lengths:
        table, modulus = spec.table(length)
        rates = table.astype(np.float64)
        if not any(np.array_equal(rates, other.rates) for other in kept):
            base = _effective_base(rates) if spec.rope_type == "dynamic" else scaling.base
            kept.append(Profile(source, spec.rope_type, rates, base, scaling.factor, modulus))
    if source == "stated" and spec.rope_type != "default":
        plain = TABLES["default"](scaling, None)[0].astype(np.float64)
        kept.append(Profile("unscaled", "default", plain, scaling.base, 1.0, 1.0))
    return kept


def _effective_base(rates: Real) -> float:
    return float(rates[1] ** -len(rates)) if len(rates) > 1 else 1.0
