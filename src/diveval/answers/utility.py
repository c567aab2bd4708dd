"""Diveval's own metrics of one answer: coverage of nuggets, citations, and RBU by sentence, tokens as effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from diveval.answers.counting import HARD, precision, recall, supported
from diveval.answers.judged import Answer
from diveval.answers.store import Sentence
from diveval.metrics.algebra import Aspects, BestSoFar, Cascade, Geometric
from diveval.metrics.formulas import Sum
from diveval.metrics.ranking import Ranking


def coverage(answer: Answer, *, of: str = "all", strict: bool = False) -> float | None:
    """Σ w·s / Σ w over the nuggets: all alike, the vital ones, or by importance; None where none of them counts."""
    grades = [float(grade == 1.0) if strict else grade for grade in answer.grades]
    weights = {
        "all": [1.0] * len(grades),
        "weighted": answer.weights,
        "vital": [float(place in answer.vital) for place in range(len(grades))],
    }[of]
    below = sum(weights)
    return sum(w * g for w, g in zip(weights, grades, strict=True)) / below if below > 0 else None


def coverage_rate(answer: Answer, *, unit: float = 100.0) -> float | None:
    """Weighted coverage per 100 tokens; None where sentences have no labels."""
    value = coverage(answer, of="weighted")
    if value is None or answer.sentences is None:
        return None
    spent = tokens(answer.sentences)
    return value * unit / spent if spent else 0.0


def tokens(sentences: Sequence[Sentence]) -> float:
    """Tokens of all sentences together."""
    return sum(sentence.tokens or 0.0 for sentence in sentences)


@dataclass(frozen=True)
class Utility:
    """RBU of an answer: Σ_i p^i (Σ_t w_t r(i,t) · novelty − e·n_i/U), sentence i of n_i tokens, U tokens costing e.

    `cited` counts what a sentence brings only where its first citation supports it in full.
    """

    p: float = 0.99
    e: float = 0.05
    unit: float = 20.0
    novelty: str = "cascade"
    cited: bool = False

    def terms(self, answer: Answer) -> list[float] | None:
        """What each sentence adds, effort taken off; None without labels by sentence, or if no nugget counts."""
        total = sum(answer.weights)
        if answer.sentences is None or total <= 0:
            return None
        if not answer.sentences:
            return []
        rows = np.array(answer.rows, dtype=np.float64).reshape(len(answer.sentences), len(answer.nuggets))
        if self.cited:
            rows *= np.array([[float(is_supported(sentence))] for sentence in answer.sentences])
        costs = np.array([(sentence.tokens or 0.0) / self.unit for sentence in answer.sentences])
        novelty = BestSoFar() if self.novelty == "best" else Cascade()
        formula = Sum(Aspects(), Geometric(self.p), novelty, self.e)
        ranking = Ranking(rows, np.array(answer.weights) / total, rows, costs=costs)
        return [float(term) for term in formula.terms(ranking)]

    def value(self, answer: Answer) -> float | None:
        """The utility of the whole answer; 0 for an empty one."""
        terms = self.terms(answer)
        return None if terms is None else float(sum(terms))

    def best(self, answer: Answer) -> tuple[int, float] | None:
        """How many sentences to keep (0: none is worth reading) and the utility there; of equals the fewest."""
        terms = self.terms(answer)
        if terms is None:
            return None
        sums = [0.0, *np.cumsum(terms).tolist()]
        keep = int(np.argmax(sums))
        return keep, float(sums[keep])


def is_supported(sentence: Sentence) -> bool:
    """Does the first citation support the sentence in full?"""
    return bool(sentence.citations) and sentence.citations[0].support == 2


def citation_precision(sentences: Sequence[Sentence], *, first: bool = True, hard: bool = False) -> float | None:
    """Σ_A c / |A| as in TREC RAG; 0 without citations, None where there are some and none was judged."""
    _, judged, unjudged = supported(sentences, first=first)
    if unjudged and not judged:
        return None
    return precision(sentences, first=first, **({"credit": HARD} if hard else {}))


def citation_recall(sentences: Sequence[Sentence], *, first: bool = True, hard: bool = False) -> float | None:
    """Σ_A c / (|S| − |U|) as in TREC RAG; None where every sentence cites and none was judged."""
    _, judged, unjudged = supported(sentences, first=first)
    if unjudged and unjudged == len(sentences) and not judged:
        return None
    return recall(sentences, first=first, **({"credit": HARD} if hard else {}))


def share_judged(sentences: Sequence[Sentence]) -> float | None:
    """How many of the citations were judged at all."""
    listed = [citation for sentence in sentences for citation in sentence.citations]
    return sum(citation.support >= 0 for citation in listed) / len(listed) if listed else None


def hopeful(answer: Answer) -> Answer:
    """The same answer, had every failed label been support."""
    return replace(answer, hopeful=True)
