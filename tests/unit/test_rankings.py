"""Lines of a run become a ranking under an order; only judged documents are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diveval
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import rank
from diveval.collection.runs import Run, TopicRun
from diveval.settings import OrderRule, RelevanceRule
from support.present import present
from support.refusals import refuses

JUDGMENTS = Judgments.from_rows([("1", "a", "da", 1), ("1", "a", "db", 1), ("1", "b", "dc", 0)])


def ranked(documents: Any, scores: Any = None, ranks: Any = None, order: Any = None, **choices: Any) -> Any:
    """The judged documents by rank under an order, and the length of the list."""
    listed = TopicRun(
        documents, None if scores is None else np.array(scores, float), None if ranks is None else np.array(ranks)
    )
    ranking = rank(JUDGMENTS, Run("r", {"1": listed}), order or OrderRule(), **choices).topics["1"]
    judged = JUDGMENTS.topics["1"].documents
    return dict(zip(ranking.ranks.tolist(), [judged[i] for i in ranking.rows], strict=True)), ranking.length


def test_by_score_descending_then_document_descending() -> None:
    """By default documents are sorted by score, and equal scores by document id, both descending."""
    assert ranked(["da", "x", "db"], [1, 2, 1]) == ({2: "db", 3: "da"}, 3)


def test_other_rules_for_ties() -> None:
    """`docno-asc` (pyndeval's rule) sorts equal scores by id ascending; `file` keeps the order of the file."""
    assert ranked(["db", "da"], [1, 1], order=OrderRule("score", "docno-asc"))[0] == {1: "da", 2: "db"}
    assert ranked(["da", "db"], [1, 1], order=OrderRule("score", "file"))[0] == {1: "da", 2: "db"}


def test_by_rank_and_by_file() -> None:
    """Documents can be sorted by the rank column, or kept in the order of the file."""
    assert ranked(["da", "db"], [1, 2], [2, 1], OrderRule("rank"))[0] == {1: "db", 2: "da"}
    assert ranked(["da", "db"], [1, 2], [2, 1], OrderRule("file"))[0] == {1: "da", 2: "db"}
    with refuses("missing-column"):
        ranked(["da"], [1], order=OrderRule("rank"))


def test_a_contradiction_is_a_lower_score_at_a_higher_rank() -> None:
    """Topics whose ranks contradict their scores are counted; ties are no contradiction."""
    assert Run("r", {"1": TopicRun(["a", "b"], np.array([1.0, 2.0]), np.array([1, 2]))}).contradictions() == 1
    assert Run("r", {"1": TopicRun(["a", "b"], np.array([1.0, 1.0]), np.array([2, 1]))}).contradictions() == 0


def test_a_repeated_document_follows_the_rule_for_duplicates() -> None:
    """By default it is an error; `first` drops later occurrences; `blank` keeps their ranks as not relevant."""
    with refuses("duplicate-document", "da", "--duplicates"):
        ranked(["da", "da"], [2, 1])
    assert ranked(["da", "da", "db"], [3, 2, 1], duplicates="first") == ({1: "da", 2: "db"}, 2)
    assert ranked(["da", "da", "db"], [3, 2, 1], duplicates="blank") == ({1: "da", 3: "db"}, 3)
    with refuses("invalid-choice"):
        ranked(["da"], [1], duplicates="maybe")


def test_rounds_stay_together() -> None:
    """A Dynamic Domain run is sorted by round, and inside a round by score."""
    listed = TopicRun(["db", "x", "da"], np.array([1.0, 2.0, 9.0]), None, np.array([0, 0, 1]))
    ranking = rank(JUDGMENTS, Run("r", {"1": listed}, format="dynamic-domain"), OrderRule()).topics["1"]
    assert ranking.ranks.tolist() == [2, 3] and present(ranking.iterations).tolist() == [0, 0, 1]


def test_topics_without_judgments_are_kept_by_length() -> None:
    """Unjudged topics are kept with their lengths, since ndeval prints them."""
    run = Run("r", {"1": TopicRun(["da"]), "7": TopicRun(["x", "y"])})
    assert rank(JUDGMENTS, run, OrderRule()).unjudged_topics == {"7": 2}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (RelevanceRule(), [3 / 8, 7 / 8, 1 / 8]),
        (RelevanceRule("linear"), [2 / 3, 1.0, 1 / 3]),
        (RelevanceRule("binary"), [1, 1, 1]),
        (RelevanceRule("exponential", 4), [3 / 16, 7 / 16, 1 / 16]),
        (RelevanceRule("exponential", "per-aspect"), [3 / 8, 7 / 8, 1 / 2]),
    ],
)
def test_grades_to_relevance(rule: Any, expected: Any) -> None:
    """Gains are exponential, linear or binary, with gmax of the file, given or per aspect; negative grades give 0."""
    judgments = Judgments.from_rows([("1", "a", "x", 2), ("1", "a", "y", 3), ("1", "b", "z", 1), ("1", "c", "x", -2)])
    topic = judgments.relevance(rule)["1"]
    assert topic.aspects == ("a", "b")
    relevance = {d: topic.relevance[:, topic.place[i]].max() for i, d in enumerate(topic.documents)}
    assert [relevance["x"], relevance["y"], relevance["z"]] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("choices", "refusal"),
    [
        ({"gain": "square"}, ("invalid-choice",)),
        ({"gmax": "topic"}, ("not-a-number", "file")),
        ({"gmax": 0}, ("out-of-range", "0")),
        ({"gmax": 1}, ("grade-above-gmax", "--gmax", "1")),
        ({"gain": "identity"}, ("grade-above-gmax",)),
        ({"order": "random"}, ("invalid-choice",)),
        ({"ties": "none"}, ("invalid-choice",)),
        ({"missing_topics": "x"}, ("invalid-choice", "missing_topics")),
        ({"empty_topics": "x"}, ("invalid-choice", "empty_topics")),
        ({"empty_aspects": "x"}, ("invalid-choice",)),
        ({"flavour": 1}, ("unknown-option",)),
    ],
)
def test_invalid_options_are_refused(choices: Any, refusal: tuple[str, ...]) -> None:
    """The error of every option names the valid values."""
    with refuses(*refusal):
        diveval.evaluate({"1": {"a": {"d": 2}}}, {"1": {"d": 1.0}}, "RBU", **choices)


def test_weights_are_renormalised_unless_kept() -> None:
    """Weights are renormalised over the aspects with a relevant document, unless they are kept as given."""
    judgments = Judgments.from_rows(
        [("1", "a", "x", 1), ("1", "b", "y", 1), ("1", "c", "z", 0)],
        weights={("1", "a"): 0.3, ("1", "b"): 0.3, ("1", "c"): 0.4},
    )
    assert judgments.relevance(RelevanceRule())["1"].weights.tolist() == [0.5, 0.5]
    assert judgments.relevance(RelevanceRule(renormalise=False))["1"].weights.tolist() == [0.3, 0.3]
    kept = judgments.relevance(RelevanceRule(drop_empty_aspects=False))["1"]
    assert kept.weights == pytest.approx([0.3, 0.3, 0.4])


def test_weights_that_are_all_zero_are_an_error() -> None:
    """Weights of a topic that sum to 0 raise an InputError."""
    judgments = Judgments.from_rows([("1", "a", "x", 1)], weights={("1", "a"): 0.0})
    with refuses("weights-all-zero", "0"):
        judgments.relevance(RelevanceRule())
