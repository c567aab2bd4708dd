"""The user behind a metric: probabilities of going on, of looking and of stopping by rank, and what the user expects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from diveval.argument_types import explain_types
from diveval.errors import UsageError, quote
from diveval.metrics.metric import Metric
from diveval.metrics.names import as_metric
from diveval.metrics.user_models import HORIZON, expect_all, share_attention, stop_at
from diveval.results.protocol import Columns, Result
from diveval.results.table_text import align

EXAMPLE = (0.5, 0.0, 0.25, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, repr=False)
class UserModel(Result):
    """C, W and L of a metric for one list, down to the last rank given; expectations are over 1000 documents."""

    metric: str
    gains: tuple[float, ...]
    goes_on: tuple[float, ...]
    attention: tuple[float, ...]
    stops: tuple[float, ...]
    utility: float
    total_utility: float
    total_cost: float
    items: float
    effort: float
    by_aspect: bool

    header: ClassVar[tuple[str, ...]] = ("rank", "gain", "C", "W", "L")
    reference: ClassVar[str] = "Moffat, Bailey, Scholer, Thomas 2017"

    def columns(self) -> Columns:
        """A row for each rank."""
        return {
            "rank": list(range(1, len(self.gains) + 1)),
            "gain": list(self.gains),
            "C": list(self.goes_on),
            "W": list(self.attention),
            "L": list(self.stops),
        }

    def records(self) -> list[dict[str, Any]]:
        """The same as dictionaries."""
        columns = self.columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_text(self, width: int = 80) -> str:
        """The table, what the letters mean, and what the user expects."""
        columns = self.columns()
        cells = [["rank", "gain", "C", "W", "L"]]
        for row in zip(*columns.values(), strict=True):
            cells.append([str(row[0]), f"{row[1]:g}", *(f"{value:.4f}" for value in row[2:])])
        one = " (of one aspect; the metric is the mean over aspects by their weights)" if self.by_aspect else ""
        lines = [f"{self.metric}: its user{one}", "", *align(cells, ">>>>>", indent=2), ""]
        lines += [
            "C  probability of going on to the next rank",
            "W  share of the attention that the rank gets",
            "L  probability that the rank is the last one looked at",
            "",
            f"expected gain per document (EU)  {self.utility:.4f}",
            f"expected gain in all (ETU)       {self.total_utility:.4f}",
            f"documents seen (ED)              {self.items:.4f}",
            f"last rank, expected (ETC)        {self.total_cost:.4f}",
        ]
        if self.effort:
            lines += ["", f"Effort of {self.effort:g} per document is charged by the discount of each rank alone,"]
            lines += ["as of a user who goes on whatever the documents are worth."]
        return "\n".join(lines) + "\n"


@explain_types
def user_model(metric: str | Metric, gains: Sequence[float] = EXAMPLE) -> UserModel:
    """The user behind a metric, as the C/W/L framework describes it.

    Args:
        metric: such as `RBU(p=0.9)@20`, or a metric.
        gains: the relevance in [0, 1] of the first documents (to one aspect); documents after them have none.
    """
    chosen = as_metric(metric)
    for gain in gains:
        if not isinstance(gain, Real) or isinstance(gain, bool) or not 0 <= gain <= 1:
            raise UsageError("out-of-range", f"a gain lies between 0 and 1, got {quote(gain)}")
    if not 1 <= len(gains) <= HORIZON:
        raise UsageError("out-of-range", f"gains are those of 1 to {HORIZON} documents, got {len(gains)}")
    column = np.zeros(HORIZON)
    column[: len(gains)] = gains
    goes_on = chosen.formula.goes_on(column)
    if goes_on is None:
        raise UsageError(
            "no-user-model",
            f"{chosen.name} is no sum of gains, each times the probability of reaching its rank",
            hint="P, RR, AP, DCG, RBP, ERR, RBU, α-nDCG, INST and their intent-aware forms are",
        )
    expected, shown = expect_all(column, goes_on), slice(0, len(gains))
    total = chosen.formula.as_sum or chosen.formula.share_of
    return UserModel(
        chosen.name,
        tuple(float(gain) for gain in gains),
        tuple(goes_on[shown].tolist()),
        tuple(share_attention(goes_on)[shown].tolist()),
        tuple(stop_at(goes_on)[shown].tolist()),
        float(expected.utility),
        float(expected.total_utility),
        float(expected.total_cost),
        float(expected.items),
        0.0 if total is None else float(total.effort),
        chosen.entry is not None and chosen.entry.diversity,
    )
