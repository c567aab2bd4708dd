"""Roots of a rational polynomial in one variable, counted exactly: what doubles cannot decide, Sturm's theorem does."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from diveval.axioms.arithmetic.polynomials import Poly
from diveval.axioms.arithmetic.roots import Coefficients, at, changes, square_free, sturm


def never_negative(poly: Poly, name: str, low: Fraction, high: Fraction) -> Literal[True, "touches"] | Fraction:
    """True if the polynomial is positive on [low, high], "touches" if it has zeros there but never falls below,
    otherwise a point at which it is negative."""
    powers = poly.by_power(name)
    if not powers:
        return "touches"
    values = [powers.get(i, Poly({})).value for i in range(max(powers) + 1)]
    whole = [v for v in values if v is not None]
    assert len(whole) == len(values), "roots are counted of polynomials in one variable"
    for end in (low, high):
        if at(whole, end) < 0:
            return end
    chain = sturm(square_free(whole))
    touched = at(whole, low) == 0
    # Each root is shut into an interval of its own; between them the sign is that of any point.
    cells = [(low, high)]
    while cells:
        a, b = cells.pop()
        count = changes(chain, a) - changes(chain, b)  # roots in (a, b]
        if count == 0:
            continue
        middle = (a + b) / 2
        if count == 1:
            at_a, at_b = at(whole, a), at(whole, b)
            if at_a < 0 or at_b < 0:
                return a if at_a < 0 else b
            touched = True
            if at_a > 0 and at_b > 0:  # an even root between two positive ends
                continue
            inside = _beside(whole, chain, a, b)
            if inside is not None:
                return inside
            continue
        if at(whole, middle) < 0:
            return middle
        cells += [(a, middle), (middle, b)]
    return "touches" if touched else True


def _beside(whole: Coefficients, chain: list[Coefficients], a: Fraction, b: Fraction) -> Fraction | None:
    """A negative point of (a, b), where an end is a root and (a, b] holds one root; None if there is none."""
    if at(whole, b) != 0:  # a is a root, and another one lies inside
        left, right = a, b
        while True:
            middle = (left + right) / 2
            if at(whole, middle) < 0:
                return middle
            if changes(chain, middle) - changes(chain, b) == 1:  # the inner root is right of the middle
                return None
            right = middle
    middle = (a + b) / 2  # b is the only root of (a, b]: one point tells the sign
    return middle if at(whole, middle) < 0 else None
