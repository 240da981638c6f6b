"""The link: whatever it says becomes a value in range and on a step."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.kit import link
from pages.kit.link import Quantity

QUANTITIES = st.builds(
    lambda low, steps, step, at: Quantity("q", low + min(at, steps) * step, low, low + steps * step, step),
    st.integers(-1000, 1000),
    st.integers(0, 500),
    st.integers(1, 64),
    st.integers(0, 500),
)
NUMERALS = st.from_regex(r"[+-]?[0-9_]{0,50}\.?[0-9]{0,9}(e[+-]?[0-9]{1,4})?", fullmatch=True)
TEXTS = st.text(max_size=60) | NUMERALS | st.floats().map(str) | st.integers().map(str)
RAW = TEXTS | st.integers() | st.floats() | st.none() | st.lists(st.integers(), max_size=3)
NAMES = st.sampled_from([*link.SHARED, "lang", "gap_text", "D", ""])
QUERIES = st.lists(st.tuples(NAMES, TEXTS), max_size=8)


def is_settled(value: int, quantity: Quantity) -> bool:
    """Whether a value is in range and on a step."""
    on_step = (value - quantity.low) % quantity.step == 0
    return type(value) is int and quantity.low <= value <= quantity.high and on_step


@given(QUANTITIES, RAW)
def test_anything_becomes_a_value_in_range_and_on_a_step(quantity: Quantity, raw: object) -> None:
    assert is_settled(quantity.clean(raw), quantity)


@given(QUANTITIES, st.data())
def test_a_value_in_range_and_on_a_step_stays(quantity: Quantity, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from(range(quantity.low, quantity.high + 1, quantity.step)))
    assert [quantity.clean(raw) for raw in (value, str(value), f" {value}.0 ", float(value))] == [value] * 4


@given(QUANTITIES, st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_beyond_an_end_becomes_that_end_and_the_rest_the_step_below(quantity: Quantity, raw: float) -> None:
    value = quantity.clean(repr(raw))
    if raw >= quantity.high:
        assert value == quantity.high
    elif raw <= quantity.low:
        assert value == quantity.low
    else:
        assert value <= raw < value + quantity.step


@pytest.mark.parametrize("raw", ["", "banana", "nan", "inf", "-inf", "1e999", "0x10", "1,000", "--3", None, [4], "१२x"])
def test_what_cannot_be_read_is_the_default(raw: object) -> None:
    assert Quantity("q", 7, 0, 4096).clean(raw) == 7


@pytest.mark.parametrize(
    ("quantity", "raw", "value"),
    [
        (link.DIMENSION, "7", 6),
        (link.DIMENSION, "1", 2),
        (link.DIMENSION, "1e3", 256),
        (link.M, "-5", 0),
        (link.M, "4097", 4096),
        (link.M, "9" * 10_000, 4096),
        (link.BASE, "0.1", 10),
        (link.PAIR, "9999", 127),
    ],
)
def test_the_shared_names_keep_to_their_ranges(quantity: Quantity, raw: str, value: int) -> None:
    assert quantity.clean(raw) == value


@given(st.dictionaries(st.sampled_from([*link.SHARED, "other"]), RAW))
def test_fitted_values_fit_one_another(raw: dict[str, object]) -> None:
    values = link.fitted(link.SHARED.values(), raw)
    assert list(values) == list(link.SHARED)
    assert all(is_settled(value, link.SHARED[name]) for name, value in values.items())
    assert values["pair"] < values["d"] / 2
    assert link.fitted(link.SHARED.values(), values) == values


def test_fitted_leaves_out_what_is_not_asked_for() -> None:
    assert link.fitted([link.N], {"n": "3", "m": "4"}) == {"n": 3}
    assert link.fitted([link.PAIR], {"pair": "100"}) == {"pair": 100}
    assert link.fitted([link.PAIR, link.DIMENSION], {"pair": "100", "d": "5"}) == {"pair": 1, "d": 4}


@given(QUERIES)
def test_a_canonical_query_is_canonical(pairs: list[tuple[str, str]]) -> None:
    query = link.canonical_query(pairs)
    assert link.canonical_query(query) == query


@given(QUERIES)
def test_a_canonical_query_says_the_same(pairs: list[tuple[str, str]]) -> None:
    before, after = dict(pairs), dict(link.canonical_query(pairs))
    assert link.fitted(link.SHARED.values(), after) == link.fitted(link.SHARED.values(), before)


@given(QUERIES)
def test_a_canonical_query_holds_nothing_superfluous(pairs: list[tuple[str, str]]) -> None:
    query = link.canonical_query(pairs)
    shared = [(name, text) for name, text in query if name in link.SHARED]
    assert len({name for name, _ in shared}) == len(shared)
    assert all(int(text) != link.SHARED[name].default and text == str(int(text)) for name, text in shared)
    others = [(name, text) for name, text in pairs if name not in link.SHARED]
    assert [(name, text) for name, text in query if name not in link.SHARED] == others


@given(st.integers(0, 127), st.integers(0, 127))
def test_a_narrowed_quantity_has_its_default_in_range(high: int, default: int) -> None:
    narrow = link.narrowed(replace(link.PAIR, default=default), high)
    assert narrow.high == high
    assert is_settled(narrow.default, narrow)
    assert narrow.clean("9999") == high


def test_every_shared_default_is_in_range() -> None:
    for name, quantity in link.SHARED.items():
        assert quantity.name == name
        assert is_settled(quantity.default, quantity)
        assert math.isfinite(quantity.high)
