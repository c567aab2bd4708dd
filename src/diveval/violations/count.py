"""How often a metric does not reward what it should, the effect on the order of the runs, and both as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from diveval.axioms.specification.constraints import AXIOMS, as_axiom
from diveval.columns import Floats, Whole
from diveval.errors import UsageError, count_of
from diveval.evaluation import load_judgments, rank_all
from diveval.inputs import JudgmentsLike, RunsLike
from diveval.judgments import Judgments
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics, labels
from diveval.options import Options
from diveval.rankings import TopicRanking
from diveval.scoring import RankingsByOrder
from diveval.stats.result_rows import Result
from diveval.table_text import aligned, share_text
from diveval.violations.pair_scoring import Kept, gains, joined, lists_scored, pairs_scored, topic_lists
from diveval.violations.situations import SITUATIONS, Changes, Situation

DEPTH = 20


@dataclass(frozen=True)
class Violation:
    """One metric and one axiom: how many situations, how many not rewarded, and the worst of them.

    `rank` (and `other_rank`, where two are concerned) say where the example's list was changed; `before` and `after`
    are its scores. `demoted` is how many runs would lose places if their lists were improved in the way that the metric
    punishes most, once in each topic; `places` is the most places that one of them would lose, `demoted_run` which.
    """

    metric: str
    axiom: str
    situations: int
    violations: int
    share: float | None
    topic: str | None = None
    run: str | None = None
    rank: int | None = None
    other_rank: int | None = None
    document: str | None = None
    other_document: str | None = None
    before: float | None = None
    after: float | None = None
    punished: int = 0
    demoted: int = 0
    places: int = 0
    demoted_run: str | None = None


@dataclass(frozen=True)
class Violations(Result):
    """How often metrics do not reward what the axioms ask for, on real rankings cut at `depth`."""

    rows: tuple[Violation, ...]
    depth: int
    runs: int
    topics: int

    columns: ClassVar[tuple[str, ...]] = (
        "metric",
        "axiom",
        "situations",
        "violations",
        "share",
        "topic",
        "run",
        "rank",
    )
    reference: ClassVar[str] = (
        "E. Amigó, D. Spina, J. Carrillo-de-Albornoz. An Axiomatic Analysis of Diversity Evaluation Metrics: "
        "Introducing the Rank-Biased Utility Metric. SIGIR 2018."
    )

    def cell(self, metric: str, axiom: str) -> Violation:
        """What was counted for one metric and one axiom."""
        return next(row for row in self.rows if row.metric == metric and row.axiom == axiom)

    def __str__(self) -> str:
        return text(self)


def violations(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    axioms: Sequence[str] | None = None,
    depth: int = DEPTH,
    options: Options | None = None,
) -> Violations:
    """Look for each axiom's situations in real rankings and count how often metrics do not reward them.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: the same.
        metrics: diveval's own metrics, or functions of a ranking.
        axioms: names of axioms (`Pri`), or of one kind of situation (`Pri-contiguous`); all by default.
        depth: lists are cut at this rank.
        options: how files become rankings.
    """
    chosen, asked = options or Options(), as_metrics(metrics)
    truth = load_judgments(judgments, chosen)
    return find_violations(
        truth, rank_all(truth, runs, asked, chosen, keep_documents=True), asked, chosen, axioms=axioms, depth=depth
    )


def find_violations(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    *,
    axioms: Sequence[str] | None = None,
    depth: int = DEPTH,
) -> Violations:
    """The same, of rankings already made."""
    _check(metrics, options, depth)
    situations = chosen_situations(axioms)
    listed = next(iter(rankings.values()))
    tallies = [[_Tally(len(listed)) for _ in situations] for _ in metrics]
    means = np.zeros((len(metrics), len(listed)))
    tables: Kept = {}
    relevances = judgments.relevance(options.relevance)
    for topic, relevance in relevances.items():
        lists = topic_lists(listed, topic, relevance, depth)
        pool_kept: Kept = {}
        absent = np.array([topic not in run.topics for run in listed])
        shown = np.where(absent, depth, lists.lengths)  # a missing topic counts as non-relevant documents
        means += np.stack(lists_scored(lists, lists.columns, shown, metrics, tables, pool_kept))
        for s, situation in enumerate(situations):
            changes = joined(list(situation.changes(lists)))
            if changes is None:
                continue
            pairs = pairs_scored(lists, changes, metrics, tables, pool_kept)
            for m, (better, worse) in enumerate(pairs):
                gain = gains(metrics[m].formula, lists, changes, better, worse)
                tallies[m][s].add(topic, changes, gain, better, worse)
    means /= max(len(relevances), 1)
    names = {topic: [run.topics.get(topic) for run in listed] for topic in relevances}
    rows = [
        tallies[m][s].row(metric.name, situation.name, means[m], len(relevances), [run.name for run in listed], names)
        for m, metric in enumerate(metrics)
        for s, situation in enumerate(situations)
    ]
    return Violations(tuple(rows), depth, len(listed), len(relevances))


def chosen_situations(axioms: Sequence[str] | None) -> list[Situation]:
    """The situations of the named axioms; an axiom without situations is refused."""
    if axioms is None:
        return list(SITUATIONS.values())
    out: dict[str, Situation] = {}
    exact = {name.lower(): situation for name, situation in SITUATIONS.items()}
    for name in axioms:
        one = exact.get(name.lower()) if "-" in name else None
        axiom = None if one else as_axiom(name).name
        chosen = [one] if one else [situation for situation in SITUATIONS.values() if situation.axiom == axiom]
        if not chosen:
            raise UsageError(
                f"{AXIOMS[str(axiom)].title} says that some length exists and so has no situation in a list; "
                f"there are {', '.join(SITUATIONS)}"
            )
        out.update({situation.name: situation for situation in chosen})
    return list(out.values())


def _check(metrics: Sequence[Metric], options: Options, depth: int) -> None:
    if not isinstance(depth, int) or depth < 1:
        raise UsageError(f"depth is a whole number of at least 1, got {depth!r}")
    for metric in metrics:
        if metric.rule is not None or metric.order is not None:
            raise UsageError(
                f"{metric.name}: violations are counted for diveval's own metrics and yours; those of other tools read"
                " judgments in their own way"
            )
    if options.efforts is not None:
        raise UsageError("violations are counted for documents of equal effort: leave out the file of efforts")


@dataclass
class _Tally:
    """Counts for one metric and one kind of situation, added topic by topic."""

    runs: int
    situations: int = 0
    violations: int = 0
    punished: int = 0
    worst: tuple[float, str, int, int, int, float, float] | None = None  # loss, topic, run, rank, other, before, after
    losses: Floats = field(default_factory=lambda: np.zeros(0))

    def add(self, topic: str, changes: Changes, gain: Floats, better: Floats, worse: Floats) -> None:
        """Count the pairs of one topic, by what each change gains."""
        failed, punished = gain <= 0 if changes.strict else gain < 0, gain < 0
        self.situations += len(gain)
        self.violations += int(failed.sum())
        self.punished += int(punished.sum())
        if not failed.any():
            return
        at = int(np.flatnonzero(failed)[gain[failed].argmin()])
        if self.worst is None or gain[at] < -self.worst[0]:
            place = (int(changes.run[at]), int(changes.rank[at]), int(changes.other[at]))
            self.worst = (-float(gain[at]), topic, *place, float(worse[at]), float(better[at]))
        if not len(self.losses):
            self.losses = np.zeros(self.runs)
        most = np.zeros(self.runs)
        np.minimum.at(most, changes.run, np.where(punished, gain, 0.0))
        self.losses -= most

    def row(
        self,
        metric: str,
        name: str,
        means: Floats,
        topics: int,
        runs: Sequence[str],
        lists: dict[str, list[TopicRanking | None]],
    ) -> Violation:
        """The counts, the worst example, and what the violations could do to the order of the runs."""
        share = self.violations / self.situations if self.situations else None
        if self.worst is None:
            return Violation(metric, name, self.situations, self.violations, share)
        _, topic, run, rank, other, before, after = self.worst
        places = _places_lost(means, self.losses / max(topics, 1))
        document, other_document = (_document(lists[topic][run], at) for at in (rank, other))
        return Violation(
            metric,
            name,
            self.situations,
            self.violations,
            share,
            topic,
            runs[run],
            rank,
            other or None,
            document,
            other_document,
            before,
            after,
            self.punished,
            int((places > 0).sum()),
            int(places.max()),
            runs[int(places.argmax())] if places.any() else None,
        )


def _document(ranking: TopicRanking | None, rank: int) -> str | None:
    documents = None if ranking is None else ranking.documents
    return documents[rank - 1] if documents is not None and 0 < rank <= len(documents) else None


def _places_lost(means: Floats, losses: Floats) -> Whole:
    """How many runs would overtake each run if it alone were changed."""
    after = means - losses
    overtaken = (means[np.newaxis, :] > after[:, np.newaxis]) & (means[np.newaxis, :] <= means[:, np.newaxis])
    np.fill_diagonal(overtaken, False)
    return np.asarray(overtaken.sum(axis=1))


# --- as text ----------------------------------------------------------------------------------------------------------


def text(result: Violations, width: int = 80) -> str:
    """Metrics as rows, situations as columns: the share that is not rewarded."""
    metrics = list(dict.fromkeys(row.metric for row in result.rows))
    names = list(dict.fromkeys(row.axiom for row in result.rows))
    shown = dict(zip(metrics, labels(metrics), strict=True))
    cells = {(row.metric, row.axiom): row for row in result.rows}
    found = [name for name in names if cells[metrics[0], name].situations]
    lines = [
        f"{count_of(result.runs, 'run')}, {count_of(result.topics, 'topic')}, lists cut at rank {result.depth}: how often a metric does not",
        "reward a change that an axiom says it must reward.",
        "",
    ]
    rows = [["", *found], ["situations", *(f"{cells[metrics[0], name].situations:,}" for name in found)]]
    rows += [[shown[metric], *(share_text(cells[metric, name].share) for name in found)] for metric in metrics]
    head, counts, *shares = aligned(rows, ["<", *[">6"] * len(found)])
    lines += [head, counts, "-" * max(map(len, (head, counts, *shares))), *shares, ""]
    for name in found:
        lines += textwrap.wrap(f"{name}: {SITUATIONS[name].says}.", width, subsequent_indent="  ")
    if absent := [name for name in names if name not in found]:
        lines += textwrap.wrap(f"No situation in these lists: {', '.join(absent)}.", width, subsequent_indent="  ")
    lines.append("")
    for metric in metrics:
        worst = max((cells[metric, name] for name in found), key=_loss, default=None)
        if worst is not None and worst.punished:
            lines += textwrap.wrap(example(worst, shown[metric]), width, subsequent_indent="  ")
    return "\n".join(lines).rstrip() + "\n"


def example(row: Violation, label: str) -> str:
    """The worst example of a metric in words, and what such changes could do to the order of the runs."""
    where = f"rank {row.rank}" if row.other_rank is None else f"ranks {row.rank} and {row.other_rank}"
    words = (
        f"{label} lowers the score in {row.punished:,} situations of {row.axiom}, most in topic {row.topic}, run"
        f" {row.run}, {where}: {row.before:.4f} becomes {row.after:.4f}."
    )
    if row.demoted:
        words += (
            f" Improved like this once in each topic, {row.demoted} of the runs would lose places, {row.demoted_run}"
            f" {row.places} of them."
        )
    return words


def _loss(row: Violation) -> float:
    return 0.0 if row.before is None or row.after is None else row.before - row.after
