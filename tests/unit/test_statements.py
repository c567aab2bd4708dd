"""Every generated sentence is true of the numbers beside it: facts of every kind, recomputed by independent code.

Collections are small, random and in odd shapes. A kind of statement without a check here fails the last test.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.analysis import choose as _choose
from diveval.analysis.losses import losses
from diveval.analysis.why import why
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.conclusions import conclude
from diveval.publishing.captions import caption_figures
from diveval.publishing.methods import describe_methods
from diveval.publishing.results_table import results_table
from diveval.results import statements as declared
from diveval.results.scores import Scores
from diveval.results.statements import Statement
from diveval.settings import Options
from diveval.stats import compare
from diveval.views.board import MetricQuality
from diveval.views.headline import headline
from diveval.views.survival import Doubts, sentence
from support import plain_statements as plain
from support.plain_statements import METRICS, RBU, RECALL, Collection
from support.shared import times

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")]
SEEDS = range(times(16, 300))
CHECKED: Counter[str] = Counter()
FACTS: Counter[str] = Counter()


@dataclass
class Case:
    """A collection, its scores by diveval, and the values recomputed."""

    data: Collection
    judgments: Judgments
    runs: list[Run]
    scores: Scores
    values: dict[str, Any]  # by metric: run × topic

    @classmethod
    def of(cls, seed: int) -> Case:
        return cls.from_data(plain.draw(seed))

    @classmethod
    def from_data(cls, data: Collection) -> Case:
        judgments = Judgments.from_rows(data.judgments)
        runs = [Run.from_rows([(t, d, s) for t, d, _, s in rows], name=name) for name, rows in data.runs.items()]
        scores = diveval.evaluate(judgments, runs, list(METRICS))
        return cls(data, judgments, runs, scores, {metric: data.values(metric) for metric in METRICS})

    def means(self, metric: str) -> list[float]:
        return [float(row.mean()) for row in self.values[metric]]

    def run(self, name: str) -> int:
        return self.data.names.index(name)

    def metric(self, label: str) -> str:
        return dict(zip([*plain_labels(METRICS), *METRICS], [*METRICS, *METRICS], strict=True))[label]


def plain_labels(metrics: tuple[str, ...]) -> list[str]:
    """The labels of these four metrics, spelt out here."""
    known = dict(zip(METRICS, ("RBU@5", "S-Recall@5", "D#-nDCG@5", "α-nDCG@5 (TREC)"), strict=True))
    return [known[metric] for metric in metrics]


def near(x: float | None, y: float | None, within: float = 1e-9) -> bool:
    return x is y if x is None or y is None else abs(x - y) <= within


Check = Callable[..., bool]
CHECKS: dict[str, Check] = {}


def checks(kind: str) -> Callable[[Check], Check]:
    """Declare the check of a kind: it gets the case, the statement's evidence and its facts."""

    def declare(check: Check) -> Check:
        CHECKS[kind] = check
        return check

    return declare


def verify(case: Case, statements: Any, seed: int = 0) -> None:
    """Every statement against its check; its wording must accept its facts alone."""
    for one in statements:
        assert one.text
        assert CHECKS[one.kind](case, one.evidence, **one.facts), (seed, case.data.shape, one.kind, one.facts)
        CHECKED[one.kind] += 1
        FACTS[one.kind] += len(one.facts)


# --- compare ----------------------------------------------------------------------------------------------------------


@checks("pairs-that-differ")
def _(case: Case, rows: Any, metric: str, significant: int, tested: int, pairs: int, test: str) -> bool:
    found = plain.test_pairs(case.values[metric])
    told = {frozenset((case.run(row["run"]), case.run(row["other"]))) for row in rows if row["significant"]}
    agree = found.doubtful or told == {frozenset(pair) for pair in found.significant}
    return agree and significant == len(told) and pairs == tested == len(found.pairs) and f"over {pairs} " in test


@checks("intervals")
def _(case: Case, rows: Any, of: str, confidence: float, simultaneous: bool, correction: str) -> bool:
    for row in rows:
        excludes = row["low"] > 0 or row["high"] < 0
        if not row["low"] - 1e-12 <= row["estimate"] <= row["high"] + 1e-12 or excludes != row["significant"]:
            return False
    return (of, confidence, simultaneous, correction) == ("difference", 0.95, False, "holm")


@checks("few-judged")
def _(case: Case, rows: Any, few: Mapping[str, float], limit: float, depth: int) -> bool:
    shares = {run: case.data.judged(run, depth) for run in case.data.names}
    clear = {run for run, share in shares.items() if share < limit - 1e-9}
    return clear <= set(few) and all(near(shares[run], share) and share < limit for run, share in few.items())


@pytest.mark.parametrize("seed", SEEDS)
def test_compare(seed: int) -> None:
    """Which pairs differ, their intervals at their own levels, and the share of judged documents."""
    case = Case.of(seed)
    for metric in METRICS:
        found = compare(case.scores, metric)
        verify(case, found.statements, seed)
        for row in found.rows:
            gap = case.values[metric][case.run(row.run)] - case.values[metric][case.run(row.other)]
            assert near(row.difference, float(gap.mean()))
            if row.level is not None and row.low is not None and row.high is not None and gap.std() > 1e-9:
                assert np.allclose((row.low, row.high), plain.interval(gap, row.level), atol=1e-9)


# --- paper ------------------------------------------------------------------------------------------------------------


@checks("evaluated")
def _(case: Case, rows: Any, runs: int, topics: int, version: str) -> bool:
    return (runs, topics, version) == (len(case.data.runs), len(case.data.topics), diveval.__version__)


@checks("metrics-reported")
def _(case: Case, rows: Any, metrics: list[dict[str, Any]]) -> bool:
    numbers = [{"p": 0.9, "e": 0.01}, {}, {"lam": 0.5}, {"alpha": 0.5}]
    return [(m["label"], m["parameters"]) for m in metrics] == list(zip(plain_labels(METRICS), numbers, strict=True))


@checks("gain-by-metric")
def _(case: Case, rows: Any, groups: Any, highest: float) -> bool:
    gains = {metric: shared[0] for metrics, shared in groups for metric in metrics}
    binary = {metric for metric, gain in gains.items() if gain == "binary"}
    return binary == {"α-nDCG@5 (TREC)"} and len(gains) == 4 and highest == max(g for *_, g in case.data.judgments)


@checks("order-and-ties")
def _(case: Case, rows: Any, groups: Any) -> bool:
    return len(groups) == 1 and groups[0][1] == ["score", "docno-desc"]  # the order that `plain_evaluation` uses


@checks("missing-topics")
def _(case: Case, rows: Any, groups: Any, lacking: Mapping[str, str]) -> bool:
    whole, held = len(case.data.topics), {run: len(case.data.held(run)) for run in case.data.names}
    expected = {run: f"{count}/{whole}" for run, count in held.items() if count < whole}
    rules = {metric: shared[0] for metrics, shared in groups for metric in metrics}
    return dict(lacking) == expected and {m for m, rule in rules.items() if rule == "tool"} == {"α-nDCG@5 (TREC)"}


@checks("weights-and-empty")
def _(case: Case, rows: Any, weights: str, dropped: int, empty: int, rule: str) -> bool:
    every = {(t, a) for t, a, _, _ in case.data.judgments}
    relevant = {(t, a) for t, a, _, g in case.data.judgments if g > 0}
    return (weights, dropped, empty) == (
        "equal",
        len(every - relevant),
        len({t for t, _ in every} - {t for t, _ in relevant}),
    )


@checks("judged-share")
def _(case: Case, rows: Any, depth: int, least: float, most: float, few: list[str], limit: float) -> bool:
    shares = [case.data.judged(run, depth) for run in case.data.names]
    below = {run for run, share in zip(case.data.names, shares, strict=True) if share < limit - 1e-9}
    return near(least, min(shares)) and near(most, max(shares)) and below <= set(few)


@checks("significance-test")
def _(
    case: Case, rows: Any, baseline: str | None, test: str, citation: str, metrics: int, resamples: Any, seed: int
) -> bool:
    pairs = len(case.data.runs) * (len(case.data.runs) - 1) // 2
    counted = [plain.test_pairs(case.values[row["metric"]]) for row in rows]
    agree = all(p.doubtful or len(p.significant) == row["significant"] for p, row in zip(counted, rows, strict=True))
    return agree and baseline is None and resamples is None and metrics == 4 and f"over {pairs} " in test


@checks("assumptions")
def _(case: Case, rows: Any, test: str, topics: int, notes: Any, enough: int) -> bool:
    from scipy.stats import shapiro

    told = {metric for metric, note in notes if "Shapiro" in note or "normal" in note}
    for metric, label in zip(METRICS, plain_labels(METRICS), strict=True):
        gaps = [a - b for a, b in combinations(case.values[metric], 2)]
        levels = [shapiro(gap).pvalue for gap in gaps if len(gap) >= 3 and gap.std() > 1e-9]
        far, near_limit = any(p < 0.01 for p in levels), any(abs(p - 0.01) < 1e-3 for p in levels)
        if not near_limit and (label in told) != (far and topics < enough):
            return False
    return topics == len(case.data.topics)


@checks("table-caption")
def _(
    case: Case, rows: Any, runs: int, topics: int, baseline: Any, lettered: bool, test: str,
    lacking: list[str], judged: int, few: list[str], limit: float,
) -> bool:  # fmt: skip
    for row in rows:
        mean = case.means(row["metric"])
        best = max(round(x, 4) for x in mean)
        mine = mean[case.run(row["run"])]
        apart = min(round(x, 4) for x in mean) < best
        if not near(row["mean"], mine) or bool(row["best"]) != (apart and abs(round(mine, 4) - best) < 1e-12):
            return False
        if not near(row["judged"], case.data.judged(row["run"], judged)):
            return False
    for metric in METRICS:  # runs share a letter exactly when they do not differ significantly
        found = plain.test_pairs(case.values[metric])
        marks = {row["run"]: set(row["mark"]) for row in rows if row["metric"] == metric}
        names = case.data.names
        share = {(a, b) for a, b in found.pairs if marks[names[a]] & marks[names[b]]}
        if not found.doubtful and share != set(found.pairs) - found.significant:
            return False
    held = [run for run in case.data.names if len(case.data.held(run)) < len(case.data.topics)]
    return (runs, topics, baseline) == (len(case.data.runs), len(case.data.topics), None) and set(lacking) == set(held)


@checks("caption-means")
def _(case: Case, rows: Any, metrics: list[str], runs: int, topics: int, confidence: float) -> bool:
    for row in rows:
        values = case.values[row["metric"]][case.run(row["run"])]
        low, high = plain.interval(values, 1 - confidence)
        if not near(row["mean"], float(values.mean())) or (row["low"] is not None and not near(row["low"], low, 1e-6)):
            return False
        if row["high"] is not None and not near(row["high"], high, 1e-6):
            return False
    return (runs, topics) == (len(case.data.runs), len(case.data.topics)) and len(rows) == runs * len(metrics)


@checks("caption-topics")
def _(case: Case, rows: Any, metric: str, run: str, other: str, above: int, equal: int, below: int) -> bool:
    gaps = case.values[RBU][case.run(run)] - case.values[RBU][case.run(other)]
    counts = [int((gaps > 1e-12).sum()), int((abs(gaps) <= 1e-12).sum()), int((gaps < -1e-12).sum())]
    return metric == "RBU@5" and [above, equal, below] == counts


@checks("caption-agreement")
def _(case: Case, rows: Any, metrics: list[str], runs: int) -> bool:
    return metrics == plain_labels(METRICS) and runs == len(case.data.runs)


@pytest.mark.parametrize("seed", SEEDS)
def test_paper(seed: int) -> None:
    """The methods paragraph and every caption."""
    case = Case.of(seed)
    table = results_table(case.scores)
    verify(case, [*describe_methods(table), table.statement(), *caption_figures(case.scores, table).values()], seed)


# --- why --------------------------------------------------------------------------------------------------------------


@checks("preference")
def _(case: Case, rows: Any, metrics: list[str], preferred: list[str | None]) -> bool:
    for row, named in zip(rows, preferred, strict=True):
        means = case.means(row["metric"])
        runs = [name for name in row if name in case.data.runs]
        (a, b) = (means[case.run(name)] for name in runs)
        expected = None if abs(a - b) < 1e-12 else runs[int(b > a)]
        if named != expected and abs(a - b) > 1e-12:
            return False
        gaps = case.values[row["metric"]][case.run(runs[0])] - case.values[row["metric"]][case.run(runs[1])]
        if row["above"] != int((gaps > 1e-12).sum()) or row["below"] != int((gaps < -1e-12).sum()):
            return False
    return len(metrics) == len(preferred)


@checks("topic-share")
def _(case: Case, rows: Any, topic: str, query: Any, share: float, metrics: int) -> bool:
    place = list(case.data.topics).index(topic)
    pulls = []
    for row in rows:
        first, second = (case.values[row["metric"]][case.run(name)] for name in row if name in case.data.runs)
        gaps = first - second
        if not near(row["difference"], float(gaps[place])):
            return False
        spread = np.sqrt((gaps**2).mean()) if metrics == 2 else 1.0
        pulls.append(gaps / spread if spread > 0 else gaps * 0)
    pull = pulls[0] - pulls[1] if metrics == 2 else pulls[0]
    return near(share, float(pull[place] / pull.sum()), 1e-6)


@checks("axiom-between")
def _(
    case: Case,
    rows: Any,
    axiom: str,
    title: str,
    why: str,
    satisfied_by: str,
    failed_by: str,
    cause: bool,
    reading: str,
) -> bool:
    if not cause:
        return bool(rows[0]["counterexample"]) and reading == "charitable"
    # The cause is effort: without it, the satisfying metric must order the two runs as the other one does.
    return axiom == "Conf" and satisfied_by == "RBU@5"


@checks("axiom-situations")
def _(case: Case, rows: Any, situations: int, violations: int, failed_by: str) -> bool:
    return 0 <= violations <= situations and situations > 0


@checks("losses")
def _(case: Case, rows: Any, run: str, other: str, metric: str, lost: int, topics: int) -> bool:
    gaps = case.values[case.metric(metric)][case.run(run)] - case.values[case.metric(metric)][case.run(other)]
    worse = {topic for topic, gap in zip(case.data.topics, gaps, strict=True) if gap < -1e-12}
    return (
        worse == {row["topic"] for row in rows if row["difference"] < -1e-12}
        and topics == len(gaps)
        and lost >= len(worse)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_why(seed: int) -> None:
    """Preferences, shares of topics, losses; a cause is named only if removing it changes the order."""
    case = Case.of(seed)
    first, second = case.runs[0], case.runs[1]
    for metrics in ([RBU], [RBU, RECALL], [RBU, METRICS[2]]):
        found = why(case.judgments, first, second, metrics, axioms=len(metrics) == 2 and seed % 4 == 0, time_limit=5.0)
        verify(case, found.statements, seed)
        if found.axiom is not None and found.axiom.cause:
            without = [float(row.mean()) for row in case.data.values(RBU, e=0.0)[:2]]
            other = case.means(next(name for name in metrics if name != found.axiom.satisfied_by))[:2]
            assert (without[0] - without[1]) * (other[0] - other[1]) > 0
            assert (case.means(RBU)[0] - case.means(RBU)[1]) * (other[0] - other[1]) < 0
    for metric in (RBU, RECALL):
        verify(case, losses(case.judgments, first, second, metric).statements, seed)


@pytest.mark.parametrize(("padding", "cause"), [(14, True), (0, False)])
def test_effort_is_a_cause_only_if_the_order_changes_without_it(padding: int, cause: bool) -> None:
    """One run stops after the first relevant document, the other goes on to a second one behind documents that bring
    nothing: with much padding effort alone makes RBU prefer the short run; with none, RBU prefers the other anyway."""
    judgments = {str(t): {"a": {"x": 1}, "b": {"y": 1}} for t in range(4)}
    padded = ["x", *(f"n{i}" for i in range(padding)), "y"]
    short = Run.from_rows([(str(t), "x", 1.0) for t in range(4)], name="short")
    long = Run.from_rows([(str(t), d, -float(i)) for t in range(4) for i, d in enumerate(padded)], name="long")
    found = why(judgments, short, long, ["RBU(p=0.9,e=0.03)@20", "StRecall@20"])
    rows = [[[0.5, 0.0]], [[0.5, 0.0], *[[0.0, 0.0]] * padding, [0.0, 0.5]]]
    with_effort, without = ([plain.rbu(one, [0.5, 0.5], 0.9, e, 20) for one in rows] for e in (0.03, 0.0))
    assert (with_effort[0] > with_effort[1]) == cause and without[0] < without[1]
    assert (found.axiom is not None and found.axiom.cause) == cause


# --- choose -----------------------------------------------------------------------------------------------------------


@checks("degrees-of-relevance")
def _(case: Case, rows: Any, degrees: Any, gain: str) -> bool:
    grades = sorted({g for *_, g in case.data.judgments if g > 0})
    expected = [(g, (2**g - 1) / 2 ** grades[-1]) for g in grades]
    return gain == "exponential" and [(g, r) for g, r in degrees] == expected


@checks("different-weights")
def _(case: Case, rows: Any, different: bool) -> bool:
    return different is False


@checks("different-lengths")
def _(case: Case, rows: Any, topics: int, of: int) -> bool:
    lengths = [
        {len(listed) for run in case.data.names if (listed := case.data.listed(run, topic)) is not None}
        for topic in case.data.topics
    ]
    return topics == sum(len(own) > 1 for own in lengths) and of == len(lengths)


@checks("runs-lack-topics")
def _(case: Case, rows: Any, held: Mapping[str, int], of: int) -> bool:
    counts = {run: len(case.data.held(run)) for run in case.data.names}
    return dict(held) == {run: n for run, n in counts.items() if n < of} and of == len(case.data.topics)


@checks("pairs-in-agreement")
def _(case: Case, rows: Any, pairs: int, agreed: int, metrics: int) -> bool:
    signs = [plain.compare_signs(case.means(metric)) for metric in METRICS]
    together = sum(not (1 in pair and -1 in pair) for pair in zip(*signs, strict=True))
    return (pairs, agreed, metrics) == (len(signs[0]), together, len(METRICS))


@checks("conflict")
def _(
    case: Case, rows: Any, run: str, other: str, prefers_run: list[str], prefers_other: list[str],
    first: str, second: str, topic: str | None, first_values: Any, second_values: Any,
) -> bool:  # fmt: skip
    a, b = case.run(run), case.run(other)
    up = all(case.means(metric)[a] > case.means(metric)[b] for metric in prefers_run)
    down = all(case.means(metric)[a] < case.means(metric)[b] for metric in prefers_other)
    if topic is None:
        return up and down
    t = list(case.data.topics).index(topic)
    here = [[case.values[m][r, t] for r in (a, b)] for m in (first, second)]
    same = np.allclose(here, [first_values, second_values], atol=1e-9)
    return up and down and same and here[0][0] > here[0][1] and here[1][0] < here[1][1]


@checks("choice-columns")
def _(case: Case, rows: Any, pairs: int, others: int, test: str) -> bool:
    tested = {metric: plain.test_pairs(case.values[metric]) for metric in METRICS}
    shares = {metric: len(one.significant) / len(one.pairs) for metric, one in tested.items()}
    agree = all(tested[row["metric"]].doubtful or near(row["power"], shares[row["metric"]]) for row in rows)
    return agree and others == len(METRICS) - 1 and pairs == len(tested[RBU].pairs) and f"over {pairs} " in test


@checks("recommendation")
def _(
    case: Case,
    rows: Any,
    metric: str,
    role: str,
    power: float,
    violated: Any,
    situations: int,
    found: int,
    unrewarded: int,
    **more: Any,
) -> bool:
    tested = plain.test_pairs(case.values[metric])
    told_apart = tested.doubtful or near(power, len(tested.significant) / len(tested.pairs))
    counts = 0 <= unrewarded <= found and situations <= found and (violated is None) == (situations == 0)
    named = [*(more["satisfied"] or ()), *(more["unsatisfied"] or ()), *more["undecided"], *more["partly"]]
    return told_apart and counts and len(named) == len(set(named))


@checks("verdict-here")
def _(case: Case, rows: Any, grades: Any, relevance: Any, **more: Any) -> bool:
    """The grades are those of the judgments, each under one answer."""
    present = sorted({g for *_, g in case.data.judgments if g > 0})
    return sorted(g for named in grades.values() for g in named) == present == [g for g, _ in relevance]


@pytest.mark.parametrize("seed", list(SEEDS)[: times(8, 300)])
def test_choose(seed: int) -> None:
    """What the judgments and runs show, which pairs all metrics order alike, and how metrics behave."""
    case = Case.of(seed)
    found = _choose.choose(case.judgments, case.runs, task="web", metrics=METRICS, time_limit=3.0)
    verify(case, found.statements, seed)


# --- conclusions ------------------------------------------------------------------------------------------------------

RANGED = "RBU(p=0.8..0.95,e=0..0.05)@5"


@checks("conclusions-surviving")
def _(case: Case, rows: Any, surviving: int, pairs: int, doubts: list[str], significant: int | None) -> bool:
    draws = np.random.default_rng(len(case.data.judgments))
    points = [(p, e) for p in (0.8, 0.95) for e in (0.0, 0.05)] + [(0.9, 0.01)]
    points += [(float(draws.uniform(0.8, 0.95)), float(draws.uniform(0, 0.05))) for _ in range(4)]
    means = {point: [float(row.mean()) for row in case.data.values(RBU, *point)] for point in points}
    certain = [row for row in rows if row["verdict"] == "certain"]
    for row in certain:
        a, b = case.run(row["better"]), case.run(row["worse"])
        if not all(of[a] > of[b] - 1e-12 for of in means.values()):
            return False
    told = sum(bool(row["significant"]) for row in certain)
    same = significant is None or significant == told
    return surviving == len(certain) and pairs == len(case.data.runs) * (len(case.data.runs) - 1) // 2 and same


@checks("certain-and-significant")
def _(case: Case, rows: Any, metric: str, counts: Mapping[str, int]) -> bool:
    tested = plain.test_pairs(case.values[RBU])
    both = {frozenset(pair) for pair in tested.significant}
    certain = {frozenset((case.run(r["better"]), case.run(r["worse"]))) for r in rows if r["verdict"] == "certain"}
    expected = (len(certain & both), len(certain - both), len(both - certain))
    return tested.doubtful or tuple(counts.values()) == expected


@checks("conclusions-hold")
def _(case: Case, rows: Any, metric: str, surviving: int, pairs: int, doubts: list[str]) -> bool:
    certain = {
        (row.better, row.worse) for row in conclude(case.judgments, case.runs, RANGED).rows if row.verdict == "certain"
    }
    told = {(row["better"], row["worse"]) for row in rows}
    same = told == certain and surviving == len(certain) and metric == "RBU@5"
    return same and pairs == len(case.data.runs) * (len(case.data.runs) - 1) // 2 and len(doubts) == 2


@checks("also-significant")
def _(case: Case, rows: Any, surviving: int, significant: int) -> bool:
    tested = plain.test_pairs(case.values[RBU])
    both = {frozenset((case.run(row["better"]), case.run(row["worse"]))) for row in rows} & {
        frozenset(pair) for pair in tested.significant
    }
    return tested.doubtful or (surviving == len(rows) and significant == len(both))


@checks("conclusions-test")
def _(case: Case, rows: Any, test: str, reference: str) -> bool:
    pairs = len(case.data.runs) * (len(case.data.runs) - 1) // 2
    return reference == RBU and f"over {pairs} " in test


@checks("verdict-counts")
def _(case: Case, rows: Any, metric: str, doubt: str, certain: int, flips: int, undecided: int) -> bool:
    return certain + flips + undecided == len(case.data.runs) * (len(case.data.runs) - 1) // 2


@pytest.mark.parametrize("seed", SEEDS)
def test_conclusions(seed: int) -> None:
    """Certain pairs keep their order at every sampled setting; counts and tests are those at the reference setting."""
    case = Case.of(seed)
    found = conclude(case.judgments, case.runs, RANGED)
    verify(case, found.statements, seed)
    clauses = sentence(found, Doubts(RANGED, None))
    verify(case, [Statement(c["kind"], c["facts"], tuple(c["evidence"])) for c in clauses], seed)


# --- the headline -----------------------------------------------------------------------------------------------------


def firsts(case: Case, metric: str) -> set[str]:
    """The runs with the best mean."""
    means = case.means(metric)
    return {run for run, mean in zip(case.data.names, means, strict=True) if mean > max(means) - 1e-12}


@checks("only-system")
def _(case: Case, rows: Any, run: str) -> bool:
    return case.data.names == [run]


@checks("best-mean")
def _(case: Case, rows: Any, run: str, count: int, metrics: int, metric: str) -> bool:
    return run in firsts(case, metric) and count == sum(run in firsts(case, m) for m in METRICS) and metrics == 4


@checks("other-best-means")
def _(case: Case, rows: Any, counts: Any) -> bool:
    return all(number == sum(run in firsts(case, m) for m in METRICS) for run, number in counts)


@checks("not-significantly-behind")
def _(case: Case, rows: Any, metric: str, run: str, others: int, alike: list[str]) -> bool:
    tested, me = plain.test_pairs(case.values[metric]), case.run(run)
    apart = {b if a == me else a for a, b in tested.significant if me in (a, b)}
    expected = {name for i, name in enumerate(case.data.names) if i != me and i not in apart}
    return tested.doubtful or (set(alike) == expected and others == len(case.data.names) - 1)


@checks("least-alike")
def _(case: Case, rows: Any, metric: str, other: str, tau: float, low: float, high: float) -> bool:
    taus = {pair: plain.taub(case.means(pair[0]), case.means(pair[1])) for pair in combinations(METRICS, 2)}
    known = [value for value in taus.values() if not np.isnan(value)]
    return near(tau, taus[metric, other]) and tau <= min(known) + 1e-9 and (np.isnan(low) or -1 <= low <= high <= 1)


@checks("most-flipped")
def _(case: Case, rows: Any, better: str, worse: str, metric: str, other: str, topics: list[str]) -> bool:
    a, b = case.run(better), case.run(worse)
    gaps = [case.values[m][a] - case.values[m][b] for m in (metric, other)]
    if not (gaps[0].mean() > 0 > gaps[1].mean()):
        return False
    scaled = [gap / gap.std() if gap.std() > 0 else gap * 0 for gap in gaps]
    apart = dict(zip(case.data.topics, scaled[0] - scaled[1], strict=True))
    return near(max(apart.values()), apart[topics[0]], 1e-9)


@checks("systems-lack-topics")
def _(case: Case, rows: Any, held: Mapping[str, int], topics: int, systems: int) -> bool:
    counts = {run: len(case.data.held(run)) for run in case.data.names}
    return dict(held) == {run: n for run, n in counts.items() if n < topics} and systems == len(counts)


@checks("unjudged-share")
def _(case: Case, rows: Any, share: float, depth: int, most: str, share_of_most: float, first: bool) -> bool:
    shares = {run: 1 - case.data.judged(run, depth) for run in case.data.names}
    return near(share, float(np.mean(list(shares.values())))) and near(share_of_most, max(shares.values()))


@pytest.mark.parametrize("seed", SEEDS)
def test_headline(seed: int) -> None:
    """Who leads, who is not significantly behind, where metrics differ most, and what is missing."""
    case = Case.of(seed)
    absent = {run: [t for t in case.data.topics if t not in case.data.held(run)] for run in case.data.names}
    absent = {run: topics for run, topics in absent.items() if topics}
    for clauses in headline(case.scores, MetricQuality.of(case.scores), absent):
        verify(case, [Statement(c["kind"], c["facts"], tuple(c["evidence"])) for c in clauses if "kind" in c], seed)


def test_one_run_has_nothing_to_compare() -> None:
    """The headline of a single run says so."""
    case = Case.of(0)
    alone = case.scores.select(runs=[case.data.names[0]])
    case.data.runs = {case.data.names[0]: case.data.runs[case.data.names[0]]}
    first = headline(alone, MetricQuality.of(alone), {})[0][0]
    verify(case, [Statement(first["kind"], first["facts"])])


REAL = Path(os.environ.get("DIVEVAL_REALDATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.parametrize("name", ["web2009", "web2010", "web2011", "dlmia"])
def test_real_collections(name: str) -> None:
    """The sentences of `compare`, `paper` and the headline about real runs, of which the first 20 documents are read."""
    if not (REAL / name).is_dir():
        pytest.skip(f"no real collections in {REAL}")
    case = Case.from_data(plain.read(REAL / name, most=times(6, 100)))
    for metric in METRICS:
        verify(case, compare(case.scores, metric).statements)
    table = results_table(case.scores)
    verify(case, [*describe_methods(table), table.statement(), *caption_figures(case.scores, table).values()])
    absent = {run: [t for t in case.data.topics if t not in case.data.held(run)] for run in case.data.names}
    absent = {run: topics for run, topics in absent.items() if topics}
    for clauses in headline(case.scores, MetricQuality.of(case.scores), absent):
        verify(case, [Statement(c["kind"], c["facts"], tuple(c["evidence"])) for c in clauses if "kind" in c])


OTHERS = {
    "judges-",
    "plan",
    "gate",
    "pool-effect",
    "board",
    "panel-",
}  # checked in tests/unit/judging/test_statements.py


def test_every_kind_of_statement_is_checked() -> None:
    """Every declared kind has a check here, and a check takes the facts that the wording takes."""
    importlib.import_module("diveval.analysis.reasons")  # loaded late by `why`
    kinds = {kind for kind in declared._WORDINGS if not kind.startswith(tuple(OTHERS))}
    assert kinds == set(CHECKS)
    for kind in kinds:
        taken = {name for name, p in inspect.signature(CHECKS[kind]).parameters.items() if p.kind is not p.VAR_KEYWORD}
        assert taken - {"case", "rows"} <= set(inspect.signature(declared._WORDINGS[kind]).parameters), kind


def test_options_are_part_of_the_setup() -> None:
    """With linear gain the sentence about relevance names linear gain for all metrics but TREC's."""
    case = Case.of(0)
    scores = diveval.evaluate(case.judgments, case.runs, list(METRICS), options=Options.of(gain="linear"))
    (said,) = [s for s in describe_methods(results_table(scores)) if s.kind == "gain-by-metric"]
    assert {shared[0]: len(metrics) for metrics, shared in said.facts["groups"]} == {"linear": 3, "binary": 1}
