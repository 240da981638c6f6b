"""Makes the samples of the doctor from seeds: one right rotation, and others with a known mistake.

`python -m assets.samples.samples` writes them beside this file: `<name>.npz` with before, after and perhaps positions,
and `<name>.json` where something of the model must be known: its config.json, the layer type, the head counts.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rope_core.config import read_config
from rope_core.frequencies import inverse_frequencies
from rope_core.rotation import Layout, rotate

FOLDER = Path(__file__).parent
HEADS, SEQ, HEAD_DIM = 4, 32, 64
Array = NDArray[np.float64]
Arrays = dict[str, Any]
LAYERS = {  # two kinds of layers, each with a base of its own
    "model_type": "gemma3_text",
    "head_dim": 32,
    "num_hidden_layers": 6,
    "rope_parameters": {
        "full_attention": {"rope_type": "linear", "rope_theta": 1_000_000.0, "factor": 8.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10_000.0},
    },
}
KNOWN: dict[str, dict[str, Any]] = {
    "one_table_for_all_layers": {"config": LAYERS, "layer_type": "full_attention"},
    "k_permuted_wrong_heads": {"num_heads": 8, "num_kv_heads": 2},
}


def random(seed: int, *shape: int) -> Array:
    """Normal numbers that float32 holds."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32).astype(np.float64)


def turned(x: Array, places: Any, base: float = 10_000.0, layout: Layout = "half", width: int | None = None) -> Array:  # noqa: ANN401
    """`x` turned by an unscaled table."""
    return rotate(x, places, inverse_frequencies(width or x.shape[-1], base), layout)


def right() -> Arrays:
    """As Llama turns in transformers."""
    x = random(1, HEADS, SEQ, HEAD_DIM)
    return {"before": x, "after": turned(x, np.arange(SEQ), 500_000.0)}


def interleaved_part() -> Arrays:
    """Another convention, and no mistake: interleaved pairs, a quarter of the head, from position 100 on."""
    x, places = random(2, HEADS, SEQ, HEAD_DIM), 100 + np.arange(SEQ)
    return {"before": x, "after": turned(x, places, layout="interleaved", width=HEAD_DIM // 4), "positions": places}


def rotated_twice() -> Arrays:
    """Turned, and turned again."""
    x, places = random(3, HEADS, SEQ, HEAD_DIM), np.arange(SEQ)
    return {"before": x, "after": turned(turned(x, places), places), "positions": places}


def decode_restarted() -> Arrays:
    """24 positions of a prompt, and then every token of the answer at position 0."""
    x = random(4, HEADS, SEQ, HEAD_DIM)
    return {"before": x, "after": turned(x, np.where(np.arange(SEQ) < 24, np.arange(SEQ), 0))}


def half_precision_angles() -> Arrays:
    """Angles as bfloat16 holds them."""
    x, places = random(5, HEADS, SEQ, HEAD_DIM), 500 + np.arange(SEQ)
    rates = bfloat16(inverse_frequencies(HEAD_DIM))
    angles = bfloat16(np.outer(bfloat16(places), rates))
    first, second = x[..., : HEAD_DIM // 2], x[..., HEAD_DIM // 2 :]
    cos, sin = np.cos(angles), np.sin(angles)
    after = np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)
    return {"before": x, "after": after, "positions": places}


def bfloat16(values: Any) -> Array:  # noqa: ANN401
    """Rounded to the eight binary digits of bfloat16."""
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    return np.asarray(np.ldexp(np.round(mantissa * 2**8), exponent - 8))


def heads_axis() -> Arrays:
    """Axes of heads and positions changed places before turning."""
    x = random(6, 8, SEQ, HEAD_DIM)
    return {"before": x, "after": turned(x.swapaxes(0, 1), np.arange(8)).swapaxes(0, 1)}


def exponent_over_head_dim() -> Arrays:
    """A quarter of the head turns, at the rates that the whole head would have."""
    x, width = random(7, HEADS, SEQ, HEAD_DIM), HEAD_DIM // 4
    return {"before": x, "after": rotate(x, np.arange(SEQ), inverse_frequencies(HEAD_DIM)[: width // 2], "half")}


def k_permuted_wrong_heads() -> Arrays:
    """Rows of the keys permuted from half to interleaved as if each of two heads were four."""
    heads, dim, groups = 2, 32, 8
    x = random(8, heads, SEQ, dim)
    rows = x.swapaxes(0, 1).reshape(SEQ, heads * dim)
    order = np.arange(heads * dim).reshape(groups, 2, -1).swapaxes(1, 2).ravel()
    moved = rows[:, order].reshape(SEQ, heads, dim).swapaxes(0, 1)
    return {"before": x, "after": turned(moved, np.arange(SEQ), layout="interleaved")}


def one_table_for_all_layers() -> Arrays:
    """Full attention, turned by the table of the sliding layers."""
    x = random(9, HEADS, SEQ, 32)
    rates = read_config(LAYERS)["sliding_attention"].table()[0].astype(np.float64)
    return {"before": x, "after": rotate(x, np.arange(SEQ), rates, "half")}


def first_position_only() -> Arrays:
    """One token at position 0, which turns nothing."""
    x = random(10, HEADS, 1, HEAD_DIM)
    return {"before": x, "after": turned(x, [0])}


def other_tokens() -> Arrays:
    """The last places belong to other tokens than before: no convention explains them."""
    x, other = random(11, 1, SEQ, HEAD_DIM), random(12, 1, SEQ, HEAD_DIM)
    return {"before": x, "after": turned(np.where(np.arange(SEQ)[:, None] < 20, x, other), np.arange(SEQ))}


MADE = (
    right,
    interleaved_part,
    rotated_twice,
    decode_restarted,
    half_precision_angles,
    heads_axis,
    exponent_over_head_dim,
    k_permuted_wrong_heads,
    one_table_for_all_layers,
    first_position_only,
    other_tokens,
)


def made(name: str) -> Arrays:
    """The arrays of one sample, as they are stored."""
    (make,) = (make for make in MADE if make.__name__ == name)
    return {key: array if key == "positions" else array.astype(np.float32) for key, array in make().items()}


if __name__ == "__main__":
    for name in (make.__name__ for make in MADE):
        np.savez_compressed(FOLDER / f"{name}.npz", **made(name))
    for name, known in KNOWN.items():
        (FOLDER / f"{name}.json").write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
