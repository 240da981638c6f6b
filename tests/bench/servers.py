"""The servers that are compared: the app and the plain pages, the latter with Streamlit's own settings."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.app_server import ROOT, running_app
from tests.bench.places import SERVERS

# Streamlit's defaults, except that nothing is reported to its makers.
PLAIN_SETTINGS = {"PYTHONPATH": str(ROOT), "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false"}


@contextmanager
def serving(name: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """The address and the process of one server."""
    script = SERVERS[name]
    cwd, settings = (ROOT, {}) if name == "app" else (script.parent, PLAIN_SETTINGS)
    with running_app(script, cwd, settings) as running:
        yield running


@contextmanager
def all_serving() -> Iterator[dict[str, str]]:
    """The address of every server."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(serving(name))[0] for name in SERVERS}
