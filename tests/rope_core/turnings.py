"""Hypothesis strategies for rotations, and the permutation between layouts."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rope_core import Layout, inverse_frequencies
from rope_core.rotation import LAYOUTS

SEQ = 3
layouts = st.sampled_from(LAYOUTS)
bases = st.floats(1.5, 1e7)
positions = st.integers(-4096, 4096)
factors = st.floats(0.25, 4.0)


@dataclass
class Turning:
    """Everything one rotation needs; x and y are `(SEQ, head_dim)`, whose first `width` entries turn."""

    x: np.ndarray
    y: np.ndarray
    inv_freq: np.ndarray
    layout: Layout
    width: int


@st.composite
def turnings(draw):
    pairs, passing = draw(st.integers(1, 8)), draw(st.integers(0, 3))
    entries = arrays(np.float64, (SEQ, 2 * pairs + passing), elements=st.floats(-8, 8, width=32))
    inv_freq = inverse_frequencies(2 * pairs, draw(bases))
    return Turning(draw(entries), draw(entries), inv_freq, draw(layouts), 2 * pairs)


def interleaved_to_half(x, width):
    """Move entries 0, 2, 4, … of the turning part to the front, the odd ones behind them."""
    order = np.concatenate((np.arange(0, width, 2), np.arange(1, width, 2), np.arange(width, x.shape[-1])))
    return x[..., order]
