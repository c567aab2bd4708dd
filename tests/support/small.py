"""Random small collections for property tests: judgments with aspects, and rankings with some unjudged documents."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

ASPECTS = st.integers(1, 4)
GRADES = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]


@dataclass(frozen=True)
class Small:
    """One topic: relevance by document and aspect, weights by aspect, one ranking of document ids."""

    relevance: dict[str, list[Fraction]]
    weights: list[Fraction]
    ranking: list[str]

    @property
    def aspects(self) -> list[int]:
        """Aspects with a relevant document; the others are dropped by default."""
        return [t for t in range(len(self.weights)) if any(row[t] > 0 for row in self.relevance.values())]

    def judgments(self) -> dict[str, dict[str, dict[str, float]]]:
        """The judgments as `evaluate` reads them."""
        return {
            "1": {
                f"a{t}": {document: float(row[t]) for document, row in self.relevance.items()}
                for t in range(len(self.weights))
            }
        }

    def weight_map(self) -> dict[tuple[str, str], float]:
        """Weights by (topic, aspect)."""
        return {("1", f"a{t}"): float(w) for t, w in enumerate(self.weights)}

    def run(self) -> dict[str, dict[str, float]]:
        """The run, with descending scores."""
        return {"1": {document: float(len(self.ranking) - i) for i, document in enumerate(self.ranking)}}

    def exact_weights(self) -> list[Fraction]:
        """Weights of the aspects with a relevant document, normalised to 1."""
        kept = [self.weights[t] for t in self.aspects]
        return [w / sum(kept) for w in kept]

    def rows(self) -> list[list[Fraction]]:
        """The ranking as rows of relevance over the aspects with a relevant document."""
        nothing = [Fraction(0)] * len(self.weights)
        return [[self.relevance.get(d, nothing)[t] for t in self.aspects] for d in self.ranking]

    def pool(self) -> list[list[Fraction]]:
        """The rows of all relevant documents, by id descending."""
        ordered = sorted(self.relevance, reverse=True)
        rows = [[self.relevance[d][t] for t in self.aspects] for d in ordered]
        return [row for row in rows if any(r > 0 for r in row)]


@st.composite
def small_collections(draw: st.DrawFn, *, aspects: st.SearchStrategy[int] = ASPECTS, longest: int = 12) -> Small:
    """One topic with at least one relevant document."""
    width = draw(aspects)
    judged = [f"d{i:02d}" for i in range(draw(st.integers(1, 8)))]
    relevance = {d: draw(st.lists(st.sampled_from(GRADES), min_size=width, max_size=width)) for d in judged}
    if not any(r > 0 for row in relevance.values() for r in row):
        relevance[judged[0]][0] = Fraction(1, 2)
    weights = [Fraction(draw(st.integers(1, 9))) for _ in range(width)]
    unjudged = [f"u{i:02d}" for i in range(6)]
    ranking = draw(st.lists(st.sampled_from(judged + unjudged), unique=True, min_size=1, max_size=longest))
    return Small(relevance, weights, ranking)
