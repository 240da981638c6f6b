"""A table of numbers in a panel of the stage."""

from collections.abc import Sequence
from html import escape


def number_table(head: Sequence[str], rows: Sequence[Sequence[str]], chosen: int | None = None) -> str:
    """The table as HTML: each row begins with its name; `chosen` is the row in hand."""
    heads = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    lines = []
    for number, (name, *cells) in enumerate(rows):
        mark = ' data-chosen="yes"' if number == chosen else ""
        line = "".join(f"<td>{escape(text)}</td>" for text in cells)
        lines.append(f'<tr{mark}><th scope="row">{escape(name)}</th>{line}</tr>')
    return f'<table class="stage-numbers"><tr>{heads}</tr>{"".join(lines)}</table>'
