"""Single cells: settings, both sides of a region's border, users' metrics, readings and advice."""

import re
from dataclasses import replace
from fractions import Fraction as F
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from diveval.axioms import AS_WRITTEN, AXIOMS, CHARITABLE, Bounds, Reading, Verdict, advise, check, regions
from diveval.axioms.presentation.advice import sees_grades, sees_weights
from diveval.axioms.proof.isolation import decide_in_subprocess
from diveval.axioms.proof.scheduler import Cell, answer
from diveval.axioms.proof.subjects import SymbolicMetric, as_symbolic
from diveval.metrics import parse
from diveval.metrics.algebra import Always, Aspects, Cascade, Log, Reciprocal
from diveval.metrics.formulas import Sum
from support.present import present
from support.refusals import has_facts, refuses
from unit.axioms import plain

pytestmark = pytest.mark.slow(seconds=0.2)  # together: `make check` leaves the file out

# --- settings and regions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "axiom", "reading", "expected"),
    [
        ("RBP(p=0.7548)", "CloseTh", "charitable", "fails"),
        ("RBP(p=0.7549)", "CloseTh", "charitable", "holds"),
        ("RBU(p=0.7548,e=0.05)", "CloseTh", "charitable", "fails"),
        ("RBU(p=0.7549,e=0.05)", "CloseTh", "charitable", "holds"),
        ("NRBP(p=0.8,alpha=0.2968)", "CloseTh", "charitable", "holds"),
        ("NRBP(p=0.8,alpha=0.296875)", "CloseTh", "charitable", "fails"),
        ("alpha_nDCG(alpha=0.2563)", "CloseTh", "charitable", "holds"),
        ("alpha_nDCG(alpha=0.2564)", "CloseTh", "charitable", "fails"),
        ("EU(alpha=0.1824,e=0.05)", "CloseTh", "charitable", "holds"),
        ("EU(alpha=0.1825,e=0.05)", "CloseTh", "charitable", "fails"),
        ("EU(alpha=0.5,e=0.5)", "Sat", "as-written", "holds"),
        ("EU(alpha=0.5,e=0.4999)", "Sat", "as-written", "fails"),
        ("P@3", "CloseTh", "as-written", "fails"),
        ("P@4", "CloseTh", "as-written", "holds"),
        ("nDCG@5", "CloseTh", "as-written", "fails"),
        ("nDCG@6", "CloseTh", "as-written", "holds"),
        ("RBU(p=0.8,e=0.05)", "CloseTh", "as-written", "fails"),
        ("RBU(p=1,e=0.05)", "Pri", "charitable", "fails"),
        ("RBU(p=0.8,e=0)", "Conf", "charitable", "fails"),
        ("NRBP(p=0.8,alpha=0)", "Red", "charitable", "fails"),
    ],
)
def test_both_sides_of_every_border(metric: str, axiom: str, reading: str, expected: str) -> None:
    """A setting just inside the region holds, and one just outside fails."""
    assert check(metric, axiom, reading=reading).verdict == expected


def test_a_given_rc_decides_closeness() -> None:
    """RBU(p=0.8) with r_c = 1/2 fails CloseTh; with r_c = 1/4, padded, it holds; the border is 19/64."""
    padded = replace(AS_WRITTEN, name="padded", padded=True)
    for r_c, expected in ((F(1, 2), "fails"), (F(19, 64), "fails"), (F(18, 64), "holds")):
        assert check("RBU(p=0.8,e=0.05)", "CloseTh", reading=replace(padded, r_c=r_c)).verdict == expected
    free = check("RBU(p=0.8,e=0.05)", "CloseTh", reading=padded)
    assert free.verdict == "region" and present(free.region).formula == "19 − 64·r_c > 0"
    assert present(check("RBU", "CloseTh", reading=padded).region).formula == "p² + p³ − p³·r_c > 1"


@pytest.mark.slow
def test_the_written_region_of_rbu_is_exact() -> None:
    """The plain metric confirms the interval of r_c that is printed for RBU as written."""
    verdict = check("RBU", "CloseTh", reading="as-written")
    numbers = present(verdict.region).numbers[-1]
    low, high = present(re.search(r"(0\.\d+) < r_c < (0\.\d+) .* at p = 9/10, e = 1/100", numbers)).groups()
    assert abs(F(low) - F("0.040884")) < F(1, 10**6) and abs(F(high) - F("0.690947")) < F(1, 10**6)
    for r, good in ((F(408, 10**4), False), (F(409, 10**4), True), (F(6909, 10**4), True), (F(6910, 10**4), False)):
        witnesses = [
            plain.rbu([[F(0)]] * m + [[r]] * m, [F(1)], [], 99, F(9, 10), F(1, 100))
            > plain.rbu([[r]], [F(1)], [], 99, F(9, 10), F(1, 100))
            for m in range(1, 40)
        ]
        assert any(witnesses) == good


def test_ends_of_ranges_are_reported() -> None:
    """Inside its ranges RBU satisfies Conf and Pri; at e = 0 it fails Conf and at p = 1 Pri."""
    found = {region.verdict.axiom: region for region in regions("RBU", axioms=["Conf", "Pri"])}
    assert found["Conf"].verdict.verdict == found["Pri"].verdict.verdict == "holds"
    assert {end: v.verdict for end, v in found["Conf"].ends} == {"p = 1": "holds", "e = 0": "fails"}
    assert {end: v.verdict for end, v in found["Pri"].ends} == {"p = 1": "fails", "e = 0": "holds"}
    assert re.search(r"e = 0\W+fails", str(found["Conf"]))


# --- users' metrics ---------------------------------------------------------------------------------------------------


def patient(ranking: Any) -> Any:
    """RBP as a user would write it, with floats."""
    return sum(0.9**i * row.max() for i, row in enumerate(ranking.relevance))


def greedy(ranking: Any) -> Any:
    """Counts documents above a threshold, with an `if`."""
    total = 0.0
    for i, row in enumerate(ranking.relevance):
        if row[0] > 0.3:
            total = total + 1 / (i + 1)
    return total


def test_a_users_function_is_proved_or_broken() -> None:
    """A function is run on symbols, and its branches and floats are followed exactly."""
    assert check(patient, "Pri").verdict == "bounded"
    assert check(patient, "Conf").verdict == "fails"
    broken = check(greedy, "Pri")
    assert broken.verdict == "fails"
    example = present(broken.counterexample)
    assert example.breaks(greedy) and not example.breaks(patient)
    assert check(greedy, "CloseTh").verdict == "unknown"  # no m up to 6 is a witness, and larger ones are not tried


def test_sorting_is_followed() -> None:
    """`sorted` branches on symbols, and every branch is decided."""

    def best_two(ranking: Any) -> Any:
        column = sorted([row[0] for row in ranking.relevance], reverse=True)
        return sum(column[:2]) - 0.1 * len(column)

    assert check(best_two, "Conf").verdict == "bounded"
    assert check(best_two, "Pri").verdict == "fails"


def test_a_logarithm_of_relevance_is_unknown() -> None:
    """What exact arithmetic cannot follow is `unknown`, with a reason; floats decide nothing."""
    import math

    def logged(ranking: Any) -> Any:
        return sum(math.log(1 + row[0]) for row in ranking.relevance)

    verdict = check(logged, "Pri")
    assert verdict.verdict == "unknown" and "float" in verdict.note


def test_numpy_inside_a_metric_is_followed() -> None:
    """Arrays, numpy's doubles and np.where work on symbols as on doubles."""
    import numpy as np

    def logarithmic(ranking: Any) -> Any:
        return (ranking.relevance[:, 0] / np.log2(np.arange(2, len(ranking) + 2))).sum()

    def thresholded(ranking: Any) -> Any:
        return np.where(ranking.relevance[:, 0] > 0.25, 1, 0).sum() * np.float64(0.5)

    assert check(logarithmic, "Pri").verdict == "bounded"
    assert check(thresholded, "Pri").verdict == "fails"


def test_a_metric_that_crashes_is_named() -> None:
    """An exception in a user's function becomes an error that names the function and the exception."""
    for function, error in (
        (lambda ranking: ranking.relevance[99][0], "IndexError"),
        (lambda ranking: None, "TypeError"),
        (lambda ranking: 1 / 0, "ZeroDivisionError"),
    ):
        with refuses("metric-failed", error):
            check(function, "Pri")


def test_negative_effort_is_not_a_cost() -> None:
    """Lemmas about effort apply only to positive effort: a bonus per document changes the verdict."""
    bonus = Sum(Aspects(), Reciprocal(), Always(), F(-1, 10))
    assert check(replace(bonus, effort=F(1, 10)), "CloseTh", reading="as-written").verdict == "fails"
    assert check(bonus, "CloseTh", reading="as-written").verdict in ("unknown", "region")


def test_a_function_in_a_file_is_checked(tmp_path: Path) -> None:
    """`file.py:name` is checked, and checked again when the file changes."""
    from diveval.axioms import matrix

    path = tmp_path / "mine.py"
    path.write_text("def score(ranking):\n    return sum(row[0] for row in ranking.relevance)\n", encoding="utf-8")
    decide = partial(matrix, [f"{path}:score"], axioms=["Pri"], readings=["as-written"])
    first = decide().verdicts[0]
    assert first.verdict == "fails" and present(first.counterexample).relation == "="
    path.write_text(
        "def score(ranking):\n    return sum(row[0] / (i + 1) for i, row in enumerate(ranking.relevance))\n",
        encoding="utf-8",
    )
    assert decide().verdicts[0].verdict == "bounded"


def test_a_composition_of_the_algebra_is_a_metric() -> None:
    """Any Sum is decided, even if it is not in the catalogue."""
    composition = Sum(Aspects(), Log(), Cascade(), F(1, 10))
    assert check(composition, "Conf").verdict == "holds"
    assert check(composition, "MRed").verdict == "holds"
    assert check(Sum(Aspects(), Reciprocal(), Always()), "Red").verdict == "fails"


# --- readings, bounds, text -------------------------------------------------------------------------------------------


def test_an_empty_prefix_makes_mred_contradict_itself() -> None:
    """With an empty prefix MRed requires Q(d') > Q(d) and, by symmetry, Q(d) > Q(d'), so even RBU fails."""
    empty = replace(CHARITABLE, name="empty prefix", empty_prefix=True)
    verdict = check("RBU", "MRed", reading=empty)
    assert verdict.verdict == "fails" and verdict.reading == "empty prefix"
    assert len(present(verdict.counterexample).better) == 1


@pytest.mark.slow
def test_each_choice_of_the_charitable_reading_matters() -> None:
    """Changing a single choice of a reading changes the verdict."""
    assert check("NRBP", "Pri", reading=replace(AS_WRITTEN, name="near", swap="contiguous")).verdict == "holds"
    assert check("NRBP", "AspDiv", reading=replace(AS_WRITTEN, name="last", documents_behind=False)).verdict == "holds"
    assert check("RBU", "Red", reading=replace(AS_WRITTEN, name="below one", full_relevance=False)).verdict == "holds"
    assert check("RBU", "AspRel", reading=replace(AS_WRITTEN, name="once", elsewhere=False)).verdict == "holds"
    assert check("RBU@k", "Pri", reading=replace(AS_WRITTEN, name="uncut", cutoff_binds=False)).verdict == "holds"
    assert check("AP-IA", "AspRel", reading=replace(CHARITABLE, name="own ideals", same_ideal=False)).verdict == "fails"


def test_larger_bounds_give_the_same_verdict() -> None:
    """A bound of six documents is stated in the proof."""
    verdict = check("RBU", "Pri", bounds=Bounds(longest=6))
    assert verdict.verdict == "holds" and has_facts(present(verdict.proof).bound, "6")


def test_a_proof_cut_short_by_time_is_not_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict that is bounded only for lack of time is decided again when asked again."""
    monkeypatch.setenv("DIVEVAL_CACHE", str(tmp_path))
    cell = Cell.of("ERR_IA", "Pri")
    with monkeypatch.context() as slow:
        slow.setattr("diveval.axioms.proof.decide.every_length", lambda *a: setattr(a[-1], "late", True))
        hurried = answer(cell)
    assert hurried.verdict == "bounded" and hurried.hurried and "--time-limit" in hurried.note
    assert answer(cell).verdict == "holds"


def test_hurried_is_kept_across_processes() -> None:
    """A function's verdict comes from another process and keeps the mark that time ran out."""
    late = Verdict("mine", "Pri", "charitable", "bounded", hurried=True)
    found = decide_in_subprocess(
        lambda *cell: late, as_symbolic(lambda ranking: 0), AXIOMS["Pri"], CHARITABLE, Bounds(), 60.0
    )
    assert found == late and present(found).hurried


def test_no_time_is_unknown() -> None:
    """Without time the verdict is `unknown`, and the note says why."""
    for metric, axiom in (("RBU", "Pri"), ("RBU", "CloseTh"), ("EU", "CloseTh"), ("P@k", "DeepTh"), ("EU", "Sat")):
        assert check(metric, axiom, time_limit=1e-9).verdict == "unknown", (metric, axiom)
    assert check("RBU", "Pri", time_limit=1e-9).note


def test_verdicts_survive_json() -> None:
    """as_dict and from_dict are inverse, for each kind of verdict."""
    for metric, axiom in (("RBU", "AspRel"), ("EU", "Sat"), ("RBU", "Pri"), ("RBP", "CloseTh")):
        verdict = check(metric, axiom)
        assert Verdict.from_dict(verdict.as_dict()) == verdict
        assert verdict.metric in verdict.to_json()


def test_the_text_of_a_verdict_is_complete() -> None:
    """A failure shows both scores and the reason; a proof shows every step and invariant."""
    failed = check("RBU", "AspRel", reading="as-written")
    text = str(failed)
    assert all(score in text for score in present(failed.counterexample).scores) and failed.why in text
    proved = check("RBU", "Pri", reading="as-written")
    text = str(proved)
    steps = present(proved.proof).steps
    assert all(step.claim in text for step in steps)
    invariants = [formula for step in steps for formula in step.invariant]
    assert invariants and all(formula in text for formula in invariants)
    assert "<pre>" in check("RBU", "Conf")._repr_html_()


@pytest.mark.parametrize(
    ("call", "refusal"),
    [
        (lambda: check("RBX", "Pri"), ("unknown-metric", "RBX")),
        (lambda: check("RBU", "Priority"), ("unknown-axiom",)),
        (lambda: check("RBU", "Pri", reading="mild"), ("invalid-choice",)),
        (lambda: check("RBU", "Pri", time_limit=0), ("out-of-range",)),
        (lambda: Bounds(longest=1), ("out-of-range", "2")),
        (lambda: Reading(r_c=F(3, 2)), ("out-of-range", "0", "1")),
        (lambda: advise([]), ("missing-argument",)),
    ],
)
def test_errors_are_one_line(call: Any, refusal: tuple[str, ...]) -> None:
    """An invalid argument raises a one-line UsageError that says what is expected."""
    with refuses(*refusal):
        call()


# --- advice -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_advice_finds_rbu(private_cache: Any) -> None:
    """Only RBU satisfies Conf, MRed and Sat; ERR-IA and EU are one short."""
    found = advise(["Conf", "MRed", "Sat"], jobs=1, metrics=["RBU@k", "EU", "ERR-IA@k", "P-IA@k"])
    assert [a.metric for a in found if a.suitable] == ["RBU@k"]
    assert {a.metric: a.missing for a in found}["EU"] == ["MRed"]
    assert {a.metric: a.missing for a in found}["ERR-IA@k"] == ["Conf"]


def test_which_metrics_use_grades_and_weights() -> None:
    """Whether grades and weights matter is determined from the metrics themselves."""
    assert [name for name in plain.METRICS if not sees_grades(as_symbolic(name))] == [
        "P@k",
        "RR",
        "AP",
        "P-IA@k",
        "RR-IA@k",
        "AP-IA",
        "S-Recall@k",
        "S-RR@100%",
    ]
    blind = {"S-Recall@k", "S-RR@100%", "NRBP", "alpha-nDCG@k", "P@k", "RR", "AP", "nDCG@k", "ERR@k", "RBP"}
    assert {name for name in plain.METRICS if not sees_weights(as_symbolic(name))} == blind


def test_unnamed_parameters_stay_free() -> None:
    """`RBU(p=0.8)` leaves e free; a parsed metric has no free parameters."""
    assert as_symbolic("RBU").box == "0 < p < 1, e > 0"
    assert as_symbolic("RBU(p=0.8)@20").box == "e > 0"
    assert as_symbolic(parse("RBU")).box == ""
    assert isinstance(as_symbolic("RBU@k"), SymbolicMetric) and as_symbolic("RBU@k").cutoff == "k"


@pytest.mark.parametrize(
    "metric", ["alpha_nDCG(alpha=1)@k", "EU(alpha=1)", "NRBP(alpha=1)", "CT(alpha=1)@k", "alpha_DCG(alpha=1)"]
)
def test_the_thresholds_at_alpha_one(metric: str) -> None:
    """At α = 1 further relevant documents add nothing, so one at the top beats any number further down."""
    assert [check(metric, axiom).verdict for axiom in ("DeepTh", "CloseTh")] == ["holds", "fails"]
