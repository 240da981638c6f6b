"""A sentence in any script is cut into words that a reader would know."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.kit.sentence import LONGEST, split


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the lamp turns", ["the", "lamp", "turns"]),
        ("  Is it,  really? ", ["Is", "it,", "really?"]),
        ("Ah — “so” it is!", ["Ah—", "“so”", "it", "is!"]),
        ("don't l’eau porte-parole", ["don't", "l’eau", "porte-parole"]),
        ("灯台の光は海を照らし、船を待つ。", ["灯台の", "光は", "海を", "照らし、", "船を", "待つ。"]),
        ("ランプが回る", ["ランプが", "回る"]),
        ("これはGPTです", ["これは", "GPT", "です"]),
        ("光照大海。", ["光", "照", "大", "海。"]),
        ("свет маяка", ["свет", "маяка"]),
        ("ضوء المنارة", ["ضوء", "المنارة"]),
        ("प्रकाश घर", ["प्रकाश", "घर"]),
        ("불빛이 바다를", ["불빛이", "바다를"]),
        ("a\tb\nc\0d", ["a", "b", "c", "d"]),
        ("", []),
        (" \u2028 ", []),
    ],
)
def test_words_are_words(text: str, words: list[str]) -> None:
    assert split(text) == words


@given(st.text(max_size=400))
def test_nothing_is_lost_but_space_and_what_cannot_be_seen(text: str) -> None:
    seen = [c for c in text[:LONGEST] if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cs")]
    assert "".join(split(text)) == "".join(seen)
    assert all(split(text))


def test_a_long_text_is_cut_off() -> None:
    assert sum(map(len, split("word " * 100))) <= LONGEST
