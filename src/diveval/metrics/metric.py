"""A metric: its canonical name, its formula, and the rules that its name implies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np

from diveval.errors import UsageError, quote
from diveval.metrics.algebra import Array
from diveval.metrics.batch import Batch
from diveval.metrics.formulas import Formula
from diveval.metrics.numbers import Number
from diveval.metrics.ranking import Ranking, Rows
from diveval.setting_table import MissingTopics
from diveval.settings import OrderRule, RelevanceRule

# Which topics enter a mean: every judged one (the tools' -c); those with a relevant document; or only those that the
# run has too, for tools that have no other rule.
MeanOver = Literal["judged", "judged-relevant", "both"]
# Which values of a metric are better; "none" for counts and lengths.
Best = Literal["high", "low", "none"]
EXAMPLE_CUTOFF = 20
GREEK = {"α": "alpha", "β": "beta", "λ": "lam", "γ": "gamma", "θ": "theta", "#": "sharp"}
_PARAMETERS = {**GREEK, "lambda": "lam"}  # `lambda` is a keyword of Python


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
    listed: bool = False  # numbers separated by ;, optionally each with a key before a colon, kept as written
    size: int = 0  # how many numbers a list has; 0: any number of them
    whole: bool = False

    @property
    def range(self) -> str:
        """The range in mathematical notation."""
        if self.choices:
            return "{" + ", ".join(self.choices) + "}"
        return "numbers separated by ;" if self.listed else self._interval

    @property
    def _interval(self) -> str:
        left = "(" if self.open_low or self.low == -np.inf else "["
        right = ")" if self.open_high or self.high == np.inf else "]"
        low = "−∞" if self.low == -np.inf else f"{self.low:g}"
        high = "∞" if self.high == np.inf else f"{self.high:g}"
        return f"{left}{low}, {high}{right}"

    def parse(self, text: str, metric: str) -> Any:
        """The value of a parameter from its text, checked."""
        if self.choices:
            if text not in self.choices:
                raise UsageError(
                    "invalid-choice", f"{metric}: {self.name} is one of {', '.join(self.choices)}, got {quote(text)}"
                )
            return text
        if self.listed:
            return self._check_list(text, metric)
        try:
            exact = Fraction(text) if "/" in text else None  # 1/3 is kept exactly
            value = float(text if exact is None else exact)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise UsageError(
                "not-a-number", f"{metric}: {self.name} is a number in {self.range}, got {quote(text)}"
            ) from None
        inside = (self.low < value or (value == self.low and not self.open_low)) and (
            value < self.high or (value == self.high and not self.open_high)
        )
        if not inside or not np.isfinite(value):
            raise UsageError("out-of-range", f"{metric}: {self.name} must be in {self.range}, got {quote(text)}")
        if self.whole and not value.is_integer():
            raise UsageError("not-a-number", f"{metric}: {self.name} is a whole number, got {quote(text)}")
        if exact is not None and exact.denominator > 1:
            return exact
        return int(value) if isinstance(self.default, int) and _is_short(value) else value

    def _check_list(self, text: str, metric: str) -> str:
        """A list of numbers as written, each with a key if the default is a word."""
        if text == self.default:
            return text
        with_keys = self.default.isalpha()
        pieces = [piece.rpartition(":") for piece in text.split(";")]
        try:
            numbers = [float(part) for key, colon, value in pieces for part in ((key, value) if colon else (value,))]
        except ValueError:
            numbers = [np.nan]
        keyed = {colon for _, colon, _ in pieces}
        if not np.isfinite(numbers).all() or len(keyed) > 1 or (":" in keyed) != with_keys:
            form = "key:number;…" if with_keys else "number;…"
            raise UsageError("not-a-number", f"{metric}: {self.name} is written {form}, got {quote(text)}")
        keys = [float(key) for key, _, _ in pieces if key]
        if self.size not in (0, len(pieces)):
            raise UsageError("wrong-shape", f"{metric}: {self.name} has {self.size} numbers, got {quote(text)}")
        if len(set(keys)) < len(keys):
            raise UsageError("duplicate-parameter", f"{metric}: {self.name} has a key twice, got {quote(text)}")
        if not all(self.low <= number <= self.high for number in numbers):
            raise UsageError("out-of-range", f"{metric}: {self.name}: each is in {self._interval}, got {quote(text)}")
        return text


def choice(name: str, meaning: str, *choices: str, in_name: bool = False) -> Parameter:
    """A parameter that is one of several words, the first by default."""
    return Parameter(name, choices[0], meaning, choices=choices, in_name=in_name)


def _write(value: object) -> str:
    """A parameter as people write it: 0, not 0.0."""
    return str(int(value) if isinstance(value, float) and _is_short(value) else value)


def _is_short(value: float) -> bool:  # without an exponent
    return value.is_integer() and abs(value) < 1e15


@dataclass(frozen=True, repr=False)
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
    variant: str = ""  # printed after the label where papers give one label to several metrics: TREC, graded
    best: Best = "high"
    needs_groups: bool = False  # sees the groups of documents
    preset: tuple[tuple[str, Any], ...] = ()  # values instead of the defaults
    ignored: tuple[str, ...] = ()  # parameters that it takes, as its tool does, and that change nothing
    unnormalised: bool = False  # its values may exceed 1 although other tools print a share under its name

    def __call__(self, **parameters: float | str) -> Entry:
        """The same entry with these parameters set; `@` then gives the metric: `ndeval.alpha_nDCG(alpha=0.3) @ 20`."""
        return replace(self, preset=tuple({**dict(self.preset), **_read_parameters(parameters, self)}.items()))

    def __matmul__(self, cutoff: int) -> Metric:
        return self.metric({}, read_cutoff(str(cutoff), self))

    def __repr__(self) -> str:
        full = {p.name: p.default for p in self.parameters} | dict(self.preset)
        return self.text(full, None) + f"{self.cutoff_mark}k"

    def metric(self, values: Mapping[str, Any], cutoff: int | None) -> Metric:
        """The metric with these parameter values; missing parameters take their defaults."""
        given = {**dict(self.preset), **values}
        full = {p.name: given.get(p.name, p.default) for p in self.parameters}
        formula = self.build(**full).at(cutoff)
        order = self.order(**full) if callable(self.order) else self.order
        return Metric(self.text(full, cutoff), formula, self.rule, order, self.mean_over, self, full)

    @property
    def example(self) -> str:
        """The canonical text with every parameter at its default, and a usual cutoff where there is one."""
        return self.metric({}, EXAMPLE_CUTOFF if self.cutoffs else None).name

    @property
    def has_exact(self) -> bool:
        """Whether it is a formula of relevance, which axioms and conclusions take."""
        return self.metric({}, EXAMPLE_CUTOFF if self.cutoffs else None).formula.has_exact

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
            f"{p.name}={_write(values[p.name])}" for p in self.parameters if p.in_name or values[p.name] != p.default
        ]
        setting = f"({','.join(settings)})" if settings else ""
        depth = "" if cutoff is None else f"{self.cutoff_mark}{cutoff}"
        return self.name + (setting + depth if self.cutoff_mark == "@" else depth + setting)


@dataclass(frozen=True, repr=False)
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

    @property
    def is_of_another_tool(self) -> bool:
        """Metrics of other tools have the tool's name as a prefix: ndeval.ERR_IA."""
        return self.entry is not None and "." in self.entry.name

    def rule_for_missing(self, asked: MissingTopics) -> Literal["worst", "zero", "skip", "tool"]:
        """How a topic without a list counts; only our own metrics score a list of non-relevant documents for it."""
        if asked != "worst":
            return asked
        return "skip" if self.mean_over == "both" else "tool" if self.is_of_another_tool else "worst"

    @property
    def numbers(self) -> dict[str, float]:
        """The numeric parameters that it depends on."""
        ignored = () if self.entry is None else self.entry.ignored
        return {
            name: float(value)
            for name, value in self.values.items()
            if isinstance(value, int | float | Fraction) and not isinstance(value, bool) and name not in ignored
        }

    def score(self, batch: Batch) -> Array:
        """The value for each row of a block of topics."""
        return self.formula.score(batch)

    def exact(self, ranking: Ranking) -> Number:
        """The value of one ranking, in its own numbers."""
        return self.formula.exact(ranking)

    def __matmul__(self, cutoff: int) -> Metric:
        """The metric at a cutoff: `RBU(p=0.9) @ 20`."""
        entry = self._require_entry("has no cutoff to set")
        return entry.metric(self.values, read_cutoff(str(cutoff), entry))

    def _require_entry(self, what: str) -> Entry:
        if self.entry is None:
            raise UsageError("unknown-parameter", f"{self.name} is not a metric of the catalogue and {what}")
        return self.entry

    @overload
    def __call__(
        self, relevance: Rows, *, weights: Sequence[Number] | Array | None = None, pool: Rows | None = None
    ) -> float: ...
    @overload
    def __call__(self, **parameters: float | str) -> Metric: ...

    def __call__(  # type: ignore[misc]  # no metric has a parameter called relevance, weights or pool
        self,
        relevance: Rows | None = None,
        *,
        weights: Sequence[Number] | Array | None = None,
        pool: Rows | None = None,
        **parameters: float | str,
    ) -> float | Metric:
        """Score a small ranking given as rows of relevance, `metric([[1, 0], [0, .5]])`; or set parameters by name.

        `RBU(p=0.9)` is RBU with another p and the same other parameters and cutoff.
        """
        if relevance is None:
            entry = self._require_entry("has no parameters to set")
            return entry.metric({**self.values, **_read_parameters(parameters, entry)}, self.cutoff)
        _require_rows(relevance, "relevance")
        if pool is not None:
            _require_rows(pool, "pool")
        return float(self.exact(Ranking.of(relevance, weights=weights, pool=pool)))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


def _read_parameters(parameters: Mapping[str, float | str], entry: Entry) -> dict[str, Any]:
    """Parameters given by name, checked as in a metric's text."""
    return read_settings([f"{name}={value}" for name, value in parameters.items()], entry.name, entry.parameters)


def parameter_name(text: str) -> str:
    """A parameter's canonical name: λ and lambda are `lam`."""
    return _PARAMETERS.get(text.strip(), text.strip())


def read_settings(
    settings: Iterable[str], metric: str, parameters: Sequence[Parameter], *, cutoff: bool = False
) -> dict[str, Any]:
    """The values of a metric's parameters from `name=value`, checked; `cutoff` may be written among them."""
    by_name = {p.name: p for p in parameters}
    values: dict[str, Any] = {}
    for piece in settings:
        name, equals, value = piece.partition("=")
        name, value = parameter_name(name), value.strip()
        if not equals or not value:
            raise UsageError("metric-syntax", f"{metric}: a parameter is written name=value, got {quote(piece)}")
        if name in values:
            raise UsageError("duplicate-parameter", f"{metric}: {name} is given twice")
        if name in by_name:
            values[name] = by_name[name].parse(value, metric)
        elif cutoff and name == "cutoff":
            values[name] = value
        else:
            takes = f"it takes: {', '.join(by_name) or 'none'}"
            raise UsageError("unknown-parameter", f"{metric} has no parameter {quote(name)}", hint=takes)
    return values


def read_cutoff(text: str | None, entry: Entry) -> int | None:
    """The cutoff of a metric from its text, checked; None without one."""
    if text is None:
        if entry.cutoffs == "needed":
            raise UsageError(
                "cutoff-needed", f"{entry.name} needs a cutoff, for example {entry.name}{entry.cutoff_mark}20"
            )
        return None
    if not entry.cutoffs:
        raise UsageError(
            "cutoff-not-taken",
            f"{entry.name} is defined on the whole list and takes no cutoff, got {quote('@' + text)}",
        )
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < 1:
        raise UsageError("invalid-cutoff", f"{entry.name}: a cutoff is a whole number of at least 1, got {quote(text)}")
    return int(text)


def _require_rows(rows: Any, what: str) -> None:
    """Reject anything but one row per document with a number from 0 to 1 for every aspect."""
    try:
        values = [[float(value) for value in row] for row in rows]
    except (TypeError, ValueError):
        raise UsageError(
            "wrong-type", f"{what} is given as rows of numbers, one row per document, got {quote(rows)}"
        ) from None
    if len({len(row) for row in values}) > 1:
        raise UsageError("wrong-shape", f"every row of {what} has one number per aspect, got {quote(rows)}")
    odd = next((value for row in values for value in row if not 0 <= value <= 1), None)
    if odd is not None:
        raise UsageError("out-of-range", f"{what} lies between 0 and 1, got {odd}")


@dataclass(frozen=True)
class UserFormula(Formula):
    """A user's own metric: a plain function of a ranking."""

    function: Callable[[Ranking], Any] = field(default=lambda ranking: 0.0)
    name: str = "user"

    @property
    def is_function(self) -> bool:
        return True

    def score(self, batch: Batch) -> Array:
        return np.array([self._value(batch.ranking(row)) for row in range(batch.rows)])

    def _value(self, ranking: Ranking) -> float:
        try:
            value = float(self.exact(ranking))
        except Exception as error:
            raise UsageError(
                "metric-failed", f"the metric {self.name} failed: {type(error).__name__}: {error}"
            ) from error
        if not np.isfinite(value):
            raise UsageError(
                "metric-failed", f"the metric {self.name} returned {value}", hint="a metric returns a finite number"
            )
        return value

    def exact(self, ranking: Ranking) -> Number:
        return self.function(ranking)
