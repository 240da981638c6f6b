"""A server for the stage's own tests: the real app's headers and its route to plotly.js around three small pages."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from app import PLOTLY_ADDRESS, SHELL, plotly_js
from deploy.security import Guard, security_headers
from pages.kit import words

HERE = Path(__file__).resolve().parent

words.ROOT = HERE / "words"
words.load.cache_clear()  # the real app read its own words when it was imported
words.languages.cache_clear()

app = st.App(
    HERE / "frame.py",
    routes=[Route(PLOTLY_ADDRESS, plotly_js)],
    middleware=[Middleware(Guard, headers=security_headers(SHELL))],
)
