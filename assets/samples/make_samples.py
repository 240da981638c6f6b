"""Makes the doctor's sample files: one rotation as it should be, and one of each of several mistakes.

`python -m assets.samples.make_samples` writes them beside this file. Each holds `before` and `after`, float32
`(heads, seq, head_dim)`; where a diagnosis needs them also `positions`, `num_heads` and `num_kv_heads`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rope_core import Layout, inverse_frequencies, rotate
from rope_core.diagnosis.halves import rounded

FOLDER = Path(__file__).parent
HEADS, KV_HEADS, SEQ, HEAD_DIM, ROTARY_DIM, BASE = 8, 2, 24, 32, 16, 10000.0
FREQUENCIES = inverse_frequencies(HEAD_DIM, BASE)

Sample = dict[str, Any]


def vectors(seed: int, heads: int = 4) -> NDArray[np.float32]:
    """Random vectors `(heads, seq, head_dim)`."""
    return np.random.default_rng(seed).standard_normal((heads, SEQ, HEAD_DIM)).astype(np.float32)


def turned(x: NDArray[np.float32], positions: NDArray[np.float64], layout: Layout = "half") -> NDArray[np.float32]:
    """The rotation of a plain model, angles in float64, rounded to float32 once."""
    return rotate(x.astype(np.float64), positions, FREQUENCIES, layout).astype(np.float32)


def right() -> Sample:
    """As transformers turns a Llama's query."""
    x = vectors(1)
    return {"before": x, "after": turned(x, np.arange(SEQ, dtype=np.float64))}


def wrong_layout() -> Sample:
    """Neighbours as pairs, in a model whose pairs are half a head apart."""
    x = vectors(2)
    return {"before": x, "after": turned(x, np.arange(SEQ, dtype=np.float64), "interleaved")}


def rotated_twice() -> Sample:
    """The rotation applied in the projection and in the attention again."""
    x, positions = vectors(3), np.arange(SEQ, dtype=np.float64)
    return {"before": x, "after": turned(turned(x, positions), positions), "positions": positions}


def decode_restarted() -> Sample:
    """Sixteen tokens at once, then one at a time, each as if it were the first."""
    x = vectors(4)
    actual = np.where(np.arange(SEQ) < 16, np.arange(SEQ), 0).astype(np.float64)
    return {"before": x, "after": turned(x, actual)}


def k_permuted_wrong_heads() -> Sample:
    """Keys whose rows were put into the interleaved order in num_heads // num_kv_heads groups."""
    x, groups = vectors(5, KV_HEADS), HEADS // KV_HEADS
    rows = x.swapaxes(0, 1).reshape(SEQ, groups, 2, KV_HEADS * HEAD_DIM // groups // 2)
    moved = rows.swapaxes(2, 3).reshape(SEQ, KV_HEADS, HEAD_DIM).swapaxes(0, 1)
    after = turned(moved, np.arange(SEQ, dtype=np.float64), "interleaved")
    return {"before": x, "after": after, "num_heads": np.array(HEADS), "num_kv_heads": np.array(KV_HEADS)}


def half_precision_angles() -> Sample:
    """Positions, frequencies and angles rounded to bfloat16, beyond position 1,000."""
    x, positions = vectors(6), 1000 + np.arange(SEQ, dtype=np.float64)
    places, rates = rounded(positions, "bfloat16"), rounded(FREQUENCIES, "bfloat16")
    angles = rounded(np.outer(places, rates), "bfloat16")
    first, second = x[..., : HEAD_DIM // 2].astype(np.float64), x[..., HEAD_DIM // 2 :].astype(np.float64)
    pairs = (first + 1j * second) * np.exp(1j * angles)
    after = np.concatenate((pairs.real, pairs.imag), axis=-1).astype(np.float32)
    return {"before": x, "after": after, "positions": positions}


def exponent_over_head_dim() -> Sample:
    """Half of each head turns, with exponents divided by the whole head."""
    x, rates = vectors(7), inverse_frequencies(HEAD_DIM, BASE)[: ROTARY_DIM // 2]
    after = rotate(x.astype(np.float64), np.arange(SEQ), rates, "half").astype(np.float32)
    return {"before": x, "after": after}


def heads_axis() -> Sample:
    """Positions counted along the heads."""
    x = vectors(8, HEADS)
    after = turned(np.ascontiguousarray(x.swapaxes(0, 1)), np.arange(HEADS, dtype=np.float64))
    return {"before": x, "after": np.ascontiguousarray(after.swapaxes(0, 1))}


SAMPLES: dict[str, Callable[[], Sample]] = {
    make.__name__: make
    for make in (
        right,
        wrong_layout,
        rotated_twice,
        decode_restarted,
        k_permuted_wrong_heads,
        half_precision_angles,
        exponent_over_head_dim,
        heads_axis,
    )
}
"""The maker of every sample, by the name of its file; a mistake's name is also that of the fault."""

if __name__ == "__main__":
    for name, make in SAMPLES.items():
        np.savez_compressed(FOLDER / f"{name}.npz", **make())
