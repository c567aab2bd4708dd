"""Stopping ranks: the rank at which a metric with effort is highest, and what reading further costs."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings
from diveval.errors import InputError, UsageError, preview
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.formulas import Sum
from diveval.metrics.metric import Metric
from diveval.results.protocol import Columns, Result
from diveval.results.scores import MEAN
from diveval.results.setup import setup_of
from diveval.results.table_text import TextTable, table_of
from diveval.scoring.scorer import RankingsByOrder, Scorer
from diveval.settings import Options


@dataclass(frozen=True)
class Stop:
    """One run and topic: the best rank to stop at, the utility there and that of the whole list.

    Rank 0 means that no prefix has positive utility. A topic that the run lacks has the utility of a missing topic in
    `diveval.evaluate`. A row of means also has the one rank that is best for all topics, and the mean there, which is what
    `diveval.evaluate` gives for the metric at that cutoff; the other ranks are chosen topic by topic, knowing the labels.
    Under a budget, ranks are chosen among those down to `fits`: the last rank at which the documents so far cost at most the
    budget, and for a row of means the last at which they do for every topic.
    """

    run: str
    topic: str
    length: int
    rank: int
    utility: float
    utility_of_all: float
    missing: bool = False
    fixed_rank: int | None = None
    fixed_utility: float | None = None
    fits: int | None = None


@dataclass(frozen=True, repr=False)
class StoppingRanks(Result):
    """Where a reader should stop by one metric: a row per run and topic, then the run's means as the topic `all`.

    Iteration and `len` are over runs and topics, without the means.
    """

    metric: str
    rows: tuple[Stop, ...]
    topics: int
    deepest: int = 0  # the last rank that is tried as the one stop of all topics
    per_topic: bool = False  # whether the text shows every topic, or the means only
    budget: float | None = None  # what the documents of one topic may cost together, in the units of the effort file

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The rows of single topics."""
        return tuple(row for row in self.rows if row.topic != MEAN)

    def __iter__(self) -> Iterator[Stop]:
        return iter(self.stops)

    def __len__(self) -> int:
        return len(self.stops)

    def __getitem__(self, place: int) -> Stop:
        return self.stops[place]

    def _count_answered(self) -> dict[str, str]:
        """By run, how many of the topics it has (`49/50`); empty where no run lacks any."""
        counts = Counter(stop.run for stop in self.stops if not stop.missing)
        runs = dict.fromkeys(row.run for row in self.rows)
        return (
            {run: f"{counts[run]}/{self.topics}" for run in runs}
            if min(counts[run] for run in runs) < self.topics
            else {}
        )

    def columns(self) -> Columns:
        """Run, topic, length, rank and utilities; and the topics that a run has, if a run lacks some."""
        marks = self._count_answered()
        shown: tuple[str, ...] = ("run", "topic", "length", "rank", "utility", "utility_of_all")
        shown += ("fixed_rank", "fixed_utility")
        shown += () if self.budget is None else ("fits",)
        columns: Columns = {name: [getattr(row, name) for row in self.rows] for name in shown}
        return {**columns, "topics": [marks[row.run] for row in self.rows]} if marks else columns

    def display(self) -> TextTable:
        """The means, or every topic if `per_topic`."""
        columns = self.columns()
        chosen = [i for i, row in enumerate(self.rows) if self.per_topic or row.topic == MEAN]
        order = ["run", *(["topics"] if "topics" in columns else []), *(["topic"] if self.per_topic else [])]
        heads = {"length": "length", **({} if self.budget is None else {"fits": "fit"})}
        heads |= {"rank": "oracle stop", "utility": "utility", "utility_of_all": "of all"}
        heads |= {"fixed_rank": "one stop", "fixed_utility": "utility there"}
        named = {**{name: name for name in order}, **heads}
        return table_of({head: [columns[name][i] for i in chosen] for name, head in named.items()}, caption=self.metric)

    def to_text(self, width: int = 80) -> str:
        """The metric, the table, and what its columns are."""
        explained = (
            "oracle stop: the best rank of each topic, averaged, as a reader would stop who knows what is relevant; utility:"
            " the mean there. one stop: the rank that is best on average if it is the same for every topic; utility"
            f" there: the mean of the metric at that cutoff. Ranks down to {self.deepest} are tried for it."
        )
        if self.budget is not None:
            explained += (
                f" Both stops keep to the budget: the documents of a topic cost at most {self.budget:g} together. fit: the"
                " last rank that does so for every topic."
            )
        lines = textwrap.wrap(explained, max(width, 40))
        return f"{self.metric}: where to stop\n{self.display().text()}\n" + "\n".join(lines) + "\n"


def stopping_points(
    judgments: Judgments, rankings: RankingsByOrder, metric: Metric, options: Options, budget: float | None = None
) -> StoppingRanks:
    """The best stopping rank for each run and topic that counts, by run and then topic, each run with its means.

    `budget` is what the documents down to a stop may cost together in any one topic.
    """
    formula = metric.formula.as_sum
    if formula is None:
        raise UsageError(
            "metric-needs-effort", f"a stopping rank needs a metric with effort, such as RBU or EU, got {metric.name}"
        )
    _check_budget(budget, options)
    (runs,) = rankings.values()
    if budget is not None:
        _refuse_unpriced(judgments, runs, options)
    scorer = Scorer(judgments, [metric], options)
    scores = scorer.score(rankings)
    shape = (len(runs), len(scores.topics))
    ranks, utilities, fits = np.zeros(shape), np.zeros(shape), np.full(shape, PADDING, dtype=np.int64)
    for topics, batch in scorer.batches(rankings):
        affordable = None if budget is None else _find_affordable(batch, budget, options)
        best = best_stop(batch, formula, affordable)
        ranks[:, topics], utilities[:, topics] = (part.reshape(len(runs), len(topics)) for part in best)
        if affordable is not None:
            fits[:, topics] = affordable.reshape(len(runs), len(topics))
    longest = max((int(run.columns(judgments).lengths.max(initial=0)) for run in runs), default=0)
    deepest = metric.cutoff or min(longest, MOST_RANKS)
    fits[~scores.counted[:, 0]] = PADDING  # topics that are in no mean limit no stop
    deep = np.minimum(fits.min(axis=1, initial=PADDING), deepest)
    # Behind the longest list a mean can only fall: the topics that a run lacks cost effort.
    fixed = _find_fixed_stops(judgments, rankings, metric, options, np.minimum(deep, longest))
    rows: list[Stop] = []
    for r, run in enumerate(runs):
        columns, stops = run.columns(judgments), list[Stop]()
        for t in np.flatnonzero(scores.counted[r, 0]).tolist():
            there, everything = float(utilities[r, t]), float(scores.values[r, 0, t])
            length, missing = int(columns.lengths[t]), not columns.present[t]
            own = None if budget is None else min(int(fits[r, t]), length)
            stops.append(
                Stop(run.name, scores.topics[t], length, int(ranks[r, t]), there, everything, missing, fits=own)
            )
        at, there = fixed[r]
        limit = None if budget is None else int(deep[r])
        rows += [*stops, replace(mean_stop(stops, run.name), fixed_rank=at, fixed_utility=there, fits=limit)]
    counted = int(np.count_nonzero(scores.counted[:, 0].any(axis=0)))
    setup = setup_of(judgments, [metric], options)
    return StoppingRanks(metric.name, tuple(rows), counted, deepest, budget=budget, setup=setup)


def _check_budget(budget: float | None, options: Options) -> None:
    """A budget is a positive number of what the effort file counts."""
    if budget is None:
        return
    if isinstance(budget, bool) or not (isinstance(budget, int | float) and math.isfinite(budget) and budget > 0):
        raise UsageError("out-of-range", f"a budget is a number above 0, got {budget!r}")
    if options.efforts is None:
        raise UsageError(
            "option-not-applicable",
            "a budget needs the costs of documents, such as their tokens",
            hint="give --effort-file FILE, or efforts={document: tokens}",
        )


def _refuse_unpriced(judgments: Judgments, runs: Sequence[Rankings], options: Options) -> None:
    """A document whose cost nobody knows would fit any budget."""
    assert options.efforts is not None
    for run in runs:
        columns = run.columns(judgments)
        if columns.codes is None or columns.documents is None:
            continue
        named = columns.documents.at(np.unique(columns.codes))
        bare = [name for name in named if name not in options.efforts.costs]
        if bare:
            raise InputError(
                "missing-value",
                f"{run.name}: {len(bare)} of {len(named)} documents have no cost ({preview(bare)}), so nobody knows what"
                " fits the budget",
                hint="give every document a cost, 0 if it is free",
            )


def _find_affordable(batch: Batch, budget: float, options: Options) -> NDArray[np.int64]:
    """By row, the last rank at which the documents so far cost at most the budget; `PADDING` if all of them do."""
    assert options.efforts is not None and batch.costs is not None
    spent = np.cumsum(batch.costs, axis=1) * options.efforts.unit
    within = (spent <= budget * (1.0 + 1e-12)) | (np.arange(spent.shape[1]) >= batch.lengths[:, None])
    return np.where(within.all(axis=1), PADDING, np.count_nonzero(np.logical_and.accumulate(within, axis=1), axis=1))


MOST_RANKS = 100  # that are tried where the metric has no cutoff


def _find_fixed_stops(
    judgments: Judgments, rankings: RankingsByOrder, metric: Metric, options: Options, deep: NDArray[np.int64]
) -> list[tuple[int, float]]:
    """By run, the cutoff down to its `deep` with the highest mean (0 where none has a positive one), and that mean."""
    cut = [replace(metric, name=f"{k}", formula=metric.formula.at(k)) for k in range(1, int(deep.max(initial=0)) + 1)]
    if not cut:
        return [(0, 0.0)] * len(deep)
    means = Scorer(judgments, cut, options).score(rankings).means
    with_start = np.concatenate([np.zeros((len(means), 1)), means], axis=1)
    with_start[np.arange(with_start.shape[1]) > deep[:, None]] = -np.inf
    best = np.argmax(with_start, axis=1)
    return [(int(k), float(row[k])) for k, row in zip(best, with_start, strict=True)]


def best_stop(
    batch: Batch, formula: Sum, affordable: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rank with the highest utility and that utility, for each row; `affordable` is the last rank of each.

    Utility only falls between two relevant documents, so only their ranks and 0 can be best; ties go to the first.
    """
    reached = np.where(batch.ranks <= (formula.cutoff or PADDING - 1), batch.lookup, 0)
    if affordable is not None:
        reached = np.where(reached <= affordable[:, None], reached, 0)
    gained = np.cumsum(batch.discounts(formula.discount) * batch.gain(formula.over, formula.novelty), axis=-1)
    effort = float(formula.effort)
    paid = np.zeros_like(gained)
    for hit in range(reached.shape[1]):
        paid[:, hit] = batch.effort(formula.discount, reached[:, hit])
    utility = np.where(reached > 0, gained - effort * paid, -np.inf)
    with_start = np.concatenate([np.zeros((batch.rows, 1)), utility], axis=1)
    best = np.argmax(with_start, axis=1)
    ranks = np.concatenate([np.zeros((batch.rows, 1), dtype=np.int64), reached], axis=1)
    every = np.arange(batch.rows)
    return ranks[every, best], with_start[every, best]


def mean_stop(stops: Sequence[Stop], run: str) -> Stop:
    """A run's means over its topics, as the topic `all`; ranks are rounded."""
    own = [stop for stop in stops if stop.run == run]
    count = max(len(own), 1)
    return Stop(
        run,
        MEAN,
        round(sum(s.length for s in own) / count),
        round(sum(s.rank for s in own) / count),
        sum(s.utility for s in own) / count,
        sum(s.utility_of_all for s in own) / count,
    )
