"""The training bench in a real browser: the curve grows, stop ends it, the link reopens it, a phone holds it."""

import pytest
from playwright.sync_api import Page, expect

from pages.kit import words
from tests.browser.app_helpers import PATIENCE, expect_no_exception, open_page, serious_faults, unfold, wait_until_still
from tests.browser.conftest import NewPage
from tests.browser.stage_helpers import expect_plots, keys, panel, query, until

TEXTS = words.Words("en", "training")
GROWN = """(() => {
  const plot = document.querySelector('[data-panel=loss] .js-plotly-plot');
  return plot && plot.data[0].x.length;
})()"""
LONG = "/training?training_models=RoPE&training_models=learned&training_steps=400&training_width=128&training_further=0"


def stop(page: Page) -> None:
    page.get_by_role("button", name=TEXTS("stop"), exact=True).click()


def train(page: Page) -> None:
    page.get_by_role("button", name=TEXTS("train"), exact=True).click()


def test_the_curve_grows_and_stop_ends_it(page: Page, app_url: str) -> None:
    open_page(page, app_url, LONG)
    expect_plots(page)
    page.evaluate("window.kept = document.querySelector('.stage')")
    train(page)
    expect(panel(page, "ways")).to_have_count(0, timeout=PATIENCE)
    until(page, f"0 < {GROWN} && {GROWN} < 60")
    before = page.evaluate(GROWN)
    until(page, f"{GROWN} > {before}")
    expect(page.locator("[data-testid=stProgress]")).to_contain_text(TEXTS("training", step=0, steps=400)[:4])
    assert page.evaluate("window.kept.isConnected"), "the picture was built anew"
    stop(page)
    expect(page.get_by_text(TEXTS("stopped"))).to_be_visible(timeout=PATIENCE)
    expect(panel(page, "ways")).to_have_count(1)
    wait_until_still(page)
    expect(page.get_by_role("button", name=TEXTS("train"), exact=True)).to_be_enabled()
    assert query(page)["training_width"] == "128"
    expect_no_exception(page)


def test_a_short_training_runs_to_its_end(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/training?training_models=RoPE&training_steps=20&training_further=20&training_width=32")
    train(page)
    said = TEXTS("shown_own", gap=5, length=32, steps=20, seed=0, width=32)
    expect(page.get_by_text(said)).to_be_visible(timeout=2 * PATIENCE)
    expect_plots(page)
    assert page.evaluate(GROWN) == 20
    expect(panel(page, "map-rope")).to_have_count(1)
    expect(panel(page, "map-none")).to_have_count(0)
    expect_no_exception(page)


def test_a_chapter_takes_no_notice_of_a_training(page: Page, new_page: NewPage, app_url: str) -> None:
    open_page(page, app_url, LONG)
    train(page)
    until(page, f"0 < {GROWN} && {GROWN} < 60")
    other = new_page()
    open_page(other, app_url, "/dancers")
    keys(other, "m", "ArrowRight")
    expect(other.get_by_label(words.Words("en", "dancers")("exact_m"))).to_have_value("18")
    wait_until_still(other)
    expect_no_exception(other)
    stop(page)
    expect(page.get_by_text(TEXTS("stopped"))).to_be_visible(timeout=PATIENCE)


def test_nothing_needs_scrolling_sideways_on_a_phone(phone_page: Page, app_url: str) -> None:
    open_page(phone_page, app_url, "/training")
    expect_plots(phone_page)
    assert phone_page.evaluate("document.scrollingElement.scrollWidth") <= 390
    inside = phone_page.locator(".stage").bounding_box()
    assert inside
    for name in ("lengths", "ways"):
        box = panel(phone_page, name).locator("table").bounding_box()
        assert box
        assert inside["x"] <= box["x"]
        assert box["x"] + box["width"] <= inside["x"] + inside["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page: NewPage, app_url: str, scheme: str) -> None:
    page = new_page(color_scheme=scheme)
    open_page(page, app_url, "/training")
    expect_plots(page)
    unfold(page)
    assert not serious_faults(page)
