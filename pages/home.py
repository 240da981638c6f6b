"""Home: in ten seconds what this is, a small stage that moves, the way to the first chapter."""

import streamlit as st

st.title("Home")
