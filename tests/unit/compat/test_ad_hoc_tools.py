"""Metrics of trec_eval, gdeval and cwl_eval follow the tools' rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.metrics import find, parse
from support.refusals import refuses, warns


def score(judgments: Any, run: Any, *names: Any) -> Any:
    """Values by name for one topic and a list of documents."""
    rows = [("1", document, -float(i)) for i, document in enumerate(run)]
    scores = evaluate(Judgments.from_rows(judgments), Run.from_rows(rows), list(names))
    return dict(zip(names, scores.values[0, :, 0].tolist(), strict=True))


def judged(**grades: Any) -> Any:
    return [("1", "0", document, grade) for document, grade in grades.items()]


@pytest.mark.parametrize("text", ["trec_eval.P_10", "trec_eval.P@10", "trec_eval.p_10", "trec_eval.P(cutoff=10)"])
def test_the_cutoff_may_be_part_of_the_name(text: str) -> None:
    """Every spelling parses to trec_eval's own, which is canonical."""
    metric = parse(text)
    assert (metric.name, metric.cutoff) == ("trec_eval.P_10", 10)
    assert parse(metric.name) == metric


def test_names_with_parameters_parse_to_themselves() -> None:
    """A parameter follows the name, and the canonical text parses to itself."""
    assert parse("trec_eval.P_10(level=2)").name == "trec_eval.P_10(level=2)"
    assert parse("trec_eval.ndcg_cut_5").name == "trec_eval.ndcg_cut_5"
    assert find("trec_eval.ndcg_cut_5").name == "trec_eval.ndcg_cut"


def test_invalid_cutoffs_are_refused() -> None:
    """Two cutoffs, a missing one, and one for a measure without cutoff raise a UsageError."""
    with refuses("duplicate-parameter"):
        parse("trec_eval.P_10@5")
    with refuses("cutoff-needed", "trec_eval.P_20"):
        parse("trec_eval.P")
    with refuses("unknown-metric", "map_10"):
        parse("trec_eval.map_10")


def test_a_document_counts_with_its_best_grade_over_aspects() -> None:
    """Ad hoc tools use the highest grade of a document over all aspects."""
    rows = [("1", "1", "a", 2), ("1", "2", "a", 0), ("1", "2", "b", 1)]
    assert score(rows, ["a", "b"], "trec_eval.ndcg", "trec_eval.map") == {"trec_eval.ndcg": 1.0, "trec_eval.map": 1.0}


def test_level_is_the_lowest_relevant_grade() -> None:
    """With level 2 a document of grade 1 is not relevant."""
    rows = judged(a=1, b=2)
    names = ["trec_eval.recip_rank(level=2)", "trec_eval.recip_rank", "trec_eval.num_rel(level=2)"]
    assert list(score(rows, ["a", "b"], *names).values()) == [0.5, 1.0, 1.0]


def test_bpref_counts_judged_documents_only() -> None:
    """Only documents judged non-relevant count against a relevant one, not unjudged or negatively judged ones."""
    rows = judged(a=1, b=1, c=0, d=0, n=-1)
    value = score(rows, ["a", "x", "n", "c", "b"], "trec_eval.bpref")
    assert value == {"trec_eval.bpref": (1 + (1 - 1 / 2)) / 2}


def test_no_relevant_document_is_0_everywhere() -> None:
    """trec_eval counts a topic without a relevant document as 0; gdeval leaves it out of the mean."""
    rows = [*judged(a=0), ("2", "0", "a", 1)]
    run = Run.from_rows([("1", "a", 1.0), ("2", "a", 1.0)])
    names = ["trec_eval.map", "trec_eval.ndcg", "trec_eval.Rprec", "trec_eval.recall_5", "trec_eval.bpref"]
    scores = evaluate(Judgments.from_rows(rows), run, [*names, "gdeval.nDCG@20", "gdeval.ERR@20"])
    assert (scores.values[0, :, 0] == 0.0).all()
    assert scores.means[0].tolist() == [0.5] * 5 + [1.0, 1 / 16]


def test_a_topic_the_run_lacks_scores_0_unless_it_is_skipped() -> None:
    """`zero` is the option -c of the tools; `skip` averages over the topics in both files."""
    rows, run = [*judged(a=1), ("2", "0", "a", 1)], Run.from_rows([("1", "a", 1.0)])
    names = ["trec_eval.map", "ndeval.strec@5", "gdeval.nDCG@5", "AP"]
    for rule, mean in (("zero", 0.5), ("skip", 1.0), (None, 0.5)):
        with warns("missing-topics", "1", "2"):
            # None is outside the type but means the default.
            scores = evaluate(Judgments.from_rows(rows), run, names, missing_topics=rule)  # type: ignore[arg-type]
        assert scores.means[0].tolist() == [mean] * 4


def test_gdeval_uses_4_as_highest_grade() -> None:
    """ERR of a document of grade 4 is 15/16, and grade 5 is refused, as in the script."""
    assert score(judged(a=4), ["a"], "gdeval.ERR@20") == {"gdeval.ERR@20": 15 / 16}
    with refuses("grade-above-gmax", "5"):
        score(judged(a=5), ["a"], "gdeval.ERR@20")


def test_gdeval_by_hand() -> None:
    """Values for grades 1 and 3 at ranks 2 and 3 equal the formula."""
    values = score(judged(a=1, b=3), ["x", "a", "b"], "gdeval.nDCG@20", "gdeval.ERR@20", "gdeval.nDCG@2")
    shrunk = 0.6309297535714575
    assert values["gdeval.nDCG@20"] == pytest.approx((shrunk + 7 / 2) / (7 + shrunk))
    assert values["gdeval.ERR@20"] == pytest.approx(1 / 16 / 2 + 15 / 16 * 7 / 16 / 3)
    assert values["gdeval.nDCG@2"] == pytest.approx(shrunk / (7 + shrunk))


def test_cwl_by_hand() -> None:
    """Gains are those of the file, and the weights of the first 1000 ranks sum to 1."""
    rows = judged(a=0.5, b=1)
    values = score(rows, ["x", "a", "b"], "cwl.RBP(theta=0.8)", "cwl.P@5", "cwl.RR")
    assert values["cwl.RBP(theta=0.8)"] == pytest.approx(0.2 / (1 - 0.8**1000) * (0.8 * 0.5 + 0.64))
    assert values["cwl.P@5"] == pytest.approx(1.5 / 5)
    assert values["cwl.RR"] == pytest.approx(0.5 / 2)


def test_cwl_uses_1000_documents_and_renormalises() -> None:
    """A relevant document at rank 1001 does not count, and the weights of the first 1000 are renormalised."""
    rows, run = judged(a=1), [f"x{i}" for i in range(1000)]
    assert score(rows, [*run, "a"], "cwl.RR", "cwl.RBP(theta=0.999)") == {"cwl.RR": 0.0, "cwl.RBP(theta=0.999)": 0.0}
    value = score(rows, ["a", *run], "cwl.RBP(theta=0.999)")["cwl.RBP(theta=0.999)"]
    assert value == pytest.approx(0.001 / (1 - 0.999**1000))


def test_cwl_refuses_gains_above_1() -> None:
    """A gain above 1 is refused, as in the tool, with the allowed range."""
    with refuses("grade-above-gmax", "0", "1"):
        score(judged(a=2), ["a"], "cwl.RR")


def test_cwl_uses_the_order_of_lines() -> None:
    """cwl's metrics ignore ranks and scores unless an order is given."""
    run = Run("run", {"1": TopicRun(["b", "a"], scores=np.array([1.0, 2.0]))})
    judgments = Judgments.from_rows(judged(a=1))
    assert evaluate(judgments, run, "cwl.RR").values[0, 0, 0] == 0.5
    assert evaluate(judgments, run, "cwl.RR", order="score").values[0, 0, 0] == 1.0
