"""The commands as Python functions of the same names. Each takes judgments and runs in any supported form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.analysis.effort import EFFORTS, PATIENCE, EffortStudy, tune_effort
from diveval.analysis.run_pairs import PREFERENCES, RELEVANT, prefer_runs
from diveval.analysis.stopping import StoppingRanks, stopping_points
from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.defaults import CONFIDENCE, CORRECTION, HEADLINE, RBU, RESAMPLES, SEED, TEST
from diveval.errors import UsageError
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading.chosen import takes_settings
from diveval.results.scores import Scores
from diveval.scoring.evaluate import list_runs, load_judgments, rank_all, score_runs
from diveval.settings import Options
from diveval.stats.tests import Correction
from diveval.system.files import write_atomically

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

__all__ = ["effort", "paper", "prefer", "stopping_ranks", "tune_effort"]


@takes_settings
def stopping_ranks(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metric: MetricLike = RBU,
    *,
    budget: float | None = None,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> StoppingRanks:
    """Where a reader should stop: per run and topic the rank with the highest utility.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: the same.
        metric: a metric with effort, RBU or EU.
        budget: what the documents down to a stop may cost together in any one topic, in the units of the effort file, such
            as tokens; only stops within it are considered. RBU with e=0 has no other cost.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    chosen, (asked, *more) = options or Options(), as_metrics(metric)
    if more:
        raise UsageError("wrong-number-of-metrics", f"stopping_ranks takes one metric, got {1 + len(more)}")
    truth = load_judgments(judgments, chosen, weights)
    rankings = rank_all(truth, runs, [asked], chosen, keep_documents=False)
    return stopping_points(truth, rankings, asked, chosen, budget)


@takes_settings
def prefer(
    judgments: JudgmentsLike,
    runs: RunsLike,
    preferences: str | Sequence[str] = tuple(PREFERENCES),
    *,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Scores:
    """How far each run is preferred to the others by the ranks of its relevant documents, by topic.

    A value is the mean over all the runs, itself included as 0: it depends on which runs are given.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: two or more runs, in any shape.
        preferences: `RPP` (every number of relevant documents counts), `lexirecall` (the last one that decides),
            `lexiprecision` (the first one), or several.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `rel=2`, as in `diveval.evaluate`.
    """
    chosen, names = options or Options(), [preferences] if isinstance(preferences, str) else list(preferences)
    truth = load_judgments(judgments, chosen, weights)
    rankings = rank_all(truth, runs, as_metrics(RELEVANT), chosen, keep_documents=False)
    return prefer_runs(truth, rankings, names, chosen)


@takes_settings
def paper(
    judgments: JudgmentsLike,
    runs: RunsLike,
    folder: str | Path,
    *,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    baseline: str | None = None,
    test: str = TEST,
    correction: Correction = CORRECTION,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    figures: bool = True,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> list[Path]:
    """Write the results section of a paper: tables, losses, figures, a methods paragraph and references.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: two or more runs, in any shape.
        folder: where to write; created if it does not exist.
        metrics: the columns; the default set if not given.
        baseline: compare every run with this one instead of every pair.
        test: `t`, `randomization`, `bootstrap`, `wilcoxon`, `sign` or `tukey`.
        correction: `holm`, `bh` or `none`.
        confidence: p below 1 − confidence is significant.
        resamples: of randomization, bootstrap and tukey.
        seed: of the resampling.
        figures: draw them too (needs the extra `report`).
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    from diveval.analysis.losses import losses_among
    from diveval.publishing import results_table
    from diveval.publishing.results_folder import contents_of
    from diveval.publishing.results_table import gains_of

    chosen, asked, listed = options or Options(), as_metrics(metrics), list_runs(runs)
    truth = load_judgments(judgments, chosen, weights)
    scores: Scores = score_runs(truth, listed, asked, chosen)
    table = results_table(
        scores,
        baseline=baseline,
        test=test,
        correction=correction,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    lost = losses_among(scores, gains_of(scores, table)[:2], truth, listed, options=chosen)
    contents = contents_of(table, scores, figures=figures, command="diveval.paper(…)", losses=lost)
    base = Path(folder)
    base.mkdir(parents=True, exist_ok=True)
    return [Path(write_atomically(base / name, content)) for name, content in contents.items()]


def effort(
    judgments: JudgmentsLike,
    runs: RunsLike,
    *,
    patience: Sequence[float] = PATIENCE,
    efforts: Sequence[float] = EFFORTS,
    **more: Any,
) -> EffortStudy:
    """`tune_effort` under its name and parameters of version 2, of which `resamples` and `seed` have no effect now."""
    kept = {name: value for name, value in more.items() if name not in ("resamples", "seed")}
    return tune_effort(judgments, runs, p=patience, e=efforts, **kept)
