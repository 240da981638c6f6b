"""RoPE's scores beside an added address's, as `st.slider` and `st.plotly_chart` would show them."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from rope_core import additive_terms, inverse_frequencies, scores, sinusoidal
from rope_core.demo import demo_pair

b = st.select_slider("b", [int(f) for f in np.geomspace(10, 10_000_000, 241)], 10_000)
d = st.slider("d", 2, 256, 64, step=2)

positions = np.arange(128)
(q, k), addresses = demo_pair(d), sinusoidal(positions, d, b)
rope = scores(q, k, positions, positions, inverse_frequencies(d, b))
additive = sum(np.broadcast_arrays(*additive_terms(q, k, addresses[:, np.newaxis], addresses)))
for column, name, table in zip(st.columns(2), ("RoPE", "additive"), (rope, additive), strict=True):
    column.plotly_chart(go.Figure(go.Heatmap(z=table.astype(np.float32))), key=name)
