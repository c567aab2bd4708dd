"""One evaluation as the input of views and analyses: judgments, rankings and metrics, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings
from diveval.defaults import RBU
from diveval.errors import UsageError
from diveval.metrics import Metric, as_metrics
from diveval.reading.texts import Texts
from diveval.results.scores import Scores
from diveval.scoring.scorer import RankingsByOrder, Scorer, orders
from diveval.settings import Options


@dataclass(frozen=True)
class Evaluation:
    """One evaluation, scored once for all that is shown or computed of it.

    `rankings` must have every order of `metrics_to_read(metrics)`; for views they hold every document (`keep_documents=True`).
    """

    judgments: Judgments
    rankings: RankingsByOrder
    metrics: Sequence[Metric]
    options: Options
    notes: Sequence[str] = ()  # warnings of the reading
    texts: Texts = field(default_factory=Texts)  # of topics, aspects and documents, where files were given

    def __post_init__(self) -> None:
        if any(order not in self.rankings for order in orders(metrics_to_read(self.metrics), self.options)):
            raise UsageError(
                "order-not-read",
                "the rankings lack an order that a metric needs: read them for `metrics_to_read(metrics)`",
            )

    @cached_property
    def scores(self) -> Scores:
        """The scores of the metrics asked for."""
        return self.score(self.metrics)

    def score(self, metrics: Sequence[Metric]) -> Scores:
        """Scores of other metrics on the same rankings, which must have the order that each metric needs."""
        return self._scorer.of(metrics).score(self.rankings)

    @cached_property
    def _scorer(self) -> Scorer:
        """Judgments and rankings as arrays, built once: scores of other metrics need only be computed."""
        return Scorer(self.judgments, (), self.options)

    @property
    def explained(self) -> Metric:
        """The RBU that the inspector and the parameters are about."""
        return find_explained(self.metrics)

    def explained_runs(self) -> Sequence[Rankings]:
        """The runs in the order that the explained metric reads them."""
        return self.rankings[orders([self.explained], self.options)[0]]


def find_explained(metrics: Sequence[Metric]) -> Metric:
    """The first RBU among the metrics, or the paper's."""
    own = (m for m in metrics if m.entry is not None and m.entry.name == "RBU" and m.formula.as_sum is not None)
    return next(own, as_metrics(RBU)[0])


def metrics_to_read(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics whose orders the rankings must be read in: those asked for and the one explained."""
    return as_metrics([*metrics, find_explained(metrics)])
