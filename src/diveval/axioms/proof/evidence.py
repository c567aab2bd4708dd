"""What stands behind a verdict: a pair of rankings anyone can score again, a region of parameters, or a proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from diveval.axioms.arithmetic.numbers import as_term, decimal
from diveval.axioms.arithmetic.polynomials import Term
from diveval.axioms.proof.subjects import exact_score
from diveval.metrics.numbers import Number

if TYPE_CHECKING:
    from diveval.metrics.names import MetricLike

Rows = tuple[tuple[Fraction, ...], ...]
Answer = Literal["holds", "bounded", "fails", "region", "vacuous", "not-applicable", "unknown"]


def _texts(rows: Rows) -> list[list[str]]:
    return [[str(r) for r in row] for row in rows]


def _rows(texts: Any) -> Rows:
    return tuple(tuple(Fraction(r) for r in row) for row in texts)


@dataclass(frozen=True)
class Counterexample:
    """Two rankings over the same judgments that a metric orders against the constraint.

    The constraint wants Q(better) > Q(worse), or ≥ when `strict` is False. Scores are exact, as text and in decimals.
    """

    label: str
    better: Rows
    worse: Rows
    weights: tuple[Fraction, ...]
    pool: Rows  # the judged documents, from which ideals are built
    setting: Mapping[str, Fraction] = field(default_factory=dict, hash=False)  # parameter values
    cutoff: int | None = None
    strict: bool = True
    scores: tuple[str, str] = ("", "")
    decimals: tuple[str, str] = ("", "")

    @property
    def relation(self) -> str:
        """How the two scores compare: `=` or `<`."""
        return "=" if self.scores[0] == self.scores[1] else "<"

    def score(self, metric: MetricLike) -> tuple[Number, Number]:
        """Score both rankings again, exactly, with any metric."""
        from diveval.metrics.names import as_metric

        formula = as_metric(metric).formula
        return (
            exact_score(formula, self.better, self.weights, self.pool),
            exact_score(formula, self.worse, self.weights, self.pool),
        )

    def breaks(self, metric: MetricLike) -> bool:
        """Whether the metric orders these two rankings against the constraint."""
        better, worse = self.score(metric)
        difference = as_term(better) - as_term(worse)
        return bool(difference <= 0 if self.strict else difference < 0)

    def as_dict(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "better": _texts(self.better),
            "worse": _texts(self.worse),
            "weights": [str(w) for w in self.weights],
            "pool": _texts(self.pool),
            "setting": {name: str(value) for name, value in self.setting.items()},
            "cutoff": self.cutoff,
            "strict": self.strict,
            "scores": list(self.scores),
            "decimals": list(self.decimals),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Counterexample:
        return cls(
            data["label"],
            _rows(data["better"]),
            _rows(data["worse"]),
            tuple(Fraction(w) for w in data["weights"]),
            _rows(data["pool"]),
            {name: Fraction(value) for name, value in data["setting"].items()},
            data["cutoff"],
            data["strict"],
            (data["scores"][0], data["scores"][1]),
            (data["decimals"][0], data["decimals"][1]),
        )


def scored(better: Any, worse: Any) -> tuple[tuple[str, str], tuple[str, str]]:
    """Two exact scores as text and in decimals."""
    first, second = as_term(better), as_term(worse)
    return (_exact_text(first), _exact_text(second)), (decimal(first), decimal(second))


def _exact_text(score: Term) -> str:
    """A fraction any program can read back, or the expression in logarithms."""
    value = score.num.value if score.den.value == 1 else None
    return repr(score) if value is None else str(value)


@dataclass(frozen=True)
class Region:
    """The exact set of parameters in which a constraint holds, and numbers for it."""

    formula: str
    numbers: tuple[str, ...] = ()  # e.g. `p > 0.754878 (others at their defaults)`

    def __str__(self) -> str:
        return self.formula + (f" [{'; '.join(self.numbers)}]" if self.numbers else "")


@dataclass(frozen=True)
class Step:
    """One claim of a proof, who checked it, and the earlier steps it rests on.

    `by` is `solver` (one query or several), `induction` (two sets of queries), `exact` (rational arithmetic),
    `definition`, or `analysis` (one of the few facts that no solver can be asked).
    """

    claim: str
    by: str = "solver"
    name: str = ""
    rests_on: tuple[str, ...] = ()
    invariant: tuple[str, ...] = ()  # of an induction, as formulas

    def as_dict(self) -> dict[str, Any]:
        shape: dict[str, Any] = {"claim": self.claim, "by": self.by, "name": self.name}
        return {**shape, "rests_on": list(self.rests_on), "invariant": list(self.invariant)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Step:
        return cls(data["claim"], data["by"], data["name"], tuple(data["rests_on"]), tuple(data["invariant"]))


@dataclass(frozen=True)
class Proof:
    """Why a constraint holds: what the solver excluded, up to which size, and the steps that carry it to all sizes."""

    bound: str
    steps: tuple[Step, ...] = ()
    every_length: bool = False
    witness: str = ""  # for existential constraints
    documents: int = 0  # how long the rankings were that the solver excluded, and how many aspects they had
    aspects: int = 0

    def __str__(self) -> str:
        reach = "; by induction for every length" if self.every_length and self.steps else ""
        return " ".join(part for part in (self.witness, self.bound + reach) if part)

    def as_dict(self) -> dict[str, Any]:
        return {
            "bound": self.bound,
            "steps": [step.as_dict() for step in self.steps],
            "every_length": self.every_length,
            "witness": self.witness,
            "documents": self.documents,
            "aspects": self.aspects,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Proof:
        steps = tuple(Step.from_dict(step) for step in data["steps"])
        return cls(data["bound"], steps, data["every_length"], data["witness"], data["documents"], data["aspects"])
