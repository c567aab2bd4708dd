"""The effect of the pool on scores: what a run would score if the documents that only it brought had not been judged.

J. Zobel. How Reliable Are the Results of Large-Scale Information Retrieval Experiments? SIGIR 1998.
C. Buckley, D. Dimmick, I. Soboroff, E. Voorhees. Bias and the Limits of Pooling for Large Collections. Information
Retrieval, 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import owners
from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import RankedColumns
from diveval.collection.relevance import relevance_of, render_gain
from diveval.defaults import HEADLINE
from diveval.errors import UsageError, capture_warnings, preview, warn
from diveval.judging.without_judgments import mean_scores, score_without
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading.chosen import takes_settings
from diveval.reading.slices import SlicesLike, as_groups
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.statements import Statement, plain_rows, words
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.scorer import RankingsByOrder, add_residuals, score
from diveval.settings import Options, RelevanceRule

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

Left = Literal["run", "group"]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class PoolRow:
    """One run and metric, with the documents that only the run, or only its group, brought to the pool left out.

    `without` is the score if these are unjudged, `effect` is `without` − `score`. `low` and `high` bound the score over
    all labels, of the aspects that count, that the unjudged documents of the run's lists could have; None where no bound is known for the metric.
    """

    run: str
    left_out: Left
    group: str
    metric: str
    score: float | None
    without: float | None
    effect: float | None
    unique: int  # judged documents that nobody else brought
    relevant: int  # of these
    low: float | None
    high: float | None


@dataclass(frozen=True, repr=False)
class PoolAudit(Result):
    """The effect of the pool on every run: leave-one-run-out, and leave-one-group-out where groups were given."""

    depth: int | None
    rows: tuple[PoolRow, ...]

    reference: ClassVar[str] = (
        "J. Zobel. How Reliable Are the Results of Large-Scale Information Retrieval Experiments? SIGIR 1998; "
        "C. Buckley, D. Dimmick, I. Soboroff, E. Voorhees. Bias and the Limits of Pooling for Large Collections. "
        "Information Retrieval, 2007."
    )
    header: ClassVar[tuple[str, ...]] = tuple(PoolRow.__dataclass_fields__)

    def to_text(self, width: int = 80) -> str:
        """The table, and what follows from it."""
        return "\n".join([self.display().text(width), *(f"* {statement.text}" for statement in self.statements), ""])


@takes_settings
def audit_pool(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike] = HEADLINE,
    *,
    groups: SlicesLike | None = None,
    depth: int | None = None,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> PoolAudit:
    """Show what each run gains from the documents that only it brought to the pool, and what unjudged ones could change.

    A run brought a judged document if it has it in its list, or among its first `depth` documents. The documents that
    only one run brought are left out of the judgments, and the run is scored again: so would a system be scored that
    did not contribute to the pool. The same is done for groups of runs.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: two runs or more: all that contributed to the pool, if they are at hand.
        metrics: names, formulas or functions, as in `diveval.evaluate`.
        groups: whose each run is, `{run: group}`, or a table `file` or `file:column` whose first column is the run.
        depth: to which rank documents were pooled; default: whole lists.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    chosen, asked = options or Options(), as_metrics(metrics)
    truth = load_judgments(judgments, chosen, weights)
    rankings = rank_all(truth, runs, asked, chosen, keep_documents=chosen.judged_only)
    return audit_rankings(truth, rankings, asked, chosen, groups=groups, depth=depth)


def audit_rankings(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    *,
    groups: SlicesLike | None = None,
    depth: int | None = None,
    scores: Scores | None = None,
) -> PoolAudit:
    """The same from rankings; `scores` are those of the rankings where they are known."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise UsageError("out-of-range", f"depth is a rank of at least 1, got {depth!r}")
    first = next(iter(rankings.values()))
    names = [run.name for run in first]
    if len(names) < 2:
        raise UsageError("too-few-runs", f"the effect of one run on the pool needs other runs, got {len(names)}")
    named = None if groups is None else _name_groups(groups, names)
    with capture_warnings():  # they were issued when the rankings were scored or read
        whole = scores if scores is not None else score(judgments, rankings, metrics, options)
        bounds = _bound_scores(whole, judgments, rankings, metrics, options)
        found = _find_brought(judgments, [run.columns(judgments) for run in first], depth)
        rows = [*_leave_out("run", names, judgments, rankings, metrics, options, whole, found, bounds)]
        if named is not None:
            rows += _leave_out("group", named, judgments, rankings, metrics, options, whole, found, bounds)
    statements = tuple(_describe(rows, [metric.name for metric in metrics], depth))
    return PoolAudit(depth, tuple(rows), setup=whole.setup, statements=statements)


def _name_groups(groups: SlicesLike, names: Sequence[str]) -> list[str]:
    """The group of each run; a run without one is a group of its own."""
    own = as_groups(groups)
    if not any(own.get(name) for name in names):
        raise UsageError(
            "unknown-run", f"the groups name none of the runs {preview(names)}: they have {preview([*own])}"
        )
    if bare := [name for name in names if not own.get(name)]:
        warn("missing-group", f"no group is given for {preview(bare)}: each is a group of its own")
    return [own.get(name) or name for name in names]


def _find_brought(judgments: Judgments, runs: Sequence[RankedColumns], depth: int | None) -> Bools:
    """Which judged documents each run brought, run × document; documents topic by topic as in the judgments."""
    starts = judgments.columns.documents
    out = np.zeros((len(runs), int(starts[-1])), dtype=bool)
    for r, run in enumerate(runs):
        own = run.submitted or run
        within = np.ones(len(own.ranks), dtype=bool) if depth is None else own.ranks <= depth
        out[r, (starts[owners(own.judged_offsets)] + own.rows)[within]] = True
    return out


def _leave_out(
    kind: Left,
    groups: Sequence[str],
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    whole: Scores,
    brought: Bools,
    bounds: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> Iterator[PoolRow]:
    """Leave out one group after the other; of each, only its own runs are scored again."""
    members = {name: [r for r, group in enumerate(groups) if group == name] for name in dict.fromkeys(groups)}
    by_group = np.array([np.logical_or.reduce(brought[own]) for own in members.values()])
    unique = by_group & (np.count_nonzero(by_group, axis=0) == 1)
    relevant = _find_relevant(judgments, options.relevance)
    before = mean_scores(whole)
    after = score_without(judgments, rankings, metrics, options, whole, [*members.values()], unique)
    for (name, own), left_out in zip(members.items(), unique, strict=True):
        counts = int(np.count_nonzero(left_out)), int(np.count_nonzero(left_out & relevant))
        for r in own:
            for m, metric in enumerate(metrics):
                value, without = (None if np.isnan(of[r, m]) else float(of[r, m]) for of in (before, after))
                effect = None if value is None or without is None else without - value
                low, high = (float(ends[r]) for ends in bounds[metric.name]) if metric.name in bounds else (None, None)
                yield PoolRow(whole.runs[r], kind, name, metric.name, value, without, effect, *counts, low, high)


def _find_relevant(judgments: Judgments, rule: RelevanceRule) -> Bools:
    """The judged documents that are relevant to some aspect, in the order of the judgments."""
    columns = judgments.columns
    out = np.zeros(int(columns.documents[-1]), dtype=bool)
    cells = columns.documents[owners(columns.entries)] + columns.rows
    out[cells[rule.counts(columns.grades)]] = True
    return out


def _bound_scores(
    scores: Scores, judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], options: Options
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The lowest and highest mean of each run by metric, over all labels that unjudged documents in its lists could have
    for the aspects that count.

    A sum over ranks whose novelty is a product over relevances, without an ideal, never falls when a document becomes more
    relevant: so no unjudged document is relevant at the lower end, and each is to every aspect at the upper one.
    """
    sums = ((metric, metric.formula.as_sum) for metric in metrics if metric.rule is None and metric.order is None)
    usable = [metric for metric, total in sums if total is not None and not total.novelty.counts_documents]
    if not usable or options.judged_only:
        return {}
    names = [metric.name for metric in usable]
    beside = add_residuals(
        scores.select(metrics=names), judgments, rankings, usable, options, top=_find_top(judgments, options)
    )
    means, count = beside.means, len(usable)
    return {name: (means[:, m], means[:, m] + means[:, count + m]) for m, name in enumerate(names)}


def _find_top(judgments: Judgments, options: Options) -> float:
    """The relevance of the highest label: of the highest grade that was given, or that gains are relative to."""
    rule = options.relevance
    found = relevance_of(judgments.columns, rule, judgments.highest, judgments.source).levels.doubles
    highest = float(found.max(initial=0.0))
    if isinstance(rule.gmax, int | float):
        grade = np.array([float(rule.gmax)])
        highest = max(highest, float(render_gain(grade, grade, rule.gain, np.exp2)[0]))
    return highest


def _describe(rows: Sequence[PoolRow], metrics: Sequence[str], depth: int | None) -> Iterator[Statement]:
    for kind in ("run", "group"):
        for metric in metrics:
            own = [row for row in rows if row.left_out == kind and row.metric == metric and row.effect is not None]
            if not own:
                continue
            most = max(own, key=lambda row: abs(row.effect or 0.0))
            mean = sum(abs(row.effect or 0.0) for row in own) / len(own)
            facts = {
                "kind": kind,
                "metric": metric,
                "runs": len(own),
                "mean": mean,
                "run": most.run,
                "effect": most.effect,
                "unique": most.unique,
                "relevant": most.relevant,
                "depth": depth,
            }
            yield Statement("pool-effect", facts, plain_rows(own))


@words("pool-effect")
def _word_effect(
    kind: Left,
    metric: str,
    runs: int,
    mean: float,
    run: str,
    effect: float,
    unique: int,
    relevant: int,
    depth: int | None,
) -> str:
    whose = "it" if kind == "run" else "its group"
    within = "" if depth is None else f" among their first {depth} documents"
    return (
        f"{metric}: without the judged documents that only {whose} has{within}, a run's score changes by {mean:.4f} on"
        f" average of {runs}, most for {run}: by {effect:+.4f} ({unique} such documents, {relevant} of them relevant)."
    )
