"""Lines become a ranking by a stated rule; only judged documents are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import diveval
from diveval.errors import InputError, UsageError
from diveval.judgments import Judgments, RelevanceRule
from diveval.rankings import rank
from diveval.runs import OrderRule, Run, TopicRun
from support.present import present
from support.wording import wording

JUDGMENTS = Judgments.from_rows([("1", "a", "da", 1), ("1", "a", "db", 1), ("1", "b", "dc", 0)])


def ranked(documents: Any, scores: Any = None, ranks: Any = None, order: Any = None, **choices: Any) -> Any:
    """Judged documents by rank under an order."""
    listed = TopicRun(
        documents, None if scores is None else np.array(scores, float), None if ranks is None else np.array(ranks)
    )
    found = rank(JUDGMENTS, Run("r", {"1": listed}), order or OrderRule(), **choices).topics["1"]
    rows = JUDGMENTS.topics["1"].documents
    return dict(zip(found.ranks.tolist(), [rows[i] for i in found.rows], strict=True)), found.length


def test_by_score_descending_then_document_descending() -> None:
    """The default rule: equal scores by document id descending."""
    assert ranked(["da", "x", "db"], [1, 2, 1]) == ({2: "db", 3: "da"}, 3)


def test_ties_the_other_way_or_as_they_stand() -> None:
    """docno-asc is pyndeval's rule; file keeps the file's order among equals."""
    assert ranked(["db", "da"], [1, 1], order=OrderRule("score", "docno-asc"))[0] == {1: "da", 2: "db"}
    assert ranked(["da", "db"], [1, 1], order=OrderRule("score", "file"))[0] == {1: "da", 2: "db"}


def test_by_rank_and_by_file() -> None:
    """The rank column ascending, or the lines as they stand."""
    assert ranked(["da", "db"], [1, 2], [2, 1], OrderRule("rank"))[0] == {1: "db", 2: "da"}
    assert ranked(["da", "db"], [1, 2], [2, 1], OrderRule("file"))[0] == {1: "da", 2: "db"}
    with pytest.raises(InputError, match=wording("no usable rank column")):
        ranked(["da"], [1], order=OrderRule("rank"))


def test_contradiction_means_a_lower_score_above_a_higher_one() -> None:
    """Ties broken differently are no contradiction."""
    assert Run("r", {"1": TopicRun(["a", "b"], np.array([1.0, 2.0]), np.array([1, 2]))}).contradictions() == 1
    assert Run("r", {"1": TopicRun(["a", "b"], np.array([1.0, 1.0]), np.array([2, 1]))}).contradictions() == 0


def test_a_document_twice_is_an_error_or_follows_the_rule_named() -> None:
    """error, first (later ones dropped), blank (they keep their rank, not relevant)."""
    with pytest.raises(InputError, match=wording(r"'da'.*--duplicates first\|blank")):
        ranked(["da", "da"], [2, 1])
    assert ranked(["da", "da", "db"], [3, 2, 1], duplicates="first") == ({1: "da", 2: "db"}, 2)
    assert ranked(["da", "da", "db"], [3, 2, 1], duplicates="blank") == ({1: "da", 3: "db"}, 3)
    with pytest.raises(UsageError, match=wording("duplicates is one of")):
        ranked(["da"], [1], duplicates="maybe")


def test_rounds_stay_together() -> None:
    """A Dynamic Domain run is ordered by round, inside a round by score."""
    listed = TopicRun(["db", "x", "da"], np.array([1.0, 2.0, 9.0]), None, np.array([0, 0, 1]))
    found = rank(JUDGMENTS, Run("r", {"1": listed}, format="dynamic-domain"), OrderRule()).topics["1"]
    assert found.ranks.tolist() == [2, 3] and present(found.iterations).tolist() == [0, 0, 1]


def test_topics_without_judgments_are_named_not_lost() -> None:
    """They are kept with their length: ndeval prints them."""
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
    """exponential, linear, binary; gmax of the file, fixed, or per aspect; negatives are 0."""
    judgments = Judgments.from_rows([("1", "a", "x", 2), ("1", "a", "y", 3), ("1", "b", "z", 1), ("1", "c", "x", -2)])
    topic = judgments.relevance(rule)["1"]
    assert topic.aspects == ("a", "b")
    found = {d: topic.relevance[:, topic.place[i]].max() for i, d in enumerate(topic.documents)}
    assert [found["x"], found["y"], found["z"]] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"gain": "square"}, "gain is one of"),
        ({"gmax": "topic"}, "gmax is 'file'"),
        ({"gmax": 0}, "above 0"),
        ({"gmax": 1}, "above --gmax 1"),
        ({"gain": "identity"}, "values in"),
        ({"order": "random"}, "order is one of"),
        ({"ties": "none"}, "ties is one of"),
        ({"missing_topics": "x"}, "missing_topics is one of"),
        ({"empty_topics": "x"}, "empty_topics is one of"),
        ({"empty_aspects": "x"}, "drop or keep"),
        ({"flavour": 1}, "no option is called flavour"),
    ],
)
def test_wrong_choices_are_said(choices: Any, message: str) -> None:
    """Every option names what it takes."""
    with pytest.raises((UsageError, InputError), match=wording(message)):
        diveval.evaluate({"1": {"a": {"d": 2}}}, {"1": {"d": 1.0}}, "RBU", **choices)


def test_weights_are_renormalised_over_the_aspects_that_count_or_kept() -> None:
    """An aspect without a relevant document gives its weight to the others, unless weights are kept as given."""
    judgments = Judgments.from_rows(
        [("1", "a", "x", 1), ("1", "b", "y", 1), ("1", "c", "z", 0)],
        weights={("1", "a"): 0.3, ("1", "b"): 0.3, ("1", "c"): 0.4},
    )
    assert judgments.relevance(RelevanceRule())["1"].weights.tolist() == [0.5, 0.5]
    assert judgments.relevance(RelevanceRule(renormalise=False))["1"].weights.tolist() == [0.3, 0.3]
    kept = judgments.relevance(RelevanceRule(drop_empty_aspects=False))["1"]
    assert kept.weights == pytest.approx([0.3, 0.3, 0.4])


def test_weights_that_are_all_zero_are_an_error() -> None:
    """There is no sum to divide by."""
    judgments = Judgments.from_rows([("1", "a", "x", 1)], weights={("1", "a"): 0.0})
    with pytest.raises(InputError, match=wording("are all 0")):
        judgments.relevance(RelevanceRule())
