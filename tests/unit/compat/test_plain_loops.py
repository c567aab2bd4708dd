"""Metrics under other tools' names equal reimplementations of the tools as plain loops."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from diveval import evaluate
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from support.drawn import draw
from support.shared import times

SEEDS = range(times(4, 8))
CUTOFFS = (1, 2, 5, 20, 50)


def lists(seed: int, **choices: Any) -> Iterator[Any]:
    """For each topic: the positive grades of each document by aspect, and the run's documents in order."""
    drawn = draw(seed, ties=False, **choices)
    for topic in drawn.topics:
        grades: dict[str, dict[str, int]] = {}
        for t, aspect, document, grade in drawn.judgments:
            if t == topic and grade > 0:
                grades.setdefault(document, {})[aspect] = grade
        shown = sorted(((score, d) for t, d, score in drawn.run if t == topic), reverse=True)
        yield drawn, topic, grades, [d for _, d in shown]


def values_of(drawn: Any, topic: Any, names: Any, grade: Any = lambda g: g, **choices: Any) -> Any:
    """The values of one topic, with the lines of the run ordered by score."""
    rows = [(t, a, d, grade(g)) for t, a, d, g in drawn.judgments]
    ordered = sorted(drawn.run, key=lambda row: -row[2])
    scores = evaluate(Judgments.from_rows(rows), Run.from_rows(ordered), list(names), **choices)
    return scores.values[0, :, scores.topics.index(topic)].tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_gdeval_to_the_last_bit(seed: int) -> None:
    """nDCG and ERR of the best grade equal sums in the order of the script."""
    for drawn, topic, grades, run in lists(seed, highest=4):
        best = {d: max(by.values()) for d, by in grades.items()}
        names, expected = [], []
        for k in CUTOFFS:
            gained = [(2.0 ** best.get(d, 0) - 1) / 16 for d in run[:k]]
            ideal = sorted(((2.0**g - 1) / 16 for g in best.values()), reverse=True)[:k]
            dcg, top = (
                sum((g / (math.log(i + 1) / math.log(2.0)) for i, g in enumerate(some, 1)), 0.0) if some else 0.0
                for some in (gained, ideal)
            )
            err, left = 0.0, 1.0
            for i, r in enumerate(gained, 1):
                err += r * left / i
                left *= 1.0 - r
            names += [f"gdeval.nDCG@{k}", f"gdeval.ERR@{k}"]
            expected += [dcg / top if top else 0.0, err]
        assert values_of(drawn, topic, names) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_cwl_by_loops(seed: int) -> None:
    """RBP over 1000 ranks, P and RR equal plain loops for gains between 0 and 1 and short lists."""
    for drawn, topic, grades, run in lists(seed):
        gains = [max(grades.get(d, {"": 0}).values()) / 4 for d in run]
        rbp = 0.3 / (1 - 0.7**1000) * sum(0.7**i * g for i, g in enumerate(gains))
        rr = next((g / i for i, g in enumerate(gains, 1) if g > 0), 0.0)
        names = ["cwl.RBP(theta=0.7)", "cwl.RR", *(f"cwl.P@{k}" for k in CUTOFFS)]
        expected = [rbp, rr, *(sum(gains[:k]) / k for k in CUTOFFS)]
        assert values_of(drawn, topic, names, lambda g: max(g, 0) / 4) == pytest.approx(expected, rel=1e-13, abs=0)


def test_cwl_ends_at_rank_1000() -> None:
    """A relevant document counts at rank 1000 but not at 1001, and a larger cutoff means 1000."""
    judgments = Judgments.from_rows([("1", "0", "a", 1)])
    for before, rr, p in ((999, 1 / 1000, 1 / 1000), (1000, 0.0, 0.0)):
        run = Run("run", {"1": TopicRun([*(f"x{i}" for i in range(before)), "a"])})
        assert evaluate(judgments, run, ["cwl.RR", "cwl.P@2000"]).values[0, :, 0].tolist() == [rr, p]


def test_boundary_cases_of_trec_eval() -> None:
    """A relevant document below rank R, a non-relevant one above, gains below 1, and no relevant document found."""
    one = Judgments.from_rows([("1", "0", "a", 1), ("1", "0", "b", 0)])
    names = ["trec_eval.Rprec", "trec_eval.bpref", "trec_eval.recip_rank", "trec_eval.success_1", "trec_eval.success_2"]
    for listed, values in ((["b", "a"], [0, 0, 0.5, 0, 1]), (["a", "b"], [1] * 5), (["b", "x"], [0] * 5)):
        assert evaluate(one, Run("run", {"1": TopicRun(listed)}), names).values[0, :, 0].tolist() == values
    half = Judgments.from_rows([("1", "0", "a", 0.5), ("1", "0", "b", 0.25)])
    run = Run("run", {"1": TopicRun(["b", "a"])})
    values_of = evaluate(half, run, ["trec_eval.ndcg", "trec_eval.ndcg_cut_1"]).values[0, :, 0].tolist()
    assert values_of == pytest.approx([(0.25 + 0.5 / math.log2(3)) / (0.5 + 0.25 / math.log2(3)), 0.5])


# --- NTCIREVAL -------------------------------------------------------------------------------------------------------


def ntcir(grades: Any, run: Any, weights: Any, k: Any, top: Any) -> Any:
    """The D-measures of one list, by name, from global gains with six digits."""
    gg = {d: float(f"{sum(weights[a] * g for a, g in by.items()):.6g}") for d, by in grades.items()}
    ideal = sorted(gg.values(), reverse=True)
    highest = top or (ideal[0] if ideal else 0.0)
    relevant = sum(g > 0 for g in ideal)
    seen = [gg.get(d, 0.0) for d in run[:k]]
    hits, gained, could, left = 0, 0.0, 0.0, 1.0
    out = dict.fromkeys(("AP", "Q", "ERR", "EBR", "RBP", "DCG", "JK", "iRBU"), 0.0)
    for i, g in enumerate(seen, 1):
        hits, gained = hits + (g > 0), gained + g
        could += ideal[i - 1] if i <= len(ideal) else 0.0
        blended, r = (hits + gained) / (i + could), g / (highest + 1)
        out["AP"] += (g > 0) * hits / i
        out["Q"] += (g > 0) * blended
        out["ERR"] += r * left / i
        out["EBR"] += r * left * blended
        out["iRBU"] += 0.99**i * r * left
        out["RBP"] += 0.05 * 0.95 ** (i - 1) * g / highest if highest else 0.0
        out["DCG"] += g / math.log(i + 1)
        out["JK"] += g / (math.log2(i) if i > 1 else 1.0)
        left *= 1 - r
    most = min(k, relevant)
    best, left, best_jk, best_err = 0.0, 1.0, 0.0, 0.0
    for i, g in enumerate(ideal[:k], 1):
        best, best_jk = best + g / math.log(i + 1), best_jk + g / max(math.log2(i), 1.0)
        best_err += g / (highest + 1) * left / i
        left *= 1 - g / (highest + 1)
    for name, by in (("AP", most), ("Q", most), ("DCG", best), ("JK", best_jk)):
        out[name] = out[name] / by if by else 0.0
    return out | {"nERR": out["ERR"] / best_err if best_err else 0.0}


NTCIR = {
    "D_nDCG": "DCG",
    "D_nDCG_JK": "JK",
    "D_Q": "Q",
    "D_AP": "AP",
    "D_ERR": "ERR",
    "D_nERR": "nERR",
    "D_EBR": "EBR",
    "D_RBP": "RBP",
    "iRBU": "iRBU",
}


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("top", [0, 5])
@pytest.mark.parametrize("seed", SEEDS)
def test_ntcireval_by_loops(seed: int, top: int) -> None:
    """Nine measures at five depths equal plain loops, also with an intent of probability 0."""
    for drawn, topic, grades, run in lists(seed):
        aspects = sorted({a for t, a, _, _ in drawn.judgments if t == topic})
        weights = {a: (0.0, 0.31, 0.07, 0.22, 0.4)[i] for i, a in enumerate(aspects)}
        given = {(topic, a): w for a, w in weights.items()}
        every = {(t, a): given.get((t, a), 1.0) for t, a, _, _ in drawn.judgments}
        for k in CUTOFFS:
            plain = ntcir(grades, run, weights, k, top)
            names = [f"ntcireval.{name}(top={top})@{k}" for name in NTCIR]
            values = values_of(drawn, topic, names, weights=every)
            assert values == pytest.approx([plain[key] for key in NTCIR.values()], rel=1e-12, abs=1e-15), (topic, k)


# --- TREC Dynamic Domain ---------------------------------------------------------------------------------------------


def session(seed: int) -> Any:
    """Passages with ratings from 0 to 4, and a run in rounds with gaps and repeats."""
    rng = np.random.default_rng(seed)
    rows = [("1", f"s{rng.integers(0, 4)}", f"d{rng.integers(0, 15)}", float(rng.integers(0, 5))) for _ in range(30)]
    count = int(rng.integers(1, 25))
    documents = [f"d{rng.integers(0, 30)}" for _ in range(count)]
    return rows, documents, np.sort(rng.integers(0, 7, count))


def ratings(rows: Any, *, discounted: Any) -> Any:
    """ρ by document and aspect: the sum of the passages' ratings, optionally discounted by 1/log2(j+1)."""
    passages: dict[str, dict[str, list[float]]] = {}
    for _, aspect, document, rating in rows:
        passages.setdefault(document, {}).setdefault(aspect, []).append(rating or 1.0)
    return {
        d: {
            a: sum(r / math.log2(j + 2) if discounted else r for j, r in enumerate(sorted(rs, reverse=True)))
            for a, rs in by.items()
        }
        for d, by in passages.items()
    }


def plain_session(rows: Any, documents: Any, rounds: Any, k: Any, base: Any) -> Any:
    """nSDCG from its definition."""
    aspects = {aspect for _, aspect, _, _ in rows}
    gains = {d: 2 ** (sum(by.values()) / len(aspects)) - 1 for d, by in ratings(rows, discounted=True).items()}

    def worth(gain: Any, place: Any, nth: Any) -> Any:
        return gain / math.log2(place + 1) / (1 + math.log(nth) / math.log(base))

    total, place, nth, before, shown, last, seen = 0.0, 0, 0, None, 0, 0, set()
    for number, document in zip(rounds.tolist(), documents, strict=True):
        if number >= k:
            break
        place, nth = (place + 1, nth) if number == before else (1, nth + 1)
        total += worth(gains.get(document, 0.0) if document not in seen else 0.0, place, nth)
        seen.add(document)
        before, shown, last = number, shown + 1, number + 1
    descending = sorted(gains.values(), reverse=True)[:shown]
    best = sum(worth(g, i % 5 + 1, i // 5 + 1) for i, g in enumerate(descending))
    return total / best / last if shown else 0.0


def in_rounds(documents: Any, rounds: Any) -> Any:
    return Run("run", {"1": TopicRun(list(documents), None, None, np.asarray(rounds))}, format="dynamic-domain")


@pytest.mark.parametrize("seed", range(times(5, 12)))
def test_session_dcg_by_loops(seed: int) -> None:
    """nSDCG after 1, 2, 4 and all rounds, with two bases of the logarithm, equals a plain loop."""
    rows, documents, rounds = session(seed)
    judgments, run = Judgments.from_rows(rows, repeats=True), in_rounds(documents, rounds)
    for k, depth in ((1, "@1"), (2, "@2"), (4, "@4"), (99, "")):
        values = evaluate(judgments, run, [f"dd.nSDCG{depth}", f"dd.nSDCG(base=3){depth}"]).values[0, :, 0]
        expected = [plain_session(rows, documents, rounds, k, base) for base in (2, 3)]
        assert values == pytest.approx(expected, rel=1e-12), k


@pytest.mark.parametrize("seed", range(times(5, 12)))
def test_the_bound_of_the_cube_test_by_loops(seed: int) -> None:
    """nCT is CT divided by cubes filled with the best 5k + 1 documents of each aspect, each worth half the previous."""
    rows, documents, rounds = session(seed)
    judgments, run = Judgments.from_rows(rows, repeats=True), in_rounds(documents, rounds)
    aspects = sorted({aspect for _, aspect, _, _ in rows})
    for k in (1, 2, 5):
        filled = 0.0
        for aspect in aspects:
            descending = sorted((by.get(aspect, 0.0) for by in ratings(rows, discounted=False).values()), reverse=True)
            filled += min(5.0, sum(r / 2**i for i, r in enumerate(descending[: 5 * k + 1])))
        ct, nct = evaluate(judgments, run, [f"cubetest.CT@{k}", f"cubetest.nCT@{k}"]).values[0, :, 0]
        assert nct == pytest.approx(ct / (filled / len(aspects) / 5 / k), rel=1e-12)


def test_an_ideal_below_1_is_used() -> None:
    """An ideal of 2^(1/4) − 1, far below 1, is used as it is, and a run that reaches it scores 1."""
    rows = [("1", "s", "a", 1.0), *(("1", aspect, "b", 4.0) for aspect in "tuv")]
    judgments = Judgments.from_rows([*rows[:1], *((t, a, d, -1.0) for t, a, d, _ in rows[1:])], repeats=True)
    assert evaluate(judgments, in_rounds(["a"], [0]), "dd.nSDCG").values[0, 0, 0] == 1.0


def test_documents_after_full_coverage_do_not_count() -> None:
    """Documents below the rank of full coverage do not change the scores."""
    judgments = Judgments.from_rows([("1", "s", "a", 1), ("1", "t", "a", 1), ("1", "t", "b", 1)])
    names = ["dd.P_at_recall", "dd.mP_at_recall", "dd.RR_at_recall", "dd.P_at_recall@1"]
    for listed, values in ((["a", "x", "b"], [1, 1, 1, 1]), (["x", "a", "b"], [0.5, 0.5, 0.5, 0])):
        assert evaluate(judgments, in_rounds(listed, [0, 0, 0]), names).values[0, :, 0].tolist() == values


@pytest.mark.parametrize("seed", SEEDS)
def test_err_per_aspect_by_loops(seed: int) -> None:
    """Both means, over touched and all aspects, with graded and binary relevance, equal plain loops."""
    for drawn, topic, grades, run in lists(seed, highest=4):
        aspects = sorted({a for by in grades.values() for a in by})
        names, expected = [], []
        for kind in ("graded", "binary"):
            errs = []
            for aspect in aspects:
                err, left = 0.0, 1.0
                for i, d in enumerate(run, 1):
                    g = grades.get(d, {}).get(aspect, 0)
                    r = (2**g - 1) / 16 if kind == "graded" else float(g > 0)
                    err, left = err + r * left / i, left * (1 - r)
                errs.append(err)
            for over in ("touched", "all"):
                some = [e for e in errs if e > 0] if over == "touched" else errs
                names += [f"dd.ERR(mean={mean},over={over},relevance={kind})" for mean in ("arithmetic", "harmonic")]
                expected.append(sum(some) / len(some) if some else 0.0)
                expected.append(len(some) / sum(1 / e for e in some) if some and all(some) else 0.0)
        with np.errstate(divide="raise"):
            assert values_of(drawn, topic, names) == pytest.approx(expected, rel=1e-12)


# --- EvALL -----------------------------------------------------------------------------------------------------------


def test_evall_is_nan_for_some_runs_only() -> None:
    """Only runs with a document that has grade 0 for an aspect without relevant documents score NaN."""
    rows = [("1", "1", "a", 1), ("1", "2", "b", 2), ("1", "1", "c", 0), ("1", "3", "d", 0)]
    listed = {"x": ["a", "b"], "y": ["d", "a"], "z": ["c", "b", "d"], "e": ["c", "u"]}
    runs = [Run(name, {"1": TopicRun(documents)}) for name, documents in listed.items()]
    values = evaluate(Judgments.from_rows(rows), runs, ["evall.RBU(empty=nan)", "evall.RBU"]).values[:, :, 0]
    assert np.isnan(values[:, 0]).tolist() == [False, True, True, False]
    assert np.isfinite(values[:, 1]).all()


def test_nnrbp_uses_more_than_64_documents() -> None:
    """NRBP and nNRBP include documents beyond the first 64 where they still count."""
    rows = [("1", "1", f"d{i:03}", 1) for i in range(300)]
    run = Run("run", {"1": TopicRun([f"d{i:03}" for i in range(299, -1, -1)], -np.arange(300.0))})
    for alpha, beta in ((0.0, 0.9), (0.01, 0.99), (0.5, 0.5)):
        worth = [(1 - alpha) ** i * beta**i for i in range(300)]
        names = [f"ndeval.NRBP(alpha={alpha},beta={beta})", f"ndeval.nNRBP(alpha={alpha},beta={beta})"]
        nrbp, share = evaluate(Judgments.from_rows(rows), run, names).values[0, :, 0]
        assert nrbp == pytest.approx((1 - (1 - alpha) * beta) * sum(worth), rel=1e-13)
        assert share == pytest.approx(1.0, rel=1e-15)
