"""It knows every distance and no place. From the scores alone, name the place."""

import numpy as np
import streamlit as st

from pages.kit import chapter, fog, fog_plots, link, prose, words
from pages.kit.link import Quantity
from pages.kit.stage import Control, Drag, Line, Panel, Picture, Track, Value, scene, sentence

GUESS = Quantity("nowhere_flag", 2000, 0, int(fog.PLACES[-1]))
GAME = Quantity("nowhere_round", 1, 1, 99)
ROUNDS = 3  # after so many the answer is shown
SCALE = 432 / GUESS.high  # units of the drawing a place
GUESSES, REVEAL = "nowhere_guesses", "nowhere_reveal"
texts = words.of("nowhere")
seen = tuple(texts("sentence").split()[: fog.COUNT])
guesses: dict[int, int] = st.session_state.setdefault(GUESSES, {})


def guess() -> None:
    """Keep what the flag says as this round's guess."""
    current = link.read((GAME, GUESS))
    guesses[current[GAME.name]] = current[GUESS.name]


def next_round() -> None:
    """Hide the words anew."""
    st.session_state[GAME.name] = min(link.read((GAME,))[GAME.name] + 1, GAME.high)


def ask() -> None:
    """The round, the button that ends it, and the tally."""
    at, press, show = st.columns([2, 3, 4], vertical_alignment="bottom")
    link.mend(GAME)
    game = link.read((GAME,))[GAME.name]
    with at:
        st.number_input(texts("round"), GAME.low, GAME.high, GAME.default, key=GAME.name, bind="query-params")
    if game in guesses:
        press.button(texts("next_round"), on_click=next_round)
    else:
        press.button(texts("my_guess"), on_click=guess)
    show.toggle(texts("reveal"), key=REVEAL, bind="query-params")
    if guesses:
        misses = [abs(said - fog.hidden_place(made)) for made, said in guesses.items()]
        tally = texts("tally", rounds=len(misses), miss=float(np.mean(misses)), blind=fog.blind_miss())
        st.markdown(prose.aside(tally))


def revealed() -> bool:
    """Whether the answer is shown: asked for, or after ROUNDS guesses."""
    return bool(st.session_state.get(REVEAL)) or len(guesses) >= ROUNDS


def build(values: dict[str, int]) -> Picture:
    """The words in the fog, the flag of the guess, and what the scores tell."""
    game = link.read((GAME,))[GAME.name]
    place = fog.hidden_place(game)
    known = game in guesses or bool(st.session_state.get(REVEAL))
    spoken = {"guess": Value([Line(GUESS.name, 1)], decimals=0), "place": Value([], place, decimals=0)}
    flags = (("guess", Value([Line(GUESS.name, SCALE)])), ("truth", Value([], place * SCALE)))
    return Picture(
        panels=[
            Panel("scene", scene("nowhere.svg", texts)),
            Panel("table", fog_plots.scores_seen(seen, place, texts), description=texts("table_description")),
            *(fog_plots.answers(seen, place, texts) if revealed() else []),
        ],
        controls=[
            Control(GUESS, texts("control_nowhere_flag"), texts("control_nowhere_flag_help"), "address", leap=64)
        ],
        tracks=[
            *(Track(part, "transform", "translate({} 0)", [value]) for part, value in flags),
            Track("truth-shown", "opacity", "1" if known else "0", []),
            Track("last", "text", "{}", [Value([], GUESS.high, decimals=0)]),
            *(Track(f"buoy{i}", "text", word, []) for i, word in enumerate(seen)),
            sentence("said", texts.raw("said_known" if known else "said_open"), **spoken),
            sentence("scene-description", texts.raw("scene_known" if known else "scene_open"), **spoken),
        ],
        drags=[Drag("guess", GUESS.name)],
    )


chapter.show(
    "nowhere",
    (GUESS,),
    build,
    {
        "rounds": ROUNDS,
        "places": len(fog.PLACES),
        "blind": fog.blind_miss(),
        "moved": float(np.abs(fog.score_table(seen, 0) - fog.score_table(seen, int(fog.PLACES[-1]))).max()),
        "first_share": 1.0,
        "tenth_share": 1 / 10,
    },
    above=ask,
)
