"""Reads sentences that the app wrote: the numbers in them, by the names that the words give them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pages.kit import words

NUMBER = re.compile(r"(?P<sign>−?)(?P<whole>\d{1,3}(,\d{3})*)(\.(?P<part>\d+))?( × 10(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def fields(template: str, text: str) -> dict[str, list[str]]:
    """What stands in `text` at the places that `template` leaves open, by name. ValueError if the rest differs."""
    names = [found[1] for found in words.PLACEHOLDER.finditer(template)]
    pattern = words.fill(re.sub(r"([\\.*+?^$|(){}])", r"\\\1", template), lambda *_: "(.+?)")
    found = re.fullmatch(pattern, text, re.DOTALL)
    if found is None:
        raise ValueError(f"{text!r} is not {template!r}")
    filled: dict[str, list[str]] = {}
    for name, value in zip(names, found.groups(), strict=True):
        filled.setdefault(name, []).append(value)
    return filled


@dataclass(frozen=True)
class Number:
    """A number as it must be shown: to so many decimals, with a true minus sign, thousands apart, no negative zero."""

    value: float
    decimals: int
    modulus: float | None = None

    def fault(self, text: str) -> str | None:
        """What is wrong with `text`, or None."""
        found = NUMBER.fullmatch(text)
        if found is None or len(found["part"] or "") != self.decimals or found["power"]:
            return f"{text!r} is not a number with {self.decimals} decimals"
        shown = float(text.replace("−", "-").replace(",", ""))
        away = shown - self.value
        if self.modulus:
            away = (away + self.modulus / 2) % self.modulus - self.modulus / 2
        wrong = abs(away) > 0.502 * 10**-self.decimals or (found["sign"] and shown == 0)
        wrong = wrong or (self.modulus and not 0 <= shown < self.modulus)
        return f"{text!r} is not {self.value!r}" if wrong else None


@dataclass(frozen=True)
class Below:
    """A rounding error as it must be shown: “1.6 × 10⁻¹⁵”, not below 0 and below `limit`."""

    limit: float

    def fault(self, text: str) -> str | None:
        """What is wrong with `text`, or None."""
        found = NUMBER.fullmatch(text)
        if found is None or len(found["part"] or "") != 1 or not found["power"] or found["sign"]:
            return f"{text!r} is not a number like 1.6 × 10⁻¹⁵"
        shown = float(f"{found['whole']}.{found['part']}e{found['power'].translate(RAISED)}")
        return None if shown < self.limit else f"{text!r} is not below {self.limit}"


@dataclass(frozen=True)
class Word:
    """A text as it must be shown."""

    text: str

    def fault(self, text: str) -> str | None:
        """What is wrong with `text`, or None."""
        return None if text == self.text else f"{text!r} is not {self.text!r}"


Shown = Number | Below | Word


def faults(template: str, text: str, expected: Mapping[str, Shown]) -> list[str]:
    """Everything that is wrong with the numbers and words that stand in `text` for the names in `template`."""
    try:
        found = fields(template, text)
    except ValueError as error:
        return [str(error)]
    wrong = [(name, expected[name].fault(value)) for name, values in found.items() for value in values]
    return [f"{name}: {fault}" for name, fault in wrong if fault]
