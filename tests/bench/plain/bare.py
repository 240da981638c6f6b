"""The least that Streamlit can show."""

import streamlit as st

st.title("A bare page")
st.write("A line of text.")
