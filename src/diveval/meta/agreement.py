"""Agreement between metrics: do they rank the systems alike? The matrix, and an order that puts like beside like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from diveval.errors import need
from diveval.meta.correlation import REFERENCES, Method, correlation
from diveval.meta.outputs import mean_ranks
from diveval.scores import Scores
from diveval.stats.results import Result


@dataclass(frozen=True)
class Agreement(Result):
    """`matrix[i][j]` compares the rankings by metric i (the reference for τ_AP) and j; None where undefined.

    `order` holds the metrics in the order of the clustering's leaves.
    """

    method: Method
    p: float | None
    metrics: tuple[str, ...]
    matrix: tuple[tuple[float | None, ...], ...]
    order: tuple[str, ...]

    reference: ClassVar[str] = " ".join(REFERENCES.values())
    columns: ClassVar[tuple[str, ...]] = ("metric", "other", "value")

    def value(self, metric: str, other: str) -> float | None:
        """One cell, by name."""
        return self.matrix[self.metrics.index(metric)][self.metrics.index(other)]

    def records(self) -> list[dict[str, Any]]:
        """One record per ordered pair of metrics."""
        return [
            {"metric": metric, "other": other, "value": value}
            for metric, row in zip(self.metrics, self.matrix, strict=True)
            for other, value in zip(self.metrics, row, strict=True)
        ]


def agreement(scores: Scores, *, method: Method = "tau", p: float = 0.9) -> Agreement:
    """Rank correlation of the system rankings by mean, for every pair of metrics.

    `tau` is Kendall's τ-b, `tau_ap` that of Yilmaz et al., `rbo` rank-biased overlap with persistence `p`. A metric
    that ties every system has no τ-b: None. The order is that of average-linkage clustering on the distance
    1 − value (mean of both directions; 1 where undefined), and does not depend on the order of the metrics.
    """
    compare = correlation(method, p=p)
    ranks = mean_ranks(scores)
    matrix = tuple(tuple(compare(x, y) for y in ranks) for x in ranks)
    return Agreement(method, p if method == "rbo" else None, scores.metrics, matrix, _order(scores.metrics, matrix))


def _order(metrics: tuple[str, ...], matrix: tuple[tuple[float | None, ...], ...]) -> tuple[str, ...]:
    """The leaves of the dendrogram, from left to right."""
    by_name = sorted(range(len(metrics)), key=lambda m: metrics[m])
    if len(metrics) < 3:
        return tuple(metrics[m] for m in by_name)
    hierarchy = need("scipy.cluster.hierarchy", "meta")
    alike = np.array([[matrix[i][j] or 0.0 for j in by_name] for i in by_name])
    distance = np.clip(1.0 - (alike + alike.T) / 2, 0.0, None)
    condensed = distance[np.triu_indices(len(metrics), 1)]
    tree = hierarchy.linkage(condensed, method="average", optimal_ordering=True)
    return tuple(metrics[by_name[leaf]] for leaf in hierarchy.leaves_list(tree))
