"""What number formats do to "only the gap counts": the same q, k and gap ever later, in torch's own arithmetic.

A position m is turned by the angle m · inv_freq. A format has so many digits; a late position spends them on its whole
turns, and what is left for the place within the turn is lost. Models with bfloat16 weights therefore compute angles in
float32 (transformers#29285) and round cosine and sine afterwards.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from rope_core.frequencies import inverse_frequencies
from rope_core.tensors import cos_sin, turn

DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
ANGLES = ("own", "float32")
"""Angles in the tensor's own dtype, or in float32 whatever it is."""

HEAD_DIM = 128
HEADS = 256  # pairs of q and k
SEED = 0

Array = NDArray[np.float64]


def own_cos_sin(positions: ArrayLike, inv_freq: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Cosine and sine as they come out where position, frequency and angle all have `dtype`: the fault.

    positions: `(seq,)` tokens. inv_freq: `(pairs,)`, radians per token. Both results are `(seq, pairs)`; not a number
    where a position is beyond what the dtype holds.
    """
    angles = torch.as_tensor(positions).to(dtype).unsqueeze(-1) * inv_freq.to(dtype)
    return angles.cos(), angles.sin()


def content() -> tuple[Tensor, Tensor]:
    """The q and k that are measured: normal numbers, `(HEADS, 1, HEAD_DIM)` float64, the same every time."""
    both = np.random.default_rng(SEED).standard_normal((2, HEADS, 1, HEAD_DIM))
    return torch.from_numpy(both[0]), torch.from_numpy(both[1])


def scores(gap: int, shifts: ArrayLike, dtype: str, angles: str) -> Tensor:
    """q · k / √HEAD_DIM of every pair of the content, with the earlier of the two at each shift.

    gap: key position − query position, tokens. shifts: `(seq,)`. dtype: that of q, k, cosine, sine and the turned
    vectors, a key of DTYPES; angles: one of ANGLES. The products are added up in float32 or wider, as attention does.
    Returns `(HEADS, seq)` float64.
    """
    inv_freq = torch.from_numpy(inverse_frequencies(HEAD_DIM))
    places = places_of(gap, shifts)
    kind = DTYPES[dtype]
    turned = []
    for x, positions in zip(content(), places, strict=True):
        cos, sin = own_cos_sin(positions, inv_freq, kind) if angles == "own" else cos_sin(positions, inv_freq)
        several = x.to(kind).expand(-1, len(positions), -1)
        turned.append(turn(several, cos.to(kind), sin.to(kind)).to(torch.promote_types(kind, torch.float32)))
    found: Tensor = (turned[0] * turned[1]).sum(-1).double() / HEAD_DIM**0.5
    return found


def places_of(gap: int, shifts: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The positions of query and key, `(seq,)` each, where the earlier of the two stands at the shift."""
    at = np.asarray(shifts, dtype=np.int64)
    return at + max(0, -gap), at + max(0, gap)


def score_errors(gap: int, shifts: ArrayLike, dtype: str, angles: str) -> Array:
    """By how much the scores are off, on average over the content: `(seq,)`, not a number where there is no score.

    Measured against the same gap at the start of the document in float64, which is right to 15 digits.
    """
    true = scores(gap, [0], "float64", "own")
    return np.asarray((scores(gap, shifts, dtype, angles) - true).abs().mean(0).numpy())


def typical_score(gap: int) -> float:
    """The average size of the scores, to compare the errors with."""
    return float(scores(gap, [0], "float64", "own").abs().mean())


def as_read(positions: ArrayLike, dtype: str) -> Array:
    """What `positions` are once they have the dtype, in float64; infinite beyond what it holds."""
    return np.asarray(torch.as_tensor(np.asarray(positions, dtype=np.int64)).to(DTYPES[dtype]).double().numpy())


def distinct(count: int, dtype: str) -> int:
    """How many of the positions 0 to count − 1 the dtype tells apart, those aside that it does not hold."""
    read = as_read(np.arange(count), dtype)
    return len(np.unique(read[np.isfinite(read)]))


def first_collision(dtype: str) -> int:
    """The first position that is the same as the next one.

    The spacing of a format's numbers grows only at powers of two, so it is one of them.
    """
    powers = 2 ** torch.arange(62)
    same = powers.to(DTYPES[dtype]) == (powers + 1).to(DTYPES[dtype])
    return int(powers[same][0])


def run(report: Callable[[float], None], gap: int, shifts: ArrayLike) -> dict[str, Array]:
    """The measurement for one gap, as arrays: `errors` `(ANGLES, DTYPES, shifts)`, `read` and `typical`.

    `read` is `(DTYPES, 2, shifts)`: what the positions of query and key are in each dtype. `report` takes the share
    that is done.
    """
    errors = []
    for number, (angles, dtype) in enumerate((angles, dtype) for angles in ANGLES for dtype in DTYPES):
        report(number / (len(ANGLES) * len(DTYPES)))
        errors.append(score_errors(gap, shifts, dtype, angles))
    read = [[as_read(places, dtype) for places in places_of(gap, shifts)] for dtype in DTYPES]
    shape = (len(ANGLES), len(DTYPES), -1)
    return {
        "errors": np.array(errors).reshape(shape),
        "read": np.array(read),
        "typical": np.array(typical_score(gap)),
    }
