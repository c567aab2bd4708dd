"""Why a metric prefers one system, or why two metrics disagree: deciding topics, what earns the score, and an axiom.

What earns a score is shown by `waterfall`: a list is built from the top. For each document the score is taken without
it, with a non-relevant document in its place (what its effort costs), and with its aspects put in one after the other.
The steps telescope, so they sum to the score whatever the metric is; where a metric adds up aspects, their order does
not matter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.presentation.matrix import matrix
from diveval.axioms.proof.verdicts import Verdict, drawn
from diveval.axioms.specification.constraints import AXIOMS
from diveval.choosing.needs import SATISFIED
from diveval.errors import DivevalError, MissingExtraError, UsageError
from diveval.evaluation import load_judgments, rank_all
from diveval.inputs import JudgmentsLike, RunsLike
from diveval.judgments import Judgments, TopicRelevance
from diveval.metrics.batch import PADDING, Batch
from diveval.metrics.metric import Metric
from diveval.metrics.names import MetricLike, as_metrics
from diveval.options import Options
from diveval.rankings import EMPTY, Rankings, TopicRanking, unanswered
from diveval.reading.texts import Texts
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder, score, worst_counts
from diveval.tables import deliver
from diveval.violations import SITUATIONS, find_violations

if TYPE_CHECKING:
    import altair


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
    violations: int  # of them that the failing metric does not reward
    example: str


@dataclass(frozen=True)
class Why:
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

    @property
    def disagree(self) -> bool:
        """Do the two metrics order the runs differently?"""
        if len(self.metrics) < 2:
            return False
        first, second = (mine - theirs for mine, theirs in self.means)
        return first * second < 0

    def as_dict(self) -> dict[str, Any]:
        """Everything, in types of JSON."""
        return {**asdict(self), "disagree": self.disagree}

    def to_json(self, path: str | Path | None = None) -> str:
        """`as_dict()` as JSON; also written to `path` if given."""
        return deliver(json.dumps(self.as_dict(), ensure_ascii=False, indent=1, allow_nan=False) + "\n", path)

    def plot(self) -> altair.VConcatChart:
        """A chart: rank by rank, what separates the runs under each metric on the topics that decide."""
        from diveval.choosing.reasons import chart

        return chart(self)

    def __str__(self) -> str:
        from diveval.choosing.reasons import text

        return text(self)


def why(
    judgments: JudgmentsLike,
    run: RunsLike,
    other: RunsLike,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    topics: int = 2,
    texts: Texts | None = None,
    options: Options | None = None,
    axioms: bool = True,
    time_limit: float = 10.0,
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Why:
    """Why one metric prefers one of two runs, or why two metrics order them differently.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        run: a run in any shape.
        other: the run to compare it with.
        metrics: one metric or two.
        topics: how many of the topics that decide are shown.
        texts: queries, aspects and titles in words, from `diveval.reading.texts.read_texts`.
        options: how files become scores.
        axioms: look for an axiom that tells two metrics apart.
        time_limit: seconds for each axiom and metric that is not decided yet.
        jobs: processes that decide axioms.
        progress: called with what is being done.
    """
    asked, chosen = as_metrics(metrics), options or Options()
    if len(asked) not in (1, 2):
        raise UsageError(f"why takes one metric or two, got {len(asked)}")
    say = progress or (lambda text: None)
    truth = load_judgments(judgments, chosen)
    rankings = rank_all(truth, [run, other], asked, chosen, keep_documents=True)
    scores = score(truth, rankings, asked, chosen)
    say("topics that decide")
    deciding = _deciding(scores, topics)
    reasons = [_reason(truth, rankings, asked, chosen, scores, t, share, texts or Texts()) for t, share in deciding]
    axiom, note = None, None
    if axioms and len(asked) == 2:
        say("axioms")
        axiom, note = _axiom(truth, rankings, asked, chosen, time_limit, jobs)
    means, gaps = scores.means, scores.values[0] - scores.values[1]
    wins = [(int((g > 0).sum()), int((g == 0).sum()), int((g < 0).sum())) for g in gaps]
    return Why(
        scores.runs[0],
        scores.runs[1],
        scores.metrics,
        tuple((float(a), float(b)) for a, b in means.T),
        tuple(wins),
        tuple(reasons),
        axiom,
        note,
        scores.coverage(),
    )


def _deciding(scores: Scores, count: int) -> list[tuple[int, float]]:
    """The topics that decide and the share of each: of the difference, or of what sets two metrics apart."""
    gaps: NDArray[np.float64] = scores.values[0] - scores.values[1]
    gaps = np.where(scores.counted[0] & scores.counted[1], gaps, 0.0)
    if len(gaps) == 1:
        pull = gaps[0] * np.sign(gaps[0].sum() or 1.0)
    else:
        spread = np.sqrt((gaps**2).mean(axis=1, keepdims=True))
        standard = np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 0)
        pull = (standard[0] - standard[1]) * np.sign((standard[0] - standard[1]).sum() or 1.0)
    total = float(np.abs(pull).sum())
    order = np.argsort(-pull, kind="stable")[:count]
    return [(int(t), float(pull[t]) / total) for t in order if total and pull[t] > 0]


def _reason(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    scores: Scores,
    t: int,
    share: float,
    texts: Texts,
) -> TopicReason:
    topic, sides = scores.topics[t], []
    for m, metric in enumerate(metrics):
        relevance = judgments.relevance(metric.rule or options.relevance)[topic]
        runs = rankings[options.order_for(metric.order)]
        missing = EMPTY
        if worst_counts(metric, options):
            missing = unanswered(len(relevance.place) if metric.cutoff is None else metric.cutoff)
        steps = [tuple(_steps(metric, relevance, run.topics.get(topic, missing))) for run in runs]
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


def _steps(metric: Metric, relevance: TopicRelevance, ranking: TopicRanking) -> list[WaterfallStep]:
    try:
        return waterfall(metric, relevance, ranking)
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
    try:
        decided = matrix([metric.name for metric in metrics], readings=["charitable"], time_limit=time_limit, jobs=jobs)
    except MissingExtraError as error:
        return None, str(error)
    except DivevalError as error:
        return None, f"the axioms were not decided: {error}"
    apart: list[tuple[Verdict, int]] = []  # the failing verdict, and which metric fails
    for name in AXIOMS:
        pair = [decided.cell(metric, name, "charitable") for metric in decided.metrics]
        for failing in (0, 1):
            if pair[failing].verdict == "fails" and pair[1 - failing].verdict in SATISFIED:
                apart.append((pair[failing], failing))
    if not apart:
        return None, "the two metrics satisfy the same axioms (charitable reading); they differ in degree"
    ranked = [
        (_seen(judgments, rankings, metrics[failing], options, verdict.axiom), verdict, failing)
        for verdict, failing in apart
    ]
    (situations, violations), verdict, failing = max(ranked, key=lambda row: (row[0][1], row[0][0]))
    axiom = AXIOMS[verdict.axiom]
    reason = AxiomReason(
        axiom.name,
        axiom.title,
        axiom.why,
        metrics[1 - failing].name,
        metrics[failing].name,
        situations,
        violations,
        "\n".join(drawn(verdict.counterexample)) if verdict.counterexample is not None else "",
    )
    return reason, None


def _seen(
    judgments: Judgments, rankings: RankingsByOrder, metric: Metric, options: Options, axiom: str
) -> tuple[int, int]:
    """How often the axiom's situations occur in the two runs' lists, and how often the metric fails there."""
    if not any(situation.axiom == axiom for situation in SITUATIONS.values()):
        return 0, 0
    if axiom == "Conf" and _equally_long(rankings[options.order_for(metric.order)], metric.cutoff):
        return 0, 0  # the cost of length cannot separate lists of equal length
    try:
        rows = find_violations(judgments, rankings, [metric], options, axioms=[axiom]).rows
    except DivevalError:
        return 0, 0
    return rows[0].situations, rows[0].violations


def _equally_long(runs: Sequence[Rankings], cutoff: int | None) -> bool:
    """Whether both runs have the same number of documents on every topic they share."""
    first, second = (run.topics for run in runs)
    most = np.iinfo(np.int64).max if cutoff is None else cutoff
    return all(min(first[t].length, most) == min(second[t].length, most) for t in first if t in second)


@dataclass(frozen=True)
class WaterfallStep:
    """What a rank adds: `aspect` is None for the cost of a document, which does not depend on its aspects.

    Consecutive non-relevant documents are one step, from `rank` to `last`.
    """

    rank: int
    last: int
    document: str | None
    aspect: str | None
    relevance: float
    value: float


def waterfall(metric: Metric, relevance: TopicRelevance, ranking: TopicRanking) -> list[WaterfallStep]:
    """The steps of one list, from the top down to the metric's cutoff."""
    length = ranking.length if metric.cutoff is None else min(ranking.length, metric.cutoff)
    place = relevance.place[ranking.rows]
    hits = [(int(r), int(p)) for r, p in zip(ranking.ranks, place, strict=True) if p >= 0 and r <= length]
    rows, labels = _prefixes(hits, relevance.relevance, length)
    scores = metric.score(_batch(rows, relevance))
    steps = []
    for i, (rank, last, column, aspect) in enumerate(labels):
        value = float(scores[i + 1] - scores[i])
        if value or aspect is not None:
            names = ranking.documents
            document = names[rank - 1] if names is not None and rank == last and column is not None else None
            name = None if aspect is None else relevance.aspects[aspect]
            worth = 0.0 if column is None or aspect is None else float(relevance.relevance[aspect, column])
            steps.append(WaterfallStep(rank, last, document, name, worth, value))
    return steps


Prefix = tuple[int, list[tuple[int, NDArray[np.float64]]]]  # its length, and relevance by rank


def _prefixes(
    hits: list[tuple[int, int]], pool: NDArray[np.float64], length: int
) -> tuple[list[Prefix], list[tuple[int, int, int | None, int | None]]]:
    """Ever longer lists, and what each adds to the one before: ranks from and to, column, aspect."""
    rows: list[Prefix] = [(0, [])]
    labels: list[tuple[int, int, int | None, int | None]] = []
    done: list[tuple[int, NDArray[np.float64]]] = []
    for rank, column in hits:
        if rank - 1 > rows[-1][0]:
            labels.append((rows[-1][0] + 1, rank - 1, None, None))
            rows.append((rank - 1, list(done)))
        rows.append((rank, list(done)))
        labels.append((rank, rank, column, None))
        vector = np.zeros(len(pool))
        for aspect in np.flatnonzero(pool[:, column] > 0):
            vector = vector.copy()
            vector[aspect] = pool[aspect, column]
            rows.append((rank, [*done, (rank, vector)]))
            labels.append((rank, rank, column, int(aspect)))
        done.append((rank, pool[:, column]))
    if length > rows[-1][0]:
        labels.append((rows[-1][0] + 1, length, None, None))
        rows.append((length, list(done)))
    return rows, labels


def _batch(rows: list[Prefix], relevance: TopicRelevance) -> Batch:
    width = max((len(hits) for _, hits in rows), default=0)
    grid = np.zeros((len(relevance.relevance), len(rows), width))
    ranks = np.full((len(rows), width), PADDING, dtype=np.int64)
    for r, (_, hits) in enumerate(rows):
        for h, (rank, vector) in enumerate(hits):
            ranks[r, h] = rank
            grid[:, r, h] = vector
    lengths = np.array([length for length, _ in rows], dtype=np.int64)
    return Batch.of_topic(grid, ranks, lengths, relevance.weights, relevance.relevance)
