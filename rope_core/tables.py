"""The seven tables: from plain numbers to `(inv_freq, attention_factor)`, as transformers 5.24.0 computes them.

Every function takes a `Scaling` and a sequence length in tokens, and gives inverse frequencies (radians per token,
float32, one per pair) and the factor on cos and sin. transformers works in float32 throughout, and the models were run
with those roundings: each step here is rounded to float32 where theirs is. Only the power is taken in float64 and
rounded once, within one unit in the last place of theirs. Source: `modeling_rope_utils.ROPE_INIT_FUNCTIONS` and the
`compute_default_rope_parameters` of the model files.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Frequencies = NDArray[np.float32]


@dataclass(frozen=True)
class Scaling:
    """The numbers that make a table. Lengths are in tokens; what a type does not use stands at its neutral value."""

    base: float
    rotary_dim: int
    partial: float = 1.0  # proportional: the part of the pairs that turn
    factor: float = 1.0
    max_positions: int | None = None  # the length the model serves
    original_positions: int | None = None  # the length before scaling
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True
    mscale: float = 0.0
    mscale_all_dim: float = 0.0
    attention_factor: float | None = None  # stated in the file
    short_factor: tuple[float, ...] = ()
    long_factor: tuple[float, ...] = ()
    short_mscale: float | None = None
    long_mscale: float | None = None


def magnitude(factor: float, mscale: float = 1.0) -> float:
    """The factor 0.1·mscale·ln(factor) + 1 of YaRN (paper, equation 22); 1 where nothing is stretched."""
    return 0.1 * mscale * math.log(factor) + 1.0 if factor > 1 else 1.0


def _powers(base: float, rotary_dim: int, width: int | None = None) -> Frequencies:
    """base^(2i/rotary_dim) for the pairs in `width` entries, in float32."""
    exponents = np.arange(0, rotary_dim if width is None else width, 2, dtype=np.float32) / np.float32(rotary_dim)
    return np.power(np.float64(np.float32(base)), exponents.astype(np.float64)).astype(np.float32)


def _frequencies(base: float, rotary_dim: int) -> Frequencies:
    return np.float32(1.0) / _powers(base, rotary_dim)


def default(scaling: Scaling, seq_len: int | None = None) -> tuple[Frequencies, float]:
    """base^(-2i/rotary_dim)."""
    return _frequencies(scaling.base, scaling.rotary_dim), 1.0


def linear(scaling: Scaling, seq_len: int | None = None) -> tuple[Frequencies, float]:
    """Position interpolation: every frequency divided by the factor (arXiv 2306.15595)."""
    return _frequencies(scaling.base, scaling.rotary_dim) / np.float32(scaling.factor), 1.0


def ntk_base(base: float, rotary_dim: int, factor: float) -> float:
    """The base that leaves the fastest pair as it is and divides the slowest by the factor exactly ("NTK-aware")."""
    return float(base * factor ** (rotary_dim / (rotary_dim - 2)))


def dynamic(scaling: Scaling, seq_len: int | None = None) -> tuple[Frequencies, float]:
    """NTK by length: the base grows once the sequence is longer than max_positions."""
    assert scaling.max_positions is not None
    served, factor, width = scaling.max_positions, scaling.factor, scaling.rotary_dim
    length = max(seq_len or served, served)
    base = ntk_base(scaling.base, width, factor * length / served - (factor - 1))
    return _frequencies(base, width), 1.0


def llama3(scaling: Scaling, seq_len: int | None = None) -> tuple[Frequencies, float]:
    """Fast pairs kept, slow pairs divided by the factor, a blend that is linear in frequency between."""
    assert scaling.original_positions is not None
    low, high = np.float32(scaling.low_freq_factor), np.float32(scaling.high_freq_factor)
    factor, original = np.float32(scaling.factor), np.float32(scaling.original_positions)
    kept = _frequencies(scaling.base, scaling.rotary_dim)
    wavelengths = np.float32(2 * math.pi) / kept
    share = (original / wavelengths - low) / (high - low)
    blended = (np.float32(1) - share) * kept / factor + share * kept
    fast = wavelengths < np.float32(scaling.original_positions / scaling.high_freq_factor)
    slow = wavelengths > np.float32(scaling.original_positions / scaling.low_freq_factor)
    return np.where(slow, kept / factor, np.where(fast, kept, blended)), 1.0


def yarn_edges(scaling: Scaling) -> tuple[float, float]:
    """The pair numbers between which YaRN blends: where beta_fast and beta_slow turns fit into the original length."""
    assert scaling.original_positions is not None
    width = scaling.rotary_dim

    def edge(turns: float) -> float:
        assert scaling.original_positions is not None
        return width * math.log(scaling.original_positions / (turns * 2 * math.pi)) / (2 * math.log(scaling.base))

    low, high = edge(scaling.beta_fast), edge(scaling.beta_slow)
    if scaling.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    return low, high + 0.001 if low == high else high


def yarn(scaling: Scaling, seq_len: int | None = None) -> tuple[Frequencies, float]:
    """Fast pairs kept, slow pairs divided, a blend that is linear in the pair number between (arXiv 2309.00071)."""
    powers = _powers(scaling.base, scaling.rotary_dim)
    low, high = yarn_edges(scaling)
    ramp = np.clip((np.arange(len(powers), dtype=np.float32) - np.float32(low)) / np.float32(high - low), 0, 1)
    kept = np.float32(1) - ramp
    table = (
        np.float32(1) / (np.float32(scaling.factor) * powers) * (np.float32(1) - kept) + np.float32(1) / powers * kept
    )
    if scaling.attention_factor is not None:
        return table, scaling.attention_factor
    if scaling.mscale and scaling.mscale_all_dim:
        return table, magnitude(scaling.factor, scaling.mscale) / magnitude(scaling.factor, scaling.mscale_all_dim)
    return table, magnitude(scaling.factor)


def longrope(scaling: Scaling, seq_len: int | None = None) -> tuple[Frequencies, float]:
    """Each wavelength times its own factor, of the long list beyond original_positions (arXiv 2402.13753)."""
    assert scaling.original_positions is not None
    is_long = (seq_len or 0) > scaling.original_positions
    stretch = np.asarray(scaling.long_factor if is_long else scaling.short_factor, dtype=np.float32)
    table = np.float32(1) / (stretch * _powers(scaling.base, scaling.rotary_dim))
    stated = scaling.long_mscale if is_long else scaling.short_mscale
    if stated is None:
        stated = scaling.attention_factor
    if stated is not None or scaling.factor <= 1:
        return table, 1.0 if stated is None else stated
    return table, math.sqrt(1 + math.log(scaling.factor) / math.log(scaling.original_positions))


def proportional(scaling: Scaling, seq_len: int | None = None) -> tuple[Frequencies, float]:
    """The first part of the pairs at the frequencies of the whole head, the others at 0."""
    turning = int(scaling.partial * scaling.rotary_dim // 2)
    table = np.zeros(scaling.rotary_dim // 2, dtype=np.float32)
    table[:turning] = np.float32(1) / _powers(scaling.base, scaling.rotary_dim, 2 * turning)
    return table / np.float32(scaling.factor), 1.0


Table = Callable[[Scaling, int | None], tuple[Frequencies, float]]

TABLES: dict[str, Table] = {
    "default": default,
    "linear": linear,
    "dynamic": dynamic,
    "llama3": llama3,
    "yarn": yarn,
    "longrope": longrope,
    "proportional": proportional,
}
"""Every rope type that can be computed, by its name in a config.json."""
