"""All pairs of systems under every requested kind of doubt: the implementation of `diveval conclusions`."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.conclusions.exact_collection import ExactCollection, Order, collection
from diveval.conclusions.objectives import down, up
from diveval.conclusions.pairs import TIE, Algebra, PairOutcome, SystemPair, order_pairs, write_difference
from diveval.conclusions.ranges import RangedMetric, as_ranged
from diveval.conclusions.results import (
    Conclusion,
    Conclusions,
    Doubt,
    Judges,
    ToJudge,
    agreement_of,
    find_common_topics,
    names_of,
    state,
)
from diveval.defaults import CUTOFF, RANGED
from diveval.errors import UsageError, capture_warnings, preview, quote
from diveval.metrics.names import MetricLike
from diveval.reading.chosen import takes_settings
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.scoring.evaluate import load_judgments, rank_all, read_once
from diveval.scoring.scorer import RankingsByOrder, score
from diveval.settings import Options
from diveval.stats.pairwise import DEFAULT as DEFAULT_TEST
from diveval.stats.pairwise import compare_pairs
from diveval.stats.tests import Significance
from diveval.system.progress import Progress, silent

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

Tested = tuple[float | None, bool]
DEFAULT = f"{RANGED}@{CUTOFF}"


def on_standard_error() -> Progress:
    """On a terminal, a line every two seconds while a long stage runs."""
    if sys.stderr is None or not sys.stderr.isatty():
        return silent
    last = [time.monotonic()]

    def show(stage: str, done: int, total: int) -> None:
        if time.monotonic() - last[0] > 2:
            last[0] = time.monotonic()
            print(f"diveval: {stage}: {done} of {total} pairs", file=sys.stderr, flush=True)

    return show


@takes_settings
def conclude(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike] = DEFAULT,
    *,
    any_weights: bool | Order = False,
    unjudged: bool | Literal["any", "zero"] = False,
    judges: Sequence[JudgmentsLike] = (),
    significance: bool | Significance = True,
    worth: bool = False,
    rankings: RankingsByOrder | None = None,
    progress: Progress = silent,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Conclusions:
    """Which conclusions "A beats B" hold for all values of what is in doubt, for every pair of runs.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: two or more runs, in any shape.
        metrics: one or several; their parameters may be ranges, `RBU(p=0.6..0.99,e=0..0.1)@20`.
        any_weights: True or "any": all weights; "given": all that keep the order of the weights in the judgments.
        unjudged: True or "any": any labels of the unjudged documents; False or "zero": not relevant.
        judges: further judgments of the same topics.
        significance: add the test of `compare` (paired t, Holm over all pairs, unless another one is given) at the
            reference setting of the metric: its parameters without a value in the name, or the middle of a range that
            does not contain it.
        worth: list the unjudged documents by how much their labels could change.
        rankings: rankings to use instead of `runs`; they must have every document if `unjudged`.
        progress: called with the stage and how many of its pairs are done.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    if unjudged not in (True, False, "any", "zero"):
        raise UsageError("invalid-choice", f"unjudged is any or zero, got {quote(unjudged)}")
    listed: list[Any] = list(metrics) if isinstance(metrics, (list, tuple)) else [metrics]
    asked = [as_ranged(m) for m in listed]
    if not asked:
        raise UsageError("no-metric", "no metric was given", hint=f"for example {RANGED}@{CUTOFF}")
    how = DEFAULT_TEST if significance is True else significance or None
    order: Order | None = "any" if any_weights is True else any_weights or None
    chosen = options or Options()
    if order is not None and not chosen.relevance.renormalise:
        raise UsageError(
            "conflicting-options",
            "any weights sum to 1 over the aspects that count, which contradicts weights as given (--no-renormalise,"
            " renormalise=False): choose one of the two",
        )
    if chosen.judged_only and unjudged in (True, "any"):
        raise UsageError(
            "conflicting-options", "judged_only (--judged-only) removes the documents whose labels unjudged=any varies"
        )
    truth = load_judgments(judgments, chosen, weights)
    others = [load_judgments(judge, chosen, weights) for judge in judges]
    asked_of: dict[Doubt, bool] = {
        "parameters": any(m.ranges for m in asked),
        "weights": order is not None,
        "unjudged": unjudged in (True, "any"),
        "judges": bool(others),
    }
    doubts: list[Doubt] = [doubt for doubt, yes in asked_of.items() if yes] or ["parameters"]
    topics = find_common_topics([truth, *others]) if others else list(truth.topics)
    if others:
        runs = read_once(runs, chosen)
    views = [_View(truth, runs, asked, chosen, rankings)]
    with capture_warnings():  # warnings about the runs were issued for the first judge
        views += [_View(judge, runs, asked, chosen) for judge in others]
    rows: list[Conclusion] = []
    to_judge: Counter[tuple[str, str]] = Counter()
    touched: Counter[tuple[str, str]] = Counter()
    family = 0
    for metric in asked:
        algebras = [Algebra(metric, view.collection(metric, topics), worth_wanted=worth) for view in views]
        if "unjudged" in doubts and chosen.empty_topics == "skip":
            for algebra in algebras:
                _refuse_skipped_topics(algebra.collection)
        if len(algebras[0].collection.systems) < 2:
            raise UsageError(
                "too-few-runs",
                f"at least two runs are needed to compare them, got {len(algebras[0].collection.systems)}",
            )
        tested = views[0].test(metric, topics, how) if how else {}
        family = max(family, len(tested) // 2)  # a pair is there in both directions
        for row in _of_metric(algebras, doubts, order, names_of([truth, *others]), progress):
            worths = row.details.pop("worth", {})
            to_judge.update(worths)
            touched.update(worths.keys())
            p, significant = tested.get((row.better, row.worse), (None, None))
            rows.append(replace(row, p=p, significant=significant))
    by_worth = sorted(to_judge, key=lambda key: (-to_judge[key], key))
    found = Conclusions(
        tuple(m.name for m in asked),
        views[0].systems,
        len(topics),
        tuple(_with_all(doubts)),
        tuple(rows),
        _compare_judges(views, asked[0], topics, how or DEFAULT_TEST) if judges else None,
        tuple(ToJudge(*key, float(to_judge[key]), touched[key]) for key in by_worth),
        held=views[0].coverage(topics),
        setup=_setup(asked, family, how),
    )
    return replace(found, statements=tuple(state(found)))


def _setup(asked: Sequence[RangedMetric], family: int, how: Significance | None) -> Setup:
    """The test that was added to the conclusions, and at which settings."""
    if how is None:
        return Setup()
    settings = ", ".join(metric.metric.name for metric in asked)
    return how.add_to(Setup(reference_setting=settings), family)


def _refuse_skipped_topics(collection: ExactCollection) -> None:
    """Raise an error if a label could make a document of a skipped topic relevant, which would change every mean."""
    skipped = [
        topic.name
        for topic in collection.topics
        if not topic.relevance and any(d not in topic.judged for listed in topic.lists for d in listed or () if d)
    ]
    if skipped:
        raise UsageError(
            "conflicting-options",
            f"{len(skipped)} topics without a relevant document ({preview(skipped)}) are skipped, but labels of unjudged"
            " documents could include them: use --empty-topics score (empty_topics='score')",
        )


class _View:
    """The runs under one judge's judgments."""

    def __init__(
        self,
        judgments: Judgments,
        runs: RunsLike,
        metrics: Sequence[RangedMetric],
        options: Options,
        ranked: RankingsByOrder | None = None,
    ) -> None:
        self.judgments, self.options = judgments, options
        self.rankings = ranked or rank_all(judgments, runs, [m.metric for m in metrics], options, keep_documents=True)

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(run.name for run in next(iter(self.rankings.values())))

    def coverage(self, topics: Sequence[str]) -> tuple[str, ...] | None:
        """How many of the topics each system has, or None if no system lacks one."""
        counts = [sum(topic in run.topics for topic in topics) for run in next(iter(self.rankings.values()))]
        return tuple(f"{count}/{len(topics)}" for count in counts) if min(counts) < len(topics) else None

    def collection(self, metric: RangedMetric, topics: Sequence[str]) -> ExactCollection:
        return collection(self.judgments, self.rankings, metric.metric, self.options).only(topics)

    def scores(self, metric: RangedMetric, topics: Sequence[str]) -> Scores:
        return score(self.judgments, self.rankings, [metric.metric], self.options).select(topics=list(topics))

    def test(self, metric: RangedMetric, topics: Sequence[str], how: Significance) -> dict[tuple[str, str], Tested]:
        """p and whether the first is significantly better, for each pair in both directions; pairs that can be tested."""
        table, out = self.scores(metric, topics), {}
        for r in compare_pairs(table, how):
            if r.p is not None:
                up = bool(r.direction * table.signs[0] >= 0)
                out[r.run, r.other] = r.p_adjusted, r.significant and up
                out[r.other, r.run] = r.p_adjusted, r.significant and not up
        return out


def _compare_judges(views: Sequence[_View], metric: RangedMetric, topics: Sequence[str], how: Significance) -> Judges:
    """How the judges agree, under the first metric at its reference setting."""
    scores = [view.scores(metric, topics) for view in views]
    significant = []
    for view in views:
        significant.append({pair for pair, (_, yes) in view.test(metric, topics, how).items() if yes})
    return agreement_of([view.judgments for view in views], scores, significant)


def _with_all(doubts: Sequence[Doubt]) -> list[Doubt]:
    """The kinds of doubt, and `all` if there are several."""
    return [*doubts, "all"] if len(doubts) > 1 else list(doubts)


def _of_metric(
    algebras: Sequence[Algebra], doubts: Sequence[Doubt], order: Order | None, judges: Sequence[str], progress: Progress
) -> list[Conclusion]:
    metric, systems = algebras[0].metric, algebras[0].collection.systems
    pairs = order_pairs(algebras[0])
    outcomes: list[dict[Doubt, PairOutcome]] = [{} for _ in pairs]
    for doubt in _with_all(doubts):
        for i, pair in enumerate(pairs):
            progress(f"{metric.name}, {doubt}", i, len(pairs))
            views = [pair, *(pair.under(algebra) for algebra in algebras[1:])]
            if doubt == "all":
                outcomes[i][doubt] = _everything(views, outcomes[i], doubts, order, judges)
            elif doubt == "judges":
                outcomes[i][doubt] = _by_judges(views, judges)
            else:
                outcomes[i][doubt] = _outcome(doubt, pair, order)
    return [
        Conclusion(
            systems[pair.better],
            systems[pair.worse],
            metric.name,
            doubt,
            outcome.verdict,
            outcome.witness,
            outcome.margin,
            details=dict(outcome.details),
        )
        for doubt in _with_all(doubts)
        for pair, outcome in ((pair, by_doubt[doubt]) for pair, by_doubt in zip(pairs, outcomes, strict=True))
    ]


def _outcome(doubt: Doubt, pair: SystemPair, order: Order | None) -> PairOutcome:
    if doubt == "parameters":
        return pair.parameters()
    if doubt == "unjudged":
        return pair.unjudged()
    assert doubt == "weights" and order is not None
    return pair.weights(order)


def _by_judges(views: Sequence[SystemPair], judges: Sequence[str]) -> PairOutcome:
    """The lead under every judge, at the reference setting and the given weights."""
    leads = [view.lead for view in views]
    worst = min(range(len(leads)), key=lambda i: leads[i])
    low, high = leads[worst]
    if high < 0:
        witness = f"{judges[0]}: {write_difference(leads[0])}; {judges[worst]}: {write_difference(leads[worst])}"
        return views[0].reverse(witness, up(high), {"judge": judges[worst]})
    if low > 0:
        return PairOutcome("certain", f"smallest under {judges[worst]}", down(low))
    return PairOutcome("undecided", f"{TIE} under {judges[worst]}", 0.0)


def _everything(
    views: Sequence[SystemPair],
    alone: dict[Doubt, PairOutcome],
    doubts: Sequence[Doubt],
    order: Order | None,
    judges: Sequence[str],
) -> PairOutcome:
    """All doubts at once: a conclusion that one doubt reverses is reversed; others are tested jointly, under every
    judge."""
    for doubt in doubts:
        if alone[doubt].verdict == "flips":
            return replace(alone[doubt], witness=f"{doubt} alone: {alone[doubt].witness}", details={})
    rest = [doubt for doubt in doubts if doubt != "judges"]
    if not rest:
        return alone["judges"]
    outcomes = []
    for i, view in enumerate(views):
        each: dict[Doubt, PairOutcome] = alone
        if i > 0:
            each = {doubt: _outcome(doubt, view, order) for doubt in rest}
        joint = _jointly(view, each, rest, order)
        outcomes.append(joint if i == 0 else replace(joint, witness=f"under {judges[i]}: {joint.witness}"))
    for verdict in ("flips", "undecided"):
        for outcome in outcomes:
            if outcome.verdict == verdict:
                return outcome
    if "judges" in doubts and alone["judges"].verdict == "undecided":
        return alone["judges"]
    return min(outcomes, key=lambda outcome: outcome.margin)


def _jointly(
    pair: SystemPair, alone: dict[Doubt, PairOutcome], doubts: Sequence[Doubt], order: Order | None
) -> PairOutcome:
    """Parameters, weights and labels together, under one judge."""
    for doubt in doubts:
        if alone[doubt].verdict == "flips":
            return alone[doubt]
    if len(doubts) == 1:
        return alone[doubts[0]]
    if "unjudged" in doubts:
        joint = pair.labels_and(order)
    else:
        assert order is not None
        joint = pair.weights_and_parameters(order)
    if joint.verdict != "certain":
        return joint
    for doubt in doubts:  # a joint proof implies each alone, so what is undecided alone must not be certain jointly
        if alone[doubt].verdict == "undecided":
            return replace(alone[doubt], witness=f"{doubt} alone: {alone[doubt].witness}", details={})
    return joint
