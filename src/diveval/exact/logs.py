"""Logarithms without floats: 1/log2(n) as a symbol, and rational bounds that certify the sign of expressions in it.

Python's decimal module rounds `ln` correctly (General Decimal Arithmetic), so one unit in the last place either way
encloses the true value.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

Interval = tuple[Fraction, Fraction]
Terms = Mapping[tuple[tuple[str, int], ...], Fraction | int]
TINY = "eps"  # a positive infinitesimal: "for every small enough value"
PRECISIONS = (30, 80, 240)  # digits; each is tried until a sign is certain
_NAMES = {"alpha": "α", "beta": "β", "lam": "λ", "r": "r_c"}


@cache
def root(argument: int) -> tuple[int, int]:
    """The smallest b and its c with b^c = argument, so that 1/log2(argument) = (1/c) · 1/log2(b)."""
    for base in range(2, int(argument**0.5) + 2):
        power, c = base, 1
        while power < argument:
            power, c = power * base, c + 1
        if power == argument:
            return base, c
    return argument, 1


@cache
def enclosure(base: int, digits: int = 30) -> Interval:
    """Rationals that enclose 1/log2(base) = ln 2 / ln base."""
    top, bottom = _ln(2, digits), _ln(base, digits)
    return top[0] / bottom[1], top[1] / bottom[0]


@cache
def _enclose_power(name: str, power: int, digits: int) -> Interval:
    """The same of a power of such a symbol; the value is positive, so its bounds are those of the base."""
    low, high = enclosure(int(name[1:]), digits)
    return low**power, high**power


@cache
def log_as_float(name: str) -> float:
    """The value of such a symbol as a double."""
    return float(enclosure(int(name[1:]))[0])


def _ln(value: int, digits: int) -> Interval:
    rounded = Decimal(value).ln(Context(prec=digits))
    ulp = Fraction(Decimal(1).scaleb(int(rounded.adjusted()) - digits + 1, Context(prec=digits)))
    return Fraction(rounded) - ulp, Fraction(rounded) + ulp


def is_numbered(letter: str, name: str) -> bool:
    """True for the letter with a number behind it: L3, D1, I0."""
    return name[:1] == letter and name[1:].isdigit()


def is_log(name: str) -> bool:
    """True for the symbols L3, L5, L6, … that stand for 1/log2 of their number."""
    return is_numbered("L", name)


def symbol_text(name: str) -> str:
    """A symbol as readable text: α for alpha, 1/log₂5 for L5."""
    if is_log(name):
        return f"1/log₂{name[1:]}"
    return _NAMES.get(name, name)


def is_rank(name: str) -> bool:
    """True for the symbols D1, D2, … that stand for the weights of an abstract discount."""
    return is_numbered("D", name)


def is_ideal(name: str) -> bool:
    """True for the symbols I0, I1, … that stand for one over an ideal."""
    return is_numbered("I", name)


def leading(terms: Terms) -> Terms:
    """The coefficient of the lowest power of the infinitesimal, which decides the sign as it goes to 0."""
    lowest = min(dict(monomial).get(TINY, 0) for monomial in terms)
    return {
        tuple(pair for pair in monomial if pair[0] != TINY): coefficient
        for monomial, coefficient in terms.items()
        if dict(monomial).get(TINY, 0) == lowest
    }


def bounds(terms: Terms, digits: int) -> Interval:
    """Rationals that enclose a polynomial whose symbols are all logarithms."""
    low = high = Fraction(0)
    for monomial, coefficient in terms.items():
        below: Fraction | int = 1
        above: Fraction | int = 1
        for name, power in monomial:
            a, b = _enclose_power(name, power, digits)
            below, above = below * a, above * b
        low += coefficient * (below if coefficient > 0 else above)
        high += coefficient * (above if coefficient > 0 else below)
    return low, high


def certify_sign(terms: Terms) -> int | None:
    """−1, 0 or 1 when it is certain; None when other symbols occur, or when no precision tried can tell.

    0 is only returned for the zero polynomial: terms are collected per monomial, so exact cancellation leaves none. A form
    of logarithms that is 0 for another reason gives None, never a wrong sign.
    """
    if not terms:
        return 0
    if len(terms) == 1 and () in terms:
        return 1 if terms[()] > 0 else -1
    names = {name for monomial in terms for name, _ in monomial}
    if TINY in names:
        return certify_sign(leading(terms))
    if not all(is_log(name) for name in names):
        return None
    for digits in PRECISIONS:
        low, high = bounds(terms, digits)
        if low > 0:
            return 1
        if high < 0:
            return -1
    return None
