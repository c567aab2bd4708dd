"""Common parts of other tools' formulas: doubles summed in the tool's own order, and an exact form where there is one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from diveval.errors import UsageError
from diveval.metrics.algebra import Array, Overall, look_up
from diveval.metrics.batch import Batch, once
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking
from diveval.metrics.user_models import Continuation


@dataclass(frozen=True)
class ToolFormula(Formula):
    """A value as another tool computes it in doubles.

    `function` takes a batch, the cutoff (never None if the entry requires one), and the metric's parameters by name.
    `form` takes the cutoff and the parameters, and returns the composition of the algebra that has the same value.
    """

    function: Callable[..., Array]
    values: tuple[tuple[str, Any], ...] = ()
    continuation: Continuation | None = None
    judged: bool = False
    form: Callable[..., Formula] | None = None  # the same values as a formula of ours

    @property
    def has_exact(self) -> bool:
        return self.is_algebraic

    @property
    def sees_judged(self) -> bool:
        return self.judged

    def goes_on(self, gains: Array) -> Array | None:
        if self.continuation is None:
            return None
        values = {name: value for name, value in self.values if name != "quantity"}
        return self.continuation(gains, self.cutoff, **values)

    @property
    def is_algebraic(self) -> bool:
        return self.form is not None

    @property
    def algebraic(self) -> Formula:
        if self.form is None:
            raise UsageError("metric-not-exact", "the metric has no exact form")
        return self.form(self.cutoff, **dict(self.values)).at(self.cutoff)

    def score(self, batch: Batch) -> Array:
        return self.function(batch, self.cutoff, **dict(self.values))

    def exact(self, ranking: Ranking) -> Number:
        return self.algebraic.exact(ranking)


def entries_under(tool: str, reference: str, *shared: Parameter, **common: Any) -> Callable[..., Entry]:
    """A function that creates a tool's entries from name, function, meaning, formula and parameters.

    `shared` are parameters and `common` other fields of all entries, `own` are fields of one entry; `fixed` are
    arguments of the function that users cannot set, `form` is the exact form.
    """

    def entry(
        name: str,
        function: Callable[..., Array],
        meaning: str,
        formula: str,
        *parameters: Parameter,
        fixed: Mapping[str, Any] = MappingProxyType({}),
        continuation: Continuation | None = None,
        form: Callable[..., Formula] | None = None,
        **own: Any,
    ) -> Entry:
        def build(**values: Any) -> ToolFormula:
            return ToolFormula(function, tuple({**fixed, **values}.items()), continuation, form=form)

        takes = (*parameters, *shared)
        return Entry(f"{tool}.{name}", build, meaning, formula, reference, takes, **{**common, **own})

    return entry


def overall(batch: Batch) -> Array:
    """The relevance of each hit for an ad hoc tool: the best over the aspects, (row, hit)."""
    return np.asarray(batch.by_channel(Overall())[0])


def overall_pool(batch: Batch) -> Array:
    """The same for every relevant document of each topic, (topic, document)."""
    return np.asarray(batch.pool_by_channel(Overall())[0])


@once
def at_hits(batch: Batch, at: Callable[[int], float]) -> Array:
    """at(rank) at each hit, at(1) at padding.

    `at` is a plain function, so that it can use the C library's logarithm: numpy's may differ in the last bit.
    """
    return look_up(batch.table(_at_ranks, at, longest=int(batch.lookup.max(initial=0))), batch.lookup)


def log2_of_next(rank: int) -> float:
    """log2(i + 1), the divisor of DCG."""
    return math.log2(rank + 1)


def at_first(batch: Batch, at: Callable[[int], float], count: int) -> Array:
    """at(1), …, at(count)."""
    return batch.table(_at_ranks, at, longest=count)[1 : count + 1]


def _at_ranks(at: Callable[[int], float], longest: int) -> Array:
    return np.array([at(max(rank, 1)) for rank in range(longest + 1)])


def four_digits(values: Array) -> Array:
    """Values as a tool prints them and reads them again, %.4f."""
    different, where = np.unique(values, return_inverse=True)
    return np.array([float(f"{v:.4f}") for v in different])[where].reshape(values.shape)
