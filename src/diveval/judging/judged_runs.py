"""Labels by several judges of the same rankings or answers: names, agreement of every two, scores under each;
and what gates and plans score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from diveval.answers.answer_metrics import as_metrics as as_answer_metrics
from diveval.answers.evaluation import evaluate
from diveval.answers.material import AnswerFiles
from diveval.collection.inputs import RunsLike
from diveval.collection.judgments import Judgments
from diveval.collection.topic_ids import find_shared
from diveval.defaults import HEADLINE
from diveval.errors import UsageError, capture_warnings, warn
from diveval.judging.answer_labels import (
    ANSWER_METRICS,
    JudgedAnswers,
    gather_answers,
    is_of_answers,
    refuse_ranking_options,
    share_runs,
)
from diveval.judging.baselines import digest_of
from diveval.judging.labels import LabelAgreement, compare_items, compare_labels
from diveval.metrics.metric import Metric
from diveval.metrics.names import as_metrics
from diveval.results.scores import Scores
from diveval.scoring.evaluate import load_judgments, read_once, score_runs
from diveval.settings import Options


def name_judges(judged: Sequence[Judgments]) -> tuple[str, ...]:
    """A name for each judge: its file, or `people` and `model`; equal names get a number."""
    out: list[str] = []
    for i, one in enumerate(judged):
        name = one.source or ("people" if i == 0 else "model")
        out.append(name if name not in out else f"{name}#{i + 1}")
    return tuple(out)


def agree_on_labels(
    judged: Sequence[Judgments], names: tuple[str, ...], *, confidence: float, resamples: int, seed: int
) -> tuple[LabelAgreement, ...]:
    """The agreement of every two judges, people first."""
    return tuple(
        compare_labels(
            judged[i], judged[j], (names[i], names[j]), confidence=confidence, resamples=resamples, seed=seed
        )
        for i, j in combinations(range(len(judged)), 2)
    )


def keep_readable(runs: RunsLike, options: Options) -> RunsLike:
    """The runs, in memory where one can be read only once: from standard input or an iterator."""
    listed = runs if isinstance(runs, list | tuple) else [runs]
    once = any(isinstance(one, str) and one == "-" for one in listed) or hasattr(runs, "__next__")
    return read_once(runs, options) if once else runs


def average_scores(tables: Sequence[Scores], names: Sequence[str]) -> Scores:
    """The mean of several models' scores, on the topics that all of them labelled."""
    if len(tables) == 1:
        return tables[0]
    shared = find_shared([(name, table.topics) for name, table in zip(names, tables, strict=True)])
    chosen = [table.select(topics=shared) for table in tables]
    values = np.mean([table.values for table in chosen], axis=0)
    counted = np.logical_and.reduce([table.counted for table in chosen])
    return replace(chosen[0], values=values, counted=counted)


def warn_about_scales(judged: Sequence[Judgments], names: tuple[str, ...], options: Options) -> None:
    """Warn where judges use other highest grades, since `gmax="file"` then scales their gains differently."""
    highest = {name: one.highest for name, one in zip(names, judged, strict=True)}
    if options.relevance.gmax == "file" and len(set(highest.values())) > 1:
        listed = ", ".join(f"{name} {grade:g}" for name, grade in highest.items())
        warn("different-scales", f"the highest grades differ ({listed}): --gmax makes their gains comparable")


def score_under(
    judged: Sequence[Judgments], runs: RunsLike, metrics: Sequence[Metric], options: Options
) -> list[Scores]:
    """The runs' scores under each judge, which are those of `evaluate` with that judge's file; warnings are issued once."""
    readable = keep_readable(runs, options)
    with capture_warnings() as notes:
        scores = [score_runs(one, readable, metrics, options) for one in judged]
    for note in notes:
        warn(note.code, note.message)
    return scores


def describe_judge(given: Any) -> str:
    """The file or folder of a judge; empty if it is in memory."""
    if isinstance(given, AnswerFiles):
        sources = {system.source for system in given.systems.values()}
        folders = {str(Path(source).parent) for source in sources}
        return next(iter(sources if len(sources) == 1 else folders)) if len(folders) == 1 else ""
    if isinstance(given, list | tuple) and len(given) == 1:
        return describe_judge(given[0])
    return str(given) if isinstance(given, str | PathLike) else ""


def load_answer_judges(given: Sequence[Any], shared: Any) -> tuple[list[JudgedAnswers], tuple[str, ...]]:
    """The judges of answers on the runs that all of them labelled, and their names."""
    files = [] if shared is None else [*shared] if isinstance(shared, list | tuple) else [shared]
    names: list[str] = []
    for i, one in enumerate(given):
        name = describe_judge(one) or ("people" if i == 0 else "model")
        names.append(name if name not in names else f"{name}#{i + 1}")
    judged = [JudgedAnswers.of(name, one, files) for name, one in zip(names, given, strict=True)]
    return share_runs(judged), tuple(names)


def agree_on_answers(
    judged: Sequence[JudgedAnswers], *, confidence: float, resamples: int, seed: int
) -> tuple[LabelAgreement, ...]:
    """The agreement of every two judges of answers: by sentence if all labelled sentences, else by answer."""
    by_sentence = all(judge.has_sentences for judge in judged)
    with capture_warnings():  # they are issued again with the scores
        labels = [judge.labels(by_sentence=by_sentence) for judge in judged]
    matched = f"query, nugget and {'sentence' if by_sentence else 'answer'}"
    how: Any = {"confidence": confidence, "resamples": resamples, "seed": seed}
    return tuple(
        compare_items(labels[i], labels[j], (judged[i].name, judged[j].name), matched, **how)
        for i, j in combinations(range(len(judged)), 2)
    )


def name_answer_metrics(metrics: Any) -> list[str]:
    """Names of metrics of answers; the default for rankings stands for the default of answers."""
    if metrics is HEADLINE:
        return [*ANSWER_METRICS]
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise UsageError("wrong-type", f"metrics of answers are names, got {type(wrong[0]).__name__}")
    return names


class Material(Protocol):
    """What runs are scored with."""

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""

    @property
    def topics(self) -> list[str]:
        """The topics that are judged."""

    @property
    def digest(self) -> str:
        """Equal for equal judgments."""

    def score(self, runs: RunsLike) -> Scores:
        """The scores of runs."""


@dataclass(frozen=True)
class OfRankings:
    """Judgments of documents."""

    judgments: Judgments
    asked: Sequence[Metric]
    options: Options

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        return [metric.name for metric in self.asked]

    @property
    def topics(self) -> list[str]:
        """The judged topics."""
        return list(self.judgments.topics)

    @property
    def digest(self) -> str:
        """Of all judgments and weights."""
        return digest_of(self.judgments)

    def score(self, runs: RunsLike) -> Scores:
        """The scores of runs."""
        return score_runs(self.judgments, runs, self.asked, self.options)


@dataclass(frozen=True)
class OfAnswers:
    """Nuggets; each run is a file of labels, or a folder or list of files."""

    shared: list[Any]
    metrics: list[str]
    missing: Literal["zero", "skip"] | None
    first: Any  # the run that names the topics where there is no bank of nuggets

    @cached_property
    def _bank(self) -> AnswerFiles:
        return gather_answers(self.first, self.shared)

    @property
    def topics(self) -> list[str]:
        """The queries with nuggets."""
        return list(self._bank.bank)

    @property
    def digest(self) -> str:
        """Of all nuggets."""
        lines = [f"{query}\t{nugget!r}" for query, own in self._bank.bank.items() for nugget in own]
        return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "surrogatepass")).hexdigest()

    def score(self, runs: Any) -> Scores:
        """The scores of runs; a file of labels without nuggets of its own is scored with the nuggets of all."""
        material = gather_answers(runs, self.shared)
        if not self.shared:
            material = replace(material, bank=self._bank.bank | material.bank)
        return evaluate(material, self.metrics, missing_topics=self.missing)


def load_material(
    judgments: Any, first: Any, metrics: Any, options: Options | None, weights: Any
) -> OfRankings | OfAnswers:
    """What to score with; `first` is a run, which shows whether these are answers."""
    if is_of_answers(first):
        missing = refuse_ranking_options(options, weights)
        names = [metric.name for metric in as_answer_metrics(name_answer_metrics(metrics))]
        shared = [] if judgments is None else [*judgments] if isinstance(judgments, list | tuple) else [judgments]
        return OfAnswers(shared, names, missing, first)
    chosen = options or Options()
    asked = as_metrics(metrics)
    return OfRankings(load_judgments(judgments, chosen, weights), asked, chosen)
