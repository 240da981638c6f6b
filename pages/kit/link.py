"""The link is the state: every quantity a visitor sets has a name in the address bar.

Shared names are plain (`m`, `b`, …), a page's own are `<page>_<name>`. Whatever a link carries becomes a
value in range: outside it the nearest end, an odd width the next lower even one, the unreadable the default.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.runtime.state.session_state_proxy import get_session_state

from pages.kit.words import Words


@dataclass(frozen=True)
class Quantity:
    """A whole number with a name in the link: its default, its range and its step.

    One that is `chosen` is the number of a name among several; it has no exact-value input.
    """

    name: str
    default: int
    low: int
    high: int
    step: int = 1
    chosen: bool = False

    def clean(self, raw: object) -> int:
        """`raw` as a value in range and on a step; the default if it cannot be read as a finite number."""
        try:
            number = float(str(raw)[:40])
        except ValueError:
            return self.default
        if not math.isfinite(number):
            return self.default
        inside = min(max(number, self.low), self.high)
        return self.low + int((inside - self.low) // self.step) * self.step


M = Quantity("m", 17, 0, 4096)
N = Quantity("n", 12, 0, 4096)
BASE = Quantity("b", 10_000, 10, 10_000_000)
DIMENSION = Quantity("d", 64, 2, 256, step=2)
PAIR = Quantity("pair", 0, 0, DIMENSION.high // 2 - 1)
SHARED = {quantity.name: quantity for quantity in (M, N, BASE, DIMENSION, PAIR)}


def fitted(quantities: Iterable[Quantity], raw: Mapping[str, object]) -> dict[str, int]:
    """Clean values of all `quantities`; a pair beyond the width becomes the width's last pair."""
    values = {q.name: q.clean(raw.get(q.name, q.default)) for q in quantities}
    if "pair" in values and "d" in values:
        values["pair"] = min(values["pair"], values["d"] // 2 - 1)
    return values


def canonical_query(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The query with every shared name cleaned, defaults and repetitions left out, other names as they were."""
    given = list(pairs)
    named = {name: text for name, text in given if name in SHARED}
    width = DIMENSION.clean(named.get("d", DIMENSION.default))
    values = {name: SHARED[name].clean(text) for name, text in named.items()}
    if "pair" in values:
        values["pair"] = min(values["pair"], width // 2 - 1)
    result = [(name, text) for name, text in given if name not in SHARED]
    return result + [(name, str(value)) for name, value in values.items() if value != SHARED[name].default]


def settle(quantities: Iterable[Quantity], values: Mapping[str, int]) -> None:
    """Make `values` the state; the inputs of these names follow. The stage writes the link itself."""
    for quantity in quantities:
        _follow(quantity, values[quantity.name])


def _follow(quantity: Quantity, value: int) -> None:
    _note_in_link(quantity, value)
    if not quantity.chosen:
        st.session_state[quantity.name] = value


def _note_in_link(quantity: Quantity, value: int) -> None:
    # The stage puts the query into the address bar. Streamlit's copy of it must follow without a message to the
    # browser, which would add to the history; Streamlit 1.67 has no public way to say so.
    with get_session_state().query_params() as query:
        if value == quantity.default:
            query.discard_param_no_forward_msg(quantity.name)
        else:
            query.set_with_no_forward_msg(quantity.name, str(value))


def read(quantities: Iterable[Quantity]) -> dict[str, int]:
    """The values of `quantities` as the visitor or the link set them, cleaned; called before their inputs run."""
    wanted = list(quantities)
    return fitted(wanted, {q.name: _said(q) for q in wanted})


def _said(quantity: Quantity) -> object:
    in_link = st.query_params.get(quantity.name, quantity.default)
    return in_link if quantity.chosen else st.session_state.get(quantity.name, in_link)


def mend(quantity: Quantity) -> None:
    """Clean what the link says of `quantity` before its bound input runs, which an infinite value would make fail."""
    said = st.query_params.get(quantity.name)
    clean = str(quantity.clean(said))
    if quantity.name not in st.session_state and said not in (None, clean):
        st.query_params[quantity.name] = clean
        st.rerun()


def read_text(name: str, default: str) -> str:
    """The text under `name` as the visitor or the link set it."""
    return str(st.session_state.get(name, st.query_params.get(name, default)))


def narrowed(quantity: Quantity, high: int) -> Quantity:
    """`quantity` with a lower upper end, as the pair has for a small width; its default stays within it."""
    return replace(quantity, high=min(quantity.high, high), default=min(quantity.default, high))


def inputs(quantities: Sequence[Quantity], texts: Words, on_change: Callable[[], None]) -> dict[str, int]:
    """An exact-value input for each quantity that is not chosen by name; returns the values of all."""
    _arrive(quantities, texts.page)
    values = read(quantities)
    with st.container(horizontal=True):
        for quantity in quantities:
            _note_in_link(quantity, values[quantity.name])
            if not quantity.chosen:
                _input(quantity, values[quantity.name], texts, on_change)
    return values


def _arrive(quantities: Sequence[Quantity], page: str) -> None:
    # On coming to a page its link decides; without one the values come along from the page before.
    at = st.session_state.setdefault("link_pages", {})
    linked = any(q.name in st.query_params for q in quantities)
    source: Mapping[str, object] = st.query_params if linked else {q.name: _said(q) for q in quantities}
    for quantity, value in zip(quantities, fitted(quantities, source).values(), strict=True):
        if not quantity.chosen and at.get(quantity.name) != page:
            at[quantity.name] = page
            st.session_state[quantity.name] = value


def _input(quantity: Quantity, value: int, texts: Words, on_change: Callable[[], None]) -> None:
    # Not bound to the link by Streamlit: leaving the page, it would add to the history. The stage writes the link.
    if st.session_state.get(quantity.name) != value:
        st.session_state[quantity.name] = value
    st.number_input(
        texts(f"exact_{quantity.name}"),
        min_value=quantity.low,
        max_value=quantity.high,
        step=quantity.step,
        key=quantity.name,
        on_change=on_change,
        width=118,
    )
