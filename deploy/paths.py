"""Which addresses are pages, and which belong to Streamlit or to files."""

# The first parts of the addresses that Streamlit answers itself, and of our own file route.
RESERVED = {"_stcore", "app", "auth", "component", "media", "oauth2callback", "static", "vendor"}


def page_parts(path: str, base: str = "") -> list[str] | None:
    """The parts of a page's address below `base`: `[]` for the home page, `None` where no page can live."""
    if path != base and not path.startswith(f"{base}/"):
        return None
    parts = [part for part in path.removeprefix(base).split("/") if part]
    if any(part in RESERVED or "." in part for part in parts):
        return None
    return parts
