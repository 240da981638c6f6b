"""The vocabulary of the browser tests: waiting for what Streamlit and the stage say of themselves, never for time."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

PATIENCE = 30_000  # milliseconds
# The colours of code, and that its box scrolls without taking the focus, are Streamlit's.
OURS = {"include": [["body"]], "exclude": [["[data-testid=stCode]"]]}


def open_page(page: Page, app_url: str, path: str = "/") -> None:
    """Go to `path` (with its query) and wait until it stands."""
    page.goto(f"{app_url}/{path.lstrip('/')}")
    wait_until_still(page)


def wait_until_still(page: Page) -> None:
    """Wait until the app is connected, its script has run, and every stage on the page is drawn."""
    app = page.locator("[data-testid=stApp]")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=PATIENCE)
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=PATIENCE)
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0, timeout=PATIENCE)
    expect(page.locator(".stage-host:not(:has([data-stage-ready]))")).to_have_count(0, timeout=PATIENCE)


def expect_no_exception(page: Page) -> None:
    """No error of the page's script is shown."""
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def unfold(page: Page) -> None:
    """Open everything that is folded, the last first: what opens then moves nothing that is still to be clicked."""
    for fold in reversed(page.locator("[data-testid=stExpander] details:not([open]) > summary").all()):
        fold.click()
        wait_until_still(page)


def serious_faults(page: Page) -> list[str]:
    """What axe finds on the page that is serious or worse."""
    violations = Axe().run(page, context=OURS, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [fault for fault in violations if fault["impact"] in ("serious", "critical")]
    return [f"{page.url}: {fault['id']}: {node['html'][:200]}" for fault in serious for node in fault["nodes"]]
