"""The number line at a shift: the next positions as bricks, those that a format cannot tell apart grown into one."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from pages.kit.precision_data import FORMATS, Array, positions
from pages.kit.words import Words, readable

LANES = ("float32", "float16", "bfloat16")  # float64 tells more apart than any document has
LEFT, WIDTH = 4.0, 472.0  # units of the drawing
HEAD, LANE, BRICK = 62.0, 66.0, 30.0
DIGIT, ROOM = 9.8, 6.0  # units that a digit takes on a phone, and those beside a number


def drawing(shift: int, gap: int, texts: Words) -> str:
    """The positions from `shift` on, with the query and the key among them, as three formats read them."""
    at = int(np.flatnonzero(positions().shifts == shift)[0])
    lanes = [(name, positions().line[FORMATS.index(name)][at]) for name in LANES]
    cells = len(lanes[0][1])
    low = HEAD + LANE * len(LANES)
    drawn = [_lane(name, read, HEAD + LANE * row, texts) for row, (name, read) in enumerate(lanes)]
    stems = _stems(shift, gap, cells, texts)
    return f'<svg viewBox="0 0 480 {low:g}">{"".join(drawn)}{"".join(stems)}</svg>'


def told_apart(read: Array) -> int:
    """How many of the positions that became `read` stay different numbers."""
    return len(np.unique(read[np.isfinite(read)]))


def _lane(name: str, read: Array, top: float, texts: Words) -> str:
    """One format: how many it tells apart, and its bricks with the number that each reads."""
    told = texts("lane_none") if not np.isfinite(read).any() else texts("lane", apart=told_apart(read), of=len(read))
    label = f'<text x="{LEFT:g}" y="{top + 16:g}"><tspan class="stage-name">{name}</tspan> {told}</text>'
    return label + "".join(_bricks(read.tolist(), top + 24))


def _bricks(read: Sequence[float], top: float) -> Iterator[str]:
    """A brick for each run of positions that are one number, its number in it where there is room."""
    step, start = WIDTH / len(read), 0
    for number, run in groupby(read):
        count = len(list(run))
        x, wide = LEFT + start * step, count * step
        text = readable(number, ",.0f") if np.isfinite(number) else "∞"
        alone = "yes" if count == 1 and np.isfinite(number) else "no"
        yield f'<rect class="stage-brick" data-alone="{alone}" x="{x + 1:.2f}" y="{top:g}" width="{wide - 2:.2f}"'
        yield f' height="{BRICK:g}" rx="3"/>'
        if len(text) * DIGIT + ROOM < wide:
            yield f'<text class="stage-in-brick" x="{x + wide / 2:.2f}" y="{top + 20:g}">{text}</text>'
        start += count


def _stems(shift: int, gap: int, cells: int, texts: Words) -> Iterator[str]:
    """Query and key, each over its position and on its brick in every lane; at the edge where it stands beyond."""
    places = {"key": shift + max(0, gap), "query": shift + max(0, -gap)}
    later = max(places, key=lambda role: places[role])
    for role, place in places.items():
        y, cell = (42 if role == later else 16), place - shift
        if cell >= cells:
            yield _name(role, LEFT + WIDTH, y, "end", texts(f"stem_{role}_beyond", place=place))
            continue
        x = LEFT + (cell + (0.62 if role == "query" else 0.38)) * WIDTH / cells
        tops = [HEAD + LANE * lane + 24 for lane in range(len(LANES))]
        ways = f"M{x:.2f} {y - 12}V{HEAD - 4:g}" + "".join(f"M{x:.2f} {top + BRICK - 5:g}v11" for top in tops)
        yield f'<path class="stage-stem stage-{role}-line" d="{ways}"/>'
        anchor, beside = ("start", 8) if cell < cells // 2 else ("end", -8)
        yield _name(role, x + beside, y, anchor, texts(f"stem_{role}", place=place))


def _name(role: str, x: float, y: float, anchor: str, said: str) -> str:
    return f'<text class="stage-{role}-text" text-anchor="{anchor}" x="{x:.2f}" y="{y:g}">{said}</text>'
