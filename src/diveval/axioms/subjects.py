"""What is being judged: a metric whose parameters are free symbols unless a person set them, and its cutoff."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from diveval.axioms.constraints import Pair, Row
from diveval.axioms.logs import numbered
from diveval.axioms.numbers import Abstract, Exacts, Symbols
from diveval.axioms.polynomials import Condition, Poly, Term
from diveval.metrics.algebra import Channels, Discount, Geometric, Novelty, Overall
from diveval.metrics.columnwise import ColumnFormula, Each
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Metric, Parameter, UserFormula
from diveval.metrics.names import MetricLike, as_metric, parse
from diveval.metrics.numbers import Number, exactly
from diveval.metrics.ranking import Ranking

# Not free in a row of the table: the Cube Test's limit is 1 and S-RR's coverage is 100 % by definition of the row.
STRUCTURAL = frozenset({"limit", "coverage"})
Cutoff = int | Literal["k"] | None


@dataclass(frozen=True)
class Subject:
    """A metric with some parameters free. `formula` holds symbols in their place."""

    name: str
    formula: Formula
    free: tuple[Parameter, ...] = ()
    cutoff: Cutoff = None  # "k" stands for any cutoff
    entry: str = ""  # the catalogue's name for it, if it has one
    source: Any = field(default=None, compare=False, repr=False)  # what the person gave

    @property
    def user(self) -> bool:
        """Whether this is a person's own function."""
        return isinstance(self.formula, UserFormula)

    @property
    def sees_aspects(self) -> bool:
        """False for the ad hoc metrics, which see max_t r."""
        return not any(isinstance(part, Overall) for part in parts(self.formula))

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
    def box(self) -> str:
        """The admissible values as text: `0 < p < 1, e > 0`."""
        pieces = []
        for p in self.free:
            name = {"alpha": "α", "lam": "λ"}.get(p.name, p.name)
            pieces.append(f"{name} > {p.low:g}" if p.high == float("inf") else f"{p.low:g} < {name} < {p.high:g}")
        return ", ".join(pieces)

    def at(self, values: Mapping[str, Fraction]) -> Formula:
        """The formula with its free parameters set."""
        concrete: Formula = _replaced(self.formula, lambda v: _set(v, values) if isinstance(v, Term) else v)
        return concrete

    def abstract(self) -> Formula:
        """The formula with any falling convex discount in place of p^i, where p is free."""

        def general(value: Any) -> Any:
            free = isinstance(value, Geometric) and isinstance(value.p, Term) and value.p.num.value is None
            return Abstract() if free else value

        formula: Formula = _replaced(self.formula, general)
        return formula

    def visible(self, formula: Formula, pair: Pair) -> Formula:
        """The formula at its cutoff; where k stands for any, no ranking is longer than it."""
        if self.cutoff == "k":
            return formula.at(max(len(pair.better), len(pair.worse), 1))
        return formula


def _set(term: Term, values: Mapping[str, Fraction]) -> Any:
    value = term.at(values).num.value
    return value if value is not None else term


def parts(value: Any) -> list[Any]:
    """A declaration and everything it is composed of."""
    out = [value]
    if is_dataclass(value) and not isinstance(value, type):
        for f in fields(value):
            if isinstance(getattr(value, f.name), (Formula, ColumnFormula, Channels, Discount, Novelty)):
                out += parts(getattr(value, f.name))
    return out


def _replaced(value: Any, change: Any) -> Any:
    """A declaration with parts changed, from the leaves up."""
    if is_dataclass(value) and not isinstance(value, type):
        new = {f.name: _replaced(getattr(value, f.name), change) for f in fields(value) if f.init}
        changed = {name: v for name, v in new.items() if v is not getattr(value, name)}
        value = replace(value, **changed) if changed else value
    return change(value)


def subject(item: MetricLike | Subject) -> Subject:
    """From a row name (`RBU@k`), a name (`RBU`: all parameters free), a setting (`RBU(p=0.8,e=0.05)@20`: those named
    are set), a composition, a function or `file.py:name`."""
    if isinstance(item, Subject):
        return item
    if not isinstance(item, str) or re.search(r"\.py:[^:]+$", item):
        metric = as_metric(item)
        entry = metric.entry.name if metric.entry is not None else ""
        return Subject(metric.name, metric.formula, (), metric.cutoff, entry, item)
    text = item.strip()
    any_cutoff = text.endswith("@k")
    metric = parse(text.removesuffix("@k"))
    named = set(re.findall(r"(\w+|α|λ)\s*=", text))
    named = {{"α": "alpha", "λ": "lam"}.get(name, name) for name in named}
    return _with_free_parameters(metric, named, text, "k" if any_cutoff else metric.cutoff)


def _with_free_parameters(metric: Metric, named: set[str], text: str, cutoff: Cutoff) -> Subject:
    entry = metric.entry
    if entry is None:
        return Subject(text, metric.formula, cutoff=cutoff, source=text)
    free = tuple(p for p in entry.parameters if not p.choices and p.name not in named | STRUCTURAL)
    values = {p.name: Term.symbol(p.name) if p in free else metric.values[p.name] for p in entry.parameters}
    formula = entry.build(**values).at(metric.cutoff)
    return Subject(text, formula, free, cutoff, entry.name, text)


# --- scoring a pair -------------------------------------------------------------------------------------------------


def normalised_per_aspect(formula: Formula) -> bool:
    """Whether each aspect is divided by an ideal of its own (AP-IA, nDCG-IA)."""
    return any(isinstance(part, Each) and _has_ideal(part) for part in parts(formula))


def _has_ideal(formula: Each) -> bool:
    return formula.base.best([], Exacts(), None) is not None


def symbolic_difference(formula: Formula, pair: Pair, *, same_ideal: bool = False) -> Term:
    """Q(better) − Q(worse) on symbols, the ideals as positive constants: I0, I1, … is one over each."""

    def ideal(_: Any, channel: int) -> Term:
        return Term.inverse("I0" if same_ideal else f"I{channel}")

    def score(rows: list[Row]) -> Number:
        ranking = Ranking.of(rows, weights=pair.weights, pool=[], numbers=Symbols(), normaliser=ideal)
        return formula.exact(ranking)

    difference: Term = Term.of(score(pair.better)) - Term.of(score(pair.worse))
    return difference


def is_ideal(name: str) -> bool:
    """True for the symbols I0, I1, …"""
    return numbered("I", name)


def exact_score(
    formula: Formula,
    rows: Sequence[Sequence[Fraction]],
    weights: Sequence[Fraction],
    pool: Sequence[Sequence[Fraction]],
) -> Number:
    """The score of a concrete ranking with its real ideal: the second opinion, in plain fractions."""
    numbers = Exacts(guarded=isinstance(formula, UserFormula))
    return formula.exact(Ranking.of(rows, weights=weights, pool=pool, numbers=numbers))
