"""What a constraint is made of: pairs of rankings with symbols for their values, in shapes up to a size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from diveval.axioms.arithmetic.polynomials import Term, Truth
from diveval.errors import UsageError

Row = list[Term]
Values = Mapping[str, Term]
ZERO, ONE = Term.of(0), Term.of(1)


@dataclass(frozen=True)
class Bounds:
    """How far the solver looks: `longest` documents, `aspects` aspects, and n and m of the thresholds."""

    longest: int = 4
    aspects: int = 3
    threshold: int = 24

    def __post_init__(self) -> None:
        for name, least in (("longest", 2), ("aspects", 2), ("threshold", 2)):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < least:
                raise UsageError(f"bounds: {name} is a whole number of at least {least}, got {getattr(self, name)!r}")


@dataclass(frozen=True)
class Pair:
    """Two rankings over the same judgments: the constraint wants Q(better) > Q(worse), or ≥ when not strict."""

    better: list[Row]
    worse: list[Row]
    weights: Row
    premises: list[Truth]
    strict: bool = True
    pool: list[Row] = field(default_factory=list)  # every document that occurs in either ranking


@dataclass(frozen=True)
class Case:
    """One shape of a constraint, with named values left open."""

    axiom: str
    label: str  # what is done, for people
    documents: int
    aspects: int
    symbols: tuple[str, ...]
    build: Callable[[Values], Pair]
    fillers: tuple[str, ...] = ()  # values that only take up room

    @property
    def size(self) -> tuple[int, int, int]:
        return self.documents, self.aspects, len(self.symbols)
