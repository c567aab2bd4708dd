"""The formulas of metrics: the sum over ranks that most metrics are, its normalised form, and its mean over prefixes.

Every formula defines its value twice: `score` for all rows of a block in doubles, `exact` for one ranking in any kind
of number. Ranks run to min(n, k). A formula without parameters is not decorated as a dataclass again, as in the
algebra.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import mul
from typing import Literal

import numpy as np

from diveval.errors import UsageError, quote, warn
from diveval.metrics.algebra import Always, Array, Aspects, Channels, Discount, Log, Novelty, Part, running
from diveval.metrics.batch import Batch, Shared, divide, once, once_for_pool, share, source_of
from diveval.metrics.ideal import Greedy, greedy_generic
from diveval.metrics.numbers import Number, is_zero
from diveval.metrics.optimum import STEPS, optimum, optimum_generic
from diveval.metrics.ranking import Ranking
from diveval.metrics.user_models import stays


@dataclass(frozen=True)
class Formula(Part):
    """A metric's formula; `cutoff` is k, None for the whole list.

    What other code needs to know of a formula is a property here, which the formulas of which it is true override: code
    outside this package does not ask for their classes.
    """

    cutoff: int | None = field(default=None, kw_only=True)

    @property
    def algebraic(self) -> Formula:
        """A composition of the algebra with the same values: the formula itself, unless another tool's rules compute it."""
        return self

    @property
    def is_algebraic(self) -> bool:
        """Whether there is such a composition."""
        return True

    @property
    def as_sum(self) -> Sum | None:
        """The formula itself if it is a sum over ranks, of gain less effort."""
        return None

    @property
    def share_of(self) -> Sum | None:
        """The sum over ranks of whose best attainable value this is the share."""
        return None

    @property
    def has_exact(self) -> bool:
        """Whether it is defined on a single ranking, in any kind of number."""
        return True

    @property
    def sees_judged(self) -> bool:
        """Whether it depends on which documents are judged, and not on relevance alone."""
        return False

    @property
    def ideal(self) -> str:
        """How that best value is computed."""
        return ""

    @property
    def sees_weights(self) -> bool:
        """Whether the score depends on the weights of aspects."""
        return True

    @property
    def linear_in_weights(self) -> bool:
        """Whether the score is a mean over aspects by their weights."""
        return False

    @property
    def normalised_per_aspect(self) -> bool:
        """Whether each aspect is divided by an ideal of its own."""
        return False

    def score(self, batch: Batch) -> Array:
        """The value for each row of a block of topics."""
        raise NotImplementedError

    def exact(self, ranking: Ranking) -> Number:
        """The value of one ranking, in the ranking's own numbers."""
        raise NotImplementedError

    def goes_on(self, gains: Array) -> Array | None:
        """c(i), the probability that the metric's user goes on from rank i, for gains of one aspect, (…, rank).

        The metric is then a sum of gains, each times the probability of reaching its rank, up to a factor that does not
        depend on the order. None if the metric is no such sum.
        """
        return None

    def attainable(self, ranking: Ranking, channel: int = 0) -> Number | None:
        """The best value that a normalised formula divides a channel by, from the documents of the pool; None where no
        document is worth its effort."""
        raise NotImplementedError

    def at(self, cutoff: int | None) -> Formula:
        """The same formula with another cutoff."""
        return replace(self, cutoff=cutoff)

    def visible(self, ranking: Ranking) -> int:
        return len(ranking) if self.cutoff is None else min(len(ranking), self.cutoff)


# --- the sum over ranks -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sum(Formula):
    """Σ_i discount(i) · ( Σ_c weight(c) · r(i,c) · novelty(i,c) − e ), with the effort e."""

    over: Channels = field(default_factory=Aspects)
    discount: Discount = field(default_factory=Log)
    novelty: Novelty = field(default_factory=Always)
    effort: Number = 0

    @property
    def as_sum(self) -> Sum:
        return self

    @property
    def sees_weights(self) -> bool:
        return self.over.weighted

    @property
    def linear_in_weights(self) -> bool:
        return self.over.per_aspect and self.over.weighted

    def score(self, batch: Batch) -> Array:
        gained = batch.at_cutoff(_sum_gains(batch, self._gaining), self.cutoff)
        if is_zero(self.effort):
            return gained
        with np.errstate(over="ignore"):  # a value that is not finite is refused by its metric's name
            return np.asarray(gained - float(self.effort) * _sum_effort(batch, self._costing))

    def goes_on(self, gains: Array) -> Array | None:
        """c(i) = discount(i+1)/discount(i), times what the relevance at rank i leaves of the novelty."""
        left, longest = self.novelty.decay_of(gains), gains.shape[-1]
        if left is None:
            return None
        table = self.discount.table(longest + 1)
        ratio = divide(table[2:], table[1:-1])
        return np.asarray(np.where(stays(gains, self.cutoff), ratio * left, 0.0))

    @cached_property
    def _gaining(self) -> Shared:
        return share(self.over, self.discount, self.novelty)

    @cached_property
    def _costing(self) -> Shared:
        return share(self.discount, self.cutoff)

    def terms(self, ranking: Ranking) -> list[Number]:
        """The contribution of each rank, less effort."""
        numbers = ranking.numbers
        channels = [(weight, self.novelty.gain(column, numbers)) for weight, column in self.over.columns(ranking)]
        out = []
        for i, discount in enumerate(self.discount.along(self.visible(ranking), numbers)):
            gain = numbers.of(0)
            for weight, gained in channels:
                gain = gain + weight * gained[i]
            if not is_zero(self.effort):
                cost = numbers.of(1) if ranking.costs is None else ranking.costs[i]
                gain = gain - numbers.of(self.effort) * cost
            out.append(discount * gain)
        return out

    def exact(self, ranking: Ranking) -> Number:
        return sum(self.terms(ranking), ranking.numbers.of(0))


@once
def _sum_gains(batch: Batch, parts: Shared) -> Array:
    over, discount, novelty = parts.parts
    return running(batch.discounts(discount) * batch.gain(over, novelty))


@once
def _sum_effort(batch: Batch, parts: Shared) -> Array:
    discount, cutoff = parts.parts
    return batch.effort(discount, batch.visible(cutoff))


Ideal = Literal["greedy", "exact", "best"]
UNPROVEN = "unproven"  # the key in a batch's tables of formulas and the topics whose best list is not proven


@dataclass(frozen=True)
class Normalised(Formula):
    """A sum divided by the best value of any ordered subset of the topic's relevant documents.

    `ideal` is how that is computed: `greedy` takes at each rank the document that adds most; `exact` proves the
    optimum, or raises an error; `best` proves it if that takes a limited number of steps and is greedy otherwise, with
    a warning that names the topics. If no document is worth its effort the value is 0.
    """

    sum: Sum = field(default_factory=Sum)
    ideal: Ideal = "greedy"

    @property
    def share_of(self) -> Sum:
        return self.sum

    @property
    def sees_weights(self) -> bool:
        return self.sum.sees_weights

    def score(self, batch: Batch) -> Array:
        best = _best_attainable(batch, self)
        return divide(self.sum.at(self.cutoff).score(batch), best[batch.topic])

    def goes_on(self, gains: Array) -> Array | None:
        return self.sum.at(self.cutoff).goes_on(gains)

    def unproven(self, topic: str, documents: int, batch: Batch | None) -> None:
        """Raise an error, or note that the greedy list is used instead of the best one."""
        if self.ideal == "exact":
            where = f"topic {quote(topic)}, with " if topic else ""
            raise UsageError(
                "ideal-not-proven",
                f"ideal=exact: the best order of {where}{documents} relevant documents is not proven within {STEPS}"
                " steps",
                hint="use ideal=greedy, or a smaller cutoff",
            )
        if batch is None or not topic:
            warn(
                "ideal-not-proven",
                f"the best order of {documents} relevant documents is not proven; the greedy one was used",
            )
        else:
            batch.tables.setdefault(UNPROVEN, {}).setdefault(self, []).append(topic)

    def exact(self, ranking: Ranking) -> Number:
        value = self.sum.at(self.cutoff).exact(ranking)
        if ranking.normaliser is not None:
            return value / ranking.normaliser(self, 0)
        best = self.attainable(ranking)
        return ranking.numbers.of(0) if best is None else value / best

    def attainable(self, ranking: Ranking, channel: int = 0) -> Number | None:
        numbers = ranking.numbers
        rows, weights = self.sum.over.pool(ranking), self.sum.over.weigh(ranking)
        costs = ranking.pool_costs if ranking.pool_costs is not None else [numbers.of(1)] * len(rows)
        effort = [numbers.of(self.sum.effort) * cost for cost in costs]
        nets = greedy_generic(rows, weights, self.sum.novelty, effort, numbers, self.cutoff)
        if not nets:
            return None
        if self.ideal != "greedy":
            depth = len(rows) if self.cutoff is None else min(self.cutoff, len(rows))
            discounts = self.sum.discount.along(depth, numbers)
            proven = optimum_generic(rows, weights, self.sum.novelty, effort, discounts, numbers)
            if proven is not None:
                return proven
            self.unproven("", len(rows), None)
        return sum(map(mul, self.sum.discount.along(len(nets), numbers), nets), numbers.of(0))


@once_for_pool
def _best_attainable(batch: Batch, formula: Normalised) -> Array:
    """The best attainable of each topic."""
    over, novelty, effort = formula.sum.over, formula.sum.novelty, formula.sum.effort
    best = _greedy(batch, over, novelty, effort).total(formula.sum.discount, formula.cutoff)
    if formula.ideal == "greedy":
        return best
    discounts = formula.sum.discount.table(batch.pool.shape[2])[1:][: formula.cutoff]
    pool, weights, costs = batch.pool_by_channel(over), over.weights(batch), _pool_effort(effort, batch)
    for t, documents in enumerate(batch.documents):
        proven = optimum(pool[:, t, :documents], weights[:, t], novelty, costs[t, :documents], discounts[:documents])
        if proven is None:
            formula.unproven(batch.topic_name(t), int(documents), batch)
        else:
            best[t] = proven
    return best


@once_for_pool
def _greedy(batch: Batch, over: Channels, novelty: Novelty, effort: Number) -> Greedy:
    return Greedy(batch.pool_by_channel(over), over.weights(batch), novelty, _pool_effort(effort, batch))


def _pool_effort(effort: Number, batch: Batch) -> Array:
    """The effort of each document of the pool, (topic, document); padding is never worth it."""
    costs = np.ones(batch.pool.shape[1:]) if batch.pool_costs is None else batch.pool_costs
    own = np.arange(batch.pool.shape[2]) < batch.documents[:, np.newaxis]
    return np.where(own, costs * float(effort), np.inf)


@dataclass(frozen=True)
class PrefixMean(Formula):
    """The mean of a sum over the prefixes of the ranking, 1..min(n, k): ACT from CT."""

    sum: Sum = field(default_factory=Sum)

    @property
    def sees_weights(self) -> bool:
        return self.sum.sees_weights

    @property
    def linear_in_weights(self) -> bool:
        return self.sum.linear_in_weights

    def score(self, batch: Batch) -> Array:
        # A term at rank i belongs to the prefixes i..m, so it counts (m − i + 1)/m times.
        plain, by_rank = _prefixes(batch, self.sum)
        visible = np.maximum(batch.visible(self.cutoff), 1)
        return np.asarray(batch.at_cutoff(plain, self.cutoff) - batch.at_cutoff(by_rank, self.cutoff) / visible)

    def exact(self, ranking: Ranking) -> Number:
        numbers = ranking.numbers
        terms = replace(self.sum, cutoff=self.cutoff).terms(ranking)
        total, prefix = numbers.of(0), numbers.of(0)
        for term in terms:
            prefix = prefix + term
            total = total + prefix
        return total / numbers.of(max(len(terms), 1))


@once
def _prefixes(batch: Batch, of: Sum) -> tuple[Array, Array]:
    terms = batch.discounts(of.discount) * batch.gain(of.over, of.novelty)
    return running(terms), running(terms * (batch.lookup - 1.0))


# --- the share of judged documents ------------------------------------------------------------------------------------


class Judged(Formula):
    """|{i ≤ k : judged}| / min(n, k); 0 for an empty list."""

    @property
    def has_exact(self) -> bool:
        return False

    @property
    def sees_judged(self) -> bool:
        return True

    def score(self, batch: Batch) -> Array:
        source, visible = source_of(batch), batch.visible(self.cutoff)
        row = source.row_of_hits()
        judged = np.bincount(row[source.ranks <= visible[row]], minlength=batch.rows)
        return np.asarray(judged / np.maximum(visible, 1))

    def exact(self, ranking: Ranking) -> Number:
        raise UsageError(
            "metric-not-exact", "Judged is a property of the judgments, not of relevance", hint="it has no exact form"
        )
