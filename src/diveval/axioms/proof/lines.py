"""Regions along one parameter, the others given: a union of exact intervals, each end enclosed in rationals.

Polynomials with logarithms are enclosed by two rational ones, since every power of a value in (0, 1) is positive: what
the lower one allows is certain, what the upper one forbids is excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from diveval.axioms.arithmetic.logs import bounds
from diveval.axioms.arithmetic.polynomials import Poly
from diveval.axioms.arithmetic.roots import WIDTH, Enclosure, at, inside, positive_set, united

DIGITS = 40
Pieces = list[tuple[Enclosure, Enclosure]]


@dataclass(frozen=True)
class Line:
    """Where some of several polynomials is positive for 0 < value < high."""

    certain: Pieces  # inside these one of them is positive
    possible: Pieces  # outside these none is

    @property
    def pieces(self) -> Pieces:
        """The same with each end enclosed between what is certain and what is possible."""
        if len(self.certain) != len(self.possible):
            return self.certain
        return [
            ((min(a[0][0], b[0][0]), max(a[0][1], b[0][1])), (min(a[1][0], b[1][0]), max(a[1][1], b[1][1])))
            for a, b in zip(self.certain, self.possible, strict=True)
        ]

    def text(self, name: str, high: Fraction | None = Fraction(1)) -> str:
        """`p > 0.754878 [0.754877666, 0.754877667]`: the border and the rationals that enclose it."""
        return " or ".join(_piece(name, *piece, high) for piece in self.pieces) or f"{name}: nowhere"


def line(forms: Sequence[Poly], name: str, high: Fraction) -> Line:
    """The set of values of one symbol at which one of these polynomials (in it and in logarithms) is positive."""
    zero = Fraction(0)
    enclosed = [_enclosed(form, name) for form in forms]
    certain = united([positive_set(low, zero, high) for low, _ in enclosed])
    possible = united([positive_set(up, zero, high) for _, up in enclosed])
    return Line(certain, possible)


def _enclosed(form: Poly, name: str) -> tuple[list[Fraction], list[Fraction]]:
    parts = form.by_power(name)
    low, high = [], []
    for power in range(max(parts, default=0) + 1):
        part = parts.get(power, Poly({}))
        value = part.value
        ends = (value, value) if value is not None else _rounded(bounds(part.terms, DIGITS))
        low.append(ends[0])
        high.append(ends[1])
    return low, high


def _rounded(ends: Enclosure) -> Enclosure:
    """Outwards to 30 decimals: long numbers make roots slow."""
    step = 10**30
    return Fraction(ends[0] * step // 1, step), Fraction(-(-ends[1] * step // 1), step)


def closed_by(found: Line, tail: Poly, name: str, high: Fraction) -> bool:
    """Whether all that a necessary condition on later m allows is already certain."""
    allowed = line([tail], name, high).possible
    return inside(allowed, found.certain)


def falling_root(form: Poly, name: str) -> Enclosure | None:
    """Where in (0, 1) a polynomial that falls in a symbol changes its sign; None if it is never positive."""
    below, above = _enclosed(form, name)
    low, high = Fraction(0), Fraction(1)
    if at(below, low) <= 0:
        return None
    if at(below, high) > 0:
        return high, high
    while high - low > WIDTH:
        middle = (low + high) / 2
        if at(below, middle) > 0:
            low = middle
        elif at(above, middle) <= 0:
            high = middle
        else:  # closer to the root than the enclosures of logarithms tell apart: far below WIDTH
            break
    return low, high


def border_text(name: str, sign: str, border: Enclosure) -> str:
    """A border to six places, and the rationals that enclose it."""
    if border[0] == border[1]:
        return f"{name} {sign} {border[0]}"
    low, high = decimals(border)
    return f"{name} {sign} {_short(border)} [{low}, {high}]"


def decimals(border: Enclosure) -> tuple[str, str]:
    """The enclosure in nine decimals, rounded outwards."""
    step = 10**9
    down, up = border[0] * step // 1, -(-border[1] * step // 1)
    return _decimal(int(down)), _decimal(int(up))


def _decimal(billionths: int) -> str:
    whole, rest = divmod(billionths, 10**9)
    return f"{whole}.{rest:09d}"


def _short(border: Enclosure) -> str:
    middle = round((border[0] + border[1]) / 2 * 10**6)
    whole, rest = divmod(middle, 10**6)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


def _piece(name: str, low: Enclosure, high: Enclosure, most: Fraction | None) -> str:
    from_start, to_end = low == (Fraction(0), Fraction(0)), most is not None and high == (most, most)
    if from_start and to_end:
        return f"every {name}"
    if from_start:
        return border_text(name, "<", high)
    if to_end:
        return border_text(name, ">", low)
    a, b = (_short(end) if end[0] != end[1] else str(end[0]) for end in (low, high))
    ends = ", ".join(f"[{', '.join(decimals(end))}]" for end in (low, high) if end[0] != end[1])
    return f"{a} < {name} < {b}" + (f" {ends}" if ends else "")
