"""Answers sentence by sentence, ready for JSON: what each brought, repeated and cites, and where to end.

An answer whose labels are of the whole text is one piece: what it brought is known, where it should end is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diveval.answers.judged import Answer, Utility, answers_of, coverage, is_supported
from diveval.answers.store import Material, Sentence, System

SUPPORT = {2: "full", 1: "partial", 0: "none", -1: "not judged"}


def contents(material: Material, *, utility: Utility | None = None, counter: str = "words") -> list[dict[str, Any]]:
    """Every labelled answer: run, query, nuggets, sentences, and the best place to stop.

    Per sentence: `brought` and `repeated` list positions of nuggets (brought: the label is better than any before),
    `gain` is what the sentence adds to RBU after effort, `utility` the sum so far.
    """
    made = utility or Utility()
    out = []
    for name, system in material.systems.items():
        for query, answer in answers_of(material, system, counter=counter).items():
            if answer.sentences is not None:
                out.append({"run": name, "query": query, "whole": False, **_answer(answer, made)})
            else:
                text = _text(system, query)
                out.append({"run": name, "query": query, "whole": True, **_answer(_one_piece(answer, text), made)})
    for answer_data in out:
        if answer_data["whole"]:
            answer_data.update(stop=None, utility=None, utility_at_stop=None)
            for piece in answer_data["sentences"]:
                piece.update(gain=None, utility=None, past_the_end=False)
    return out


def _one_piece(answer: Answer, text: str) -> Answer:
    """A labelled answer as one sentence."""
    labels = dict(enumerate(answer.labels or ()))
    return replace(answer, labels=None, sentences=(Sentence(text, labels=labels),))  # type: ignore[arg-type]


def _text(system: System, query: str) -> str:
    """The text of an answer: as handed in, else as the assignments repeat it."""
    written = " ".join(sentence.text for sentence in system.texts.get(query, ()))
    held = (line.text for line in system.lines if line.query == query and line.document is None)
    return written or next(held, None) or ""


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
        "nuggets": [_nugget(answer, place, grade) for place, grade in enumerate(seen)],
        "sentences": sentences,
        "stop": None if best is None else best[0],
        "utility": utility.value(answer),
        "utility_at_stop": None if best is None else best[1],
        "coverage": coverage(answer, of="weighted"),
    }


def _nugget(answer: Answer, place: int, grade: float) -> Mapping[str, Any]:
    nugget = answer.nuggets[place]
    return {"text": nugget.text, "importance": nugget.importance, "weight": answer.weights[place], "grade": grade}


def _sentence(sentence: Sentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "tokens": sentence.tokens,
        "supported": is_supported(sentence),
        "citations": [{"document": c.document, "support": SUPPORT[c.support]} for c in sentence.citations],
    }
