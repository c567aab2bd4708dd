"""The formulas of certificates: S-expressions of SMT-LIB, evaluated in fractions and compared at random points.

A point has a numerator from 1 to 996 over 997 for each symbol. Two different polynomials of degree d agree at such a point
with probability at most d/996 (Schwartz and Zippel), and every comparison takes three points.
"""

from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable, Container, Iterable
from decimal import Context, Decimal
from fractions import Fraction as F
from functools import cache, reduce
from itertools import pairwise
from pathlib import Path
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
    """An S-expression as nested tuples. More than one, or a comment, could hide something from this program."""
    stack: list[list[Any]] = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")" and len(stack) > 1:
            closed = tuple(stack.pop())
            stack[-1].append(closed)
        else:
            stack[-1].append(word)
    if len(stack) != 1 or len(stack[0]) != 1 or ")" in stack[0] or not {*';"|'}.isdisjoint(text):
        raise ValueError(f"not one expression: {text}")
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
    constant = other in ("true", "false")  # a comparison that was decided when the certificate was written
    logarithms = {
        name: inverse_log(int(name[1:])) for name in names if constant and name[0] == "L" and name[1:].isdigit()
    }
    outer = [random_point(names, source) | logarithms for _ in range(POINTS)]
    inner = [{**env, **{name: value(term, env) for name, term in terms.items()}} for env in outer]
    if constant:
        return len({value(one[1], env) for env in inner}) == 1 and value(one, inner[0]) == CONSTANTS[other]
    if isinstance(other, str) or one[0] != other[0] or one[2:] != other[2:]:
        return False
    return all(value(one[1], at) == value(other[1], env) for at, env in zip(inner, outer, strict=True))


def opposite(formula: str, denied: str, source: random.Random) -> bool:
    """Whether a formula is the negation of another: −p ≤ 0 of p < 0, p ≠ 0 of p = 0, and so on.

    The polynomials must be p and −p at random points. Opposite truth values at these points would not be enough:
    a formula that is true at all of them would count as the negation of any that is false at all of them.
    """
    one, other = parsed(formula), parsed(denied)
    if one == ("not", other) or other == ("not", one) or {one, other} == {"true", "false"}:
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


# --- values at which premises are tested -------------------------------------------------------------------------------

# The symbols of steps that a range may bound or a definition name: relevance, weights, sums of them. All lie between 0
# and 1, except lengths (i, n, m). Of pp and qq, two parameters of a discount, p²(1 + q) ≤ 1 is assumed.
LARGE = {"i": F(10**6), "n": F(10**9), "m": F(10**6), "pp": F(1, 2), "qq": F(1, 5)}
BOUNDED = {"x", "y", "r", "r1", "r2", "r3", "d", "d1", "w1", "w2", "j", "l", "q", "E", "here", "next", "later"}
BOUNDED |= {"share", "behind", "ideal", "rest", "missing", "allowed"}
# Values at which every premise of a constraint is true: y is the larger of two relevances, w2 of two weights.
AT_PREMISE = {"s_seen": F(1, 10), "a_seen": F(1, 10), "b_seen": F(1, 10), "alpha": F(1, 2), "x": F(1, 10), "y": F(1, 5)}
AT_PREMISE |= {"r": F(3, 10), "r1": F(1, 10), "r2": F(1, 10), "r3": F(1, 5), "w1": F(1, 5), "w2": F(2, 5)}
# Values at which every fact about the weights of ranks is true: about 1/log2 of 2, 3, 4 and 5.
AT_RANKS = {"d1": F(1), "d2": F(63, 100), "d3": F(1, 2), "u": F(63, 100), "v": F(1, 2), "w": F(43, 100)}
AT_RANKS |= {"d": F(63, 100), "l": F(1, 100), "m": F(5), "n": F(100)}
# What a query may assume of its symbols without a premise must be true of each of these: L3, L5, … are 1/log2 of a number;
# I0, I1, … one over the score of an ideal, positive; D1, D2, … the weights of ranks, positive, falling and convex.
MODELS: dict[str, list[Callable[[int], F]]] = {
    "L": [inverse_log],
    "I": [lambda i: F(1, 10**9), lambda i: F(10**9)],
    "D": [lambda i: F(1, i), lambda i: F(9, 10) ** i, lambda i: F(1, 99) ** i, lambda i: inverse_log(i + 1)],
}


def is_fact(formula: str) -> bool:
    """Whether a formula is about logarithms alone, ideals alone or weights of ranks alone, and true of their models."""
    tree = parsed(formula)
    names = symbols(tree)
    letters = {name[0] for name in names}
    if len(letters) != 1 or not letters <= {*MODELS} or not all(name[1:].isdigit() for name in names):
        return False
    models = MODELS[letters.pop()]
    return all(value(tree, {name: model(int(name[1:])) for name in names}) for model in models)


def is_true(tree: Expression, env: Env) -> bool:
    """Whether a formula is about symbols with a value alone, and true."""
    return symbols(tree) <= {*env} and bool(value(tree, env))


def test_points(names: set[str], source: random.Random) -> list[Env]:
    """Random points, and two at which all values are near the ends of their range."""
    ends = [dict.fromkeys(names, end) for end in (F(1, 1000), F(999, 1000))]
    return [point | LARGE for point in [*ends, *(random_point(names, source) for _ in range(6))]]


def defined(tree: Expression, new: Iterable[str], env: Env) -> tuple[str, F] | None:
    """The symbol that an equation defines, and its value: the equation is linear in it, with a coefficient other than 0."""
    for name in new:
        at_0, at_1, at_2 = (value(("-", *tree[1:]), env | {name: F(number)}) for number in range(3))
        if at_1 != at_0 and at_2 - at_1 == at_1 - at_0:
            return name, at_0 / (at_0 - at_1)
    return None


def are_definitions(given: list[Any], parameters: set[str], env: Env) -> bool:
    """Whether each definition fixes one more symbol, not a parameter, at a value that ranges and premises allow."""
    at, taken, before = env | AT_PREMISE, set(parameters), set[str]()
    for one in given:
        tree = parsed(one["formula"])
        if one["from"] == "definition":
            names = symbols(tree)
            if tree[0] != "=" or not names <= {*at}:
                return False
            # First the symbols that no premise above has.
            found = defined(tree, [*sorted(names - taken - before), *sorted((names - taken) & before)], at)
            if found is None:
                return False
            taken.add(found[0])
            at |= [found]
        before |= symbols(tree)
    tested = [parsed(one["formula"]) for one in given if one["from"] in ("range", "premise")]
    return all(value(tree, at) for tree in tested if symbols(tree) <= {*at} and symbols(tree) & taken - parameters)


# --- queries and statements without symbols --------------------------------------------------------------------------

COMMAND = re.compile(
    r"\(set-logic QF_NRA\)|\(set-info :status unsat\)|\(declare-const [A-Za-z]\w* Real\)|\(assert (?P<formula>.+)\)"
)


@cache
def assertions(path: Path) -> tuple[str, ...]:
    """The formulas that a query asserts. Each line is one command of the list: a solver must not read more than this."""
    *lines, last, end = path.read_text(encoding="utf-8").split("\n")
    if (last, end) != ("(check-sat)", ""):
        raise ValueError(f"{path.name} does not end with (check-sat)")
    formulas = []
    for line in lines:
        command = COMMAND.fullmatch(line)
        if command is None:
            raise ValueError(f"{path.name} has the line {line}")
        if command["formula"] is not None:
            parsed(command["formula"])
            formulas.append(command["formula"])
    return tuple(formulas)


def exact_statement(claim: str, weight: Callable[[int], F]) -> bool | None:
    """Whether a statement without symbols is true; None where it is of a kind that is not known here."""
    if ranks := re.fullmatch(r"ranks 1 to (\d+): the logarithmic discount falls and is convex \(certified\)", claim):
        weights = [weight(rank) for rank in range(1, int(ranks[1]) + 1)]
        steps = [one - other for one, other in pairwise(weights)]
        return all(step > 0 for step in steps) and all(one > other for one, other in pairwise(steps))
    if power := re.fullmatch(r"(\d+)·(\d+)(\+1)? ≤ 2\^(\d+)", claim):
        return bool(int(power[1]) * int(power[2]) + bool(power[3]) <= 2 ** int(power[4]))
    if small := re.fullmatch(r"D\((\d+)\) < ([\d.]+)", claim):
        return weight(int(small[1])) < F(small[2])
    return None
