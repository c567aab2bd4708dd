"""A table of the paper measured anew: columns of results over seeds, and the paper's values beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

from diveval.experiments.printed import printed
from diveval.meta.unanimity import Unanimity
from diveval.meta.variants import family, label
from diveval.stats.results import Result


@dataclass(frozen=True)
class Measured:
    """MU of some variants: the least and greatest of their means over seeds, and how sure that is.

    `low` and `high` enclose the variants' bootstrap intervals over topics (ends averaged over seeds); `least` and
    `most` are the extremes over variants and seeds. All None where MU is undefined for a variant under a seed.
    """

    metrics: tuple[str, ...]
    mu_low: float | None
    mu_high: float | None
    low: float | None
    high: float | None
    least: float | None
    most: float | None

    @property
    def label(self) -> str:
        """The variants the way the paper writes them, families side by side."""
        names = dict.fromkeys(family(metric) for metric in self.metrics)
        return ", ".join(label([metric for metric in self.metrics if family(metric) == name]) for name in names)


@dataclass(frozen=True)
class TableColumn:
    """One column of a table: an experiment on a collection, one result per seed (one in all if it draws nothing)."""

    table: str
    key: str
    title: str
    collection: str
    results: tuple[Unanimity, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(row.metric for row in self.results[0].rows)

    def values(self, metric: str) -> tuple[float | None, ...]:
        """MU of one metric, by seed."""
        return tuple(result[metric].mu for result in self.results)

    def measured(self, metrics: Iterable[str]) -> Measured:
        """MU of these variants over the seeds."""
        names = tuple(metrics)
        rows = {name: [result[name] for result in self.results] for name in names}
        means, lows, highs = (
            [_over(fmean, (getattr(row, what) for row in rows[name])) for name in names]
            for what in ("mu", "low", "high")
        )
        values = [row.mu for name in names for row in rows[name]]
        return Measured(
            names,
            _over(min, means),
            _over(max, means),
            _over(min, lows),
            _over(max, highs),
            _over(min, values),
            _over(max, values),
        )

    def best(self) -> list[Measured]:
        """Of each family the variants with the highest MU, as the paper's tables show them."""
        first: dict[str, Measured] = {}
        for group in grouped([self]):
            first.setdefault(family(group[0]), self.measured(group))
        return list(first.values())


@dataclass(frozen=True)
class Reproduction(Result):
    """A table of the paper: its columns on one collection after the other, and what should be known about them."""

    table: str
    columns_measured: tuple[TableColumn, ...]
    seeds: tuple[int, ...]
    notes: tuple[str, ...]
    all_variants: bool = False

    reference: ClassVar[str] = Unanimity.reference
    columns: ClassVar[tuple[str, ...]] = (
        "collection",
        "column",
        "rows",
        "variants",
        "paper_low",
        "paper_high",
        "mu_low",
        "mu_high",
        "low",
        "high",
        "least",
        "most",
        "seeds",
    )

    def records(self) -> list[dict[str, Any]]:
        """Rows `printed`: the paper's rows with our values; `best`: our best variants of each family; `all`: all."""
        return [record for column in self.columns_measured for record in self._records(column)]

    def _records(self, column: TableColumn) -> list[dict[str, Any]]:
        rows = [
            _record(column, "printed", column.measured(row.metrics), (row.low, row.high))
            for row in printed(column.table, column.key)
        ]
        rows += [_record(column, "best", measured, (None, None)) for measured in column.best()]
        if self.all_variants:
            rows += [_record(column, "all", column.measured(group), (None, None)) for group in grouped([column])]
        return rows

    def as_dict(self) -> dict[str, Any]:
        """Everything, in types JSON knows."""
        return {
            "table": self.table,
            "seeds": list(self.seeds),
            "notes": list(self.notes),
            "rows": self.records(),
            "reference": self.reference,
        }


def grouped(columns: Sequence[TableColumn]) -> list[tuple[str, ...]]:
    """Variants of one family that none of the columns tells apart under any seed; highest in the first one first."""
    members: dict[tuple[Any, ...], list[str]] = {}
    for metric in columns[0].metrics:
        key = (family(metric), *(column.values(metric) for column in columns))
        members.setdefault(key, []).append(metric)
    groups = [tuple(group) for group in members.values()]
    mean = {group: _over(fmean, columns[0].values(group[0])) for group in groups}
    return sorted(groups, key=lambda group: (-_or_least(mean[group]), label(group)))


def _record(
    column: TableColumn, rows: str, measured: Measured, paper: tuple[float | None, float | None]
) -> dict[str, Any]:
    return {
        "collection": column.collection,
        "column": column.key,
        "rows": rows,
        "variants": measured.label,
        "metrics": list(measured.metrics),
        "paper_low": paper[0],
        "paper_high": paper[1],
        "mu_low": measured.mu_low,
        "mu_high": measured.mu_high,
        "low": measured.low,
        "high": measured.high,
        "least": measured.least,
        "most": measured.most,
        "seeds": len(column.results),
    }


def _over(combine: Callable[[list[float]], float], values: Iterable[float | None]) -> float | None:
    """The mean, least or greatest of values, where all exist."""
    listed = list(values)
    known = [value for value in listed if value is not None]
    return combine(known) if len(known) == len(listed) else None


def _or_least(value: float | None) -> float:
    return -math.inf if value is None else value
