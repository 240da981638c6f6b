"""The words that travel through the chapters, and the ribbon of places around one of them."""

from pages.kit.stage import Entry, Line, Table, Track, Value
from pages.kit.words import Words

AROUND = range(-2, 3)
FOLLOWED = (1, 5)  # which words of the sentence are followed: the lamp asks, the sea is looked at


def followed(texts: Words) -> tuple[str, str]:
    """The two words of the sentence that every chapter follows: the query's and the key's."""
    written = texts("sentence").split()
    return written[FOLLOWED[0]], written[FOLLOWED[1]]


def tracks(variable: str, texts: Words) -> list[Track]:
    """The query's word in the ribbon's part `word`, and the places around it in `at-2` … `at+2`; before 0 none."""
    made = [Track("word", "text", followed(texts)[0], [])]
    for step in AROUND:
        place = Value([Line(variable, 1)], start=step, decimals=0)
        there = Value([Entry(variable, Table(f"from{-step}", [0, 1], first=-step - 1))])
        made += [Track(f"at{step:+d}", "text", "{}", [place]), Track(f"at{step:+d}", "opacity", "{}", [there])]
    return made
