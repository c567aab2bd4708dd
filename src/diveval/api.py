"""The commands as Python functions of the same names. Each takes judgments and runs in any supported form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from diveval.choosing.effort import effort
from diveval.defaults import HEADLINE, RBU
from diveval.errors import UsageError
from diveval.evaluation import load_judgments, rank_all, score_runs
from diveval.files import write_atomically
from diveval.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.metrics.names import MetricLike, as_metrics
from diveval.options import Options
from diveval.scores import Scores
from diveval.stats.comparison import Correction
from diveval.stopping import Stop, stopping_points

__all__ = ["cutoff", "effort", "paper"]


def cutoff(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metric: MetricLike = RBU,
    *,
    weights: WeightsLike | None = None,
    options: Options | None = None,
) -> list[Stop]:
    """Where a reader should stop: per run and topic the rank with the highest utility.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: the same.
        metric: a metric with effort, RBU or EU.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
    """
    chosen, (asked, *more) = options or Options(), as_metrics(metric)
    if more:
        raise UsageError(f"cutoff takes one metric, got {1 + len(more)}")
    truth = load_judgments(judgments, chosen, weights)
    return stopping_points(truth, rank_all(truth, runs, [asked], chosen, keep_documents=False), asked, chosen)


def paper(
    judgments: JudgmentsLike,
    runs: RunsLike,
    folder: str | Path,
    *,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    baseline: str | None = None,
    test: str = "t",
    correction: Correction = "holm",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    figures: bool = True,
    weights: WeightsLike | None = None,
    options: Options | None = None,
) -> list[Path]:
    """Write the results section of a paper: tables, figures, a methods paragraph and references.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: two or more runs, in any shape.
        folder: where to write; created if it does not exist.
        metrics: the columns; the default set if not given.
        baseline: compare every run with this one instead of every pair.
        test: `t`, `randomization`, `bootstrap`, `wilcoxon` or `tukey`.
        correction: `holm`, `bh` or `none`.
        confidence: p below 1 − confidence is significant.
        resamples: of randomization, bootstrap and tukey.
        seed: of the resampling.
        figures: draw them too (needs the extra `report`).
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
    """
    from diveval.publishing import results_table
    from diveval.publishing.results_folder import contents_of

    chosen, asked = options or Options(), as_metrics(metrics)
    scores: Scores = score_runs(load_judgments(judgments, chosen, weights), runs, asked, chosen)
    table = results_table(
        scores,
        baseline=baseline,
        test=test,
        correction=correction,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    contents = contents_of(table, scores, asked, chosen, figures=figures, command="diveval.paper(…)")
    base = Path(folder)
    base.mkdir(parents=True, exist_ok=True)
    return [Path(write_atomically(base / name, content)) for name, content in contents.items()]
