"""The metric of a cell: its formula, with free symbols for parameters that were not given, and its cutoff."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from diveval.axioms.specification.shapes import Pair, Row
from diveval.exact.logs import symbol_text
from diveval.exact.paths import NotRepeatable, same
from diveval.exact.polynomials import Condition, Poly, Term
from diveval.exact.symbols import Abstract, Exacts, Symbols
from diveval.metrics.algebra import Part
from diveval.metrics.exact_forms import require_exact
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Metric, Parameter, parameter_name
from diveval.metrics.names import MetricLike, MetricText, as_metric, parse
from diveval.metrics.numbers import Number, exactly, is_zero
from diveval.metrics.ranking import Ranking, grid

# Not free in a row of the table: the Cube Test's limit is 1 and S-RR's coverage is 100 % by definition of the row.
STRUCTURAL = frozenset({"limit", "coverage"})
Cutoff = int | Literal["k"] | None


@dataclass(frozen=True)
class SymbolicMetric:
    """A metric with some parameters free. `formula` holds symbols in their place."""

    name: str
    formula: Formula
    free: tuple[Parameter, ...] = ()
    cutoff: Cutoff = None  # "k" stands for any cutoff
    entry: str = ""  # the catalogue's name for it, if it has one
    source: Any = field(default=None, compare=False, repr=False)  # the metric as the caller gave it

    @property
    def has_user_code(self) -> bool:
        """Whether this is a function, or a formula with a part that is not the algebra's own."""
        return self.formula.has_user_code

    @property
    def sees_aspects(self) -> bool:
        """False for the ad hoc metrics, which see max_t r."""
        return not any(getattr(part, "takes_best", False) for part in self.formula.parts)

    @property
    def defaults(self) -> dict[str, Fraction]:
        return {p.name: exactly(p.default) for p in self.free}

    @property
    def facts(self) -> dict[str, list[Condition]]:
        """The admissible values: the inside of each parameter's range. Its ends are settings of their own."""
        out = {}
        for parameter in self.free:
            symbol = Poly.symbol(parameter.name)
            low, high = parameter.low, parameter.high
            inside = [] if low == float("-inf") else [Condition(Poly.constant(exactly(low)) - symbol, "<")]
            if high != float("inf"):
                inside.append(Condition(symbol - Poly.constant(exactly(high)), "<"))
            out[parameter.name] = inside
        return out

    @property
    def admissible(self) -> list[Condition]:
        """The same as one list."""
        return [fact for facts in self.facts.values() for fact in facts]

    @property
    def box(self) -> str:
        """The admissible values as text: `0 < p < 1, e > 0`."""
        pieces = []
        for p in self.free:
            name = symbol_text(p.name)
            pieces.append(f"{name} > {p.low:g}" if p.high == float("inf") else f"{p.low:g} < {name} < {p.high:g}")
        return ", ".join(pieces)

    def at(self, values: Mapping[str, Fraction]) -> Formula:
        """The formula with its free parameters set."""

        def put(part: Any) -> Any:
            value = part.at(values).num.value if isinstance(part, Term) else None
            return part if value is None else value

        concrete: Formula = _replace_parts(self.formula, put)
        return concrete

    def abstract(self) -> Formula:
        """The formula with any falling convex discount in place of p^i, where p is free."""

        def general(value: Any) -> Any:
            rate = getattr(value, "rate", None)
            return Abstract() if isinstance(rate, Term) and rate.num.value is None else value

        if self.has_user_code:
            return self.formula  # a subclass may use p in ways of its own

        formula: Formula = _replace_parts(self.formula, general)
        return formula

    def visible(self, formula: Formula, pair: Pair) -> Formula:
        """The formula at its cutoff; where k stands for any, no ranking is longer than it."""
        if self.cutoff == "k":
            return formula.at(max(len(pair.better), len(pair.worse), 1))
        return formula


def _replace_parts(value: Any, change: Any) -> Any:
    """A declaration with parts changed, from the leaves up."""
    if is_dataclass(value) and not isinstance(value, type):
        new = {f.name: _replace_parts(getattr(value, f.name), change) for f in fields(value) if f.init}
        changed = {name: v for name, v in new.items() if v is not getattr(value, name)}
        value = replace(value, **changed) if changed else value
    return change(value)


def _may_be_free(parameter: Parameter) -> bool:
    """Whether a symbol can stand for it: it is a number, and no part of the row's definition."""
    return not parameter.choices and not isinstance(parameter.default, str) and parameter.name not in STRUCTURAL


def as_symbolic(item: MetricLike | SymbolicMetric) -> SymbolicMetric:
    """From a row name (`RBU@k`), a name (`RBU`: all parameters free), a setting (`RBU(p=0.8,e=0.05)@20`: those named
    are set), a composition, a function or `file.py:name`."""
    if isinstance(item, SymbolicMetric):
        return item
    if not isinstance(item, str) or re.search(r"\.py:[^:]+$", item):
        metric = as_metric(item)
        entry = metric.entry.name if metric.entry is not None else ""
        source = metric.name if isinstance(item, Metric) and entry else item
        return SymbolicMetric(metric.name, require_exact(metric), (), metric.cutoff, entry, source)
    text = item.strip()
    written = text.removesuffix("@k")
    metric = parse(written)
    row = metric.entry
    assert row is not None
    require_exact(metric)
    named = {parameter_name(setting.partition("=")[0]) for setting in MetricText.of(written).settings}
    free = tuple(p for p in row.parameters if _may_be_free(p) and p.name not in named)
    values = {p.name: Term.symbol(p.name) if p in free else metric.values[p.name] for p in row.parameters}
    formula = row.build(**values).at(metric.cutoff).algebraic
    used = {name for part in formula.parts for name in _symbols_of(part)}  # ndeval reads β and does not use it
    free = tuple(p for p in free if p.name in used)
    return SymbolicMetric(text, formula, free, metric.cutoff if written == text else "k", row.name, text)


def _symbols_of(part: Part) -> set[str]:
    """The symbols in the fields of one part of a formula."""
    values = (getattr(part, one.name) for one in fields(part))  # type: ignore[arg-type]
    return {name for value in values if isinstance(value, Term) for name in (*value.num.symbols, *value.den.symbols)}


# --- scoring a pair -------------------------------------------------------------------------------------------------


class _Nothing:
    """An ideal of 0: whatever is divided by it is 0, as a score is where nothing is worth its effort."""

    def __rtruediv__(self, value: Any) -> Term:
        return Term.of(0)


class _WatchedPool(Ranking):
    """A ranking that records when a metric reads the pool, which holds the relevant documents only."""

    def __getattribute__(self, name: str) -> Any:
        if name not in ("pool", "pool_costs"):
            return object.__getattribute__(self, name)
        own = object.__getattribute__(self, "__dict__")
        own["_looked"].add(name)
        if name == "pool" and "_relevant" not in own:
            # Which documents are relevant may depend on symbols: each answer is a path of its own, once it matters.
            rows = [list(row) for row in own["pool"] if any(r > 0 for r in row)]
            own["_relevant"] = grid(rows, len(own["weights"]))
        return own["_relevant"] if name == "pool" else object.__getattribute__(self, name)


def symbolic_difference(
    formula: Formula, pair: Pair, *, same_ideal: bool = False, looked: set[str] | None = None, extra: Sequence[Row] = ()
) -> Term:
    """Q(better) − Q(worse) on symbols.

    Of the algebra's formulas an ideal is a positive constant, I0, I1, … being one over each; where effort may make
    every document worthless it may be 0. A function gets the documents at hand (and `extra`) as its pool; `looked` is
    where it is noted if it looks at these judgments, beyond the ranking it scores.
    """
    user = formula.has_user_code

    def ideal(of: Any, channel: int) -> Any:
        if _may_be_worthless(of, pair):
            return _Nothing()
        return Term.inverse("I0" if same_ideal else f"I{channel}")

    def score(rows: list[Row]) -> Number:
        pool = [*pair.pool, *extra] if user else []
        normaliser = None if user else ideal
        ranking = Ranking.of(rows, weights=pair.weights, pool=pool, numbers=Symbols(), normaliser=normaliser)
        if user:
            watched = _WatchedPool(ranking.relevance, ranking.weights, ranking.pool, ranking.numbers)
            object.__setattr__(watched, "_looked", set() if looked is None else looked)
            ranking = watched
        return formula.exact(ranking)

    difference: Term = Term.of(score(pair.better)) - Term.of(score(pair.worse))
    return difference


def _may_be_worthless(formula: Formula, pair: Pair) -> bool:
    """Whether no document of the pair is worth its effort, so that the ideal is 0 where nothing else is judged.

    Novelty only falls, so a document that brings no more than its effort at the top never does.
    """
    total = formula.share_of
    if total is None or is_zero(total.effort):
        return False
    ranking = Ranking.of(pair.pool, weights=pair.weights, numbers=Symbols())
    channels = total.over
    weights, effort = channels.weigh(ranking), Symbols().of(total.effort)
    for row in channels.pool(ranking):
        gain = sum((w * r for w, r in zip(weights, row, strict=True)), Term.of(0))
        if gain > effort:
            return False
    return True


def exact_score(
    formula: Formula,
    rows: Sequence[Sequence[Fraction]],
    weights: Sequence[Fraction],
    pool: Sequence[Sequence[Fraction]],
    *,
    twice: bool = True,
) -> Number:
    """The score of a concrete ranking with its real ideal: the second opinion, in plain fractions.

    Code that is not diveval's is run twice, since it may keep a state; a function gets terms, so that one that
    multiplies by 0.9 stays exact.
    """
    numbers = Symbols() if formula.is_function else Exacts()

    def score() -> Number:
        return formula.exact(Ranking.of(rows, weights=weights, pool=pool, numbers=numbers))

    value = score()
    if twice and formula.has_user_code and not same(value, score()):
        raise NotRepeatable
    return value


def float_score(
    formula: Formula,
    rows: Sequence[Sequence[Fraction]],
    weights: Sequence[Fraction],
    pool: Sequence[Sequence[Fraction]],
    *,
    twice: bool = True,
) -> float:
    """The same in doubles, also run twice: a hundred times as fast for a function."""

    def floats(given: Sequence[Sequence[Fraction]]) -> list[list[float]]:
        return [[float(r) for r in row] for row in given]

    in_floats, (shares,), judged = floats(rows), floats([weights]), floats(pool)

    def score() -> float:
        return float(formula.exact(Ranking.of(in_floats, weights=shares, pool=judged)))

    value = score()
    if twice and score() != value and value == value:
        raise NotRepeatable
    return value
