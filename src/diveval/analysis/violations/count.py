"""How often a metric does not reward what it should, and the effect on the order of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from diveval.analysis.violations.changes import Changes
from diveval.analysis.violations.pair_scoring import DecimalScores, Kept, gains, join, score_pairs, topic_lists
from diveval.analysis.violations.premises import Flags
from diveval.analysis.violations.results import Violation, Violations, describe_worst
from diveval.analysis.violations.situations import SITUATIONS, Situation
from diveval.axioms.proof.subjects import as_symbolic
from diveval.axioms.specification.constraints import AXIOMS, Axiom, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.collection.columns import Floats, IntArray
from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import TopicRanking
from diveval.defaults import CUTOFF
from diveval.errors import UsageError
from diveval.metrics.exact_forms import require_exact
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading.chosen import takes_settings
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.scorer import RankingsByOrder, score, sees_same_lists
from diveval.settings import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

DEPTH = CUTOFF
DEEPEST = 100_000  # every run and topic has an array of that length


@takes_settings
def violations(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    axioms: Sequence[str] | None = None,
    reading: str | Reading = CHARITABLE,
    depth: int = DEPTH,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Violations:
    """Look for each axiom's situations in real rankings and count how often metrics do not reward them.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: the same.
        metrics: diveval's own metrics, or functions of a ranking.
        axioms: names of axioms (`Pri`); all by default.
        reading: whose premises a situation must satisfy to be counted (`charitable`, `as-written`, or a `Reading`).
        depth: lists are cut at this rank.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become rankings.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    chosen, asked = options or Options(), as_metrics(metrics)
    truth = load_judgments(judgments, chosen, weights)
    return find_violations(
        truth,
        rank_all(truth, runs, asked, chosen, keep_documents=True),
        asked,
        chosen,
        axioms=axioms,
        reading=reading,
        depth=depth,
    )


def find_violations(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    *,
    axioms: Sequence[str] | None = None,
    reading: str | Reading = CHARITABLE,
    depth: int = DEPTH,
) -> Violations:
    """Count violations in rankings already made; see `violations`."""
    _check(metrics, options, depth)
    formulas = [metric.formula if metric.formula.is_function else require_exact(metric) for metric in metrics]
    situations, how = choose_situations(axioms), as_reading(reading)
    listed = next(iter(rankings.values()))
    tallies = [[_Tally(len(listed)) for _ in situations] for _ in metrics]
    complete = {order: [run.cut(judgments, depth) for run in runs] for order, runs in rankings.items()}
    means = score(judgments, complete, metrics, options).means.T
    tables: Kept = {}
    limits = [[_Premises.of(metric, AXIOMS[s.axiom], how) for s in situations] for metric in metrics]
    relevances = judgments.relevance(options.relevance)
    for topic, relevance in relevances.items():
        lists = topic_lists(listed, topic, relevance, depth)
        pool_kept: Kept = {}
        exact = DecimalScores(lists)
        found = {s: join(list(situation.changes(lists, how))) for s, situation in enumerate(situations)}
        some = {s: changes for s, changes in found.items() if changes is not None}
        for (s, changes), pairs in zip(
            some.items(), score_pairs(lists, list(some.values()), metrics, tables, pool_kept), strict=True
        ):
            for m, (better, worse) in enumerate(pairs):
                gain = gains(formulas[m], lists, changes, better, worse, exact)
                tallies[m][s].add(topic, changes, limits[m][s].within(changes), gain, better, worse)
    names = {topic: [run.topics.get(topic) for run in listed] for topic in relevances}
    rows = [
        tallies[m][s].row(metric.name, situation.axiom, means[m], len(relevances), [run.name for run in listed], names)
        for m, metric in enumerate(metrics)
        for s, situation in enumerate(situations)
    ]
    said = describe_worst(rows)
    return Violations(tuple(rows), depth, len(listed), len(relevances), how.name, statements=said)


@dataclass(frozen=True)
class _Premises:
    """Of which changes the reading's verdict on a metric is about."""

    any: bool  # whether it is about any
    same_ideal: bool  # about those only whose aspects have the same ideal
    longest: int | None  # about lists of at most so many documents

    @classmethod
    def of(cls, metric: Metric, axiom: Axiom, reading: Reading) -> _Premises:
        """What the reading asks for this axiom and metric."""
        formula = require_exact(metric)
        return cls(
            not axiom.diversity or reading.overall or as_symbolic(metric).sees_aspects,
            axiom.two_aspects and reading.same_ideal and formula.normalised_per_aspect,
            None if reading.cutoff_binds else formula.cutoff,
        )

    def within(self, changes: Changes) -> Flags:
        """The changes that satisfy the premises."""
        if not self.any:
            return np.zeros_like(changes.within)
        within = changes.within & changes.same_ideal if self.same_ideal else changes.within
        if self.longest is not None:
            within = within & (np.maximum(changes.better_lengths, changes.worse_lengths) <= self.longest)
        return within


def choose_situations(axioms: Sequence[str] | None) -> list[Situation]:
    """The situations of the named axioms; an axiom without situations is refused."""
    if axioms is None:
        return list(SITUATIONS.values())
    out: dict[str, Situation] = {}
    for name in axioms:
        axiom = as_axiom(name)
        if axiom.name not in SITUATIONS:
            raise UsageError(
                "axiom-not-applicable",
                f"{axiom.title} says that some length exists and so has no situation in a list",
                hint=f"there are {', '.join(SITUATIONS)}",
            )
        out[axiom.name] = SITUATIONS[axiom.name]
    return list(out.values())


def can_count(metric: Metric, options: Options) -> bool:
    """Whether violations can be counted: the metric takes our grades and orders, and can be computed exactly."""
    return sees_same_lists(metric, options) and metric.formula.has_exact


def _check(metrics: Sequence[Metric], options: Options, depth: int) -> None:
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise UsageError("out-of-range", f"depth is a whole number of at least 1, got {depth!r}")
    if depth > DEEPEST:
        raise UsageError("out-of-range", f"lists are compared down to rank {DEEPEST:,} at most, got {depth}")
    for metric in metrics:
        if not sees_same_lists(metric, options):
            raise UsageError(
                "metric-of-another-tool",
                f"{metric.name}: its tool orders lists or chooses relevant documents in its own way, so that it does not"
                " see the situations of the axioms under these options",
                hint="leave out the metric, or the options --rel, --empty-aspects, --order and --ties",
            )
    if options.efforts is not None:
        raise UsageError(
            "option-not-applicable",
            "violations are counted for documents of equal effort: leave out the file of efforts",
        )


@dataclass
class _Tally:
    """Counts for one metric and one kind of situation, added topic by topic."""

    runs: int
    situations: int = 0
    violations: int = 0
    found: int = 0
    unrewarded: int = 0
    punished: int = 0
    worst: tuple[float, str, int, int, int, float, float] | None = None  # loss, topic, run, rank, other, before, after
    losses: Floats = field(default_factory=lambda: np.zeros(0))

    def add(self, topic: str, changes: Changes, within: Flags, gain: Floats, better: Floats, worse: Floats) -> None:
        """Count the pairs of one topic, by what each change gains."""
        failed, punished = gain <= 0 if changes.strict else gain < 0, gain < 0
        self.found += len(gain)
        self.unrewarded += int(failed.sum())
        self.situations += int(within.sum())
        self.violations += int((failed & within).sum())
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
            return Violation(metric, name, self.situations, self.violations, share, self.found, self.unrewarded)
        _, topic, run, rank, other, before, after = self.worst
        places = _places_lost(means, self.losses / max(topics, 1))
        document, other_document = (_document(lists[topic][run], at) for at in (rank, other))
        return Violation(
            metric,
            name,
            self.situations,
            self.violations,
            share,
            self.found,
            self.unrewarded,
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


def _places_lost(means: Floats, losses: Floats) -> IntArray:
    """How many runs would overtake each run if it alone were changed."""
    after = means - losses
    overtaken = (means[np.newaxis, :] > after[:, np.newaxis]) & (means[np.newaxis, :] <= means[:, np.newaxis])
    np.fill_diagonal(overtaken, False)
    return np.asarray(overtaken.sum(axis=1))
