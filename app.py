"""The server: Streamlit around pages/frame.py, and what a public site needs. `streamlit run app.py` starts it."""

from pathlib import Path

import plotly
import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from deploy.clean_links import CleanLinks
from deploy.compression import IMMUTABLE, Compressed, text_files
from deploy.early_scripts import with_early_scripts
from deploy.housekeeping import tidy_memory
from deploy.page_head import PageHead
from deploy.security import Guard, security_headers
from pages.kit import link, words
from pages.kit.stage import PLOTLY_SOURCE

ROOT = Path(__file__).resolve().parent
STREAMLIT = Path(st.__file__).parent / "static"
# What stands on every page: the stage, the style, the questions, the formulas.
ELEMENTS = ("BidiComponent", "Html", "ButtonGroup", "rehype-katex")
SHELL = with_early_scripts(
    (STREAMLIT / "index.html").read_text(encoding="utf-8"), STREAMLIT / "static" / "js", ELEMENTS
)
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
HOME = "home"

BASE = f"/{st.get_option('server.baseUrlPath').strip('/')}".rstrip("/")
PLOTLY_ADDRESS = f"{BASE}/{PLOTLY_SOURCE.partition('?')[0]}"


async def plotly_js(_: Request) -> FileResponse:
    """plotly.js as the plotly package brings it; its version stands in the address that asks for it."""
    return FileResponse(PLOTLY, media_type="text/javascript", headers={"cache-control": IMMUTABLE})


# The outermost first.
LAYERS = [
    Middleware(Guard, headers=security_headers(SHELL), allowed_origins=st.get_option("server.corsAllowedOrigins")),
    Middleware(CleanLinks, canonical_query=link.canonical_query, home=HOME, base=BASE),
    Middleware(
        PageHead,
        shell=SHELL,
        languages=words.languages(),
        pages=[HOME, *words.pages("en")],
        words=words.load,
        base=BASE,
    ),
    Middleware(
        Compressed,
        files={**dict(text_files(STREAMLIT / "static", f"{BASE}/static")), PLOTLY_ADDRESS: PLOTLY},
    ),
]

# The script lies in pages/ itself, so that Streamlit's automatic discovery of a `pages` folder finds nothing beside it.
app = st.App(
    ROOT / "pages" / "frame.py",
    routes=[Route(PLOTLY_ADDRESS, plotly_js)],
    middleware=LAYERS,
    lifespan=tidy_memory,
)
