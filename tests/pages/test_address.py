"""The four terms of an added address, against sums written out."""

import math

import numpy as np
import pytest

from pages.kit.four_terms import KINDS, WIDTH, FourTerms, spread


def sine_address(place: int) -> list[float]:
    rates = [10_000 ** (-2 * i / WIDTH) for i in range(WIDTH // 2)]
    return [value for rate in rates for value in (math.sin(place * rate), math.cos(place * rate))]


def dot(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize(("m", "n"), [(17, 12), (0, 4096), (4096, 0), (300, 300)])
def test_the_terms_without_projections(m: int, n: int) -> None:
    query, key = np.random.default_rng(WIDTH).standard_normal((2, WIDTH)).tolist()
    p_m, p_n = sine_address(m), sine_address(n)
    found = {name: float(term[m]) for name, term in FourTerms("sinusoidal", False).along(n - m).items()}
    wanted = {"ww": dot(query, key), "wa": dot(query, p_n), "aw": dot(p_m, key), "aa": dot(p_m, p_n)}
    assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("projected", [True, False])
def test_only_word_word_stands_still(kind: str, projected: bool) -> None:
    terms = FourTerms(kind, projected)
    moved = {name: spread(term[:1_000]) for name, term in terms.along(5).items()}
    assert moved["ww"] == 0
    assert min(moved["wa"], moved["aw"]) > 5
    assert (moved["aa"] < 1e-9) == (kind == "sinusoidal" and not projected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("projected", [True, False])
def test_the_terms_add_up_to_the_map(kind: str, projected: bool) -> None:
    terms, places = FourTerms(kind, projected), np.arange(100, 228)
    scores, found = terms.map(places, places)
    along = sum(terms.along(9).values())
    assert scores.diagonal(9) == pytest.approx(along[places[:-9]], abs=1e-9)
    assert found >= spread(along[places[:-9]])
    assert found > 1


def test_the_parts_that_follow_one_place_are_the_parts_of_the_whole() -> None:
    terms = FourTerms("learned", True)
    by_n, by_m = terms.by_place()
    along = terms.along(-3)
    assert along["wa"][3:] == pytest.approx(by_n[:-3])
    assert along["aw"][3:] == pytest.approx(by_m[3:])
    assert np.isnan(along["aa"][:3]).all()


def test_the_constant_of_the_page() -> None:
    """sum of cos(5·rate) over the 32 pairs: 23.50, the same at every place."""
    constant = FourTerms("sinusoidal", False).along(-5)["aa"]
    assert constant[17] == pytest.approx(sum(math.cos(5 * 10_000 ** (-2 * i / 64)) for i in range(32)))
    assert constant[17] == pytest.approx(23.50, abs=0.005)
    assert spread(constant) < 1e-9
