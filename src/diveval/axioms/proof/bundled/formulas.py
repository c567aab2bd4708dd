"""The formulas of certificates: S-expressions of SMT-LIB, evaluated in fractions and compared at random points.

A point has a numerator from 1 to 996 over 997 for each symbol. Two different polynomials of degree d agree at such a point
with probability at most d/996 (Schwartz and Zippel), and every comparison takes three points.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Container, Iterable
from decimal import Context, Decimal
from fractions import Fraction as F
from functools import cache, reduce
from typing import Any

Env = dict[str, F]  # a value for each symbol
Expression = Any  # a symbol, a number or a constant as text, or a tuple of an operator and its operands

POINTS = 3
GRID = [F(numerator, 997) for numerator in range(997)]
RELATIONS: dict[str, Callable[..., bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "not": operator.not_,
}
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "-": operator.sub,
    "/": operator.truediv,
}
CONSTANTS = {"true": True, "false": False}
number = cache(F)


@cache
def parsed(text: str) -> Expression:
    """An S-expression as nested tuples."""
    stack: list[list[Any]] = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")":
            closed = tuple(stack.pop())
            stack[-1].append(closed)
        else:
            stack[-1].append(word)
    return stack[0][0]


def symbols(expression: Expression) -> set[str]:
    """The symbols of an expression."""
    if isinstance(expression, str):
        return {expression} if expression[0].isalpha() and expression not in ("true", "false", "not") else set()
    return symbols_of(expression[1:])


def symbols_of(expressions: Iterable[Expression]) -> set[str]:
    """The symbols of several expressions."""
    return {name for expression in expressions for name in symbols(expression)}


def value(expression: Expression, env: Env) -> Any:
    """A number, or the truth of a comparison. A symbol without a value is an error."""
    if isinstance(expression, str):
        if expression in env:
            return env[expression]
        return number(expression) if expression[0].isdigit() else CONSTANTS[expression]
    name = expression[0]
    operands = [value(operand, env) for operand in expression[1:]]
    if name in RELATIONS:
        return RELATIONS[name](*operands)
    if name == "-" and len(operands) == 1:
        return -operands[0]
    return reduce(ARITHMETIC[name], operands)


def random_point(names: Iterable[str], source: random.Random, may_be_zero: Container[str] = ()) -> Env:
    """A random value between 0 and 1 for each symbol; some of those that may be 0 are."""
    return {
        name: GRID[0 if name in may_be_zero and source.random() < 0.3 else int(source.random() * 996) + 1]
        for name in sorted(names)  # the order of a set differs between runs, and the points would too
    }


def same_comparison(general: str, instance: str, substitution: dict[str, str], source: random.Random) -> bool:
    """Whether a comparison with 0 becomes another one, of the same polynomial, when terms replace its symbols.

    Both sides must agree on the relation and on the right side as texts: `p <= 0` is not `p < 0`, nor `p <= 5`.
    """
    one, other = parsed(general), parsed(instance)
    while one[0] == "not" == other[0]:
        one, other = one[1], other[1]
    if isinstance(one, str):
        return bool(one == other)
    terms = {name: parsed(term) for name, term in substitution.items()}
    names = symbols_of([one, other, *terms.values()])
    outer = [random_point(names, source) for _ in range(POINTS)]
    inner = [{**env, **{name: value(term, env) for name, term in terms.items()}} for env in outer]
    if other == "true":  # a comparison of two constants, which was evaluated when the certificate was written
        return len({value(one[1], env) for env in inner}) == 1 and bool(value(one, inner[0]))
    if isinstance(other, str) or one[0] != other[0] or one[2:] != other[2:]:
        return False
    return all(value(one[1], at) == value(other[1], env) for at, env in zip(inner, outer, strict=True))


def opposite(formula: str, denied: str, source: random.Random) -> bool:
    """Whether a formula is the negation of another: −p ≤ 0 of p < 0, p ≠ 0 of p = 0, and so on.

    The polynomials must be p and −p at random points. Opposite truth values at these points would not be enough:
    a formula that is true at all of them would count as the negation of any that is false at all of them.
    """
    one, other = parsed(formula), parsed(denied)
    if one == ("not", other) or {one, other} == {"true", "false"}:
        return True
    if {one[0], other[0]} != {"<", "<="} or one[2] != "0" or other[2] != "0":
        return False
    names = symbols_of([one, other])
    return not any(value(("+", one[1], other[1]), random_point(names, source)) for _ in range(POINTS))


@cache
def inverse_log(argument: int) -> F:
    """1/log2(argument), to 60 digits."""
    context = Context(prec=60)
    return F(1) if argument == 2 else F(context.divide(Decimal(2).ln(context), Decimal(argument).ln(context)))


@cache
def as_power(argument: int) -> tuple[int, int]:
    """The smallest base and its exponent: 8 is 2³. Formulas have a symbol for 1/log2 of each base."""
    exponents = range(1, argument.bit_length())
    return next((base, n) for base in range(2, argument + 1) for n in exponents if base**n == argument)
