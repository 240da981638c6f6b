"""Measures scores by position in four number formats, for the bench of precision, at the gap that its page begins with.

`python -m assets.measured.precision` writes precision.npz beside this file, in a few seconds.
`shifts`: where the earlier of query and key stands. `errors`, `read`, `typical`: as rope_core.precision.run gives them.
`line`: `(dtypes, shifts, NEIGHBOURS)`, what the positions from each shift on become. `distinct`: `(dtypes, COUNTS)`.
`collision`: `(dtypes,)`, the first position that is the same as the next one.
"""

from pathlib import Path
from typing import Any

import numpy as np

from rope_core.precision import DTYPES, as_read, distinct, first_collision, run

GAP = -5
NEIGHBOURS = 16
COUNTS = (1024, 4096, 65_536, 2**20)
NAMED = (257, 15_962)  # positions that the page speaks of
SHIFTS = np.unique([*np.geomspace(1, 2**20, 121).round().astype(np.int64), *NAMED])
FILE = Path(__file__).with_suffix(".npz")


def measured() -> dict[str, Any]:
    """All that the file holds."""
    line = [[as_read(shift + np.arange(NEIGHBOURS), dtype) for shift in SHIFTS] for dtype in DTYPES]
    return run(lambda _: None, GAP, SHIFTS) | {
        "shifts": SHIFTS,
        "line": np.array(line),
        "counts": np.array(COUNTS),
        "distinct": np.array([[distinct(count, dtype) for count in COUNTS] for dtype in DTYPES]),
        "collision": np.array([first_collision(dtype) for dtype in DTYPES]),
    }


if __name__ == "__main__":
    np.savez_compressed(FILE, **measured())
