"""Facts about each discount and each novelty of the algebra, by exact type.

A lemma holds for a type and not for its subclasses, whose methods may do anything. So this is a registry by type: methods
would be inherited, and a subclass would get proofs that are not true of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, Literal

from diveval.axioms.proof.derivation import SYMBOLS, Derivation, Given, State, definitions, ranges, symbol
from diveval.errors import UsageError
from diveval.exact.polynomials import Term, Truth
from diveval.metrics import algebra
from diveval.metrics.numbers import exactly
from diveval.metrics.subtopics import AlphaBeta, Blend, SubtopicReciprocalRank
from diveval.metrics.tool_parts import Scaled

# --- discounts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DiscountFacts:
    """A discount as proofs use it. Constant factors are left out: they change no comparison.

    `establish` makes the step of which `step` is the name: with here = D(i), next = D(i+1), later = D(i+2), what holds
    of them at every rank.
    """

    kind: Literal["geometric", "reciprocal", "log", "flat"]
    text: str  # D(i) as mathematics writes it
    establish: Callable[[Derivation], None]
    step: str = "discount"
    falls: bool = True
    p: Term = field(default_factory=lambda: Term.of(1))  # of p^i
    # (factor, shift, first): the logarithm in D(2n) is that of factor·n + shift, at most 2^n from n = first on.
    doubled: tuple[int, int, int] = (0, 0, 0)

    def at_ranks(self, derivation: Derivation, *d: Term) -> list[Given]:
        """Consecutive ranks' weights: positive, and falling where this discount falls."""
        truths = [d[-1] > 0, *(a > b if self.falls else a == b for a, b in pairwise(d))]
        return [given for truth in truths for given in derivation.cite(self.step, truth, instance=_places(truth, d))]


_HERE, _NEXT, _LATER = symbol("here"), symbol("next"), symbol("later")


def _convex() -> list[Truth]:
    positive = [_HERE > 0, _NEXT > 0, _LATER > 0]
    return [*positive, _HERE > _NEXT, _NEXT > _LATER, _HERE - _NEXT > _NEXT - _LATER]


def _places(truth: Truth, d: tuple[Term, ...]) -> State:
    """Which of here, next and later each weight of a rank is."""
    named = dict(zip((next(iter(one.num.symbols)) for one in d), (_HERE, _NEXT, _LATER), strict=False))
    return {} if isinstance(truth, bool) else {name: named[name] for name in named if name in truth.poly.symbols}


def _geometric(part: algebra.Geometric) -> DiscountFacts:
    p = SYMBOLS.of(part.p)
    if p.num.value == 1:
        return _flat(algebra.Flat())

    def establish(derivation: Derivation) -> None:
        given = [*ranges(_HERE > 0, p > 0, p < 1), *definitions(_HERE * p == _NEXT, _NEXT * p == _LATER)]
        derivation.claim("discount", "p^i falls and is convex for 0 < p < 1", given, _convex)

    base = "p" if p.num.value is None else f"({p!r})"
    return DiscountFacts("geometric", f"{base}^i" if part.start else f"{base}^(i−1)", establish, p=p)


def _reciprocal(part: algebra.Reciprocal) -> DiscountFacts:
    def establish(derivation: Derivation) -> None:
        i = symbol("i")
        named = definitions(_HERE * i == 1, _NEXT * (i + 1) == 1, _LATER * (i + 2) == 1)
        derivation.claim("discount", "1/i falls and is convex for i ≥ 1", [*ranges(i >= 1), *named], _convex)

    return DiscountFacts("reciprocal", "1/i", establish)


def _log(part: algebra.Discount, text: str, doubled: tuple[int, int, int]) -> DiscountFacts:
    """A logarithmic discount."""

    def establish(derivation: Derivation) -> None:
        values = [part.at(i, SYMBOLS) for i in range(1, 35)]
        falls = all((b < a) is True for a, b in pairwise(values))
        convex = all((a - b > b - c) is True for a, b, c in zip(values, values[1:], values[2:], strict=False))
        says = "ranks 1 to 34: the logarithmic discount falls and is convex (certified)"
        derivation.exact("first ranks", says, falls and convex)
        derivation.fact("logarithm")

    return DiscountFacts("log", text, establish, step="logarithm", doubled=doubled)


def _flat(part: algebra.Flat) -> DiscountFacts:
    def establish(derivation: Derivation) -> None:
        named = definitions(_HERE == 1, _NEXT == 1, _LATER == 1)
        derivation.claim(
            "discount", "every rank counts the same", named, lambda: [_HERE == _NEXT, _HERE > 0, _NEXT > 0]
        )

    return DiscountFacts("flat", "1", establish, falls=False)


DISCOUNTS: dict[type, Callable[[Any], DiscountFacts]] = {
    algebra.Geometric: _geometric,
    algebra.Reciprocal: _reciprocal,
    algebra.Log: lambda part: _log(part, "1/log₂(i+1)", (2, 1, 3)),
    algebra.ShiftedLog: lambda part: _log(part, "1/log₂(2i)", (4, 0, 4)),
    algebra.Flat: _flat,
    Scaled: lambda part: DISCOUNTS[type(part.discount)](part.discount),
}


def discount_facts(part: algebra.Discount) -> DiscountFacts | None:
    """What is known of a discount; None of a type that is not one of the algebra's own."""
    known = DISCOUNTS.get(type(part))
    return None if known is None else known(part)


def convex_steps(derivation: Derivation, facts: DiscountFacts, d1: Term, d2: Term, d3: Term) -> list[Given]:
    """d1 − d2 > d2 − d3 for three consecutive ranks."""
    truth = d1 - d2 > d2 - d3
    return derivation.cite(facts.step, truth, instance=_places(truth, (d1, d2, d3)))


# --- novelty ----------------------------------------------------------------------------------------------------------


class NoveltyFacts:
    """A novelty machine as proofs use it: its state as named symbols, and what holds of every state it can reach."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    remembers: ClassVar[bool] = True  # whether what stands above changes what a document brings
    commutes: ClassVar[bool] = False  # f(after(s, r)) = f(s)·(1 − r): proofs over any distance need it
    graded: ClassVar[bool] = False  # what a document takes off depends on its degree of relevance

    def __init__(self, part: Any) -> None:
        self.part = part

    def fresh(self, name: str) -> State:
        """Symbols for any state: `s`, and `s_seen` where the machine adds up relevance."""
        return {name + suffix: symbol(name + suffix) for suffix in self.suffixes}

    def native(self, state: State) -> Any:
        """The machine's own form of a state."""
        values = list(state.values()) or [Term.of(1)]  # the state of a machine without memory is the constant 1
        return values[0] if len(values) == 1 else tuple(values)

    def name_state(self, name: str, native: Any) -> State:
        """A state of the machine under these names."""
        values = native if isinstance(native, tuple) else (native,)
        return {name + suffix: value for suffix, value in zip(self.suffixes, values, strict=False)}

    def level(self, state: State) -> Term:
        """The factor where no limit is reached: what invariants speak of, since it compares nothing."""
        return next(iter(state.values()), Term.of(1))

    def factor(self, state: State) -> Term:
        return Term.of(self.part.factor(self.native(state), SYMBOLS))

    def after(self, state: State, r: Term) -> State:
        name = next(iter(state), "s")
        return self.name_state(name, self.part.after(self.native(state), r, SYMBOLS))

    def begin(self, name: str) -> State:
        return self.name_state(name, self.part.begin(SYMBOLS))

    def inside(self, state: State, *, alive: bool) -> list[Truth]:
        """The range of a state; `alive` when every r < 1."""
        return [truth for s in state.values() for truth in (s > 0 if alive else s >= 0, s <= 1)]

    def sum_seen(self, state: State) -> Term:
        """The relevance added up so far, where the machine keeps it."""
        return Term.of(0)

    def establish(self, derivation: Derivation, *, alive: bool) -> None:
        """The step `state`: what is claimed of a state is true at the start and stays true behind any document."""
        r = symbol("r1")
        if not self.suffixes:
            return
        derivation.induction(
            "state",
            "over ranks: the novelty state stays in its range behind any document",
            begin=self.begin("s"),
            after=lambda state: self.after(state, r),
            invariant=lambda state: self.inside(state, alive=alive),
            given=ranges(r >= 0, r < 1 if alive else r <= 1),
        )

    def list_facts(self, derivation: Derivation, state: State) -> list[Given]:
        """What the step `state` says of a state."""
        return derivation.recall_invariant("state", state) if state else []

    def text(self, *, binary: bool) -> str:
        """ν_j, what the j-th relevant document's relevance is multiplied by."""
        return "1"

    def fading(self, r: Term, *, binary: bool) -> Term | None:
        """u when ν_j = (1−u)^(j−1); None when novelty does not fade that way."""
        return None

    def fades_by(self, r: Term, *, binary: bool) -> Term | None:
        """u when ν_j ≤ (1−u)^(j−1)."""
        return self.fading(r, binary=binary)


class AlwaysFacts(NoveltyFacts):
    """No memory, and no state."""

    remembers, commutes = False, True


class CascadeFacts(NoveltyFacts):
    """Π(1 − r)."""

    suffixes = ("",)
    commutes = graded = True

    def text(self, *, binary: bool) -> str:
        return "[j = 1]" if binary else "(1−r_c)^(j−1)"

    def fading(self, r: Term, *, binary: bool) -> Term | None:
        return None if binary else r


class DecayFacts(NoveltyFacts):
    """(1 − α)^c, perhaps with a limit."""

    suffixes = ("", "_seen")

    def inside(self, state: State, *, alive: bool) -> list[Truth]:
        s, seen = state.values()
        nothing_left = SYMBOLS.of(self.part.alpha).num.value == 1  # behind the first relevant document
        return [s >= 0 if nothing_left else s > 0, s <= 1, seen >= 0]

    def sum_seen(self, state: State) -> Term:
        return list(state.values())[1]

    def text(self, *, binary: bool) -> str:
        alpha = SYMBOLS.of(self.part.alpha)
        return f"(1−{'α' if alpha.num.value is None else repr(alpha)})^(j−1)"

    def fading(self, r: Term, *, binary: bool) -> Term | None:
        return None if self.part.limit is not None else self.fades_by(r, binary=binary)

    def fades_by(self, r: Term, *, binary: bool) -> Term | None:
        return SYMBOLS.of(self.part.alpha)


NOVELTIES: dict[type, type[NoveltyFacts]] = {
    algebra.Always: AlwaysFacts,
    algebra.Cascade: CascadeFacts,
    algebra.Decay: DecayFacts,
}


def novelty_facts(part: algebra.Novelty) -> NoveltyFacts | None:
    """What is known of a novelty; None of a type that is not one of the algebra's own."""
    known = NOVELTIES.get(type(part))
    if known is DecayFacts and part.limit is None and SYMBOLS.of(part.alpha).num.value == 0:  # type: ignore[attr-defined]
        return AlwaysFacts(algebra.Always())
    return None if known is None else known(part)


# --- the ranges of parameters -----------------------------------------------------------------------------------------

Range = tuple[str, str, Callable[[Fraction], bool]]
RANGES: dict[type, tuple[Range, ...]] = {
    algebra.Geometric: (("p", "0 < p ≤ 1", lambda v: 0 < v <= 1),),
    algebra.Decay: (("alpha", "0 ≤ α ≤ 1", lambda v: 0 <= v <= 1), ("limit", "limit > 0", lambda v: v > 0)),
    Blend: (("lam", "0 ≤ λ ≤ 1", lambda v: 0 <= v <= 1),),
    SubtopicReciprocalRank: (("coverage", "0 < coverage ≤ 1", lambda v: 0 < v <= 1),),
    AlphaBeta: (("beta", "0 < β ≤ 1", lambda v: 0 < v <= 1),),
}


def refuse_out_of_range(declaration: Any) -> None:
    """A composition whose numbers lie outside the ranges its parts are stated for has no verdict."""
    for kind in type(declaration).__mro__:
        for name, says, inside in RANGES.get(kind, ()):
            value = getattr(declaration, name)
            if value is not None and not isinstance(value, Term) and not inside(exactly(value)):
                raise UsageError(
                    "out-of-range",
                    f"{type(declaration).__name__}: {says}, got {name} = {value}",
                    hint="no axiom is decided outside",
                )
    if is_dataclass(declaration) and not isinstance(declaration, type):
        for one in fields(declaration):
            part = getattr(declaration, one.name)
            if is_dataclass(part) and not isinstance(part, type):
                refuse_out_of_range(part)
