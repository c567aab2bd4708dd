"""Scores of nuggets, citations and rubrics exactly as nuggetizer, RAGDoll, Open RAG Eval, UDCG and ARGUE compute them.

Sums are divided by counts, instead of summing weighted terms, so that the last bit equals the tools'. s(x) is 1 for
support, ½ for partial support, else 0; a strict form counts ½ as 0. V and O are the nuggets of importance vital and
okay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from diveval.answers.material import AssignmentLine, Criterion, Nugget, Passage, Sentence
from diveval.errors import InputError
from diveval.reading.judge_labels import FAILED, VERDICT, Share, plain

Reading = Callable[[object], str]


def exact(word: object) -> str:
    """A label as nuggetizer reads it: unchanged."""
    return word if isinstance(word, str) else _no_word(word)


def _no_word(label: object) -> str:
    """What tools take a label for that is no word: nothing. A share, which is no label of a tool, is an error."""
    if isinstance(label, Share):
        fault = f"a label is worth {label.value:g}, and other tools' scores know full, partial and no support only"
        raise InputError("unknown-label", fault, hint="combine=majority, or metrics under diveval's own names")
    return ""


def normalise_label(word: object) -> str:
    """A label as RAGDoll reads it: stripped and in lower case."""
    return word.strip().lower() if isinstance(word, str) else _no_word(word)


def worth(label: str, strict: bool) -> float:
    """s(x): 1, ½ or 0; with `strict`, 1 or 0."""
    return 1.0 if label == "support" else 0.5 if label == "partial_support" and not strict else 0.0


def total(line: AssignmentLine, reading: Reading, importance: str | None, strict: bool) -> float:
    """Σ s over the nuggets of an importance, None for all. Halves and ones: exact in any order."""
    return sum(
        worth(reading(label), strict) for nugget, label in _pairs(line) if importance in (None, nugget.importance)
    )


def count(line: AssignmentLine, importance: str | None) -> int:
    """How many nuggets have an importance, None for all."""
    return sum(importance in (None, nugget.importance) for nugget in line.nuggets)


def _pairs(line: AssignmentLine) -> zip[tuple[Nugget, object]]:
    return zip(line.nuggets, line.labels, strict=True)


def share(line: AssignmentLine, reading: Reading = exact, importance: str | None = None, strict: bool = False) -> float:
    """Σ s / number, 0 without a nugget: nuggetizer's all, vital and their strict forms."""
    number = count(line, importance)
    return total(line, reading, importance, strict) / number if number else 0.0


def recall_by_weight(line: AssignmentLine, strict: bool = False, least: int = 0) -> float:
    """W = (Σ_V s + ½ Σ_O s) / (|V| + ½|O|), 0 if there is neither, as pyterrier-nuggetizer computes it.

    Open RAG Eval counts at least one vital and one okay nugget in the denominator: `least` 1.
    """
    below = max(count(line, "vital"), least) + 0.5 * max(count(line, "okay"), least)
    above = total(line, exact, "vital", strict) + 0.5 * total(line, exact, "okay", strict)
    return above / below if below else 0.0


def count_failed(line: AssignmentLine) -> int:
    """How many labels the judge failed to give."""
    return sum(normalise_label(label) in FAILED for label in line.labels)


# --- citations --------------------------------------------------------------------------------------------------------

Credit = Callable[[float], float]  # of the support of a judged citation


def half(support: float) -> float:
    """1, ½ or 0."""
    return support / 2.0


def hard(support: float) -> float:
    """1 for full support only."""
    return float(support == 2)


def sum_support(sentences: Sequence[Sentence], *, first: bool = True, credit: Credit = half) -> tuple[float, int, int]:
    """(Σ credit, |A|, |U|): A are sentences with judged citations, U those with unjudged citations only.

    The credit of a sentence is that of its first citation, or the mean over all judged ones.
    """
    gained, judged, unjudged = 0.0, 0, 0
    for sentence in sentences:
        if not sentence.citations:
            continue
        looked = sentence.citations[:1] if first else sentence.citations
        credits = [credit(citation.support) for citation in looked if citation.support >= 0]
        if credits:
            gained += sum(credits) / len(credits)
            judged += 1
        else:
            unjudged += 1
    return gained, judged, unjudged


def precision(sentences: Sequence[Sentence], *, first: bool = True, credit: Credit = half) -> float:
    """Σ_A c / |A|; 0 if nothing was judged."""
    gained, judged, _ = sum_support(sentences, first=first, credit=credit)
    return gained / judged if judged else 0.0


def recall(sentences: Sequence[Sentence], *, first: bool = True, credit: Credit = half) -> float:
    """Σ_A c / (|S| − |U|): a sentence without citation counts 0, one with unjudged citations only does not count."""
    gained, _, unjudged = sum_support(sentences, first=first, credit=credit)
    below = len(sentences) - unjudged
    return gained / below if below else 0.0


def passage_precision(sentences: Sequence[Sentence]) -> float:
    """Open RAG Eval: the mean over distinct cited passages of the mean of a passage's labels."""
    by_passage: dict[str, list[float]] = {}
    for sentence in sentences:
        for citation in sentence.citations:
            by_passage.setdefault(citation.document, []).append(half(max(citation.support, 0)))
    return _mean([_mean(credits) for credits in by_passage.values()])


def sentence_recall(sentences: Sequence[Sentence]) -> float:
    """Open RAG Eval: the mean over all sentences of the mean of a sentence's labels, 0 without citation."""
    return _mean([_mean([half(max(c.support, 0)) for c in sentence.citations]) for sentence in sentences])


def harmonic(a: float, b: float) -> float:
    """2ab / (a + b), 0 if both are 0."""
    return 2 * a * b / (a + b) if a + b > 0 else 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


# --- rubrics and contexts ---------------------------------------------------------------------------------------------


def rubric(criteria: Sequence[Criterion], *, binary: bool = False) -> float | None:
    """Σ w·v / Σ_{w>0} w, which may be negative; None without a positive weight."""
    below = sum(c.weight for c in criteria if c.weight > 0)
    if below <= 0:
        return None
    return sum(c.weight * verdict(c, binary=binary) for c in criteria) / below


def verdict(criterion: Criterion, *, binary: bool = False) -> float:
    """1, ½ or 0; with `binary`, ½ counts as 0."""
    value = VERDICT.get(plain(criterion.verdict), 0.0)
    return float(value == 1.0) if binary else value


def mandatory_failures(criteria: Sequence[Criterion]) -> int:
    """Mandatory criteria that are not fully met, whatever the sign of their weight."""
    return sum(c.tier == "mandatory" and verdict(c) < 1.0 for c in criteria)


def udcg(passages: Sequence[Passage], irrelevant: float = -1 / 3) -> float:
    """σ((1/n) Σ c (1 − x)), c = 1 if relevant, else −⅓; a passage without label or x adds nothing but counts in n."""
    if not passages:
        return 0.0
    gained = sum(
        (1.0 if passage.relevant else irrelevant) * (1.0 - passage.abstains)
        for passage in passages
        if passage.relevant is not None and passage.abstains is not None
    )
    return 1.0 / (1.0 + math.exp(-gained / len(passages)))


# --- ARGUE ------------------------------------------------------------------------------------------------------------


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
GOOD = ("correct", "relevant", "supporting")  # counts of which more is better; the others only measure size
CHARACTERS = "character_count"
RATIOS = {
    "citation_relevance": ("relevant_citations", "citations"),
    "citation_support": ("supporting_citations", "citations"),
    "sentence_support": ("correctly_cited_sentences", "sentences_with_citations_or_requiring_citations"),
    "nugget_coverage": ("correct_nuggets", "nuggets"),
    "nugget_coverage_weighted": ("correct_nuggets_weighted", "nuggets_weighted"),
}
F1 = {"f1": "nugget_coverage", "f1_weighted": "nugget_coverage_weighted"}  # each with sentence_support


def report_counts(sentences: Sequence[Sentence], nuggets: Sequence[Nugget]) -> dict[str, float]:
    """The ten counts of one report, and its characters (of the sentences without separators)."""
    cited = [sentence for sentence in sentences if sentence.citations]
    # A sentence that needs a citation and has none counts once: repetitions of it do not count again.
    lacking = [s for s in sentences if not s.citations and s.needs_citation and s.first_instance is not False]
    citations = [citation for sentence in cited for citation in sentence.citations]
    # A nugget is correct if some sentence matches one of its answers (OR), or sentences together match all (AND).
    correct = [find_completing(sentences, nugget) is not None for nugget in nuggets]
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
        "nuggets_weighted": sum(_argue_weight(nugget) for nugget in nuggets),
        "correct_nuggets_weighted": sum(_argue_weight(n) for n, right in zip(nuggets, correct, strict=True) if right),
    }


def _argue_weight(nugget: Nugget) -> int:
    return WEIGHT.get(plain(nugget.importance), 1)


def find_completing(sentences: Sequence[Sentence], nugget: Nugget) -> int | None:
    """The first sentence after which a nugget is complete, None if it never is."""
    wanted, matched = set(nugget.answers), set()
    for place, sentence in enumerate(sentences):
        for question, answers in sentence.matches:
            if question == nugget.text:
                matched |= wanted & set(answers)
        if matched and (not nugget.all_of or matched == wanted):
            return place
    return None


def argue_value(name: str, counted: Mapping[str, float]) -> float:
    """A count, a ratio or an f1 from the counts of a report, or from their sums over reports (`_micro`)."""
    if name in counted:
        return float(counted[name])
    if name in F1:
        return harmonic(argue_value("sentence_support", counted), argue_value(F1[name], counted))
    above, below = RATIOS[name]
    return counted[above] / counted[below] if counted[below] else 0.0


def sum_counts(reports: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The counts of several reports together."""
    return {name: sum(report[name] for report in reports) for name in COUNTS}
