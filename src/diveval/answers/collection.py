"""Answers as a collection: sentences are documents in reading order, nuggets aspects, tokens effort.

What works on rankings (`conclusions`, any metric of the catalogue) then works on answers. RBU of such a ranking is RBU
of the answer: Σ_i p^i (Σ_t w_t r(i,t) Π_{j<i}(1 − r(j,t)) − e·n_i/U), with U = `unit` tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from diveval.answers.judged import Answer, answers_of
from diveval.answers.store import Material
from diveval.answers.texts import COUNTERS
from diveval.errors import InputError, count_of, few, shown, warn
from diveval.judgments import Judgments, naturally
from diveval.options import Efforts, Options
from diveval.reading.trec import JudgmentRow
from diveval.runs import Run, TopicRun

UNIT = 20.0  # tokens that cost e


@dataclass(frozen=True)
class AnswerCollection:
    """Judgments, runs and the options under which they mean what the answers mean."""

    judgments: Judgments
    runs: tuple[Run, ...]
    options: Options
    by_sentence: bool  # False: an answer is one document, since not every one has labels by sentence


def as_collection(material: Material, *, counter: str = "words", unit: float = UNIT) -> AnswerCollection:
    """The labelled answers as judgments and runs.

    A sentence is called `run/query/place`, a nugget by its place in the bank. A label the judge failed to give is 0, as
    in every score. A query whose nuggets all weigh nothing is left out, with a warning. Unless every answer has labels
    by sentence, each is one document, so that no system gains by how it was labelled.
    """
    found = {name: answers_of(material, system, counter=counter) for name, system in material.systems.items()}
    for name, answers in found.items():
        if not answers:
            raise InputError(f"run {shown(name)} has no labels of nuggets", source=material.systems[name].source)
    weights = _weights(material)
    costs: dict[str, float] = {}
    runs: list[Run] = []
    rows: list[JudgmentRow] = []
    for query, place in weights:  # every nugget is known, also where no sentence was judged
        rows.append((query, place, f"{query}/none", 0.0))
    queries = {query for query, _ in weights}
    by_sentence = all(answer.sentences is not None for answers in found.values() for answer in answers.values())
    silent: list[str] = []
    for name, answers in found.items():
        lists: dict[str, TopicRun] = {}
        for query in naturally(set(answers) & queries):
            listed = list(_documents(name, query, answers[query], by_sentence))
            lists[query] = TopicRun([document for document, _, _ in listed])
            for document, grades, tokens in listed:
                costs[document] = _tokens(name, query, tokens, material, counter)
                if not costs[document] and any(grades):
                    silent.append(document)
                rows += [(query, str(place), document, 2.0 * grade) for place, grade in enumerate(grades)]
        runs.append(Run(name, lists, material.systems[name].source))
    options = Options.of(
        gain="linear",
        gmax=2.0,
        empty_aspects="keep",
        order="file",
        missing_topics="zero",
        efforts=Efforts(costs, unit, 0.0),
    )
    judgments = Judgments.from_rows(rows, weights=weights, source=material.bank_source)
    if silent:
        number = count_of(len(silent), "answer has", "answers have")
        warn(f"{number} labels but no text, so that reading costs nothing there ({few(silent)})")
    return AnswerCollection(judgments, tuple(runs), options, by_sentence)


def _weights(material: Material) -> dict[tuple[str, str], float]:
    """(query, nugget) → weight, of the queries in which some nugget weighs anything."""
    listed = {query: Answer(nuggets).weights for query, nuggets in material.bank.items()}
    bare = [query for query, weights in listed.items() if sum(weights) <= 0]
    if bare:
        number = count_of(len(bare), "query", "queries")
        warn(f"{material.bank_source}: {number} without a nugget of positive weight left out ({few(bare)})")
    kept: Mapping[str, list[float]] = {query: weights for query, weights in listed.items() if query not in bare}
    if not kept:
        raise InputError("no query has a nugget with a weight", source=material.bank_source)
    return {(query, str(place)): weight for query, own in kept.items() for place, weight in enumerate(own)}


def _documents(
    run: str, query: str, answer: Answer, by_sentence: bool
) -> Iterator[tuple[str, list[float], float | None]]:
    """(name, grade by nugget, tokens) of each sentence, or of the whole answer."""
    if not by_sentence or answer.sentences is None:
        told = answer.sentences
        yield f"{run}/{query}/0", answer.grades, None if told is None else sum(s.tokens or 0.0 for s in told)
        return
    for place, (sentence, grades) in enumerate(zip(answer.sentences, answer.rows, strict=True)):
        yield f"{run}/{query}/{place}", grades, sentence.tokens


def _tokens(run: str, query: str, tokens: float | None, material: Material, counter: str) -> float:
    """As given; of a whole answer its text's, 0 where no text is known."""
    if tokens is not None:
        return tokens
    system = material.systems[run]
    text = next((line.text for line in system.lines if line.query == query and line.document is None), None)
    written = " ".join(sentence.text for sentence in system.texts.get(query, ()))
    return float(COUNTERS[counter](written or text or ""))
