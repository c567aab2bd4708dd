"""Runs compared within slices of the topics or users, all slices in one family of tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from diveval.argument_types import explain_types
from diveval.defaults import CONFIDENCE, CORRECTION, RESAMPLES, SEED, TEST
from diveval.errors import UsageError, capture_warnings
from diveval.metrics.names import MetricLike
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.table_text import align, number_text, p_text
from diveval.stats.comparison import ABOVE, ComparisonRow
from diveval.stats.pairwise import compare
from diveval.stats.tests import CORRECTIONS, TESTS, Correction, Significance, alpha_of


@dataclass(frozen=True)
class SliceRow:
    """Two runs in one slice: their means over the topics that each counts, and the difference over those that both do."""

    slice: str
    topics: int
    run: str
    other: str
    mean: float | None
    other_mean: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    significant: bool


@dataclass(frozen=True, repr=False)
class SliceComparison(Result):
    """Every pair of runs in every slice. The correction is over all pairs of all slices; intervals are not corrected."""

    metric: str
    test: str
    correction: Correction
    confidence: float
    rows: tuple[SliceRow, ...]

    header: ClassVar[tuple[str, ...]] = tuple(SliceRow.__dataclass_fields__)

    def to_text(self, width: int = 80) -> str:
        """A row per pair and slice."""
        cells = [
            [row.slice, str(row.topics), row.run, row.other, *map(number_text, (row.mean, row.other_mean, row.difference)),
             p_text(row.p_adjusted) + (ABOVE if row.significant else " ")]
            for row in self.rows
        ]  # fmt: skip
        family = f"{self.correction} over {len(self.rows)} comparisons in all slices"
        head = f"{self.metric} by slice: {TESTS[self.test].title}, {family}, p < {alpha_of(self.confidence):g}"
        heads = ["slice", "topics", "run", "against", "mean", "against", "difference", "p adj."]
        table = align([heads, *cells], "<><<>>>>")
        return "\n".join([head, "", *table, "", f"{ABOVE} significant"]) + "\n"


@explain_types
def compare_slices(
    scores: Scores,
    slices: Mapping[str, Iterable[str]] | None = None,
    metric: MetricLike | None = None,
    *,
    baseline: str | None = None,
    test: str = TEST,
    correction: Correction = CORRECTION,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> SliceComparison:
    """Compare runs within each slice, as `compare` does on all topics.

    Args:
        scores: scores per topic (or user) of two runs or more.
        slices: the topics of each slice; those that the scores were made with if not given.
        metric: the metric to compare on (default: the first one of the scores).
        baseline: compare every run with this one instead of every pair.
        test: as in `compare`.
        correction: of the p-values of all pairs in all slices together.
        confidence: a pair is significant when its adjusted p is below 1 − confidence.
        resamples: as in `compare`.
        seed: as in `compare`.
    """
    Significance(test, correction, confidence, resamples, seed)  # refuses what is wrong
    groups = scores.slices if slices is None else slices
    if not groups:
        raise UsageError("missing-argument", "compare_slices needs slices: the topics of each")
    rows: list[SliceRow] = []
    known = set(scores.topics)
    for name, topics in groups.items():
        own = [topic for topic in topics if topic in known]
        part = scores.select(topics=own, metrics=[scores.metrics[0 if metric is None else scores.metric_index(metric)]])
        with capture_warnings():  # of few topics and missing ones: the table shows how many there are
            found = compare(
                part,
                baseline=baseline,
                test=test,
                correction="none",
                confidence=confidence,
                resamples=resamples,
                seed=seed,
            )
        means = {run.run: run.mean for run in found.runs}
        rows += [_row(name, row, means) for row in found.rows]
    tested = [i for i, row in enumerate(rows) if row.p is not None]
    if tested:
        adjusted = CORRECTIONS[correction](np.array([rows[i].p for i in tested], dtype=float))
        for i, p in zip(tested, adjusted.tolist(), strict=True):
            rows[i] = replace(rows[i], p_adjusted=p, significant=p < alpha_of(confidence))
    setup = replace(scores.setup, test=test, correction=correction, confidence=confidence, family=len(tested))
    return SliceComparison(part.metrics[0], test, correction, confidence, tuple(rows), setup=setup)


def _row(name: str, row: ComparisonRow, means: Mapping[str, float | None]) -> SliceRow:
    return SliceRow(
        name,
        row.topics,
        row.run,
        row.other,
        means[row.run],
        means[row.other],
        row.difference,
        row.low,
        row.high,
        row.p,
        None,
        False,
    )
