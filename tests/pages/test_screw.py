"""The ways to stretch: their formulas, what they leave unseen, and their price, against numbers from outside."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from pages.kit import stretch_plots, thread
from pages.kit.stretch import METHODS, PHI_3, Stretch

MODELS = json.loads((Path(__file__).resolve().parents[1] / "data" / "models.json").read_text(encoding="utf-8"))
PLAIN = [10_000 ** (-2 * i / 128) for i in range(64)]


def of(method: str, trained: int = 4_096, target: int = 32_768) -> Stretch:
    return Stretch.of(method, trained, target)


def test_the_rates_before_are_the_plain_ones() -> None:
    assert of("none").after == pytest.approx(PLAIN, rel=1e-6)


def test_position_interpolation_slows_all_alike() -> None:
    assert of("linear").slowed == pytest.approx([8] * 64, rel=1e-6)


def test_ntk_aware_slows_the_fastest_by_1_and_the_slowest_by_the_factor() -> None:
    base = 10_000 * 8 ** (128 / 126)
    assert base == pytest.approx(82_685, abs=1)
    assert of("ntk").after == pytest.approx([base ** (-2 * i / 128) for i in range(64)], rel=1e-6)
    assert of("ntk").slowed[[0, 32, 63]] == pytest.approx([1, 2.875, 8], rel=1e-3)


def test_dynamic_is_ntk_aware_with_twice_the_factor_less_1() -> None:
    base = 10_000 * (2 * 8 - 1) ** (128 / 126)
    assert of("dynamic").after == pytest.approx([base ** (-2 * i / 128) for i in range(64)], rel=1e-6)


def test_yarn_keeps_the_fast_pairs_and_divides_the_slow_ones() -> None:
    yarn = of("yarn", 4_096, 65_536)
    assert (yarn.kept, yarn.divided) == (21, 18)
    assert yarn.slowed[:21] == pytest.approx([1] * 21, rel=1e-6)
    assert yarn.slowed[-18:] == pytest.approx([16] * 18, rel=1e-6)
    assert (np.diff(yarn.slowed) > -1e-6).all()


def test_llama_3_keeps_what_turns_four_times_and_divides_what_never_turns() -> None:
    for rate, slowed in zip(PLAIN, of("llama3").slowed, strict=True):
        wave = 2 * math.pi / rate
        if wave < 4_096 / 4:
            assert slowed == pytest.approx(1, rel=1e-6)
        elif wave > 4_096:
            assert slowed == pytest.approx(8, rel=1e-6)
        else:
            assert 1 <= slowed <= 8


def test_longrope_has_the_published_factors() -> None:
    (published,) = [row for row in MODELS if row["repo"] == PHI_3.repository]
    factors = published["config"]["rope_scaling"]["long_factor"]
    assert PHI_3.long_factor == pytest.approx(factors, rel=1e-6)
    assert of("longrope").slowed == pytest.approx(factors, rel=1e-6)
    assert (of("longrope").trained, of("longrope").target) == (4_096, 131_072)


def test_how_many_pairs_meet_unseen_angles() -> None:
    never_round = sum(2 * math.pi / rate > 4_096 for rate in PLAIN)
    assert never_round == 18
    counts = {method: int(of(method).unseen.sum()) for method in METHODS}
    assert counts["none"] == never_round
    assert counts["linear"] == counts["yarn"] == counts["llama3"] == counts["longrope"] == 0
    assert 0 < counts["dynamic"] < counts["ntk"] < never_round


def test_ntk_aware_overruns_by_up_to_a_fifth() -> None:
    """FACTS of the field: at factor 2 from 4,096 some slow pairs go 1.21 times as far as in training."""
    ntk = of("ntk", 4_096, 8_192)
    assert (ntk.after * ntk.target / ntk.reach)[ntk.unseen].max() == pytest.approx(1.21, abs=0.01)


def test_the_price_for_near_neighbours() -> None:
    prices = {method: of(method).neighbour for method in ("none", "linear", "ntk")}
    assert prices["none"] == pytest.approx(1 - sum(map(math.cos, PLAIN)) / 64, abs=1e-7)
    assert prices == pytest.approx({"none": 0.0298, "linear": 0.0005, "ntk": 0.0250}, abs=5e-5)


def test_the_numbers_of_the_blow_up() -> None:
    found = stretch_plots.blow_up()
    assert found["inside"] == pytest.approx(1.4, abs=0.05)
    assert found["beyond"] == pytest.approx(4_250, rel=0.05)
    assert found["shrunk"] == pytest.approx(1.4, abs=0.05)


@pytest.mark.parametrize(("turns", "scale"), [(0, 1), (0.3, 1), (36, 1), (37, 10), (360, 10), (5_215, 1_000)])
def test_a_drawn_winding_stands_for_a_power_of_ten(turns: float, scale: int) -> None:
    assert thread.scale(turns) == scale


def test_the_thread_stands_where_its_angle_is() -> None:
    points = [tuple(map(float, point.split())) for point in thread.path(0.0, 1.0, 2.5)[1:].split("L")]
    for x, y in points:
        share = (x - thread.LEFT) / thread.LENGTH
        assert y == pytest.approx(thread.AXIS - thread.RADIUS * math.cos(2 * math.pi * 2.5 * share), abs=1.0)
    assert points[-1][0] == thread.LEFT + thread.LENGTH
    assert thread.path(0.4, 0.4, 2.5) == ""


@pytest.mark.parametrize("angle", [0.1, 1.0, 3.0, 3.3, 6.2])
def test_the_sector_ends_at_its_angle(angle: float) -> None:
    x, y = map(float, thread.sector(angle, 10.0).removesuffix("Z").split()[-2:])
    assert (x, y) == pytest.approx((10 * math.cos(angle), 10 * math.sin(angle)), abs=0.01)
    assert f"0 {int(angle > math.pi)} 1" in thread.sector(angle, 10.0)


def test_a_whole_turn_is_a_whole_dial() -> None:
    assert thread.sector(7.0) == thread.sector(2 * math.pi) != thread.sector(6.2)
