"""The page's language, title and description in the first byte.

Streamlit sends one and the same page for every address and fills it in the browser. What reads only the first
byte (a search engine, the preview of a shared link, a screen reader choosing its voice) would see nothing of ours.
"""

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from html import escape
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from deploy.paths import page_parts
from deploy.stored import Stored, accepts_gzip, answer, store

LANGUAGE_MARK = '<html lang="en">'
TITLE_MARK = "<title>Streamlit</title>"
HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "vary": "Accept-Encoding, Accept-Language",
}


class PageHead:
    """Answers every page's address with Streamlit's page, its head in the visitor's language.

    `words(language, page)` gives a mapping with `title` and `description`; the first language and the first page
    serve where an address names none that is known.
    """

    def __init__(
        self,
        app: ASGIApp,
        shell: str,
        languages: Collection[str],
        pages: Collection[str],
        words: Callable[[str, str], Mapping[str, str]],
        base: str = "",
    ) -> None:
        for mark in (LANGUAGE_MARK, TITLE_MARK):
            if shell.count(mark) != 1:
                raise ValueError(f"Streamlit's page is expected to hold {mark} once, it does {shell.count(mark)} times")
        self.app = app
        self.shell = shell
        self.languages = list(languages)
        self.pages = list(pages)
        self.words = words
        self.base = base
        self._stored = lru_cache(maxsize=None)(self._render)  # bounded by the known languages and pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; what is not a page's address goes to the inner app."""
        parts = page_parts(scope["path"], self.base) if scope["type"] == "http" else None
        is_page = parts is not None and scope["path"] == f"{self.base}/{'/'.join(parts)}"
        if not is_page or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        request = Headers(scope=scope)
        page = parts[-1] if parts and parts[-1] in self.pages else self.pages[0]
        language = chosen_language(scope["query_string"], request.get("accept-language", ""), self.languages)
        stored = self._stored(language, page, accepts_gzip(request))
        await answer(stored, request)(scope, receive, send)

    def _render(self, language: str, page: str, compress: bool) -> Stored:
        words = self.words(language, page)
        title, description = escape(words["title"]), escape(words["description"])
        head = (
            f"<title>{title}</title>\n"
            f'    <meta name="description" content="{description}" />\n'
            f'    <meta property="og:type" content="website" />\n'
            f'    <meta property="og:title" content="{title}" />\n'
            f'    <meta property="og:description" content="{description}" />'
        )
        html = self.shell.replace(LANGUAGE_MARK, f'<html lang="{escape(language)}">').replace(TITLE_MARK, head)
        return store(html.encode(), HEADERS, compress=compress)


def chosen_language(query: bytes, accepted: str, languages: Collection[str]) -> str:
    """The link's `lang`, else the best of `Accept-Language` that is known, else the first of `languages`."""
    linked = [text for name, text in parse_qsl(query.decode("latin-1")) if name == "lang"]
    wanted = linked + [tag.partition("-")[0] for tag in by_weight(accepted)]
    return next((code for code in wanted if code in languages), next(iter(languages)))


def by_weight(accepted: str) -> list[str]:
    """The tags of an `Accept-Language` header in lower case, the most wanted first, refused ones left out."""
    weighted = []
    for offer in accepted[:1000].lower().replace(" ", "").split(","):
        tag, _, weight = offer.partition(";q=")
        try:
            weighted.append((float(weight or 1), tag))
        except ValueError:
            continue
    return [tag for weight, tag in sorted(weighted, key=lambda pair: -pair[0]) if weight > 0]
