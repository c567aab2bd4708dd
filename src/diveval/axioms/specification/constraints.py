"""The ten constraints as executable specifications: what each says, and the shapes it is made of.

One specification feeds the solver, the search for counterexamples and the printer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from diveval.axioms.specification.readings import Reading
from diveval.axioms.specification.shapes import (
    Bounds,
    Case,
    T,
    aspdiv,
    aspdiv_longer,
    aspdiv_shapes,
    asprel,
    asprel_longer,
    asprel_shapes,
    conf,
    conf_shapes,
    deep,
    deep_longer,
    deep_shapes,
    mred,
    mred_shapes,
    pri,
    pri_longer,
    pri_shapes,
    red,
    red_longer,
    red_shapes,
    sat_longer,
    sat_shapes,
)
from diveval.errors import UsageError, suggestion


@dataclass(frozen=True)
class Axiom:
    """A constraint: its name, what it says, and its cases."""

    name: str
    title: str
    says: str
    why: str
    diversity: bool = False
    shapes: Callable[[Reading, Bounds], Iterator[Case]] | None = None  # None: an existential constraint
    below: Callable[[int, Reading], Case] | None = None  # a case that happens entirely behind rank k
    longer: Callable[[Random, Reading], Case] | None = None  # a longer case at random, for the search only
    lemma: str = ""  # the argument that reaches every length; none for a constraint of one's own
    two_aspects: bool = False  # compares a document about t with one about t', so that their ideals matter
    any_maximum: bool = False  # Sat: some r_max may serve
    threshold: Literal["", "deep", "close"] = ""  # there is an n …

    def cases(self, reading: Reading, bounds: Bounds) -> list[Case]:
        """All cases within the bounds, smallest first."""
        assert self.shapes is not None
        return sorted(self.shapes(reading, bounds), key=lambda case: case.size)


# --- the list -------------------------------------------------------------------------------------------------------


AXIOMS = {
    axiom.name: axiom
    for axiom in (
        Axiom(
            "Pri",
            "Priority",
            "r(d_{i+k}) > r(d_i) ⇒ Q(d with i ↔ i+k) > Q(d)",
            "moving the more relevant document up must raise the score",
            shapes=pri_shapes,
            below=lambda k, reading: pri(k + 2, k + 1, k + 2, reading),
            longer=pri_longer,
            lemma="priority",
        ),
        Axiom(
            "Deep",
            "Deepness",
            "r(d_i) = r(d_j) < r(d_{i+1}) = r(d_{j+1}), i < j ⇒ Q(d with i ↔ i+1) > Q(d with j ↔ j+1)",
            "the same good swap must matter more near the top",
            shapes=deep_shapes,
            below=lambda k, reading: deep(k + 4, k + 1, k + 3, reading),
            longer=deep_longer,
            lemma="deepness",
        ),
        Axiom(
            "DeepTh",
            "Deepness threshold",
            "∃n: Q(one relevant document) > Q(n non-relevant, then n relevant)",
            "one relevant document at the top must beat n of them after n non-relevant ones, once n is large",
            threshold="deep",
        ),
        Axiom(
            "CloseTh",
            "Closeness threshold",
            "∃m: Q(one relevant document) < Q(m non-relevant, then m relevant)",
            "near the top, finding m relevant documents must beat finding one of them first",
            threshold="close",
        ),
        Axiom(
            "Conf",
            "Confidence",
            "Q(d) > Q(d, non-relevant)",
            "non-relevant documents at the end must lower the score",
            shapes=conf_shapes,
            below=lambda k, reading: conf(k, reading),
            longer=lambda source, reading: conf(source.randrange(4, 16), reading),
            lemma="confidence",
        ),
        Axiom(
            "AspDiv",
            "Query aspect diversity",
            "∀t: r(d_i', t) > r(d_i, t) ⇒ Q(d with d_i → d_i') > Q(d)",
            "a document that is more relevant to every aspect must raise the score",
            diversity=True,
            shapes=aspdiv_shapes,
            below=lambda k, reading: aspdiv(k + 1, k + 1, 1, reading),
            longer=aspdiv_longer,
            lemma="diversity",
        ),
        Axiom(
            "Red",
            "Redundancy",
            "more documents about t than about t' ⇒ Q(d, d') > Q(d, d_t)",
            "a document about the less covered aspect must be worth more",
            diversity=True,
            two_aspects=True,
            shapes=red_shapes,
            below=lambda k, reading: red((T, *[None] * (k - 1)), 2, reading),
            longer=red_longer,
            lemma="redundancy",
        ),
        Axiom(
            "MRed",
            "Monotonic redundancy",
            "∀i: r(d_i, t) > r(d_i, t') ⇒ Q(d, d') > Q(d, d_t)",
            "an aspect already served to a higher degree by every document must gain less",
            diversity=True,
            two_aspects=True,
            shapes=mred_shapes,
            below=lambda k, reading: mred(k, reading),
            longer=lambda source, reading: mred(source.randrange(4, 16), reading),
            lemma="monotonic",
        ),
        Axiom(
            "Sat",
            "Aspect relevance saturation",
            "r(d_n, t) = r_max, r(d_{n+1}, t) > 0 ⇒ Q(d) ≥ Q(d, d_{n+1})",
            "once an aspect is satisfied, more of it must not raise the score",
            diversity=True,
            any_maximum=True,
            shapes=sat_shapes,
            longer=sat_longer,
            lemma="saturation",
        ),
        Axiom(
            "AspRel",
            "Aspect relevance",
            "w(t) < w(t'), neither seen before ⇒ Q(d with d_i → d_i') > Q(d)",
            "a document about the heavier aspect must be worth more",
            diversity=True,
            two_aspects=True,
            shapes=asprel_shapes,
            below=lambda k, reading: asprel((None,) * k, (), 2),
            longer=asprel_longer,
            lemma="weight",
        ),
    )
}
RELEVANCE = tuple(name for name, axiom in AXIOMS.items() if not axiom.diversity)
DIVERSITY = tuple(name for name, axiom in AXIOMS.items() if axiom.diversity)


def as_axiom(name: str | Axiom) -> Axiom:
    """A constraint from its name, in any case; one of your own is itself."""
    if isinstance(name, Axiom):
        if name.shapes is None and not name.threshold:
            raise UsageError(
                "axiom-not-applicable",
                f"the axiom {name.name!r} has no shapes: it says nothing about any pair of rankings",
            )
        return name
    known = {key.lower(): axiom for key, axiom in AXIOMS.items()}
    if not isinstance(name, str) or name.lower() not in known:
        raise UsageError("unknown-axiom", f"no axiom is called {name!r}", hint=suggestion(str(name), AXIOMS))
    return known[name.lower()]
