"""A visitor who closes the page in a real browser leaves no work behind."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.app_server import running_app
from tests.browser.app_helpers import PATIENCE
from tests.browser.conftest import NewPage
from tests.pages.test_worker import is_gone

TARGET = Path(__file__).resolve().parent / "worker_app" / "page.py"


@pytest.fixture
def gate(tmp_path: Path) -> str:
    """A named pipe that nobody opens."""
    os.mkfifo(tmp_path / "gate")
    return str(tmp_path / "gate")


@pytest.fixture
def app_url(gate: str) -> Iterator[str]:
    """An app whose page begins a job that does not end by itself."""
    with running_app(TARGET, env={"GATE": gate}) as (url, _):
        yield url


def process_of(page: Page, url: str) -> int:
    """Open the page; the process that works for it."""
    page.goto(url)
    told = page.get_by_text("working as")
    expect(told).to_be_visible(timeout=PATIENCE)
    return int(told.inner_text().split()[-1])


def test_closing_the_tab_ends_the_process(new_page: NewPage, app_url: str) -> None:
    page = new_page()
    process = process_of(page, app_url)
    page.close()
    assert is_gone(process)
