"""The whole table: every cell decided, with evidence that an independent implementation confirms."""

import csv
import io
import json
from fractions import Fraction as F

import attack
import plain
import pytest

from diveval.axioms import AXIOMS, Verdict, cache, matrix
from diveval.axioms.layout import FORMATS, HEADER, against_the_paper, disagreements
from diveval.axioms.paper import ROWS


def test_all_400_cells_are_decided(whole):
    """20 metrics × 10 axioms × 2 readings, no more than 5 unknown."""
    found, _ = whole
    assert len(found) == 400
    assert [v for v in found if v.verdict == "unknown"] == []


def test_every_counterexample_breaks_the_plain_metric_too(whole):
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


def test_every_counterexample_meets_the_premise(whole):
    """Relevance lies in [0, 1], weights are positive and sum to 1, and the two rankings differ."""
    found, _ = whole
    for verdict in found:
        example = verdict.counterexample
        if example is not None:
            assert all(0 <= r <= 1 for row in example.better + example.worse for r in row)
            assert sum(example.weights) == 1 and all(w > 0 for w in example.weights)
            assert example.better != example.worse


def test_holds_survives_random_rankings(whole):
    """A bounded attack on every `holds`; the whole one is `python tests/unit/axioms/attack.py --rankings 10000`."""
    found, _ = whole
    jobs = attack.claims(found)
    assert len(jobs) > 100
    for job in jobs:
        *_, tried, broken = attack.claim((*job, 24))
        assert broken is None, (job, broken)
        assert tried >= 24


def test_the_attack_can_win():
    """Claims that are false are broken: the attack is not blind."""
    for metric, axiom, reading in (
        ("NRBP", "Pri", "as-written"), ("RBP-IA", "Red", "charitable"), ("RBU@k", "AspRel", "as-written"),
        ("EU", "Sat", "charitable"), ("ERR-IA@k", "Conf", "charitable"), ("alpha-nDCG@k", "MRed", "charitable"),
        ("RBP", "CloseTh", "charitable"), ("nDCG@k", "DeepTh", "charitable"), ("S-Recall@k", "AspDiv", "as-written"),
    ):  # fmt: skip
        *_, broken = attack.claim((metric, axiom, reading, 2000))
        assert broken is not None, (metric, axiom, reading)


def test_known_soft_spots_are_found(whole):
    """What is known to be soft in the paper's table comes out of the engine, which was told nothing."""
    found, _ = whole

    def verdict(metric, axiom, reading="as-written"):
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
    assert found.cell("alpha-nDCG@k", "CloseTh", "charitable").region.numbers == ("α < 0.256373",)
    assert found.cell("RBP", "CloseTh", "charitable").region.formula == "p² + p³ > 1"
    assert {verdict("RBU@k", axiom, "charitable") for axiom in AXIOMS} == {"holds", "region"}


def test_metrics_without_aspects_do_not_apply(whole):
    """The paper prints `fails` for them; the charitable reading keeps the difference."""
    found, _ = whole
    for metric in ROWS[:6]:
        for axiom in ("AspDiv", "Red", "MRed", "Sat", "AspRel"):
            cell = found.cell(metric, axiom, "charitable")
            assert cell.verdict == "not-applicable" and cell.agrees == "yes"


def test_holds_says_how_far(whole):
    """Every `holds` names its bound or witness; every universal one comes with checked steps for every length."""
    found, _ = whole
    for verdict in found:
        if verdict.verdict == "holds":
            assert verdict.proof.bound or verdict.proof.witness
            assert verdict.proof.every_length or verdict.axiom in ("DeepTh", "CloseTh")
            assert verdict.counterexample is None


def test_csv_has_the_agreed_header_and_words(whole):
    """`metric,axiom,reading,verdict,paper,agrees,region,evidence`, 400 rows, words from the agreed lists."""
    found, _ = whole
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](found))))
    assert tuple(rows[0]) == HEADER == ("metric", "axiom", "reading", "verdict", "paper", "agrees", "region", "evidence")
    assert len(rows) == 400
    assert list(dict.fromkeys(row["metric"] for row in rows)) == list(ROWS)
    assert {row["verdict"] for row in rows} <= {"holds", "fails", "region", "not-applicable", "unknown"}
    assert {row["paper"] for row in rows} == {"holds", "fails"}
    assert all(row["evidence"] for row in rows)
    assert all(bool(row["region"]) == (row["verdict"] == "region") for row in rows)


def test_every_format_prints_every_metric(whole):
    """Table, JSON, Markdown and LaTeX have all rows; JSON reads back as the same verdicts."""
    found, _ = whole
    for name in ("table", "md"):
        text = FORMATS[name](found)
        assert all(metric in text for metric in ROWS)
    assert r"S-RR@100\%" in FORMATS["latex"](found)
    read = [Verdict.from_dict(item) for item in json.loads(FORMATS["json"](found))]
    assert read == list(found)
    assert "<table>" in found._repr_html_() and "RBU@k" in str(found)


def test_disagreements_are_told_with_evidence(whole):
    """Each cell that contradicts the paper appears with its evidence."""
    found, _ = whole
    text = against_the_paper(found)
    odd = disagreements(found)
    assert len(odd) > 50
    for verdict in odd:
        assert f"{verdict.metric} {verdict.axiom}: paper {verdict.paper}" in text and verdict.evidence in text


def test_the_paper_has_a_word_on_each_cell(whole):
    """Table 1 as data: 20 rows of 10, 89 ticks."""
    found, _ = whole
    ticks = sum(v.paper == "holds" for v in found if v.reading == "charitable")
    assert ticks == 89


def test_a_cached_matrix_is_the_same(whole):
    """The second time nothing is decided again, and nothing differs."""
    found, _ = whole
    fresh = []
    again = matrix(["RBU@k", "EU"], progress=lambda done, total, verdict: fresh.append(verdict))
    assert len(fresh) == len(again) == 40
    assert set(again) == {v for v in found if v.metric in ("RBU@k", "EU")}
    assert again.metrics == ["RBU@k", "EU"]


def test_a_damaged_cache_entry_is_decided_again(whole, private_cache):
    """A file that is not what was written is not believed."""
    from diveval.axioms import AS_WRITTEN, Bounds
    from diveval.axioms.subjects import subject

    name = cache.key(subject("RBU@k"), "Conf", AS_WRITTEN, Bounds())
    path = cache.folder() / f"{name}.json"
    good = path.read_text(encoding="utf-8")
    for damage in (good.replace('"fails"', '"holds"'), good[: len(good) // 2], "", "[]", '{"key": 1}'):
        path.write_text(damage, encoding="utf-8")
        assert cache.load(name) is None
    again = matrix(["RBU@k"], axioms=["Conf"], readings=["as-written"])
    assert again.verdicts[0].verdict == "fails"
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(good)


@pytest.mark.parametrize("what", [{"metrics": []}, {"jobs": 0}, {"axioms": ["Prio"]}, {"readings": ["kind"]}])
def test_wrong_questions_get_one_clear_line(what):
    """A question that cannot be asked is an error that names the remedy."""
    from diveval.errors import UsageError

    with pytest.raises(UsageError) as error:
        matrix(**{"metrics": ["RBU"], **what})
    assert "\n" not in str(error.value)
