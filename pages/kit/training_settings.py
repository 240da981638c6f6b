"""What a visitor asks a training for, in the link; every value within the limits of a Plan."""

import streamlit as st

from pages.kit import link
from pages.kit.link import Quantity
from pages.kit.words import Words
from rope_core.training_plan import KINDS, LIMITS, TARGETS, WIDTHS, Kind, Plan

# Names that every language shares, for they stand in the link.
NAMES: dict[str, Kind] = {"RoPE": "rope", "sinusoidal": "sinusoidal", "learned": "learned", "none": "none"}
MODELS = "training_models"
ROWS = (("gap", "length"), ("steps", "seed"), ("target", "further"))
CHOICES = {"target": TARGETS, "width": WIDTHS}


def quantity(field: str) -> Quantity:
    """A field of a Plan as a quantity of the link."""
    return Quantity(f"training_{field}", getattr(Plan, field), *LIMITS[field])


def name(kind: Kind) -> str:
    """What a kind of model is called."""
    return next(name for name, of in NAMES.items() if of == kind)


def ask(texts: Words) -> Plan | None:
    """Ask for everything; None where no model is chosen."""
    for field in LIMITS:
        link.mend(quantity(field))
    names = st.pills(
        texts("models"), list(NAMES), selection_mode="multi", default=list(NAMES), key=MODELS, bind="query-params"
    )
    numbers: dict[str, int] = {}
    for row in ROWS:
        for field, column in zip(row, st.columns(2, vertical_alignment="bottom"), strict=True):
            with column:
                numbers[field] = _input(field, texts)
    numbers["width"] = _input("width", texts)
    chosen = {NAMES[name] for name in names}
    kinds = tuple(kind for kind in KINDS if kind in chosen)
    return Plan(kinds, **numbers) if kinds else None


def _input(field: str, texts: Words) -> int:
    label, told, key = texts(f"set_{field}"), texts(f"set_{field}_help"), f"training_{field}"
    if field in CHOICES:
        options, default = list(CHOICES[field]), getattr(Plan, field)
        return int(
            st.selectbox(label, options, options.index(default), help=told, key=key, bind="query-params") or default
        )
    found = quantity(field)
    value = st.number_input(
        label, found.low, found.high, found.default, step=1, help=told, key=key, bind="query-params"
    )
    return int(value)
