"""What every picture is computed from: judgments, rankings and metrics as read, and the scores they gave."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from diveval.errors import DivevalError, DivevalWarning, UsageError
from diveval.judgments import Judgments
from diveval.metrics import Metric, as_metrics
from diveval.metrics.formulas import Sum
from diveval.options import Options
from diveval.rankings import Rankings
from diveval.scores import Scores
from diveval.scoring import RankingsByOrder, orders, score

T = TypeVar("T")
EXPLAINED = "RBU(p=0.99,e=0.05)"  # the metric the inspector explains when no RBU was asked for


@dataclass(frozen=True)
class Study:
    """One evaluation. `rankings` hold every document (`keep_documents=True`), since the inspector shows them."""

    judgments: Judgments
    rankings: RankingsByOrder
    metrics: tuple[Metric, ...]
    options: Options
    scores: Scores
    notes: tuple[str, ...] = field(default=())  # what reading had to say

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        rankings: RankingsByOrder,
        metrics: Sequence[Metric],
        options: Options,
        *,
        notes: Sequence[str] = (),
    ) -> Study:
        """Score what was read; `rankings` must have every order of `needed(metrics)`."""
        wanted = orders([*metrics, explained(metrics)], options)
        if any(order not in rankings for order in wanted):
            raise UsageError("the rankings lack an order that the pictures need: read them for `needed(metrics)`")
        scores = score(judgments, rankings, metrics, options)
        return cls(judgments, rankings, tuple(metrics), options, scores, tuple(notes))

    @property
    def explained(self) -> Metric:
        """The RBU that the inspector and the parameters are about."""
        return explained(self.metrics)

    def listed(self) -> Sequence[Rankings]:
        """The runs in the order that the explained metric reads them."""
        return self.rankings[orders([self.explained], self.options)[0]]

    def testable(self) -> Scores:
        """The scores without metrics that a tool's own rule leaves undefined somewhere: no statistic takes NaN."""
        finite = [m for i, m in enumerate(self.scores.metrics) if np.isfinite(self.scores.values[:, i]).all()]
        return self.scores if len(finite) == len(self.scores.metrics) else self.scores.select(metrics=finite)


def explained(metrics: Sequence[Metric]) -> Metric:
    """The first RBU among the metrics, or the paper's."""
    known = (m for m in metrics if m.entry is not None and m.entry.name == "RBU" and isinstance(m.formula, Sum))
    return next(known, as_metrics(EXPLAINED)[0])


def needed(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics whose orders the rankings must be read in: those asked for and the one explained."""
    return as_metrics([*metrics, explained(metrics)])


@contextmanager
def listening() -> Iterator[list[str]]:
    """Gather diveval's warnings as notes, without repeats, instead of showing them."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DivevalWarning)
        try:
            yield notes
        finally:
            said = [str(w.message) for w in caught if issubclass(w.category, DivevalWarning)]
            notes.extend(dict.fromkeys(said))


def attempt(compute: Callable[[], T]) -> tuple[T | None, list[str]]:
    """A part of the report and what it had to say; where the data cannot carry it, nothing and the reason."""
    with listening() as notes:
        try:
            result: T | None = compute()
        except DivevalError as error:
            result = None
            reason = str(error)
    return result, notes if result is not None else [reason, *notes]
