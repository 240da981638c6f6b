"""The layers around the app (deploy/), each alone and all together around the real app."""

import gc
import re
import threading
import weakref
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import httpx2 as httpx
import plotly
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

import app
from deploy.clean_links import CleanLinks, clean_query
from deploy.compression import Compressed, text_files
from deploy.early_scripts import needed, with_early_scripts
from deploy.housekeeping import tidy_memory
from deploy.page_head import PageHead, chosen_language
from deploy.security import Guard, security_headers
from deploy.stored import accepts_gzip
from pages.kit import link, stage, words

PLOTLY_JS = f"/{stage.PLOTLY_SOURCE}"
SHELL = '<!DOCTYPE html><html lang="en"><head><title>Streamlit</title><script>let a = 1</script></head></html>'
INNER = "the inner app"
WORDS = {
    ("en", "home"): {"title": "Turning", "description": "A lamp & a sea"},
    ("en", "bells"): {"title": 'The <bells> "ring"', "description": "Many speeds"},
    ("fr", "home"): {"title": "Tourner", "description": "Une lampe"},
    ("fr", "bells"): {"title": "Les cloches", "description": "Beaucoup d'allures"},
}


def client(*layers: Middleware, routes: list[Route | Mount | WebSocketRoute] | None = None) -> TestClient:
    """A client of `layers` around an app that answers everything with one sentence."""
    inner = Route("/{path:path}", lambda _: PlainTextResponse(INNER), methods=["GET", "POST"])
    app = Starlette(routes=[*(routes or []), inner], middleware=list(layers))
    return TestClient(app, follow_redirects=False)


# ---------------------------------------------------------------- compression


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "js" / "wave.js"
    path.parent.mkdir()
    path.write_text("export const wave = 'wave';\n" * 500, encoding="utf-8")
    (path.parent / "photo.png").write_bytes(b"\x89PNG")
    return path


@pytest.fixture
def files_client(tmp_path: Path, script: Path) -> TestClient:
    layer = Middleware(Compressed, files=dict(text_files(tmp_path, "/static")))
    return client(layer, routes=[Mount("/static", StaticFiles(directory=tmp_path))])


def test_a_script_is_sent_compressed_and_whole(files_client: TestClient, script: Path) -> None:
    response = files_client.get("/static/js/wave.js", headers={"accept-encoding": "br, gzip"})
    assert response.status_code == 200
    assert response.headers["content-encoding"] == "gzip"
    assert int(response.headers["content-length"]) < script.stat().st_size / 10
    assert response.content == script.read_bytes()
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert response.headers["vary"] == "Accept-Encoding"
    assert "immutable" in response.headers["cache-control"]


def test_it_is_compressed_once(files_client: TestClient, script: Path) -> None:
    before = files_client.get("/static/js/wave.js").content
    script.unlink()
    assert files_client.get("/static/js/wave.js").content == before


@pytest.mark.parametrize("accepted", ["identity", "br", "gzip;q=0", ""])
def test_without_gzip_the_file_goes_as_it_is(files_client: TestClient, script: Path, accepted: str) -> None:
    response = files_client.get("/static/js/wave.js", headers={"accept-encoding": accepted})
    assert "content-encoding" not in response.headers
    assert response.headers["vary"] == "Accept-Encoding"
    assert response.content == script.read_bytes()


def test_a_part_of_a_file_is_a_part_of_the_plain_file(files_client: TestClient, script: Path) -> None:
    response = files_client.get("/static/js/wave.js", headers={"accept-encoding": "gzip", "range": "bytes=7-11"})
    assert (response.status_code, response.content) == (206, script.read_bytes()[7:12])
    assert "content-encoding" not in response.headers


def test_who_has_it_is_not_sent_it_again(files_client: TestClient) -> None:
    first = files_client.get("/static/js/wave.js")
    again = files_client.get("/static/js/wave.js", headers={"if-none-match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    changed = files_client.get("/static/js/wave.js", headers={"if-none-match": '"other"'})
    assert changed.status_code == 200


def test_the_plain_and_the_compressed_file_have_different_tags(files_client: TestClient) -> None:
    plain = files_client.get("/static/js/wave.js", headers={"accept-encoding": "identity"})
    assert plain.headers["etag"] != files_client.get("/static/js/wave.js").headers["etag"]


def test_head_tells_the_same_as_get_without_the_body(files_client: TestClient) -> None:
    head, get = files_client.head("/static/js/wave.js"), files_client.get("/static/js/wave.js")
    assert head.content == b""
    assert head.headers == get.headers


def test_pictures_and_unknown_files_are_left_alone(files_client: TestClient) -> None:
    picture = files_client.get("/static/js/photo.png")
    assert (picture.content, "content-encoding" in picture.headers) == (b"\x89PNG", False)
    assert files_client.get("/static/js/nothing.js").status_code == 404


@pytest.mark.parametrize(
    ("header", "takes"),
    [("gzip", True), ("deflate, GZIP;q=0.5", True), ("gzip; q=0.000", False), ("gzip;q=1.0", True), ("x-gzip", False)],
)
def test_what_a_client_takes(header: str, takes: bool) -> None:
    assert accepts_gzip(Headers({"accept-encoding": header})) is takes


# ---------------------------------------------------------------- the page's head


def head_client(base: str = "") -> TestClient:
    return client(
        Middleware(
            PageHead,
            shell=SHELL,
            languages=["en", "fr"],
            pages=["home", "bells"],
            words=lambda language, page: WORDS[language, page],
            base=base,
        )
    )


@pytest.mark.parametrize(
    ("address", "accepted", "language", "page"),
    [
        ("/", "", "en", "home"),
        ("/bells", "", "en", "bells"),
        ("/bells?lang=fr", "en", "fr", "bells"),
        ("/bells", "fr-CA, en;q=0.9", "fr", "bells"),
        ("/bells", "en;q=0.4, fr;q=0.5", "fr", "bells"),
        ("/bells", "ja, fr;q=0, *;q=0.1", "en", "bells"),
        ("/bells?lang=xx", "fr", "fr", "bells"),
        ("/nothing?lang=xx", "", "en", "home"),
        ("/nothing?lang=fr", "", "fr", "home"),
    ],
)
def test_the_head_speaks_of_the_page_in_the_visitors_language(
    address: str, accepted: str, language: str, page: str
) -> None:
    response = head_client().get(address, headers={"accept-language": accepted})
    assert response.status_code == 200
    assert head_of(response.text) == expected_head(language, WORDS[language, page])


@pytest.mark.parametrize("path", ["/static/x.js", "/_stcore/health", "/bells/_stcore/health", "/photo.png", "/media/a"])
def test_what_is_no_page_is_left_to_streamlit(path: str) -> None:
    assert head_client().get(path).text == INNER


def test_posts_are_left_to_streamlit() -> None:
    assert head_client().post("/bells").text == INNER


def test_the_head_is_compressed_and_checked_again_each_time() -> None:
    served = head_client()
    plain = served.get("/bells", headers={"accept-encoding": "identity"})
    small = served.get("/bells", headers={"accept-encoding": "gzip"})
    assert (small.headers["content-encoding"], small.text) == ("gzip", plain.text)
    assert small.headers["vary"] == "Accept-Encoding, Accept-Language"
    assert small.headers["cache-control"] == "no-cache"
    assert served.get("/bells", headers={"if-none-match": small.headers["etag"]}).status_code == 304
    assert served.get("/bells?lang=fr", headers={"if-none-match": small.headers["etag"]}).status_code == 200


def test_below_a_base_path() -> None:
    served = head_client(base="/rope")
    assert head_of(served.get("/rope/bells").text) == expected_head("en", WORDS["en", "bells"])
    assert head_of(served.get("/rope/").text) == expected_head("en", WORDS["en", "home"])
    for elsewhere in ("/rope", "/bells", "/ropes/bells"):  # Streamlit itself leads from /rope to /rope/
        assert served.get(elsewhere).text == INNER


heads = head_client()


@given(path=st.text(), language=st.text(), accepted=st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_nothing_of_a_link_gets_into_the_page(path: str, language: str, accepted: str) -> None:
    link_to_it = f"/planted{quote(path)}?{urlencode({'lang': f'planted{language}'})}"
    assert "planted" not in heads.get(link_to_it, headers={"accept-language": f"planted{accepted}"}).text


@given(accepted=st.text(max_size=200), query=st.binary(max_size=200))
def test_a_language_is_always_chosen(accepted: str, query: bytes) -> None:
    assert chosen_language(query, accepted, ["en", "fr"]) in ("en", "fr")


def test_the_scripts_of_an_element_are_asked_for_early_with_all_they_import_but_once(tmp_path: Path) -> None:
    texts = {"Dial.1.js": 'import"./hand.2.js";import{a as b}from"./face.3.js"', "hand.2.js": 'from"./face.3.js"'}
    for name, text in {**texts, "face.3.js": 'import("./later.4.js")', "later.4.js": ""}.items():
        (tmp_path / name).write_text(text)
    assert needed(tmp_path, ["Dial"]) == ["Dial.1.js", "hand.2.js", "face.3.js"]
    shell = '<head><link href="./static/js/hand.2.js"></head><body></head></body>'
    html = with_early_scripts(shell, tmp_path, ["Dial"])
    asked = re.findall(r'<link rel="modulepreload" crossorigin href="./static/js/([^"]+)" />', html)
    assert asked == ["Dial.1.js", "face.3.js"]
    assert html.index("face.3.js") < html.index("</head>")


def test_every_early_script_is_there(app_url: str) -> None:
    early = re.findall(r'rel="modulepreload" crossorigin href="\.(/static/js/[^"]+)"', httpx.get(app_url).text)
    for element in app.ELEMENTS:
        assert any(address.startswith(f"/static/js/{element}.") for address in early)
    assert len(early) == len(set(early))
    for address in early:
        assert httpx.get(app_url + address).headers["content-type"].startswith("text/javascript")


def test_a_changed_streamlit_page_is_noticed_at_the_start() -> None:
    with pytest.raises(ValueError, match="<title>Streamlit</title> once, it does 0 times"):
        PageHead(INNER, SHELL.replace("Streamlit", "Other"), ["en"], ["home"], dict)  # type: ignore[arg-type]


# ---------------------------------------------------------------- clean links

links = client(Middleware(CleanLinks, canonical_query=link.canonical_query, home="home"))


@pytest.mark.parametrize(
    ("faulty", "clean"),
    [
        ("/?m=banana", "/"),
        ("/bells?m=-5", "/bells?m=0"),
        ("/bells?d=7", "/bells?d=6"),
        ("/bells?b=1e999", "/bells"),
        ("/bells?pair=9999", "/bells?pair=31"),
        ("/bells?d=4&pair=9999&lang=fr", "/bells?lang=fr&d=4&pair=1"),
        ("/bells?other=%C3%A9+%26&m=4097", "/bells?other=%C3%A9+%26&m=4096"),
        ("/bells?m=17", "/bells"),
        ("/bells?" + "rubbish" * 1500, "/bells"),
        ("/home", "/"),
        ("/home?m=3", "/?m=3"),
        ("/some/where/else?m=3", "/?m=3"),
        ("/bells/more/", "/"),
    ],
)
def test_a_faulty_link_leads_to_the_clean_one(faulty: str, clean: str) -> None:
    response = links.get(faulty)
    assert response.status_code == 307
    assert response.next_request is not None
    assert response.next_request.url == httpx.URL("http://testserver").join(clean)
    assert links.get(clean).text == INNER


@pytest.mark.parametrize(
    "fine",
    ["/", "/bells", "/bells?m=3&lang=fr", "/bells?lang=fr&m=3", "/bells?unknown=1", "/static/x.js?m=banana", "/bells/"],
)
def test_a_clean_link_is_left_alone(fine: str) -> None:
    assert links.get(fine).text == INNER


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("/rope/bells?m=-5", "/rope/bells?m=0"),
        ("/rope/home", "/rope/"),
        ("/rope/bells/more", "/rope/"),
        ("/rope/bells", None),
        ("/ropes/bells/more", None),
        ("/bells?m=-5", None),
    ],
)
def test_links_below_a_base_path(address: str, leads_to: str | None) -> None:
    below = client(Middleware(CleanLinks, canonical_query=link.canonical_query, home="home", base="/rope"))
    request = below.get(address).next_request
    assert (request and str(request.url)) == (leads_to and f"http://testserver{leads_to}")


NAMES = st.sampled_from([*link.SHARED, "lang", "other"]) | st.text(max_size=4)
VALUES = st.integers().map(str) | st.floats().map(str) | st.text(max_size=8)


@given(path=st.text(max_size=20), pairs=st.lists(st.tuples(NAMES, VALUES), max_size=6))
def test_one_step_leads_to_rest_and_never_to_another_host(path: str, pairs: list[tuple[str, str]]) -> None:
    response = links.get(f"http://testserver/{quote(path)}?{urlencode(pairs)}")
    if response.is_redirect:
        assert not urlsplit(response.headers["location"]).netloc
        assert response.next_request is not None
        assert response.next_request.url.host == "testserver"
        assert not links.send(response.next_request).is_redirect


@given(query=st.binary(max_size=300))
def test_any_bytes_for_a_query_come_to_rest(query: bytes) -> None:
    clean = clean_query(query, link.canonical_query)
    assert clean is None or clean_query(urlencode(clean).encode(), link.canonical_query) is None


def test_a_query_that_never_comes_to_rest_is_left_alone() -> None:
    restless = client(Middleware(CleanLinks, canonical_query=lambda pairs: [*pairs, ("more", "1")], home="home"))
    assert restless.get("/bells?m=1").text == INNER


# ---------------------------------------------------------------- security


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


guarded = client(
    Middleware(Guard, headers=security_headers(SHELL), allowed_origins=["https://friend.example"]),
    routes=[WebSocketRoute("/live", echo)],
)


def test_every_answer_carries_the_headers() -> None:
    headers = guarded.get("/anything").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    digest = b64encode(sha256(b"let a = 1").digest()).decode()
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["script-src"].split() == ["'self'", "blob:", "'wasm-unsafe-eval'", f"'sha256-{digest}'"]
    assert policy["default-src"] == "'self'"
    assert not re.search(r"https?:|\*", headers["content-security-policy"])


@pytest.mark.parametrize("origin", ["http://testserver", "https://testserver", "https://friend.example"])
def test_our_own_pages_may_connect(origin: str) -> None:
    with guarded.websocket_connect("/live", headers={"origin": origin}):
        pass


@pytest.mark.parametrize("origin", ["http://other.example", "http://testserver.other.example", "null", "http://[", ""])
def test_another_sites_page_may_not(origin: str) -> None:
    with pytest.raises(WebSocketDisconnect), guarded.websocket_connect("/live", headers={"origin": origin}):
        pass


# ---------------------------------------------------------------- memory


class Knot:
    """Something only a garbage collection can free: it holds itself."""

    def __init__(self) -> None:
        self.itself = self


def test_garbage_is_collected_while_the_server_lives() -> None:
    freed = threading.Event()
    gc.disable()
    try:
        with TestClient(Starlette(lifespan=lambda app: tidy_memory(app, every_seconds=0.01))):
            assert gc.get_freeze_count() > 0
            weakref.finalize(Knot(), freed.set)
            assert freed.wait(30)
    finally:
        gc.enable()
        gc.unfreeze()


# ---------------------------------------------------------------- the real app


def test_the_layers_let_the_server_start_and_live() -> None:
    with TestClient(
        Starlette(middleware=app.LAYERS, lifespan=tidy_memory, routes=[WebSocketRoute("/live", echo)])
    ) as all_:
        assert gc.get_freeze_count() > 0
        with all_.websocket_connect("/live"):
            pass
    gc.unfreeze()


LANGUAGES = list(words.languages())
PAGES = ["", *(name for name in words.pages("en") if name != "home")]


def head_of(html: str) -> dict[str, str]:
    """The language, title and descriptions of a page, as a browser reads them."""
    reader = HeadReader()
    reader.feed(html)
    return reader.found


class HeadReader(HTMLParser):
    """Collects the language, the title and the `meta` texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.in_title = tag == "title"
        if tag == "html":
            self.found["lang"] = given["lang"]
        elif tag == "meta" and (name := given.get("property", given.get("name"))) != "viewport" and name:
            self.found[name] = given["content"]

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.found["title"] = data
            self.in_title = False


def expected_head(language: str, texts: Mapping[str, str]) -> dict[str, str]:
    return {
        "lang": language,
        "title": texts["title"],
        "description": texts["description"],
        "og:type": "website",
        "og:title": texts["title"],
        "og:description": texts["description"],
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_its_head_in_every_language(app_url: str, page: str, language: str) -> None:
    response = httpx.get(f"{app_url}/{page}", params={"lang": language})
    assert head_of(response.text) == expected_head(language, words.load(language, page or "home"))


@pytest.mark.parametrize("query", ["m=banana", "m=-5", "d=7", "b=1e999", "pair=9999", "x" * 10_000])
def test_the_app_mends_a_faulty_link_in_one_step(app_url: str, query: str) -> None:
    response = httpx.get(f"{app_url}/bells?{query}", follow_redirects=True)
    assert (response.status_code, len(response.history)) == (200, 1)


def test_the_app_sends_its_scripts_and_plotly_compressed(app_url: str) -> None:
    page = httpx.get(app_url).text
    scripts = re.findall(r'(?:src|href)="\.(/static/[^"]+\.(?:js|css))"', page)
    assert len(scripts) > 10
    for address in [*scripts, PLOTLY_JS]:
        response = httpx.get(app_url + address, headers={"accept-encoding": "gzip"})
        assert (response.status_code, response.headers["content-encoding"]) == (200, "gzip"), address
        assert "immutable" in response.headers["cache-control"]


def test_plotly_is_the_one_of_the_package(app_url: str) -> None:
    whole = httpx.get(app_url + PLOTLY_JS, headers={"accept-encoding": "identity"})
    small = httpx.get(app_url + PLOTLY_JS, headers={"accept-encoding": "gzip"})
    assert whole.content == small.content == (Path(plotly.__file__).parent / "package_data/plotly.min.js").read_bytes()


def test_the_apps_headers_and_health(app_url: str) -> None:
    assert httpx.get(f"{app_url}/_stcore/health").text == "ok"
    for address in ("/", "/_stcore/health", "/static/nothing.js", PLOTLY_JS):
        assert "script-src 'self'" in httpx.get(app_url + address).headers["content-security-policy"]
