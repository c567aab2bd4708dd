"""What the other tools' formulas have in common: doubles summed in the tool's own order, and no exact form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from diveval.errors import UsageError
from diveval.metrics.algebra import Array, Overall, looked_up
from diveval.metrics.batch import Batch, once
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Entry, Parameter
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking


@dataclass(frozen=True)
class ToolFormula(Formula):
    """A number as another tool prints it. It depends on that tool's doubles, so there is nothing exact about it.

    `function` takes a batch, the cutoff (a number where the entry says that one is needed), and the metric's parameters
    by name.
    """

    function: Callable[..., Array]
    values: tuple[tuple[str, Any], ...] = ()

    def score(self, batch: Batch) -> Array:
        return self.function(batch, self.cutoff, **dict(self.values))

    def exact(self, ranking: Ranking) -> Number:
        raise UsageError(
            "a metric under another tool's name has no exact form; for proofs and small rankings use diveval's own"
        )


def entries_under(tool: str, reference: str, *shared: Parameter, **common: Any) -> Callable[..., Entry]:
    """What makes a row of a tool's catalogue from its name there, function, meaning and formula, and its parameters.

    `shared` are parameters and `common` other fields of all rows, `own` are fields of one row; `fixed` are arguments of
    the function that nobody chooses.
    """

    def entry(
        name: str,
        function: Callable[..., Array],
        meaning: str,
        formula: str,
        *parameters: Parameter,
        fixed: Mapping[str, Any] = MappingProxyType({}),
        **own: Any,
    ) -> Entry:
        def build(**values: Any) -> ToolFormula:
            return ToolFormula(function, tuple({**fixed, **values}.items()))

        takes = (*parameters, *shared)
        return Entry(f"{tool}.{name}", build, meaning, formula, reference, takes, **{**common, **own})

    return entry


def overall(batch: Batch) -> Array:
    """What an ad hoc tool sees of each hit: the best over the aspects, (row, hit)."""
    return np.asarray(batch.seen_by(Overall())[0])


def overall_pool(batch: Batch) -> Array:
    """The same for every relevant document of each topic, (topic, document)."""
    return np.asarray(batch.pool_seen_by(Overall())[0])


@once
def at_hits(batch: Batch, at: Callable[[int], float]) -> Array:
    """at(rank) at each hit, at(1) at padding. The C library's logarithm, since numpy's may differ in the last bit."""
    return looked_up(batch.table(_at_ranks, at, longest=int(batch.lookup.max(initial=0))), batch.lookup)


def at_first(batch: Batch, at: Callable[[int], float], count: int) -> Array:
    """at(1), …, at(count)."""
    return batch.table(_at_ranks, at, longest=count)[1 : count + 1]


def _at_ranks(at: Callable[[int], float], longest: int) -> Array:
    return np.array([at(max(rank, 1)) for rank in range(longest + 1)])
