"""What gates and plans score: rankings under judgments, or answers under nuggets and labels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol

from diveval.answers.answer_metrics import as_metrics as as_answer_metrics
from diveval.answers.evaluation import evaluate
from diveval.answers.material import AnswerFiles
from diveval.collection.inputs import RunsLike
from diveval.collection.judgments import Judgments
from diveval.judging.answer_labels import gather_answers, is_of_answers, refuse_ranking_options
from diveval.judging.baselines import digest_of
from diveval.judging.judged_runs import name_answer_metrics
from diveval.metrics.metric import Metric
from diveval.metrics.names import as_metrics
from diveval.results.scores import Scores
from diveval.scoring.evaluate import load_judgments, score_runs
from diveval.settings import Options


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
