"""Draws a pair's turning as the thread of a screw, along the places of a document."""

import math

import numpy as np

LEFT, LENGTH, AXIS, RADIUS = 24.0, 432.0, 76.0, 30.0
MOST = 36  # windings that can still be told apart
SAMPLES = 24  # points a winding


def scale(turns: float) -> int:
    """How many turns one drawn winding stands for: 1, or the power of ten that leaves at most MOST windings."""
    return int(10 ** max(0, math.ceil(math.log10(max(turns, 1e-9) / MOST))))


def path(first: float, last: float, windings: float) -> str:
    """The thread between two shares of the length (0 to 1), as SVG path data."""
    if last <= first:
        return ""
    count = max(2, math.ceil((last - first) * windings * SAMPLES) + 1)
    share = np.linspace(first, last, count)
    x, y = LEFT + LENGTH * share, AXIS - RADIUS * np.cos(2 * np.pi * windings * share)
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))


def sector(angle: float, radius: float = 72.0) -> str:
    """The piece of a dial from 0 to `angle` (radians, counter-clockwise, at most a whole turn), as SVG path data."""
    if angle >= 2 * math.pi:
        return f"M{radius} 0A{radius} {radius} 0 1 1 {-radius} 0A{radius} {radius} 0 1 1 {radius} 0Z"
    end = f"{radius * math.cos(angle):.2f} {radius * math.sin(angle):.2f}"
    return f"M0 0L{radius} 0A{radius} {radius} 0 {int(angle > math.pi)} 1 {end}Z"
