"""Polynomials, quotients and conditions: their form after each operation, not only their value."""

import pickle
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from diveval.axioms.presentation.family import Composition
from diveval.axioms.proof.decide import _region
from diveval.axioms.proof.solver import Solver
from diveval.axioms.proof.subjects import as_symbolic
from diveval.axioms.proof.universal import Decided, Universal, facts_for
from diveval.axioms.specification.constraints import AXIOMS
from diveval.axioms.specification.readings import AS_WRITTEN
from diveval.axioms.specification.shapes import Bounds
from diveval.exact.polynomials import Condition, Poly, Term, settle
from diveval.exact.symbols import Exacts, Symbols
from diveval.exact.value_only import NotExact

x, y, log3 = Term.symbol("x"), Term.symbol("y"), Term.symbol("L3")


def test_a_polynomial_is_grouped_by_powers_of_a_symbol() -> None:
    """Each coefficient keeps the other symbols; `lowest` is that of the smallest power."""
    poly = (x * x * y * 2 - x * x + x * 3 * y + 5).num
    assert poly.by_power("x") == {2: (y * 2 - 1).num, 1: (y * 3).num, 0: Poly.constant(5)}
    assert poly.by_power("z") == {0: poly}
    assert poly.lowest("x") == Poly.constant(5) and (x * x + x * y).num.lowest("x") == y.num
    assert Poly({}).lowest("x") == Poly({}) and Poly({}).by_power("x") == {}
    assert poly.symbols == {"x", "y"} and poly.value is None
    assert Poly({}).value == 0 and Poly.constant(5).value == 5 and x.num.value is None and (x + 1).num.value is None
    assert poly.at({"x": F(2)}) == (y * 14 + 1).num and poly.at({}) == poly


def test_positive_factors_are_removed() -> None:
    """The largest shared power of each and the content are removed; other factors and all signs stay."""
    poly = (x * x * y * 6 - x * x * x * 4).num
    assert poly.without_positive_factors(lambda name: True) == (y * 3 - x * 2).num
    assert poly.without_positive_factors(lambda name: name == "y") == (x * x * y * 3 - x * x * x * 2).num
    assert (x * y * F(2, 3) + x * F(4, 9)).num.without_positive_factors(lambda name: True) == (y * 3 + 2).num
    assert (x * -6).num.without_positive_factors(lambda name: False) == (-x).num
    assert (x * y + y + x).num.without_positive_factors(lambda name: True) == (x * y + y + x).num
    assert Poly({}).without_positive_factors(lambda name: True) == Poly({})


def test_the_complement_is_removed_as_often_as_it_divides() -> None:
    """(1 − x)²·(x + y) becomes x + y; an indivisible polynomial stays."""
    once = 1 - x
    assert (once * (x + y)).num.without_complement("x") == (x + y).num
    assert (once * once * (x + y) * x).num.without_complement("x") == ((x + y) * x).num
    assert (once * 7).num.without_complement("x") == Poly.constant(7)
    for poly in ((x + y).num, Poly.constant(3), Poly({}), (1 - y).num):
        assert poly.without_complement("x") == poly


def test_quotients_are_kept_small() -> None:
    """Constants move to the numerator, shared symbols cancel, and a zero numerator gives 0."""
    assert ((x * 6) / 3).den == Poly.constant(1) and ((x * 6) / 3).num == (x * 2).num
    halved = (x * x * y) / (x * y * y * 2)
    assert (halved.num, halved.den) == ((x * F(1, 2)).num, y.num) and repr(halved) == "(1/2·x) / (y)"
    sums = (x + 1) / (y + 1)
    assert (sums.num, sums.den) == ((x + 1).num, (y + 1).num) and repr(sums) == "(1 + x) / (1 + y)"
    nothing = (x - x) / (y + 1)
    assert (nothing.num, nothing.den) == (Poly({}), Poly.constant(1)) and repr(nothing) == "0"
    assert (sums + sums).den == (y + 1).num and (sums + 1 / x).den == ((y + 1) * x).num
    assert sums.at({"y": F(1)}).num == (x * F(1, 2) + F(1, 2)).num and sums.signed() == ((x + 1) * (y + 1)).num
    assert x.signed() == x.num and (1 / Term.inverse("I0")).num == Term.symbol("I0").num


def test_terms_mix_with_numbers() -> None:
    """On either side, with integer powers and numpy numbers; other powers raise NotExact."""
    assert (1 - x).num == (-x + 1).num and (2 / x).den == x.num and (np.float64(0.5) * x).num == (x * F(1, 2)).num
    assert (x**3).num == (x * x * x).num and (x**-2).den == (x * x).num and (x**0).num == Poly.constant(1)
    assert (x ** F(2)).num == (x * x).num and (x**2.0).num == (x * x).num
    for power in (0.5, F(1, 3), "2", None, x):
        with pytest.raises(NotExact):
            x**power
    assert (x == "x") is False and (x != "x") is True and (x == x) is True and (x != x) is False
    assert hash(x + 1) == hash(1 + x) and len({x.num, x.num + Poly({}), y.num}) == 2
    assert (x.num == 1) is False and bool(Term.of(0)) is False and bool(Term.of(-2)) is True


def test_comparisons_are_decided_or_become_conditions() -> None:
    """A comparison is a bool where the sign is certain, else a condition in canonical form."""
    assert [settle(Poly.constant(c), op) for op in ("<", "<=", "==", "!=") for c in (-1, 0, 1)] == [
        True,
        False,
        False,
        True,
        True,
        False,
        False,
        True,
        False,
        True,
        False,
        True,
    ]
    assert (log3 > F(63, 100)) is True and (log3 < F(63, 100)) is False and (log3 == log3) is True
    for condition, op, poly in (
        (x < y, "<", x - y),
        (x <= 1, "<=", x - 1),
        (x > y, "<", y - x),
        (x >= 1, "<=", 1 - x),
        (x == y, "==", x - y),
        (x != 1, "!=", x - 1),
    ):
        assert (condition.op, condition.poly) == (op, poly.num) and condition == Condition(poly.num, op)
        assert condition.negate().negate() == condition and condition.negate() != condition
    assert [(x < 1).negate(), (x <= 1).negate(), (x == 1).negate()] == [x >= 1, x > 1, x != 1]
    assert (x < 1).at({"x": F(1, 2)}) is True and (x < y).at({"x": F(1, 2)}) == (F(1, 2) < y)
    assert hash(x < 1) == hash(Condition((x - 1).num, "<")) and (x < 1) != (x - 1).num and repr(x < 1) == "x − 1 < 0"


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (x > 0, "x > 0"),
        (x < F(1, 2), "x < 1/2"),
        (x + y >= 1, "x + y ≥ 1"),
        (x - y <= 0, "y − x ≥ 0"),
        (x * x * 2 - y > 3, "2·x² − y > 3"),
        (x == 1, "x = 1"),
        (x != y, "y − x ≠ 0"),
        (log3 * x > 1, "1/log₂3·x > 1"),
        (Term.symbol("alpha") ** 12 < Term.symbol("lam"), "λ − α¹² > 0"),
        (Term.symbol("r") < 1, "r_c < 1"),
        (Condition(Poly.constant(-2), "<"), "0 > -2"),
        (-x - y > -1, "x + y < 1"),
        (-x >= -F(3, 4), "x ≤ 3/4"),
    ],
)
def test_conditions_are_printed_naturally(condition: Any, text: str) -> None:
    """The constant is on the right, with no leading minus where that can be avoided."""
    assert str(condition) == text


def test_a_region_of_several_conditions() -> None:
    """The formula lists all conditions, the numbers each parameter with the others at default; implied ones are left out."""
    who = Composition("p^i", "(1−α)^c", "yes", "e").subject()
    p, alpha, e = (Term.symbol(name) for name in ("p", "alpha", "e"))
    region = _region(Decided("region", [p + alpha > 1, e < p * 2]), who)
    assert region.formula == "α + p > 1 and 2·p − e > 0"
    assert region.numbers == (
        "p > 1/2 and 2·p > 1/20 at α = 1/2, e = 1/20",
        "α > 1/100 and 0 > -193/100 at p = 99/100, e = 1/20",
        "0 > -49/100 and e < 99/50 at p = 99/100, α = 1/2",
    )
    one = _region(Decided("region", [e > F(1, 2)]), as_symbolic("EU(alpha=0.5)"))
    assert (one.formula, one.numbers) == ("e > 1/2", ("e > 1/2",))
    question = Universal(who, AXIOMS["Pri"], AS_WRITTEN, Bounds(), Solver(facts_for(who)))
    assert question._irredundant([p > F(1, 4), p > F(1, 2), e > F(-1), alpha < F(1, 2)]) == [
        p > F(1, 2),
        alpha < F(1, 2),
    ]
    assert question._irredundant([p > F(1, 2), p > F(1, 2)]) == [p > F(1, 2)]


def test_the_number_types_agree() -> None:
    """Symbols and exact numbers give the same values; exact numbers stay fractions unless they are logarithms."""
    symbols, exacts = Symbols(), Exacts()
    assert symbols.largest([1, F(5, 2), 2]).num.value == F(5, 2) and exacts.largest([F(1), F(5, 2)]) == F(5, 2)
    for numbers in (symbols, exacts):
        values = [
            numbers.positive(F(1, 2)),
            numbers.positive(0),
            numbers.below(F(1, 2), 1),
            numbers.below(1, 1),
            numbers.of(0.1),
        ]
        assert [Term.of(value).num.value for value in values] == [1, 0, 1, 0, F(1, 10)]
        kinds = {type(value) for value in values}
        assert kinds == ({F} if numbers is exacts else {Term})
        assert [repr(Term.of(numbers.inverse_log(n))) for n in (2, 3, 4, 8, 9, 10)] == [
            "1",
            "1/log₂3",
            "1/2",
            "1/3",
            "1/2·1/log₂3",
            "1/log₂10",
        ]
    assert exacts.of(x) is x


def test_a_polynomial_is_pickled_without_its_hash() -> None:
    """String hashes differ between processes, so a copied hash would break dictionary lookups."""
    poly = Poly.symbol("x") + Poly.constant(2)
    sent = pickle.dumps(poly)
    assert hash(poly) == hash(pickle.loads(sent)) and pickle.dumps(poly) == sent
    assert pickle.loads(sent) == poly and pickle.loads(sent).symbols == {"x"}
