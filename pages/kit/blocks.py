"""The matrix that turns a whole vector: d × d cells, all 0 but the 2 × 2 blocks of the pairs along the diagonal."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pages.kit.stage import Drag, Entry, Line, Table, Track, Value, scene
from pages.kit.words import Words
from rope_core import rotate

Array = NDArray[np.float64]
SIDE = 240.0  # of the matrix in its drawing
MARGIN = 5.0  # of the frame around the block in hand
LENS = (290.0, 49.0, 191.0)  # where the block is drawn large, from the matrix' corner: left, top, bottom
RULED = 32  # up to this width every cell has its lines
BLOCKS_HERE = '<g class="stage-blocks"/>'


@dataclass(frozen=True)
class Blocks:
    """The blocks of `inv_freq` (radians per token) at the places `window` of m; that of `pair` is drawn large."""

    inv_freq: Array
    pair: int
    window: NDArray[np.int_]
    texts: Words

    @property
    def width(self) -> int:
        """How many rows the matrix has, and columns."""
        return 2 * len(self.inv_freq)

    @property
    def cell(self) -> float:
        """The side of a cell, in units of the drawing."""
        return SIDE / self.width

    def drawing(self) -> str:
        """The matrix between the vector after and the vector before; a click on a block chooses its pair."""
        made = [
            f'<use href="#door-block" data-part="block{pair}" data-pick="pair {pair}" '
            f'transform="translate({2 * pair * self.cell:.3f} {2 * pair * self.cell:.3f}) scale({self.cell:.4f})"/>'
            for pair in range(len(self.inv_freq))
        ]
        return scene("door_matrix.svg", self.texts).replace(BLOCKS_HERE, self._rules() + "".join(made))

    def tracks(self) -> list[Track]:
        """The colours of all blocks follow m; the frame and the two entries beside the matrix follow the pair."""
        down = Value([Line("pair", 2 * self.cell)])
        size = f"{2 * self.cell + 2 * MARGIN:.2f}"
        frame = [Track("frame", "transform", "translate({} {})", [down, down])]
        frame += [Track("frame-box", side, size, []) for side in ("width", "height")]
        for part in ("entries-after", "entries-before", "row"):
            frame += [Track(part, "transform", "translate(0 {})", [down])]
            frame += [Track(part, "height", f"{2 * self.cell:.3f}", [])]
        blocks = [self._colours(f"block{pair}", pair) for pair in range(len(self.inv_freq))]
        return [*frame, self._zoom(), *blocks, self._colours("lens", self.pair)]

    def drags(self) -> list[Drag]:
        """The frame can be taken along the diagonal."""
        return [Drag("frame", "pair")]

    @cached_property
    def _turned(self) -> Array:
        """Cosine and sine of every pair in turn, `(window, d)`: what each block makes of (1, 0)."""
        units = np.tile([1.0, 0.0], (len(self.window), len(self.inv_freq)))
        return rotate(units, self.window, self.inv_freq)

    def _zoom(self) -> Track:
        """The lines from the frame to the block drawn large."""
        right, top, bottom = (
            Value([Line("pair", 2 * self.cell)], start)
            for start in (2 * self.cell + MARGIN, -MARGIN, 2 * self.cell + MARGIN)
        )
        left, upper, lower = LENS
        return Track(
            "zoom", "d", f"M{{}} {{}}L{left:g} {upper:g}M{{}} {{}}L{left:g} {lower:g}", [right, top, right, bottom]
        )

    def _colours(self, part: str, pair: int) -> Track:
        """How far cosine and sine stand above 0 and below it, in percent: the style sheet mixes the colours."""
        cos, sin = 100 * self._turned[:, 2 * pair : 2 * pair + 2].T
        shares = {"cos-up": cos, "cos-down": -cos, "sin-up": sin, "sin-down": -sin}
        first = int(self.window[0])
        tables = [Table(f"{name}{pair}", np.clip(share, 0, None), first, decimals=0) for name, share in shares.items()]
        values = [Value([Entry("m", table)]) for table in tables]
        return Track(part, "style", ";".join(f"--{name}:{{}}%" for name in shares), values)

    def _rules(self) -> str:
        if self.width > RULED:
            return ""
        at = [f"{i * self.cell:.3f}" for i in range(1, self.width)]
        return f'<path class="stage-rules" d="{"".join(f"M{x} 0V{SIDE:g}M0 {x}H{SIDE:g}" for x in at)}"/>'
