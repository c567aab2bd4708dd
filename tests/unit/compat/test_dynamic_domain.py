"""The scorers of TREC Dynamic Domain against plain loops and by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.judgments import Judgments
from diveval.metrics import parse
from diveval.runs import Run, TopicRun


def one_topic(documents: Any, rounds: Any, scores: Any = None) -> Any:
    """A run in rounds, lines as given."""
    return Run(
        "run",
        {"1": TopicRun(list(documents), None if scores is None else np.array(scores), None, np.array(rounds))},
        format="dynamic-domain",
    )


def drawn(seed: int) -> Any:
    """Passage judgments with repeats and ratings of 0, and a run with gaps between rounds and repeated documents."""
    rng = np.random.default_rng(seed)
    rows = [("1", f"s{rng.integers(0, 4)}", f"d{rng.integers(0, 15)}", float(rng.integers(0, 5))) for _ in range(40)]
    count = int(rng.integers(1, 25))
    documents = [f"d{rng.integers(0, 30)}" for _ in range(count)]
    rounds = np.sort(rng.integers(0, 7, count))
    return rows, documents, rounds


def plain_cube(rows: Any, documents: Any, rounds: Any, k: Any, year: Any) -> Any:
    """CT and ACT by the words of the scorers, one document after the other."""
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
            falling = sorted(ratings, reverse=True)
            rho = sum(falling) if year == "2017" else sum(r / math.log2(j + 2) for j, r in enumerate(falling))
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
def test_the_cube_test_is_what_a_plain_loop_finds(seed: int, year: str) -> None:
    """CT and ACT after 1, 3 and 10 rounds, with gaps, repeats, full cubes and ratings of 0."""
    rows, documents, rounds = drawn(seed)
    judgments = Judgments.from_rows(rows, repeats=True)
    for k in (1, 3, 10):
        names = [f"cubetest.CT(year={year})@{k}", f"cubetest.ACT(year={year})@{k}"]
        found = evaluate(judgments, one_topic(documents, rounds), names).values[0, :, 0]
        assert found == pytest.approx(plain_cube(rows, documents, rounds, k, year), abs=1e-12), k


def test_a_run_without_rounds_shows_five_documents_a_round() -> None:
    """The same list as a plain run and in rounds of five; one round more than there is changes nothing."""
    rows, documents, _ = drawn(3)
    documents = list(dict.fromkeys(documents))
    judgments = Judgments.from_rows(rows, repeats=True)
    plain = Run("run", {"1": TopicRun(documents, -np.arange(len(documents), dtype=float))})
    fives = one_topic(documents, [i // 5 for i in range(len(documents))])
    names = ["cubetest.CT(year=2017)@2", "cubetest.ACT(year=2015)@3", "cubetest.nCT@2", "cubetest.CT", "dd.nSDCG"]
    assert (evaluate(judgments, plain, names).values == evaluate(judgments, fives, names).values).all()


def test_nct_is_ct_over_its_bound() -> None:
    """One aspect with ratings 4 and 2: the bound is 4 + 2/2 = 5, a full cube in one round; the run fills half of 4."""
    judgments = Judgments.from_rows([("1", "s", "a", 4), ("1", "s", "b", 2)], repeats=True)
    scores = evaluate(judgments, one_topic(["a"], [0]), ["cubetest.nCT@1", "cubetest.CT@1"])
    assert scores.values[0, :, 0].tolist() == pytest.approx([0.4, 0.4])


def test_2017_sorts_a_round_by_score_and_2015_does_not() -> None:
    """ACT sees the better document first only where the round is sorted."""
    judgments = Judgments.from_rows([("1", "s", "a", 4)], repeats=True)
    run = one_topic(["x", "a"], [0, 0], scores=[1.0, 2.0])
    names = ["cubetest.ACT(year=2017)@1", "cubetest.ACT(year=2015)@1"]
    assert evaluate(judgments, run, names).values[0, :, 0].tolist() == pytest.approx([0.4, 0.2])


def test_the_years_are_named() -> None:
    """The canonical text says whose scorer it is."""
    assert parse("cubetest.CT@10").name == "cubetest.CT(year=2017)@10"
    assert parse("cubetest.ACT(year=2015)@10").name == "cubetest.ACT(year=2015)@10"


def test_err_over_the_aspects_the_run_touched() -> None:
    """Aspect s at rank 1 with grade 4, t at rank 2 with 2, u never: u is left out unless all are asked for."""
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
    """Ratings 1 and 3 of one document on one aspect count as 3."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "s", "a", 3)], repeats=True)
    assert evaluate(judgments, one_topic(["a"], [0]), "dd.ERR").values[0, 0, 0] == 7 / 16


def test_precision_down_to_full_coverage() -> None:
    """Both aspects are seen at rank 3, of which two are relevant; b repeats an aspect, so half of it is new."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "s", "b", 1), ("1", "t", "b", 1), ("1", "t", "c", 1)])
    names = ["dd.P_at_recall", "dd.mP_at_recall", "dd.RR_at_recall"]
    found = evaluate(judgments, one_topic(["a", "x", "b", "c"], [0] * 4), names).values[0, :, 0]
    assert found == pytest.approx([2 / 3, 1.5 / 3, 1 / 3])


def test_without_full_coverage_the_whole_list_is_read() -> None:
    """One aspect of two in four documents: 1/4 of the list relevant, and 1/n as if it had been complete."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "t", "b", 1)])
    names = ["dd.P_at_recall", "dd.mP_at_recall", "dd.RR_at_recall", "dd.RR_at_recall@2", "SRR"]
    found = evaluate(judgments, one_topic(["a", "x", "y", "z"], [0] * 4), names).values[0, :, 0]
    assert found == pytest.approx([1 / 4, 1 / 4, 1 / 4, 1 / 2, 0.0])


def test_session_dcg_by_hand() -> None:
    """Two rounds of one document each; the ideal shows both in one round; the last round is the second."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "s", "b", 2)], repeats=True)
    value = evaluate(judgments, one_topic(["a", "b"], [0, 1]), "dd.nSDCG").values[0, 0, 0]
    assert value == pytest.approx((1 + 3 / 2) / (3 + 1 / math.log2(3)) / 2)


def test_a_topic_the_run_lacks_is_0() -> None:
    """An empty list divides nothing by nothing."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("2", "s", "a", 1)], repeats=True)
    names = ["cubetest.CT@10", "cubetest.ACT(year=2015)@10", "cubetest.nCT@10", "dd.ERR", "dd.P_at_recall"]
    with pytest.warns(match="1.*2"):
        scores = evaluate(judgments, one_topic(["a"], [0]), [*names, "dd.mP_at_recall", "dd.RR_at_recall", "dd.nSDCG"])
    assert (scores.values[0, :, 1] == 0.0).all()
    assert not scores.counted[0, :, 1].any()
