"""A link with unreadable values, or with an address no page can have, is answered with the clean one.

Streamlit's front end would mend such a link by writing to the address bar, and so leave the faulty one in the
browser's history: the back button would lead to it. A redirect leaves no trace.
"""

from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, quote, urlencode

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from deploy.paths import page_parts

LONGEST_QUERY = 8_192  # bytes; a whole picture takes about a hundred

Pairs = list[tuple[str, str]]
Canonical = Callable[[Pairs], Iterable[tuple[str, str]]]


class CleanLinks:
    """Redirects (307) to the link that says the same in the canonical way; all else goes to the inner app."""

    def __init__(self, app: ASGIApp, canonical_query: Canonical, home: str, base: str = "") -> None:
        self.app = app
        self.canonical_query = canonical_query
        self.home = home
        self.base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            target = self._better(scope["path"], scope["query_string"])
            if target is not None:
                await RedirectResponse(target, status_code=307)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _better(self, path: str, query: bytes) -> str | None:
        parts = page_parts(path, self.base)
        if parts is None:
            return None
        clean = clean_query(query, self.canonical_query)
        place = better_place(path, parts, self.home)
        if clean is None and place is None:
            return None
        # Relative, so that it holds behind any proxy and can never lead to another host.
        place = place or "./" + quote(path.rpartition("/")[2])
        query_string = query.decode("latin-1") if clean is None else urlencode(clean)
        return f"{place}?{query_string}" if query_string else place


def better_place(path: str, parts: list[str], home: str) -> str | None:
    """The way back to the home page from an address below a page, or from the home page's own name; else None.

    Below a page Streamlit's page would look for its files in the wrong folder and stay blank.
    """
    if len(parts) < 2 and parts != [home]:
        return None
    steps = len(parts) - (0 if path.endswith("/") else 1)
    return "../" * steps or "./"


def clean_query(query: bytes, canonical_query: Canonical) -> Pairs | None:
    """The pairs the query should have had, or None when it is fine as it is. Too long a query loses everything."""
    if len(query) > LONGEST_QUERY:
        return []
    given = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    clean = list(canonical_query(given))
    # The order of names says nothing. A query that would not come to rest is left alone: never a loop.
    if sorted(clean) == sorted(given) or sorted(canonical_query(clean)) != sorted(clean):
        return None
    return clean
