"""The bench of precision in a real browser: the shift under the hand, a gap that the worker measures, the link."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from pages.kit import words
from pages.kit.precision_data import positions
from rope_core import precision as core
from tests.browser.app_helpers import PATIENCE, expect_no_exception, open_page, serious_faults, unfold, wait_until_still
from tests.browser.conftest import NewPage
from tests.browser.stage_helpers import expect_plots, expect_query, keys, panel, reading

TEXTS = words.Words("en", "precision")


def bricks(page: Page) -> list[int]:
    """How many bricks each lane has, from the top."""
    tops = [brick.get_attribute("y") for brick in panel(page, "line").locator(".stage-brick").all()]
    return [tops.count(top) for top in dict.fromkeys(tops)]


def apart(shift: int) -> list[int]:
    """How many of the 16 positions from `shift` on each lane tells apart, by torch."""
    return [len(np.unique(core.as_read(shift + np.arange(16), name))) for name in ("float32", "float16", "bfloat16")]


def title(page: Page, way: str, gap: int) -> None:
    """Wait until the plot is drawn at `gap`."""
    wanted = TEXTS(f"{way}_title", gap=gap)
    expect(panel(page, way).locator(".gtitle")).to_have_text(wanted, timeout=PATIENCE)


def test_the_bench_stands_at_once_and_follows_the_shift(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/precision")
    expect_plots(page)
    for way in ("own", "float32"):
        title(page, way, -5)
    assert bricks(page) == apart(4096) == [16, 5, 1]
    keys(page, "precision_shift", "Home")
    expect(reading(page, "precision_shift")).to_have_text("1")
    expect(panel(page, "line").locator(".stage-key-text")).to_have_text(TEXTS("stem_key", place=1))
    assert bricks(page) == [16, 16, 16]
    keys(page, "precision_shift", "End", "ArrowLeft")
    shift = int(positions().shifts[-2])
    expect(panel(page, "line").locator(".stage-key-text")).to_have_text(TEXTS("stem_key", place=shift))
    assert bricks(page) == apart(shift)
    wait_until_still(page)
    expect_query(page, {"precision_shift": str(shift)})
    page.reload()
    wait_until_still(page)
    expect(panel(page, "line").locator(".stage-key-text")).to_have_text(TEXTS("stem_key", place=shift))
    expect_no_exception(page)


def test_another_gap_is_measured_and_stands_in_the_link(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/precision")
    title(page, "own", -5)
    box = page.get_by_label(TEXTS("exact_precision_gap"))
    box.fill("-37")
    box.press("Enter")
    title(page, "own", -37)
    title(page, "float32", -37)
    expect(page.locator(".st-key-waiting")).to_have_count(0)
    wait_until_still(page)
    expect_query(page, {"precision_gap": "-37"})
    query_read, key_read = core.as_read([4096 + 37, 4096], "bfloat16")
    row = panel(page, "numbers").get_by_role("row", name="bfloat16")
    expect(row.get_by_role("cell").nth(0)).to_have_text(words.readable(key_read - query_read, ",.0f"))
    keys(page, "precision_gap", "ArrowRight")
    title(page, "own", -36)
    expect(box).to_have_value("-36")
    expect_no_exception(page)


def test_nothing_needs_scrolling_sideways_on_a_phone(phone_page: Page, app_url: str) -> None:
    open_page(phone_page, app_url, "/precision?precision_shift=1048576&precision_gap=-256")
    title(phone_page, "own", -256)
    assert phone_page.evaluate("document.scrollingElement.scrollWidth") <= 390
    inside = phone_page.locator(".stage").bounding_box()
    assert inside
    for drawn in (panel(phone_page, "numbers").locator("table"), panel(phone_page, "line").locator("svg")):
        box = drawn.bounding_box()
        assert box
        assert inside["x"] <= box["x"]
        assert box["x"] + box["width"] <= inside["x"] + inside["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page: NewPage, app_url: str, scheme: str) -> None:
    page = new_page(color_scheme=scheme)
    open_page(page, app_url, "/precision")
    expect_plots(page)
    unfold(page)
    assert not serious_faults(page)
