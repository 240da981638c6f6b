"""The sentence that travels through the chapters, as a ribbon of five words around a position."""

from pages.kit.stage import Entry, Line, Table, Track, Value
from pages.kit.words import Words

AROUND = range(-2, 3)


def tracks(variable: str, texts: Words) -> list[Track]:
    """Words and positions for the ribbon's parts `word-2` … `word+2` and `at-2` … `at+2`.

    The document is the sentence over and over from position 0 on; before it there is nothing.
    """
    sentence = Table("sentence", texts("sentence").split(), repeats=True)
    made = []
    for step in AROUND:
        word = Value([Entry(variable, sentence, offset=step)])
        place = Value([Line(variable, 1)], start=step, decimals=0)
        there = Value([Entry(variable, Table(f"from{-step}", [0, 1], first=-step - 1))])
        for part, value in ((f"word{step:+d}", word), (f"at{step:+d}", place)):
            made += [Track(part, "text", "{}", [value]), Track(part, "opacity", "{}", [there])]
    return made
