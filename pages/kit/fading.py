"""Does a score fade with the gap? A word beside itself, and words that have nothing to do with each other."""

import numpy as np
import streamlit as st

from pages.kit import link
from rope_core import inverse_frequencies, mean_cosine, rotate

WIDTH, DRAWN = 128, 2_000  # as wide as the puzzle's rack; how many random pairs of words
NEAR, FAR = 1, 1_000
OWN = (1, 62, 67)


@st.cache_data(max_entries=1, show_spinner=False)
def numbers() -> dict[str, float]:
    """The likeness of a word with itself at the gaps OWN, and how far random scores range at NEAR and at FAR.

    Scores divided by √d, as attention does; random words are Gaussian, so that their scores range by 1.
    """
    rates = inverse_frequencies(WIDTH, link.BASE.default)
    q, k = np.random.default_rng(WIDTH).standard_normal((2, DRAWN, WIDTH))
    own = {f"own_{gap}": float(mean_cosine([gap], rates)[0]) for gap in OWN}
    ranges = {f"range_{gap}": float((q * rotate(k, gap, rates)).sum(axis=-1).std() / WIDTH**0.5) for gap in (NEAR, FAR)}
    return own | ranges | {"drawn": DRAWN}
