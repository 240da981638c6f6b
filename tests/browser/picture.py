"""Reads a chapter's whole picture from the page, and says where it is not what it must be."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from playwright.sync_api import Page

from pages.kit import words
from tests.browser.stage_helpers import let_frames_pass
from tests.reading import Number, Shown, faults

PATIENCE = 45.0  # seconds a picture may take to be right
TINY = 1e-6  # of an angle in degrees, worked out in another order

# For every stage on the page: its parts with texts, attributes and directions on the screen (degrees, anticlockwise
# from the right), its controls and plots; then the exact inputs and the address.
READ = """() => {
  const direction = (x, y) => (Math.atan2(-y, x) * 180) / Math.PI;
  const part = (e) => {
    const found = { name: e.dataset.part, text: e.children.length ? null : e.textContent };
    for (const a of ["transform", "stroke-dasharray", "opacity"]) if (e.hasAttribute(a)) found[a] = e.getAttribute(a);
    const matrix = e.getScreenCTM?.();
    if (!matrix) return found;
    found.screen = direction(matrix.a, matrix.b);
    if (found["stroke-dasharray"]) {
      const share = parseFloat(found["stroke-dasharray"]) / e.pathLength.baseVal;
      const end = e.getPointAtLength(e.getTotalLength() * share);
      found.end = direction(matrix.a * end.x + matrix.c * end.y, matrix.b * end.x + matrix.d * end.y);
    }
    return found;
  };
  const plain = (list) => (list?.length === undefined || typeof list === "string" ? list : [...list].map(plain));
  const trace = ({ name, x, y, z, zmin, zmax }) => ({ name, x: plain(x), y: plain(y), z: plain(z), zmin, zmax });
  const plot = (e) => [
    e.closest("[data-panel]").dataset.panel,
    { traces: (e._fullData ?? []).map(trace), x: e._fullLayout?.xaxis.range, y: e._fullLayout?.yaxis.range },
  ];
  const control = (e) => [
    e.dataset.control,
    { shown: e.querySelector("output").textContent, told: e.querySelector("input").getAttribute("aria-valuetext") },
  ];
  const each = (root, selector, read) => [...root.querySelectorAll(selector)].map(read);
  const stage = (root) => ({
    parts: each(root, "[data-part]", part),
    controls: Object.fromEntries(each(root, "[data-control]", control)),
    plots: Object.fromEntries(each(root, ".stage-plot", plot)),
  });
  const input = (e) => [e.getAttribute("aria-label"), e.value];
  return {
    stages: each(document, ".stage", stage),
    inputs: Object.fromEntries(each(document, "[data-testid=stNumberInput] input", input)),
    query: Object.fromEntries(new URLSearchParams(location.search)),
  };
}"""

Reading = dict[str, Any]
Parts = list[dict[str, Any]]


@dataclass
class Scene:
    """What one stage must show. Angles in degrees, anticlockwise."""

    page: str
    named: dict[str, Shown]  # what stands in the sentences, by the words' names for it
    sentences: dict[str, str] = field(default_factory=dict)  # part -> key of the words
    texts: dict[str, Shown] = field(default_factory=dict)  # part -> its whole text
    turns: dict[str, float] = field(default_factory=dict)  # part -> what its transform says
    directions: dict[str, float] = field(default_factory=dict)  # part -> where it points on the screen
    arcs: dict[str, tuple[float, float]] = field(default_factory=dict)  # part -> length, where it ends on the screen
    opacities: dict[str, float] = field(default_factory=dict)
    controls: dict[str, int] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)  # of the numbers in the formula
    special: dict[str, dict[str, Shown]] = field(default_factory=dict)  # part -> names of its own sentence
    plots: Callable[[dict[str, Any]], Iterable[str]] = lambda _: ()

    def faults(self, stage: dict[str, Any]) -> list[str]:
        """Everything in `stage` that is not so; every part of the picture must be accounted for."""
        parts: Parts = stage["parts"]
        present = {part["name"] for part in parts if part["text"] != "" or len(part) > 2}
        expected = {*self.sentences, *self.texts, *self.turns, *self.arcs, *self.opacities}
        return [
            *(f"{name}: nothing is known of it" for name in present - expected),
            *(f"{name}: missing" for name in expected - present),
            *(f"{part['name']}: {fault}" for part in parts for fault in self._of_part(part)),
            *self._of_order(parts),
            *self._of_controls(stage["controls"]),
            *self.plots(stage["plots"]),
        ]

    def _of_part(self, part: dict[str, Any]) -> Iterable[str]:
        name, text = part["name"], part["text"]
        if name in self.sentences:
            template = words.Words("en", self.page).raw(self.sentences[name])
            yield from faults(template, text, self.special.get(name, self.named))
        if name in self.texts and (fault := self.texts[name].fault(text)):
            yield fault
        if name in self.turns:
            yield from of_turn(part.get("transform", ""), self.turns[name])
        if name in self.directions:
            yield from _of_direction(part["screen"], self.directions[name])
        if name in self.arcs:
            length, end = self.arcs[name]
            if abs(float(part["stroke-dasharray"].split()[0]) - length) > TINY:
                yield f"an arc of {part['stroke-dasharray']} is not {length}"
            yield from _of_direction(part["end"], end)
        if name in self.opacities and abs(float(part["opacity"]) - self.opacities[name]) > TINY:
            yield f"opacity {part['opacity']} is not {self.opacities[name]}"

    def _of_order(self, parts: Parts) -> Iterable[str]:
        shown = [part["name"] for part in parts if part["name"].startswith("number-")]
        if shown != self.order:
            yield f"the formula's numbers stand in the order {shown}"

    def _of_controls(self, controls: Mapping[str, Mapping[str, str]]) -> Iterable[str]:
        if controls.keys() != self.controls.keys():
            yield f"the controls are {list(controls)}"
        for name, value in self.controls.items():
            for way in ("shown", "told"):
                if fault := Number(value, 0).fault(controls[name][way]):
                    yield f"control {name}: {fault}"


def of_turn(transform: str, wanted: float) -> Iterable[str]:
    """What is wrong with a transform that should turn by `wanted` degrees."""
    shown = transform.partition("rotate(")[2].partition(")")[0].split(" ")[0]
    if not shown or abs((float(shown) - wanted + 180) % 360 - 180) > TINY:
        yield f"a transform of {transform!r} is not {wanted}"


def _of_direction(shown: float, wanted: float) -> Iterable[str]:
    if abs((shown - wanted + 180) % 360 - 180) > 0.3:  # a circle is measured by its chords
        yield f"it points to {shown:.2f}° on the screen, not to {wanted % 360:.2f}°"


def faults_of(reading: Reading, scenes: list[Scene], inputs: Mapping[str, int], query: Mapping[str, str]) -> list[str]:
    """Everything on the page that is not as `scenes`, the exact `inputs` and the address say."""
    if len(reading["stages"]) != len(scenes):
        return [f"{len(reading['stages'])} stages"]
    wrong = [fault for stage, scene in zip(reading["stages"], scenes, strict=True) for fault in scene.faults(stage)]
    typed = {f"exact {name}": str(value) for name, value in inputs.items()}
    if reading["inputs"] != typed:
        wrong.append(f"the exact inputs are {reading['inputs']}")
    if reading["query"] != query:
        wrong.append(f"the address says {reading['query']}, not {query}")
    return wrong


def read(page: Page) -> Reading:
    """The picture as it stands."""
    return page.evaluate(READ)


def expect(page: Page, faults_now: Callable[[Reading], list[str]], what: object) -> None:
    """Wait until nothing is wrong with the picture any more."""
    patience = monotonic() + PATIENCE
    while wrong := faults_now(read(page)):
        assert monotonic() < patience, f"{what}:\n  " + "\n  ".join(wrong[:12])
        let_frames_pass(page, 5)
