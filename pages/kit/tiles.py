"""A line of words as tiles with their places and gaps, and the table of all gaps."""

from collections.abc import Sequence
from html import escape

from pages.kit.stage import Entry, Line, Table, Track, Value

IN_TABLE = 5


def markup(count: int, picks: str, help_text: str) -> str:
    """Tiles for `count` words, a click on which sets the control `picks`; what stands in them comes through tracks."""
    tile = (
        '<button type="button" class="stage-tile" data-part="tile{0}" data-pick="{2} {0}" title="{1}">'
        '<span data-part="tile-word{0}"></span><span class="stage-at" data-part="tile-at{0}"></span>'
        '<span class="stage-apart" data-part="tile-gap{0}"></span></button>'
    )
    return f'<div class="stage-tiles">{"".join(tile.format(i, escape(help_text), picks) for i in range(count))}</div>'


def tracks(written: Sequence[str], first: str, query: str, key: str) -> list[Track]:
    """Words, places and gaps from the query's word; `first`, `query` and `key` are the variables' names."""
    made = []
    for i, word in enumerate(written):
        place = Value([Line(first, 1)], start=i, decimals=0)
        gap = Value([Line(query, -1)], start=i, decimals=0)
        chosen = Table(f"is{i}", ["no", "yes", "no"], first=i - 1)
        made += [
            Track(f"tile-word{i}", "text", word.replace("{}", "{ }"), []),
            Track(f"tile-at{i}", "text", "{}", [place]),
            Track(f"tile-gap{i}", "text", "{}", [gap]),
            Track(f"tile{i}", "data-query", "{}", [Value([Entry(query, chosen)])]),
            Track(f"tile{i}", "data-key", "{}", [Value([Entry(key, chosen)])]),
        ]
    return made


def gap_table(count: int, caption: str) -> str:
    """A table of the gaps between the first IN_TABLE words."""
    size = range(min(count, IN_TABLE))
    head = "".join(f'<th scope="col" data-part="tile-word{j}"></th>' for j in size)
    at = "".join(f'<td class="stage-at" data-part="tile-at{j}"></td>' for j in size)
    rows = [
        f'<th scope="row" data-part="tile-word{i}"></th>' + "".join(f'<td data-part="gap{i}-{j}"></td>' for j in size)
        for i in size
    ]
    lines = "".join(f"<tr>{cells}</tr>" for cells in (f"<th></th>{head}", f"<th></th>{at}", *rows))
    return f'<table class="stage-gaps"><caption>{escape(caption)}</caption>{lines}</table>'


def gap_tracks(count: int, first: str) -> list[Track]:
    """Each gap of the table as what it is: the key's place less the query's."""
    size = range(min(count, IN_TABLE))
    return [
        Track(f"gap{i}-{j}", "text", "{}", [Value([Line(first, 1), Line(first, -1)], start=j - i, decimals=0)])
        for i in size
        for j in size
    ]
