"""Small drawings in the pages, with the marks and scales of the report's views."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diveval.tracks.site.html import Markup, el

WIDTH, HEIGHT = 84, 9


def scale(values: Sequence[float], width: int = WIDTH) -> tuple[float, float]:
    """Factor and offset from values to pixels, with room for a mark at both ends."""
    low, high = min(values), max(values)
    factor = (width - 8) / (high - low) if high > low else 0.0
    return factor, (4 - low * factor) if factor else width / 2


def mean_mark(mean: float, ends: tuple[float, float] | None, around: Sequence[float]) -> Markup:
    """The mean as a dot on its interval; zero is a dashed line where it is in sight."""
    factor, offset = scale(around)

    def at(value: float) -> str:
        return f"{value * factor + offset:.1f}"

    marks = []
    if min(around) < 0 < max(around):
        marks.append(el("line", class_="zero", x1=at(0), x2=at(0), y1=0, y2=HEIGHT))
    if ends is not None:
        marks.append(el("line", class_="range", x1=at(ends[0]), x2=at(ends[1]), y1=4.5, y2=4.5))
    marks.append(el("circle", class_="point", cx=at(mean), cy=4.5, r=3))
    return el("svg", *marks, viewBox=f"0 0 {WIDTH} {HEIGHT}", width=WIDTH, height=HEIGHT, aria_hidden="true")


def strip(values: Sequence[float], own: float | None, around: Sequence[float], width: int = 160) -> Markup:
    """All systems on one topic as dots, their median as a stroke, one of them picked out."""
    factor, offset = scale(around, width)
    dots = [el("circle", cx=f"{value * factor + offset:.1f}", cy=7, r=3) for value in values]
    middle = f"{float(np.median(values)) * factor + offset:.1f}"
    marks = [
        el("line", x1=0, x2=width, y1=7, y2=7),
        *dots,
        el("line", class_="median", x1=middle, x2=middle, y1=1, y2=13),
    ]
    if own is not None:
        marks.append(el("circle", class_="own", cx=f"{own * factor + offset:.1f}", cy=7, r=3.5))
    return el("svg", *marks, viewBox=f"0 0 {width} 14", width=width, height=14, class_="strip", aria_hidden="true")


def heat_class(value: float, low: float, high: float) -> str:
    """One of ten strengths; two colours where values lie on both sides of zero, as in the report."""
    if low < 0 < high:
        reach = max(-low, high)
        step = min(9, int(10 * abs(value) / reach))
        return f"{'b' if value < 0 and step else 'h'}{step}"
    if high <= 0:
        step = min(9, int(10 * (high - value) / (high - low))) if high > low else 0
        return f"{'b' if step else 'h'}{step}"
    return f"h{min(9, max(0, int(10 * (value - low) / (high - low)))) if high > low else 0}"
