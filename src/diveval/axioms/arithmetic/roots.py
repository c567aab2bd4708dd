"""Roots of a rational polynomial in one variable, counted exactly by Sturm's theorem and enclosed in rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

Coefficients = list[Fraction]  # lowest power first, the last one not 0
Enclosure = tuple[Fraction, Fraction]  # rationals between which a number lies
WIDTH = Fraction(1, 10**9)


def positive_set(poly: Sequence[Fraction], low: Fraction, high: Fraction) -> list[tuple[Enclosure, Enclosure]]:
    """Where a polynomial is positive on (low, high): open intervals, each end enclosed in two rationals.

    An end that is `low` or `high` itself is enclosed exactly.
    """
    whole = trimmed(list(poly))
    if not whole:
        return []
    roots = [(low, low), *isolated(whole, low, high), (high, high)]
    out: list[tuple[Enclosure, Enclosure]] = []
    for left, right in pairwise(roots):
        middle = (left[1] + right[0]) / 2
        if left[1] < right[0] and at(whole, middle) > 0:
            out.append((left, right))
    return out


def united(sets: Sequence[list[tuple[Enclosure, Enclosure]]]) -> list[tuple[Enclosure, Enclosure]]:
    """The union of several such sets; pieces that certainly overlap become one."""
    out: list[tuple[Enclosure, Enclosure]] = []
    for left, right in sorted(piece for one in sets for piece in one):
        if out and left[1] < out[-1][1][0]:
            out[-1] = (out[-1][0], max(out[-1][1], right))
        elif out and left == out[-1][0]:
            out[-1] = (left, max(out[-1][1], right))
        else:
            out.append((left, right))
    return out


def inside(inner: list[tuple[Enclosure, Enclosure]], outer: list[tuple[Enclosure, Enclosure]]) -> bool:
    """Whether each piece of the first set certainly lies in a piece of the second."""
    return all(any(b[0][1] <= a[0][0] and a[1][1] <= b[1][0] for b in outer) for a in inner)


def isolated(poly: Coefficients, low: Fraction, high: Fraction) -> list[Enclosure]:
    """The roots inside (low, high), each alone between two rationals no further apart than `WIDTH`.

    Descartes' rule of signs on halves of the interval: no change of sign means no root, one change means one.
    """
    whole = _integral(_moved(square_free(poly), low, high))
    found: list[Enclosure] = []
    cells = [(whole, Fraction(0), Fraction(1))]
    while cells:
        form, a, b = cells.pop()
        count = _variations(form)
        if count == 0:
            continue
        if count == 1:
            found.append(_narrowed(whole, a, b, (high - low)))
            continue
        middle = (a + b) / 2
        left = [c * 2 ** (len(form) - 1 - i) for i, c in enumerate(form)]  # form(x/2), scaled
        right = _shifted(left)
        if right[0] == 0:
            found.append((middle, middle))
            right = right[1:]
        cells += [(left, a, middle), (right, middle, b)]
    size = high - low
    return sorted((low + a * size, low + b * size) for a, b in found)


def _moved(poly: Coefficients, low: Fraction, high: Fraction) -> Coefficients:
    """poly(low + (high − low)·x)."""
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


def _shifted(form: list[int]) -> list[int]:
    """form(x + 1)."""
    out = list(form)
    for i in range(len(out) - 1):
        for j in range(len(out) - 2, i - 1, -1):
            out[j] += out[j + 1]
    return out


def _variations(form: list[int]) -> int:
    """Changes of sign after (0, 1) is mapped onto (0, ∞)."""
    signs = [c > 0 for c in _shifted(form[::-1]) if c]
    return sum(a != b for a, b in pairwise(signs))


def _narrowed(form: list[int], a: Fraction, b: Fraction, size: Fraction) -> Enclosure:
    """The one root inside (a, b), by halving."""
    start = at(form, a)
    rising = -(start or _sign_after(form, a, b))  # a root at the end is another one
    while (b - a) * size > WIDTH:
        middle = (a + b) / 2
        value = at(form, middle)
        if value == 0:
            return middle, middle
        a, b = (middle, b) if (value < 0) == (rising > 0) else (a, middle)
    return a, b


def _sign_after(form: list[int], a: Fraction, b: Fraction) -> Fraction:
    """The sign just behind a root at a, where (a, b) holds one simple root: opposite to that at b, or before it."""
    end = at(form, b)
    if end != 0:
        return -end
    step = (b - a) / 2
    while True:
        value = at(form, a + step)
        if value != 0 and _variations_between(form, a, a + step) == 0:
            return value
        step /= 2


def _variations_between(form: list[int], a: Fraction, b: Fraction) -> int:
    return _variations(_integral(_moved([Fraction(c) for c in form], a, b)))


def at(poly: Sequence[Fraction | int], x: Fraction) -> Fraction:
    """The value at a point."""
    total = Fraction(0)
    for c in reversed(poly):
        total = total * x + c
    return total


def derivative(poly: Coefficients) -> Coefficients:
    return [i * c for i, c in enumerate(poly)][1:]


def trimmed(poly: Coefficients) -> Coefficients:
    """Without leading zeros, and divided by the size of the leading coefficient: that keeps every sign."""
    while poly and not poly[-1]:
        poly.pop()
    if poly:
        size = abs(poly[-1])
        return [c / size for c in poly]
    return poly


def divided(a: Coefficients, b: Coefficients) -> tuple[Coefficients, Coefficients]:
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
    """The polynomial with every root once."""
    a, b = trimmed(list(poly)), trimmed(derivative(poly))
    while b:
        a, b = b, trimmed(divided(a, b)[1])
    return divided(poly, a)[0] if len(a) > 1 else list(poly)


def sturm(poly: Coefficients) -> list[Coefficients]:
    """Sturm's chain."""
    chain = [trimmed(list(poly)), trimmed(derivative(poly))]
    while chain[-1]:
        chain.append(trimmed([-c for c in divided(chain[-2], chain[-1])[1]]))
    return [p for p in chain if p]


def changes(chain: list[Coefficients], x: Fraction) -> int:
    """Changes of sign in the chain at a point."""
    signs = [v > 0 for v in (at(p, x) for p in chain) if v]
    return sum(a != b for a, b in pairwise(signs))
