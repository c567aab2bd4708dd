"""Every generated sentence is true of the numbers beside it: facts of every kind, recomputed by independent code.

Collections are small, random and in odd shapes. A kind of statement without a check here fails the last test.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cache, cached_property
from itertools import combinations
from math import log2, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import diveval
from diveval.analysis import choose as _choose
from diveval.analysis.losses import losses
from diveval.analysis.why import why
from diveval.answers import as_collection, gather
from diveval.answers import evaluate as evaluate_answers
from diveval.axioms import AXIOMS
from diveval.axioms import check as check_axiom
from diveval.axioms.presentation.data_verdicts import decide_in_data, levels_for
from diveval.cli.score_notes import describe_scores
from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.conclusions import conclude
from diveval.metrics import entries
from diveval.metrics.names import as_metrics, labels
from diveval.publishing.captions import caption_figures
from diveval.publishing.methods import describe_methods
from diveval.publishing.results_table import results_table
from diveval.reading import with_weights
from diveval.results import statements as declared
from diveval.results.scores import Scores
from diveval.results.statements import Statement
from diveval.scoring.evaluate import rank_all
from diveval.scoring.study import Evaluation, metrics_to_read
from diveval.settings import Options
from diveval.stats import compare
from diveval.views.axiom_matrix import occurrences
from diveval.views.board import MetricQuality, leaderboard
from diveval.views.headline import headline
from diveval.views.judging import Decisions, judging
from diveval.views.parameters import parameters
from diveval.views.survival import Doubts, sentence, survival
from diveval.views.titles import find_titles
from diveval.views.verdict import decide_verdict
from support import plain_agreement as agreement
from support import plain_statements as plain
from support.other_collections import OTHERS as OTHER_FOLDERS
from support.plain_statements import METRICS, RBU, RECALL, Collection
from support.plain_violations import SEARCHES, find, rbu
from support.refusals import refuses
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
        if data.weights is not None:
            judgments = with_weights(judgments, data.weights)
        runs = [Run.from_rows([(t, d, s) for t, d, _, s in rows], name=name) for name, rows in data.runs.items()]
        scores = diveval.evaluate(judgments, runs, list(METRICS), **data.options)
        return cls(data, judgments, runs, scores, {metric: data.values(metric) for metric in METRICS})

    @property
    def options(self) -> Options:
        return Options.of(**self.data.options)

    def means(self, metric: str) -> list[float]:
        return [float(np.nanmean(row)) for row in self.values[metric]]

    def topics_of_pair(self, metric: str, run: str, other: str) -> Any:
        """The differences of two runs on the topics that both count."""
        return plain.shared_gaps(self.values[metric], self.run(run), self.run(other))

    def removal(self) -> dict[str, bool]:
        """The fact that a sentence states where unjudged documents were removed."""
        return {"removed": True} if self.data.options.get("judged_only") else {}

    def lacking(self, runs: Iterable[str]) -> dict[str, int]:
        """The fact that a sentence states where some of the runs it is about lack topics that lower their share."""
        if self.data.options.get("missing_topics") == "skip":
            return {}
        lacking = sum(not set(self.data.counted) <= self.data.held(run) for run in runs)
        return {"without_list": lacking} if lacking else {}

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


# Nothing supports these where nothing is found: no lost topic, no pair that all judges find significant.
MAY_LACK_ROWS = {"losses", "judge-significance", "degrees-of-relevance"}

Check = Callable[..., bool]
CHECKS: dict[str, Check] = {}


def checks(kind: str) -> Callable[[Check], Check]:
    """Declare the check of a kind: it gets the case, the statement's evidence and its facts."""

    def declare(check: Check) -> Check:
        CHECKS[kind] = check
        return check

    return declare


def verify(case: Case | Answers, statements: Any, seed: int = 0) -> None:
    """Every statement against its check; its wording must accept its facts alone."""
    for one in statements:
        assert one.text and (one.evidence or one.kind in MAY_LACK_ROWS), one
        right = CHECKS[one.kind](case, one.evidence, **one.facts)
        assert isinstance(right, (bool, np.bool_)) and right, (seed, case.data.shape, one.kind, one.facts)
        CHECKED[one.kind] += 1
        FACTS[one.kind] += len(one.facts)


# --- compare ----------------------------------------------------------------------------------------------------------


@checks("pairs-that-differ")
def _(case: Case, rows: Any, metric: str, significant: int, tested: int, pairs: int, test: str) -> bool:
    found = plain.compare_all_pairs(case.values[metric])
    told = {frozenset((case.run(row["run"]), case.run(row["other"]))) for row in rows if row["significant"]}
    agree = found.doubtful or told == {frozenset(pair) for pair in found.significant}
    every = len(case.data.names) * (len(case.data.names) - 1) // 2
    return (
        agree
        and significant == len(told)
        and (tested, pairs) == (len(found.pairs), every)
        and f"over {tested} " in test
    )


@checks("intervals")
def _(case: Case, rows: Any, of: str, confidence: float, simultaneous: bool, correction: str) -> bool:
    for row in rows:
        if row["low"] is None:  # too few shared topics for a test
            continue
        excludes = row["low"] > 0 or row["high"] < 0
        if not row["low"] - 1e-12 <= row["estimate"] <= row["high"] + 1e-12 or excludes != row["significant"]:
            return False
    return (of, confidence, simultaneous, correction) == ("difference", 0.95, False, "holm")


@checks("few-judged")
def _(case: Case, rows: Any, few: Mapping[str, float], limit: float, depth: int, **more: Any) -> bool:
    if more != {**case.removal(), **case.lacking(few)}:
        return False
    shares = {run: case.data.judged(run, depth) for run in case.data.names}
    clear = {run for run, share in shares.items() if share < limit - 1e-9}
    return clear <= set(few) and all(near(shares[run], share) and share < limit for run, share in few.items())


def named_by_some_metric(case: Case, rows: Any, pairs: int, of: int, holds: Callable[[Any], bool]) -> bool:
    """Under some metric of the case exactly the named pairs have a property, of all pairs that are tested."""
    told = {frozenset((row["run"], row["other"])) for row in rows}
    names, found = case.data.names, []
    for table in case.values.values():
        tested = plain.compare_all_pairs(table).pairs
        having = {frozenset((names[a], names[b])) for a, b in tested if holds(plain.shared_gaps(table, a, b))}
        found.append((having, len(tested)))
    return (told, of) in found and pairs == len(told)


@checks("uneven-topics")
def _(case: Case, rows: Any, least: int, most: int) -> bool:
    counts = [len(case.topics_of_pair(RBU, row["run"], row["other"])) for row in rows]
    return [row["topics"] for row in rows] == counts and (least, most) == (min(counts), max(counts)) and least < most


@checks("untested-pairs")
def _(case: Case, rows: Any, pairs: int, of: int) -> bool:
    every = len(case.data.names) * (len(case.data.names) - 1) // 2
    return of == every and pairs == every - len(plain.compare_all_pairs(case.values[RBU]).pairs) > 0


@checks("topics-of-every-run")
def _(case: Case, rows: Any, test: str, topics: int, of: int) -> bool:
    return topics < of == len(case.data.topics)


@checks("no-letters")
def _(case: Case, rows: Any, runs: int) -> bool:
    return runs == len(case.data.names) > 26


@checks("few-topics")
def _(case: Case, rows: Any, topics: int) -> bool:
    return topics == min(len(case.topics_of_pair(RBU, row["run"], row["other"])) for row in rows) < 10


@checks("too-few-for-signs")
def _(case: Case, rows: Any, topics: int, test: str, alpha: float, needed: int) -> bool:
    """`needed` is the least n for which the smallest p of n signs, 2/2ⁿ, is below α."""
    return topics == len(case.data.topics) < needed and 2 / 2**needed < alpha <= 2 / 2 ** (needed - 1)


@checks("identical-scores")
def _(case: Case, rows: Any, pairs: int, of: int) -> bool:
    return named_by_some_metric(case, rows, pairs, of, lambda gap: bool(abs(gap).max() < 1e-12))


@checks("constant-differences")
def _(case: Case, rows: Any, pairs: int, of: int, test: str) -> bool:
    return named_by_some_metric(
        case, rows, pairs, of, lambda gap: bool(abs(gap).max() >= 1e-12 and abs(gap - gap[0]).max() < 1e-12)
    )


@checks("far-from-normal")
def _(case: Case, rows: Any, pairs: int, of: int, level: float) -> bool:
    from scipy.stats import shapiro

    def far(gap: Any) -> bool:
        return len(gap) >= 3 and float(gap.std()) > 1e-9 and float(shapiro(gap).pvalue) < level

    return len(case.data.topics) < 30 and named_by_some_metric(case, rows, pairs, of, far)


@checks("many-ties")
def _(case: Case, rows: Any, pairs: int, of: int) -> bool:
    return named_by_some_metric(case, rows, pairs, of, lambda gap: bool(0.5 < float((abs(gap) < 1e-12).mean()) < 1))


@checks("few-resamples")
def _(case: Case, rows: Any, resamples: int, comparisons: int, enough: int) -> bool:
    pairs = len(case.data.names) * (len(case.data.names) - 1) // 2
    return comparisons == pairs and comparisons / (resamples + 1) >= 0.05 and enough * 0.05 >= comparisons


@pytest.mark.parametrize("seed", SEEDS)
def test_assumptions_of_tests(seed: int) -> None:
    """The notes of every significance test name the pairs that they are about, and the numbers that limit it."""
    case = Case.of(seed)
    for test in ("t", "wilcoxon", "sign", "randomization"):
        found = compare(case.scores, METRICS[seed % 4], test=test, resamples=100)
        verify(case, found.statements[2:] if test != "t" else found.statements, seed)
        assert set(found.notes) <= {statement.text for statement in found.statements}


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
    known = dict(zip(plain_labels(METRICS), numbers, strict=True))
    told = {m["label"]: m["parameters"] for m in metrics}  # all in `paper`, those that `choose` recommends
    return len(told) == len(metrics) >= 2 and all(known[label] == own for label, own in told.items())


@checks("gain-by-metric")
def _(case: Case, rows: Any, groups: Any, highest: float) -> bool:
    options = case.data.options
    own = [options.get("gain", "exponential"), options.get("gmax", "file"), options.get("rel")]
    told = {metric: list(shared) for metrics, shared in groups for metric in metrics}
    expected = {name: ["binary", "file", None] if "TREC" in name else own for name in plain_labels(METRICS)}
    return told == expected and highest == max(g for *_, g in case.data.judgments)


@checks("order-and-ties")
def _(case: Case, rows: Any, groups: Any) -> bool:
    order = case.data.options.get("order", "score")
    ties = case.data.options.get("ties", "docno-desc")
    return len(groups) == 1 and groups[0][1] == [order, ties]  # the order that `plain_evaluation` uses


@checks("missing-topics")
def _(case: Case, rows: Any, groups: Any, lacking: Mapping[str, str]) -> bool:
    whole, held = len(case.data.topics), {run: len(case.data.held(run)) for run in case.data.names}
    expected = {run: f"{count}/{whole}" for run, count in held.items() if count < whole}
    rules = {metric: shared[0] for metrics, shared in groups for metric in metrics}
    given = case.data.options.get("missing_topics", "worst")
    known = {m: "tool" if given == "worst" and "TREC" in m else given for m in plain_labels(METRICS)}
    return dict(lacking) == expected and rules == known


def count_empty(case: Case, least: float) -> tuple[int, int]:
    """Aspects and topics without a grade of `least` or more."""
    every = {(t, a) for t, a, _, _ in case.data.judgments}
    relevant = {(t, a) for t, a, _, g in case.data.judgments if g > 0 and g >= least}
    return len(every - relevant), len({t for t, _ in every} - {t for t, _ in relevant})


def own_empty(case: Case) -> tuple[int, int]:
    """Aspects that do not count for metrics other than TREC's, and topics without a grade that counts."""
    aspects, topics = count_empty(case, case.data.options.get("rel", 0))
    return 0 if case.data.options.get("empty_aspects") == "keep" else aspects, topics


@checks("weights-and-empty")
def _(case: Case, rows: Any, weights: str, dropped: int | None, empty: int | None, rule: str) -> bool:
    counts = {count_empty(case, 0), own_empty(case)}
    told = (dropped, empty) in counts if len(counts) == 1 else (dropped, empty) == (None, None)
    return (
        told
        and rule == case.data.options.get("empty_topics", "score")
        and weights == ("equal" if case.data.weights is None else "given")
    )


@checks("weights-not-used")
def _(case: Case, rows: Any, metrics: list[str]) -> bool:
    """Changed weights change no score of these metrics, and some score of every other one."""
    others = {cell: 10.0**i for i, cell in enumerate(sorted(case.data.weights or {}))}  # in no other weights' ratio
    changed = Collection(case.data.judgments, case.data.runs, case.data.shape, case.data.options, others)
    alike = [name for name in METRICS if np.allclose(changed.values(name), case.values[name], equal_nan=True)]
    several = case.data.shape != "one aspect"
    same = metrics == plain_labels(tuple(alike)) if several else set(metrics) <= set(plain_labels(tuple(alike)))
    return case.data.weights is not None and same


@checks("empty-by-metric")
def _(case: Case, rows: Any, groups: Any) -> bool:
    told = {metric: tuple(shared) for metrics, shared in groups for metric in metrics}
    own = (*own_empty(case), "score")
    return told == {m: (*count_empty(case, 0), "score") if "TREC" in m else own for m in plain_labels(METRICS)}


@checks("judged-share")
def _(case: Case, rows: Any, depth: int, least: float, most: float, few: list[str], limit: float, **more: Any) -> bool:
    if more != {**case.removal(), **case.lacking(case.data.names)}:
        return False
    shares = [case.data.judged(run, depth) for run in case.data.names]
    below = {run for run, share in zip(case.data.names, shares, strict=True) if share < limit - 1e-9}
    return near(least, min(shares)) and near(most, max(shares)) and below <= set(few)


@checks("significance-test")
def _(
    case: Case, rows: Any, baseline: str | None, test: str, citation: str, metrics: int, resamples: Any, seed: int
) -> bool:
    counted = [plain.compare_all_pairs(case.values[row["metric"]]) for row in rows]
    pairs = len(counted[0].pairs)
    agree = all(p.doubtful or len(p.significant) == row["significant"] for p, row in zip(counted, rows, strict=True))
    return agree and baseline is None and resamples is None and metrics == 4 and f"over {pairs} " in test


@checks("assumptions")
def _(case: Case, rows: Any, test: str, topics: int, notes: Any, enough: int) -> bool:
    from scipy.stats import shapiro

    told = {metric for metric, note in notes if "Shapiro" in note or "normal" in note}
    for metric, label in zip(METRICS, plain_labels(METRICS), strict=True):
        table = case.values[metric]
        gaps = [plain.shared_gaps(table, a, b) for a, b in combinations(range(len(table)), 2)]
        levels = [shapiro(gap).pvalue for gap in gaps if len(gap) >= 3 and gap.std() > 1e-9]
        far, near_limit = any(p < 0.01 for p in levels), any(abs(p - 0.01) < 1e-3 for p in levels)
        if not near_limit and (label in told) != (far and topics < enough):
            return False
    names = case.data.names
    return topics == min(len(case.topics_of_pair(RBU, a, b)) for a, b in combinations(names, 2))


def skipped_topics(case: Case, metrics: Sequence[str]) -> dict[str, Any]:
    """The fact that a caption states where means are over the topics that a run answers."""
    lacks = any(len(case.data.held(run)) < len(case.data.topics) for run in case.data.names)
    most = max(int((~np.isnan(row)).sum()) for row in case.values[RBU])
    named = plain_labels(tuple(metrics))
    fewer = {"fewer": dict.fromkeys(named, most)} if most < len(case.data.topics) else {}
    if not lacks or case.data.options.get("missing_topics") != "skip":
        return fewer
    return {"skipped": ["every metric"] if len(named) > 1 else named, **fewer}


@checks("table-caption")
def _(
    case: Case, rows: Any, runs: int, topics: int, baseline: Any, lettered: bool, test: str,
    lacking: list[str], judged: int, few: list[str], limit: float, **more: Any,
) -> bool:  # fmt: skip
    if more != {**skipped_topics(case, METRICS), **case.removal(), **case.lacking(case.data.names)}:
        return False
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
        found = plain.compare_all_pairs(case.values[metric])
        marks = {row["run"]: set(row["mark"]) for row in rows if row["metric"] == metric}
        names = case.data.names
        share = {(a, b) for a, b in found.pairs if marks[names[a]] & marks[names[b]]}
        if not found.doubtful and share != set(found.pairs) - found.significant:
            return False
    held = [run for run in case.data.names if len(case.data.held(run)) < len(case.data.topics)]
    return (runs, topics, baseline) == (len(case.data.runs), len(case.data.topics), None) and set(lacking) == set(held)


@checks("caption-means")
def _(case: Case, rows: Any, metrics: list[str], runs: int, topics: int, confidence: float, **more: Any) -> bool:
    bare = {"intervals": False} if all(row["low"] is None for row in rows) else {}
    if more != {**skipped_topics(case, METRICS[: len(metrics)]), **bare}:
        return False
    for row in rows:
        values = case.values[row["metric"]][case.run(row["run"])]
        values = values[~np.isnan(values)]
        if len(values) < 2:
            continue
        low, high = plain.interval(values, 1 - confidence)
        if not near(row["mean"], float(values.mean())) or (row["low"] is not None and not near(row["low"], low, 1e-6)):
            return False
        if row["high"] is not None and not near(row["high"], high, 1e-6):
            return False
    return (runs, topics) == (len(case.data.runs), len(case.data.topics)) and len(rows) == runs * len(metrics)


@checks("caption-topics")
def _(case: Case, rows: Any, metric: str, run: str, other: str, above: int, equal: int, below: int) -> bool:
    gaps = case.topics_of_pair(RBU, run, other)
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
def _(case: Case, rows: Any, metrics: list[str], preferred: list[str | None], **more: Any) -> bool:
    for row, named in zip(rows, preferred, strict=True):
        runs = [name for name in row if name in case.data.runs]
        first, second = (case.values[row["metric"]][case.run(name)] for name in runs)
        both = ~np.isnan(first) & ~np.isnan(second)  # as `compare` takes differences
        a, b = (float(own[both].mean()) if both.any() else 0.0 for own in (first, second))
        if more != ({"topics": int(both.sum())} if both.sum() < len(both) else {}):
            return False
        if not all(near(row[name], mean) for name, mean in zip(runs, (a, b), strict=True)):
            return False
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
        gaps = np.where(np.isnan(gaps), 0.0, gaps) if metrics == 1 else gaps
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
def _(case: Case, rows: Any, situations: int, within: int, violations: int, failed_by: str) -> bool:
    """Recounted in the lists of the two runs where the failing metric has an exact twin here."""
    (row,), metric = rows, case.metric(failed_by)
    recount = count_situations(case, metric, [row["axiom"]], case.data.names[:2])
    assert recount is not None
    return tuple(recount[name] for name in ("found", "situations", "unrewarded")) == (situations, within, violations)


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
    known = relevance_of(case.data)
    expected = [(g, float(known[g])) for g in sorted(known) if known[g] > 0]
    return gain == case.data.options.get("gain", "exponential") and [(g, r) for g, r in degrees] == expected


@checks("different-weights")
def _(case: Case, rows: Any, different: bool) -> bool:
    shares: dict[str, set[float]] = {}
    for (topic, _), weight in (case.data.weights or {}).items():
        shares.setdefault(topic, set()).add(weight)
    return different == any(len(own) > 1 for own in shares.values())


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
def _(case: Case, rows: Any, pairs: int, others: int, test: str, **more: Any) -> bool:
    changed = any(case.data.options.get(name) for name in ("rel", "empty_aspects"))  # what ndeval's metrics do not see
    some = any(row["situations"] for row in rows)
    if more != ({"uncounted": plain_labels(METRICS)[3:]} if changed and some else {}):
        return False
    tested = {metric: plain.compare_all_pairs(case.values[metric]) for metric in METRICS}
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
    tested = plain.compare_all_pairs(case.values[metric])
    told_apart = tested.doubtful or near(power, len(tested.significant) / len(tested.pairs))
    alike = near(more["mu"], agreement.unanimity([case.values[name] for name in METRICS], METRICS.index(metric)))
    named = [*(more["satisfied"] or ()), *(more["unsatisfied"] or ()), *more["undecided"], *more["partly"]]
    recount = count_situations(case, metric, named)
    if recount is not None:
        share = recount["violations"] / recount["situations"] if recount["situations"] else None
        if (situations, found, unrewarded) != tuple(recount[k] for k in ("situations", "found", "unrewarded")):
            return False
        if not near(violated, share):
            return False
    if metric in EXACT:
        degrees = tuple(sorted(set(relevance_of(case.data).values()) - {F(0)}))
        failing = {axiom for axiom in named if axiom in SEARCHES and fails_somewhere(metric, axiom, degrees)}
        if failing & set(more["satisfied"] or ()):
            return False
        lacking = [axiom for axiom in more["unsatisfied"] or () if axiom in SEARCHES]
        if not all(fails_somewhere(metric, axiom, ANY_DEGREES) for axiom in lacking):
            return False
    if set(more["uncovered"]) - set(more["partly"]) or (
        more["uncovered"] and F(1) not in relevance_of(case.data).values()
    ):
        return False
    counts = 0 <= unrewarded <= found and situations <= found and (violated is None) == (situations == 0)
    return told_apart and alike and counts and len(named) == len(set(named))


def recall(ranked: Any, weights: Any) -> F:
    """The share of aspects with a relevant document among the first K."""
    return F(sum(any(column) for column in zip(*ranked[: plain.K], strict=True)), len(weights)) if ranked else F(0)


EXACT = {RBU: rbu(F(9, 10), F(1, 100), plain.K), RECALL: recall}
ANY_DEGREES = (F(1, 8), F(1, 4), F(3, 8), F(1, 2), F(3, 4))


def discounted(gains: Sequence[F]) -> float:
    """Σ_i g_i / log2(i + 1)."""
    return sum(float(gain) / log2(i + 1) for i, gain in enumerate(gains, 1))


def trec_gain(ranked: Any, weights: Any) -> float:
    """α-DCG of ones and zeros: α-nDCG times its ideal, which no situation changes."""
    seen, gains = [0] * len(weights), []
    for document in ranked[: plain.K]:
        gains.append(sum((F(1, 2**c) for r, c in zip(document, seen, strict=True) if r), F(0)))
        seen = [c + (r > 0) for r, c in zip(document, seen, strict=True)]
    return discounted(gains)


def scorer_of(metric: str, pool: Sequence[Any], weights: Sequence[F]) -> Any:
    """A score of lists of documents, up to a factor that is the same for all of them; `pool` has the topic's documents."""
    if metric in EXACT:
        return EXACT[metric]
    if metric == METRICS[3]:
        return trec_gain
    gain = {row: sum((w * r for w, r in zip(weights, row, strict=True)), F(0)) for row in pool}
    best = discounted(sorted((gain[row] for row in pool), reverse=True)[: plain.K])

    def d_sharp(ranked: Any, weights: Any) -> float:
        own = [sum((w * r for w, r in zip(weights, row, strict=True)), F(0)) for row in ranked[: plain.K]]
        return float(recall(ranked, weights)) + (discounted(own) / best if best else 0.0)

    return d_sharp


def relevance_of(data: Collection) -> dict[float, F]:
    """Relevance by grade."""
    grades, least = {int(g) for *_, g in data.judgments}, data.options.get("rel") or 0
    top = int(data.options.get("gmax") or max(grades))
    rules: dict[str, Callable[[int], F]] = {
        "exponential": lambda g: F(2**g - 1, 2**top),
        "linear": lambda g: F(g, top),
        "binary": lambda g: F(1),
    }
    rule = rules[data.options.get("gain", "exponential")]
    return {g: rule(g) if g > 0 and g >= least else F(0) for g in grades}


def count_situations(
    case: Case, metric: str, axioms: Iterable[str], runs: list[str] | None = None
) -> Counter[str] | None:
    """Situations of the axioms in all lists, those within the premises, and those that are not rewarded.

    None for ndeval's metrics if options make them see other documents or aspects than the situations.
    """
    tally: Counter[str] = Counter()
    degree = relevance_of(case.data)
    if metric == METRICS[3] and (case.data.options.get("rel") or case.data.options.get("empty_aspects")):
        return None
    for topic in case.data.topics:
        rows = [row for row in case.data.judgments if row[0] == topic]
        kept = case.data.options.get("empty_aspects") == "keep"
        aspects = sorted({a for _, a, _, g in rows if degree[g] > 0 or kept})
        given = {(a, d): degree[g] for _, a, d, g in rows}
        table = {d: tuple(given.get((a, d), F(0)) for a in aspects) for _, _, d, _ in rows}
        shares = [F(1) if case.data.weights is None else F(case.data.weights[topic, a]) for a in aspects]
        weights = [share / sum(shares) for share in shares]
        score = scorer_of(metric, list(table.values()), weights)
        for run in runs or case.data.names:
            names = (case.data.listed(run, topic) or [])[:20]
            for axiom in axioms:
                for inside, better, worse, strict, *_ in (
                    find(axiom, names, table, weights) if axiom in SEARCHES else ()
                ):
                    gain = score(better, weights) - score(worse, weights)
                    gain = 0 if abs(gain) < 1e-12 and metric not in EXACT else gain
                    failed = gain <= 0 if strict else gain < 0
                    whole = inside and max(len(better), len(worse)) <= plain.K  # the premises: no cutoff cuts a list
                    tally.update(found=1, unrewarded=failed, situations=whole, violations=failed and whole)
    return tally


def aspects_of(data: Collection) -> list[dict[float, float]]:
    """With the highest grade of each aspect as the highest possible one: relevance by grade, aspect by aspect."""
    grades: dict[tuple[str, str], set[float]] = {}
    for topic, aspect, _, grade in data.judgments:
        grades.setdefault((topic, aspect), set()).add(grade)
    return [{g: (2**g - 1) / 2 ** max(own) if g > 0 else 0.0 for g in own} for own in grades.values()]


@cache
def fails_somewhere(metric: str, axiom: str, degrees: tuple[F, ...]) -> bool:
    """Whether some random list of K documents is a counterexample within the premises, with these degrees of relevance."""
    draws = np.random.default_rng(3)
    weights = [F(1, 3), F(2, 3)] if axiom == "AspRel" else [F(1, 2)] * 2
    for _ in range(150 if degrees != ANY_DEGREES else 3000):
        table = {
            f"d{i}": tuple(degrees[int(draws.integers(len(degrees)))] if draws.random() < 0.4 else F(0) for _ in "ab")
            for i in range(plain.K + 2)
        }
        names = [str(name) for name in draws.permutation(list(table))[: int(draws.integers(1, plain.K + 1))]]
        for inside, better, worse, strict, *_ in find(axiom, names, table, weights):
            gain = EXACT[metric](better, weights) - EXACT[metric](worse, weights)
            if inside and (gain <= 0 if strict else gain < 0):
                return True
    return False


@checks("axioms-in-paper")
def _(case: Case, rows: Any, metric: str, axioms: list[str], satisfied: list[str]) -> bool:
    if metric not in EXACT:
        return set(satisfied) <= set(axioms)
    degrees = tuple(sorted(set(relevance_of(case.data).values()) - {F(0)}))
    known = [axiom for axiom in satisfied if axiom in SEARCHES]
    return set(satisfied) <= set(axioms) and not any(fails_somewhere(metric, axiom, degrees) for axiom in known)


@checks("pairs-in-paper")
def _(case: Case, rows: Any, agreed: int, pairs: int, metrics: int, runs: int, topics: int) -> bool:
    sizes = (runs, topics) == (len(case.data.names), len(case.data.topics))
    return sizes and CHECKS["pairs-in-agreement"](case, rows, pairs, agreed, metrics)


@checks("verdict-here")
def _(case: Case, rows: Any, grades: Any, relevance: Any, **more: Any) -> bool:
    """The grades are those of the judgments, each under one answer."""
    told = sorted((g, r) for answer, named in grades.items() for g, r in zip(named, relevance[answer], strict=True))
    if case.data.options.get("gmax") == "per-aspect":  # a grade stands for another relevance in each aspect
        every = {(g, r) for row in aspects_of(case.data) for g, r in row.items() if r > 0}
    else:
        every = {(g, float(r)) for g, r in relevance_of(case.data).items() if r > 0}
    return told == sorted(every)


@checks("given-up")
def _(
    case: Case,
    rows: Any,
    axioms: Any,
    conflicts: Any,
    give_up: Any,
    reading: str,
    compositions: int,
    undecided: int,
    within: Any,
) -> bool:
    """No conflict is left when a way out is taken, a smaller one leaves some, and each composition fails an axiom."""
    clashes = [set(one) for one in conflicts]
    subsets = [set(some) for n in range(len(axioms) + 1) for some in combinations(axioms, n)]
    hitting = [some for some in subsets if all(some & clash for clash in clashes)]
    least = [some for some in hitting if not any(other < some for other in hitting)]
    ways = [set(way) for way in give_up]
    if not conflicts:
        return ways == [set()] and all(set(axioms) <= set(row["satisfies"].split(" + ")) for row in rows)
    covered = all(row["fails"] in row["conflict"] for row in rows)
    shown = undecided > 0 or len(rows) == compositions * len(conflicts)
    return len(ways) == len(least) and all(way in least for way in ways) and covered and shown and within is not None


@pytest.mark.slow
def test_axioms_that_must_be_given_up() -> None:
    """Among sums without novelty and effort one threshold excludes the other; of axioms that go together none is named."""
    within = {"effort": ["no"], "novelty": ["none"], "discount": ["1/i", "1/log(i+1)"]}
    for need, expected in ((["DeepTh", "CloseTh", "Pri"], [["CloseTh"], ["DeepTh"]]), (["Pri", "Deep"], [[]])):
        found = _choose.choose(need=need, metrics=["P@5", "nDCG@5"], within=within)
        (said,) = found.given_up
        verify(Case.of(0), [said])
        assert sorted(said.facts["give_up"]) == expected and said.facts["reading"] == found.reading
        assert said in found.statements and said.text in " ".join(str(found).split())


@pytest.mark.parametrize("seed", list(SEEDS)[: times(8, 300)])
def test_choose(seed: int) -> None:
    """What the judgments and runs show, which pairs all metrics order alike, and how metrics behave."""
    case = Case.of(seed)
    found = _choose.choose(case.judgments, case.runs, task="web", metrics=METRICS, time_limit=3.0)
    verify(case, found.statements, seed)


@checks("no-exact-form")
def _(case: Case, rows: Any, names: list[str]) -> bool:
    """The rules by column among the candidates, and an attempt to decide an axiom for one of them is refused."""
    for name in names:
        with refuses("metric-not-exact", name.partition("(")[0]):
            check_axiom(name, "Conf")
    return [row["metric"] for row in rows] == names == [name for name in INEXACT if name in names]


INEXACT = ("Rprec", "INST(T=1)", "trec_eval.map")


def test_choose_names_the_metrics_without_verdicts() -> None:
    """A rule by column is weighed by its behaviour, stands last, and a sentence says that it has no verdict."""
    case = Case.of(0)
    found = _choose.choose(case.judgments, case.runs, metrics=["RBU@5", *INEXACT, "nDCG@5"], time_limit=3.0)
    (said,) = [one for one in found.statements if one.kind == "no-exact-form"]
    assert said.facts["names"] == list(INEXACT)
    assert {one.metric for one in found.candidates[2:]} == set(INEXACT)
    assert all(one.satisfied is None and not one.situations for one in found.candidates[2:])
    verify(case, [said])


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
    tested = plain.compare_all_pairs(case.values[RBU])
    both = {frozenset(pair) for pair in tested.significant}
    certain = {frozenset((case.run(r["better"]), case.run(r["worse"]))) for r in rows if r["verdict"] == "certain"}
    expected = (len(certain & both), len(certain - both), len(both - certain))
    return tested.doubtful or tuple(counts.values()) == expected


@checks("conclusions-hold")
def _(case: Case, rows: Any, metric: str, surviving: int, pairs: int, doubts: list[str]) -> bool:
    certain = {
        (row.better, row.worse)
        for row in conclude(case.judgments, case.runs, RANGED, **case.data.options).rows
        if row.verdict == "certain"
    }
    told = {(row["better"], row["worse"]) for row in rows if row["verdict"] == "certain"}
    same = told == certain and surviving == len(certain) and metric == "RBU@5"
    return same and pairs == len(case.data.runs) * (len(case.data.runs) - 1) // 2 and len(doubts) == 2


@checks("also-significant")
def _(case: Case, rows: Any, surviving: int, significant: int) -> bool:
    tested = plain.compare_all_pairs(case.values[RBU])
    sure = [row for row in rows if row["verdict"] == "certain"]
    both = {frozenset((case.run(row["better"]), case.run(row["worse"]))) for row in sure} & {
        frozenset(pair) for pair in tested.significant
    }
    return tested.doubtful or (surviving == len(sure) and significant == len(both))


@checks("conclusions-test")
def _(case: Case, rows: Any, test: str, reference: str) -> bool:
    pairs = len(case.data.runs) * (len(case.data.runs) - 1) // 2
    return reference == RBU and f"over {pairs} " in test


@checks("verdict-counts")
def _(case: Case, rows: Any, metric: str, doubt: str, certain: int, flips: int, undecided: int) -> bool:
    return certain + flips + undecided == len(case.data.runs) * (len(case.data.runs) - 1) // 2


def labels_of(data: Collection) -> dict[Any, float]:
    return {row[:3]: row[3] for row in data.judgments}


def with_second_judge(case: Case) -> Collection:
    """The same collection with other grades for a third of the labels, and some labels fewer."""
    draws = np.random.default_rng(len(case.data.judgments))
    rows = []
    for topic, aspect, document, grade in case.data.judgments:
        if grade > 0 or draws.random() < 0.9:
            other = float(draws.integers(1, 4)) if grade > 0 else float(draws.integers(0, 2))
            rows.append((topic, aspect, document, other if draws.random() < 0.4 else grade))
    return Collection(rows, case.data.runs, case.data.shape)


def shared_labels(case: Case) -> tuple[list[float], list[float], list[str]]:
    """The grades of both judges where both labelled, and the topics of these labels."""
    first, second = labels_of(case.data), labels_of(with_second_judge(case))
    both = [cell for cell in first if cell in second]
    return [first[cell] for cell in both], [second[cell] for cell in both], [cell[0] for cell in both]


@checks("judge-pair")
def _(
    case: Case, rows: Any, judge: str, other: str, tau: float | None, tau_ap: float | None, top: Mapping[int, float],
    labels: int, same: float | None, kappa: float | None,
) -> bool:  # fmt: skip
    first, second, _ = shared_labels(case)
    means = [case.means(RBU), [float(row.mean()) for row in with_second_judge(case).values(RBU)]]
    expected = plain.taub(*means)
    apart = all(min(np.diff(sorted(own)), default=1) > 1e-9 for own in means)
    if apart:
        orders = [sorted(range(len(own)), key=lambda i, own=own: -own[i]) for own in means]  # type: ignore[misc]
        shared = {k: len({*orders[0][:k]} & {*orders[1][:k]}) / k for k in (1, 3, 5, 10) if k < len(means[0])}
        if dict(top) != shared or not near(tau_ap, agreement.tau_ap(*means)):
            return False
    share = sum(a == b for a, b in zip(first, second, strict=True)) / len(first)
    alike = tau is None if np.isnan(expected) else near(tau, expected)
    return alike and labels == len(first) and near(same, share) and near(kappa, agreement.kappa(first, second))


@checks("judge-labels")
def _(case: Case, rows: Any, nominal: float | None, ordinal: float | None) -> bool:
    first, second, _ = shared_labels(case)
    told = [agreement.krippendorff(first, second, ordinal=order) for order in (False, True)]
    return near(nominal, told[0]) and near(ordinal, told[1])


@checks("judge-significance")
def _(case: Case, rows: Any, in_all: int, in_some: int) -> bool:
    found, doubtful = [], False
    for values in (case.values[RBU], with_second_judge(case).values(RBU)):
        tested, means = plain.compare_all_pairs(values), values.mean(axis=1)
        doubtful |= tested.doubtful
        found.append({(a, b) if means[a] > means[b] else (b, a) for a, b in tested.significant})
    told = {(case.run(row["better"]), case.run(row["worse"])) for row in rows}
    return doubtful or (told == found[0] & found[1] and (in_all, in_some) == (len(told), len(found[0] | found[1])))


@checks("judge-topics")
def _(case: Case, rows: Any, shares: Any) -> bool:
    differ: dict[str, list[bool]] = {}
    for first, second, topic in zip(*shared_labels(case), strict=True):
        differ.setdefault(topic, []).append(first != second)
    expected = {topic: float(np.mean(own)) for topic, own in differ.items() if any(own)}
    told = [share for _, share in shares]
    same = all(near(share, expected[topic]) for topic, share in shares)
    return same and told == sorted(told, reverse=True) and len(told) == min(10, len(expected))


@pytest.mark.parametrize("seed", SEEDS)
def test_judges(seed: int) -> None:
    """How two judges agree on runs and labels, and what is significant under both."""
    case = Case.of(seed)
    second = Judgments.from_rows(with_second_judge(case).judgments)
    found = conclude(case.judgments, case.runs, RANGED, judges=[second])
    said = [one for one in found.statements if one.kind.startswith("judge-")]
    assert len(said) >= 3
    verify(case, said, seed)


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
    tested, me = plain.compare_all_pairs(case.values[metric]), case.run(run)
    apart = {b if a == me else a for a, b in tested.significant if me in (a, b)}
    expected = {name for i, name in enumerate(case.data.names) if i != me and i not in apart}
    return tested.doubtful or (set(alike) == expected and others == len(case.data.names) - 1)


@checks("least-alike")
def _(case: Case, rows: Any, metric: str, other: str, tau: float, interval: Any) -> bool:
    taus = {pair: plain.taub(case.means(pair[0]), case.means(pair[1])) for pair in combinations(METRICS, 2)}
    known = [value for value in taus.values() if not np.isnan(value)]
    return (
        near(tau, taus[metric, other])
        and tau <= min(known) + 1e-9
        and (interval is None or -1 <= interval[0] <= interval[1] <= 1)
    )


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
def _(
    case: Case, rows: Any, share: float, depth: int, most: str, share_of_most: float, first: bool, **more: Any
) -> bool:
    if more != case.lacking(case.data.names):
        return False
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
    verify(case, [Statement(first["kind"], first["facts"], tuple(first["evidence"]))])


# --- titles and verdict of a report -----------------------------------------------------------------------------------


def mean_of(case: Case, label: str) -> list[float]:
    return case.means(case.metric(label))


@checks("first-system")
def _(case: Case, rows: Any, metric: str, run: str, also: list[str], others: int, alike: int | None) -> bool:
    name = case.metric(metric)
    tested, me = plain.compare_all_pairs(case.values[name]), case.run(run)
    apart = sum(me in pair for pair in tested.significant)
    same = firsts(case, name) == {run, *also} and others == len(case.data.names) - 1 == len(rows) - 1
    return same and (alike is None or tested.doubtful or alike == others - apart)


@checks("most-opposed")
def _(case: Case, rows: Any, metric: str, other: str, opposite: int, pairs: int, metrics: int) -> bool:
    counts = {}
    for row in rows:
        signs = [plain.compare_signs(mean_of(case, row[name])) for name in ("metric", "other")]
        counts[frozenset((row["metric"], row["other"]))] = sum(a * b < 0 for a, b in zip(*signs, strict=True))
    told = counts[frozenset((case.metric(metric), case.metric(other)))]
    return (
        told == opposite == max(counts.values()) and pairs == len(signs[0]) and len(rows) == metrics * (metrics - 1) / 2
    )


@checks("certain-here")
def _(case: Case, rows: Any, certain: int, pairs: int) -> bool:
    sure = {(row["better"], row["worse"]) for row in rows if row["verdict"] == "certain"}
    found = conclude(case.judgments, case.runs, RANGED, **case.data.options).rows
    return sure == {(r.better, r.worse) for r in found if r.verdict == "certain"} and (certain, pairs) == (
        len(sure),
        len(case.data.names) * (len(case.data.names) - 1) // 2,
    )


@checks("separating-topic")
def _(case: Case, rows: Any, topic: str, metric: str) -> bool:
    spread = case.values[case.metric(metric)].std(axis=0)
    return near(float(spread[list(case.data.topics).index(topic)]), float(spread.max()))


@checks("leads-settings")
def _(case: Case, rows: Any, metric: str, leader: str, leads: int, settings: int, others: int) -> bool:
    led: Counter[str] = Counter()
    for row in rows:
        means = case.data.values(RBU, row["p"], row["e"]).mean(axis=1)
        best = {
            name for name, mean in zip(case.data.names, means, strict=True) if near(float(mean), float(means.max()))
        }
        if row["leader"] not in best:
            return False
        led[row["leader"]] += 1
    return (
        metric == RBU
        and settings == len(rows) == 36
        and leads == led[leader] == max(led.values())
        and others == len(led) - 1
    )


@checks("topics-find")
def _(case: Case, rows: Any, metric: str, topics: int, smallest: float, level: float, power: float) -> bool:
    gaps = [a - b for a, b in combinations(case.values[RBU], 2)]
    sd = sqrt(float(np.mean([gap.var(ddof=1) for gap in gaps])))
    shift = smallest / sd * sqrt(topics)  # the power of the two-sided paired t-test, by scipy's noncentral t
    edge = stats.t.ppf(1 - level / 2, topics - 1)
    reached = stats.nct.sf(edge, topics - 1, shift) + stats.nct.cdf(-edge, topics - 1, shift)
    return metric == RBU and topics <= len(case.data.topics) and abs(reached - power) < 1e-4


@checks("most-power")
def _(case: Case, rows: Any, metrics: list[str], significant: int, pairs: int, of: int) -> bool:
    tested = {name: plain.compare_all_pairs(case.values[name]) for name in METRICS}
    counts = {name: len(one.significant) for name, one in tested.items()}
    best = {name for name in METRICS if counts[name] == max(counts.values())}
    same = {case.metric(name) for name in metrics} == best and significant == max(counts.values())
    return any(one.doubtful for one in tested.values()) or (same and pairs == len(tested[RBU].pairs) and of == 4)


def recounted(case: Case, row: Mapping[str, Any]) -> bool:
    """Whether a row's failures of an axiom are those of a recount."""
    if row["axiom"] not in SEARCHES:
        return False
    found = count_situations(case, row["metric"], [row["axiom"]])
    if found is None:
        return True
    known = {
        "failed": "violations",
        "count": "violations",
        "situations": "situations",
        "of": "situations",
        "found": "found",
    }
    return all(row[name] == found[counted] for name, counted in known.items() if name in row)


@checks("others-fail-more")
def _(case: Case, rows: Any, title: str, why: str, others: Any, metric: str, count: int, of: int) -> bool:
    told = {case.metric(name): (failed, situations) for names, failed, situations in others for name in names}
    told[case.metric(metric)] = (count, of)
    own = count / of
    above = all(failed / situations > own for name, (failed, situations) in told.items() if name != case.metric(metric))
    same = told == {row["metric"]: (row["failed"], row["situations"]) for row in rows}
    return same and above and all(recounted(case, row) for row in rows)


@checks("trust-first")
def _(case: Case, rows: Any, metric: str, satisfied: int, of: int, failed: int, situations: int) -> bool:
    own = next(row for row in rows if row["metric"] == case.metric(metric))
    degrees = tuple(sorted(set(relevance_of(case.data).values()) - {F(0)}))
    wrong = [a for a in own["satisfied"] if case.metric(metric) in EXACT and a in SEARCHES]
    if any(fails_somewhere(case.metric(metric), axiom, degrees) for axiom in wrong):
        return False
    most = max(len(row["satisfied"]) for row in rows)
    return (
        of == 10
        and satisfied == len(own["satisfied"]) == most
        and (failed, situations)
        == (
            own["failed"],
            own["situations"],
        )
    )


@checks("fails-constraint")
def _(case: Case, rows: Any, metric: str, title: str, why: str) -> bool:
    return bool(rows) and all(row["answer"] == "fails" for row in rows)


@checks("undecided-constraints")
def _(case: Case, rows: Any, metric: str, titles: list[str]) -> bool:
    return len(rows) == len(titles) > 0


@checks("outside-premises")
def _(case: Case, rows: Any, metric: str, unrewarded: int, situations: int) -> bool:
    sums = {name: sum(row[name] for row in rows) for name in ("count", "of", "unrewarded", "found")}
    named = [{**row, "metric": case.metric(metric)} for row in rows]
    return all(recounted(case, row) for row in named) and (unrewarded, situations) == (
        sums["unrewarded"] - sums["count"],
        sums["found"] - sums["of"],
    )


@checks("more-power")
def _(case: Case, rows: Any, other: str, more: int, metric: str, fewer: int, pairs: int) -> bool:
    tested = {name: plain.compare_all_pairs(case.values[name]) for name in METRICS}
    counts = [len(tested[case.metric(label)].significant) for label in (other, metric)]
    doubtful = any(one.doubtful for one in tested.values())
    return doubtful or (counts == [more, fewer] and more > fewer and pairs == len(tested[RBU].pairs))


@checks("more-unanimous")
def _(case: Case, rows: Any, other: str, more: float, metric: str, less: float) -> bool:
    values = [case.values[name] for name in METRICS]
    told = [agreement.unanimity(values, METRICS.index(case.metric(label))) for label in (other, metric)]
    return near(told[0], more) and near(told[1], less) and more > less


@checks("judge-more")
def _(case: Case, rows: Any, unjudged: float, depth: int, **more: Any) -> bool:
    if more != case.lacking(case.data.names):
        return False
    return near(unjudged, 1 - float(np.mean([case.data.judged(run, depth) for run in case.data.names]))) and depth == 20


@checks("add-topics")
def _(case: Case, rows: Any, metric: str, undecided: int, pairs: int) -> bool:
    tested = plain.compare_all_pairs(case.values[case.metric(metric)])
    return tested.doubtful or (undecided, pairs) == (len(tested.pairs) - len(tested.significant), len(tested.pairs))


@checks("satisfied-constraints")
def _(case: Case, rows: Any, metric: str, satisfied: int, of: int, other: str, fewer: int) -> bool:
    by = {row["metric"]: row["satisfied"] for row in rows}
    return (
        (by[case.metric(metric)], by[case.metric(other)]) == (satisfied, fewer)
        and fewer == min(by.values())
        and of == 10
    )


def sentences_of_report(case: Case, *, verdict: bool) -> list[Statement]:
    """The titles, and with `verdict` which metric to trust, from the same parts as a report."""
    options, asked = case.options, as_metrics(METRICS)
    rankings = rank_all(case.judgments, case.runs, metrics_to_read(asked), options, keep_documents=True)
    quality, data = (
        MetricQuality.of(case.scores),
        {"leaderboard": leaderboard(case.scores, MetricQuality.of(case.scores).power)},
    )
    data["conclusions"] = survival(case.judgments, rankings, options, Doubts(RANGED, None))
    study = Evaluation(case.judgments, rankings, asked, options)
    data["judging"], data["parameters"] = judging(study, Decisions()), parameters(asked[0], study.score)
    if verdict:
        levels = {metric.name: levels_for(case.judgments, metric, options) for metric in asked}
        verdicts = decide_in_data(asked, list(AXIOMS), levels, time_limit=5.0)
        counts, _ = occurrences(case.judgments, rankings, asked, options)
        lacking = case.scores.setup.lists_lacking(case.scores.runs)
        found = decide_verdict(asked, verdicts, counts, quality, case.scores.setup.judged, lacking=lacking)
        assert found is not None
        data["verdict"] = found
    told = list(find_titles(case.scores, quality, data).values())
    if verdict:
        told.append(data["verdict"]["title"])
        parts = [
            *data["verdict"]["sentences"],
            *data["verdict"]["against"],
            *(one["sentence"] for one in data["verdict"]["next"]),
        ]
        told += [clause for part in parts for clause in part if "kind" in clause]
    return [Statement(one["kind"], one["facts"], tuple(one["evidence"])) for one in told]


@pytest.mark.parametrize("seed", SEEDS)
def test_report(seed: int) -> None:
    """The titles of the views, and for some collections which metric to trust and what speaks against it."""
    case = Case.of(seed)
    verify(case, sentences_of_report(case, verdict=seed % 4 == 0), seed)


# --- notes of evaluate ------------------------------------------------------------------------------------------------


@checks("default-metrics")
def _(case: Case, rows: Any, metrics: int) -> bool:
    return metrics == len(rows) == 3


@checks("graded-forms")
def _(case: Case, rows: Any, gain: str, twins: list[str]) -> bool:
    graded = max(g for *_, g in case.data.judgments) > 1
    return gain == "exponential" and twins == [*(["ndeval.alpha_nDCG@5"] if graded else []), "ndeval.ERR_IA@5"]


@checks("all-below-zero")
def _(case: Case, rows: Any, metric: str, run: str, rank: float | None) -> bool:
    means = [float(row.mean()) for row in case.data.values(RBU, e=COSTLY)]
    if max(means) >= 0 or not near(means[case.run(run)], max(means)) or metric != f"RBU(p=0.9,e={COSTLY})@5":
        return False
    stops = []
    for topic, facts in case.data.topics.items():
        listed = case.data.rows(run, topic)
        utility = [
            plain.rbu(listed[:n], facts.weights, 0.9, COSTLY, plain.K) for n in range(min(len(listed), plain.K) + 1)
        ]
        stops.append(next(n for n, one in enumerate(utility) if one > max(utility) - 1e-12))
    return all(near(row["mean"], means[case.run(row["run"])]) for row in rows) and near(rank, float(np.mean(stops)))


COSTLY = 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_evaluate(seed: int) -> None:
    """The notes below a table of scores: default metrics, TREC's forms, and utility below 0."""
    case, options = Case.of(seed), Options()
    names = ["alpha_nDCG@5", "ERR_IA@5", f"RBU(p=0.9,e={COSTLY})@5"]
    scores = diveval.evaluate(case.judgments, case.runs, names)
    kinds = set()
    for asked in (names, []):
        arguments = argparse.Namespace(metrics=asked, runs=case.runs)
        said = describe_scores(scores, case.judgments, as_metrics(names), options, arguments)
        verify(case, said, seed)
        kinds = {one.kind for one in said}
        assert ("default-metrics" in kinds) == (not asked) and "graded-forms" in kinds
    assert ("all-below-zero" in kinds) == (case.data.values(RBU, e=COSTLY).mean(axis=1).max() < 0)


# --- settings ---------------------------------------------------------------------------------------------------------

SETTINGS: list[dict[str, Any]] = [
    {"gain": "binary"},
    {"gain": "linear"},
    {"rel": 2},
    {"missing_topics": "zero"},
    {"missing_topics": "skip"},
    {"judged_only": True},
    {"weighted": True},
    {"gmax": 5.0},
    {"ties": "docno-asc"},
    {"ties": "file"},
    {"order": "file"},
    {"empty_topics": "skip"},
    {"empty_aspects": "keep"},
]


def with_settings(seed: int, setting: dict[str, Any]) -> Case | None:
    """A collection read with other options; None where one of them leaves nothing to score."""
    data = plain.draw(seed)
    weights = None
    if setting.get("weighted"):
        cells = sorted({(t, a) for t, a, _, _ in data.judgments})
        weights = {cell: float(1 + (7 * i + seed) % 4) for i, cell in enumerate(cells)}
    options = {name: value for name, value in setting.items() if name != "weighted"}
    if options.get("rel") and max(g for *_, g in data.judgments) < options["rel"]:
        return None
    return Case.from_data(Collection(data.judgments, data.runs, data.shape, options, weights))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: "-".join(map(str, one)))
@pytest.mark.parametrize("seed", list(SEEDS)[: times(10, 100)])
def test_settings(seed: int, setting: dict[str, Any]) -> None:
    """The sentences of compare, paper and the headline, and where every topic counts for every run those of `why`,
    `choose`, conclusions and the report, are true of other gains, weights, missing topics and removed documents too."""
    case = with_settings(seed, setting)
    if case is None:
        return
    for metric in METRICS:
        verify(case, compare(case.scores, metric).statements, seed)
    table = results_table(case.scores)
    verify(case, [*describe_methods(table), table.statement(), *caption_figures(case.scores, table).values()], seed)
    first, second = case.runs[0], case.runs[1]
    for metric in (RBU, RECALL) if plain.compare_all_pairs(case.values[RBU]).pairs[:1] == [(0, 1)] else ():
        verify(case, why(case.judgments, first, second, [metric], axioms=False, **case.data.options).statements, seed)
    if "skip" in (setting.get("missing_topics"), setting.get("empty_topics")):
        return
    absent = {run: [t for t in case.data.topics if t not in case.data.held(run)] for run in case.data.names}
    absent = {run: topics for run, topics in absent.items() if topics}
    for clauses in headline(case.scores, MetricQuality.of(case.scores), absent):
        verify(case, [Statement(c["kind"], c["facts"], tuple(c["evidence"])) for c in clauses if "kind" in c], seed)
    first, second = case.runs[0], case.runs[1]
    found = why(case.judgments, first, second, [RBU, RECALL], axioms=seed == 0, time_limit=5.0, **case.data.options)
    verify(case, found.statements, seed)
    verify(case, losses(case.judgments, first, second, RBU, **case.data.options).statements, seed)
    if seed % 4 == 0:
        chosen = _choose.choose(
            case.judgments, case.runs, task="web", metrics=METRICS, time_limit=3.0, **case.data.options
        )
        verify(case, chosen.statements, seed)
        verify(case, conclude(case.judgments, case.runs, RANGED, **case.data.options).statements, seed)
        verify(case, sentences_of_report(case, verdict=True), seed)


@pytest.mark.parametrize("seed", list(SEEDS)[: times(10, 100)])
def test_a_highest_grade_for_each_aspect(seed: int) -> None:
    """With --gmax per-aspect a grade stands for several degrees of relevance: each is named with its own answer."""
    case = with_settings(seed, {"gmax": "per-aspect"})
    assert case is not None
    for metric in METRICS:
        verify(case, compare(case.scores, metric).statements, seed)
    table = results_table(case.scores)
    verify(case, [*describe_methods(table), table.statement()], seed)
    chosen = _choose.choose(
        case.judgments, case.runs, task="web", metrics=METRICS[:2], time_limit=3.0, **case.data.options
    )
    verify(case, [one for one in chosen.statements if one.kind == "verdict-here"], seed)
    (degrees,) = [one.facts["degrees"] for one in chosen.statements if one.kind == "degrees-of-relevance"]
    every = sorted({(g, r) for row in aspects_of(case.data) for g, r in row.items() if r > 0})
    assert [tuple(pair) for pair in degrees] == every


# --- answers of RAG ---------------------------------------------------------------------------------------------------

COVERED, ANSWER_RBU = "Coverage_weighted", "RBU(p=0.9,e=0.01)"
SHARES = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
SENTENCE = tuple[int, dict[str, str]]  # its tokens, and the labels of the nuggets


@dataclass
class Answers:
    """Systems' answers to a few queries, by sentence; a case whose checks need runs, topics and values only."""

    nuggets: dict[str, list[str]]  # by query the importance of its nuggets
    answers: dict[str, dict[str, list[SENTENCE]]]  # system → query → sentences

    @classmethod
    def draw(cls, seed: int) -> Answers:
        draws = np.random.default_rng(seed)
        queries = [f"q{i:02d}" for i in range(int(draws.integers(2, 13)))]
        nuggets = {q: [str(kind) for kind in draws.choice(["vital", "okay"], draws.integers(1, 5))] for q in queries}
        answers: dict[str, dict[str, list[SENTENCE]]] = {}
        for system in [f"s{i}" for i in range(int(draws.integers(2, 5)))]:
            answers[system] = {}
            for query in queries:
                answers[system][query] = [
                    (
                        int(draws.integers(5, 60)),
                        {f"n{n}": str(draws.choice(list(SHARES))) for n in range(len(nuggets[query]))},
                    )
                    for _ in range(int(draws.integers(1, 5)))
                ]
        if seed % 4 == 0:
            answers["twin"] = answers["s0"]
        return cls(nuggets, answers)

    def files(self) -> Any:
        """As diveval reads them."""
        bank = [
            {
                "qid": q,
                "nuggets": [{"id": f"n{n}", "text": f"{q} {n}", "importance": kind} for n, kind in enumerate(kinds)],
            }
            for q, kinds in self.nuggets.items()
        ]
        labels = [
            {
                "qid": query,
                "run_id": system,
                "sentences": [{"text": "x", "tokens": tokens, "nuggets": given} for tokens, given in sentences],
            }
            for system, by_query in self.answers.items()
            for query, sentences in by_query.items()
        ]
        return gather([bank, labels])

    @property
    def names(self) -> list[str]:
        return list(self.answers)

    @property
    def topics(self) -> list[str]:
        return list(self.nuggets)

    @property
    def runs(self) -> list[str]:
        return self.names

    @property
    def options(self) -> dict[str, Any]:
        return {}

    @property
    def shape(self) -> str:
        return "answers"

    @property
    def data(self) -> Answers:
        return self

    def value(self, system: str, query: str, metric: str, e: float = 0.01) -> float:
        """Weighted coverage by the best sentence of each nugget, or RBU with 20 tokens costing e."""
        weights = [1.0 if kind == "vital" else 0.5 for kind in self.nuggets[query]]
        rows = [[SHARES[given[f"n{n}"]] for n in range(len(weights))] for _, given in self.answers[system][query]]
        if metric == COVERED:
            best = [max(column) for column in zip(*rows, strict=True)]
            return float(np.dot(weights, best) / sum(weights))
        left, total = [1.0] * len(weights), 0.0
        for i, (row, (tokens, _)) in enumerate(zip(rows, self.answers[system][query], strict=True), 1):
            gain = float(sum(w * r * s for w, r, s in zip(weights, row, left, strict=True))) / sum(weights)
            total += 0.9**i * (gain - e * tokens / 20)
            left = [s * (1 - r) for s, r in zip(left, row, strict=True)]
        return total

    @cached_property
    def values(self) -> dict[str, Any]:
        found = {
            metric: np.array([[self.value(system, q, metric) for q in self.topics] for system in self.names])
            for metric in (COVERED, ANSWER_RBU)
        }
        return {**found, RBU: found[ANSWER_RBU]}

    def metric(self, label: str) -> str:
        return {"RBU": ANSWER_RBU}[label]

    def run(self, name: str) -> int:
        return self.names.index(name)

    def means(self, metric: str) -> list[float]:
        return [float(row.mean()) for row in self.values[metric]]

    def topics_of_pair(self, metric: str, run: str, other: str) -> Any:
        return self.values[metric][self.run(run)] - self.values[metric][self.run(other)]


@pytest.mark.parametrize("seed", SEEDS)
def test_answers(seed: int) -> None:
    """What is said of RAG answers: which systems differ, which is preferred and because of which queries, and losses."""
    case = Answers.draw(seed)
    files = case.files()
    scores = evaluate_answers(files, [COVERED, ANSWER_RBU])
    for metric in (COVERED, ANSWER_RBU):
        assert np.allclose(scores.array(metric), case.values[metric], atol=1e-9)
        verify(case, compare(scores, metric).statements, seed)
    made = as_collection(files)
    first, second = made.runs[:2]
    verify(case, why(made.judgments, first, second, [ANSWER_RBU], options=made.options, axioms=False).statements, seed)
    verify(case, losses(made.judgments, first, second, ANSWER_RBU, options=made.options).statements, seed)
    ranged = conclude(made.judgments, made.runs, "RBU(p=0.8..0.95,e=0..0.05)", options=made.options)
    certain = [(case.run(row.better), case.run(row.worse)) for row in ranged.rows if row.verdict == "certain"]
    for e in (0.0, 0.01, 0.05):
        means = [np.mean([case.value(system, q, ANSWER_RBU, e) for q in case.topics]) for system in case.names]
        assert all(means[a] > means[b] - 1e-12 for a, b in certain)


REAL = Path(os.environ.get("DIVEVAL_REALDATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.parametrize("name", ["web2009", "web2010", "web2011", "dlmia", *OTHER_FOLDERS])
def test_real_collections(name: str) -> None:
    """The sentences of `compare`, `paper` and the headline about real runs, of which the first 20 documents are read."""
    if not (REAL / name).is_dir():
        pytest.skip(f"no real collections in {REAL}")
    other = OTHER_FOLDERS.get(name)
    case = Case.from_data(other(REAL / name) if other else plain.read(REAL / name, most=times(6, 100)))
    for metric in METRICS:
        verify(case, compare(case.scores, metric).statements)
    table = results_table(case.scores)
    verify(case, [*describe_methods(table), table.statement(), *caption_figures(case.scores, table).values()])
    absent = {run: [t for t in case.data.topics if t not in case.data.held(run)] for run in case.data.names}
    absent = {run: topics for run, topics in absent.items() if topics}
    for clauses in headline(case.scores, MetricQuality.of(case.scores), absent):
        verify(case, [Statement(c["kind"], c["facts"], tuple(c["evidence"])) for c in clauses if "kind" in c])
    first, second = case.runs[:2]
    for metrics in ([RBU], [RBU, RECALL]):
        verify(case, why(case.judgments, first, second, metrics, axioms=False).statements)
    verify(case, losses(case.judgments, first, second, RBU).statements)
    verify(case, conclude(case.judgments, case.runs, RANGED).statements)
    verify(case, sentences_of_report(case, verdict=False))
    small = case if len(case.runs) <= 3 and len(case.data.judgments) < 4000 else first_topics(case, times(8, 100))
    if small is case or name.startswith("web") or times(False, True):  # situations are counted again by slow loops
        chosen = _choose.choose(small.judgments, small.runs, task="web", metrics=METRICS, time_limit=3.0)
        verify(small, chosen.statements)
        verify(small, sentences_of_report(small, verdict=True))


def first_topics(case: Case, most: int) -> Case:
    """The same runs on the first topics."""
    kept = set(list(case.data.topics)[:most])
    judgments = [row for row in case.data.judgments if row[0] in kept]
    runs = {run: [row for row in rows if row[0] in kept] for run, rows in case.data.runs.items()}
    return Case.from_data(Collection(judgments, runs, case.data.shape))


OTHERS = {
    "judges-",
    "plan",
    "gate",
    "pool-effect",
    "board",
    "panel-",
    "violation-",
}  # checked in tests/unit/judging/test_statements.py; violations in tests/unit/violations/test_recount.py


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


def test_totals() -> None:
    """Every kind that this run checked has facts or none to state; the totals are printed (with -s) on a line of their own."""
    if not CHECKED:
        pytest.skip("no statement was checked in this process")
    assert set(CHECKED) <= set(CHECKS)
    print(f"\nchecked {CHECKED.total():,} sentences of {len(CHECKED)} kinds with {FACTS.total():,} facts")


def test_a_label_stands_for_one_setting() -> None:
    """A label without numbers is the catalogue's setting: another one is named, also where it stands alone."""
    tried = 0
    for entry in entries().values():
        usual = entry.metric({}, None if entry.cutoffs != "needed" else 5)
        for parameter in entry.parameters:
            if not isinstance(parameter.default, int | float) or parameter.name not in usual.numbers:
                continue
            inside = (0.25, 0.75, 2, 3)
            other = next((x for x in inside if parameter.low < x < parameter.high and x != parameter.default), None)
            if other is None:
                continue
            name = entry.metric({parameter.name: other}, usual.cutoff).name
            assert labels([name]) != labels([usual.name]) and (f"{other:g}" in labels([name])[0]), name
            tried += 1
    assert tried > 20
