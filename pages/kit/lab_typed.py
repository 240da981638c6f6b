"""Parameters typed by hand: named as in a config.json, each in the link, together one config.json."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.kit.words import Words

TYPES = ("default", "linear", "dynamic", "llama3", "yarn", "proportional")  # longrope needs lists
FAMILIES = {"half": "stablelm", "interleaved": "glm"}  # families that read every key there is
Number = float | int | None


@dataclass(frozen=True)
class Field:
    """A number of a config.json with its default and its range, None where it may be left open."""

    key: str
    default: Number
    low: float
    high: float
    types: tuple[str, ...] = TYPES  # the rope types that take it

    @property
    def name(self) -> str:
        """Its name in the link."""
        return f"lab_{self.key}"

    @property
    def is_whole(self) -> bool:
        """Whether it counts something."""
        return isinstance(self.low, int)

    def clean(self, raw: object) -> Number:
        """`raw` as a number in range; the default if it cannot be read as a finite one."""
        number = _finite(raw)
        if number is None:
            return self.default
        inside = min(max(number, self.low), self.high)
        return int(inside) if self.is_whole else inside


def _finite(raw: object) -> float | None:
    try:
        number = float(str(raw)[:40])
    except ValueError:
        return None
    return number if math.isfinite(number) else None


STRETCHING = ("linear", "dynamic", "llama3", "yarn", "proportional")
OUTER = (
    Field("head_dim", 128, 2, 1024),
    Field("max_position_embeddings", 32_768, 1, 10**9),
)
INNER = (
    Field("rope_theta", 10_000.0, 1.5, 1e12),
    Field("partial_rotary_factor", 1.0, 0.01, 1.0),
    Field("factor", 8.0, 0.01, 1e6, STRETCHING),
    Field("original_max_position_embeddings", 4096, 1, 10**9, ("llama3", "yarn")),
    Field("low_freq_factor", 1.0, 0.001, 1e6, ("llama3",)),
    Field("high_freq_factor", 4.0, 0.001, 1e6, ("llama3",)),
    Field("beta_fast", 32.0, 0.001, 1e6, ("yarn",)),
    Field("beta_slow", 1.0, 0.001, 1e6, ("yarn",)),
    Field("attention_factor", None, 0.0, 1e6, ("yarn",)),
    Field("mscale", None, 0.0, 1e6, ("yarn",)),
    Field("mscale_all_dim", None, 0.0, 1e6, ("yarn",)),
)


def config(rope_type: str, layout: str, numbers: Mapping[str, Number]) -> dict[str, Any]:
    """The config.json that says what was typed."""
    stated = {key: number for key, number in numbers.items() if number is not None}
    outer = {field.key: stated.pop(field.key) for field in OUTER}
    return {"model_type": FAMILIES[layout], **outer, "rope_parameters": {"rope_type": rope_type, **stated}}


def typed(texts: Words) -> dict[str, Any]:
    """Show the inputs; return the config.json of what stands in them."""
    left, right = st.columns(2)
    rope_type = left.selectbox("rope_type", TYPES, key="lab_rope_type", bind="query-params")
    layout = right.selectbox(texts("fact_layout"), list(FAMILIES), key="lab_layout", bind="query-params")
    fields = [field for field in (*OUTER, *INNER) if rope_type in field.types]
    _mend_link(fields)
    numbers = {}
    for row in range(0, len(fields), 2):
        for field, column in zip(fields[row : row + 2], st.columns(2, vertical_alignment="bottom"), strict=False):
            with column:
                numbers[field.key] = _input(field, texts)
    return config(rope_type, layout, numbers)


def _input(field: Field, texts: Words) -> Number:
    how: dict[str, Any] = {"step": 1, "format": "%d"} if field.is_whole else {"step": 1.0, "format": "%.10g"}
    how |= {"min_value": field.low, "max_value": field.high, "value": field.default}
    value: Number = st.number_input(
        field.key, help=texts(f"typed_{field.key}"), key=field.name, bind="query-params", **how
    )
    return value


def _mend_link(fields: list[Field]) -> None:
    # An input would take the default for what lies outside its range, and fail on an infinite value.
    said = {field: st.query_params.get(field.name) for field in fields if field.name not in st.session_state}
    wrong = [field for field, raw in said.items() if raw is not None and field.clean(raw) != _finite(raw)]
    for field in wrong:
        value = field.clean(said[field])
        if value is None:
            del st.query_params[field.name]
        else:
            st.query_params[field.name] = str(value)
    if wrong:
        st.rerun()
