"""Weights in doubt: all of the simplex, or all that keep an order of the aspects. Scores are linear: corners decide."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from diveval.axioms.arithmetic.polynomials import Poly
from diveval.conclusions.collection import DoubtedTopic
from diveval.conclusions.objectives import Objective, Paired, Systems
from diveval.conclusions.terms import Scored, weight_symbol

Corner = tuple[Fraction, ...]
Order = Literal["any", "given"]


def corners(topic: DoubtedTopic, order: Order) -> list[Corner]:
    """The corners of the weights of a topic: one aspect has all, or with an order the first j aspects share alike.

    The order is that of the weights in the judgments, falling; aspects of the same weight keep their own order.
    """
    n = len(topic.aspects)
    if order == "any":
        return [tuple(Fraction(int(i == j)) for i in range(n)) for j in range(n)]
    falling = sorted(range(n), key=lambda i: (-topic.weights[i], i))
    out = []
    for j in range(1, n + 1):
        first = set(falling[:j])
        out.append(tuple(Fraction(1, j) if i in first else Fraction(0) for i in range(n)))
    return out


def objective(scored: Scored, a: int, b: int, order: Order) -> tuple[Paired, list[list[Corner]]]:
    """Mean of a minus mean of b, at the corner of each topic that is worst for a; and the corners by topic."""
    systems = scored.kept.get(order)
    if systems is None:
        systems = scored.kept[order] = _systems(scored, order)
    return Paired(systems, a, b, lambda: _polynomials(scored, a, b, systems), scored.radius(a, b)), systems.mixing


def _systems(scored: Scored, order: Order) -> Systems:
    topics = scored.collection.topics
    held = range(len(scored.collection.systems))
    return Systems(
        [[scored.put_in(t, s) for t in range(len(topics))] for s in held],
        [[weight_symbol(i) for i in range(len(topic.aspects))] for topic in topics],
        [corners(topic, order) or [()] for topic in topics],
        [[scored.share(t, s) for t in range(len(topics))] for s in held],
    )


def _polynomials(scored: Scored, a: int, b: int, systems: Systems) -> Objective:
    groups = []
    for t, options in enumerate(systems.mixing):
        poly = scored.raw_difference(t, a, b)
        groups.append([_at_corner(poly, corner) for corner in (options if poly.terms else options[:1])])
    return Objective(groups, scored.radius(a, b))


def _at_corner(poly: Poly, corner: Corner) -> Poly:
    return poly.at({weight_symbol(i): w for i, w in enumerate(corner)})


def text(topics: Sequence[DoubtedTopic], chosen: Sequence[Corner]) -> str:
    """Weights that can be typed: `101:2` gives all weight of topic 101 to its aspect 2, `101:1+3` half to each."""
    parts = []
    for topic, corner in zip(topics, chosen, strict=True):
        names = [aspect for aspect, w in zip(topic.aspects, corner, strict=True) if w]
        if names:
            parts.append(f"{topic.name}:{'+'.join(names)}")
    return " ".join(parts)
