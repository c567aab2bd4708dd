"""Is a metric's score an interval scale over rankings? Decided by equal spacing, or refuted by three rankings.

Ferrante, Ferro and Fuhr ask whether the values that a metric takes on all rankings of k documents are equally spaced. If
they are not, equal differences of the score are not equal steps between rankings, and means and t-tests, which add
differences, are not meaningful in the sense of measurement theory. Moffat answers that a score is a number of its own, the
utility that a ranking has for a user, and that such numbers may be added. Both are shown; only the first is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from functools import cmp_to_key
from itertools import islice, pairwise, product
from math import gcd, lcm
from typing import Any, ClassVar, Literal

from diveval.argument_types import explain_types
from diveval.axioms.proof.subjects import exact_score
from diveval.errors import UsageError
from diveval.exact.logs import bounds
from diveval.exact.polynomials import Term
from diveval.exact.symbols import decimal
from diveval.metrics.algebra import Always
from diveval.metrics.columnwise import PerChannel, Precision
from diveval.metrics.formulas import Formula, Sum
from diveval.metrics.names import MetricLike, as_metric
from diveval.results.protocol import Result

MOST_RANKS, MOST_ASPECTS, MOST_KINDS = 1000, 10, 1024  # that a scale may have
FEW, MOST = 256, 4096  # rankings that are all scored at once, or if no argument decides
DIGITS = 60  # of certified ratios
Rows = tuple[tuple[F, ...], ...]


@dataclass(frozen=True)
class ScaleStep:
    """A ranking and its score: one of those that show that the values are not equally spaced."""

    ranking: tuple[str, ...]
    score: str


@dataclass(frozen=True, repr=False)
class Scale(Result):
    """Whether a metric's score is an interval scale over rankings of k documents, and what shows it.

    `steps` are rankings whose scores are neighbours with unequal distances (or whose differences have no common unit that
    leaves enough values); `values` is the number of different scores, if all rankings were scored.
    """

    metric: str
    cutoff: int
    levels: tuple[str, ...]
    aspects: int
    interval: Literal["yes", "no", "unknown"]
    reason: str
    values: int | None = None
    steps: tuple[ScaleStep, ...] = ()

    reference: ClassVar[str] = (
        "M. Ferrante, N. Ferro, N. Fuhr. Towards Meaningful Statements in IR Evaluation: Mapping Evaluation Measures to "
        "Interval Scales. IEEE Access, 2021. A. Moffat. Batch Evaluation Metrics in Information Retrieval: Measures, "
        "Scales, and Meaning. IEEE Access, 2022."
    )
    header: ClassVar[tuple[str, ...]] = ("metric", "cutoff", "levels", "aspects", "interval", "values", "reason")

    def records(self) -> list[dict[str, Any]]:
        return [{name: getattr(self, name) for name in self.header} | {"levels": " ".join(self.levels)}]

    def to_text(self, width: int = 80) -> str:
        """The answer, what shows it, and what follows for means and tests."""
        about = f"relevance {', '.join(self.levels)}" + (f", {self.aspects} aspects" if self.aspects > 1 else "")
        answer = {"yes": "an interval scale", "no": "not an interval scale", "unknown": "not decided"}[self.interval]
        lines = [f"{self.metric} over rankings of {self.cutoff} documents ({about}): {answer}", f"  {self.reason}"]
        lines += [f"    {' '.join(step.ranking)}   {step.score}" for step in self.steps]
        return "\n".join([*lines, "", *MEANING[self.interval]]) + "\n"


_MOFFAT = [
    "Moffat's reply: the score is itself the measurement, the utility of a ranking for a user; such numbers may be averaged",
    "whatever their spacing, if one accepts the metric as that utility.",
]
MEANING = {
    "yes": ["Means and t-tests of these scores are meaningful: equal differences are equal steps between rankings."],
    "no": [
        "What that means (Ferrante, Ferro, Fuhr): equal differences of the score are not equal steps between rankings, so that",
        "means and t-tests depend on the spacing; medians, ranks and signs do not. `diveval compare --test sign` uses only",
        "which run is better on each topic.",
        *_MOFFAT,
    ],
    "unknown": [
        "Give a smaller cutoff: all rankings of up to twelve documents of binary relevance can be scored.",
        *_MOFFAT,
    ],
}


@explain_types
def scale(
    metric: MetricLike, *, cutoff: int | None = None, levels: Sequence[F | int | str] = (0, 1), aspects: int = 1
) -> Scale:
    """Decide whether the score is an interval scale over all rankings of k documents.

    Judged are k documents of every kind, so that ideals are the same for all rankings. Parameters that the text does not
    set have their reference values.

    Args:
        metric: a name with a cutoff, or without if `cutoff` is given
        cutoff: k, the length of the rankings
        levels: the relevance that a document may have, 0 among them
        aspects: how many aspects there are, with equal weights; a document may be about any of them
    """
    found = as_metric(metric)
    k = found.cutoff if cutoff is None else cutoff
    try:
        grades = tuple(sorted({F(level) for level in levels}))
    except ValueError as error:
        raise UsageError("not-a-number", f"levels are numbers, got {', '.join(map(str, levels))}") from error
    if k is None or k < 1:
        raise UsageError("cutoff-needed", f"a scale is one over rankings of k documents: {found.name}@k, k at least 1")
    if len(grades) < 2 or grades[0] != 0 or grades[-1] > 1:
        raise UsageError("out-of-range", f"levels are 0 and others up to 1, got {', '.join(map(str, levels))}")
    if aspects < 1:
        raise UsageError("out-of-range", f"the number of aspects is at least 1, got {aspects}")
    if k > MOST_RANKS or aspects > MOST_ASPECTS or len(grades) ** aspects > MOST_KINDS:
        raise UsageError(
            "out-of-range",
            f"scales are decided for up to {MOST_RANKS} ranks and {MOST_KINDS} kinds of documents, got {k} and"
            f" {len(grades)}^{aspects}",
        )
    question = _Question(found.formula.at(k), k, grades, aspects)
    interval, reason, values, steps = question.decide()
    name = found.name if found.cutoff is not None else f"{found.name}@{k}"
    return Scale(name, k, tuple(map(str, grades)), aspects, interval, reason, values, steps)


Decision = tuple[Literal["yes", "no", "unknown"], str, int | None, tuple[ScaleStep, ...]]


@dataclass(frozen=True)
class _Question:
    formula: Formula
    k: int
    grades: tuple[F, ...]
    aspects: int

    def decide(self) -> Decision:
        if self.count <= FEW:
            return self._by_all_rankings()
        units = self._additive_units()
        found = self._by_common_unit() if units is None else self._by_units(units)
        return self._by_all_rankings() if found[0] == "unknown" and self.count <= MOST else found

    @property
    def kinds(self) -> list[tuple[F, ...]]:
        """The documents there are."""
        return list(product(self.grades, repeat=self.aspects))

    @property
    def count(self) -> int:
        return int(len(self.kinds) ** self.k)

    def score(self, rows: Rows) -> Term:
        weights = [F(1, self.aspects)] * self.aspects
        pool = [list(kind) for kind in self.kinds if any(kind) for _ in range(self.k)]
        return Term.of(exact_score(self.formula, [list(row) for row in rows], weights, pool, twice=False))

    def _by_all_rankings(self) -> Decision:
        """All values in order: the first two neighbouring distances that differ refute equal spacing."""
        scored = [(self.score(rows), rows) for rows in product(self.kinds, repeat=self.k)]
        scored.sort(key=cmp_to_key(_compare))
        distinct = [scored[0]]
        for one in scored[1:]:
            if _sign(one[0] - distinct[-1][0]):
                distinct.append(one)
        said = f"{len(distinct)} different scores of {self.count} rankings"
        if len(distinct) == 1:
            return "unknown", f"{said}: nothing to compare", 1, ()
        steps = [after[0] - before[0] for before, after in pairwise(distinct)]
        place = next((i for i, step in enumerate(steps) if _sign(step - steps[0])), None)
        if place is None:
            return "yes", f"{said}, all neighbours {decimal(steps[0])} apart", len(distinct), ()
        shown = distinct[place - 1 : place + 2]
        gaps = f"{decimal(steps[place - 1])} and {decimal(steps[place])}"
        return "no", f"{said}; these are neighbours, {gaps} apart", len(distinct), tuple(map(_step, shown))

    def _additive_units(self) -> list[F] | None:
        """What one document of relevance 1 adds at each rank, for sums without novelty over one aspect of rational weight."""
        part = self.formula
        adds = type(part) is Sum and type(part.novelty) is Always
        adds = adds or (type(part) is PerChannel and type(part.base) is Precision)
        if not adds or self.grades != (F(0), F(1)) or self.aspects != 1:
            return None
        nothing = self.score(self._one_at(None))
        units = [(self.score(self._one_at(i)) - nothing) for i in range(self.k)]
        values = [unit.num.value for unit in units]
        return None if any(value is None or value <= 0 for value in values) else [F(value) for value in values if value]

    def _one_at(self, place: int | None) -> Rows:
        """One document of full relevance at a rank, else nothing."""
        top, none = tuple([F(1)] * self.aspects), tuple([F(0)] * self.aspects)
        return tuple(top if i == place else none for i in range(self.k))

    def _by_units(self, units: Sequence[F]) -> Decision:
        """Sums of the units are equally spaced if and only if every multiple of the common unit can be reached."""
        unit, reached = _common(units), 0
        for step in sorted(int(value / unit) for value in units):
            if step > reached + 1:
                gap = f"the scores are multiples of {unit}, the common unit; {reached}·{unit} is one, {reached + 1}·{unit} is not"
                return "no", gap, None, ()
            reached += step
        return "yes", f"every multiple of {unit} up to {reached}·{unit} is a score, and nothing else", reached + 1, ()

    def _by_common_unit(self) -> Decision:
        """Equal spacing needs a common unit of all differences that is not too small for the number of rankings."""
        rankings = list(islice(self._few_relevant(), 64))
        scored = [(self.score(rows), rows) for rows in rankings]
        differences = [(value - scored[0][0], rows) for value, rows in scored[1:]]
        positive = [(value, rows) for value, rows in differences if _sign(value)]
        for one, rows in positive[1:]:
            first, first_rows = positive[0]
            if not _may_be_ratio(one, first, self.count):
                shown = (scored[0], (first + scored[0][0], first_rows), (one + scored[0][0], rows))
                reason = f"the differences of these have no ratio of whole numbers up to {len(self.kinds)}^{self.k}, the number of rankings"
                return "no", reason, None, tuple(map(_step, shown))
        exact = [value.num.value for value, _ in positive if value.den.value == 1 and value.num.value is not None]
        if len(exact) == len(positive) and exact:
            unit = _common([abs(F(value)) for value in exact])
            if max(abs(F(value)) for value in exact) / unit >= self.count:
                reason = f"the common unit of all differences is at most {float(unit):.3g}: more steps than there are rankings"
                return "no", reason, None, tuple(_step(one) for one in scored[:3])
        return "unknown", f"{self.count} rankings are too many to score, and no argument applies", None, ()

    def _few_relevant(self) -> Iterator[Rows]:
        """Rankings with no, one and two documents of full relevance."""
        yield self._one_at(None)
        for i in range(self.k):
            yield self._one_at(i)
        top = tuple([F(1)] * self.aspects)
        for i in range(self.k - 1):
            rows = list(self._one_at(i))
            rows[i + 1] = top
            yield tuple(rows)


def _sign(value: Any) -> int:
    """The certain sign of a difference of scores."""
    return 1 if value > 0 else -1 if value < 0 else 0


def _compare(one: tuple[Term, Rows], other: tuple[Term, Rows]) -> int:
    return _sign(one[0] - other[0])


def _step(scored: tuple[Term, Rows]) -> ScaleStep:
    value, rows = scored
    return ScaleStep(
        tuple("/".join(map(str, row)) if len(row) == 1 else f"({' '.join(map(str, row))})" for row in rows),
        decimal(value),
    )


def _common(values: Sequence[F]) -> F:
    """The largest fraction of which all are whole multiples."""
    bottom = lcm(*(value.denominator for value in values))
    return F(gcd(*(int(value * bottom) for value in values)), bottom)


def _interval(value: Term) -> tuple[F, F]:
    corners = [a / b for a in bounds(value.num.terms, DIGITS) for b in bounds(value.den.terms, DIGITS)]
    return min(corners), max(corners)


def _may_be_ratio(one: Term, other: Term, most: int) -> bool:
    """Whether one/other may be i/j with whole numbers up to `most`: False only if certified bounds exclude it."""
    (a, b), (c, d) = _interval(one), _interval(other)
    if c <= 0 <= d:
        return True
    corners = [x / y for x in (a, b) for y in (c, d)]
    low, high = min(corners), max(corners)
    nearest = ((low + high) / 2).limit_denominator(most)
    # Two fractions with denominators up to `most` are at least 1/most² apart, so only the nearest can lie inside.
    if high - low >= F(1, 2 * most * most):
        return True
    return low <= nearest <= high and abs(nearest) <= most
