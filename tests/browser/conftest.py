"""One browser for all tests, and pages that tell of everything that goes wrong in them."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.browser import chromium

NewPage = Callable[..., Page]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
# Streamlit's front end asks below the page's address first, to find out under which path the app lives.
PROBES = ("/_stcore/health", "/_stcore/host-config")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium."""
    with sync_playwright() as playwright:
        path = chromium.executable(playwright)
        running = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
        yield running
        running.close()


@pytest.fixture
def new_page(browser: Browser, app_url: str) -> Iterator[NewPage]:
    """Makes pages, each in a fresh context with the options given; the test fails on anything amiss in any of them."""
    amiss: list[str] = []
    contexts = []

    def make(**options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        watch(page, urlsplit(app_url).netloc, amiss)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not amiss, "\n".join(amiss)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A page 1280 wide."""
    return new_page()


@pytest.fixture
def phone_page(new_page: NewPage) -> Page:
    """A page on a phone."""
    return new_page(**PHONE)


def watch(page: Page, own_host: str, amiss: list[str]) -> None:
    """Note in `amiss` every request to another host, uncaught error and error on the console."""

    def on_address(url: str) -> None:
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != own_host:
            amiss.append(f"asked another host: {url}")

    def on_console(message: ConsoleMessage) -> None:
        url = message.location.get("url", "")
        if message.type == "error" and not (is_probe(url) and "404" in message.text):
            amiss.append(f"on the console: {message.text} ({url})")

    page.on("request", lambda request: on_address(request.url))
    page.on("websocket", lambda socket: on_address(socket.url))
    page.on("pageerror", lambda error: amiss.append(f"uncaught: {error}"))
    page.on("console", on_console)


def is_probe(url: str) -> bool:
    """Whether `url` asks below a page for what only the root answers."""
    path = urlsplit(url).path
    return path.endswith(PROBES) and path not in PROBES
