"""The turn goes on, and can be shrunk to fit. A trained length, a target length, and the ways to stretch."""

import numpy as np

from pages.kit import chapter, controls, link, stretch_plots, thread, words
from pages.kit.link import Quantity
from pages.kit.stage import Control, Drag, Line, Panel, Picture, Track, Value, scene, sentence
from pages.kit.stretch import METHODS, PHI_3, WIDTH, Stretch
from rope_core import inverse_frequencies, wavelengths

STOPS = [2**power for power in range(9, 18)]
TRAINED = Quantity("screw_trained", 4096, STOPS[0], STOPS[-1])
TARGET = Quantity("screw_target", 32_768, STOPS[0], STOPS[-1])
PAIR = Quantity("screw_pair", 50, 0, WIDTH // 2 - 1)
PLACE = Quantity("screw_place", 1000, 0, STOPS[-1])
METHOD = controls.options("screw_method", METHODS)
SAID = ("pair-rate", "pair-verdict", "place-text", "met-text", "target-text", "scale-text", "lit-label", "target-label")
texts = words.of("screw")


def lengths(values: dict[str, int]) -> tuple[int, int]:
    """The trained length and the target; a target is never shorter than the training."""
    return values[TRAINED.name], max(values[TARGET.name], values[TRAINED.name])


def chosen(values: dict[str, int]) -> Stretch:
    """The stretch as the visitor or the link set it."""
    return Stretch.of(METHODS[values[METHOD.name]], *lengths(values))


def numbers(found: Stretch, pair: int) -> dict[str, Value]:
    """Every number of the sentences; only the place moves without Python."""
    before, after = found.before[pair], found.after[pair]
    winding = thread.scale(after * found.target / (2 * np.pi))
    constants = {
        "pair": (pair, 0),
        "trained": (found.trained, 0),
        "target": (found.target, 0),
        "wave": (2 * np.pi / before, 0),
        "slowed": (found.slowed[pair], 2),
        "met_turns": (found.reach[pair] / (2 * np.pi), 2),
        "target_turns": (after * found.target / (2 * np.pi), 2),
        "winding": (winding, 0),
    }
    made = {name: Value([], float(number), decimals=decimals) for name, (number, decimals) in constants.items()}
    degrees = Value([Line(PLACE.name, float(np.degrees(after)))], modulus=360, decimals=1)
    return made | {"place": Value([Line(PLACE.name, 1)], decimals=0), "degrees": degrees}


def drawing(found: Stretch, pair: int) -> list[Track]:
    """The thread, how far it is lit, the nut on it and the dial of its angle."""
    after = float(found.after[pair])
    turns = after * found.target / (2 * np.pi)
    windings = turns / thread.scale(turns)
    met = min(1.0, float(found.reach[pair]) / (after * found.target)) if found.unseen[pair] else 1.0
    lit, degrees = found.trained / found.target, float(np.degrees(after))
    return [
        Track("lit", "width", f"{thread.LENGTH * lit:.1f}", []),
        Track("thread-met", "d", thread.path(0, met, windings), []),
        Track("thread-unmet", "d", thread.path(met, 1, windings), []),
        Track("nut", "transform", "translate({} 0)", [Value([Line(PLACE.name, thread.LENGTH / found.target)])]),
        Track("hand", "transform", "rotate({})", [Value([Line(PLACE.name, degrees)])]),
        Track("sector", "d", thread.sector(float(found.reach[pair])), []),
    ]


def build(values: dict[str, int]) -> Picture:
    """The picture for the chosen lengths, method and pair; the place moves it."""
    found = chosen(values)
    pair = min(values[PAIR.name], len(found.after) - 1)
    shown = numbers(found, pair)
    verdict = "verdict_unseen" if found.unseen[pair] else "verdict_seen"
    raw = {part: texts.raw(verdict if part == "pair-verdict" else part.replace("-", "_")) for part in SAID}
    spoken = {**raw, "scene-description": texts.raw("scene_description")}
    place = link.narrowed(PLACE, found.target)
    labels = {q.name: (texts(f"control_{q.name}"), texts(f"control_{q.name}_help")) for q in QUANTITIES[1:]}
    return Picture(
        panels=[
            Panel("scene", scene("screw.svg", texts)),
            Panel("turns", scene("screw_turns.html", texts), kind="formula"),
            *stretch_plots.panels(found, lengths(values), texts),
        ],
        controls=[
            controls.choice(METHOD, texts, METHODS),
            Control(place, *labels[PLACE.name], role="query", leap=512, pace=found.target / 20),
            Control(PAIR, *labels[PAIR.name], role="gap", asks=True),
            Control(TRAINED, *labels[TRAINED.name], stops=STOPS, asks=True),
            Control(TARGET, *labels[TARGET.name], stops=STOPS, asks=True),
        ],
        tracks=[*drawing(found, pair), *(sentence(part, text, **shown) for part, text in spoken.items())],
        drags=[Drag("nut", PLACE.name)],
    )


QUANTITIES = (METHOD, PLACE, PAIR, TRAINED, TARGET)
plain = inverse_frequencies(WIDTH)
chapter.show(
    "screw",
    QUANTITIES,
    build,
    {
        "never_round": int((wavelengths(plain) > TRAINED.default).sum()),
        "pairs": WIDTH // 2,
        "width": WIDTH,
        "step": float(np.degrees(plain[0])),
        "price_plain": Stretch.of("none", TRAINED.default, TARGET.default).neighbour,
        "price_linear": Stretch.of("linear", TRAINED.default, TARGET.default).neighbour,
        "price_ntk": Stretch.of("ntk", TRAINED.default, TARGET.default).neighbour,
        "kept": Stretch.of("yarn", TRAINED.default, TARGET.default).kept,
        "divided": Stretch.of("yarn", TRAINED.default, TARGET.default).divided,
        "repository": PHI_3.repository,
        **stretch_plots.blow_up(),
    },
)
