"""Rotations with a known convention, made apart from rope_core: loops, complex numbers, tables written down again."""

import cmath
import math
import random
from dataclasses import dataclass, field

import numpy as np

BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}


def to_bits(values, bits):
    """Round to so many significant bits, ties to even; narrow exponents are not imitated."""
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    return np.ldexp(np.round(mantissa * 2.0**bits), exponent - bits)


@dataclass
class Planted:
    layout: str = "half"
    direction: int = 1
    base: float = 10000.0
    first: float = 0.0
    stride: float = 1.0
    head_dim: int = 32
    rotary_dim: int = 32
    scaling: dict = field(default_factory=dict)  # type and its numbers, as in a config.json
    modulus: float = 1.0
    format: str = "float32"
    shape: tuple = (2, 12)  # everything before head_dim
    fault: str = ""
    angles: str = ""  # the half precision of the angles
    seed: int = 0

    @property
    def effective_base(self):
        if self.scaling.get("rope_type") != "dynamic":
            return self.base
        d, s, served, length = self.rotary_dim, self.scaling["factor"], self.scaling["max"], self.scaling["length"]
        return self.base * (s * max(length, served) / served - (s - 1)) ** (d / (d - 2))

    def frequencies(self):
        pairs, width = self.rotary_dim // 2, self.rotary_dim
        over = self.head_dim if self.fault == "exponent_over_head_dim" else width
        kind = self.scaling.get("rope_type", "default")
        return [RULES[kind](self, self.effective_base ** (-2 * i / over), i) for i in range(pairs)]

    def positions(self):
        seq = self.shape[-1]
        places = [self.first + self.stride * step for step in range(seq)]
        if self.fault == "decode_restarted":
            keep = max(2, seq - 3)
            places[keep:] = [self.first] * (seq - keep)
        return places

    def arrays(self):
        """before and after, in the format, as float64 arrays (float32 for bfloat16)."""
        rng = np.random.default_rng(self.seed)
        before = to_bits(rng.standard_normal((*self.shape, self.head_dim)), BITS[self.format])
        after = turned(before, self)
        if self.fault == "rotated_twice":
            after = turned(after, self)
        dtype = {"float16": np.float16, "float64": np.float64}.get(self.format, np.float32)
        return before.astype(dtype), to_bits(after, BITS[self.format]).astype(dtype)


def linear(case, frequency, i):
    return frequency / case.scaling["factor"]


def llama3(case, frequency, i):
    low, high, s, original = (case.scaling[key] for key in ("low", "high", "factor", "original"))
    turns = original * frequency / (2 * math.pi)
    if turns > high:
        return frequency
    if turns < low:
        return frequency / s
    share = (turns - low) / (high - low)
    return frequency * (share + (1 - share) / s)


def yarn(case, frequency, i):
    d, b, original, s = case.rotary_dim, case.base, case.scaling["original"], case.scaling["factor"]
    low = math.floor(d * math.log(original / (32 * 2 * math.pi)) / (2 * math.log(b)))
    high = math.ceil(d * math.log(original / (2 * math.pi)) / (2 * math.log(b)))
    ramp = min(max((i - max(low, 0)) / (min(high, d - 1) - max(low, 0)), 0), 1)
    return frequency * (1 - ramp) + frequency / s * ramp


def longrope(case, frequency, i):
    return frequency / case.scaling["short_factor"][i]


def proportional(case, frequency, i):
    return frequency if i < int(case.scaling["partial"] * case.rotary_dim // 2) else 0.0


RULES = {
    "default": lambda case, frequency, i: frequency,
    "dynamic": lambda case, frequency, i: frequency,
    "linear": linear,
    "llama3": llama3,
    "yarn": yarn,
    "longrope": longrope,
    "proportional": proportional,
}


def angle(case, place, frequency):
    if not case.angles:
        return case.direction * place * frequency
    bits = BITS[case.angles]
    return case.direction * float(to_bits(float(to_bits(place, bits)) * float(to_bits(frequency, bits)), bits))


def turned(x, case):
    """Turn `(..., seq, head_dim)` by loops over positions and pairs."""
    y, half = np.array(x, dtype=np.float64), case.rotary_dim // 2
    by_head = case.fault == "heads_axis"
    frequencies = case.frequencies()
    for index in np.ndindex(*x.shape[:-1]):
        place = index[-2] if by_head else case.positions()[index[-1]]
        for i, frequency in enumerate(frequencies):
            read = (i, i + half) if case.layout == "half" else (2 * i, 2 * i + 1)
            write = (2 * i, 2 * i + 1) if case.layout == "interleaved" else (i, i + half)
            number = complex(x[index][read[0]], x[index][read[1]])
            number *= case.modulus * cmath.exp(1j * angle(case, place, frequency))
            y[index][write[0]], y[index][write[1]] = number.real, number.imag
    return y


SCALINGS = [
    {},
    {},
    {"rope_type": "linear", "factor": 4.0},
    {"rope_type": "dynamic", "factor": 2.0, "max": 64, "length": 200},
    {"rope_type": "llama3", "factor": 8.0, "low": 1.0, "high": 4.0, "original": 512},
    {"rope_type": "yarn", "factor": 4.0, "original": 4096},
    {"rope_type": "longrope", "short_factor": [1 + 0.07 * i * (1 + i % 3) for i in range(64)]},
    {"rope_type": "proportional", "partial": 0.25},
]
FAULTS = ["", "", "", "rotated_twice", "decode_restarted", "heads_axis", "exponent_over_head_dim"]


def anything(seed):
    """A case of any convention and fault, and whether its positions are told."""
    pick = random.Random(seed).choice
    head_dim = pick([8, 16, 32, 64])
    case = Planted(
        layout=pick(["half", "interleaved", "interleaved_to_half"]),
        direction=pick([1, -1]),
        base=pick([1e4, 5e5, 1e6, 100.0, 34567.0]),
        first=pick([0, 0, 1, 100, 4000, 70000]),
        stride=pick([1, 1, 2, 3, 0.5, 0.25, 7]),
        head_dim=head_dim,
        rotary_dim=pick([head_dim, head_dim, head_dim // 2]),
        scaling=pick(SCALINGS),
        format=pick(["float32", "bfloat16", "float32", "bfloat16", "float16", "float64"]),
        shape=pick([(9,), (2, 5), (4, 12), (2, 3, 8), (1, 30), (3,), (2, 2), (2, 1)]),
        fault=pick(FAULTS),
        angles=pick([""] * 7 + ["bfloat16", "float16"]),
        seed=seed,
    )
    if case.rotary_dim < 8 or (case.fault == "heads_axis" and len(case.shape) < 2):
        case.scaling, case.fault = {}, ""
    if case.scaling.get("rope_type") in ("yarn", "longrope"):
        case.modulus = 1.19
    return case, pick([False, False, True])


def expected(case):
    """What a diagnosis may say of a case; base is the effective one of the exponents over the rotary width."""
    base = case.effective_base
    if case.fault == "exponent_over_head_dim":
        base **= case.rotary_dim / case.head_dim
    return {
        "layout": case.layout,
        "direction": case.direction,
        "base": base,
        "first_position": case.first,
        "stride": case.stride,
        "rotary_dim": case.rotary_dim,
        "attention_factor": case.modulus,
        "rope_type": case.scaling.get("rope_type", "default"),
        "factor": case.scaling.get("factor", 1.0),
        "angle_dtype": case.angles or "float32",
    }


def agrees(name, found, planted):
    """Whether a named value is the planted one; the angles of the loops are float64, float32 is the name for both."""
    if isinstance(planted, str):
        return found == planted or (name == "angle_dtype" and {found, planted} == {"float32", "float64"})
    room = 5e-3 if name in ("base", "attention_factor") else 1e-4
    return found is not None and abs(found - planted) <= room * max(1.0, abs(planted))


def wrong(diagnosis, case):
    """The fields that a diagnosis vouches for and that are not the planted ones."""
    right = expected(case)
    return {
        name: (getattr(diagnosis, name), right[name])
        for name in diagnosis.sure
        if not agrees(name, getattr(diagnosis, name), right[name])
    }
