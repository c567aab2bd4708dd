"""The whole table: every cell decided, with evidence that an independent implementation confirms."""

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
from diveval.axioms.presentation.matrix import FORMATS, HEADER, against_the_paper, disagreements
from diveval.axioms.proof import scheduler
from diveval.axioms.proof.ledger import FACTS
from diveval.axioms.proof.published import ROWS
from diveval.axioms.proof.verdicts import Proof
from support.present import present
from support.shared import times
from support.wording import says
from unit.axioms import attack, plain


@pytest.mark.slow
def test_all_400_cells_are_decided(whole: Any) -> None:
    """20 metrics × 10 axioms × 2 readings, no more than 5 unknown."""
    found, _ = whole
    assert len(found) == 400
    assert [v for v in found if v.verdict == "unknown"] == []


@pytest.mark.slow
def test_every_counterexample_breaks_the_plain_metric_too(whole: Any) -> None:
    """Both scores of every counterexample are those of the plain implementation, and break the constraint."""
    found, _ = whole
    checked = 0
    for verdict in found:
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
def test_every_counterexample_meets_the_premise(whole: Any) -> None:
    """Relevance lies in [0, 1], weights are positive and sum to 1, and the two rankings differ."""
    found, _ = whole
    for verdict in found:
        example = verdict.counterexample
        if example is not None:
            assert all(0 <= r <= 1 for row in example.better + example.worse for r in row)
            assert sum(example.weights) == 1 and all(w > 0 for w in example.weights)
            assert example.better != example.worse


@pytest.mark.slow
def test_verdicts_survive_random_rankings(whole: Any) -> None:
    """A bounded attack on every cell, in the suite on half of them, others each time.

    The whole one is `python tests/unit/axioms/attack.py --rankings 10000`.
    """
    found, _ = whole
    targets = {target.name: target for target in attack.rows_of_the_paper()}
    attacked = 0
    cells = sorted(random.sample(range(len(found)), times(len(found) // 2, len(found))))  # in order: pairs are shared
    for verdict in (found.verdicts[cell] for cell in cells):
        tried, wrong = attack.examined(targets[verdict.metric], verdict.axiom, verdict.reading, 24, verdict)
        assert wrong is None, (verdict.metric, verdict.axiom, verdict.reading, wrong)
        attacked += tried >= 24
    assert attacked > len(cells) / 5


@pytest.mark.slow
def test_the_attack_can_win(whole: Any) -> None:
    """Claims that are false are broken: the attack is not blind."""
    found, _ = whole
    targets = {target.name: target for target in attack.rows_of_the_paper()}
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
            found.cell(metric, axiom, reading), verdict="holds", region=None, counterexample=None, proof=Proof("")
        )
        _, wrong = attack.examined(targets[metric], axiom, reading, 250, claimed)
        assert wrong is not None, (metric, axiom, reading)


@pytest.mark.slow
def test_a_false_counterexample_is_noticed(whole: Any) -> None:
    """One whose premise is not met, and one that the metric orders as it should."""
    found, _ = whole
    targets = {target.name: target for target in attack.rows_of_the_paper()}
    verdict = found.cell("P@k", "Pri", "charitable")
    example = verdict.counterexample
    other = replace(example, better=example.worse, worse=example.better)
    assert attack.examined(targets["P@k"], "Pri", "charitable", 1, replace(verdict, counterexample=other))[1]
    ordered = replace(found.cell("nDCG@k", "Conf", "charitable"), counterexample=example, axiom="Pri")
    assert attack.examined(targets["nDCG@k"], "Pri", "charitable", 1, ordered)[1]


@pytest.mark.slow
@pytest.mark.parametrize("group", ["catalogue", "compositions", "functions", "subclasses"])
def test_verdicts_beyond_the_table_survive(group: str) -> None:
    """A few cells of each kind of metric, decided and attacked."""
    places = [place for place, target in enumerate(attack.everything()) if target.group == group]
    source = random.Random(group)
    for _ in range(times(3, 12)):
        job = (source.choice(places), source.choice(attack.AXIOMS), source.choice(attack.READINGS), 24)
        *cell, _, wrong = attack.claim(job)
        assert wrong is None, (cell, wrong)


@pytest.mark.slow
def test_known_soft_spots_are_found(whole: Any) -> None:
    """What is known to be soft in the paper's table comes out of the engine, which was told nothing."""
    found, _ = whole

    def verdict(metric: Any, axiom: Any, reading: str = "as-written") -> Any:
        return found.cell(metric, axiom, reading).verdict

    for axiom in ("Pri", "Deep"):  # the AP-IA row against the AP row and the text
        assert {verdict(m, axiom, r) for m in ("AP", "AP-IA") for r in found.readings} == {"fails"}
    assert found.cell("P@k", "CloseTh", "as-written").region.formula == "k ≥ 4"  # the text says no, the table yes
    for metric in ("NRBP", "alpha-nDCG@k", "EU", "CT@k"):
        assert verdict(metric, "Pri") == verdict(metric, "AspDiv") == "fails"
        assert found.cell(metric, "Pri", "as-written").uncut == ""
        assert verdict(metric, "Pri", "charitable") == verdict(metric, "AspDiv", "charitable") == "holds"
    assert verdict("RBU@k", "AspRel") == verdict("RBU@k", "Red") == "fails"
    assert found.cell("RBU@k", "Red", "as-written").uncut == found.cell("RBU@k", "AspRel", "as-written").uncut == ""
    assert found.cell("EU", "Sat", "charitable").region.formula == "α + e ≥ 1"
    assert "α < 0.256373" in found.cell("alpha-nDCG@k", "CloseTh", "charitable").region.numbers[-1]
    assert found.cell("RBP", "CloseTh", "charitable").region.formula == "p² + p³ > 1"
    for metric, k in (("P@k", 4), ("P-IA@k", 4), ("nDCG@k", 6), ("nDCG-IA@k", 6), ("D#-Measure@k", 6)):
        assert found.cell(metric, "CloseTh", "charitable").region.formula == f"k ≥ {k}"
    assert {verdict("RBU@k", axiom, "charitable") for axiom in AXIOMS} == {"holds", "region"}


@pytest.mark.slow
def test_metrics_without_aspects_do_not_apply(whole: Any) -> None:
    """The paper prints `fails` for them; the charitable reading keeps the difference."""
    found, _ = whole
    for metric in ROWS[:6]:
        for axiom in ("AspDiv", "Red", "MRed", "Sat", "AspRel"):
            cell = found.cell(metric, axiom, "charitable")
            assert cell.verdict == "not-applicable" and cell.agrees == "yes"


@pytest.mark.slow
def test_holds_says_how_far(whole: Any) -> None:
    """Every `holds` names its bound or witness; every universal one comes with checked steps for every length."""
    found, _ = whole
    assert not [v for v in found if v.verdict == "bounded"]
    for verdict in found:
        if verdict.verdict == "holds":
            assert verdict.proof.bound or verdict.proof.witness
            assert (verdict.proof.every_length and verdict.proof.steps) or verdict.axiom in ("DeepTh", "CloseTh")
            assert verdict.counterexample is None


@pytest.mark.slow
def test_every_step_rests_on_earlier_ones(whole: Any) -> None:
    """A step cites steps before it, and what no solver can be asked is one of the facts the documentation lists."""
    found, _ = whole
    facts = set()
    for verdict in found:
        names: list[str] = []
        for step in verdict.proof.steps if verdict.proof is not None else ():
            assert set(step.rests_on) <= set(names), (verdict.metric, verdict.axiom, step)
            assert step.by in ("solver", "induction", "exact", "analysis") and step.name
            assert bool(step.invariant) == (step.by == "induction")
            names.append(step.name)
            facts |= {step.claim} if step.by == "analysis" else set()
    assert facts == set(FACTS.values()) and len(FACTS) == 1
    page = (Path(__file__).parents[3] / "docs" / "axioms.md").read_text(encoding="utf-8")
    words = " ".join(page.split())  # lines of the page may break anywhere
    assert all(says(fact, words) for fact in FACTS.values())


@pytest.mark.slow
def test_csv_has_the_agreed_header_and_words(whole: Any) -> None:
    """`metric,axiom,reading,verdict,paper,agrees,region,evidence`, 400 rows, words from the agreed lists."""
    found, _ = whole
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](found))))
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
def test_every_format_prints_every_metric(whole: Any) -> None:
    """Table, JSON, Markdown and LaTeX have all rows; JSON reads back as the same verdicts."""
    found, _ = whole
    for name in ("table", "md"):
        text = FORMATS[name](found)
        assert all(metric in text for metric in ROWS)
    assert r"S-RR@100\%" in FORMATS["latex"](found)
    read = [Verdict.from_dict(item) for item in json.loads(FORMATS["json"](found))]
    assert read == list(found)
    assert "<table>" in found._repr_html_() and "RBU@k" in str(found)


@pytest.mark.slow
def test_disagreements_are_told_with_evidence(whole: Any) -> None:
    """Each cell that contradicts the paper appears with its evidence."""
    found, _ = whole
    text = against_the_paper(found)
    odd = disagreements(found)
    assert len(odd) > 50
    for verdict in odd:
        assert f"{verdict.metric} {verdict.axiom}: paper {verdict.paper}" in text and verdict.evidence in text


@pytest.mark.slow
def test_the_paper_has_a_word_on_each_cell(whole: Any) -> None:
    """Table 1 as data: 20 rows of 10, 89 ticks."""
    found, _ = whole
    ticks = sum(v.paper == "holds" for v in found if v.reading == "charitable")
    assert ticks == 89


@pytest.mark.slow
def test_a_cached_matrix_is_the_same(whole: Any) -> None:
    """The second time nothing is decided again, and nothing differs."""
    found, _ = whole
    fresh = []
    again = matrix(["RBU@k", "EU"], progress=lambda done, total, verdict: fresh.append(verdict))
    assert len(fresh) == len(again) == 40
    assert set(again) == {v for v in found if v.metric in ("RBU@k", "EU")}
    assert again.metrics == ["RBU@k", "EU"]


@pytest.mark.slow
def test_a_damaged_cache_entry_is_decided_again(whole: Any, private_cache: Any) -> None:
    """A file that is not what was written is not believed."""
    from diveval.axioms import AS_WRITTEN, Bounds
    from diveval.axioms.proof.subjects import subject

    name = scheduler.key(subject("RBU@k"), AXIOMS["Conf"], AS_WRITTEN, Bounds())
    path = scheduler.folder() / f"{name}.json"
    good = path.read_text(encoding="utf-8")
    for damage in (good.replace('"fails"', '"holds"'), good[: len(good) // 2], "", "[]", '{"key": 1}'):
        path.write_text(damage, encoding="utf-8")
        assert scheduler.load(present(name)) is None
    again = matrix(["RBU@k"], axioms=["Conf"], readings=["as-written"])
    assert again.verdicts[0].verdict == "fails"
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(good)


@pytest.mark.parametrize("what", [{"metrics": []}, {"jobs": 0}, {"axioms": ["Prio"]}, {"readings": ["kind"]}])
def test_wrong_questions_get_one_clear_line(what: Any) -> None:
    """A question that cannot be asked is an error that names the remedy."""
    from diveval.errors import UsageError

    with pytest.raises(UsageError) as error:
        matrix(**{"metrics": ["RBU"], **what})
    assert "\n" not in str(error.value)
