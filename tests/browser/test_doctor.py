"""The doctor's bench in a real browser: a sample by its link, a file dropped in, a broken file, a phone."""

import io
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from pages.kit import words
from tests.browser.app_helpers import PATIENCE, expect_no_exception, open_page, serious_faults, unfold, wait_until_still
from tests.browser.conftest import NewPage
from tests.browser.stage_helpers import expect_plots, expect_query, keys, panel

TEXTS = words.Words("en", "doctor")
EVIL = "<img src=x onerror=planted()>**planted**"


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def turned(base: float) -> bytes:
    """Interleaved pairs, turned by plain complex numbers."""
    x = np.random.default_rng(1).standard_normal((2, 16, 8))
    angles = np.outer(np.arange(16), base ** (-np.arange(4) / 4))
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return npz(before=x, after=np.stack([z.real, z.imag], -1).reshape(x.shape))


def drop(page: Page, *files: tuple[str, bytes]) -> None:
    sent = [{"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files]
    page.locator(".st-key-doctor_files input[type=file]").set_input_files(sent)


def expect_verdict(page: Page, text: str) -> None:
    expect(page.locator(".st-key-doctor_verdict")).to_contain_text(text, timeout=PATIENCE)


def test_a_sample_is_chosen_and_stands_in_the_link(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/doctor")
    expect_verdict(page, "base 500,000")
    box = page.get_by_role("combobox", name=TEXTS("sample"))
    box.click()
    page.get_by_role("option", name="decode_restarted").click()
    expect_verdict(page, TEXTS("mistake_decode_restarted"))
    wait_until_still(page)
    keys(page, "doctor_pair", "ArrowRight", "ArrowRight")
    expect(panel(page, "angle")).to_contain_text(TEXTS("angle_title", pair=2))
    expect_query(page, {"doctor_sample": "decode_restarted", "doctor_pair": "2"})
    page.reload()
    wait_until_still(page)
    expect_verdict(page, TEXTS("mistake_decode_restarted"))
    expect(panel(page, "pair")).to_contain_text("24 of 32")
    expect_plots(page)


def test_files_are_examined_and_a_broken_one_is_a_sentence(page: Page, app_url: str) -> None:
    open_page(page, app_url, "/doctor?doctor_from=files")
    page.evaluate("() => { window.planted = () => (window.harm = true); }")
    drop(page, (f"{EVIL[:28]}.npz", b"no zip"))
    expect(page.locator(".st-key-doctor_fault")).to_contain_text(TEXTS("fault_no_zip"), timeout=PATIENCE)
    page.locator(".st-key-doctor_files").get_by_role("button", name="Remove").click()
    expect(page.locator(".st-key-doctor_fault")).to_have_count(0)
    drop(page, ("mine.npz", turned(5000.0)))
    expect_verdict(page, "layout interleaved, base 5,000, all 8 entries turning")
    wait_until_still(page)
    expect_plots(page)
    assert page.evaluate("window.harm") is None
    expect_query(page, {"doctor_from": "files"})
    expect_no_exception(page)


def test_nothing_needs_scrolling_sideways_on_a_phone(phone_page: Page, app_url: str) -> None:
    for path in ("/doctor?doctor_sample=one_table_for_all_layers", "/doctor?doctor_from=files"):
        open_page(phone_page, app_url, path)
        assert phone_page.evaluate("document.scrollingElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_page: NewPage, app_url: str, scheme: str) -> None:
    page, found = new_page(color_scheme=scheme), []
    for path in ("/doctor?doctor_sample=decode_restarted", "/doctor?doctor_from=files"):
        open_page(page, app_url, path)
        unfold(page)
        found += serious_faults(page)
    assert not found, "\n".join(found)
