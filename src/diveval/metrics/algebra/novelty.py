"""Novelty: what is left to gain from an aspect at a rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from diveval.errors import UsageError
from diveval.metrics.algebra.part import Array, Part, look_up, running
from diveval.metrics.numbers import Number, Numbers, is_zero


@dataclass(frozen=True)
class Novelty(Part):
    """A factor in [0, 1] for a document and an aspect, from the documents above it: a state machine over ranks.

    `begin`, `factor` and `after` define it for any numbers; `table` is its fast form over whole arrays.
    """

    @property
    def counts_documents(self) -> bool:
        """Whether every relevant document above lowers the factor alike, whatever its degree of relevance."""
        return False

    def decay_of(self, relevance: Array) -> Array | None:
        """What a document of this relevance multiplies the factor by; None where the factor is no such product."""
        return None

    def begin(self, numbers: Numbers) -> Any:
        """The state before rank 1."""
        raise NotImplementedError

    def factor(self, state: Any, numbers: Numbers) -> Number:
        """The factor of the next document's relevance."""
        raise NotImplementedError

    def after(self, state: Any, r: Number, numbers: Numbers) -> Any:
        """The state after a document of relevance r."""
        raise NotImplementedError

    def along(self, column: list[Number], numbers: Numbers) -> list[Number]:
        """The factor at each rank, for one aspect's relevance from rank 1 on."""
        out, state = [], self.begin(numbers)
        for r in column:
            out.append(self.factor(state, numbers))
            state = self.after(state, r, numbers)
        return out

    def gain(self, column: list[Number], numbers: Numbers) -> list[Number]:
        """The gain at each rank: its relevance times the factor."""
        return [r * factor for r, factor in zip(column, self.along(column, numbers), strict=True)]

    def table(self, relevance: Array) -> Array:
        """The factors along the last axis of an array of relevant documents."""
        raise NotImplementedError


class Always(Novelty):
    """1: the metric does not discount repetition."""

    def begin(self, numbers: Numbers) -> Any:
        return numbers.of(1)

    def factor(self, state: Any, numbers: Numbers) -> Number:
        return state

    def after(self, state: Any, r: Number, numbers: Numbers) -> Any:
        return state

    def decay_of(self, relevance: Array) -> Array:
        return np.ones_like(relevance)

    def table(self, relevance: Array) -> Array:
        return np.ones_like(relevance)


class Cascade(Novelty):
    """s(i,t) = Π_{j<i} (1 − r(j,t)): the chance that nothing above satisfied the user, as in ERR and RBU."""

    def begin(self, numbers: Numbers) -> Any:
        return numbers.of(1)

    def factor(self, state: Any, numbers: Numbers) -> Number:
        return state

    def after(self, state: Any, r: Number, numbers: Numbers) -> Any:
        return state * (numbers.of(1) - r)

    def decay_of(self, relevance: Array) -> Array:
        return np.asarray(1.0 - relevance)

    def table(self, relevance: Array) -> Array:
        return _before(running(1.0 - relevance, np.multiply), first=1.0)


@dataclass(frozen=True)
class Decay(Novelty):
    """(1 − α)^c(i,t), c counting the relevant documents above, as in α-nDCG.

    With a `limit` L the factor is 0 once Σ_{j<i} r(j,t) ≥ L: the Cube Test's full cube.
    """

    alpha: Number
    limit: Number | None = None

    @property
    def counts_documents(self) -> bool:
        return self.limit is None

    def begin(self, numbers: Numbers) -> Any:
        return numbers.of(1), numbers.of(0)

    def factor(self, state: Any, numbers: Numbers) -> Number:
        factor, seen = state
        return factor if self.limit is None else factor * numbers.below(seen, numbers.of(self.limit))

    def after(self, state: Any, r: Number, numbers: Numbers) -> Any:
        factor, seen = state
        return factor * (numbers.of(1) - numbers.of(self.alpha) * numbers.positive(r)), seen + r

    def decay_of(self, relevance: Array) -> Array | None:
        return np.where(relevance > 0, 1.0 - float(self.alpha), 1.0) if self.limit is None else None

    def table(self, relevance: Array) -> Array:
        relevant = relevance > 0.0
        above = (running(relevant) - relevant).astype(np.int64, copy=False)
        # Counts are small integers: a table of powers is cheaper than a power per element.
        powers = (1.0 - float(self.alpha)) ** np.arange(float(relevance.shape[-1]))
        factor = look_up(powers, above)
        if self.limit is not None:
            factor = factor * (_before(running(relevance), first=0.0) < float(self.limit))
        return factor


class BestSoFar(Novelty):
    """A document gains what it has beyond the best above it: r(i,t) − max_{j<i} r(j,t), or 0.

    The gains of all ranks sum to the best relevance of the list (the "best label of each nugget" of RAG evaluation),
    whereas under a cascade two documents of relevance 1/2 gain 3/4. The factor depends on r itself, so there is no
    `factor` of the state alone.
    """

    def begin(self, numbers: Numbers) -> Any:
        raise UsageError(
            "no-ideal",
            "BestSoFar has no factor that depends on its state alone, so there is no ideal list",
            hint="it cannot be used in Normalised",
        )

    def along(self, column: list[Number], numbers: Numbers) -> list[Number]:
        gains = self.gain(column, numbers)
        return [gain / r if not is_zero(r) else numbers.of(0) for gain, r in zip(gains, column, strict=True)]

    def gain(self, column: list[Number], numbers: Numbers) -> list[Number]:
        out, best = [], numbers.of(0)
        for r in column:
            above = numbers.largest([best, r])
            out.append(above - best)
            best = above
        return out

    def table(self, relevance: Array) -> Array:
        best = _before(running(relevance, np.maximum), first=0.0)
        more = np.maximum(relevance - best, 0.0)
        return np.divide(more, relevance, out=np.zeros_like(relevance), where=relevance > 0.0)


def _before(so_far: Array, *, first: float) -> Array:
    """A running total shifted by one rank, so that each rank has the total of the ranks above."""
    out = np.empty_like(so_far)
    out[..., :1] = first
    out[..., 1:] = so_far[..., :-1]
    return out
