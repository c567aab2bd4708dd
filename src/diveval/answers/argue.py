"""ARGUE's counts of a judged report: sentences, citations and nuggets, and the ratios made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diveval.answers.counting import harmonic
from diveval.answers.store import Nugget, Sentence
from diveval.reading.labels import plain

WEIGHT = {"vital": 2, "okay": 1}  # a nugget without importance weighs 1
COUNTS = (
    "sentences",
    "sentences_with_citations_or_requiring_citations",
    "correctly_cited_sentences",
    "citations",
    "relevant_citations",
    "supporting_citations",
    "nuggets",
    "correct_nuggets",
    "nuggets_weighted",
    "correct_nuggets_weighted",
)
GOOD = (
    "correct",
    "relevant",
    "supporting",
)  # counts of what an answer did right; the others only say how much there is
CHARACTERS = "character_count"
RATIOS = {
    "citation_relevance": ("relevant_citations", "citations"),
    "citation_support": ("supporting_citations", "citations"),
    "sentence_support": ("correctly_cited_sentences", "sentences_with_citations_or_requiring_citations"),
    "nugget_coverage": ("correct_nuggets", "nuggets"),
    "nugget_coverage_weighted": ("correct_nuggets_weighted", "nuggets_weighted"),
}
F1 = {"f1": "nugget_coverage", "f1_weighted": "nugget_coverage_weighted"}  # each with sentence_support


def counts(sentences: Sequence[Sentence], nuggets: Sequence[Nugget]) -> dict[str, float]:
    """The ten counts of one report, and its characters (sentences one after the other, nothing between them)."""
    cited = [sentence for sentence in sentences if sentence.citations]
    # A sentence that needs a citation and has none counts once: repeating it is no second fault.
    lacking = [s for s in sentences if not s.citations and s.needs_citation and s.first_instance is not False]
    citations = [citation for sentence in cited for citation in sentence.citations]
    correct = correct_nuggets(sentences, nuggets)
    return {
        "sentences": len(sentences),
        CHARACTERS: sum(len(sentence.text) for sentence in sentences),
        "sentences_with_citations_or_requiring_citations": len(cited) + len(lacking),
        "correctly_cited_sentences": sum(all(c.support == 2 for c in sentence.citations) for sentence in cited),
        "citations": len(citations),
        "relevant_citations": sum(c.relevant is True for c in citations),
        "supporting_citations": sum(c.support == 2 for c in citations),
        "nuggets": len(nuggets),
        "correct_nuggets": sum(correct),
        "nuggets_weighted": sum(_weight(nugget) for nugget in nuggets),
        "correct_nuggets_weighted": sum(_weight(n) for n, right in zip(nuggets, correct, strict=True) if right),
    }


def _weight(nugget: Nugget) -> int:
    return WEIGHT.get(plain(nugget.importance), 1)


def correct_nuggets(sentences: Sequence[Sentence], nuggets: Sequence[Nugget]) -> list[bool]:
    """Which nuggets the report has: a sentence matched one answer (OR), or sentences together matched all (AND)."""
    return [completed(sentences, nugget) is not None for nugget in nuggets]


def completed(sentences: Sequence[Sentence], nugget: Nugget) -> int | None:
    """The sentence with which a nugget is complete, None if it never is."""
    wanted, matched = set(nugget.answers), set()
    for place, sentence in enumerate(sentences):
        for question, answers in sentence.matches:
            if question == nugget.text:
                matched |= wanted & set(answers)
        if matched and (not nugget.all_of or matched == wanted):
            return place
    return None


def value(name: str, counted: Mapping[str, float]) -> float:
    """A count, a ratio or an f1 from the counts of a report, or from their sums over reports (`_micro`)."""
    if name in counted:
        return float(counted[name])
    if name in F1:
        return harmonic(value("sentence_support", counted), value(F1[name], counted))
    above, below = RATIOS[name]
    return counted[above] / counted[below] if counted[below] else 0.0


def summed(reports: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The counts of several reports together."""
    return {name: sum(report[name] for report in reports) for name in COUNTS}
