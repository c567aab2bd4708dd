"""The setup of a result: what was scored and how, from which captions, methods sections and statements are printed."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from diveval.collection.columns import any_in
from diveval.defaults import CUTOFF
from diveval.errors import count_of, printable, share_text
from diveval.results.statements import Statement, words

if TYPE_CHECKING:
    from diveval.collection.joins import Match
    from diveval.collection.judgments import Judgments
    from diveval.metrics.metric import Metric
    from diveval.settings import Options, RelevanceRule

JUDGED_DEPTH = CUTOFF  # documents of a list among which the judged ones are counted
FEW_JUDGED = 0.6  # a run with a smaller share of judged documents is named in a caution


@dataclass(frozen=True)
class MetricSetup:
    """How one metric was scored: grades to relevance, order of the lists, and topics that a run lacks.

    `missing_topics` is `worst`, `zero` or `skip`, or `tool` where a metric follows the tool that it is named after.
    """

    metric: str
    gain: str
    gmax: str | float
    rel: float | None
    order: str
    ties: str
    missing_topics: str
    mean_over: str
    weighted: bool = True  # whether the score depends on the weights of aspects
    dropped_aspects: int | None = None  # as in `Setup`, by the grades that this metric counts
    empty: int | None = None
    empty_topics: str | None = None


@dataclass(frozen=True)
class Setup:
    """What was scored and how. A fact that does not apply to a result is None or empty."""

    judgments: str | None = None  # name of the file
    topics: int | None = None
    metrics: tuple[MetricSetup, ...] = ()
    missing_topics: str | None = None
    empty_topics: str | None = None
    highest: float | None = None  # grade of the judgments
    dropped_aspects: int | None = None  # aspects without a relevant document, which do not count
    empty: int | None = None  # topics without a relevant document
    weights: str | None = None  # `equal`, `given`, or `given for 20 of 50 topics`
    judged: Mapping[str, float] = field(default_factory=dict)  # by run: mean share of judged documents, as `Judged@20`
    without_list: tuple[str, ...] = ()  # runs that lack topics, of which no document counts as judged
    test: str | None = None
    correction: str | None = None
    confidence: float | None = None
    family: int | None = None  # comparisons that were corrected together
    resamples: int | None = None
    seed: int | None = None
    reading: str | None = None  # of the axioms
    reference_setting: str | None = None  # the metric's setting at which significance was tested
    joins: tuple[Match, ...] = ()  # what each table that was joined matched
    history: str | None = None  # of recommenders: `given`, or `test ratings`
    empty_users: str | None = None  # users without a liked item: `zero` or `skip`
    judges: tuple[str, ...] = ()  # of answers, if several labelled them
    combine: str | None = None  # how their labels became one: `majority`, `mean` or the name of a judge
    trials: Mapping[str, int] = field(default_factory=dict)  # by system, if its answers were repeated
    trial_noise: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by system and metric, of its means
    options: Mapping[str, Any] = field(default_factory=dict)  # those that differ from the defaults

    def of_runs(self, parts: Sequence[Setup]) -> Setup:
        """The setup of several parts that differ in their runs only."""
        judged = {run: share for part in parts for run, share in part.judged.items()}
        return replace(self, judged=judged, without_list=tuple(run for part in parts for run in part.without_list))

    def judged_caution(self) -> Statement | None:
        """A caution about the runs of which few documents are judged; None if there are none."""
        few = {
            run: share for run, share in sorted(self.judged.items(), key=lambda item: item[::-1]) if share < FEW_JUDGED
        }
        rows = tuple({"run": run, "judged": share} for run, share in few.items())
        facts = {"few": few, "limit": FEW_JUDGED, "depth": JUDGED_DEPTH, **self.removal(), **self.lists_lacking(few)}
        return Statement("few-judged", facts, rows) if few else None

    def removal(self) -> dict[str, bool]:
        """The fact that unjudged documents were removed before scoring, where they were."""
        return {"removed": True} if self.options.get("judged_only") else {}

    def lists_lacking(self, runs: Container[str]) -> dict[str, int]:
        """How many of these runs lack topics, which lowers their share of judged documents; no fact where none does."""
        lacking = sum(run in runs for run in self.without_list)
        return {"without_list": lacking} if lacking else {}

    def as_dict(self) -> dict[str, Any]:
        """The facts that apply, in JSON types."""
        return {name: value for name, value in asdict(self).items() if value not in (None, (), {})}


@words("few-judged")
def _word_few(few: Mapping[str, float], limit: float, depth: int, removed: bool = False, without_list: int = 0) -> str:
    named = ", ".join(f"{printable(run)} ({share_text(share)})" for run, share in list(few.items())[:5])
    more = f" and {count_of(len(few) - 5, 'other')}" if len(few) > 5 else ""
    treated = "are removed from their lists" if removed else "count as not relevant"
    return (
        f"Caution: less than {limit:.0%} of the first {depth} documents are judged for {named}{more}{NO_LIST if without_list else ''};"
        f" unjudged documents {treated}, so their differences from other runs may be an effect of that."
    )


NO_LIST = ", where a topic without a list counts as 0"
NO_LIST_UNJUDGED = " (a topic without a list counts as not judged)"


def setup_of(
    judgments: Judgments,
    metrics: Sequence[Metric],
    options: Options,
    judged: Mapping[str, float] | None = None,
    without_list: Sequence[str] = (),
) -> Setup:
    """The setup of an evaluation; `judged` are the shares of judged documents by run, `without_list` runs that lack topics."""
    rules = {metric.rule or options.relevance for metric in metrics} | {options.relevance}
    counts = {rule: _count_empty(judgments, rule) for rule in rules}
    dropped, empty = counts[options.relevance]
    return Setup(
        judgments=judgments.source or None,
        topics=len(judgments),
        metrics=tuple(_metric_setup(metric, options, counts) for metric in metrics),
        missing_topics=options.missing_topics,
        empty_topics=options.empty_topics,
        highest=judgments.highest,
        dropped_aspects=dropped,
        empty=empty,
        weights=_weights(judgments),
        judged=dict(judged or {}),
        without_list=tuple(without_list),
        options=_list_changes(options),
    )


def _metric_setup(metric: Metric, options: Options, counts: Mapping[RelevanceRule, tuple[int, int]]) -> MetricSetup:
    rule, order = metric.rule or options.relevance, options.order_for(metric.order)
    missing: str = options.missing_topics
    if missing == "worst" and metric.entry is not None and "." in metric.entry.name:
        missing = "skip" if metric.mean_over == "both" else "tool"
    weighted = metric.formula.sees_weights and rule.weights != "uniform"
    empty_topics = options.empty_topics or ("skip" if metric.mean_over == "judged-relevant" else "score")
    return MetricSetup(
        metric.name,
        rule.gain,
        rule.gmax,
        rule.rel,
        order.by,
        order.ties,
        missing,
        metric.mean_over,
        weighted,
        *counts[rule],
        empty_topics,
    )


def _count_empty(judgments: Judgments, rule: RelevanceRule) -> tuple[int, int]:
    """How many aspects and topics have no document whose grade counts."""
    columns = judgments.columns
    counts = rule.counts(columns.grades)
    empty = len(columns) - int(np.count_nonzero(any_in(counts, columns.entries)))
    aspect = np.repeat(columns.aspects[:-1] - columns.aspects[0], np.diff(columns.entries)) + columns.columns
    kept = np.zeros(int(columns.aspects[-1] - columns.aspects[0]), dtype=bool)
    kept[aspect[counts]] = True
    dropped = len(kept) - int(np.count_nonzero(kept))
    return dropped if rule.drop_empty_aspects else 0, empty


def _weights(judgments: Judgments) -> str:
    weighted = int(judgments.columns.weighted.sum())
    if weighted in (0, len(judgments)):
        return "given" if weighted else "equal"
    return f"given for {weighted} of {len(judgments)} topics"


def _list_changes(options: Options) -> dict[str, Any]:
    """The options that differ from the defaults, as text where JSON has no type for them; limits change no score."""
    usual, limits = type(options)(), ("jobs", "largest_topic")
    given = ((name, value) for name, value in vars(options).items() if name not in limits)
    chosen = {name: value for name, value in given if value != getattr(usual, name)}
    return {name: value if isinstance(value, str | int | float) else str(value) for name, value in chosen.items()}
