"""Discounts: how much a rank counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.errors import UsageError
from diveval.metrics.algebra.part import Array, Part
from diveval.metrics.numbers import Number, Numbers

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


# --- channels: which relevance of a document counts -----------------------------------------------------------------
