"""A readable table: our figure, the plain one beside it, their ratio, the goal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.bench.stopwatch import Spread

HEADER = ("", "ours", "the plain way", "", "ratio", "goal")


@dataclass(frozen=True)
class Row:
    """Our figure beside that of the plain way, named `against`; their ratio, ours through theirs; the goal."""

    what: str
    ours: Spread
    plain: Spread
    against: str
    goal: str = ""

    def cells(self) -> tuple[str, ...]:
        """The row's texts, in HEADER's order."""
        ratio = f"{self.ours.median / self.plain.median:.2f}"
        return (self.what, str(self.ours), str(self.plain), self.against, ratio, self.goal)


def print_rows(title: str, rows: Iterable[Row]) -> None:
    """Print the rows under a title."""
    print_table(title, [HEADER, *(row.cells() for row in rows)])


def print_table(title: str, lines: Sequence[Sequence[str]]) -> None:
    """Print texts in columns under a title."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print(f"\n{title}")
    for line in lines:
        print("  " + "   ".join(map(str.ljust, line, widths)).rstrip(), flush=True)
