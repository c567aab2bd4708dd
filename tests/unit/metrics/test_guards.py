"""Errors that must not pass silently: numbers of another kind, arrays that do not fit, topics without ratings."""

from __future__ import annotations

import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.metrics import Ranking, parse
from diveval.metrics.algebra import Aspects, Cascade, weighted_sum
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.catalogue import OWN
from diveval.metrics.formulas import Judged
from diveval.metrics.ideal import Greedy, greedy_generic
from diveval.metrics.numbers import Floats, Numbers, exactly
from diveval.metrics.subtopics import SubtopicReciprocalRank
from support.present import present
from support.refusals import refuses, warns

NAMES = [entry.metric({}, cutoff).name for entry in OWN if entry.name != "Judged" for cutoff in (None, 3)]
WEIGHTED = [name for name in NAMES if present(parse(name).entry).diversity and not name.startswith(("StRecall", "SRR"))]


class Fractions(Numbers):
    """Exact rationals; a logarithm is the exact value of its nearest double."""

    def of(self, value: Any) -> Any:
        return exactly(value)

    def positive(self, value: Any) -> Any:
        return F(int(value > 0))

    def below(self, value: Any, limit: Any) -> Any:
        return F(int(value < limit))

    def largest(self, values: Any) -> Any:
        return max(values)

    def inverse_log(self, argument: Any) -> Any:
        return F(1 / math.log2(argument))


@pytest.mark.parametrize("name", NAMES)
def test_fractions_give_a_fraction(name: Any) -> None:
    """Also for an empty ranking, an empty pool, and irrelevant documents only."""
    rankings: list[list[list[F | int]]] = [[], [[1, 0], [F(1, 2), 1]], [[0, 0], [0, 0]]]
    pools: list[list[list[F | int]]] = [[[1, 0], [0, F(1, 2)]], []]
    for rows in rankings:
        for pool in pools:
            ranking = Ranking.of(rows, weights=[F(1, 4), F(3, 4)], pool=pool, numbers=Fractions())
            value = parse(name).exact(ranking)
            assert type(value) is F, (rows, pool)
            if not rows:
                assert value == 0


def test_a_ranking_without_aspects_scores_a_fraction_of_0() -> None:
    """With no aspect to cover the value is the fraction 0."""
    ranking = Ranking(np.zeros((2, 0)), np.zeros(0), np.zeros((0, 0)), Fractions())
    for name in ("StRecall", "StRecall@1", "P_IA", "DCG_IA", "AP_IA", "ERR_IA"):
        value = parse(name).exact(ranking)
        assert (value, type(value)) == (0, F)


def batch(weights: Any) -> Any:
    """One system with two relevant documents over two aspects."""
    relevance, pool = np.array([[[0.5, 1.0]], [[0.25, 0.0]]]), np.array([[0.5, 1.0], [0.25, 0.0]])
    return Batch.of_topic(relevance, np.array([[1, 3]]), np.array([4]), np.array(weights), pool)


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_do_not_fit_are_refused(name: Any) -> None:
    """Three weights for two aspects, or one, are an error."""
    assert parse(name).score(batch([0.5, 0.5])).shape == (1,)
    for weights in ([0.25, 0.5, 0.25], [1.0]):
        with pytest.raises(ValueError, match=r"zip\(\)|broadcast"):
            parse(name).score(batch(weights))


def test_sums_and_ideals_check_shapes() -> None:
    """Each value needs a weight, each document one grade per aspect."""
    with pytest.raises(ValueError, match="argument 2"):
        weighted_sum(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="argument 2"):
        weighted_sum(np.ones((3, 2)), np.ones(2))
    for rows in ([[1.0, 0.5, 0.25]], [[1.0]]):
        with pytest.raises(ValueError, match=r"zip\(\)"):
            greedy_generic(rows, [0.5, 0.5], Cascade(), [0.0], Floats(), None)
    with pytest.raises(ValueError, match=r"zip\(\)"):
        parse("D_nDCG").exact(Ranking(np.ones((2, 2)), np.ones(3), np.ones((1, 2))))
    assert Aspects().weigh(Ranking.of([[1, 0]], weights=[0.25, 0.75])) == [0.25, 0.75]


def test_the_cube_test_of_an_unrated_topic_is_0() -> None:
    """Ratings below 0 mark unrated passages: nothing can be gained, and nothing fails."""
    judgments = Judgments.from_rows([("1", "s", "a", -1), ("2", "s", "a", 2)], repeats=True)
    run = Run("run", {t: TopicRun(["a"], None, None, np.array([0])) for t in ("1", "2")}, format="dynamic-domain")
    names = ["cubetest.CT@1", "cubetest.ACT(year=2015)@1", "cubetest.nCT@1", "dd.nSDCG"]
    scores = evaluate(judgments, run, names)
    assert scores.values[0, :, 0].tolist() == [0.0] * 4
    assert (scores.values[0, :, 1] > 0).all()


def test_names_are_limited_to_200_characters() -> None:
    """A name of 200 characters is parsed, one of 201 is an error."""
    padded = "P" + " " * 197 + "@5"
    assert (len(padded), parse(padded).name) == (200, "P@5")
    with refuses("metric-syntax", "200", "201"):
        parse(padded + " ")


def test_an_ideal_that_is_not_proven_is_greedy_with_a_warning_or_refused() -> None:
    """If the best list is not proven, `best` uses the greedy one with a warning, and `exact` is an error."""
    rng = np.random.default_rng(5)
    pool = rng.integers(1, 7, (4, 30)) / 8
    wide = Batch.of_topic(pool[:, None, :3], np.array([[1, 2, 3]]), np.array([3]), np.full(4, 0.25), pool)
    with warns("ideal-not-proven", "30"):
        value = parse("alpha_nDCG(ideal=best)").formula.score(wide)
    assert value.tolist() == parse("alpha_nDCG").formula.score(wide).tolist()
    with refuses("ideal-not-proven", "30", "2000"):
        parse("alpha_nDCG(ideal=exact)").formula.score(wide)


def test_the_share_of_judged_documents() -> None:
    """The share is over the documents down to the cutoff; it has no exact form."""
    judgments = {"1": {"s": {"a": 1, "b": 0}}}
    runs = {"x": {"1": {"a": 3.0, "u": 2.0, "b": 1.0}}, "y": {"1": {"u": 2.0, "v": 1.0}}}
    scores = evaluate(judgments, runs, ["Judged", "Judged@1", "Judged@2", "Judged@9"])
    assert scores.values[:, :, 0].tolist() == [[pytest.approx(2 / 3), 1.0, 0.5, pytest.approx(2 / 3)], [0.0] * 4]
    with refuses("metric-not-exact"):
        Judged().exact(Ranking.of([[1]]))
    assert PADDING == 2**63 - 1


def test_gains_within_1e_12_are_tied_in_an_ideal_list() -> None:
    """A relative difference of 5e-13 is a tie and the first is taken; 1.5e-12 is none, whatever the scale."""
    for best in (1.0, 1e-6, 1e6):
        nearly, less = best * (1 - 5e-13), best * (1 - 1.5e-12)
        assert greedy_generic([[nearly], [best]], [1.0], Cascade(), [0.0, 0.0], Floats(), 1) == [nearly]
        assert greedy_generic([[less], [best]], [1.0], Cascade(), [0.0, 0.0], Floats(), 1) == [best]
        for first, taken in ((nearly, nearly), (less, best)):
            pool = np.array([[first, best]])
            assert Greedy(pool[np.newaxis], np.ones((1, 1)), Cascade(), np.zeros((1, 2))).first(1).tolist() == [[taken]]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("S-RR@150%", ("invalid-cutoff", "150%", "SRR", "0", "100")),
        ("S-RR@-5%", ("invalid-cutoff", "-5%", "SRR", "0", "100")),
        ("RBU(p=0.8=3)", ("not-a-number", "0.8=3", "RBU", "0", "1")),
        ("P_10", ("unknown-metric", "P_10")),
        ("trec_eval.P_10@5", ("duplicate-parameter", "trec_eval.P", "@")),
        ("ndeval.strec", ("cutoff-needed", "ndeval.strec", "ndeval.strec@20")),
        ("trec_eval.P", ("cutoff-needed", "trec_eval.P", "trec_eval.P_20")),
        ("ndeval.NRBP@5", ("cutoff-not-taken", "@5", "ndeval.NRBP")),
        ("P@1000000000000000000", ("invalid-cutoff", "1000000000000000000", "P", "1")),
    ],
)
def test_the_error_for_an_invalid_name_explains_it(text: str, refusal: tuple[str, ...]) -> None:
    """The error says what was expected and what was given."""
    with refuses(*refusal):
        parse(text)


def test_a_share_of_aspects_as_a_percentage() -> None:
    """The coverage of S-RR may be a percentage, also a fractional one."""
    for text, share in (("S-RR@100%", 1.0), ("S-RR@50%", 0.5), ("S-RR@0.5%", 0.005)):
        formula = parse(text).formula
        assert isinstance(formula, SubtopicReciprocalRank) and formula.coverage == share
