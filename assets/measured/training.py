"""Trains the four tiny transformers of the training bench once, for what it shows before anybody trains.

`python -m assets.measured.training` writes training.npz beside this file; it takes about half a minute on one core.
The arrays are those of rope_core.training_plan.Outcome, for its default Plan.
"""

from pathlib import Path

import numpy as np

from rope_core.training import run
from rope_core.training_plan import Plan

FILE = Path(__file__).with_suffix(".npz")

if __name__ == "__main__":
    found = vars(run(lambda _: None, Plan()))
    np.savez_compressed(FILE, **{name: values.astype(np.float16) for name, values in found.items()})
