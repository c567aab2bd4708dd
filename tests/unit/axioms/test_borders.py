"""Verdicts at the borders of parameters and cutoffs stand, and a symbolic cutoff agrees with each of its instances."""

from __future__ import annotations

import random
from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest

import diveval
from diveval.axioms import check
from diveval.axioms.specification.readings import AS_WRITTEN, CHARITABLE, Reading
from support.present import present
from support.refusals import refuses
from support.shared import THOROUGH
from unit.axioms import attack
from unit.axioms.borders import border_targets, sample
from unit.axioms.targets import of_entry
from unit.axioms.withstood import Attacks

CELLS = list(product(attack.AXIOMS, attack.READINGS))
ROWS = ("P@k", "nDCG@k", "ERR@k", "RR-IA@k", "S-Recall@k", "D#-Measure@k", "alpha-nDCG@k", "CT@k", "RBU@k")


@pytest.mark.parametrize(("axiom", "reading"), CELLS)
def test_no_verdict_at_a_border_is_refuted(axiom: str, reading: str, attacks: Attacks) -> None:
    """λ, α, p and e at the ends of their ranges and k of 1, 2, 3: random exact pairs refute no verdict."""
    for target in border_targets() if THOROUGH else sample(8, f"{axiom} {reading}"):
        verdict = check(target.item, axiom, reading=reading)
        attacks.withstands(target, axiom, reading, 240, verdict)


@pytest.mark.parametrize(("axiom", "reading"), CELLS)
def test_a_symbolic_cutoff_agrees_with_its_instances(axiom: str, reading: str) -> None:
    """What is claimed of every k is claimed at each k: `holds` and `fails` are the same, a region is neither at all."""
    source = random.Random(axiom + reading)
    for row in ROWS if THOROUGH else source.sample(ROWS, 3):
        symbolic = check(row, axiom, reading=reading)
        instances = {k: check(row.replace("@k", f"@{k}"), axiom, reading=reading).verdict for k in (1, 2, 4, 7)}
        met = {k: said for k, said in instances.items() if said != "vacuous"}
        if symbolic.verdict in ("holds", "fails", "not-applicable"):
            assert {*met.values()} <= {symbolic.verdict, "bounded" if symbolic.verdict == "holds" else "fails"}, (
                row,
                symbolic.verdict,
                instances,
            )


@pytest.mark.parametrize("metric", ["nDCG", "alpha_nDCG(alpha=0.1)", "RBP(p=0.9)", "RBU(p=0.99,e=0.05)", "ERR"])
def test_deepth_at_a_cutoff_is_decided_by_the_longest_rankings_that_fit(metric: str) -> None:
    """Charitable DeepTh at k: n = ⌊k/2⌋ decides, by scores of the independent scorer."""
    name, _, settings = metric.rstrip(")").partition("(")
    given: Any = {n: F(v) for n, _, v in (one.partition("=") for one in settings.split(",") if one)}
    for k in (2, 3, 5, 6, 9):
        target = of_entry(f"{metric}@{k}", name, given, k)
        verdict = check(target.item, "DeepTh", reading=CHARITABLE)
        witnesses = {
            attack.is_witness(target.build({}), "DeepTh", "charitable", k // 2, r, k) for r in (F(1, 100), F(99, 100))
        }
        expected = {frozenset({True}): "holds", frozenset({False}): "fails"}.get(frozenset(witnesses), "region")
        assert verdict.verdict == expected, (k, verdict.verdict)


@pytest.mark.parametrize("axiom", ["DeepTh", "CloseTh"])
@pytest.mark.parametrize("reading", [CHARITABLE, AS_WRITTEN])
def test_a_normalised_metric_needs_documents_worth_their_effort(axiom: str, reading: Reading) -> None:
    """nRBU at r_c = 1/2 never holds for every e: at e ≥ 1/2 both rankings score 0."""
    how = Reading(**{**vars(reading), "r_c": F(1, 2)})
    assert check("nRBU", axiom, reading=how).verdict != "holds"
    assert check("nRBU(e=0.75)", axiom, reading=how).verdict == "fails"


def test_the_witness_of_scaled_relevance_is_scaled() -> None:
    """αβ-nDCG sees β·r_c, so that the witness depends on β."""
    verdict = check("alpha_beta_nDCG(beta=1/5)", "DeepTh")
    assert verdict.verdict == "holds"
    assert "1/5" in present(verdict.proof).witness


def test_evidence_is_about_the_metric_at_its_own_cutoff() -> None:
    """A counterexample of M@k is one at k: its cutoff and its scores."""
    for k, axiom in product((1, 2, 3, 5), ("Pri", "Deep", "Red", "MRed", "AspDiv", "AspRel", "Conf", "Sat")):
        for metric in (f"RBU(p=0.8,e=0.05)@{k}", f"P_IA@{k}"):
            example = check(metric, axiom, reading=AS_WRITTEN).counterexample
            if example is not None:
                assert example.cutoff == k
                assert example.breaks(metric)


def test_at_cutoff_one_nothing_can_break_saturation() -> None:
    """As written, Sat at k = 1 holds for every metric: the document that must add nothing has rank 2 or more."""
    assert {check(f"{m}@1", "Sat", reading=AS_WRITTEN).verdict for m in ("P", "nDCG", "P_IA", "EU", "RBU")} == {"holds"}


def _saturates_at_half(ranking: Any) -> Any:
    total = ranking.numbers.of(0)
    for t in range(ranking.aspects):
        for row in ranking.relevance:
            total = total + row[t]
            if row[t] == ranking.numbers.of(1) / 2:
                break
    return total


def test_any_maximum_may_serve_for_saturation() -> None:
    """As written r_max is any value in (0, 1]; charitably it is 1."""
    assert check(_saturates_at_half, "Sat", reading=AS_WRITTEN).verdict in ("bounded", "unknown")
    assert check(_saturates_at_half, "Sat", reading=CHARITABLE).verdict == "fails"


def _own_share(ranking: Any) -> Any:
    best = sum((max(row) for row in ranking.pool), ranking.numbers.of(0))
    return sum((max(row) for row in ranking.relevance), ranking.numbers.of(0)) / best if len(ranking.pool) else best


def _two_judged(ranking: Any) -> Any:
    gains = (max(row) / i for i, row in enumerate(ranking.relevance, 1))
    return sum(gains, ranking.numbers.of(0)) if len(ranking.pool) >= 2 else ranking.numbers.of(0)


def test_the_pool_of_a_function_holds_relevant_documents_only() -> None:
    """A function of the number of judged documents is not excluded by non-relevant ones in the pool."""
    example = present(check(_two_judged, "Pri").counterexample)
    assert len(example.pool) < 2 and all(any(row) for row in example.pool)
    assert check(_own_share, "Sat", reading=AS_WRITTEN).verdict in ("fails", "unknown")


def _rbu_of_two_judged(ranking: Any) -> Any:
    total, left, p, e = ranking.numbers.of(0), ranking.numbers.of(1), F(9, 10), F(1, 100)
    for i, row in enumerate(ranking.relevance, 1):
        total, left = total + p**i * (max(row) * left - e), left * (1 - max(row))
    return total if len(ranking.pool) >= 2 else ranking.numbers.of(0)


@pytest.mark.parametrize("axiom", ["Pri", "Conf"])
def test_a_function_of_the_size_of_the_pool_fails(axiom: str) -> None:
    """RBU where two documents or more are judged, otherwise 0, is broken by a pair with fewer, which scores 0 and 0."""
    verdict = check(_rbu_of_two_judged, axiom)
    example = present(verdict.counterexample)
    assert verdict.verdict == "fails" and len(example.pool) < 2
    assert [str(score) for score in example.scores] == ["0", "0"]
    for side in (example.better, example.worse):
        run = {("d" if any(row) else f"n{i}"): -float(i) for i, row in enumerate(side)}
        if example.pool:
            judged = {"d": float(example.pool[0][0])}
            scored = diveval.evaluate({"1": {"a": judged}}, {"s": {"1": run}}, [_rbu_of_two_judged], gain="linear")
            assert scored.means.tolist() == [[0.0]]


def test_a_short_limit_is_no_crash() -> None:
    """Sat with any r_max and little time is unknown, or decided."""
    assert check("EU", "Sat", reading=AS_WRITTEN, time_limit=0.05).verdict in ("unknown", "region")


def _late_changes() -> list[Any]:
    """Functions that change after 5,000 calls, each with its counter in another place."""
    kept = {"calls": 0}
    rest = iter(range(5000))

    def by_dictionary(ranking: Any) -> Any:
        kept["calls"] += 1
        return sum(max(row) for row in ranking.relevance) * (1 if kept["calls"] < 5000 else 0)

    def by_attribute(ranking: Any) -> Any:
        by_attribute.calls = getattr(by_attribute, "calls", 0) + 1  # type: ignore[attr-defined]
        return sum(max(row) for row in ranking.relevance) * (1 if by_attribute.calls < 5000 else 0)  # type: ignore[attr-defined]

    def by_default(ranking: Any, calls: list[int] = []) -> Any:  # noqa: B006 - a state is the point
        calls.append(1)
        return sum(max(row) for row in ranking.relevance) * (1 if len(calls) < 5000 else 0)

    def by_iterator(ranking: Any) -> Any:
        return sum(max(row) for row in ranking.relevance) * (0 if next(rest, None) is None else 1)

    return [by_dictionary, by_attribute, by_default, by_iterator]


@pytest.mark.parametrize("metric", _late_changes())
def test_a_function_that_counts_its_calls_has_no_verdict(metric: Any) -> None:
    """A counter is found wherever it is kept, long before it changes a value."""
    assert check(metric, "Conf").verdict == "unknown"


def test_an_empty_ranking_is_tried_only_if_the_reading_says_so() -> None:
    """Conf: with the empty ranking allowed, one shape more is excluded."""
    allowed = Reading(**{**vars(AS_WRITTEN), "empty_ranking": True})
    few, more = (present(check("RBU", "Conf", reading=how).proof).bound for how in (AS_WRITTEN, allowed))
    assert few != more


@pytest.mark.parametrize("metric", ["trec_eval.ndcg", "trec_eval.11pt_avg", "trec_eval.utility", "ndeval.MAP_IA"])
def test_another_tools_measure_without_an_exact_form_is_refused(metric: str) -> None:
    """A measure whose rules are no formula of the algebra has no verdict, whatever its parameters are."""
    with refuses("metric-not-exact"):
        check(metric, "Pri")


@pytest.mark.parametrize("axiom", ["Pri", "Conf", "Red"])
def test_another_tools_measure_that_is_a_formula_of_ours_has_its_verdict(axiom: str) -> None:
    """ndeval's subtopic recall is ours on binary grades, so the axioms about binary relevance decide alike."""
    assert check("ndeval.strec@5", axiom).verdict == check("StRecall@5", axiom).verdict
