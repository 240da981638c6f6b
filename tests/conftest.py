"""What all tests share: how hypothesis searches, and one running app."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.app_server import running_app

# Examples are the same on every run, so a red test stays red until it is mended; a slow machine is no failure.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    """The address of the real app, started once for all tests."""
    with running_app() as (url, _):
        yield url
