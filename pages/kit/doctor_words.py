"""A diagnosis in words: the verdict, mistakes with their cures, the explanation, and the table of fields."""

from collections.abc import Iterator, Mapping
from typing import Any

from pages.kit import prose
from pages.kit.doctor_case import Seen
from pages.kit.lab_upload import plain
from pages.kit.words import Words, readable
from rope_core.config import RopeSpec
from rope_core.diagnosis import CONVENTION, Diagnosis

NO_READING = ("nothing_turned", "only_scaled", "no_values", "nothing_fits", "angles_unexplained")
TOLD_ELSEWHERE = ("clockwise", "counter_clockwise", "cannot_tell", *NO_READING)  # by verdict and table
VERDICTS = {  # by the remark that calls for it, the first that is there
    "differs_from_config": "verdict_against",
    "scaling_not_applied": "verdict_against",
    "straight_until": "verdict_partly",
    "table_of": "verdict_table_of",
    "table_unknown": "verdict_table_unknown",
    "equal_scale": "verdict_scaled",
}


def verdict(seen: Seen, texts: Words) -> str:
    """What it is, in one sentence."""
    found, remarks = seen.diagnosis, dict(seen.diagnosis.remarks)
    if found.faults:
        return texts("verdict_mistake", mistakes=texts("and").join(texts(f"mistake_{name}") for name in found.faults))
    for key, numbers in found.remarks:
        if key in NO_READING:
            return texts(f"verdict_{key}", **_numbers(numbers))
    parts = ", ".join(_parts(seen, texts))
    for key, way in VERDICTS.items():
        if key in remarks:
            return texts(way, parts=parts, **_numbers(remarks[key]))
    return texts("verdict_read", parts=parts)


def _parts(seen: Seen, texts: Words) -> Iterator[str]:
    """What the convention is, part by part, without what is open."""
    found, head_dim = seen.diagnosis, seen.shape[-1]
    if found.layout:
        yield texts("part_layout", layout=found.layout)
    if found.base:
        yield texts("part_base", base=readable(found.base, ",.8g"))
    if found.rotary_dim:
        whole = found.rotary_dim == head_dim
        yield texts("part_whole" if whole else "part_width", rotary_dim=found.rotary_dim, head_dim=head_dim)
    if found.rope_type not in (None, "default"):
        yield texts("part_type", rope_type=str(found.rope_type), factor=found.factor or 1.0)
    if found.direction == -1:
        yield texts("part_backwards")
    if found.first_position is not None:
        yield texts("part_first", first=found.first_position)


def mistakes(found: Diagnosis, texts: Words) -> list[tuple[str, str]]:
    """Each mistake in a sentence, and its cure in another."""
    said = dict(found.remarks)
    return [(texts(f"remark_{name}", **_numbers(said.get(name, {}))), texts(f"cure_{name}")) for name in found.faults]


def note(seen: Seen) -> str | None:
    """The key of what is to be said where there is no reading to speak of."""
    if not seen.has_reading:
        return "angles_unexplained_note" if seen.keeps_lengths else "nothing_fits_note"
    return None if seen.diagnosis.rotary_dim else "cannot_tell_note"


def below_picture(seen: Seen, texts: Words) -> str:
    """How far the data are from the reading, how whole turns are drawn, and what is not drawn."""
    said = [texts("residual", residual=seen.diagnosis.residual) if seen.has_reading else texts("no_residual")]
    said.append(texts("whole_turns" if seen.has_reading else "no_whole_turns"))
    drawn = seen.angles.shape
    if drawn != seen.size:
        said.append(texts("most", places=drawn[0], pairs=drawn[1]))
    return " ".join(said)


def explanation(found: Diagnosis, texts: Words) -> list[str]:
    """The remarks, a sentence or two each, without what verdict and mistakes tell."""
    said = [
        texts(f"remark_{key}", **_numbers(numbers))
        for key, numbers in found.remarks
        if key not in TOLD_ELSEWHERE and key not in found.faults
    ]
    return [*said, texts("remark_backwards")] if found.direction == -1 else said


def _numbers(numbers: Mapping[str, Any]) -> dict[str, float | str]:
    """What goes into a remark's sentence; names that a file may carry become code, which nothing in it leaves."""
    return {name: code(value) if isinstance(value, str) else value for name, value in numbers.items()}


def code(text: str) -> str:
    """`text` as code in Markdown."""
    return f"`{plain(text).replace('`', ' ') or ' '}`"


def table(seen: Seen, spec: RopeSpec | None, texts: Words) -> str:
    """The fields as a Markdown table: what was found, and whether the data vouch for it; and what the file states."""
    found = seen.diagnosis
    stated = {} if spec is None or spec.scaling is None else stated_by(spec)
    head = [texts("column_field"), texts("column_found"), texts("column_sure")]
    rows = []
    for name in CONVENTION:
        value = getattr(found, name)
        how = "open" if value is None else "sure" if name in found.sure else "plainest"
        row = [texts(f"field_{name}"), _shown(name, value), texts(f"how_{how}")]
        rows.append([*row, _compared(name, value, stated.get(name))] if stated else row)
    head = [*head, texts("column_config")] if stated else head
    return prose.table(head, rows)


def stated_by(spec: RopeSpec) -> dict[str, Any]:
    """The fields that a configuration states."""
    assert spec.scaling is not None
    rates, attention_factor = spec.table()
    stated = {"layout": spec.layout, "direction": 1, "base": float(spec.scaling.base), "rotary_dim": 2 * len(rates)}
    return stated | {
        "attention_factor": attention_factor,
        "rope_type": spec.rope_type,
        "factor": float(spec.scaling.factor),
    }


def _compared(name: str, value: Any, stated: Any) -> str:  # noqa: ANN401
    """What is stated, marked where something else was found; to the digits that are shown."""
    shown = _shown(name, stated)
    return shown if value is None or stated is None or shown == _shown(name, value) else f"≠ **{shown}**"


def _shown(name: str, value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "–"
    if isinstance(value, str):
        return f"`{value}`"
    return readable(value, "+d" if name == "direction" else ",.8g")
