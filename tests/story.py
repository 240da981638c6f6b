"""The pages there are: the home page, the chapters and the benches that the frame tells."""

import ast
from pathlib import Path

FRAME = Path(__file__).resolve().parents[1] / "pages" / "frame.py"


def told(part: str) -> tuple[str, ...]:
    """The pages of STORY or WORKSHOP in order, read from the frame, which runs when it is imported."""
    statements = ast.parse(FRAME.read_text(encoding="utf-8")).body
    named = {node.targets[0].id: node.value for node in statements if isinstance(node, ast.Assign)}
    return tuple(ast.literal_eval(named[part]))


CHAPTERS, BENCHES = told("STORY"), told("WORKSHOP")
STORY = {"home": "home.py"} | {name: f"chapters/{name}.py" for name in CHAPTERS}
PAGES = STORY | {name: f"workshop/{name}.py" for name in BENCHES}
