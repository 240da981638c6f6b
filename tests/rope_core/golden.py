"""What transformers itself computed, as stored in tests/data/transformers_golden.json."""

import json
from pathlib import Path

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "transformers_golden.json").read_text())
TABLES = {row["name"]: row for row in GOLDEN["inv_freq"]}
# mrope_seed6 has three position axes and is no plain rotation.
ROTATIONS = {row["name"]: row for row in GOLDEN["rotations"] if "positions" in row}
COS_SIN = {row["row"]: row for row in GOLDEN["cos_sin"]}
