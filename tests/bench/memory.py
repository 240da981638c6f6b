"""How much memory a server holds after a number of visits."""

import subprocess

from playwright.sync_api import Browser

from tests.bench.places import Place
from tests.bench.servers import serving
from tests.bench.stopwatch import fresh_page, open_place

VISITS = 16


def after_visits(browser: Browser, places: list[Place]) -> float:
    """Megabytes that a fresh server of these places has resident after VISITS visits to them in turn."""
    server = places[0].server
    with serving(server) as (url, process):
        for number in range(VISITS):
            with fresh_page(browser) as page:
                open_place(page, {server: url}, places[number % len(places)])
        return resident(process.pid)


def resident(pid: int) -> float:
    """Megabytes of memory the process `pid` has resident."""
    told = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(told.stdout) * 1024 / 1e6
