"""A column on symbols: what every lemma runs, and how what its columns gain becomes a difference of scores."""

from __future__ import annotations

from collections.abc import Sequence

from diveval.axioms.arithmetic.polynomials import Condition, Term, Truth
from diveval.axioms.proof.columns import RECALL, Column
from diveval.axioms.proof.ledger import SYMBOLS, Given, Ledger, State, premises, ranges, symbol
from diveval.axioms.proof.parts import NoveltyFacts
from diveval.axioms.specification.constraints import Axiom
from diveval.axioms.specification.readings import Reading

Named = tuple[State, list[Truth]]
GAIN, RECALLED = symbol("gain"), symbol("recalled")


class Argument:
    """A column on symbols: documents run from an abstract state at abstract ranks."""

    def __init__(self, found: Column, reading: Reading, axiom: Axiom, left: list[Condition], ledger: Ledger) -> None:
        self.column, self.reading, self.axiom, self.left, self.ledger = found, reading, axiom, left, ledger
        self.facts: NoveltyFacts = found.facts
        self.ranks = found.ranks

    def run(self, state: State, documents: Sequence[tuple[Term, Term]]) -> tuple[Term, State]:
        """Σ D · r · novelty over (r, D) from a state, and the state behind."""
        total = Term.of(0)
        for r, d in documents:
            total = total + d * r * self.facts.factor(state)
            state = self.facts.after(state, r)
        return total, state

    def limits(self, values: Sequence[Term], state: State) -> list[Given]:
        """0 ≤ r and r ≪ 1; under the Σ reading, together with what the state has seen."""
        out = ranges(*(r >= 0 for r in values), *(r < 1 for r in values))
        if self.reading.contribution == "sum":
            out += premises(sum(values, self.facts.seen(state)) < 1)
        return out

    def weights(self, *d: Term) -> list[Given]:
        """The weights of consecutive ranks."""
        return self.ranks.at_ranks(self.ledger, *d)

    def whole(self, source: Sequence[Given], *, strict: bool = True) -> None:
        """From what the columns gain to the score: ideals and λ are positive, and recall is not smaller."""
        ideal, lam = symbol("ideal"), SYMBOLS.of(self.column.lam) if self.column.beside_recall else Term.of(0)
        given = list(source)
        if self.column.normalised:
            given += ranges(ideal >= 0 if self.column.may_vanish else ideal > 0)
        else:
            ideal = Term.of(1)
        if self.column.beside_recall:
            given += [*self.ledger.cite("recall", RECALLED >= 0), *ranges(lam > 0, lam < 1)]
        value = (1 - lam) * ideal * GAIN + lam * (RECALLED if self.column.beside_recall else 0)
        text = "the scores differ by the columns' gain times positive constants"
        text += "; aspect recall is not smaller" if self.column.beside_recall else ""
        self.ledger.claim("whole", text, given, lambda: [value > 0 if strict else value >= 0])


def same_state(a: State, b: State) -> list[Truth]:
    """That two states are equal, part by part."""
    return [x == y for x, y in zip(a.values(), b.values(), strict=True)]


def gaining(value: Term, *more: Truth, strict: bool = True) -> Named:
    return {"gain": value}, [value > 0 if strict else value >= 0, *more]


def region(a: Argument) -> list[Given]:
    """The conditions on the parameters under which the claim is made."""
    return [Given(condition, "range") for condition in a.left]


# --- aspect recall beside a column ----------------------------------------------------------------------------------


def recall_of_a_swap(a: Argument) -> None:
    if a.column.beside_recall:
        s, x, y = symbol("q"), symbol("x"), symbol("y")
        facts = RECALL.facts

        def covered() -> Named:
            b, c = SYMBOLS.positive(x), SYMBOLS.positive(y)
            one, other = (facts.after(facts.after({"q": s}, f), g)["q"] for f, g in ((b, c), (c, b)))
            return {"recalled": one - other}, [one - other == 0, one - other >= 0]

        a.ledger.claim("recall", "a swap changes no aspect's coverage", ranges(s >= 0, s <= 1, x >= 0, y >= 0), covered)


def recall_of_more(a: Argument) -> None:
    if a.column.beside_recall:
        s, x, y, r = symbol("q"), symbol("x"), symbol("y"), symbol("r1")
        facts = RECALL.facts

        def parts(now: State) -> tuple[State, State]:
            return {"q": now["u"]}, {"q": now["v"]}

        def after(now: State) -> State:
            b = SYMBOLS.positive(r)
            one, other = (facts.after(state, b)["q"] for state in parts(now))
            return {"u": one, "v": other}

        a.ledger.induction(
            "coverage",
            "over the documents behind: what is uncovered in the better ranking is uncovered in the other",
            begin={"u": Term.of(0), "v": s},
            after=after,
            given=ranges(r >= 0),
            first=ranges(s >= 0, s <= 1),
            invariant=lambda now: [now["u"] <= now["v"], now["u"] >= 0],
        )
        u, v = symbol("u"), symbol("v")
        a.ledger.claim(
            "covers",
            "the better document covers every aspect",
            [*ranges(x >= 0, s >= 0), *premises(x < y)],
            lambda: [facts.after({"q": s}, SYMBOLS.positive(y))["q"] == 0],
        )
        a.ledger.claim(
            "recall",
            "so aspect recall is not smaller",
            a.ledger.known("coverage", {"u": u, "v": v}),
            lambda: ({"recalled": v - u}, [v - u >= 0]),
        )


def recall_of_another(a: Argument) -> None:
    if a.column.beside_recall:
        facts, r = RECALL.facts, symbol("r")

        def covered() -> Named:
            new = facts.after(facts.begin("q"), SYMBOLS.positive(r))["q"]
            value = (1 - new) - (1 - new)
            return {"recalled": value}, [new == 0, value >= 0]

        a.ledger.claim("recall", "one aspect is covered in either ranking, t' or t", ranges(r > 0), covered)
