"""A first visit: the time to the first picture and to all of it, and the bytes that travel, with an empty cache."""

import json
from base64 import b64decode
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from tests.bench.places import Place
from tests.bench.stopwatch import Urls, fresh_page

KB = 1000


class Traffic:
    """Counts the bytes of everything a page gets: files as they travel, compressed, and the live connection."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self._from_server: set[str] = set()
        devtools = page.context.new_cdp_session(page)
        devtools.on("Network.requestWillBeSent", self._asked)
        devtools.on("Network.loadingFinished", self._got)
        devtools.on("Network.webSocketFrameReceived", self._heard)
        devtools.send("Network.enable")

    def _asked(self, event: dict[str, Any]) -> None:
        if event["request"]["url"].startswith("http"):
            self._from_server.add(event["requestId"])

    def _got(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self._from_server:
            self.bytes += int(event["encodedDataLength"])

    def _heard(self, event: dict[str, Any]) -> None:
        frame = event["response"]
        self.bytes += len(b64decode(frame["payloadData"])) if frame["opcode"] == 2 else len(frame["payloadData"])


class Visit(NamedTuple):
    """What one first visit took."""

    first: float  # milliseconds from the start of the navigation to the first picture
    whole: float  # milliseconds to everything, plots too
    kilobytes: float


TITLES = {"first": ("the first picture", "ms"), "whole": ("everything, plots too", "ms"), "kilobytes": ("bytes", "kB")}


def visit(browser: Browser, urls: Urls, place: Place) -> Visit:
    """Go to the place for the first time."""
    with fresh_page(browser) as page:
        traffic = Traffic(page)
        looks = json.dumps([place.first.sent(), place.whole.sent()])
        page.add_init_script(f"window.arrival = bench.first({looks})")
        page.goto(urls[place.server] + place.path)
        first, whole = page.evaluate("arrival")
        return Visit(first, whole, traffic.bytes / KB)
