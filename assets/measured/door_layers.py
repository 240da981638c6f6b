"""Measures how much of a random stack's scores the gap explains, for the chapter of the door.

`python -m assets.measured.door_layers` writes door_layers.npy beside this file; it takes about half an hour.
The array is `(shared, way, share, seed, layer)`: own or shared projections, the ways and the shares of rope_core.stack.
"""

from pathlib import Path

import numpy as np

from rope_core.stack import WAYS, measured

SEEDS = range(100)
FILE = Path(__file__).with_suffix(".npy")

if __name__ == "__main__":
    found = [[[measured(seed, way, shared) for seed in SEEDS] for way in WAYS] for shared in (False, True)]
    np.save(FILE, np.moveaxis(np.array(found), 2, 3).astype(np.float16))
