"""The words a visitor reads: `assets/words/<language>/<page>.toml`, flat keys, Markdown values.

A number is written `[[name]]` or `[[name:.3f]]` in a value, since braces and dollars belong to the mathematics.
A language is a folder; its own name stands in its `kit.toml` under `language`.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import streamlit as st

ROOT = Path(__file__).resolve().parents[2] / "assets" / "words"
FIRST_LANGUAGE = "en"
PLACEHOLDER = re.compile(r"\[\[(\w+)(?::([^\]]+))?\]\]")


@cache
def load(language: str, page: str) -> Mapping[str, str]:
    """All words of one page. Raises KeyError for a language or page that is not there."""
    path = ROOT / language / f"{page}.toml"
    if not path.is_file():
        raise KeyError(f"no words for page {page!r} in language {language!r}")
    return MappingProxyType(tomllib.loads(path.read_text(encoding="utf-8")))


@cache
def languages() -> Mapping[str, str]:
    """The languages there are: code -> the language's own name, English first."""
    codes = sorted((path.parent.name for path in ROOT.glob("*/kit.toml")), key=lambda c: (c != FIRST_LANGUAGE, c))
    return MappingProxyType({code: load(code, "kit")["language"] for code in codes})


def pages(language: str) -> list[str]:
    """The names of all pages that have words in this language, the kit's own aside."""
    return sorted(path.stem for path in (ROOT / language).glob("*.toml") if path.stem != "kit")


SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def fill(text: str, replace: Callable[[str, str], str]) -> str:
    """`text` with every placeholder replaced by `replace(name, format)`."""
    return PLACEHOLDER.sub(lambda found: replace(found[1], found[2] or ""), text)


def readable(number: float | str, format_spec: str = "") -> str:
    """A number as a reader expects it: a true minus sign, no negative zero."""
    text = format(number, format_spec)
    if isinstance(number, str):
        return text
    if "e" in text:
        digits, _, power = text.partition("e")
        text = f"{digits} × 10{str(int(power)).translate(SUPERSCRIPT)}"
    return text.replace("-", "−") if any(digit in text for digit in "123456789") else text.replace("-", "")


class Words:
    """The words of one page in one language; falls back to the labels that all pages share (`kit.toml`)."""

    def __init__(self, language: str, page: str) -> None:
        self.language = language
        self.page = page
        self._words = {**load(language, "kit"), **load(language, page)}

    def __call__(self, key: str, **numbers: float | str) -> str:
        """The text under `key` with its numbers set in. Raises KeyError for a missing key or number."""
        return fill(self._words[key], lambda name, spec: readable(numbers[name], spec))

    def raw(self, key: str) -> str:
        """The text under `key` with its placeholders left open."""
        return self._words[key]

    def has(self, key: str) -> bool:
        """Whether the page has a text under `key`."""
        return key in self._words


def browser_language() -> str:
    """The visitor's browser's language if there are words in it, else English."""
    code = (st.context.locale or "").split("-")[0]
    return code if code in languages() else FIRST_LANGUAGE


def chosen_language() -> str:
    """The visitor's language: chosen by hand, else from the link, else from the browser."""
    wanted = st.session_state.get("lang", st.query_params.get("lang"))
    return wanted if wanted in languages() else browser_language()


def of(page: str) -> Words:
    """The words of `page` in the visitor's language."""
    return Words(chosen_language(), page)
