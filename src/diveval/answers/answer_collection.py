"""Answers as a collection: sentences are documents in reading order, nuggets aspects, tokens effort.

Tools for rankings (`conclusions`, any metric of the catalogue) can then be used for answers. RBU of such a ranking is
RBU of the answer: Σ_i p^i (Σ_t w_t r(i,t) Π_{j<i}(1 − r(j,t)) − e·n_i/U), with U = `UNIT` tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diveval.answers.answer_texts import COUNTERS
from diveval.answers.material import AnswerFiles, Sentence, System
from diveval.answers.own_metrics import Answer, Utility, answers_of, coverage, is_supported, tokens_of
from diveval.collection.judgments import Judgments, naturally
from diveval.collection.runs import Run, TopicRun
from diveval.errors import InputError, capture_warnings, count_of, preview, quote, warn
from diveval.reading.trec import JudgmentRow
from diveval.settings import Efforts, Options

UNIT = 20.0  # tokens that cost e


@dataclass(frozen=True)
class AnswerCollection:
    """Judgments and runs of answers, and the options to score them with."""

    judgments: Judgments
    runs: tuple[Run, ...]
    options: Options
    by_sentence: bool  # False: each answer is one document, since not all answers have labels by sentence


def as_collection(material: AnswerFiles, *, source: str = "") -> AnswerCollection:
    """The labelled answers as judgments and runs; `source` is what the judgments are called.

    The id of a sentence is `run/query/place`, that of a nugget its place in the bank. A label that the judge failed to
    give is 0, as in every score. A query without a nugget of positive weight is left out, with a warning. Unless every
    answer has labels by sentence, each answer is one document, so that the kind of labels gives no system an advantage.
    """
    by_run = {name: answers_of(material, system) for name, system in material.systems.items()}
    for name, answers in by_run.items():
        if not answers:
            raise InputError(
                "missing-labels", f"run {quote(name)} has no labels of nuggets", source=material.systems[name].source
            )
    weights = _weights(material)
    costs: dict[str, float] = {}
    runs: list[Run] = []
    rows: list[JudgmentRow] = []
    places: dict[str, list[str]] = {}
    for query, place in weights:
        places.setdefault(query, []).append(place)
    by_sentence = all(answer.sentences is not None for answers in by_run.values() for answer in answers.values())
    silent: list[str] = []
    for name, answers in by_run.items():
        lists: dict[str, TopicRun] = {}
        for query in naturally(set(answers) & set(places)):
            listed = list(_documents(name, query, answers[query], by_sentence))
            lists[query] = TopicRun([document for document, _, _ in listed])
            for document, grades, tokens in listed:
                costs[document] = _tokens(material.systems[name], query, tokens)
                if not costs[document] and any(grades):
                    silent.append(document)
                rows += [
                    (query, str(place), document, 2.0 * grade)
                    for place, grade in enumerate(grades)
                    if grade is not None
                ]
        runs.append(Run(name, lists, material.systems[name].source))
    options = Options.of(
        gain="linear",
        gmax=2.0,
        empty_aspects="keep",
        order="file",
        missing_topics="zero",
        efforts=Efforts(costs, UNIT, 0.0),
    )
    judged = Judgments.from_rows(rows, source=source or material.bank_source)
    judgments = judged.with_unjudged(places).with_weights(weights, quiet=True)  # also nuggets that nobody labelled
    if silent:
        number = count_of(len(silent), "answer has", "answers have")
        warn("answer-without-text", f"{number} labels but no text, so their reading effort is 0 ({preview(silent)})")
    return AnswerCollection(judgments, tuple(runs), options, by_sentence)


def judgments_by_judge(material: AnswerFiles) -> list[tuple[str, Judgments]]:
    """The judgments of each judge who labelled all answers; others are left out, with a warning."""
    out, partial = [], []
    for judge, one in material.judges.items():
        if list_labels(one) >= list_labels(material):
            with capture_warnings():  # the same as of all judges together
                out.append((judge, as_collection(one, source=judge).judgments))
        else:
            partial.append(judge or "(no name)")
    if partial:
        number = count_of(len(partial), "judge", "judges")
        warn("missing-labels", f"{number} without a label of every nugget left out ({preview(partial)})")
    return out


def list_labels(material: AnswerFiles) -> set[tuple[str, str, int, object]]:
    """Every item with a label: system, query, sentence (−1: the whole answer) and nugget."""
    items: set[tuple[str, str, int, object]] = set()
    for name, system in material.systems.items():
        for line in system.lines:
            items |= {(name, line.query, -1, nugget.text) for nugget in line.nuggets}
        for query, sentences in system.labelled.items():
            items |= {(name, query, s, key) for s, one in enumerate(sentences) for key in one.labels}
    return items


def _weights(material: AnswerFiles) -> dict[tuple[str, str], float]:
    """(query, nugget) → weight, for queries with a nugget of positive weight."""
    listed = {query: Answer(nuggets).weights for query, nuggets in material.bank.items()}
    bare = [query for query, weights in listed.items() if sum(weights) <= 0]
    if bare:
        number = count_of(len(bare), "query", "queries")
        warn(
            "topics-left-out",
            f"{material.bank_source}: {number} without a nugget of positive weight left out ({preview(bare)})",
        )
    kept: Mapping[str, list[float]] = {query: weights for query, weights in listed.items() if query not in bare}
    if not kept:
        raise InputError("no-judgment", "no query has a nugget with a weight", source=material.bank_source)
    return {(query, str(place)): weight for query, own in kept.items() for place, weight in enumerate(own)}


def _documents(
    run: str, query: str, answer: Answer, by_sentence: bool
) -> Iterator[tuple[str, Sequence[float | None], float | None]]:
    """(name, grade by nugget, tokens) of each sentence, or of the whole answer, where None is a nugget without a label."""
    if not by_sentence or answer.sentences is None:
        labels: Sequence[object] = answer.labels or answer.grades
        given: list[float | None] = [
            None if label is None else grade for label, grade in zip(labels, answer.grades, strict=True)
        ]
        yield f"{run}/{query}/0", given, None if answer.sentences is None else tokens_of(answer.sentences)
        return
    for place, (sentence, grades) in enumerate(zip(answer.sentences, answer.rows, strict=True)):
        yield f"{run}/{query}/{place}", grades, sentence.tokens


def _tokens(system: System, query: str, tokens: float | None) -> float:
    """Tokens as given; for a whole answer the words of its text, 0 without a text."""
    return float(COUNTERS["words"](_text_of(system, query))) if tokens is None else tokens


# --- sentence by sentence, ready for JSON -----------------------------------------------------------------------------


SUPPORT: Mapping[float, str] = {2: "full", 1: "partial", 0: "none", -1: "not judged"}


def contents(material: AnswerFiles, *, utility: Utility | None = None, counter: str = "words") -> list[dict[str, Any]]:
    """Every labelled answer: run, query, nuggets, sentences, and the best place to stop.

    Per sentence: `brought` and `repeated` list positions of nuggets (brought: the label is better than all before),
    `gain` is the contribution of the sentence to RBU, less effort, `utility` the sum so far.
    """
    made = utility or Utility()
    out = []
    for name, system in material.systems.items():
        for query, answer in answers_of(material, system, counter=counter).items():
            if answer.sentences is not None:
                out.append({"run": name, "query": query, "whole": False, **_answer(answer, made)})
                continue
            labels: Mapping[int | str, Any] = dict(enumerate(answer.labels or ()))
            piece = Sentence(_text_of(system, query), labels=labels)
            whole = _answer(replace(answer, labels=None, sentences=(piece,)), made)
            whole.update(stop=None, utility=None, utility_at_stop=None)  # RBU is not meaningful for one sentence
            whole["sentences"][0].update(gain=None, utility=None, past_the_end=False)
            out.append({"run": name, "query": query, "whole": True, **whole})
    return out


def _text_of(system: System, query: str) -> str:
    """The text of an answer: as submitted, else as repeated in the assignments."""
    submitted = " ".join(sentence.text for sentence in system.texts.get(query, ()))
    repeated = (line.text for line in system.lines if line.query == query and line.document is None)
    return submitted or next(repeated, None) or ""


def _answer(answer: Answer, utility: Utility) -> dict[str, Any]:
    terms = utility.terms(answer) or []
    best = utility.best(answer)
    grades, seen, total = answer.rows, [0.0] * len(answer.nuggets), 0.0
    sentences = []
    for place, sentence in enumerate(answer.sentences or ()):
        row = grades[place]
        total += terms[place] if terms else 0.0
        sentences.append(
            {
                **_sentence(sentence),
                "brought": [
                    {"nugget": n, "grade": grade, "before": seen[n]} for n, grade in enumerate(row) if grade > seen[n]
                ],
                "repeated": [n for n, grade in enumerate(row) if 0.0 < grade <= seen[n]],
                "gain": terms[place] if terms else None,
                "utility": total if terms else None,
                "past_the_end": best is not None and place >= best[0],
            }
        )
        seen = [max(before, grade) for before, grade in zip(seen, row, strict=True)]
    return {
        "nuggets": [
            {"text": nugget.text, "importance": nugget.importance, "weight": weight, "grade": grade}
            for nugget, weight, grade in zip(answer.nuggets, answer.weights, seen, strict=True)
        ],
        "sentences": sentences,
        "stop": None if best is None else best[0],
        "utility": utility.value(answer),
        "utility_at_stop": None if best is None else best[1],
        "coverage": coverage(answer, of="weighted"),
    }


def _sentence(sentence: Sentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "tokens": sentence.tokens,
        "supported": is_supported(sentence),
        "citations": [
            {"document": c.document, "support": SUPPORT.get(c.support) or f"{c.support / 2:g}"}
            for c in sentence.citations
        ],
    }
