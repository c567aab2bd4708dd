"""Why a metric prefers one system, or why two metrics disagree: deciding topics, what earns the score, and an axiom.

What earns a score is shown by `waterfall`: a list is built from the top. For each document the score is taken without
it, with a non-relevant document in its place (what its effort costs), and with its aspects put in one after the other.
The steps telescope, so they sum to the score whatever the metric is; where a metric adds up aspects, their order does
not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from diveval.analysis.violations import SITUATIONS, find_violations
from diveval.analysis.waterfall import WaterfallStep, waterfall
from diveval.axioms.presentation.data_verdicts import decide_in_data, levels_for
from diveval.axioms.proof.verdicts import Verdict, draw_rankings
from diveval.axioms.specification.constraints import AXIOMS
from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.collection.rankings import EMPTY, Rankings, TopicRanking
from diveval.defaults import TOLERANCE
from diveval.errors import DivevalError, MissingExtraError, UsageError
from diveval.metrics.exact_forms import explain_inexact, split_exact
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.reading.chosen import takes_settings
from diveval.reading.texts import Texts
from diveval.results.lookups import means_of
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.scorer import RankingsByOrder, score, worst_counts
from diveval.settings import Options
from diveval.stats.ties import gaps_between, noise_of, without_noise
from diveval.system.progress import Progress, silent

if TYPE_CHECKING:
    import altair
    from typing_extensions import Unpack

    from diveval.settings import Settings


@dataclass(frozen=True)
class RunShare:
    """One run on one topic under one metric: its score and the steps that earn it."""

    run: str
    score: float
    steps: tuple[WaterfallStep, ...]


@dataclass(frozen=True)
class TopicReason:
    """A topic that decides: under each metric, both runs' scores and steps."""

    topic: str
    query: str | None
    share: float  # of the difference of the means (one metric), or of the gap between the metrics (two)
    sides: tuple[tuple[RunShare, RunShare], ...]  # by metric
    aspects: dict[str, str] = field(default_factory=dict)  # in words, where there are any
    titles: dict[str, str] = field(default_factory=dict)  # of documents that earn something


@dataclass(frozen=True)
class AxiomReason:
    """An axiom that one metric satisfies and the other does not, with the smallest pair of rankings that shows it."""

    axiom: str
    title: str
    why: str
    satisfied_by: str
    failed_by: str
    situations: int  # of this axiom in the two runs' lists
    within: int  # of them within the axiom's premises
    violations: int  # of all that the failing metric does not reward
    example: str
    cause: bool = False  # whether the order changes once the satisfying metric no longer sees what the axiom is about


@dataclass(frozen=True, repr=False)
class Why(Result):
    """Two runs, one or two metrics, and the reasons."""

    run: str
    other: str
    metrics: tuple[str, ...]
    means: tuple[tuple[float, float], ...]  # by metric: of the run and of the other
    wins: tuple[tuple[int, int, int], ...]  # by metric: topics on which run is above, equal, below
    topics: tuple[TopicReason, ...]
    axiom: AxiomReason | None
    note: str | None
    held: tuple[str, ...] | None = None  # how many of the topics each run has (49/50), where one lacks some
    prefers: tuple[int, ...] = ()  # by metric: 1 for the run, −1 for the other, 0 where their means are equal

    header: ClassVar[tuple[str, ...]] = ("topic", "metric", "share", "score", "other_score")

    @property
    def disagree(self) -> bool:
        """Do the two metrics order the runs differently?"""
        if len(self.metrics) < 2:
            return False
        return self.prefers[0] * self.prefers[1] < 0

    def as_dict(self) -> dict[str, Any]:
        """Everything, in types of JSON."""
        return {**super().as_dict(), "disagree": self.disagree}

    def records(self) -> list[dict[str, Any]]:
        """The topics that decide: both runs' scores under each metric, and the topic's share."""
        return [
            dict(zip(self.header, (reason.topic, metric, reason.share, a.score, b.score), strict=True))
            for reason in self.topics
            for metric, (a, b) in zip(self.metrics, reason.sides, strict=True)
        ]

    def plot(self) -> altair.VConcatChart:
        """A chart: rank by rank, what separates the runs under each metric on the topics that decide."""
        from diveval.analysis.reasons import chart

        return chart(self)

    def to_text(self, width: int = 80) -> str:
        """The answer in a sentence, then its evidence."""
        from diveval.analysis.reasons import text

        return text(self, width)


@takes_settings
def why(
    judgments: JudgmentsLike,
    run: RunsLike,
    other: RunsLike,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    topics: int = 2,
    texts: Texts | None = None,
    axioms: bool = True,
    time_limit: float = 10.0,
    progress: Progress = silent,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Why:
    """Why one metric prefers one of two runs, or why two metrics order them differently.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        run: a run in any shape.
        other: the run to compare it with.
        metrics: one metric or two.
        topics: how many of the topics that decide are shown.
        texts: queries, aspects and titles in words, from `diveval.reading.texts.read_texts`.
        axioms: look for an axiom that tells two metrics apart.
        time_limit: seconds for each axiom and metric that is not decided yet.
        progress: called with what is being done.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores; `jobs` is also the number of processes that decide axioms (default: 1).
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    from diveval.analysis.reasons import state

    asked, chosen = as_metrics(metrics), options or Options()
    if len(asked) not in (1, 2):
        raise UsageError("wrong-number-of-metrics", f"why takes one metric or two, got {len(asked)}")
    truth = load_judgments(judgments, chosen, weights)
    rankings = rank_all(truth, [run, other], asked, chosen, keep_documents=True)
    scores = score(truth, rankings, asked, chosen)
    if len(scores.runs) != 2:  # a folder, or a frame of several runs
        raise UsageError("wrong-number-of-runs", f"why compares two runs, got {len(scores.runs)}")
    progress("topics that decide", 0, 2)
    deciding = _deciding(scores, topics)
    reasons = [
        explain_topic(truth, rankings, asked, chosen, scores, t, share, texts or Texts()) for t, share in deciding
    ]
    axiom, note = None, None
    if axioms and len(asked) == 2:
        progress("axioms", 1, 2)
        axiom, note = _axiom(truth, rankings, asked, chosen, time_limit, chosen.jobs or 1)
    means, gaps = _means_of_both(scores), [gaps_between(scores, 0, 1, m)[1] for m in range(len(asked))]
    wins = [(int((g > 0).sum()), int((g == 0).sum()), int((g < 0).sum())) for g in gaps]
    noise = noise_of(means, axis=0)
    better = np.sign(without_noise(means[0] - means[1], noise)) * scores.signs
    found = Why(
        scores.runs[0],
        scores.runs[1],
        scores.metrics,
        tuple((float(a), float(b)) for a, b in means.T),
        tuple(wins),
        tuple(reasons),
        axiom,
        note,
        scores.coverage(),
        tuple(int(sign) for sign in better),
        setup=scores.setup,
    )
    return replace(found, statements=state(found))


def _means_of_both(scores: Scores) -> NDArray[np.float64]:
    """Means over the topics that count for both runs, as `compare` takes differences."""
    both = np.broadcast_to(scores.counted.all(axis=0), scores.counted.shape)
    return scores.means if (both == scores.counted).all() else means_of(scores.values, both)


def _deciding(scores: Scores, count: int) -> list[tuple[int, float]]:
    """The topics that decide and the share of each: of the difference, or of what sets two metrics apart.

    A topic's share is its difference divided by the sum of all topics' differences, so that shares sum to 1; that of a
    topic which speaks for the other run is negative. Two metrics' differences are in units of their root mean square.
    """
    gaps = np.zeros(scores.values[0].shape)
    for m in range(len(gaps)):
        shared, own = gaps_between(scores, 0, 1, m)
        gaps[m, shared] = own
    if len(gaps) == 1:
        pull = gaps[0]
    else:
        most = np.abs(gaps).max(axis=1, keepdims=True, initial=0.0)  # squares of huge weights would be infinite
        gaps = np.divide(gaps, most, out=np.zeros_like(gaps), where=most > 0)
        spread = np.sqrt((gaps**2).mean(axis=1, keepdims=True))
        standard = np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 0)
        pull = standard[0] - standard[1]
    total = float(pull.sum())
    if abs(total) <= TOLERANCE * float(np.abs(pull).sum()):  # nothing to have a share of
        return []
    shares = pull / total
    return [(int(t), float(shares[t])) for t in np.argsort(-shares, kind="stable")[:count] if shares[t] > 0]


def explain_topic(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    scores: Scores,
    t: int,
    share: float,
    texts: Texts,
) -> TopicReason:
    """Under each metric, both runs' scores on a topic and the steps that earn them."""
    topic, sides = scores.topics[t], []
    for m, metric in enumerate(metrics):
        runs = rankings[options.order_for(metric.order)]
        missing = EMPTY
        if worst_counts(metric, options):
            missing = replace(EMPTY, length=metric.cutoff or len(judgments.topics[topic].documents))
        steps = [tuple(_steps(metric, judgments, options, topic, run.topics.get(topic, missing))) for run in runs]
        pair = [RunShare(run.name, float(scores.values[r, m, t]), steps[r]) for r, run in enumerate(runs)]
        sides.append((pair[0], pair[1]))
    words = texts.topics.get(topic)
    seen = {step.document for pair in sides for side in pair for step in side.steps if step.document is not None}
    titles = {document: texts.documents[document].title for document in sorted(seen) if document in texts.documents}
    return TopicReason(
        topic,
        texts.query(topic) or None,
        share,
        tuple(sides),
        dict(words.aspects) if words else {},
        {document: title for document, title in titles.items() if title},
    )


def _steps(
    metric: Metric, judgments: Judgments, options: Options, topic: str, ranking: TopicRanking
) -> list[WaterfallStep]:
    try:
        return waterfall(metric, judgments, options, topic, ranking)
    except DivevalError:  # a metric of another tool may need the judgments, and has no steps
        return []


def _axiom(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    time_limit: float,
    jobs: int,
) -> tuple[AxiomReason | None, str | None]:
    """The axiom that one metric satisfies and the other fails, and that matters most in these lists."""
    if names := [metric.name for metric in split_exact(metrics)[1]]:
        return None, explain_inexact(names)
    levels = {metric.name: levels_for(judgments, metric, options) for metric in metrics}
    try:
        decided = decide_in_data(metrics, list(AXIOMS), levels, time_limit=time_limit, jobs=jobs)
    except MissingExtraError as error:
        return None, str(error)
    except DivevalError as error:
        return None, f"the axioms were not decided: {error}"
    apart: list[tuple[Verdict, int]] = []  # the failing verdict, and which metric fails
    for name in AXIOMS:
        pair = [decided[metric.name, name] for metric in metrics]
        for failing in (0, 1):
            if pair[failing].here == "fails" and pair[1 - failing].here == "holds":
                apart.append((pair[failing].verdict, failing))
    if not apart:
        return (
            None,
            "none is known that one metric satisfies and the other fails for these grades (axioms read as intended)",
        )
    ranked = [
        (_count_violations(judgments, rankings, metrics[failing], options, verdict.axiom), verdict, failing)
        for verdict, failing in apart
    ]
    causes = [
        row
        for row in ranked
        if row[1].axiom == "Conf" and _effort_decides(judgments, rankings, metrics, 1 - row[2], options)
    ]
    (situations, within, violations), verdict, failing = max(causes or ranked, key=lambda row: (row[0][2], row[0][0]))
    axiom = AXIOMS[verdict.axiom]
    reason = AxiomReason(
        axiom.name,
        axiom.title,
        axiom.why,
        metrics[1 - failing].name,
        metrics[failing].name,
        situations,
        within,
        violations,
        "\n".join(draw_rankings(verdict.counterexample)) if verdict.counterexample is not None else "",
        bool(causes),
    )
    return reason, None


def _effort_decides(
    judgments: Judgments, rankings: RankingsByOrder, metrics: Sequence[Metric], which: int, options: Options
) -> bool:
    """Whether two metrics disagree about the runs and agree once the effort of the one that has it is 0."""
    total = metrics[which].formula.as_sum
    if total is None:
        return False
    free = [*metrics]
    free[which] = replace(metrics[which], formula=replace(total, effort=0))
    orders = [
        np.sign(np.diff(_means_of_both(score(judgments, rankings, asked, options)), axis=0)[0])
        for asked in (metrics, free)
    ]
    return bool(orders[0][0] * orders[0][1] < 0 and orders[1][0] == orders[1][1])


def _count_violations(
    judgments: Judgments, rankings: RankingsByOrder, metric: Metric, options: Options, axiom: str
) -> tuple[int, int, int]:
    """The axiom's situations in the two runs' lists, those within its premises, and those that the metric fails."""
    if axiom not in SITUATIONS:
        return 0, 0, 0
    if axiom == "Conf" and _equally_long(rankings[options.order_for(metric.order)], metric.cutoff):
        return 0, 0, 0  # the cost of length cannot separate lists of equal length
    try:
        rows = find_violations(judgments, rankings, [metric], options, axioms=[axiom]).rows
    except DivevalError:
        return 0, 0, 0
    return rows[0].found, rows[0].situations, rows[0].unrewarded


def _equally_long(runs: Sequence[Rankings], cutoff: int | None) -> bool:
    """Whether both runs have the same number of documents on every topic they share."""
    first, second = (run.topics for run in runs)
    most = np.iinfo(np.int64).max if cutoff is None else cutoff
    return all(min(first[t].length, most) == min(second[t].length, most) for t in first if t in second)
