"""ndeval's rules and special cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.metrics import parse
from support.drawn import draw
from support.refusals import refuses

NAMES = ["ERR_IA@5", "nERR_IA@5", "alpha_DCG@5", "alpha_nDCG@5", "NRBP", "MAP_IA", "P_IA@5", "strec@5"]


def score(judgments: Any, run: Any, *names: Any) -> Any:
    """Values by name for one topic and a list of documents."""
    rows = [("1", document, -float(i)) for i, document in enumerate(run)]
    prefixed = [f"ndeval.{name}" for name in names]
    scores = evaluate(Judgments.from_rows(judgments), Run.from_rows(rows), prefixed)
    return dict(zip(names, scores.values[0, :, 0].tolist(), strict=True))


def test_one_relevant_document_scores_less_at_deeper_cutoffs() -> None:
    """The normaliser grows with the cutoff, so ERR-IA of a perfect rank 1 is 0.726172 at 5 and 0.721433 at 10."""
    values = score([("1", "1", "a", 1)], ["a", "b"], "ERR_IA@5", "ERR_IA@10")
    assert [f"{v:.6f}" for v in values.values()] == ["0.726172", "0.721433"]


def test_at_1_nothing_is_divided() -> None:
    """ndeval does not normalise at rank 1, so a document on three aspects scores 3."""
    judgments = [("1", aspect, "a", 1) for aspect in "123"]
    assert score(judgments, ["a"], "ERR_IA@1", "alpha_DCG@1", "alpha_nDCG@1") == {
        "ERR_IA@1": 3.0,
        "alpha_DCG@1": 3.0,
        "alpha_nDCG@1": 1.0,
    }


def test_a_topic_without_a_relevant_document_is_0_or_nan() -> None:
    """All metrics are 0 but nNRBP, whose value and mean are NaN."""
    rows = [("1", "1", "a", 0), ("2", "1", "a", 1)]
    run = Run.from_rows([("1", "a", 1.0), ("2", "a", 1.0)])
    scores = evaluate(Judgments.from_rows(rows), run, [*(f"ndeval.{name}" for name in NAMES), "ndeval.nNRBP"])
    assert (scores.values[0, :-1, 0] == 0.0).all()
    assert math.isnan(scores.values[0, -1, 0])
    assert scores.values[0, -1, 1] == 1.0
    assert math.isnan(scores.means[0, -1])


def test_a_short_run_is_still_divided_by_k() -> None:
    """P-IA of two relevant documents out of two is 2/5 at 5."""
    values = score([("1", "1", "a", 1), ("1", "1", "b", 1)], ["a", "b"], "P_IA@5", "strec@5")
    assert values == {"P_IA@5": 2 / 5, "strec@5": 1.0}


def test_aspect_0_counts_if_something_is_relevant_to_it() -> None:
    """Aspect 0 counts if a document has a positive grade for it."""
    assert score([("1", "0", "a", 1), ("1", "1", "b", 1)], ["a"], "strec@5") == {"strec@5": 0.5}
    assert score([("1", "0", "a", 0), ("1", "1", "b", 1)], ["b"], "strec@5") == {"strec@5": 1.0}


def test_every_grade_above_0_is_1() -> None:
    """Relevance is binary: grades 1 and 3 score the same, and negative grades are 0."""
    low = [("1", "1", "a", 1), ("1", "2", "b", 1), ("1", "2", "c", 0)]
    high = [("1", "1", "a", 3), ("1", "2", "b", 2), ("1", "2", "c", -2)]
    assert score(low, ["c", "b", "a"], *NAMES) == score(high, ["c", "b", "a"], *NAMES)


def test_aspect_weights_are_ignored() -> None:
    """Scores are the same with and without weights."""
    rows, run = [("1", "1", "a", 1), ("1", "2", "b", 1)], Run.from_rows([("1", "a", 1.0)])
    weights = {("1", "1"): 0.9, ("1", "2"): 0.1}
    names = [f"ndeval.{name}" for name in NAMES]
    plain = evaluate(Judgments.from_rows(rows), run, names)
    assert (plain.values == evaluate(Judgments.from_rows(rows), run, names, weights=weights).values).all()


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_cutoffs_beyond_20_follow_the_same_rule(seed: int, alpha: float) -> None:
    """α-DCG, α-nDCG, ERR-IA and nERR-IA at 35 equal a plain loop over ranks to the last bit."""
    drawn = draw(seed, ties=False)
    names = [f"ndeval.{name}(alpha={alpha})@35" for name in ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA")]
    scores = evaluate(Judgments.from_rows(drawn.judgments), Run.from_rows(drawn.run), names)
    for topic in drawn.topics:
        found = scores.values[0, :, scores.topics.index(topic)].tolist()
        assert found == plain_values(drawn, topic, alpha, 35), topic


def plain_values(drawn: Any, topic: Any, alpha: Any, depth: Any) -> Any:
    """The four values, computed without arrays."""
    relevant: dict[str, set[int]] = {}
    for t, aspect, document, grade in drawn.judgments:
        if t == topic and grade > 0:
            relevant.setdefault(document, set()).add(int(aspect))
    aspects = sorted({aspect for covered in relevant.values() for aspect in covered})
    run = sorted(((score, document) for t, document, score in drawn.run if t == topic), reverse=True)
    listed = gains([relevant.get(document, set()) for _, document in run], aspects, alpha)
    ideal = gains(greedy(relevant, aspects, alpha), aspects, alpha)
    out = []
    discounts: list[Callable[[float, int], float]] = [
        lambda g, i: g * (math.log(2.0) / math.log(i + 1.0)),
        lambda g, i: g / i,
    ]
    for discount in discounts:
        unit, worth = 0.0, float(len(aspects))
        for i in range(1, depth + 1):
            unit += discount(worth, i)
            worth *= 1.0 - alpha
        value, best = (
            sum((discount(g, i) for i, g in enumerate(found[:depth], 1)), 0.0) / unit if unit else 0.0
            for found in (listed, ideal)
        )
        out += [value, value / best if value else 0.0]
    return out


def gains(documents: Any, aspects: Any, alpha: Any) -> Any:
    worth = dict.fromkeys(aspects, 1.0)
    out = []
    for covered in documents:
        gain = 0.0
        for aspect in aspects:
            if aspect in covered:
                gain += worth[aspect]
                worth[aspect] *= 1.0 - alpha
        out.append(gain)
    return out


def greedy(relevant: Any, aspects: Any, alpha: Any) -> Any:
    left, worth, out = sorted(relevant), dict.fromkeys(aspects, 1.0), []
    while left:
        best = max(left, key=lambda d: (sum((worth[a] for a in aspects if a in relevant[d]), 0.0), d))
        left.remove(best)
        out.append(relevant[best])
        for aspect in relevant[best]:
            worth[aspect] *= 1.0 - alpha
    return out


def test_nnrbp_sums_a_long_ideal_list_to_its_end() -> None:
    """With β near 1 and 700 relevant documents, the ideal list has nNRBP 1."""
    judgments = [("1", str(1 + i % 2), f"d{i:03d}", 1) for i in range(700)]
    run = [f"d{i:03d}" for i in range(699, -1, -1)]
    value = score(judgments, run, "nNRBP(alpha=0.01,beta=0.999)")
    assert value == {"nNRBP(alpha=0.01,beta=0.999)": 1.0}


def test_invalid_cutoffs_and_parameters_are_refused() -> None:
    """A missing, superfluous or too large cutoff and an α outside [0, 1] raise a UsageError."""
    with refuses("cutoff-needed", "ndeval.alpha_nDCG@20"):
        parse("ndeval.alpha_nDCG")
    with refuses("cutoff-not-taken"):
        parse("ndeval.NRBP@20")
    with refuses("invalid-cutoff", "1000000"):
        score([("1", "1", "a", 1)], ["a"], "ERR_IA@1000001")
    with refuses("out-of-range", "0", "1"):
        parse("ndeval.alpha_nDCG(alpha=2)@20")


def test_tool_metrics_have_no_exact_form() -> None:
    """Exact evaluation is refused for other tools' metrics that are no composition of the algebra."""
    for name in ("ndeval.alpha_DCG@20", "ndeval.MAP_IA", "ndeval.nNRBP", "trec_eval.map"):
        with refuses("metric-not-exact"):
            parse(name)([[1, 0], [0, 1]])


def test_two_systems_score_as_each_alone() -> None:
    """The other runs of a batch do not change any bit of a score."""
    first, second = draw(1), draw(2)
    judgments = Judgments.from_rows(first.judgments)
    runs = [Run.from_rows(first.run, name="one"), Run.from_rows(second.run, name="two")]
    names = [f"ndeval.{name}" for name in NAMES]
    together = evaluate(judgments, runs, names)
    for i, run in enumerate(runs):
        assert np.array_equal(together.values[i], evaluate(judgments, run, names).values[0])
