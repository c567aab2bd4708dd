"""Answers that several judges labelled: every judge's scores, and the labels answer by answer and nugget by nugget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from diveval.answers.evaluation import evaluate
from diveval.answers.gathering import gather
from diveval.answers.material import AnswerFiles, System
from diveval.answers.own_metrics import answers_of
from diveval.answers.reading import is_answers
from diveval.errors import InputError, UsageError, capture_warnings, count_of, preview, warn
from diveval.judging.labels import Item
from diveval.reading.judge_labels import VERDICT, is_failed, plain, support_grade
from diveval.results.scores import Scores
from diveval.settings import Options

ANSWER_METRICS = ("Coverage_weighted",)  # unless others are asked for


def is_of_answers(given: object) -> bool:
    """Whether this is material about answers: read already, or in files or a folder whose first file contains answers."""
    if isinstance(given, AnswerFiles):
        return True
    paths = [given] if isinstance(given, str | PathLike) else given
    if not isinstance(paths, list | tuple) or not paths or not all(isinstance(p, str | PathLike) for p in paths):
        return False
    first = Path(paths[0])
    inside = sorted(first.iterdir()) if first.is_dir() else [first]
    return any(is_answers(path) for path in inside[:1] + [p for p in inside[1:] if p.suffix.startswith(".json")][:1])


def gather_answers(given: Any, shared: Sequence[str | Path] = ()) -> AnswerFiles:
    """The material of one judge, from its own files and those that all judges share: nuggets and texts."""
    if isinstance(given, AnswerFiles):
        if shared:
            raise UsageError("conflicting-options", "answers that are read already are not joined with further files")
        return given
    return gather([*shared, *([given] if isinstance(given, str | PathLike) else given)])


def refuse_ranking_options(options: Options | None, weights: object) -> Literal["zero", "skip"] | None:
    """Refuse options that say how rankings become scores; what remains is how a missing answer counts."""
    chosen = options or Options()
    if weights is not None or replace(chosen, missing_topics="worst") != Options():
        raise UsageError("option-not-applicable", "aspect weights and options of rankings do not apply to answers")
    return None if chosen.missing_topics == "worst" else chosen.missing_topics


@dataclass(frozen=True)
class JudgedAnswers:
    """The answers as one judge labelled them; queries for which the judge labelled no answer are left out."""

    name: str
    material: AnswerFiles

    @classmethod
    def of(cls, name: str, given: Any, shared: Sequence[str | Path] = ()) -> JudgedAnswers:
        """The labels of a judge, from files or as read."""
        material = gather_answers(given, shared)
        labelled = set[str]().union(*(list_labelled(system) for system in material.systems.values()))
        bank = {query: nuggets for query, nuggets in material.bank.items() if query in labelled}
        return cls(name, replace(material, bank=bank))

    def keep_runs(self, runs: Sequence[str]) -> JudgedAnswers:
        """The same judge on some runs only."""
        systems = {run: self.material.systems[run] for run in runs}
        return replace(self, material=replace(self.material, systems=systems))

    def score(self, metrics: Sequence[str], missing: Literal["zero", "skip"] | None) -> Scores:
        """The runs' scores under this judge."""
        return evaluate(self.material, list(metrics), missing_topics=missing)

    def labels(self, *, by_sentence: bool) -> dict[Item, float]:
        """(query, nugget, answer or sentence) → label from 0 to 1; labels that the judge failed to give are left out.

        A nugget without a label in a labelled sentence is not supported there, as in scores. Where not all judges labelled
        sentences, an answer has the best label of its sentences. Without nuggets: citations, else criteria of rubrics.
        """
        found = dict(_label_criteria(self.material)) | labels_of(self.material)
        sentences = dict(_label_unnamed(self.material)) if by_sentence else dict(_label_whole(self.material))
        return found | sentences

    @property
    def has_sentences(self) -> bool:
        """Whether every answer has labels by sentence."""
        systems = self.material.systems.values()
        return all(system.labelled or system.reports for system in systems) and not any(s.lines for s in systems)


def list_labelled(system: System) -> set[str]:
    """The queries for which some label of the system's answer is given."""
    listed = [line.query for line in system.lines] + [query for query, _ in system.graded]
    by_query = (system.labelled, system.reports, system.support, system.judged, system.contexts)
    return {*listed, *(query for part in by_query for query in part)}


def labels_of(material: AnswerFiles) -> dict[Item, float]:
    """Every label between 0 and 1 by question, nugget and answer (or sentence, or citation); failed ones are left out."""
    out: dict[Item, float] = {}

    def add(query: str, what: str, where: str, label: object) -> None:
        grade = None if is_failed(label) else support_grade(label)
        if grade is not None:
            out[query, what, where] = grade / 2.0

    for name, system in material.systems.items():
        for line in system.lines:
            where = name if line.document is None else f"{name}/{line.document}"
            for nugget, label in zip(line.nuggets, line.labels, strict=True):
                add(line.query, nugget.text, where, label)
        for query, sentences in system.labelled.items() if not any(line.document for line in system.lines) else ():
            texts = [nugget.text for nugget in material.bank.get(query, ())]
            for s, sentence in enumerate(sentences):
                for key, label in sentence.labels.items():
                    what = texts[key] if isinstance(key, int) and key < len(texts) else str(key)
                    add(query, what, f"{name}, sentence {s}", label)
        for query, sentences in system.support.items():
            for s, sentence in enumerate(sentences):
                for citation in sentence.citations:
                    if citation.support >= 0:
                        out[query, citation.document, f"{name}, sentence {s}"] = citation.support / 2.0
    return out


def _label_unnamed(material: AnswerFiles) -> Iterator[tuple[Item, float]]:
    """The nuggets that a labelled sentence says nothing about: not supported."""
    for name, system in material.systems.items():
        for query, sentences in system.labelled.items():
            for s, sentence in enumerate(sentences):
                for place, nugget in enumerate(material.bank.get(query, ())):
                    if place not in sentence.labels:
                        yield (query, nugget.text, f"{name}, sentence {s}"), 0.0


def _label_whole(material: AnswerFiles) -> Iterator[tuple[Item, float]]:
    """Answers labelled by sentence only, as a whole: the best label of their sentences."""
    for name, system in material.systems.items():
        if not system.lines and (system.labelled or system.reports):
            for query, answer in answers_of(material, system).items():
                for nugget, grade in zip(answer.nuggets, answer.grades, strict=True):
                    yield (query, nugget.text, name), grade


def _label_criteria(material: AnswerFiles) -> Iterator[tuple[Item, float]]:
    """Verdicts on the criteria of rubrics."""
    for name, system in material.systems.items():
        for query, criteria in system.graded:
            for c, criterion in enumerate(criteria):
                verdict = VERDICT.get(plain(criterion.verdict))
                if verdict is not None:
                    yield (query, f"criterion {c + 1}", name), verdict


def share_runs(judges: Sequence[JudgedAnswers]) -> list[JudgedAnswers]:
    """The judges on the runs that all of them labelled; runs that are left out are named."""
    systems = [judge.material.systems for judge in judges]
    shared = [run for run in systems[0] if all(run in other for other in systems[1:])]
    if not shared:
        listed = "; ".join(f"{judge.name} has {preview([*judge.material.systems], 4)}" for judge in judges)
        raise InputError(
            "no-shared-run",
            f"the judges labelled no run in common: {listed}",
            hint="a run is named by its run_id, or by the name of its file: people/a.jsonl and model/a.jsonl",
        )
    if left := list(dict.fromkeys(run for own in systems for run in own if run not in shared)):
        warn("run-left-out", f"{count_of(len(left), 'run')} without labels of every judge left out ({preview(left)})")
    return [judge.keep_runs(shared) for judge in judges]


def score_judges(
    judges: Sequence[JudgedAnswers], metrics: Sequence[str], missing: Literal["zero", "skip"] | None
) -> list[Scores]:
    """Each judge's table of scores. An answer that only others labelled does not count: it is not a missing answer."""
    with capture_warnings() as notes:
        tables = [judge.score(metrics, missing) for judge in judges]
    for note in notes:
        if note.code != "missing-topics":
            warn(note.code, note.message)
    labelled = [{run: list_labelled(system) for run, system in j.material.systems.items()} for j in judges]
    out, unpaired = [], 0
    for table, own in zip(tables, labelled, strict=True):
        anyone = {run: set[str]().union(*(others[run] for others in labelled)) for run in table.runs}
        alone = np.array([[t in anyone[run] and t not in own[run] for t in table.topics] for run in table.runs])
        unpaired += int(alone.sum())
        out.append(replace(table, counted=table.counted & ~alone[:, np.newaxis]))
    if unpaired:
        warn(
            "unpaired-labels",
            f"{count_of(unpaired, 'answer')} labelled by some judges only: left out where labels lack",
        )
    return out
