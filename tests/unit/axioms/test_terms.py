"""Exact terms behave as numbers do, refuse what has no exact form, and are explained in full."""

import operator
from fractions import Fraction
from typing import Any

import pytest

from diveval.axioms import check
from diveval.axioms.arithmetic.opaque import NotExact
from diveval.axioms.arithmetic.polynomials import Term
from diveval.axioms.proof.verdicts import Counterexample, Region, drawn, explained
from support.wording import wording

P = Term.symbol("p")


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_text_is_no_number(operation: Any) -> None:
    """As with any number in Python, mixing in text is a TypeError on either side."""
    for pair in ((P, "1"), ("1", P)):
        with pytest.raises(TypeError):
            operation(*pair)


def test_terms_are_numbers() -> None:
    """Signs, sizes, truth, whole powers and division, as fractions have them."""
    two = Term.of(2)
    assert abs(-two) == two and abs(two) == two and +two == two
    assert not Term.of(0) and two
    assert two**-2 == Term.of(Fraction(1, 4)) and 1 / two == Term.of(Fraction(1, 2)) and 3 - two == Term.of(1)
    assert (P * P) / P == P and P - P == 0


def test_what_has_no_exact_form_is_refused() -> None:
    """Roots and floats of a symbol, and a division by nothing."""
    with pytest.raises(NotExact, match=wording(r"a power of 0\.5 has no exact form")):
        P**0.5
    with pytest.raises(NotExact, match=wording("turns relevance into a float")):
        float(P)
    with pytest.raises(ZeroDivisionError, match=wording("the metric divides by zero")):
        P / (P - P)


def counterexample(**changed: Any) -> Any:
    """Two rankings of one aspect that score alike."""
    half = (Fraction(1, 2),)
    given: dict[str, Any] = {
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
    return Counterexample(**{**given, **changed})


def test_a_drawing_says_what_was_asked_and_what_was_judged() -> None:
    """Strict or not, and the judged documents that neither ranking shows."""
    plain = "\n".join(drawn(counterexample()))
    assert "should score more" in plain and "judged:" not in plain and "0.5" in plain
    weak = "\n".join(drawn(counterexample(strict=False, pool=((Fraction(1, 2),), (Fraction(1),)))))
    assert "should score no less" in weak and "judged:  (1/2)  (1)" in weak


def test_a_region_is_explained_with_its_numbers() -> None:
    """The text of a cell that holds in a region names the region."""
    verdict = check("EU", "Sat")
    assert isinstance(verdict.region, Region)
    text = explained(verdict)
    assert verdict.region.formula in text
    assert all(number in text for number in verdict.region.numbers)
