"""The input of every view: judgments, rankings and metrics as read, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from diveval.defaults import RBU
from diveval.errors import DivevalError, UsageError, gathered
from diveval.judgments import Judgments
from diveval.metrics import Metric, as_metrics
from diveval.metrics.formulas import Sum
from diveval.options import Options
from diveval.rankings import Rankings
from diveval.reading.texts import Texts
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder, orders, score

T = TypeVar("T")
Step = Callable[[int, int, str], None]  # done, of how many, what; may end the work by raising


@dataclass(frozen=True)
class Study:
    """One evaluation. `rankings` hold every document (`keep_documents=True`), since the inspector shows them."""

    judgments: Judgments
    rankings: RankingsByOrder
    metrics: tuple[Metric, ...]
    options: Options
    scores: Scores
    notes: tuple[str, ...] = ()  # warnings of the reading
    texts: Texts = field(default_factory=Texts)  # of topics, aspects and documents, where files were given

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        rankings: RankingsByOrder,
        metrics: Sequence[Metric],
        options: Options,
        *,
        notes: Sequence[str] = (),
        texts: Texts | None = None,
    ) -> Study:
        """Score what was read; `rankings` must have every order of `needed(metrics)`."""
        wanted = orders([*metrics, explained(metrics)], options)
        if any(order not in rankings for order in wanted):
            raise UsageError("the rankings lack an order that the pictures need: read them for `needed(metrics)`")
        scores = score(judgments, rankings, metrics, options)
        return cls(judgments, rankings, tuple(metrics), options, scores, tuple(notes), texts or Texts())

    @property
    def explained(self) -> Metric:
        """The RBU that the inspector and the parameters are about."""
        return explained(self.metrics)

    def scored(self, metrics: Sequence[Metric]) -> Scores:
        """The same runs by other metrics; they must be read in an order that the study has."""
        return score(self.judgments, self.rankings, metrics, self.options)

    def listed(self) -> Sequence[Rankings]:
        """The runs in the order that the explained metric reads them."""
        return self.rankings[orders([self.explained], self.options)[0]]


def no_step(done: int, total: int, what: str) -> None:
    """For work whose progress is not shown."""


def testable(scores: Scores) -> Scores:
    """The scores without metrics that are undefined on some topic by their tool's own rule: statistics take no NaN."""
    finite = [m for i, m in enumerate(scores.metrics) if np.isfinite(scores.values[:, i]).all()]
    return scores if len(finite) == len(scores.metrics) else scores.select(metrics=finite)


def topic_texts(texts: Texts, topics: Sequence[str]) -> dict[str, Any]:
    """Query, description and aspects of the topics that have them, as plain data."""
    present = ((topic, texts.topics[topic]) for topic in topics if topic in texts.topics)
    return {t: {"query": x.query, "description": x.description, "aspects": dict(x.aspects)} for t, x in present}


def explained(metrics: Sequence[Metric]) -> Metric:
    """The first RBU among the metrics, or the paper's."""
    own = (m for m in metrics if m.entry is not None and m.entry.name == "RBU" and isinstance(m.formula, Sum))
    return next(own, as_metrics(RBU)[0])


def needed(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics whose orders the rankings must be read in: those asked for and the one explained."""
    return as_metrics([*metrics, explained(metrics)])


def attempt(compute: Callable[[], T]) -> tuple[T | None, list[str]]:
    """A result and its warnings; where it cannot be computed from this data, None and the reason."""
    with gathered() as notes:
        try:
            result: T | None = compute()
        except DivevalError as error:
            result = None
            reason = str(error)
    return result, notes if result is not None else [reason, *notes]
