"""A metric: its canonical name, its formula, and the rules that its name implies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from diveval.errors import UsageError, shown
from diveval.judgments import RelevanceRule
from diveval.metrics.algebra import Array
from diveval.metrics.batch import Batch
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking, Rows
from diveval.runs import OrderRule

# Which topics enter a mean: every judged one (the tools' -c); those with a relevant document; or only those that the
# run has too, for tools that have no other rule.
MeanOver = Literal["judged", "judged-relevant", "both"]
# Which values of a metric are better; "none" for counts and lengths.
Best = Literal["high", "low", "none"]
EXAMPLE_CUTOFF = 20


@dataclass(frozen=True)
class Parameter:
    """A number (or one of a few words) that a metric takes, with its range and meaning."""

    name: str
    default: Any
    meaning: str
    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False
    open_high: bool = False
    choices: tuple[str, ...] = ()
    in_name: bool = True  # part of the canonical text even at its default

    @property
    def range(self) -> str:
        """The range in mathematical notation."""
        if self.choices:
            return "{" + ", ".join(self.choices) + "}"
        left = "(" if self.open_low or self.low == -np.inf else "["
        right = ")" if self.open_high or self.high == np.inf else "]"
        low = "−∞" if self.low == -np.inf else f"{self.low:g}"
        high = "∞" if self.high == np.inf else f"{self.high:g}"
        return f"{left}{low}, {high}{right}"

    def parse(self, text: str, metric: str) -> Any:
        """The value of a parameter from its text, checked."""
        if self.choices:
            if text not in self.choices:
                raise UsageError(f"{metric}: {self.name} is one of {', '.join(self.choices)}, got {shown(text)}")
            return text
        try:
            exact = Fraction(text) if "/" in text else None  # 1/3 is kept exactly
            value = float(text if exact is None else exact)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise UsageError(f"{metric}: {self.name} is a number in {self.range}, got {shown(text)}") from None
        inside = (self.low < value or (value == self.low and not self.open_low)) and (
            value < self.high or (value == self.high and not self.open_high)
        )
        if not inside or not np.isfinite(value):
            raise UsageError(f"{metric}: {self.name} must be in {self.range}, got {shown(text)}")
        if exact is not None and exact.denominator > 1:
            return exact
        return int(value) if isinstance(self.default, int) and _is_short(value) else value


def choice(name: str, meaning: str, *choices: str, in_name: bool = False) -> Parameter:
    """A parameter that is one of several words, the first by default."""
    return Parameter(name, choices[0], meaning, choices=choices, in_name=in_name)


def _written(value: object) -> str:
    """A parameter as people write it: 0, not 0.0."""
    return str(int(value) if isinstance(value, float) and _is_short(value) else value)


def _is_short(value: float) -> bool:
    """Whether a value is a whole number short enough to be written without an exponent."""
    return value.is_integer() and abs(value) < 1e15


@dataclass(frozen=True)
class Entry:
    """An entry of the catalogue: one metric with free parameters."""

    name: str
    build: Callable[..., Formula]
    meaning: str
    formula: str
    reference: str
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    diversity: bool = True  # uses aspects
    rule: RelevanceRule | None = None
    order: OrderRule | Callable[..., OrderRule] | None = None
    mean_over: MeanOver = "judged"
    cutoffs: bool | Literal["needed"] = True
    cutoff_mark: str = "@"  # trec_eval writes P_10
    label: str = ""  # as papers print it; default: the name with hyphens for underscores
    best: Best = "high"

    def metric(self, values: Mapping[str, Any], cutoff: int | None) -> Metric:
        """The metric with these parameter values; missing parameters take their defaults."""
        full = {p.name: values.get(p.name, p.default) for p in self.parameters}
        formula = self.build(**full).at(cutoff)
        order = self.order(**full) if callable(self.order) else self.order
        return Metric(self.text(full, cutoff), formula, self.rule, order, self.mean_over, self, full)

    @property
    def example(self) -> str:
        """The canonical text with every parameter at its default, and a usual cutoff where there is one."""
        return self.metric({}, EXAMPLE_CUTOFF if self.cutoffs else None).name

    def as_dict(self) -> dict[str, Any]:
        """The row of the catalogue in types of JSON."""
        return {
            "name": self.name,
            "example": self.example,
            "meaning": self.meaning,
            "formula": self.formula,
            "reference": self.reference,
            "aliases": list(self.aliases),
            "aspects": self.diversity,
            "parameters": [
                {"name": p.name, "default": p.default, "range": p.range, "meaning": p.meaning} for p in self.parameters
            ],
        }

    def text(self, values: Mapping[str, Any], cutoff: int | None) -> str:
        """The canonical text of the metric with these parameter values."""
        settings = [
            f"{p.name}={_written(values[p.name])}" for p in self.parameters if p.in_name or values[p.name] != p.default
        ]
        setting = f"({','.join(settings)})" if settings else ""
        depth = "" if cutoff is None else f"{self.cutoff_mark}{cutoff}"
        return self.name + (setting + depth if self.cutoff_mark == "@" else depth + setting)


@dataclass(frozen=True)
class Metric:
    """A metric with all parameters set. `rule` and `order` are another tool's rules under its name, else None."""

    name: str
    formula: Formula
    rule: RelevanceRule | None = None
    order: OrderRule | None = None
    mean_over: MeanOver = "judged"
    entry: Entry | None = field(default=None, compare=False, repr=False)
    values: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def cutoff(self) -> int | None:
        return self.formula.cutoff

    @property
    def best(self) -> Best:
        """Which values are better; for a user's own function, higher ones."""
        return "high" if self.entry is None else self.entry.best

    def score(self, batch: Batch) -> Array:
        """The value for each row of a block of topics."""
        return self.formula.score(batch)

    def exact(self, ranking: Ranking) -> Number:
        """The value of one ranking, in its own numbers."""
        return self.formula.exact(ranking)

    def __call__(
        self,
        relevance: Rows,
        *,
        weights: Sequence[Number] | Array | None = None,
        pool: Rows | None = None,
    ) -> float:
        """Score a small ranking given as rows of relevance: `metric([[1, 0], [0, .5]])`."""
        _require_rows(relevance, "relevance")
        if pool is not None:
            _require_rows(pool, "pool")
        return float(self.exact(Ranking.of(relevance, weights=weights, pool=pool)))

    def __str__(self) -> str:
        return self.name


def _require_rows(rows: Any, what: str) -> None:
    """Reject anything but one row per document with a number from 0 to 1 for every aspect."""
    try:
        values = [[float(value) for value in row] for row in rows]
    except (TypeError, ValueError):
        raise UsageError(f"{what} is given as rows of numbers, one row per document, got {shown(rows)}") from None
    if len({len(row) for row in values}) > 1:
        raise UsageError(f"every row of {what} has one number per aspect, got {shown(rows)}")
    odd = next((value for row in values for value in row if not 0 <= value <= 1), None)
    if odd is not None:
        raise UsageError(f"{what} lies between 0 and 1, got {odd}")


@dataclass(frozen=True)
class UserFormula(Formula):
    """A user's own metric: a plain function of a ranking."""

    function: Callable[[Ranking], Any] = field(default=lambda ranking: 0.0)
    name: str = "user"

    def score(self, batch: Batch) -> Array:
        return np.array([self._value(batch.ranking(row)) for row in range(batch.rows)])

    def _value(self, ranking: Ranking) -> float:
        try:
            value = float(self.exact(ranking))
        except Exception as error:
            raise UsageError(f"the metric {self.name} failed: {type(error).__name__}: {error}") from error
        if not np.isfinite(value):
            raise UsageError(f"the metric {self.name} returned {value}; a metric returns a finite number")
        return value

    def exact(self, ranking: Ranking) -> Number:
        return self.function(ranking)
