"""Finds a Chromium for the tests. `python -m tests.browser.chromium` fetches one where there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)
PLAYWRIGHT = (sys.executable, "-m", "playwright")
PACKAGES = ("chromium", "fonts-liberation", "libatomic1")
APT_GET = (("apt-get", "update", "-qq"), ("apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES))


def executable(playwright: Playwright) -> str | None:
    """The path of a Chromium that starts: one on the machine, else Playwright's own; None if there is neither."""
    candidates = [found for name in NAMES if (found := shutil.which(name))]
    return next((path for path in [*candidates, playwright.chromium.executable_path] if starts(path)), None)


def starts(path: str) -> bool:
    """Whether the program at `path` is there and tells its version (Ubuntu's `chromium-browser` may be a mere note)."""
    if not Path(path).is_file():
        return False
    return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0


def arguments() -> list[str]:
    """The switches Chromium is started with: nothing fetched in the background; no sandbox for root, who has none."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*ARGUMENTS, *(["--no-sandbox"] if is_root else [])]


def is_ready() -> bool:
    """Whether Playwright itself starts here, and finds a Chromium."""
    if subprocess.run([*PLAYWRIGHT, "--version"], capture_output=True, check=False).returncode != 0:
        return False
    with sync_playwright() as playwright:
        return executable(playwright) is not None


def fetch_with_playwright() -> None:
    """Playwright's own Chromium, where its home can be reached."""
    subprocess.run([*PLAYWRIGHT, "install", "chromium"], check=False)


def fetch_with_apt_get() -> None:
    """Debian's Chromium, and what Playwright needs beside it; only root may."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        for command in APT_GET:
            subprocess.run(command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, check=False)


def main() -> None:
    """Make sure that there is a browser, or say what is missing."""
    for fetch in (fetch_with_playwright, fetch_with_apt_get):
        if is_ready():
            return
        fetch()
    if not is_ready():
        sys.exit(f"A browser is missing: install Chromium or Chrome (on Debian, apt-get install {' '.join(PACKAGES)})")


if __name__ == "__main__":
    main()
