"""Which model is looked at, and which layers of it: a known one, a config.json, or typed parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.kit import lab_typed, lab_upload
from pages.kit.lab_models import models
from pages.kit.lab_upload import UploadError
from pages.kit.prose import small_print
from pages.kit.words import Words
from rope_core.config import RopeSpec, read_config
from rope_core.keys import RopeConfigError

# Names that every language shares, for they stand in the link.
KNOWN, FILE, TYPED = "model", "config.json", "rope_parameters"
RANK = {"default": 1, "none": 2}  # layers with more to see come first
FIRST = "meta-llama/Llama-3.1-8B-Instruct"


@dataclass(frozen=True)
class Chosen:
    """A model: its name, empty where it is not a known one, its kinds of layers, and the kind that is looked at."""

    name: str
    specs: Mapping[str, RopeSpec]
    kind: str
    is_in_link: bool = True

    @property
    def spec(self) -> RopeSpec:
        """How the layers of the chosen kind rotate."""
        return self.specs[self.kind]


def here(texts: Words) -> Chosen | None:
    """Ask for the model to look at; None, and the reason in words, where there is none."""
    source = st.radio(texts("source"), [KNOWN, FILE, TYPED], horizontal=True, key="lab_from", bind="query-params")
    if source == KNOWN:
        name = str(st.selectbox(texts("model"), list(models()), _place(FIRST), key="lab_model", bind="query-params"))
        _origin(name, texts)
        return _read(name, models()[name].config, "lab_layers", texts)
    if source == TYPED:
        return _read("", lab_typed.typed(texts), "lab_layers", texts)
    try:
        brought = _brought(texts)
    except UploadError as error:
        _refused(error, "lab_file", texts)
        return None
    found = None if brought is None else _read("", brought, "lab_layers", texts)
    return found and replace(found, is_in_link=False)


def beside(texts: Words) -> Chosen | None:
    """Offer a second model; None where none is wanted."""
    label, none = texts("model_beside"), texts("none_beside")
    name = st.selectbox(label, list(models()), None, placeholder=none, key="lab_beside", bind="query-params")
    if name is None:
        return None
    _origin(name, texts)
    return _read(name, models()[name].config, "lab_beside_layers", texts)


def _place(name: str) -> int:
    return list(models()).index(name)


def _origin(name: str, texts: Words) -> None:
    model = models()[name]
    if model.is_variation:
        small_print(texts("variation"))
    else:
        small_print(texts("revision", revision=model.revision) if model.is_pinned else texts("not_pinned"))


def _brought(texts: Words) -> dict[str, Any] | None:
    """What was dropped in, else what was pasted."""
    dropped = st.file_uploader(texts("drop"), key="lab_file", max_upload_size=lab_upload.LARGEST)
    pasted = st.text_area(texts("paste"), key="lab_text", height=120, placeholder='{"model_type": …}')
    small_print(texts("not_stored"))
    if dropped is not None:
        if dropped.size > lab_upload.BYTES:
            raise UploadError("fault_large", largest=lab_upload.LARGEST)
        return lab_upload.parsed(dropped.getvalue())
    return lab_upload.parsed(pasted.encode()) if pasted else None


def _read(name: str, config: Mapping[str, Any], key: str, texts: Words) -> Chosen | None:
    try:
        specs = read_config(config)
    except RopeConfigError as error:
        _refused(error, key, texts)
        return None
    ordered = dict(sorted(specs.items(), key=lambda item: RANK.get(item[1].rope_type, 0)))
    kinds = {lab_upload.plain(kind): kind for kind in ordered}
    kind = next(iter(kinds))
    if len(kinds) > 1:
        kind = str(st.selectbox(texts("layers"), list(kinds), key=key, bind="query-params"))
    return Chosen(name, ordered, kinds[kind])


def _refused(error: UploadError | RopeConfigError, key: str, texts: Words) -> None:
    """Say what is wrong, as text: the sentence may quote the file."""
    with st.container(border=True, key=f"{key}_fault"):
        st.markdown(texts("refused"))
        st.text(lab_upload.sentence(error, texts))
