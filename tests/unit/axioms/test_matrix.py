"""The full matrix: every cell is decided, with evidence that an independent implementation confirms."""

import csv
import io
import json
import random
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from diveval.axioms import AXIOMS, Verdict, matrix
from diveval.axioms.presentation.matrix import HEADER, against_the_paper, disagreements
from diveval.axioms.proof import cache
from diveval.axioms.proof.derivation import FACTS
from diveval.axioms.proof.published import ROWS
from diveval.axioms.proof.verdicts import Proof
from support.present import present
from support.refusals import refuses
from support.shared import times
from unit.axioms import attack, plain
from unit.axioms.withstood import Attacks


@pytest.mark.slow
def test_all_400_cells_are_decided(full_matrix: Any) -> None:
    """20 metrics × 10 axioms × 2 readings, and none is unknown."""
    assert len(full_matrix) == 400
    assert [v for v in full_matrix if v.verdict == "unknown"] == []


@pytest.mark.slow
def test_every_counterexample_breaks_the_plain_metric_too(full_matrix: Any) -> None:
    """Both scores of every counterexample are those of the plain implementation, and break the constraint."""
    checked = 0
    for verdict in full_matrix:
        example = verdict.counterexample
        if example is None:
            assert verdict.verdict in ("holds", "not-applicable", "region"), verdict
            continue
        setting = dict(example.setting)
        scores = [
            plain.score(verdict.metric, rows, example.weights, example.pool, example.cutoff, setting)
            for rows in (example.better, example.worse)
        ]
        for exact, decimal, score in zip(example.scores, example.decimals, scores, strict=True):
            assert abs(F(decimal) - score) <= F(1, 10**6), (verdict.metric, verdict.axiom)
            if "log" not in exact:
                assert F(exact) == score, (verdict.metric, verdict.axiom)
        assert scores[0] <= scores[1] if example.strict else scores[0] < scores[1], verdict
        checked += 1
    assert checked > 200


@pytest.mark.slow
def test_every_counterexample_meets_the_premise(full_matrix: Any) -> None:
    """Relevance lies in [0, 1], weights are positive and sum to 1, and the two rankings differ."""
    for verdict in full_matrix:
        example = verdict.counterexample
        if example is not None:
            assert all(0 <= r <= 1 for row in example.better + example.worse for r in row)
            assert sum(example.weights) == 1 and all(w > 0 for w in example.weights)
            assert example.better != example.worse


@pytest.mark.slow
def test_verdicts_survive_random_rankings(full_matrix: Any, attacks: Attacks) -> None:
    """A short attack on every cell, or in the suite on a random half, refutes no verdict.

    The full attack is `python tests/unit/axioms/attack.py --rankings 10000`.
    """
    targets = {target.name: target for target in attack.paper_rows()}
    attacked = 0
    cells = sorted(
        random.sample(range(len(full_matrix)), times(len(full_matrix) // 2, len(full_matrix)))
    )  # sorted: neighbouring cells share pairs
    for verdict in (full_matrix.verdicts[cell] for cell in cells):
        tried = attacks.withstands(targets[verdict.metric], verdict.axiom, verdict.reading, 24, verdict)
        attacked += tried >= 24
    assert attacked > len(cells) / 5


@pytest.mark.slow
def test_the_attack_refutes_false_verdicts(full_matrix: Any) -> None:
    """False verdicts are refuted, so a passing attack means something."""
    targets = {target.name: target for target in attack.paper_rows()}
    for metric, axiom, reading in (
        ("NRBP", "Pri", "as-written"),
        ("RBP-IA", "Red", "charitable"),
        ("RBU@k", "AspRel", "as-written"),
        ("EU", "Sat", "charitable"),
        ("ERR-IA@k", "Conf", "charitable"),
        ("alpha-nDCG@k", "MRed", "charitable"),
        ("RBP", "CloseTh", "charitable"),
        ("nDCG@k", "DeepTh", "charitable"),
        ("S-Recall@k", "AspDiv", "as-written"),
    ):
        claimed = replace(
            full_matrix.cell(metric, axiom, reading), verdict="holds", region=None, counterexample=None, proof=Proof("")
        )
        _, wrong = attack.attack_verdict(targets[metric], axiom, reading, 250, claimed)
        assert wrong is not None, (metric, axiom, reading)


@pytest.mark.slow
def test_a_false_counterexample_is_detected(full_matrix: Any) -> None:
    """Both one whose premise is not met and one that the metric orders correctly."""
    targets = {target.name: target for target in attack.paper_rows()}
    verdict = full_matrix.cell("P@k", "Pri", "charitable")
    example = verdict.counterexample
    other = replace(example, better=example.worse, worse=example.better)
    assert attack.attack_verdict(targets["P@k"], "Pri", "charitable", 1, replace(verdict, counterexample=other))[1]
    ordered = replace(full_matrix.cell("nDCG@k", "Conf", "charitable"), counterexample=example, axiom="Pri")
    assert attack.attack_verdict(targets["nDCG@k"], "Pri", "charitable", 1, ordered)[1]


@pytest.mark.slow
@pytest.mark.parametrize("group", ["catalogue", "compositions", "functions", "subclasses"])
def test_verdicts_outside_the_table_survive(group: str, attacks: Attacks) -> None:
    """No verdict on a few random cells of each kind of metric is refuted."""
    places = [place for place, target in enumerate(attack.all_targets()) if target.group == group]
    source = random.Random(group)
    for _ in range(times(3, 12)):
        job = (source.choice(places), source.choice(attack.AXIOMS), source.choice(attack.READINGS), 24)
        *cell, verdict, tried, wrong = attack.attack_cell(job)
        assert wrong is None, (cell, verdict, wrong)
        attacks.count(verdict, tried)


@pytest.mark.slow
def test_known_discrepancies_of_the_paper_are_found(full_matrix: Any) -> None:
    """The engine finds the known discrepancies of the paper's table on its own."""

    def verdict(metric: Any, axiom: Any, reading: str = "as-written") -> Any:
        return full_matrix.cell(metric, axiom, reading).verdict

    for axiom in ("Pri", "Deep"):  # the AP-IA row against the AP row and the text
        assert {verdict(m, axiom, r) for m in ("AP", "AP-IA") for r in full_matrix.readings} == {"fails"}
    assert (
        full_matrix.cell("P@k", "CloseTh", "as-written").region.formula == "k ≥ 4"
    )  # the paper's text and table disagree
    for metric in ("NRBP", "alpha-nDCG@k", "EU", "CT@k"):
        assert verdict(metric, "Pri") == verdict(metric, "AspDiv") == "fails"
        assert full_matrix.cell(metric, "Pri", "as-written").uncut == ""
        assert verdict(metric, "Pri", "charitable") == verdict(metric, "AspDiv", "charitable") == "holds"
    assert verdict("RBU@k", "AspRel") == verdict("RBU@k", "Red") == "fails"
    assert (
        full_matrix.cell("RBU@k", "Red", "as-written").uncut
        == full_matrix.cell("RBU@k", "AspRel", "as-written").uncut
        == ""
    )
    assert full_matrix.cell("EU", "Sat", "charitable").region.formula == "α + e ≥ 1"
    assert "α < 0.256373" in full_matrix.cell("alpha-nDCG@k", "CloseTh", "charitable").region.numbers[-1]
    assert full_matrix.cell("RBP", "CloseTh", "charitable").region.formula == "p² + p³ > 1"
    for metric, k in (("P@k", 4), ("P-IA@k", 4), ("nDCG@k", 6), ("nDCG-IA@k", 6), ("D#-Measure@k", 6)):
        assert full_matrix.cell(metric, "CloseTh", "charitable").region.formula == f"k ≥ {k}"
    assert {verdict("RBU@k", axiom, "charitable") for axiom in AXIOMS} == {"holds", "region"}


@pytest.mark.slow
def test_metrics_without_aspects_do_not_apply(full_matrix: Any) -> None:
    """The charitable reading reports `not-applicable` where the paper prints `fails`, and the two agree."""
    for metric in ROWS[:6]:
        for axiom in ("AspDiv", "Red", "MRed", "Sat", "AspRel"):
            cell = full_matrix.cell(metric, axiom, "charitable")
            assert cell.verdict == "not-applicable" and cell.agrees == "yes"


@pytest.mark.slow
def test_holds_has_a_bound_or_a_witness(full_matrix: Any) -> None:
    """Every `holds` has a bound or witness; universal constraints also have checked steps for every length."""
    assert not [v for v in full_matrix if v.verdict == "bounded"]
    for verdict in full_matrix:
        if verdict.verdict == "holds":
            assert verdict.proof.bound or verdict.proof.witness
            assert (verdict.proof.every_length and verdict.proof.steps) or verdict.axiom in ("DeepTh", "CloseTh")
            assert verdict.counterexample is None


@pytest.mark.slow
def test_every_step_rests_on_earlier_ones(full_matrix: Any) -> None:
    """A step cites earlier steps only, and facts outside the solver's reach are those the documentation lists."""
    facts = set()
    for verdict in full_matrix:
        names: list[str] = []
        for step in verdict.proof.steps if verdict.proof is not None else ():
            assert set(step.rests_on) <= set(names), (verdict.metric, verdict.axiom, step)
            assert step.by in ("solver", "induction", "exact", "analysis") and step.name
            assert bool(step.invariant) == (step.by == "induction")
            names.append(step.name)
            facts |= {step.claim} if step.by == "analysis" else set()
    assert facts == set(FACTS.values()) and len(FACTS) == 1
    page = (Path(__file__).parents[3] / "docs" / "axioms.md").read_text(encoding="utf-8")
    words = " ".join(page.split())  # the page may wrap lines anywhere
    assert all(fact in words for fact in FACTS.values())


@pytest.mark.slow
def test_csv_has_the_documented_header_and_words(full_matrix: Any) -> None:
    """`metric,axiom,reading,verdict,paper,agrees,region,evidence`, 400 rows, documented words only."""
    rows = list(csv.DictReader(io.StringIO(full_matrix.to_csv())))
    assert (
        tuple(rows[0]) == HEADER == ("metric", "axiom", "reading", "verdict", "paper", "agrees", "region", "evidence")
    )
    assert len(rows) == 400
    assert list(dict.fromkeys(row["metric"] for row in rows)) == list(ROWS)
    assert {row["verdict"] for row in rows} <= {
        "holds",
        "bounded",
        "fails",
        "region",
        "vacuous",
        "not-applicable",
        "unknown",
    }
    assert {row["paper"] for row in rows} == {"holds", "fails"}
    assert all(row["evidence"] for row in rows)
    assert all(bool(row["region"]) == (row["verdict"] == "region") for row in rows)


@pytest.mark.slow
def test_every_format_prints_every_metric(full_matrix: Any) -> None:
    """Table, JSON, Markdown and LaTeX have all rows; JSON reads back as the same verdicts."""
    for text in (full_matrix.to_text(), full_matrix.to_markdown()):
        assert all(metric in text for metric in ROWS)
    assert r"S-RR@100\%" in full_matrix.to_latex()
    read = [Verdict.from_dict(item) for item in json.loads(full_matrix.to_json())["rows"]]
    assert read == list(full_matrix)
    assert "<table>" in full_matrix._repr_html_() and "RBU@k" in str(full_matrix)


@pytest.mark.slow
def test_disagreements_are_listed_with_evidence(full_matrix: Any) -> None:
    """Each cell that contradicts the paper is listed with the paper's verdict and the evidence."""
    text = against_the_paper(full_matrix)
    contradicting = disagreements(full_matrix)
    assert len(contradicting) > 50
    for verdict in contradicting:
        listed = [line for line in text.splitlines() if f"{verdict.metric} {verdict.axiom}" in line]
        assert any(verdict.paper in line for line in listed) and verdict.evidence in text


@pytest.mark.slow
def test_the_papers_table_has_89_ticks(full_matrix: Any) -> None:
    """Table 1 as data has as many `holds` as the paper prints."""
    ticks = sum(v.paper == "holds" for v in full_matrix if v.reading == "charitable")
    assert ticks == 89


@pytest.mark.slow
def test_a_cached_matrix_is_the_same(full_matrix: Any) -> None:
    """Cached cells report progress and equal the original ones."""
    fresh = []
    again = matrix(["RBU@k", "EU"], progress=lambda what, done, total: fresh.append(what))
    assert len(fresh) == len(again) == 40
    assert set(again) == {v for v in full_matrix if v.metric in ("RBU@k", "EU")}
    assert again.metrics == ["RBU@k", "EU"]


@pytest.mark.slow
def test_a_damaged_cache_entry_is_decided_again(full_matrix: Any, private_cache: Any) -> None:
    """A cache file that was altered is ignored and replaced."""
    from diveval.axioms import AS_WRITTEN, Bounds
    from diveval.axioms.proof.subjects import as_symbolic

    name = cache.key(as_symbolic("RBU@k"), AXIOMS["Conf"], AS_WRITTEN, Bounds())
    path = cache.folder() / f"{name}.json"
    good = path.read_text(encoding="utf-8")
    for damage in (good.replace('"fails"', '"holds"'), good[: len(good) // 2], "", "[]", '{"key": 1}'):
        path.write_text(damage, encoding="utf-8")
        assert cache.load(present(name)) is None
    again = matrix(["RBU@k"], axioms=["Conf"], readings=["as-written"])
    assert again.verdicts[0].verdict == "fails"
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(good)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"metrics": []}, "missing-argument"),
        ({"jobs": 0}, "out-of-range"),
        ({"axioms": ["Prio"]}, "unknown-axiom"),
        ({"readings": ["kind"]}, "invalid-choice"),
    ],
)
def test_invalid_arguments_raise_a_one_line_error(arguments: Any, code: str) -> None:
    """An empty, unknown or out-of-range argument is refused by its code, in one line."""
    with refuses(code):
        matrix(**{"metrics": ["RBU"], **arguments})
