"""One answer under diveval's own rules, with a grade for every nugget, for the whole answer or by sentence; and the
metrics of answers: coverage of nuggets, citations, and RBU with sentences as documents and tokens as effort.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from diveval.answers import answer_texts
from diveval.answers.material import AnswerFiles, AssignmentLine, Nugget, Sentence, System
from diveval.answers.tool_rules import Credit, find_completing, precision, recall, sum_support
from diveval.collection.joins import Match, match
from diveval.defaults import EFFORT, PATIENCE
from diveval.errors import InputError, count_of, preview, quote, warn
from diveval.metrics.algebra import Aspects, BestSoFar, Cascade, Geometric
from diveval.metrics.formulas import Sum
from diveval.metrics.ranking import Ranking
from diveval.reading.judge_labels import importance_weight, is_failed, plain, support_grade


@dataclass(frozen=True)
class Answer:
    """The argument of our metrics: the query's nuggets, their labels for the whole answer, and labelled sentences.

    `hopeful` counts a label that the judge failed to give as full support, for residuals.
    """

    nuggets: tuple[Nugget, ...]
    labels: tuple[object, ...] | None = None
    sentences: tuple[Sentence, ...] | None = None
    hopeful: bool = False

    def grade(self, label: object) -> float:
        """1, ½ or 0; an unknown label is 0."""
        if self.hopeful and is_failed(label):
            return 1.0
        return (support_grade(label) or 0.0) / 2.0

    @property
    def grades(self) -> list[float]:
        """A grade for each nugget: of the whole answer, or the best of its sentences."""
        if self.labels is not None:
            return [self.grade(label) for label in self.labels]
        best = [0.0] * len(self.nuggets)
        for row in self.rows:
            best = [max(a, b) for a, b in zip(best, row, strict=True)]
        return best

    @property
    def rows(self) -> list[list[float]]:
        """Sentence × nugget."""
        return [
            [self.grade(sentence.labels.get(place, "not_support")) for place in range(len(self.nuggets))]
            for sentence in self.sentences or ()
        ]

    @property
    def weights(self) -> list[float]:
        """Vital 1, okay ½; 0 for an unknown importance."""
        return [importance_weight(nugget.importance) or 0.0 for nugget in self.nuggets]

    @property
    def vital(self) -> list[int]:
        """The positions of the vital nuggets."""
        return [place for place, nugget in enumerate(self.nuggets) if plain(nugget.importance) == "vital"]

    @property
    def failures(self) -> int:
        """The number of labels that the judge failed to give."""
        if self.labels is not None:
            return sum(is_failed(label) for label in self.labels)
        return sum(is_failed(label) for sentence in self.sentences or () for label in sentence.labels.values())


def empty_answer(nuggets: tuple[Nugget, ...]) -> Answer:
    """An answer without text, which supports no nugget whatever its labels."""
    return Answer(nuggets, ("not_support",) * len(nuggets), ())


def answers_of(material: AnswerFiles, system: System, *, counter: str = "words") -> dict[str, Answer]:
    """Every labelled answer of a system to a query of the bank; the same query twice is an error."""
    out: dict[str, Answer] = {}
    name = f"{system.source} ({system.run_id})" if system.source else system.run_id
    foreign = Alignment(name, material.bank_source)
    empty = _empty_lines(system, material)
    for line in system.lines:
        if line.document is not None:
            continue  # a passage: its query's passages together are the context, under `labelled`
        if line.query in out:
            raise InputError(
                "duplicate-answer",
                f"query {quote(line.query)} has two answers in run {quote(system.run_id)}",
                hint="keep one (nuggetizer.* and ragdoll.* average both)",
                source=system.source,
                line=line.number,
            )
        if line.query in material.bank:
            nuggets = material.bank[line.query]
            if line in empty:
                out[line.query] = replace(empty_answer(nuggets), sentences=None)
            else:
                out[line.query] = Answer(nuggets, foreign.labels(line, nuggets))
        else:
            foreign.queries.append(line.query)
    matched = [(q, _label_by_matches(report, material.bank.get(q, ()))) for q, report in system.reports.items()]
    for query, sentences in [*system.labelled.items(), *matched]:
        if query in material.bank:
            whole = out.get(query, Answer(material.bank[query]))
            out[query] = replace(whole, sentences=_complete(system, query, sentences, counter))
        else:
            foreign.queries.append(query)
    if asked := [*(line.query for line in system.lines), *system.labelled, *system.reports]:
        found = match(material.bank_source, f"queries of {name}", asked, material.bank.keys(), effect=None)
        material.note(replace(found, table=name, kind="answered queries with nuggets"))
        own = set(asked) & set(material.bank)
        material.note(Match(name, "queries with an answer", len(own), len(material.bank)))
    for found in foreign.report():
        material.note(found)
    _warn_about_unlabelled(material, system, name)
    texts = [line.text for line in system.lines if line.document is None]
    if texts and not empty and not system.texts and not any(text is None or text.strip() for text in texts):
        warn("answer-without-text", f"{system.source}: every answer is an empty text; the labels count all the same")
    if empty:
        queries = preview([line.query for line in empty])
        number = count_of(len(empty), "empty answer", "empty answers")
        warn("answer-scored-zero", f"{system.source}: {number} scored 0, whatever the labels ({queries})")
    return out


def _warn_about_unlabelled(material: AnswerFiles, system: System, name: str) -> None:
    """Warn about nuggets without a label in any sentence, if the judge also wrote down what is not supported."""
    given = {query: [label for one in own for label in one.labels.items()] for query, own in system.labelled.items()}
    if not any(support_grade(label) == 0.0 for own in given.values() for _, label in own):
        return
    bare, total = [], 0
    for query, own in given.items():
        nuggets = material.bank.get(query, ())
        places = {place for place, _ in own}
        total += len(nuggets)
        bare += [f"{query}: {nugget.text}" for place, nugget in enumerate(nuggets) if place not in places]
    material.note(Match(name, "nuggets labelled in a sentence", total - len(bare), total))
    if bare:
        number = count_of(len(bare), "nugget")
        warn("missing-labels", f"{name}: {number} without a label in any sentence, counted as 0 ({preview(bare, 3)})")


def _has_text(system: System) -> bool:
    return any((line.text or "").strip() for line in system.lines if line.document is None)


def _empty_lines(system: System, material: AnswerFiles) -> list[AssignmentLine]:
    """Answers with an empty text; none if no system has any text."""
    lines = [line for line in system.lines if line.document is None]
    blank = any(line.text is not None and not line.text.strip() for line in lines)
    texts_given = blank and any(map(_has_text, (system, *material.systems.values())))
    return [
        line
        for line in lines
        if (texts_given and line.text is not None and not line.text.strip())
        or (line.query in system.texts and not any(s.text.strip() for s in system.texts[line.query]))
    ]


def _label_by_matches(report: Sequence[Sentence], nuggets: Sequence[Nugget]) -> tuple[Sentence, ...]:
    """ARGUE's matches as labels: every match of an OR nugget; for an AND nugget the sentence that completes it."""
    labels: list[dict[int | str, object]] = [{} for _ in report]
    for place, nugget in enumerate(nuggets):
        if nugget.all_of:
            last = find_completing(report, nugget)
            if last is not None:
                labels[last][place] = "support"
            continue
        for s, sentence in enumerate(report):
            if find_completing([sentence], nugget) is not None:
                labels[s][place] = "support"
    return tuple(replace(sentence, labels=own) for sentence, own in zip(report, labels, strict=True))


def _complete(system: System, query: str, sentences: Sequence[Sentence], counter: str) -> tuple[Sentence, ...]:
    """The sentences with their texts, tokens and, if known, the support of their citations."""
    written, cited = system.texts.get(query), system.support.get(query)
    for other, what in ((written, "answers"), (cited, "support")):
        if other is not None and len(other) != len(sentences):
            raise InputError(
                "label-count-mismatch",
                f"query {quote(query)}: {count_of(len(sentences), 'sentence has', 'sentences have')} labels, but {what} of run"
                f" {quote(system.run_id)} have {len(other)}",
                source=system.source,
            )
    out = []
    for place, sentence in enumerate(sentences):
        text = written[place].text if written is not None else sentence.text
        tokens = sentence.tokens if sentence.tokens is not None else float(answer_texts.COUNTERS[counter](text))
        citations = sentence.citations
        if cited is not None:
            citations = cited[place].citations
        elif written is not None and not citations:
            citations = written[place].citations
        out.append(replace(sentence, text=text, tokens=tokens, citations=citations))
    return tuple(out)


class Alignment:
    """Assigns labels to the bank's nuggets: by position if the texts agree, else by text; the rest is reported."""

    def __init__(self, source: str, bank: str) -> None:
        self.source, self.bank = source, bank
        self.queries: list[str] = []
        self.lost: Counter[str] = Counter()
        self.unlabelled: Counter[str] = Counter()
        self.conflicts: Counter[str] = Counter()  # nuggets whose importance is another one in the bank
        self.wanted: dict[str, None] = {}  # nuggets of the bank in answered queries
        self.given: dict[str, None] = {}  # nuggets with a label

    def labels(self, line: AssignmentLine, nuggets: Sequence[Nugget]) -> tuple[object, ...]:
        """One label for each nugget of the bank."""
        self.wanted.update(dict.fromkeys(f"{line.query}: {nugget.text}" for nugget in nuggets))
        self.given.update(dict.fromkeys(f"{line.query}: {nugget.text}" for nugget in line.nuggets))
        important = {nugget.text: nugget.importance for nugget in nuggets}
        self.conflicts[line.query] += sum(
            importance_weight(nugget.importance) != importance_weight(important[nugget.text])
            for nugget in line.nuggets
            if nugget.importance is not None and nugget.text in important
        )
        if [n.text for n in line.nuggets] == [n.text for n in nuggets]:
            return line.labels
        by_text: dict[str, list[object]] = {}
        for nugget, label in zip(line.nuggets, line.labels, strict=True):
            by_text.setdefault(nugget.text, []).append(label)
        out: list[object] = []
        for nugget in nuggets:
            waiting = by_text.get(nugget.text)
            if not waiting:
                self.unlabelled[line.query] += 1
            out.append(waiting.pop(0) if waiting else None)  # counts 0
        left = sum(map(len, by_text.values()))
        if left:
            self.lost[line.query] += left
        return tuple(out)

    def report(self) -> list[Match]:
        """What matched; a warning about what is in one of the two files only, or differs in importance."""
        found = []
        if self.wanted:
            found.append(match(self.source, "nuggets with a label", self.wanted, self.given, effect=None))
        if self.given:
            of_bank = match(self.bank, f"labelled nuggets of {self.source}", self.given, self.wanted, effect=None)
            found.append(replace(of_bank, table=self.source, kind="labelled nuggets that the queries have"))
        if self.conflicts.total():
            queries = [query for query, number in self.conflicts.items() if number]
            number = count_of(self.conflicts.total(), "nugget has", "nuggets have")
            warn(
                "conflicting-weights",
                f"{self.source}: {number} another importance than in {self.bank}, which counts ({preview(queries)})",
            )
        if self.queries:
            number = count_of(len(self.queries), "query is", "queries are")
            warn("topics-left-out", f"{self.source}: {number} not in {self.bank}, left out ({preview(self.queries)})")
        if self.unlabelled:
            warn(
                "missing-labels",
                f"{self.source}: {count_of(self.unlabelled.total(), 'nugget', 'nuggets')} of {self.bank} without a label in"
                f" {count_of(len(self.unlabelled), 'query', 'queries')}, counted as 0 ({preview(list(self.unlabelled))})",
            )
        if self.lost:
            warn(
                "unknown-nugget",
                f"{self.source}: {count_of(self.lost.total(), 'label', 'labels')} of nuggets that {self.bank} does not have, left"
                f" out, in {count_of(len(self.lost), 'query', 'queries')} ({preview(list(self.lost))})",
            )
        return found


# --- metrics ----------------------------------------------------------------------------------------------------------


def coverage(answer: Answer, *, of: str = "all", strict: bool = False) -> float | None:
    """Σ w·s / Σ w over the nuggets: all with equal weight, the vital ones, or by importance; None if no nugget counts."""
    grades = [float(grade == 1.0) if strict else grade for grade in answer.grades]
    weights = {
        "all": [1.0] * len(grades),
        "weighted": answer.weights,
        "vital": [float(place in answer.vital) for place in range(len(grades))],
    }[of]
    below = sum(weights)
    return sum(w * g for w, g in zip(weights, grades, strict=True)) / below if below > 0 else None


def coverage_rate(answer: Answer, *, unit: float = 100.0) -> float | None:
    """Weighted coverage per 100 tokens; None if sentences have no labels."""
    value = coverage(answer, of="weighted")
    if value is None or answer.sentences is None:
        return None
    spent = tokens_of(answer.sentences)
    return value * unit / spent if spent else 0.0


def tokens_of(sentences: Sequence[Sentence]) -> float:
    """Tokens of all sentences together."""
    return sum(sentence.tokens or 0.0 for sentence in sentences)


@dataclass(frozen=True)
class Utility:
    """RBU of an answer: Σ_i p^i (Σ_t w_t r(i,t) · novelty − e·n_i/U), sentence i of n_i tokens, U tokens costing e.

    With `cited`, a sentence gains only if its first citation fully supports it.
    """

    p: float = PATIENCE
    e: float = EFFORT
    unit: float = 20.0
    novelty: str = "cascade"
    cited: bool = False

    def terms(self, answer: Answer) -> list[float] | None:
        """The contribution of each sentence, less effort; None without labels by sentence, or if no nugget counts."""
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
        """The number of sentences with the highest utility (0: no prefix has positive utility) and that utility."""
        terms = self.terms(answer)
        if terms is None:
            return None
        sums = [0.0, *np.cumsum(terms).tolist()]
        keep = int(np.argmax(sums))
        return keep, float(sums[keep])


def is_supported(sentence: Sentence) -> bool:
    """Whether the first citation fully supports the sentence."""
    return bool(sentence.citations) and sentence.citations[0].support == 2


def citation_precision(sentences: Sequence[Sentence], *, first: bool, credit: Credit) -> float | None:
    """Σ_A c / |A| as in TREC RAG; 0 without citations, None if there are some and none was judged."""
    _, judged, unjudged = sum_support(sentences, first=first)
    if unjudged and not judged:
        return None
    return precision(sentences, first=first, credit=credit)


def citation_recall(sentences: Sequence[Sentence], *, first: bool, credit: Credit) -> float | None:
    """Σ_A c / (|S| − |U|) as in TREC RAG; None if every sentence cites and none was judged."""
    _, judged, unjudged = sum_support(sentences, first=first)
    if unjudged and unjudged == len(sentences) and not judged:
        return None
    return recall(sentences, first=first, credit=credit)


def share_judged(sentences: Sequence[Sentence]) -> float | None:
    """The share of the citations that were judged."""
    listed = [citation for sentence in sentences for citation in sentence.citations]
    return sum(citation.support >= 0 for citation in listed) / len(listed) if listed else None
