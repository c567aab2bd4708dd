"""Roots of a polynomial in one variable, counted exactly and enclosed in rationals, and where it is positive.

With the other parameters fixed, a region along one parameter is a union of intervals, each end enclosed in rationals.
Polynomials with logarithms are enclosed by two rational ones, because every power of a value in (0, 1) is positive: where
the lower one is positive the polynomial is, and where the upper one is not it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, lcm
from typing import Literal

from diveval.exact.logs import Interval, bounds
from diveval.exact.polynomials import Poly
from diveval.exact.symbols import round_text

Coefficients = list[Fraction]  # lowest power first, the last one not 0
Pieces = list[tuple[Interval, Interval]]  # open intervals, each end enclosed
WIDTH = Fraction(1, 10**9)
DIGITS = 40  # of the enclosures of logarithms


def positive_set(poly: Sequence[Fraction], low: Fraction, high: Fraction) -> Pieces:
    """Where a polynomial is positive on (low, high): open intervals, each end enclosed in two rationals.

    An end that is `low` or `high` itself is enclosed exactly.
    """
    whole = trim(list(poly))
    if not whole:
        return []
    roots = [(low, low), *isolate_roots(whole, low, high), (high, high)]
    out: Pieces = []
    for left, right in pairwise(roots):
        middle = (left[1] + right[0]) / 2
        if left[1] < right[0] and at(whole, middle) > 0:
            out.append((left, right))
    return out


def never_negative(poly: Sequence[Fraction], low: Fraction, high: Fraction) -> Literal[True, "touches"] | Fraction:
    """True if a polynomial is positive on [low, high], "touches" if it has zeros there but is never negative, otherwise
    a point at which it is negative."""
    whole = trim(list(poly))
    roots = isolate_roots(whole, low, high) if whole else []
    ends = [(low, low), *roots, (high, high)]
    for point in (low, high, *((left[1] + right[0]) / 2 for left, right in pairwise(ends))):
        if at(whole, point) < 0:
            return point
    return "touches" if roots or not at(whole, low) or not at(whole, high) else True


def unite(sets: Sequence[Pieces]) -> Pieces:
    """The union of several such sets; pieces that certainly overlap are merged."""
    out: Pieces = []
    for left, right in sorted(piece for one in sets for piece in one):
        if out and left[1] < out[-1][1][0]:
            out[-1] = (out[-1][0], max(out[-1][1], right))
        elif out and left == out[-1][0]:
            out[-1] = (left, max(out[-1][1], right))
        else:
            out.append((left, right))
    return out


def inside(inner: Pieces, outer: Pieces) -> bool:
    """Whether each piece of the first set certainly lies in a piece of the second."""
    return all(any(b[0][1] <= a[0][0] and a[1][1] <= b[1][0] for b in outer) for a in inner)


def isolate_roots(poly: Coefficients, low: Fraction, high: Fraction) -> list[Interval]:
    """The roots inside (low, high), each enclosed separately in rationals no further apart than `WIDTH`.

    By bisection with Descartes' rule of signs: no change of sign means no root, one change means one root.
    """
    whole = _integral(_move(square_free(poly), low, high))
    found: list[Interval] = []
    cells = [(whole, Fraction(0), Fraction(1))]
    while cells:
        form, a, b = cells.pop()
        count = _variations(form)
        if count == 0:
            continue
        if count == 1:
            found.append(_narrow(whole, a, b, high - low))
            continue
        middle = (a + b) / 2
        left = [c * 2 ** (len(form) - 1 - i) for i, c in enumerate(form)]  # form(x/2), scaled
        right = _shift(left)
        if right[0] == 0:
            found.append((middle, middle))
            right = right[1:]
        cells += [(left, a, middle), (right, middle, b)]
    size = high - low
    return sorted((low + a * size, low + b * size) for a, b in found)


def _move(poly: Coefficients, low: Fraction, high: Fraction) -> Coefficients:
    """poly(low + (high − low)·x)."""
    if low == 0:
        return [c * high**i for i, c in enumerate(poly)]
    out = [Fraction(0)]
    for c in reversed(poly):
        out = [Fraction(0), *(value * (high - low) for value in out)] if any(out) else out
        shifted = [value * low / (high - low) for value in out[1:]] if any(out) else []
        for i, value in enumerate(shifted):
            out[i] += value
        out[0] += c
    return out


def _integral(poly: Coefficients) -> list[int]:
    scale = lcm(*(c.denominator for c in poly))
    return [int(c * scale) for c in poly]


def _shift(form: list[int]) -> list[int]:
    """form(x + 1)."""
    out = list(form)
    for i in range(len(out) - 1):
        for j in range(len(out) - 2, i - 1, -1):
            out[j] += out[j + 1]
    return out


def _variations(form: list[int]) -> int:
    """Changes of sign after (0, 1) is mapped onto (0, ∞)."""
    return _sign_changes(_shift(form[::-1]))


def _sign_changes(values: Iterable[Fraction | int]) -> int:
    signs = [value > 0 for value in values if value]
    return sum(a != b for a, b in pairwise(signs))


def _narrow(form: list[int], a: Fraction, b: Fraction, size: Fraction) -> Interval:
    """The single root inside (a, b), by bisection."""
    start, end = at(form, a), at(form, b)
    rising = -(start or _sign_after(form, a, b))  # a root at `a` itself is not the one sought
    while (b - a) * size > WIDTH or not start or not end:  # the ends of an enclosure are no roots
        middle = (a + b) / 2
        value = at(form, middle)
        if value == 0:
            return middle, middle
        if (value < 0) == (rising > 0):
            a, start = middle, value
        else:
            b, end = middle, value
    return a, b


def _sign_after(form: list[int], a: Fraction, b: Fraction) -> Fraction:
    """The sign just after a root at a, if (a, b) contains one simple root: opposite to that at b, or found by bisection."""
    end = at(form, b)
    if end != 0:
        return -end
    step = (b - a) / 2
    while True:
        value = at(form, a + step)
        roots_between = _variations(_integral(_move([Fraction(c) for c in form], a, a + step)))
        if value != 0 and roots_between == 0:
            return value
        step /= 2


def at(poly: Sequence[Fraction | int], x: Fraction) -> Fraction:
    """The value at a point, computed with integers, because a Fraction is reduced after each step."""
    scale = lcm(*(c.denominator for c in poly))
    total, power = 0, 1
    for c in reversed(poly):
        total = total * x.numerator + c.numerator * (scale // c.denominator) * power
        power *= x.denominator
    return Fraction(total * x.denominator, scale * power)


def derivative(poly: Coefficients) -> Coefficients:
    return [i * c for i, c in enumerate(poly)][1:]


def trim(poly: Coefficients) -> Coefficients:
    """Without leading zeros, and divided by the absolute value of the leading coefficient, which preserves every sign."""
    while poly and not poly[-1]:
        poly.pop()
    if poly:
        size = abs(poly[-1])
        return [c / size for c in poly]
    return poly


def divide(a: Coefficients, b: Coefficients) -> tuple[Coefficients, Coefficients]:
    """Quotient and remainder."""
    rest, quotient = list(a), [Fraction(0)] * max(len(a) - len(b) + 1, 0)
    for i in range(len(a) - len(b), -1, -1):
        factor = rest[i + len(b) - 1] / b[-1]
        quotient[i] = factor
        if factor:
            for j, c in enumerate(b):
                rest[i + j] -= factor * c
    return quotient, rest[: len(b) - 1]


def square_free(poly: Coefficients) -> Coefficients:
    """The polynomial with the same roots, each simple."""
    if _plainly_square_free(_integral(poly)):
        return list(poly)
    a, b = trim(list(poly)), trim(derivative(poly))
    while b:
        a, b = b, trim(divide(a, b)[1])
    return divide(poly, a)[0] if len(a) > 1 else list(poly)


_PRIME = 2**61 - 1


def _plainly_square_free(form: Sequence[int]) -> bool:
    """Whether form and its derivative have no common factor modulo a prime: then they have none over the rationals.

    A common factor over the rationals remains one modulo a prime that does not divide the leading coefficient. The test
    modulo a prime needs no fractions, and nearly every polynomial passes it.
    """
    if not form or form[-1] % _PRIME == 0:
        return False
    a, b = [c % _PRIME for c in form], [i * c % _PRIME for i, c in enumerate(form)][1:]
    while b:
        while b and not b[-1]:
            b.pop()
        if not b:
            break
        inverse = pow(b[-1], -1, _PRIME)
        for i in range(len(a) - len(b), -1, -1):
            factor = a[i + len(b) - 1] * inverse % _PRIME
            for j, c in enumerate(b):
                a[i + j] = (a[i + j] - factor * c) % _PRIME
        a, b = b, a[: len(b) - 1]
    return len(a) == 1


# --- along one parameter, with logarithms -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """Where at least one of several polynomials is positive for 0 < value < high."""

    certain: Pieces  # inside these one of them is positive
    possible: Pieces  # outside these none is

    @property
    def pieces(self) -> Pieces:
        """The same, with each end enclosed between the certain and the possible one."""
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
    enclosed = [_enclose(form, name) for form in forms]
    certain = unite([positive_set(low, zero, high) for low, _ in enclosed])
    possible = unite([positive_set(up, zero, high) for _, up in enclosed])
    return Line(certain, possible)


def _enclose(form: Poly, name: str) -> tuple[list[Fraction], list[Fraction]]:
    parts = form.by_power(name)
    low, high = [], []
    for power in range(max(parts, default=0) + 1):
        part = parts.get(power, Poly({}))
        value = part.value
        ends = (value, value) if value is not None else _outwards(bounds(part.terms, DIGITS))
        low.append(ends[0])
        high.append(ends[1])
    return low, high


def _outwards(ends: Interval) -> Interval:
    """To 30 decimals: long numbers make roots slow."""
    step = 10**30
    return Fraction(floor(ends[0] * step), step), Fraction(ceil(ends[1] * step), step)


def falling_root(form: Poly, name: str) -> Interval | None:
    """Where in (0, 1) a polynomial that falls in a symbol changes its sign; None if it is never positive."""
    below, above = map(_integral, _enclose(form, name))  # only signs are asked for
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


def border_text(name: str, sign: str, border: Interval) -> str:
    """A border to six places, and the rationals that enclose it."""
    if border[0] == border[1]:
        return f"{name} {sign} {border[0]}"
    low, high = decimals(border)
    return f"{name} {sign} {_short(border)} [{low}, {high}]"


def decimals(border: Interval) -> tuple[str, str]:
    """The enclosure in nine decimals, rounded outwards."""
    billionths = floor(border[0] * 10**9), ceil(border[1] * 10**9)
    low, high = (f"{n // 10**9}.{n % 10**9:09d}" for n in billionths)
    return low, high


def _short(border: Interval) -> str:
    return round_text((border[0] + border[1]) / 2, 6)


def _piece(name: str, low: Interval, high: Interval, most: Fraction | None) -> str:
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
