"""Scripts that every page needs, asked for together with the page.

Streamlit fetches the script of an element when the first such element arrives, and what that script imports only
after it: the picture of a first visit would wait for both.
"""

import re
from collections.abc import Iterable
from pathlib import Path

IMPORTED = re.compile(r'(?:\bfrom|\bimport)"\./([^"/]+\.js)"')
END_OF_HEAD = "</head>"


def with_early_scripts(shell: str, scripts: Path, elements: Iterable[str]) -> str:
    """`shell`, Streamlit's page, asking early for the scripts of `elements` and for all that they import."""
    names = [name for name in needed(scripts, elements) if name not in shell]
    links = [f'<link rel="modulepreload" crossorigin href="./static/js/{name}" />' for name in names]
    return shell.replace(END_OF_HEAD, "\n".join([*links, END_OF_HEAD]), 1)


def needed(scripts: Path, elements: Iterable[str]) -> list[str]:
    """The names of the scripts of `elements` in the folder `scripts`, then of all that they import."""
    found = [path.name for element in elements for path in scripts.glob(f"{element}.*.js")]
    for name in found:  # grows while it is walked
        found += [other for other in IMPORTED.findall((scripts / name).read_text("utf-8")) if other not in found]
    return found
