"""The parts a metric is composed of: discounts over ranks, novelty of a document, and the relevance that counts.

Each part is defined twice, over whole arrays of doubles and over single numbers of any kind; a property test compares
the two. A part without parameters inherits everything from its base and is not decorated as a dataclass again, since
creating a dataclass takes time at every start.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.metrics.numbers import Number, Numbers, is_zero

if TYPE_CHECKING:
    from diveval.metrics.batch import Batch
    from diveval.metrics.ranking import Ranking

Array = NDArray[np.float64]
OWN = ("diveval.metrics.", "diveval.exact.")  # the modules of parts of which something is known


class Part:
    """A declaration or a part of one: a dataclass some of whose fields are parts too."""

    @property
    def parts(self) -> list[Part]:
        """The part itself and everything it is composed of."""
        inner = (getattr(self, one.name) for one in fields(self))  # type: ignore[arg-type]
        return [self, *(part for value in inner if isinstance(value, Part) for part in value.parts)]

    @property
    def is_function(self) -> bool:
        """Whether this is a function of the user's, of which nothing else is known."""
        return False

    @property
    def has_user_code(self) -> bool:
        """Whether some of its code is not diveval's: a function, or a subclass, which may do anything."""
        return any(part.is_function or not type(part).__module__.startswith(OWN) for part in self.parts)


# --- discounts: how much a rank counts ------------------------------------------------------------------------------


MOST_RANKS = 10**7  # of a discount without a closed form of its sum


@dataclass(frozen=True)
class Discount(Part):
    """A weight for each rank. `at` is the definition; `table` and `total` are its fast forms."""

    @property
    def rate(self) -> Number | None:
        """p where the weights are powers of p, else None."""
        return None

    @property
    def scaled(self) -> bool:
        """Whether the weights have a factor 1 − p that all ranks share."""
        return False

    def at(self, rank: int, numbers: Numbers) -> Number:
        """discount(i), for i = 1, 2, …"""
        raise NotImplementedError

    def along(self, count: int, numbers: Numbers) -> list[Number]:
        """discount(1), …, discount(count)."""
        return [self.at(i + 1, numbers) for i in range(count)]

    def table(self, longest: int) -> Array:
        """discount(i) for i = 0..longest, with 0 at rank 0 so that padding adds nothing."""
        raise NotImplementedError

    def total(self, lengths: NDArray[np.int64]) -> Array:
        """Σ_{i≤n} discount(i) for each length n."""
        longest = int(lengths.max(initial=0))
        if longest > MOST_RANKS:  # of a list that a run lacks: it is as long as the cutoff
            raise UsageError(
                "out-of-range",
                f"the effort of a list of {longest} documents is summed rank by rank, which takes too much memory",
                hint=f"choose a cutoff of at most {MOST_RANKS}",
            )
        sums = np.cumsum(self.table(longest))
        return np.asarray(sums[lengths])


class Log(Discount):
    """1 / log2(i + 1), of DCG and its variants."""

    def at(self, rank: int, numbers: Numbers) -> Number:
        return numbers.inverse_log(rank + 1)

    def table(self, longest: int) -> Array:
        out = np.zeros(longest + 1)
        out[1:] = 1.0 / np.log2(np.arange(2.0, longest + 2))
        return out


class ShiftedLog(Discount):
    """1 / (1 + log2 i) = 1 / log2(2i), of Expected Utility."""

    def at(self, rank: int, numbers: Numbers) -> Number:
        return numbers.inverse_log(2 * rank)

    def table(self, longest: int) -> Array:
        out = np.zeros(longest + 1)
        out[1:] = 1.0 / (1.0 + np.log2(np.arange(1.0, longest + 1)))
        return out


class Reciprocal(Discount):
    """1 / i, of ERR and the Cube Test."""

    def at(self, rank: int, numbers: Numbers) -> Number:
        return numbers.of(1) / numbers.of(rank)

    def table(self, longest: int) -> Array:
        out = np.zeros(longest + 1)
        out[1:] = 1.0 / np.arange(1.0, longest + 1)
        return out


@dataclass(frozen=True)
class Geometric(Discount):
    """p^i, or p^(i−1) with `start=0`: a user goes on with probability p. `scaled` multiplies by 1 − p, as RBP does."""

    p: Number
    start: int = 1
    scaled: bool = False

    @property
    def rate(self) -> Number:
        return self.p

    def at(self, rank: int, numbers: Numbers) -> Number:
        return self.along(rank, numbers)[-1]

    def along(self, count: int, numbers: Numbers) -> list[Number]:
        # Products, not powers: `Fraction ** x` may return a float, and solvers handle products best.
        p = numbers.of(self.p)
        value = numbers.of(1) - p if self.scaled else numbers.of(1)
        for _ in range(self.start):
            value = value * p
        out = []
        for _ in range(count):
            out.append(value)
            value = value * p
        return out

    def table(self, longest: int) -> Array:
        out = np.zeros(longest + 1)
        out[1:] = float(self.p) ** np.arange(float(self.start), longest + self.start)
        return out * (1.0 - float(self.p)) if self.scaled else out

    def total(self, lengths: NDArray[np.int64]) -> Array:
        p = float(self.p)
        if p in (0.0, 1.0):
            return super().total(lengths)
        # −expm1(n·log p) is 1 − p^n without the cancellation near p = 1.
        mass = p**self.start * -np.expm1(lengths * np.log(p))
        return np.asarray(mass if self.scaled else mass / (1.0 - p))


class Flat(Discount):
    """Every rank counts the same: for compositions without a discount."""

    def at(self, rank: int, numbers: Numbers) -> Number:
        return numbers.of(1)

    def table(self, longest: int) -> Array:
        out = np.ones(longest + 1)
        out[0] = 0.0
        return out


# --- novelty: what is left to gain from an aspect -------------------------------------------------------------------


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


def running(values: NDArray[Any], by: np.ufunc = np.add) -> Array:
    """Running sums (or products, or maxima) along the last axis, accumulated from left to right as in a loop.

    If the rows are contiguous in memory (see `blocks._grid`), one call per place handles all rows at once; numpy's
    `accumulate` would go row by row with strided access. Both orders give the same bits.
    """
    if values.ndim < 2 or values.shape[-1] < 2 or values.strides[-1] <= values.strides[-2]:
        return np.asarray(by.accumulate(values, axis=-1, dtype=np.int64 if values.dtype == bool else None))
    out: Array = values.astype(np.int64) if values.dtype == bool else values.copy(order="K")
    for i in range(1, values.shape[-1]):
        by(out[..., i - 1], out[..., i], out=out[..., i])
    return out


def look_up(table: Array, places: NDArray[Any]) -> Array:
    """table[places] in the memory layout of `places`. `take` needs a third of the time of indexing, but always returns
    an array in row order, hence the transpositions."""
    if places.ndim < 2 or places.strides[-1] <= places.strides[-2]:
        return np.asarray(table.take(places))
    return np.asarray(table.take(places.swapaxes(-1, -2)).swapaxes(-1, -2))


def _before(so_far: Array, *, first: float) -> Array:
    """A running total shifted by one rank, so that each rank has the total of the ranks above."""
    out = np.empty_like(so_far)
    out[..., :1] = first
    out[..., 1:] = so_far[..., :-1]
    return out


# --- channels: which relevance of a document counts -----------------------------------------------------------------


@dataclass(frozen=True)
class Channels(Part):
    """One or more columns of relevance, each with a weight, which are all that a metric uses of a ranking."""

    @property
    def per_aspect(self) -> bool:
        """Whether each aspect has a column of its own."""
        return False

    @property
    def takes_best(self) -> bool:
        """Whether the one column is the best relevance to any aspect."""
        return False

    @property
    def weighted(self) -> bool:
        """Whether the weights of aspects count."""
        return False

    def columns(self, ranking: Ranking) -> list[tuple[Number, list[Number]]]:
        """The weight of each channel and its column of relevance, from rank 1 on."""
        rows = [self.pick(list(row), ranking) for row in ranking.relevance]
        return [(weight, [row[c] for row in rows]) for c, weight in enumerate(self.weigh(ranking))]

    def pool(self, ranking: Ranking) -> list[list[Number]]:
        """The relevance of each relevant document by channel, one row per document."""
        return [self.pick(list(row), ranking) for row in ranking.pool]

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        """The relevance of one document by channel."""
        raise NotImplementedError

    def weigh(self, ranking: Ranking) -> list[Number]:
        """The weight of each channel."""
        return [ranking.numbers.of(1)]

    def table(self, relevance: Array, weights: Array) -> Array:
        """Relevance by channel from relevance by aspect, (aspect, list, document); `weights` is (aspect, list)."""
        raise NotImplementedError

    def weights(self, batch: Batch) -> Array:
        """The weight of each channel in each topic of a block, as doubles: (channel, topic)."""
        return np.ones((1, batch.weights.shape[1]))


class Overall(Channels):
    """r(i) = max_t r(i,t): the relevance for metrics without aspects."""

    @property
    def takes_best(self) -> bool:
        return True

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        return [ranking.numbers.largest(row)]

    def table(self, relevance: Array, weights: Array) -> Array:
        return np.asarray(relevance.max(axis=0, keepdims=True, initial=0.0))


@dataclass(frozen=True)
class Aspects(Channels):
    """One channel per aspect, with its weight w(t) or with 1."""

    weighted: bool = True

    @property
    def per_aspect(self) -> bool:
        return True

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        return row

    def weigh(self, ranking: Ranking) -> list[Number]:
        return list(ranking.weights) if self.weighted else [ranking.numbers.of(1)] * ranking.aspects

    def table(self, relevance: Array, weights: Array) -> Array:
        return relevance

    def weights(self, batch: Batch) -> Array:
        return batch.weights if self.weighted else np.ones_like(batch.weights)


class GlobalGain(Channels):
    """Σ_t w(t) r(i,t), the global gain of the D-measures."""

    @property
    def weighted(self) -> bool:
        return True

    def pick(self, row: list[Number], ranking: Ranking) -> list[Number]:
        total = ranking.numbers.of(0)
        for weight, r in zip(ranking.weights, row, strict=True):
            total = total + weight * r
        return [total]

    def table(self, relevance: Array, weights: Array) -> Array:
        return weighted_sum(relevance, weights)[np.newaxis]


def weighted_sum(values: Array, weights: Array) -> Array:
    """Σ weight · value over the first axis, in its order.

    The bits do not depend on the rest of the batch; those of a matrix product do. Each weight is one number, or an
    array for the first axes of its value.
    """
    total = np.zeros_like(values[0]) if len(values) else np.zeros(values.shape[1:])
    part = np.empty_like(total)
    for value, weight in zip(values, weights, strict=True):
        np.multiply(value, weight.reshape(weight.shape + (1,) * (value.ndim - weight.ndim)), out=part)
        total += part
    return total
