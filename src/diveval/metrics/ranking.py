"""A single ranking as the input of a metric: rows of relevance, aspect weights, and the pool of relevant documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from diveval.metrics.numbers import Floats, Number, Numbers

if TYPE_CHECKING:
    from diveval.metrics.formulas import Formula

Rows: TypeAlias = Sequence[Sequence[Number]] | NDArray[np.float64]  # a row per document, a column per aspect


@dataclass(frozen=True)
class Ranking:
    """A single ranking over any kind of number.

    `relevance[i, t]` is r(i+1, t); `weights[t]` is w(t); `pool` has one row per judged document that is relevant to
    something. A user's metric is a plain function of this. Arrays hold doubles, or objects (fractions, solver terms).
    """

    relevance: NDArray[Any]
    weights: NDArray[Any]
    pool: NDArray[Any]
    numbers: Numbers = field(default_factory=Floats)
    costs: NDArray[Any] | None = None  # effort of each document, as a multiple of e; None: 1 for all
    pool_costs: NDArray[Any] | None = None  # the same for the pool's documents
    normaliser: Callable[[Formula, int], Number] | None = None  # in proofs, a constant instead of the ideal value

    @classmethod
    def of(
        cls,
        relevance: Rows,
        *,
        weights: Sequence[Number] | NDArray[np.float64] | None = None,
        pool: Rows | None = None,
        numbers: Numbers | None = None,
        normaliser: Callable[[Formula, int], Number] | None = None,
    ) -> Ranking:
        """Build from rows; uniform weights and a pool of just these documents unless given."""
        kind = numbers if numbers is not None else Floats()
        width = len(relevance[0]) if len(relevance) else len(weights) if weights is not None else 1
        rows = grid([[kind.of(r) for r in row] for row in relevance], width)
        shares = [kind.of(1) / kind.of(width)] * width if weights is None else [kind.of(w) for w in weights]
        all_rows = rows if pool is None else grid([[kind.of(r) for r in row] for row in pool], width)
        return cls(rows, vector(shares), all_rows, kind, normaliser=normaliser)

    def __len__(self) -> int:
        return int(self.relevance.shape[0])

    @property
    def aspects(self) -> int:
        """The number of aspects of the topic."""
        return int(self.weights.shape[0])


def vector(values: Sequence[Number]) -> NDArray[Any]:
    """An array of doubles if all values are floats, else of objects, which are kept as they are."""
    kind = float if all(isinstance(v, float) for v in values) else object
    out = np.empty(len(values), dtype=kind)
    for i, value in enumerate(values):
        out[i] = value
    return out


def grid(rows: Sequence[Sequence[Number]], width: int) -> NDArray[Any]:
    """The same for rows of equal width."""
    return vector([value for row in rows for value in row]).reshape(len(rows), width)
