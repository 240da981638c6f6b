"""What counts is how far apart two words are. The visitor's own sentence rides through a document."""

import streamlit as st

from pages.kit import chapter, link, sentence, tiles, words
from pages.kit.link import Quantity
from pages.kit.stage import Control, Drag, Entry, Line, Panel, Picture, Table, Track, Value, scene
from pages.kit.stage import sentence as said

PAGES, PAGE = 50, 300  # pages of the document, words a page
FIRST = Quantity("gap_first", 12, 0, PAGES * PAGE - sentence.LONGEST)
QUERY = Quantity("gap_query", 1, 0, sentence.LONGEST - 1)
KEY = Quantity("gap_key", 5, 0, sentence.LONGEST - 1)
SHEET = 9  # the width of a page in the drawing
TEXT = "gap_text"
texts = words.of("gap")
written = sentence.split(link.read_text(TEXT, texts("sentence"))) or texts("sentence").split()
LAST = len(written) - 1


def ask() -> None:
    """Ask for the visitor's own sentence."""
    st.text_input(texts("your_sentence"), texts("sentence"), max_chars=sentence.LONGEST, key=TEXT, bind="query-params")


def numbers() -> dict[str, Value]:
    """Every number and word in the sentences, as it follows the place and the two words picked."""
    word = Table("word", written)
    return {
        "first": Value([Line("gap_first", 1)], decimals=0),
        "page": Value([Line("gap_first", 1 / PAGE)], start=1 - (PAGE - 1) / 2 / PAGE, decimals=0),
        "query": Value([Entry("gap_query", word)]),
        "key": Value([Entry("gap_key", word)]),
        "m": Value([Line("gap_first", 1), Line("gap_query", 1)], decimals=0),
        "n": Value([Line("gap_first", 1), Line("gap_key", 1)], decimals=0),
        "gap": Value([Line("apart", 1)], decimals=0),
    }


def controls() -> list[Control]:
    """Where the sentence begins, and the two words to follow."""
    first = Control(FIRST, texts("control_gap_first"), texts("control_gap_first_help"), "address", leap=PAGE, pace=30)
    return [first] + [
        Control(link.narrowed(q, LAST), texts(f"control_{q.name}"), texts(f"control_{q.name}_help"), role)
        for q, role in ((QUERY, "query"), (KEY, "key"))
    ]


def build(_: dict[str, int]) -> Picture:
    """The document, the sentence in it, and the table of its gaps."""
    described = ("scene-description", "words-description", "table-description", "follow", "page-text")
    shown = numbers()
    return Picture(
        panels=[
            Panel("scene", scene("gap.svg", texts)),
            Panel("follow", scene("gap_follow.html", texts), kind="formula"),
            Panel("words", tiles.markup(len(written), KEY.name, texts("tile_help")), kind="formula"),
            Panel("table", tiles.gap_table(len(written), texts("table_caption")), kind="formula"),
        ],
        controls=controls(),
        tracks=[
            Track("bookmark", "transform", "translate({} 0)", [Value([Line("gap_first", SHEET / PAGE)])]),
            *tiles.tracks(written, "gap_first", "gap_query", "gap_key"),
            *tiles.gap_tracks(len(written), "gap_first"),
            *(said(part, texts.raw(part.replace("-", "_")), **shown) for part in described),
        ],
        differences={"apart": ("gap_key", "gap_query")},
        drags=[Drag("bookmark", "gap_first")],
    )


chapter.show(
    "gap",
    (FIRST, link.narrowed(QUERY, LAST), link.narrowed(KEY, LAST)),
    build,
    {
        "pages": PAGES,
        "page": PAGE,
        "so_far": len(texts("sentence").split()),
        "before": len(texts("sentence").split()) - 1,
    },
    above=ask,
)
