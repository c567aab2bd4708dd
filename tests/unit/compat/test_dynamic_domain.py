"""The scorers of TREC Dynamic Domain, compared with plain loops and values by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.metrics import parse
from support.refusals import warns


def one_topic(documents: Any, rounds: Any, scores: Any = None) -> Any:
    """A run with rounds for one topic."""
    return Run(
        "run",
        {"1": TopicRun(list(documents), None if scores is None else np.array(scores), None, np.array(rounds))},
        format="dynamic-domain",
    )


def random_session(seed: int) -> Any:
    """Passage judgments with repeats and ratings of 0, and a run with gaps between rounds and repeated documents."""
    rng = np.random.default_rng(seed)
    rows = [("1", f"s{rng.integers(0, 4)}", f"d{rng.integers(0, 15)}", float(rng.integers(0, 5))) for _ in range(40)]
    count = int(rng.integers(1, 25))
    documents = [f"d{rng.integers(0, 30)}" for _ in range(count)]
    rounds = np.sort(rng.integers(0, 7, count))
    return rows, documents, rounds


def plain_cube(rows: Any, documents: Any, rounds: Any, k: Any, year: Any) -> Any:
    """CT and ACT from the definitions of the scorers, one document at a time."""
    passages: dict[str, dict[str, list[float]]] = {}
    for _, aspect, document, rating in rows:
        passages.setdefault(document, {}).setdefault(aspect, []).append(rating or 1.0)
    aspects = {aspect for _, aspect, _, _ in rows}
    height, met = dict.fromkeys(aspects, 0.0), dict.fromkeys(aspects, 0)
    gain, total, count, seen = 0.0, 0.0, 0, set()
    last = min(int(rounds[-1]) + 1, k)
    listed = [(int(r), d) for r, d in zip(rounds, documents, strict=True)]
    if year == "2017":
        listed += [(r, "nothing") for r in range(int(rounds[-1]) + 1) if r not in set(rounds.tolist())]
    for number, document in sorted(listed, key=lambda item: item[0]):
        if number >= k:
            break
        for aspect, ratings in passages.get(document, {}).items() if document not in seen else ():
            descending = sorted(ratings, reverse=True)
            rho = sum(descending) if year == "2017" else sum(r / math.log2(j + 2) for j, r in enumerate(descending))
            if height[aspect] < 5:
                more = min(0.5 ** (met[aspect] + 1) * rho, 5 - height[aspect])
                height[aspect] += more
                gain += more / len(aspects)
                met[aspect] += 1
        seen.add(document)
        total += gain / 5 / (number + 1)
        count += 1
    return gain / 5 / last, total / count if count else 0.0


@pytest.mark.parametrize("year", ["2015", "2017"])
@pytest.mark.parametrize("seed", range(20))
def test_the_cube_test_equals_a_plain_loop(seed: int, year: str) -> None:
    """CT and ACT after 1, 3 and 10 rounds equal a plain loop, with gaps, repeats, full cubes and ratings of 0."""
    rows, documents, rounds = random_session(seed)
    judgments = Judgments.from_rows(rows, repeats=True)
    for k in (1, 3, 10):
        names = [f"cubetest.CT(year={year})@{k}", f"cubetest.ACT(year={year})@{k}"]
        found = evaluate(judgments, one_topic(documents, rounds), names).values[0, :, 0]
        assert found == pytest.approx(plain_cube(rows, documents, rounds, k, year), abs=1e-12), k


def test_a_run_without_rounds_has_five_documents_per_round() -> None:
    """A plain run scores the same as a run in rounds of five."""
    rows, documents, _ = random_session(3)
    documents = list(dict.fromkeys(documents))
    judgments = Judgments.from_rows(rows, repeats=True)
    plain = Run("run", {"1": TopicRun(documents, -np.arange(len(documents), dtype=float))})
    fives = one_topic(documents, [i // 5 for i in range(len(documents))])
    names = ["cubetest.CT(year=2017)@2", "cubetest.ACT(year=2015)@3", "cubetest.nCT@2", "cubetest.CT", "dd.nSDCG"]
    assert (evaluate(judgments, plain, names).values == evaluate(judgments, fives, names).values).all()


def test_nct_is_ct_over_its_bound() -> None:
    """With ratings 4 and 2 the bound is 4 + 2/2 = 5, a full cube, so nCT equals CT."""
    judgments = Judgments.from_rows([("1", "s", "a", 4), ("1", "s", "b", 2)], repeats=True)
    scores = evaluate(judgments, one_topic(["a"], [0]), ["cubetest.nCT@1", "cubetest.CT@1"])
    assert scores.values[0, :, 0].tolist() == pytest.approx([0.4, 0.4])


def test_2017_sorts_a_round_by_score_and_2015_does_not() -> None:
    """ACT is higher where the round is sorted by score."""
    judgments = Judgments.from_rows([("1", "s", "a", 4)], repeats=True)
    run = one_topic(["x", "a"], [0, 0], scores=[1.0, 2.0])
    names = ["cubetest.ACT(year=2017)@1", "cubetest.ACT(year=2015)@1"]
    assert evaluate(judgments, run, names).values[0, :, 0].tolist() == pytest.approx([0.4, 0.2])


def test_canonical_names_contain_the_year() -> None:
    """The name of a Cube Test metric always states the year of the scorer."""
    assert parse("cubetest.CT@10").name == "cubetest.CT(year=2017)@10"
    assert parse("cubetest.ACT(year=2015)@10").name == "cubetest.ACT(year=2015)@10"


def test_err_is_over_the_aspects_of_the_run() -> None:
    """Aspects without a retrieved document are left out of dd.ERR unless over=all."""
    judgments = Judgments.from_rows([("1", "s", "a", 4), ("1", "t", "b", 2), ("1", "u", "c", 1)], repeats=True)
    names = [
        "dd.ERR",
        "dd.ERR(mean=harmonic)",
        "dd.ERR(over=all)",
        "dd.ERR(mean=harmonic,over=all)",
        "dd.ERR(relevance=binary)",
        "dd.ERR@1",
    ]
    found = evaluate(judgments, one_topic(["a", "b"], [0, 0]), names).values[0, :, 0]
    s, t = 15 / 16, 3 / 16 / 2
    assert found == pytest.approx([(s + t) / 2, 2 / (1 / s + 1 / t), (s + t) / 3, 0.0, 0.75, s])


def test_err_takes_the_best_passage_of_a_document() -> None:
    """Two ratings of a document on one aspect count as the higher one."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "s", "a", 3)], repeats=True)
    assert evaluate(judgments, one_topic(["a"], [0]), "dd.ERR").values[0, 0, 0] == 7 / 16


def test_precision_down_to_full_coverage() -> None:
    """With full coverage at rank 3, precision is over three documents, and a repeated aspect counts half in mP."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "s", "b", 1), ("1", "t", "b", 1), ("1", "t", "c", 1)])
    names = ["dd.P_at_recall", "dd.mP_at_recall", "dd.RR_at_recall"]
    found = evaluate(judgments, one_topic(["a", "x", "b", "c"], [0] * 4), names).values[0, :, 0]
    assert found == pytest.approx([2 / 3, 1.5 / 3, 1 / 3])


def test_without_full_coverage_the_full_list_counts() -> None:
    """Without full coverage, precision is over the full list, and RR is 1/n, whereas SRR is 0."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "t", "b", 1)])
    names = ["dd.P_at_recall", "dd.mP_at_recall", "dd.RR_at_recall", "dd.RR_at_recall@2", "SRR"]
    found = evaluate(judgments, one_topic(["a", "x", "y", "z"], [0] * 4), names).values[0, :, 0]
    assert found == pytest.approx([1 / 4, 1 / 4, 1 / 4, 1 / 2, 0.0])


def test_session_dcg_by_hand() -> None:
    """nSDCG of two rounds is divided by an ideal of one round and by the number of rounds."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "s", "b", 2)], repeats=True)
    value = evaluate(judgments, one_topic(["a", "b"], [0, 1]), "dd.nSDCG").values[0, 0, 0]
    assert value == pytest.approx((1 + 3 / 2) / (3 + 1 / math.log2(3)) / 2)


def test_a_topic_the_run_lacks_is_0() -> None:
    """All metrics are 0, without a division by zero, for a topic that the run lacks."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("2", "s", "a", 1)], repeats=True)
    names = ["cubetest.CT@10", "cubetest.ACT(year=2015)@10", "cubetest.nCT@10", "dd.ERR", "dd.P_at_recall"]
    with warns("missing-topics", "1", "2"):
        scores = evaluate(judgments, one_topic(["a"], [0]), [*names, "dd.mP_at_recall", "dd.RR_at_recall", "dd.nSDCG"])
    assert (scores.values[0, :, 1] == 0.0).all()
    assert not scores.counted[0, :, 1].any()
