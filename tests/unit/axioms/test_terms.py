"""Exact terms behave like numbers and reject what has no exact form; verdicts are explained in full."""

import operator
from fractions import Fraction
from typing import Any

import pytest

from diveval.axioms import check
from diveval.axioms.proof.verdicts import Counterexample, Region, draw_rankings, explain_verdict
from diveval.exact.polynomials import Term
from diveval.exact.value_only import NotExact

P = Term.symbol("p")


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_text_is_no_number(operation: Any) -> None:
    """Arithmetic with text raises a TypeError on either side, as with any Python number."""
    for pair in ((P, "1"), ("1", P)):
        with pytest.raises(TypeError):
            operation(*pair)


def test_terms_are_numbers() -> None:
    """Signs, absolute values, truth, integer powers and division work as for fractions."""
    two = Term.of(2)
    assert abs(-two) == two and abs(two) == two and +two == two
    assert not Term.of(0) and two
    assert two**-2 == Term.of(Fraction(1, 4)) and 1 / two == Term.of(Fraction(1, 2)) and 3 - two == Term.of(1)
    assert (P * P) / P == P and P - P == 0


def test_inexact_operations_raise() -> None:
    """Roots and floats of a symbol raise NotExact, and a division by zero raises ZeroDivisionError."""
    with pytest.raises(NotExact, match=r"0\.5"):
        P**0.5
    with pytest.raises(NotExact, match="float"):
        float(P)
    with pytest.raises(ZeroDivisionError):
        P / (P - P)


def counterexample(**changed: Any) -> Any:
    """A counterexample of two rankings that tie."""
    half = (Fraction(1, 2),)
    fields: dict[str, Any] = {
        "label": "swap",
        "better": (half,),
        "worse": (half,),
        "weights": (Fraction(1),),
        "pool": (half,),
        "setting": {},
        "cutoff": None,
        "scores": ("1/2", "1/2"),
        "decimals": ("0.5", "0.5"),
        "strict": True,
    }
    return Counterexample(**{**fields, **changed})


def test_a_drawing_shows_strictness_and_extra_judgments() -> None:
    """The drawing depends on strictness, and shows judged documents that are in neither ranking."""
    plain, weak, judged = (
        "\n".join(draw_rankings(counterexample(**changed)))
        for changed in ({}, {"strict": False}, {"pool": ((Fraction(1, 2),), (Fraction(1),))})
    )
    assert "0.5" in plain and plain != weak
    assert "(1)" in judged and "(1)" not in plain


def test_a_region_is_explained_with_its_numbers() -> None:
    """The text of a cell that holds in a region names the region."""
    verdict = check("EU", "Sat")
    assert isinstance(verdict.region, Region)
    text = explain_verdict(verdict)
    assert verdict.region.formula in text
    assert all(number in text for number in verdict.region.numbers)
