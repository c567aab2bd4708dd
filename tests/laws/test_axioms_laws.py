"""Properties of the axiom engine's arithmetic: symbols, fractions and plain metrics agree."""

from fractions import Fraction as F
from math import prod
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.present import present
from support.shared import times

pytest.importorskip("z3")

from diveval.axioms.proof.column_machine import column
from diveval.axioms.proof.derivation import SYMBOLS
from diveval.axioms.proof.solver import Solver, contradictory
from diveval.axioms.proof.subjects import as_symbolic, exact_score
from diveval.exact.logs import bounds, certify_sign, enclosure, root
from diveval.exact.paths import explore
from diveval.exact.polynomials import Condition, Poly, Term
from diveval.exact.symbols import Exacts, Symbols
from diveval.metrics.ranking import Ranking
from unit.axioms import plain

pytestmark = pytest.mark.slow(seconds=0.3)  # together: `make check` leaves the file out

fractions = st.fractions(min_value=0, max_value=1, max_denominator=20)
small = st.fractions(min_value=-3, max_value=3, max_denominator=6)
NAMES = ("x", "y", "z")


@st.composite
def polynomials(draw: Any) -> Any:
    terms = draw(
        st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 2), st.sampled_from(NAMES), small), max_size=4)
    )
    total = Term.of(0)
    for a, power, b, c in terms:
        total = total + Term.symbol(a) ** power * Term.symbol(b) * Term.of(c)
    return total.num


@given(polynomials(), polynomials(), st.tuples(small, small, small))
@settings(max_examples=50, deadline=None)
def test_polynomials_compute_like_numbers(a: Any, b: Any, point: Any) -> None:
    """Sums, differences and products of polynomials, at a point, equal those of their values."""
    at = dict(zip(NAMES, point, strict=True))
    assert (a + b).at(at).value == a.at(at).value + b.at(at).value
    assert (a - b).at(at).value == a.at(at).value - b.at(at).value
    assert (a * b).at(at).value == a.at(at).value * b.at(at).value
    assert (a - a) == Poly({}) and hash(a + b) == hash(b + a)


@given(polynomials(), st.tuples(fractions, fractions, fractions))
@settings(max_examples=50, deadline=None)
def test_dropping_positive_factors_keeps_the_sign(a: Any, point: Any) -> None:
    """Removing common positive factors, and 1 − x for x < 1, changes no sign inside (0, 1)."""
    at = {name: (value + 1) / 3 for name, value in zip(NAMES, point, strict=True)}
    reduced = a.without_complement("x").without_positive_factors(lambda name: True)
    sign = certify_sign(a.at(at).terms)
    assert certify_sign(reduced.at(at).terms) == sign


@given(
    st.lists(
        st.lists(st.tuples(st.lists(st.sampled_from(NAMES), max_size=2), small), min_size=1, max_size=3), max_size=5
    ),
    st.tuples(*[st.sampled_from([F(-1), F(0), F(1, 2), F(1), F(2)])] * 3),
)
@settings(max_examples=200, deadline=None)
def test_signs_never_exclude_conditions_that_hold_somewhere(sums: Any, point: Any) -> None:
    """Conditions that are all true at one point are never contradictory."""
    at = dict(zip(NAMES, point, strict=True))
    terms = [
        sum((prod((Term.symbol(n) for n in names), start=Term.of(c)) for names, c in one), Term.of(0)) for one in sums
    ]
    conditions = []
    for poly in [*(-Poly.symbol(name) for name in NAMES), *(term.num for term in terms)]:
        conditions += [c for c in (Condition(poly, op) for op in ("<", "<=", "==", "!=")) if c.at(at) is True]
    assert not contradictory(conditions)


def test_signs_exclude_a_negative_sum_of_what_is_not_negative() -> None:
    """x ≥ 0 and y > x imply x·y + y > 0; without x ≥ 0 it may be negative."""
    x, y = (Poly.symbol(name) for name in "xy")
    premises = [Condition(-x, "<="), Condition(x - y, "<")]
    assert all(contradictory([*premises, Condition(x * y + y, op)]) for op in ("<", "<=", "=="))
    assert contradictory([*premises, Condition(x * y, "<")])
    assert not contradictory([*premises, Condition(x * y, "<=")]) and not contradictory(
        [*premises, Condition(x * y + y, "!=")]
    )
    assert not contradictory([premises[1], Condition(x * y + y, "<")])


@given(st.integers(2, 400))
@settings(max_examples=60, deadline=None)
def test_enclosures_tighten_around_one_value(n: Any) -> None:
    """More digits give a narrower interval inside the wider one, and powers reduce to their base."""
    base, power = root(n)
    assert base**power == n
    low, high = enclosure(n)
    closer = enclosure(n, 80)
    assert low <= closer[0] <= closer[1] <= high and high - low < F(1, 10**25)
    assert abs(float(low) - 1 / __import__("math").log2(n)) < 1e-12


@given(st.lists(st.tuples(st.integers(3, 9), small), max_size=5))
@settings(max_examples=50, deadline=None)
def test_signs_of_log_forms_agree_with_bounds(parts: Any) -> None:
    """The sign of a form, if decided, agrees with its bounds, and a form minus itself is exactly 0."""
    form = sum((Term.symbol(f"L{root(n)[0]}") / root(n)[1] * c for n, c in parts if root(n)[0] != 2), Term.of(0))
    sign = certify_sign(form.num.terms)
    low, high = bounds(form.num.terms, 30)
    assert {0: not form.num.terms, 1: high > 0, -1: low < 0, None: low < 0 < high}[sign]
    assert (form - form == 0) is True


rankings = st.integers(1, 3).flatmap(
    lambda m: st.tuples(
        st.lists(st.lists(fractions, min_size=m, max_size=m), min_size=1, max_size=5),
        st.lists(st.integers(1, 9), min_size=m, max_size=m),
        st.lists(st.lists(fractions, min_size=m, max_size=m), max_size=2),
    )
)


@pytest.mark.parametrize("name", list(plain.METRICS))
@given(rankings)
@example(([[F(0), F(1)], [F(0), F(1)]], [1, 1], []))  # an aspect for which nothing is relevant
@settings(max_examples=times(6, 15), deadline=None)  # for each metric
def test_the_engine_scores_like_the_plain_metric(name: Any, drawn: Any) -> None:
    """The declaration in exact numbers equals the plain metric, including ideals."""
    rows, parts, extra = drawn
    weights = [F(p, sum(parts)) for p in parts]
    pool = [row for row in [*rows, *extra] if any(row)]
    metric = as_symbolic(name)
    formula = metric.at(metric.defaults).at(len(rows) if metric.cutoff == "k" else None)
    exact = Term.of(exact_score(formula, rows, weights, pool))
    expected = plain.score(name, rows, weights, pool, len(rows), metric.defaults)
    corners = [a / b for a in bounds(exact.num.terms, 60) for b in bounds(exact.den.terms, 60)]
    assert min(corners) - F(1, 10**40) <= expected <= max(corners) + F(1, 10**40)


@pytest.mark.parametrize(
    "name", ["RBU", "NRBP", "EU", "CT", "ERR-IA", "RBP", "RR-IA", "S-Recall", "P-IA@5", "S-RR@100%"]
)
@given(st.lists(fractions, min_size=1, max_size=4))
@settings(max_examples=times(6, 15), deadline=None)  # for each metric
def test_symbols_and_fractions_agree(name: str, values: Any) -> None:
    """Running on symbols and then substituting values equals running on the values."""
    metric = as_symbolic(name)
    formula = metric.at(metric.defaults)
    symbols = [Term.symbol(f"r{i}") for i in range(len(values))]
    at = {f"r{i}": value for i, value in enumerate(values)}
    facts = {
        f"r{i}": [Condition(-Poly.symbol(f"r{i}"), "<="), Condition(Poly.symbol(f"r{i}") - Poly.constant(1), "<=")]
        for i in range(len(values))
    }
    paths = list(explore(lambda: formula.exact(Ranking.of([[s] for s in symbols], numbers=Symbols())), Solver(facts)))
    taken = [path for path in paths if all(c.at(at) is True for c in path.conditions)]
    assert len(taken) == 1
    direct = formula.exact(Ranking.of([[v] for v in values], numbers=Exacts()))
    assert (Term.of(taken[0].result).at(at) - Term.of(direct) == 0) is True


@pytest.mark.parametrize(
    "name", ["RBU", "NRBP", "EU", "CT", "ERR-IA", "RBP-IA", "nDCG-IA", "RR-IA", "S-Recall", "P-IA@9", "alpha-nDCG"]
)
@given(rankings)
@settings(max_examples=times(6, 15), deadline=None)  # for each metric
def test_the_machine_of_a_lemma_equals_the_metric(name: str, drawn: Any) -> None:
    """Σ_t w(t) Σ_i D(i)·(g·novelty) − effort, computed by column, equals the metric up to its normaliser."""
    rows, parts, _ = drawn
    weights = [F(p, sum(parts)) for p in parts]
    metric = as_symbolic(name)
    formula = metric.at(metric.defaults)
    machine = present(column(formula))
    numbers = Exacts()
    total = Term.of(0)
    for t, weight in enumerate(weights):
        state = machine.novelty.begin(numbers)
        for i, row in enumerate(rows, 1):
            g = numbers.positive(row[t]) if machine.binary else row[t]
            factor = machine.novelty.factor(state, numbers)
            share = weight if machine.weighted else F(1)
            total = total + Term.of(machine.discount.at(i, numbers)) * share * g * factor
            state = machine.novelty.after(state, g, numbers)
    for i in range(1, len(rows) + 1):
        total = total - Term.of(machine.discount.at(i, numbers)) * SYMBOLS.of(machine.effort)
    scale = {"S-Recall": F(1, len(weights)), "P-IA@9": F(1, 9)}.get(name, F(1))
    one = Ranking.of(rows, weights=weights, pool=[], numbers=numbers, normaliser=lambda formula, channel: F(1))
    assert (total * scale - Term.of(formula.exact(one)) == 0) is True
