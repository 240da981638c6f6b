"""The samples of the doctor: files of the project's own, examined once a server."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from pages.kit.doctor_case import Asked, Seen, examined
from pages.kit.words import Words
from rope_core.config import read_config

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "samples"
SAMPLE = "doctor_sample"
FIRST = "right"


def names() -> list[str]:
    """The samples, the right one first; their names stand in the link, so every language shares them."""
    return sorted((path.stem for path in FOLDER.glob("*.npz")), key=lambda name: (name != FIRST, name))


def chosen(texts: Words) -> tuple[Seen, Asked]:
    """Ask which sample to look at, and say how it was made."""
    name = str(st.selectbox(texts("sample"), names(), key=SAMPLE, bind="query-params"))
    st.markdown(texts(f"sample_{name}"))
    return seen(name), known(name)


@cache
def seen(name: str) -> Seen:
    """What the doctor finds in a sample."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        return examined(file["before"], file["after"], file.get("positions"), known(name))


@cache
def known(name: str) -> Asked:
    """What is known of the model behind a sample."""
    path = FOLDER / f"{name}.json"
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    config = told.pop("config", None)
    return Asked(**told, specs=None if config is None else read_config(config))
