"""The game in the fog: what is hidden, what can be told, and what cannot."""

import numpy as np
import pytest

from pages.kit import fog

SEEN = tuple("the lamp turns and the sea keeps its place".split())
GAPS = [[j - i for j in range(9)] for i in range(9)]


def test_a_round_always_hides_its_place_alike_and_all_over() -> None:
    places = [fog.hidden_place(game) for game in range(1, 100)]
    assert places == [fog.hidden_place(game) for game in range(1, 100)]
    assert min(places) >= 0
    assert max(places) + fog.COUNT - 1 <= 4096
    assert len(set(places)) > 90
    assert np.mean(places) == pytest.approx(4087 / 2, rel=0.15)


def test_the_table_is_the_same_at_every_place() -> None:
    first = fog.score_table(SEEN, 0)
    assert np.abs(first).max() > 0.1
    for place in (1, 2_000, 4_087):
        assert fog.score_table(SEEN, place) == pytest.approx(first, abs=1e-12)


@pytest.mark.parametrize("place", [0, 1_934, 4_087])
def test_all_gaps_can_be_told(place: int) -> None:
    assert fog.gaps_found(SEEN, place).tolist() == GAPS


def test_with_an_added_address_the_place_can_be_told_with_rope_it_cannot() -> None:
    rope, added = fog.misfits(SEEN, 1_934)
    assert rope.max() < 1e-12
    assert added.argmin() == 1_934
    assert added[1_934] == 0
    assert np.sort(added)[1] > 0.01


def test_who_names_the_middle_is_off_by_a_quarter_of_the_document() -> None:
    middle = 2_044
    assert fog.blind_miss() == pytest.approx(sum(abs(place - middle) for place in range(4_088)) / 4_088)
