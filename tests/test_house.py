"""The house keeps its order: imports run one way, torch stays out of the web process, files stay small."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app_server import ROOT

ABOVE = {  # folder: what nothing in it may import
    "rope_core": ["streamlit", "plotly", "pages", "deploy", "app"],
    "deploy": ["rope_core", "pages", "app"],
    "pages/kit": ["pages.chapters", "pages.workshop", "pages.home", "pages.frame", "deploy", "app"],
    "pages/chapters": ["pages.chapters", "pages.workshop", "pages.home", "pages.frame", "deploy", "app"],
    "pages/workshop": ["pages.chapters", "pages.workshop", "pages.home", "pages.frame", "deploy", "app"],
}
OURS = sorted(
    [ROOT / "app.py", *(path for name in ("pages", "rope_core", "deploy") for path in (ROOT / name).rglob("*.py"))]
)
PAGES = [path for path in OURS if path.is_relative_to(ROOT / "pages") and not path.is_relative_to(ROOT / "pages/kit")]


def imported(path: Path) -> set[str]:
    """The full names of all that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_within(name: str, package: str) -> bool:
    """Whether the module `name` is `package` or lies in it."""
    return name == package or name.startswith(f"{package}.")


def inside(folder: str) -> list[Path]:
    """Our files in `folder`."""
    return [path for path in OURS if path.is_relative_to(ROOT / folder)]


@pytest.mark.parametrize("folder", ABOVE)
def test_imports_run_one_way(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in inside(folder)
        for name in imported(path)
        if any(is_within(name, above) for above in ABOVE[folder])
    ]
    assert wrong == []


def test_the_core_needs_torch_only_where_torch_is_its_subject() -> None:
    needs = {path.stem: any(is_within(name, "torch") for name in imported(path)) for path in inside("rope_core")}
    assert needs["tensors"]
    subjects = [f"rope_core.{stem}" for stem, does in needs.items() if does]
    users = {
        path.stem
        for path in inside("rope_core")
        for name in imported(path)
        if any(is_within(name, s) for s in subjects)
    }
    assert {user for user in users if not needs[user]} == set()


EVERY_PAGE = """
import sys
import app
from streamlit.testing.v1 import AppTest
test = AppTest.from_file("pages/frame.py", default_timeout=120).run()
for page in sys.argv[1:]:
    test.switch_page(page).run()
    assert not test.exception, test.exception
loaded = [name for name in sys.modules if name.split(".")[0] in ("torch", "transformers")]
assert not loaded, loaded
"""


def test_no_page_loads_torch() -> None:
    pages = [str(path.relative_to(ROOT / "pages")) for path in PAGES if path.parent.name in ("chapters", "workshop")]
    assert pages
    run = subprocess.run(
        [sys.executable, "-c", EVERY_PAGE, *pages], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_reads_like_a_lesson_plan(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 120


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """The name and the length in lines of every function in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path.relative_to(ROOT)}: {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def test_a_function_does_one_thing() -> None:
    assert [name for path in OURS for name, lines in functions(path) if lines > 35] == []


def test_the_mathematics_is_in_python() -> None:
    scripts = sorted((ROOT / "assets" / "stage").glob("*.js"))
    assert scripts
    found = [call for path in scripts for call in re.findall(r"Math\.\w+", path.read_text(encoding="utf-8"))]
    assert set(found) & {f"Math.{name}" for name in ("sin", "cos", "tan", "asin", "acos", "atan", "exp")} == set()
