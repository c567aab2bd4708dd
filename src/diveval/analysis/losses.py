"""Losses: the topics where one run scores below another, and the rank at which that happens."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from diveval.analysis.why import RunShare, explain_topic
from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.collection.judgments import Judgments
from diveval.errors import UsageError, capture_warnings, count_of
from diveval.metrics.names import MetricLike, as_metrics, labels
from diveval.reading.chosen import takes_settings
from diveval.reading.texts import Texts
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.results.statements import Statement, words
from diveval.results.table_text import TextTable, number_text
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.scorer import score
from diveval.settings import Options
from diveval.stats.ties import gaps_between

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings


@dataclass(frozen=True)
class Loss:
    """A topic where the run scores below the other: `difference` is below 0, and at `rank` the run falls behind most,
    by `behind`; the documents there are None where a list has none that the metric counts."""

    topic: str
    query: str | None
    score: float
    other_score: float
    difference: float
    rank: int | None
    behind: float | None
    document: str | None
    other_document: str | None


@dataclass(frozen=True, repr=False)
class Losses(Result):
    """The topics that the run loses against the other by one metric, the largest loss first."""

    run: str
    other: str
    metric: str
    topics: int  # that both runs are scored on
    rows: tuple[Loss, ...]

    header: ClassVar[tuple[str, ...]] = tuple(Loss.__dataclass_fields__)

    def display(self) -> TextTable:
        """The topics; a column of queries only where there are any."""
        queries = any(row.query for row in self.rows)
        head = ["topic", *(["query"] if queries else []), self.run, self.other, "difference", "rank", "behind there"]
        rows = [
            [
                row.topic,
                *([row.query or ""] if queries else []),
                f"{row.score:.4f}",
                f"{row.other_score:.4f}",
                f"{row.difference:+.4f}",
                "–" if row.rank is None else str(row.rank),
                number_text(row.behind, sign=True),
            ]
            for row in self.rows
        ]
        return TextTable(head, rows, "l" + "l" * queries + "rrrrr", caption=state_losses(self).text)

    def to_text(self, width: int = 80) -> str:
        """How many topics are lost, then the table."""
        said = "\n".join(textwrap.wrap(state_losses(self).text, max(width, 40)))
        return f"{said}\n\n{self.display().text(width)}" if self.rows else f"{said}\n"


@takes_settings
def losses(
    judgments: JudgmentsLike,
    run: RunsLike,
    other: RunsLike,
    metric: MetricLike,
    *,
    texts: Texts | None = None,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Losses:
    """The topics where one run loses to another, with the rank where it happens.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        run: your run, in any shape.
        other: the run to compare it with.
        metric: one metric.
        texts: queries in words, from `diveval.reading.texts.read_texts`.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    (asked,), chosen = as_metrics([metric]), options or Options()
    truth = load_judgments(judgments, chosen, weights)
    rankings = rank_all(truth, [run, other], [asked], chosen, keep_documents=True)
    scores = score(truth, rankings, [asked], chosen)
    if len(scores.runs) != 2:
        raise UsageError("wrong-number-of-runs", f"losses compare two runs, got {len(scores.runs)}")
    shared, gaps = gaps_between(scores, 0, 1, 0)
    gaps = gaps * float(scores.signs[0])
    lost = [shared[i] for i in gaps.argsort(kind="stable") if gaps[i] < 0]
    rows = []
    for t in map(int, lost):
        reason = explain_topic(truth, rankings, [asked], chosen, scores, t, 0.0, texts or Texts())
        ((ours, theirs),) = reason.sides
        rows.append(_loss(reason.topic, reason.query, ours, theirs, float(scores.signs[0])))
    found = Losses(*scores.runs, asked.name, len(shared), tuple(rows), setup=scores.setup)
    return replace(found, statements=(state_losses(found),))


def losses_among(
    scores: Scores,
    pair: tuple[str, str],
    judgments: Judgments,
    runs: Sequence[RunsLike],
    *,
    texts: Texts | None = None,
    options: Options,
) -> Losses:
    """The losses of one run against another in a table of scores, by its first metric.

    `runs` are those of the table, in its order; warnings that scoring them issued are not repeated.
    """
    one, other = (runs[scores.runs.index(name)] for name in pair)
    with capture_warnings():
        found = losses(judgments, one, other, scores.metrics[0], texts=texts, options=options)
    named = replace(found, run=pair[0], other=pair[1])
    return replace(named, statements=(state_losses(named),))


def _loss(topic: str, query: str | None, ours: RunShare, theirs: RunShare, sign: float) -> Loss:
    """Where the run falls behind most: the rank with the lowest difference of what the two lists earn there."""
    earned = [_by_rank(side) for side in (ours, theirs)]
    gaps = {rank: earned[0].get(rank, 0.0) - earned[1].get(rank, 0.0) for rank in sorted({*earned[0], *earned[1]})}
    rank = min(gaps, key=lambda at: gaps[at] * sign, default=None)
    named = [None if rank is None else _document(side, rank) for side in (ours, theirs)]
    behind = None if rank is None else gaps[rank]
    return Loss(topic, query, ours.score, theirs.score, ours.score - theirs.score, rank, behind, *named)


def _by_rank(side: RunShare) -> dict[int, float]:
    out: dict[int, float] = {}
    for step in side.steps:
        out[step.rank] = out.get(step.rank, 0.0) + step.value
    return out


def _document(side: RunShare, rank: int) -> str | None:
    return next((step.document for step in side.steps if step.rank == rank and step.document is not None), None)


def state_losses(found: Losses) -> Statement:
    """On how many topics the run scores below the other."""
    facts = {
        "run": found.run, "other": found.other, "metric": labels([found.metric])[0],
        "lost": len(found.rows), "topics": found.topics,
    }  # fmt: skip
    rows = [{"topic": row.topic, "difference": row.difference, "rank": row.rank} for row in found.rows]
    return Statement("losses", facts, tuple(rows))


@words("losses")
def _word_losses(run: str, other: str, metric: str, lost: int, topics: int) -> str:
    where = "; rank: where it falls behind most, and by how much there" if lost else ""
    return f"By {metric}, {run} is worse than {other} on {lost} of {count_of(topics, 'topic')}{where}."
