"""The ten constraints of the paper (Section 3) as situations to play with: before, after, and what must follow.

Values are small examples chosen so that the premises hold. Both rankings share their judged documents (what one lacks
is on its bench), so that ideals are the same; both have one length where the constraint is not about length.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypedDict

Rows = tuple[tuple[float, ...], ...]
Wanted = Literal["rises", "falls", "does not rise", "does not fall"]


class HandMadeShape(TypedDict):
    """One row per document, one number per aspect; the bench was judged but not returned."""

    relevance: list[list[float]]
    weights: list[float]
    bench: list[list[float]]


class SituationShape(TypedDict):
    """Two rankings, and what a constraint wants the score to do from the first to the second."""

    key: str
    title: str
    says: str
    why: str
    expected: Wanted
    before: HandMadeShape
    after: HandMadeShape


@dataclass(frozen=True)
class Preset:
    """Before and after; `expected` is what the constraint wants the score to do from one to the other."""

    key: str
    title: str
    says: str
    why: str
    before: Rows
    after: Rows
    expected: Wanted = "rises"
    weights: tuple[float, ...] = (1.0,)
    before_bench: Rows = field(default=())
    after_bench: Rows = field(default=())

    def shape(self) -> SituationShape:
        """As the API tells it."""
        return {
            "key": self.key,
            "title": self.title,
            "says": self.says,
            "why": self.why,
            "expected": self.expected,
            "before": _ranking(self.before, self.weights, self.before_bench),
            "after": _ranking(self.after, self.weights, self.after_bench),
        }


def _ranking(rows: Rows, weights: tuple[float, ...], bench: Rows) -> HandMadeShape:
    return {"relevance": [list(r) for r in rows], "weights": list(weights), "bench": [list(r) for r in bench]}


def _one(*values: float) -> Rows:
    """A ranking with a single aspect."""
    return tuple((value,) for value in values)


EVEN = (0.5, 0.5)

SITUATIONS = [
    Preset(
        "Pri",
        "Priority",
        "Swapping two documents so that the more relevant one comes first raises the score.",
        "A reader meets the better document earlier.",
        _one(0.4, 0.1, 0.3, 0),
        _one(0.4, 0.3, 0.1, 0),
    ),
    Preset(
        "Deep",
        "Deepness",
        "The same right swap counts for more near the top than further down.",
        "Before: ranks 5 and 6 were put right. After: ranks 1 and 2 instead.",
        _one(0, 0.2, 0, 0, 0.2, 0),
        _one(0.2, 0, 0, 0, 0, 0.2),
    ),
    Preset(
        "DeepTh",
        "Deepness threshold",
        "One relevant document at the top beats n relevant documents behind n others, once n is large enough.",
        "Nobody reads that far. Here n = 6; a more patient metric may need more.",
        _one(*[0.0] * 6, *[0.95] * 6),
        _one(0.95, *[0.0] * 11),
        after_bench=_one(*[0.95] * 5),
    ),
    Preset(
        "CloseTh",
        "Closeness threshold",
        "One relevant document at the top is worse than m relevant documents behind m others, for a small m.",
        "The first few ranks are read anyway: there, how much counts for more than where. Here m = 2.",
        _one(0.2, 0, 0, 0),
        _one(0, 0, 0.2, 0.2),
        before_bench=_one(0.2),
    ),
    Preset(
        "Conf",
        "Confidence",
        "Adding a non-relevant document at the end lowers the score.",
        "It costs a look and gives nothing; a system that knows when to stop deserves credit.",
        _one(0.4, 0.3, 0.2),
        _one(0.4, 0.3, 0.2, 0),
        "falls",
    ),
    Preset(
        "AspDiv",
        "Query aspect diversity",
        "A document that is more relevant to every aspect raises the score.",
        "More for the same look: the document at rank 2 says more about both aspects.",
        ((0.3, 0), (0.1, 0.1), (0, 0.2)),
        ((0.3, 0), (0.3, 0.3), (0, 0.2)),
        weights=EVEN,
        before_bench=((0.3, 0.3),),
        after_bench=((0.1, 0.1),),
    ),
    Preset(
        "Red",
        "Redundancy",
        "The next document counts for more on the aspect that fewer documents have covered.",
        "Two documents on the first aspect, one on the second: another on the first repeats more.",
        ((0.4, 0), (0.4, 0), (0, 0.4), (0.4, 0)),
        ((0.4, 0), (0.4, 0), (0, 0.4), (0, 0.4)),
        weights=EVEN,
        before_bench=((0, 0.4),),
        after_bench=((0.4, 0),),
    ),
    Preset(
        "MRed",
        "Monotonic redundancy",
        "Where every document above says more about one aspect, the next counts for more on the other.",
        "As redundancy, but grades count: 0.6 against 0.1 leaves less to say than 0.1 against 0.6.",
        ((0.6, 0.1), (0.5, 0.2), (0.3, 0)),
        ((0.6, 0.1), (0.5, 0.2), (0, 0.3)),
        weights=EVEN,
        before_bench=((0, 0.3),),
        after_bench=((0.3, 0),),
    ),
    Preset(
        "Sat",
        "Aspect relevance saturation",
        "Once a document satisfies an aspect in full, another on that aspect does not raise the score.",
        "The need is met; the rest is reading without gain.",
        ((0, 0.5), (1, 0)),
        ((0, 0.5), (1, 0), (0.7, 0)),
        "does not rise",
        EVEN,
        before_bench=((0.7, 0),),
    ),
    Preset(
        "AspRel",
        "Aspect relevance",
        "On aspects not yet covered, a document on the weightier one counts for more.",
        "Most people who ask mean the second aspect here.",
        ((0, 0, 0.2), (0.5, 0, 0)),
        ((0, 0, 0.2), (0, 0.5, 0)),
        weights=(0.2, 0.6, 0.2),
        before_bench=((0, 0.5, 0),),
        after_bench=((0.5, 0, 0),),
    ),
]
