"""All pairs' dials, as `st.slider` and `st.plotly_chart` would show them: one figure, one trace for all hands."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from rope_core import inverse_frequencies

COLUMNS = 16

m = st.slider("m", 0, 4096, 17)
b = st.select_slider("b", [int(f) for f in np.geomspace(10, 10_000_000, 241)], 10_000)
d = st.slider("d", 2, 256, 256, step=2)

angles = m * inverse_frequencies(d, b)
row, column = np.divmod(np.arange(d // 2), COLUMNS)
lift = np.full(d // 2, np.nan)  # the pen is lifted after each hand
across = np.stack((column, column + 0.4 * np.cos(angles), lift), axis=-1).ravel()
up = np.stack((-row, -row + 0.4 * np.sin(angles), lift), axis=-1).ravel()
rims = go.Scatter(x=column, y=-row, mode="markers", marker={"size": 30, "symbol": "circle-open"})
st.plotly_chart(go.Figure([rims, go.Scatter(x=across, y=up, mode="lines")]), key="dials")
