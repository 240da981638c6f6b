"""The code that the pages show runs when pasted, and both ways of writing it agree."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.story import CHAPTERS

CODE = Path(__file__).resolve().parents[2] / "assets" / "code"
PANELS = sorted(path.name.removesuffix("_rope_core.py") for path in CODE.glob("*_rope_core.py"))


def result(file: str) -> NDArray[np.float64]:
    """What the file ends with."""
    return np.asarray(runpy.run_path(str(CODE / file), run_name="__main__")["result"], dtype=np.float64)


def test_every_chapter_has_its_code_and_every_code_its_chapter() -> None:
    assert set(CHAPTERS) <= set(PANELS)
    files = {path.name for path in CODE.iterdir() if path.is_file()}
    assert files == {f"{name}_{way}.py" for name in PANELS for way in ("rope_core", "torch")}


@pytest.mark.parametrize("name", PANELS)
def test_both_ways_give_the_same_and_print_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with_core = result(f"{name}_rope_core.py")
    printed = capsys.readouterr().out
    with_torch = result(f"{name}_torch.py")
    assert with_core.size
    assert np.isfinite(with_core).all()
    assert with_torch == pytest.approx(with_core, rel=1e-6, abs=1e-6)
    assert len(printed.splitlines()) == len(capsys.readouterr().out.splitlines()) > 0


@pytest.mark.parametrize("path", sorted(CODE.glob("*.py")), ids=lambda path: path.stem)
def test_the_code_is_short_and_uses_what_its_tab_says(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 30
    assert ("import torch" in lines) == path.stem.endswith("_torch")
