"""Perturbations: what each may change, what it must not, and that a seed decides it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from diveval.datasets import synthesize
from diveval.errors import InputError, UsageError
from diveval.judgments import Judgments, RelevanceRule
from diveval.rankings import rank
from diveval.runs import OrderRule, Run, TopicRun
from diveval.scenarios import flip, generator, regrade, rejudged, reweight, thin, truncate
from support.wording import wording

IDENTITY = RelevanceRule(gain="identity")
MADE = synthesize(topics=12, systems=3, depth=80, seed=4)
JUDGMENTS = Judgments.from_rows(MADE.judgments())
RUN = Run.from_rows(
    ((topic, doc, score) for topic, ranking in MADE.run("diverse").items() for doc, score in ranking), name="diverse"
)


def relevances(judgments: Judgments, rule: RelevanceRule) -> dict[tuple[str, str, str], float]:
    """(topic, aspect, document) → r, for what is relevant."""
    found: dict[tuple[str, str, str], float] = {}
    for name, topic in judgments.relevance(rule).items():
        documents = np.array(topic.documents, dtype=object)[topic.place >= 0]
        for aspect, row in zip(topic.aspects, topic.relevance, strict=True):
            found |= {(name, aspect, d): float(r) for d, r in zip(documents, row, strict=True) if r > 0}
    return found


def test_regrade_draws_below_each_relevance() -> None:
    """r' lies in (0, r], on average at half of r, and what was not relevant stays so."""
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
    """r is what the given rule makes of a grade, whichever it is: the same draw scales it."""
    rule = RelevanceRule(gain=gain, gmax=gmax)  # type: ignore[arg-type]
    before, after = relevances(JUDGMENTS, rule), relevances(regrade(JUDGMENTS, 1, rule=rule), IDENTITY)
    plain, scaled = relevances(JUDGMENTS, RelevanceRule()), relevances(regrade(JUDGMENTS, 1), IDENTITY)
    assert all(after[key] / before[key] == pytest.approx(scaled[key] / plain[key]) for key in before)


def test_regrade_keeps_rankings_valid() -> None:
    """Documents keep their rows, so rankings made before can be scored after."""
    after = regrade(JUDGMENTS, 1)
    assert all(after.topics[name].documents == topic.documents for name, topic in JUDGMENTS.topics.items())


def test_regrade_takes_the_best_of_repeated_judgments() -> None:
    """Passage-level judgments become one per aspect and document."""
    rows = [("1", "a", "d", 1.0), ("1", "a", "d", 3.0), ("1", "a", "e", 3.0)]
    after = regrade(Judgments.from_rows(rows, repeats=True), 3)
    assert [(aspect, doc) for _, aspect, doc, _ in after.rows()] == [("a", "e"), ("a", "d")]
    assert all(0 < grade <= 7 / 8 for *_, grade in after.rows())


def test_reweight_draws_weights_that_sum_to_one() -> None:
    """Each topic gets positive weights that sum to 1, other topics other ones; grades stay."""
    after = reweight(JUDGMENTS, 1)
    seen = set()
    for topic in after.topics.values():
        assert topic.weights is not None
        assert topic.weights.sum() == pytest.approx(1)
        assert (topic.weights > 0).all()
        seen.add(tuple(topic.weights))
    assert len(seen) == len(after.topics)
    assert list(after.rows()) == list(JUDGMENTS.rows())


def test_reweight_is_uniform_then_scaled() -> None:
    """w(t) = rand(0..1) over its sum, as the paper has it: for two aspects P(w < 1/4) is 1/6, not the simplex's 1/4."""
    rows = [(str(topic), aspect, "d", 1.0) for topic in range(4000) for aspect in "ab"]
    after = reweight(Judgments.from_rows(rows), 1)
    first = np.array([topic.weights[0] for topic in after.topics.values() if topic.weights is not None])
    assert (first < 0.25).mean() == pytest.approx(1 / 6, abs=0.025)
    assert (first < 0.5).mean() == pytest.approx(1 / 2, abs=0.03)


def test_truncate_cuts_anywhere_up_to_the_end() -> None:
    """Lengths are uniform over 0..n: both ends happen, and the mean is n / 2."""
    run = Run("r", {str(t): TopicRun(["a", "b", "c"], np.array([3.0, 2.0, 1.0])) for t in range(2000)})
    lengths = np.array([len(topic.documents) for topic in truncate(run, 1).topics.values()])
    assert np.bincount(lengths, minlength=4) == pytest.approx(np.full(4, 500), abs=80)


def test_truncate_to_the_longest() -> None:
    """With a longest length lists are cut at rand(0..longest); shorter ones than the draw stay whole."""
    run = Run("r", {str(t): TopicRun([f"d{i}" for i in range(10)], -np.arange(10.0)) for t in range(1500)})
    lengths = np.array([len(topic.documents) for topic in truncate(run, 1, longest=4).topics.values()])
    assert np.bincount(lengths) == pytest.approx(np.full(5, 300), abs=60)
    lengths = np.array([len(topic.documents) for topic in truncate(run, 1, longest=50).topics.values()])
    assert lengths.max() == 10
    assert (lengths == 10).mean() == pytest.approx(41 / 51, abs=0.04)


def test_truncate_keeps_the_top_of_the_ranking() -> None:
    """What is kept is the head of the list in the given order, in the file's own line order."""
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
    """A run cut and then met with judgments gives the rankings that were met and then cut."""
    foreign = Run("diverse", {**RUN.topics, "unjudged": TopicRun(["x", "y"], np.array([2.0, 1.0]))})
    for longest in (None, 20):
        first = rank(JUDGMENTS, truncate(foreign, 7, longest=longest), OrderRule(), keep_documents=True)
        later = truncate(rank(JUDGMENTS, foreign, OrderRule(), keep_documents=True), 7, longest=longest)
        assert first.unjudged_topics == later.unjudged_topics
        for name, ranking in first.topics.items():
            other = later.topics[name]
            assert ranking.length == other.length
            assert ranking.documents == other.documents
            assert np.array_equal(ranking.ranks, other.ranks)
            assert np.array_equal(ranking.rows, other.rows)


def test_truncate_keeps_rounds() -> None:
    """Rounds of a Dynamic Domain run are cut along, in runs and in rankings."""
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
    """Every aspect keeps its grades, the share of relevant judgments that lose theirs is the one asked for."""
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
    """Where only relevant documents are listed grades can but be lost, and one of each aspect stays."""
    rows = [("1", aspect, f"d{i}", 2.0) for aspect in "ab" for i in range(5)]
    after = flip(Judgments.from_rows(rows), 1.0, 1)
    by_aspect = itertools.groupby(after.rows(), key=lambda row: row[1])
    assert {aspect: sum(grade for *_, grade in listed) for aspect, listed in by_aspect} == {"a": 2.0, "b": 2.0}


def test_thin_forgets_documents_with_all_their_aspects() -> None:
    """A document is judged for all its aspects or for none, about the share asked for goes, grades stay."""
    after = thin(JUDGMENTS, 0.4, 1)
    before = set(JUDGMENTS.rows())
    assert set(after.rows()) <= before
    kept = {(topic, doc) for topic, _, doc, _ in after.rows()}
    assert {row for row in before if (row[0], row[2]) in kept} == set(after.rows())
    judged = {(topic, doc) for topic, _, doc, _ in before}
    assert len(kept) / len(judged) == pytest.approx(0.6, abs=0.03)
    assert list(thin(JUDGMENTS, 0, 1).rows()) == list(JUDGMENTS.rows())


def test_thin_leaves_something_to_every_topic() -> None:
    """Even when everything is forgotten, a relevant document stays, or any where none was relevant."""
    rows = [*JUDGMENTS.rows(), ("empty", "1", "x", 0.0), ("empty", "1", "y", 0.0)]
    after = thin(Judgments.from_rows(rows), 1.0, 1)
    assert after.topics.keys() == {*JUDGMENTS.topics, "empty"}
    assert all(len(topic.documents) == 1 for topic in after.topics.values())
    assert all(topic.highest > 0 for name, topic in after.topics.items() if name != "empty")


def test_rankings_follow_thinned_judgments() -> None:
    """Carrying rankings over gives what ranking anew gives."""
    after = thin(JUDGMENTS, 0.5, 2)
    anew, carried = rank(after, RUN, OrderRule()), rejudged(rank(JUDGMENTS, RUN, OrderRule()), JUDGMENTS, after)
    for name, ranking in anew.topics.items():
        assert np.array_equal(ranking.ranks, carried.topics[name].ranks)
        assert np.array_equal(ranking.rows, carried.topics[name].rows)
        assert ranking.length == carried.topics[name].length


def test_scenarios_can_be_joined() -> None:
    """The paper's second experiment does all three at once: weights drawn after grades leave the grades."""
    after = reweight(regrade(JUDGMENTS, 1), 1)
    assert after.aspect_weights() == reweight(JUDGMENTS, 1).aspect_weights()
    assert relevances(after, IDENTITY) == relevances(regrade(JUDGMENTS, 1), IDENTITY)
    with pytest.raises(InputError, match="identity"):
        JUDGMENTS.relevance(IDENTITY)


def test_generators_are_told_apart_by_all_their_names() -> None:
    """Seed and names decide, and names do not run into each other."""
    draws = {
        generator(seed, *names).random()
        for seed, names in [(1, ("a", "b")), (2, ("a", "b")), (1, ("ab",)), (1, ("b", "a")), (1, ("a",))]
    }
    assert len(draws) == 5
    assert generator(1, "täst").random() == generator(1, "täst").random()


def test_the_draw_is_the_same_everywhere() -> None:
    """A seed means the same on every machine: these draws are fixed for good."""
    assert generator(1, "regrade", "101").random() == pytest.approx(0.7378001762730706, abs=1e-12)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), "half", True])
def test_impossible_shares_are_refused(share: float) -> None:
    """A share is a number from 0 to 1."""
    for perturb in (flip, thin):
        with pytest.raises(UsageError, match=wording("share must be a number from 0 to 1")):
            perturb(JUDGMENTS, share, 1)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "1"])
def test_impossible_seeds_are_refused(seed: int) -> None:
    """A seed is a whole number that is not negative."""
    with pytest.raises(UsageError, match=wording("seed must be a whole number")):
        regrade(JUDGMENTS, seed)


@pytest.mark.parametrize("longest", [-1, 2.5, True])
def test_impossible_lengths_are_refused(longest: int) -> None:
    """A longest length is a whole number that is not negative."""
    with pytest.raises(UsageError, match=wording("longest must be a whole number")):
        truncate(RUN, 1, longest=longest)
