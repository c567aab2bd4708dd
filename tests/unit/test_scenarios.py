"""Perturbations: what each changes, what it must not change, and that a seed determines it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from diveval.collection.judgments import Judgments
from diveval.collection.rankings import rank
from diveval.collection.runs import Run, TopicRun
from diveval.collection.scenarios import flip, generator, regrade, rejudge, reweight, thin, truncate
from diveval.datasets import synthesize
from diveval.settings import OrderRule, RelevanceRule
from support.refusals import refuses

IDENTITY = RelevanceRule(gain="identity")
COLLECTION = synthesize(topics=12, systems=3, depth=80, seed=4)
JUDGMENTS = Judgments.from_rows(COLLECTION.judgments())
RUN = Run.from_rows(
    ((topic, doc, score) for topic, ranking in COLLECTION.run("diverse").items() for doc, score in ranking),
    name="diverse",
)


def relevances(judgments: Judgments, rule: RelevanceRule) -> dict[tuple[str, str, str], float]:
    """(topic, aspect, document) → r, for relevant documents."""
    out: dict[tuple[str, str, str], float] = {}
    for name, topic in judgments.relevance(rule).items():
        documents = np.array(topic.documents, dtype=object)[topic.place >= 0]
        for aspect, row in zip(topic.aspects, topic.relevance, strict=True):
            out |= {(name, aspect, d): float(r) for d, r in zip(documents, row, strict=True) if r > 0}
    return out


def test_regrade_draws_below_each_relevance() -> None:
    """r' lies in (0, r] with mean r / 2, and documents that were not relevant stay so."""
    before, after = relevances(JUDGMENTS, RelevanceRule()), relevances(regrade(JUDGMENTS, 1), IDENTITY)
    assert before.keys() == after.keys()
    ratios = np.array([after[key] / before[key] for key in before])
    assert ((ratios > 0) & (ratios <= 1)).all()
    assert ratios.mean() == pytest.approx(0.5, abs=0.02)
    assert ratios.std() == pytest.approx(np.sqrt(1 / 12), abs=0.02)
    assert len(set(ratios)) == len(ratios)


@pytest.mark.parametrize("gmax", ["file", "per-aspect", 4])
@pytest.mark.parametrize("gain", ["exponential", "linear", "binary"])
def test_regrade_follows_the_rule(gain: str, gmax: str | int) -> None:
    """The same draw scales the relevance of any rule."""
    rule = RelevanceRule(gain=gain, gmax=gmax)  # type: ignore[arg-type]
    before, after = relevances(JUDGMENTS, rule), relevances(regrade(JUDGMENTS, 1, rule=rule), IDENTITY)
    plain, scaled = relevances(JUDGMENTS, RelevanceRule()), relevances(regrade(JUDGMENTS, 1), IDENTITY)
    assert all(after[key] / before[key] == pytest.approx(scaled[key] / plain[key]) for key in before)


def test_regrade_keeps_rankings_valid() -> None:
    """Documents keep their rows, so that earlier rankings can still be scored."""
    after = regrade(JUDGMENTS, 1)
    assert all(after.topics[name].documents == topic.documents for name, topic in JUDGMENTS.topics.items())


def test_regrade_takes_the_best_of_repeated_judgments() -> None:
    """Passage-level judgments become one per aspect and document."""
    rows = [("1", "a", "d", 1.0), ("1", "a", "d", 3.0), ("1", "a", "e", 3.0)]
    after = regrade(Judgments.from_rows(rows, repeats=True), 3)
    assert [(aspect, doc) for _, aspect, doc, _ in after.rows()] == [("a", "e"), ("a", "d")]
    assert all(0 < grade <= 7 / 8 for *_, grade in after.rows())


def test_reweight_draws_weights_that_sum_to_one() -> None:
    """Each topic gets its own positive weights that sum to 1, and grades stay the same."""
    after = reweight(JUDGMENTS, 1)
    seen = set()
    for topic in after.topics.values():
        assert topic.weights is not None
        assert topic.weights.sum() == pytest.approx(1)
        assert (topic.weights > 0).all()
        seen.add(tuple(topic.weights))
    assert len(seen) == len(after.topics)
    assert list(after.rows()) == list(JUDGMENTS.rows())


def test_reweight_scales_uniform_draws() -> None:
    """w(t) is rand(0..1) over the sum, as in the paper: for two aspects P(w < 1/4) is 1/6, not 1/4 as on the simplex."""
    rows = [(str(topic), aspect, "d", 1.0) for topic in range(4000) for aspect in "ab"]
    after = reweight(Judgments.from_rows(rows), 1)
    first = np.array([topic.weights[0] for topic in after.topics.values() if topic.weights is not None])
    assert (first < 0.25).mean() == pytest.approx(1 / 6, abs=0.025)
    assert (first < 0.5).mean() == pytest.approx(1 / 2, abs=0.03)


def test_truncate_cuts_anywhere_up_to_the_end() -> None:
    """Lengths are uniform over 0..n."""
    run = Run("r", {str(t): TopicRun(["a", "b", "c"], np.array([3.0, 2.0, 1.0])) for t in range(2000)})
    lengths = np.array([len(topic.documents) for topic in truncate(run, 1).topics.values()])
    assert np.bincount(lengths, minlength=4) == pytest.approx(np.full(4, 500), abs=80)


def test_truncate_to_the_longest() -> None:
    """With `longest`, lists are cut at rand(0..longest), and lists shorter than the draw stay complete."""
    run = Run("r", {str(t): TopicRun([f"d{i}" for i in range(10)], -np.arange(10.0)) for t in range(1500)})
    lengths = np.array([len(topic.documents) for topic in truncate(run, 1, longest=4).topics.values()])
    assert np.bincount(lengths) == pytest.approx(np.full(5, 300), abs=60)
    lengths = np.array([len(topic.documents) for topic in truncate(run, 1, longest=50).topics.values()])
    assert lengths.max() == 10
    assert (lengths == 10).mean() == pytest.approx(41 / 51, abs=0.04)


def test_truncate_keeps_the_top_of_the_ranking() -> None:
    """The head of the list in the given order is kept, with all its columns."""
    shuffled = TopicRun(["c", "a", "b"], np.array([1.0, 3.0, 2.0]), np.array([1, 2, 3]))
    by_score, by_rank = {1: {"a"}, 2: {"a", "b"}}, {1: {"c"}, 2: {"c", "a"}}
    seen = set()
    for seed in range(30):
        for order, heads in ((OrderRule(), by_score), (OrderRule("rank"), by_rank)):
            kept = truncate(Run("r", {"1": shuffled}), seed, order=order).topics["1"]
            assert kept.scores is not None and kept.ranks is not None
            assert len(kept.documents) == len(kept.scores) == len(kept.ranks)
            if len(kept.documents) in heads:
                seen.add(len(kept.documents))
                assert set(kept.documents) == heads[len(kept.documents)]
    assert seen == {1, 2}


def test_truncating_before_or_after_ranking_is_the_same() -> None:
    """Truncating a run and ranking it gives the same as ranking it and truncating the ranking."""
    run = Run("diverse", {**RUN.topics, "unjudged": TopicRun(["x", "y"], np.array([2.0, 1.0]))})
    for longest in (None, 20):
        first = rank(JUDGMENTS, truncate(run, 7, longest=longest), OrderRule(), keep_documents=True)
        later = truncate(rank(JUDGMENTS, run, OrderRule(), keep_documents=True), 7, longest=longest)
        assert first.unjudged_topics == later.unjudged_topics
        for name, ranking in first.topics.items():
            other = later.topics[name]
            assert ranking.length == other.length
            assert ranking.documents == other.documents
            assert np.array_equal(ranking.ranks, other.ranks)
            assert np.array_equal(ranking.rows, other.rows)


def test_truncate_keeps_rounds() -> None:
    """The rounds of a Dynamic Domain run are truncated too, in runs and in rankings."""
    topic = TopicRun(["a", "b", "c", "d"], np.array([1.0, 2.0, 1.0, 2.0]), None, np.array([0, 0, 1, 1]))
    run = Run("r", {"1": topic}, format="dynamic-domain")
    judged = Judgments.from_rows([("1", "s", "b", 1.0)])
    for seed in range(10):
        cut = truncate(run, seed).topics["1"]
        ranking = truncate(rank(judged, run, OrderRule()), seed).topics["1"]
        assert cut.iterations is not None and ranking.iterations is not None
        assert list(cut.iterations) == list(ranking.iterations)
        assert sorted(cut.documents) == sorted(["b", "a", "d", "c"][: ranking.length])


def test_flip_moves_grades_within_an_aspect() -> None:
    """Every aspect keeps its multiset of grades, and the given share of relevant judgments loses its grade."""
    after = flip(JUDGMENTS, 0.3, 1)
    lost = total = 0
    for name, topic in JUDGMENTS.topics.items():
        other = after.topics[name]
        for column in range(len(topic.aspects)):
            was, now = (t.grades[t.columns == column] for t in (topic, other))
            assert sorted(was) == sorted(now)
            lost += int(((was > 0) & (now == 0)).sum())
            total += int((was > 0).sum())
    assert lost / total == pytest.approx(0.3, abs=0.04)
    assert list(flip(JUDGMENTS, 0, 1).rows()) == list(JUDGMENTS.rows())


def test_flip_without_other_judgments_keeps_the_last() -> None:
    """Where all judgments are relevant, grades are only lost, and one per aspect stays."""
    rows = [("1", aspect, f"d{i}", 2.0) for aspect in "ab" for i in range(5)]
    after = flip(Judgments.from_rows(rows), 1.0, 1)
    by_aspect = itertools.groupby(after.rows(), key=lambda row: row[1])
    assert {aspect: sum(grade for *_, grade in listed) for aspect, listed in by_aspect} == {"a": 2.0, "b": 2.0}


def test_thin_removes_documents_with_all_their_aspects() -> None:
    """About the given share of documents is removed, each with all its judgments; other grades stay."""
    after = thin(JUDGMENTS, 0.4, 1)
    before = set(JUDGMENTS.rows())
    assert set(after.rows()) <= before
    kept = {(topic, doc) for topic, _, doc, _ in after.rows()}
    assert {row for row in before if (row[0], row[2]) in kept} == set(after.rows())
    judged = {(topic, doc) for topic, _, doc, _ in before}
    assert len(kept) / len(judged) == pytest.approx(0.6, abs=0.03)
    assert list(thin(JUDGMENTS, 0, 1).rows()) == list(JUDGMENTS.rows())


def test_thin_keeps_a_document_of_every_topic() -> None:
    """Even with share 1 one relevant document stays, or any document where none is relevant."""
    rows = [*JUDGMENTS.rows(), ("empty", "1", "x", 0.0), ("empty", "1", "y", 0.0)]
    after = thin(Judgments.from_rows(rows), 1.0, 1)
    assert after.topics.keys() == {*JUDGMENTS.topics, "empty"}
    assert all(len(topic.documents) == 1 for topic in after.topics.values())
    assert all(topic.highest > 0 for name, topic in after.topics.items() if name != "empty")


def test_rankings_are_transferred_to_thinned_judgments() -> None:
    """`rejudge` gives the same rankings as ranking again."""
    after = thin(JUDGMENTS, 0.5, 2)
    ranked_again, transferred = (
        rank(after, RUN, OrderRule()),
        *rejudge([rank(JUDGMENTS, RUN, OrderRule())], JUDGMENTS, after),
    )
    for name, ranking in ranked_again.topics.items():
        assert np.array_equal(ranking.ranks, transferred.topics[name].ranks)
        assert np.array_equal(ranking.rows, transferred.topics[name].rows)
        assert ranking.length == transferred.topics[name].length


def test_scenarios_can_be_combined() -> None:
    """Drawing grades and weights together gives the same grades and the same weights as each alone."""
    after = reweight(regrade(JUDGMENTS, 1), 1)
    assert after.aspect_weights() == reweight(JUDGMENTS, 1).aspect_weights()
    assert relevances(after, IDENTITY) == relevances(regrade(JUDGMENTS, 1), IDENTITY)
    with refuses("grade-above-gmax"):
        JUDGMENTS.relevance(IDENTITY)


def test_generators_differ_by_seed_and_names() -> None:
    """Another seed, another name or another split of the names gives another generator."""
    draws = {
        generator(seed, *names).random()
        for seed, names in [(1, ("a", "b")), (2, ("a", "b")), (1, ("ab",)), (1, ("b", "a")), (1, ("a",))]
    }
    assert len(draws) == 5
    assert generator(1, "täst").random() == generator(1, "täst").random()


def test_the_draw_is_the_same_everywhere() -> None:
    """A seed gives the same draw on every machine and in every version."""
    assert generator(1, "regrade", "101").random() == pytest.approx(0.7378001762730706, abs=1e-12)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "half", True])
def test_impossible_shares_are_refused(share: float) -> None:
    """A share is a number from 0 to 1."""
    for perturb in (flip, thin):
        with refuses("out-of-range", "0", "1"):
            perturb(JUDGMENTS, share, 1)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "1"])
def test_impossible_seeds_are_refused(seed: int) -> None:
    """A seed is a whole number that is not negative."""
    with refuses("out-of-range"):
        regrade(JUDGMENTS, seed)


@pytest.mark.parametrize("longest", [-1, 2.5, True])
def test_impossible_lengths_are_refused(longest: int) -> None:
    """A longest length is a whole number that is not negative."""
    with refuses("out-of-range"):
        truncate(RUN, 1, longest=longest)
