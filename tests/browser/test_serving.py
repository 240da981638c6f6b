"""What the server promises, seen from a browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from pages.kit import words
from tests.app_server import running_app
from tests.browser.app_helpers import expect_no_exception, open_page, wait_until_still

CHAPTERS = [name for name in words.pages("en") if name != "home"]


def test_a_deep_link_opens_its_chapter_as_the_first_request_of_a_fresh_process(browser: Browser) -> None:
    with running_app() as (url, _):
        page = browser.new_page()
        open_page(page, url, "/dancers?m=40")
        expect(page).to_have_title(words.load("en", "dancers")["title"])
        expect(page).to_have_url(f"{url}/dancers?m=40")
        # Streamlit's own discovery of a `pages` folder would show a list in the sidebar, or find no such page.
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.close()


@pytest.mark.parametrize(
    ("faulty", "clean"),
    [
        ("m=banana", ""),
        ("m=-5", "?m=0"),
        ("d=7", "?d=6"),
        ("b=1e999", ""),
        ("pair=9999", "?pair=31"),
        ("unknown=1", "?unknown=1"),
        ("m=17&" + "rubbish" * 1_500, ""),
    ],
)
def test_a_faulty_link_gives_a_sensible_page_and_leaves_no_trace_in_the_history(
    page: Page, app_url: str, faulty: str, clean: str
) -> None:
    page.goto("about:blank")
    before = page.evaluate("history.length")
    open_page(page, app_url, f"/lighthouse?{faulty}")
    expect_no_exception(page)
    expect(page).to_have_url(f"{app_url}/lighthouse{clean}")
    assert page.evaluate("history.length") == before + 1


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_many_faults_in_one_link_at_every_chapter(page: Page, app_url: str, chapter: str) -> None:
    open_page(page, app_url, f"/{chapter}?m=banana&n=-5&d=7&b=1e999&pair=9999&lang=xx&{chapter}_unknown=%3Cb%3E")
    expect_no_exception(page)
    expect(page).to_have_title(words.load("en", chapter)["title"])


def test_all_text_files_of_the_first_page_come_compressed(page: Page, app_url: str) -> None:
    encodings: dict[str, str | None] = {}

    def note(response: Response) -> None:
        if response.request.resource_type in ("script", "stylesheet", "document") and response.url.startswith("http"):
            encodings[response.url] = response.headers.get("content-encoding")

    page.on("response", note)
    open_page(page, app_url)
    assert len(encodings) > 10
    assert set(encodings.values()) == {"gzip"}, encodings


def test_a_visitor_sees_no_details_of_an_error(browser: Browser, tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text("raise ValueError('a secret of the house')\n", encoding="utf-8")
    with running_app(script) as (url, _):
        page = browser.new_page()
        page.goto(url)
        wait_until_still(page)
        expect(page.get_by_test_id("stException")).to_have_count(1)
        for detail in ("secret", "ValueError", "broken.py"):
            assert detail not in page.inner_text("body")
        page.close()
