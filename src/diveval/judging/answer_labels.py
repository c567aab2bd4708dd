"""Answers that several judges labelled: every judge's scores, and the labels answer by answer and nugget by nugget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from diveval.answers.answer_scoring import evaluate
from diveval.answers.material import AnswerFiles, Nugget, System
from diveval.answers.own_metrics import Answer, answers_of
from diveval.answers.reading import gather, is_answers
from diveval.errors import InputError, UsageError, capture_warnings, count_of, preview, warn
from diveval.judging.labels import Item
from diveval.reading.judge_labels import VERDICT, plain, support_grade
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
        """(query, nugget, answer or sentence) → 2 support, 1 partial, 0 none; labels that the judge failed to give are
        left out. Without nuggets: citations with support, else criteria of rubrics."""
        found: dict[Item, float] = {}
        for run, system in self.material.systems.items():
            found.update(_label_nuggets(self.material, run, system, by_sentence=by_sentence))
        if not found:
            for run, system in self.material.systems.items():
                found.update(_label_others(run, system))
        return found

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


def _label_nuggets(
    material: AnswerFiles, run: str, system: System, *, by_sentence: bool
) -> Iterator[tuple[Item, float]]:
    for query, answer in answers_of(material, system).items():
        names = name_nuggets(answer.nuggets)
        if by_sentence:
            for s, sentence in enumerate(answer.sentences or ()):
                for place, name in enumerate(names):
                    yield from _known((query, name, f"{run}/{s}"), sentence.labels.get(place, "not_support"))
        elif answer.labels is not None:
            for name, label in zip(names, answer.labels, strict=True):
                yield from _known((query, name, run), label)
        else:
            yield from _label_whole(query, names, run, answer)


def _label_whole(query: str, names: Sequence[str], run: str, answer: Answer) -> Iterator[tuple[Item, float]]:
    """An answer labelled by sentence, as a whole: the best label of its sentences."""
    for name, grade in zip(names, answer.grades, strict=True):
        yield (query, name, run), 2.0 * grade


def _known(item: Item, label: object) -> Iterator[tuple[Item, float]]:
    """The label as a grade; nothing if the judge failed to give it, or it is unknown."""
    grade = support_grade(label)
    if grade is not None:
        yield item, grade


def _label_others(run: str, system: System) -> Iterator[tuple[Item, float]]:
    """Support of citations, and verdicts on the criteria of rubrics."""
    for query, sentences in (system.support or system.reports).items():
        for s, sentence in enumerate(sentences):
            for citation in sentence.citations:
                if citation.support >= 0:
                    yield (query, citation.document, f"{run}/{s}"), float(citation.support)
    for query, criteria in system.graded:
        for c, criterion in enumerate(criteria):
            verdict = VERDICT.get(plain(criterion.verdict))
            if verdict is not None:
                yield (query, f"criterion {c + 1}", run), 2.0 * verdict


def name_nuggets(nuggets: Sequence[Nugget]) -> list[str]:
    """A name for each nugget, by which judges' labels are matched: its id, else its text, with a number if it repeats."""
    seen: dict[str, int] = {}
    out = []
    for nugget in nuggets:
        name = nugget.id or nugget.text
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return out


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
