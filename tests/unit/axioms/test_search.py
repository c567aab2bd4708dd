"""The search for counterexamples: candidates, the judgments tried, and conversion to numbers."""

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest

from diveval.axioms import AS_WRITTEN, AXIOMS, Bounds, Pair
from diveval.axioms.proof.search import Candidate, concrete, pools, positive, simplify
from diveval.axioms.proof.subjects import as_symbolic
from diveval.exact.logs import bounds, enclosure
from diveval.exact.polynomials import Poly, Term
from diveval.metrics import parse
from support.present import present

P, TINY = Term.symbol("p"), Term.symbol("eps")


@pytest.mark.parametrize("name", ["lam", "lambda", "λ", " lam "])
def test_a_parameter_that_is_set_is_not_free(name: str) -> None:
    """Under every spelling of its name; an unset parameter is free."""
    assert as_symbolic(f"Dsharp_nDCG({name}=0.3)").free == () and [
        p.name for p in as_symbolic("Dsharp_nDCG@k").free
    ] == ["lam"]


def test_a_candidate_breaks_where_its_gap_is_negative() -> None:
    """A tie breaks a strict constraint, except for infinitesimals; an undecided gap breaks nothing."""
    half, near = {"r": Term.of(F(1, 2))}, {"r": TINY}
    gap = (P - F(1, 2)).num
    for values, strict, relation, broken in (
        (half, True, "<=", [True, True, False]),
        (half, False, "<", [True, False, False]),
        (near, True, "<", [True, False, False]),
        (near, False, "<", [True, False, False]),
    ):
        candidate = Candidate(values, gap, strict)
        assert candidate.small is (values is near) and candidate.find_when_broken() == relation
        assert [candidate.breaks_at({"p": p}) for p in (F(1, 4), F(1, 2), F(3, 4))] == broken
        assert candidate.breaks_at({}) is False
    nothing = Candidate(near, Poly({}), True)
    assert nothing.breaks_at({}) is True and replace(nothing, strict=False).breaks_at({}) is False


def test_pools_tried_for_each_kind_of_ideal() -> None:
    """With one ideal per aspect: mirrored judgments, the retrieved ones, and those with extra documents about t'."""
    half, third, none, one = F(1, 2), F(1, 3), F(0), F(1)
    rows = [[Term.of(r) for r in row] for row in ((half, none), (third, third), (none, none))]
    pair = Pair(rows, rows, [Term.of(half)] * 2, [], pool=rows)
    seen = ((half, none), (third, third))
    mirrored, more = (*seen, (none, half)), (none, one)
    assert list(pools(as_symbolic("nDCG-IA"), pair, same_ideal=True)) == [mirrored]
    assert list(pools(as_symbolic("AP-IA"), pair, same_ideal=False)) == [
        mirrored,
        seen,
        (*seen, more),
        (*seen, more, more),
        (*seen, more, more, more),
    ]
    assert list(pools(as_symbolic("RBU"), pair, same_ideal=False)) == [seen]
    single = Pair(rows[:1], rows[:1], [Term.of(1)], [], pool=[[Term.of(half)]])
    assert list(pools(as_symbolic("nDCG-IA"), single, same_ideal=False)) == [((half,),)]


def test_infinitesimals_become_numbers() -> None:
    """The result is the largest of four values that breaks the constraint at the given setting."""
    case = AXIOMS["Pri"].cases(AS_WRITTEN, Bounds())[0]
    values, setting = {"r1": TINY, "r2": Term.of(F(1, 20))}, {"p": F(1, 2)}

    def bottom(ranking: Any) -> Any:
        return sum(i * row[0] for i, row in enumerate(ranking.relevance))

    found = present(concrete(as_symbolic(bottom), case, values, {}))
    assert (found.better, found.worse) == (((F(1, 20),), (F(1, 100),)), ((F(1, 100),), (F(1, 20),)))
    assert (found.label, found.weights, found.pool) == (case.label, (F(1),), found.worse) and found.strict
    assert (found.scores, found.decimals, found.setting, found.cutoff) == (
        ("1/100", "1/20"),
        ("0.01", "0.05"),
        {},
        None,
    )
    assert concrete(as_symbolic("RBP"), case, values, setting) is None
    quarter_below_half = {"r1": Term.of(F(1, 4)), "r2": Term.of(F(1, 2))}
    equal = present(concrete(as_symbolic("P@k"), case, quarter_below_half, {"p": F(1, 3)}))
    assert (equal.scores, equal.cutoff, equal.setting) == (("1", "1"), 2, {})
    assert concrete(as_symbolic("P@k"), case, {"r1": Term.of(F(1, 2)), "r2": Term.of(F(1, 4))}, {}) is None


def test_a_tie_breaks_only_strict_constraints() -> None:
    """Sat forbids only an increase: a document that adds nothing is no counterexample, one that adds something is."""
    case = AXIOMS["Sat"].cases(replace(AS_WRITTEN, saturation="one"), Bounds())[0]
    values = {name: Term.of(F(1, 2)) for name in case.symbols}
    assert concrete(as_symbolic("RR-IA"), case, values, {}) is None
    found = present(concrete(as_symbolic("RBP-IA(p=0.5)"), case, values, {}))
    assert found.strict is False and F(found.scores[0]) < F(found.scores[1])


def test_bounds_enclose_for_any_coefficient() -> None:
    """A positive coefficient uses the lower end for the lower bound, a negative one the upper end."""
    low, high = enclosure(3, 30)
    for c in (F(1, 2), F(1), F(3), F(-1, 2), F(-1), F(-3)):
        assert bounds((Term.symbol("L3") * c).num.terms, 30) == tuple(sorted((low * c, high * c)))
    other = enclosure(5, 30)
    both = (Term.symbol("L3") ** 2 * Term.symbol("L5") - 1).num.terms
    assert bounds(both, 30) == (low**2 * other[0] - 1, high**2 * other[1] - 1)


def test_simplified_removes_factors_of_constant_sign() -> None:
    """p, r_c, ideals, logarithms and rank discounts are removed, and 1 − p where the range of p ends at 1."""
    names = ["p", "r", "I0", "L3", "D12", "e", "alpha", "lam", "I", "Lx", "x3", "eps", "rmax"]
    assert [name for name in names if positive(name)] == ["p", "r", "I0", "L3", "D12"]
    e, alpha = Term.symbol("e"), Term.symbol("alpha")
    poly = ((1 - P) * (1 - e) * P * e * 4).num
    assert simplify(poly, as_symbolic("RBU")) == ((1 - e) * e).num
    assert simplify(((1 - alpha) * alpha * (P - 1)).num, as_symbolic("NRBP")) == (-alpha).num


def test_subjects_keep_their_definition() -> None:
    """Name, cutoff, entry, source and free parameters are right for a metric, a text and a function."""
    metric = parse("RBU(p=0.8)@5")
    given = as_symbolic(metric)
    assert (given.name, given.cutoff, given.entry, given.source, given.free) == (metric.name, 5, "RBU", metric.name, ())
    text = as_symbolic(" RBU(p=0.8)@k ")
    assert (text.name, text.cutoff, text.entry, text.source) == ("RBU(p=0.8)@k", "k", "RBU", "RBU(p=0.8)@k")
    assert [p.name for p in text.free] == ["e"] and text.formula.cutoff is None
    assert [p.name for p in as_symbolic("EU(α=0.5)").free] == ["e"] and as_symbolic("RBP@9").formula.cutoff == 9
    mine = as_symbolic(lambda ranking: 0)
    assert (mine.cutoff, mine.entry, mine.free, mine.has_user_code, text.has_user_code) == (None, "", (), True, False)
    assert as_symbolic(mine) is mine and {str(fact) for fact in as_symbolic("EU").facts["e"]} == {"e > 0"}
    assert as_symbolic("D#-Measure").box == "0 < λ < 1" and [str(c) for c in as_symbolic("RBP").facts["p"]] == [
        "p > 0",
        "p < 1",
    ]
