"""One evaluation as the input of views and analyses: judgments, rankings and metrics, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from diveval.defaults import RBU
from diveval.errors import UsageError
from diveval.judgments import Judgments
from diveval.metrics import Metric, as_metrics
from diveval.metrics.formulas import Sum
from diveval.options import Options
from diveval.rankings import Rankings
from diveval.reading.texts import Texts
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder, orders, score


@dataclass(frozen=True)
class Study:
    """One evaluation, scored once for all that is shown or computed of it.

    `rankings` must have every order of `needed(metrics)`; for views they hold every document (`keep_documents=True`).
    """

    judgments: Judgments
    rankings: RankingsByOrder
    metrics: Sequence[Metric]
    options: Options
    notes: Sequence[str] = ()  # warnings of the reading
    texts: Texts = field(default_factory=Texts)  # of topics, aspects and documents, where files were given

    def __post_init__(self) -> None:
        if any(order not in self.rankings for order in orders(needed(self.metrics), self.options)):
            raise UsageError("the rankings lack an order that a metric needs: read them for `needed(metrics)`")

    @cached_property
    def scores(self) -> Scores:
        """The scores of the metrics asked for."""
        return self.scored(self.metrics)

    def scored(self, metrics: Sequence[Metric]) -> Scores:
        """Scores of other metrics on the same rankings, which must have the order that each metric needs."""
        return score(self.judgments, self.rankings, metrics, self.options)

    @property
    def explained(self) -> Metric:
        """The RBU that the inspector and the parameters are about."""
        return explained(self.metrics)

    def listed(self) -> Sequence[Rankings]:
        """The runs in the order that the explained metric reads them."""
        return self.rankings[orders([self.explained], self.options)[0]]


def explained(metrics: Sequence[Metric]) -> Metric:
    """The first RBU among the metrics, or the paper's."""
    own = (m for m in metrics if m.entry is not None and m.entry.name == "RBU" and isinstance(m.formula, Sum))
    return next(own, as_metrics(RBU)[0])


def needed(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics whose orders the rankings must be read in: those asked for and the one explained."""
    return as_metrics([*metrics, explained(metrics)])
