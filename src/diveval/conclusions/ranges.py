"""Metrics with parameter ranges in their text, `RBU(p=0.6..0.99,e=0..0.1)@20`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from diveval.errors import UsageError, quote
from diveval.exact.polynomials import Term
from diveval.metrics.exact_forms import require_exact
from diveval.metrics.formulas import Formula, Sum
from diveval.metrics.metric import Entry, Metric, parameter_name
from diveval.metrics.names import MetricLike, as_metric, parse
from diveval.metrics.numbers import exactly

Setting = dict[str, Fraction]
_RANGE = re.compile(r"(?P<before>=\s*)(?P<low>[^,()=]*?)\.\.(?P<high>[^,()=]*)")
# (1 − α)^c is one monomial in β = 1 − α, but a sum of c + 1 alternating monomials in α.
BETA = "beta"
HIGHEST = 1e15


@dataclass(frozen=True)
class RangedMetric:
    """A metric some of whose parameters vary between two exact ends; without ranges, one setting."""

    name: str
    metric: Metric  # at its reference setting
    ranges: Mapping[str, tuple[Fraction, Fraction]]
    fixed: Mapping[str, Any]
    unscaled: bool = False  # without the factor 1 − p of RBP

    @property
    def reference(self) -> Setting:
        """The setting that orders the systems and is tested over topics."""
        return {} if self.entry is None else _reference(self.entry, self.ranges)

    @property
    def entry(self) -> Entry | None:
        return self.metric.entry

    def at(self, setting: Mapping[str, Fraction]) -> Metric:
        """The metric at one setting, in doubles, as `evaluate` scores it."""
        if self.entry is None or not self.ranges:
            return self.metric
        values = {**self.fixed, **{name: _plain(self.entry, name, value) for name, value in setting.items()}}
        return self.entry.metric(values, self.metric.cutoff)

    def formula(self, setting: Mapping[str, Fraction]) -> Formula:
        """The formula with these parameters set exactly and the other ranged ones as symbols."""
        if self.entry is None:
            return require_exact(self.metric)
        values: dict[str, Any] = {name: _exact(value) for name, value in self.fixed.items()}
        for name in self.ranges:
            values[name] = setting[name] if name in setting else _symbol(name)
        formula: Any = self.entry.build(**values).at(self.metric.cutoff).algebraic
        if self.unscaled:
            formula = replace(formula, discount=replace(formula.discount, scaled=False))
        return formula  # type: ignore[no-any-return]

    def sum_at(self, setting: Mapping[str, Fraction]) -> Sum:
        """The formula of a metric that is known to be a sum over ranks."""
        total = self.formula(setting).as_sum
        assert total is not None
        return total

    @property
    def box(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The ranges of the symbols in the formula."""
        out = {}
        for name, (low, high) in self.ranges.items():
            if name == "alpha":
                out[BETA] = (1 - high, 1 - low)
            else:
                out[name] = (low, high)
        return out


def _reference(entry: Entry, ranges: Mapping[str, tuple[Fraction, Fraction]]) -> Setting:
    """What each ranged parameter is without a value in the name; the middle of a range that does not contain that."""
    usual = {p.name: p.default for p in entry.parameters}
    inside = {name: low <= exactly(usual[name]) <= high for name, (low, high) in ranges.items()}
    return {name: exactly(usual[name]) if inside[name] else (low + high) / 2 for name, (low, high) in ranges.items()}


def _symbol(name: str) -> Term:
    return Term.of(1) - Term.symbol(BETA) if name == "alpha" else Term.symbol(name)


def setting_of(point: Mapping[str, Fraction]) -> Setting:
    """A point of the box in the metric's own parameters."""
    return {("alpha" if name == BETA else name): (1 - x if name == BETA else x) for name, x in point.items()}


def point_of(setting: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """A setting of the metric's own parameters as a point of the box."""
    return {(BETA if name == "alpha" else name): (1 - x if name == "alpha" else x) for name, x in setting.items()}


def _exact(value: Any) -> Any:
    return exactly(value) if isinstance(value, (int, float, Fraction)) and not isinstance(value, bool) else value


def _plain(entry: Entry, name: str, value: Fraction) -> float | int:
    default = next(p.default for p in entry.parameters if p.name == name)
    return int(value) if isinstance(default, int) and value.denominator == 1 else float(value)


def as_ranged(item: MetricLike | RangedMetric) -> RangedMetric:
    """A metric from its text, with or without ranges, or from anything else that is a metric."""
    if isinstance(item, RangedMetric):
        return item
    if not isinstance(item, str) or ".." not in item:
        metric = as_metric(item)
        return _check(RangedMetric(metric.name, metric, {}, dict(metric.values)))
    low, _ = (parse(_RANGE.sub(rf"\g<before>\g<{end}>", item)) for end in ("low", "high"))
    entry = low.entry
    assert entry is not None
    varied = dict(_parse_ranges(item, entry))
    for name, (least, most) in varied.items():
        if least > most:
            raise UsageError("reversed-range", f"{entry.name}: the range of {name} ends below its start: {quote(item)}")
    ranges = {name: ends for name, ends in varied.items() if ends[0] < ends[1]}
    fixed = {name: value for name, value in low.values.items() if name not in ranges}
    reference = {name: _plain(entry, name, value) for name, value in _reference(entry, ranges).items()}
    name = _text(low.name, ranges)
    return _check(RangedMetric(name, entry.metric({**fixed, **reference}, low.cutoff), ranges, fixed))


def _parse_ranges(text: str, entry: Entry) -> list[tuple[str, tuple[Fraction, Fraction]]]:
    """Each ranged parameter with its ends as the rationals that were written."""
    out = []
    for piece in text[text.find("(") + 1 : text.rfind(")")].split(","):
        name, _, value = piece.partition("=")
        if ".." not in value:
            continue
        by_name = {p.name: p for p in entry.parameters}
        plain = parameter_name(name)
        if by_name[plain].choices or plain == "coverage":
            raise UsageError(
                "range-not-taken", f"{entry.name}: {plain} cannot vary over a range", hint="give one value"
            )
        low, high = value.split("..", 1)
        out.append((plain, (Fraction(low.strip()), Fraction(high.strip()))))
    return out


def _text(name: str, ranges: Mapping[str, tuple[Fraction, Fraction]]) -> str:
    """The canonical text of the lower end with the ranges in the place of its values."""
    for parameter, (low, high) in ranges.items():
        name = re.sub(rf"(?<=[(,]){parameter}=[^,()]*", f"{parameter}={decimal(low)}..{decimal(high)}", name)
    return name


def _check(metric: RangedMetric) -> RangedMetric:
    entry = metric.entry
    require_exact(metric.metric)
    if entry is not None and "." in entry.name and metric.ranges:
        raise UsageError(
            "range-not-taken",
            f"{metric.name}: the parameters of another tool's metric cannot vary over a range",
            hint="give one value, or diveval's own metric",
        )
    ends = {**metric.fixed, **{name: most for name, (_, most) in metric.ranges.items()}}
    for name, value in ends.items():
        if not isinstance(value, str) and value > HIGHEST:  # products of such numbers are beyond doubles
            raise UsageError(
                "out-of-range",
                f"{metric.name}: conclusions are drawn for {name} up to {HIGHEST:g}, got {float(value):g}",
            )
    return metric


def decimal(value: Fraction) -> str:
    """An exact decimal if there is a short one, otherwise the fraction."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    digits = max(twos, fives)
    if rest != 1 or digits > 64:  # enough for every double between 2^-11 and 1
        return str(value)
    scaled = str(abs(value.numerator) * 10**digits // value.denominator).rjust(digits + 1, "0")
    text = f"{scaled[: len(scaled) - digits]}.{scaled[len(scaled) - digits :]}" if digits else scaled
    return ("-" if value < 0 else "") + text
