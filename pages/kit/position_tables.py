"""What models learn for their places: the tables of real models beside the 0 of a turn."""

import tomllib
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from pages.kit.stage import Entry, Line, Table, Track, Value, sentence
from pages.kit.words import Words, readable

FACTS = Path(__file__).resolve().parents[2] / "assets" / "models" / "position_tables.toml"

HEADS = ("model", "learned")


@dataclass(frozen=True)
class PositionTable:
    """One learned row of `width` numbers for each of `rows` places; both 0 in a model that turns instead."""

    model: str
    config: str
    rows: int
    width: int

    @property
    def learned(self) -> int:
        """How many numbers the table holds."""
        return self.rows * self.width


@cache
def known() -> tuple[PositionTable, ...]:
    """The models compared, the smallest table first."""
    facts = tomllib.loads(FACTS.read_text(encoding="utf-8"))["model"]
    return tuple(sorted((PositionTable(**fact) for fact in facts), key=lambda table: table.learned))


def counter(texts: Words) -> str:
    """A row for each model: its table, how many numbers that is, and whether it has anything for place m."""
    most = max(table.learned for table in known())
    heads = "".join(f'<th scope="col">{escape(texts(f"counter_{head}"))}</th>' for head in HEADS)
    heads += '<th scope="col" data-part="counter-place"></th>'
    rows = []
    for number, table in enumerate(known()):
        size = texts("counter_size", rows=table.rows, width=table.width) if table.learned else texts("counter_turns")
        bar = f'<span class="stage-count" style="width:{100 * table.learned / most:.2f}%"></span>'
        name = f'<th scope="row">{escape(table.model)}<small>{escape(size)}</small></th>'
        count = f"<td><b>{readable(table.learned, ',')}</b>{bar}</td>"
        rows.append(f'<tr>{name}{count}<td data-part="row{number}"></td></tr>')
    return f'<table class="stage-counter"><tr>{heads}</tr>{"".join(rows)}</table><p>{escape(texts("counter_note"))}</p>'


def tracks(texts: Words) -> list[Track]:
    """Whether each model has a row for place m."""
    made = [sentence("counter-place", texts.raw("counter_place"), m=Value([Line("m", 1)], decimals=0))]
    for number, table in enumerate(known()):
        said = [texts("counter_there"), texts("counter_none")] if table.learned else [texts("counter_turned")]
        there = Entry("m", Table(f"row{number}", said, first=table.rows - 1))
        made.append(Track(f"row{number}", "text", "{}", [Value([there])]))
    return made
