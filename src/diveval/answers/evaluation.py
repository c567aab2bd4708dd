"""`diveval.answers.evaluate`: scores of RAG answers from files, frames and records, and the noise between trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Literal

import numpy as np

from diveval.answers.answer_scoring import Scoring
from diveval.answers.answer_texts import COUNTERS
from diveval.answers.gathering import gather
from diveval.answers.material import AnswerFiles
from diveval.collection.inputs import AnswersLike, LabelsLike
from diveval.errors import UsageError, count_of, quote
from diveval.results.scores import Scores


def evaluate(
    files: AnswersLike | AnswerFiles,
    metrics: Sequence[str] | str | None = None,
    *,
    answers: AnswersLike = (),
    columns: Mapping[str, str] | None = None,
    labels: LabelsLike | None = None,
    combine: str = "majority",
    trials: Literal["mean", "separate"] = "mean",
    missing_topics: Literal["zero", "skip"] | None = None,
    tokens: str = "words",
    residuals: bool = False,
) -> Scores:
    """Score the answers of systems.

    Args:
        files: nuggets and, for each system, its labels, in any order: paths, frames and lists of records, whose kind is
            detected; a frame or a list of records alone is one table; `{"before": "a.jsonl", "after": frame}` names the
            systems.
        metrics: names such as `Coverage_vital`, `RBU(p=0.9,e=0.01)`, `nuggetizer.all`; None: what the files allow.
        answers: the answers' texts, in the same forms, for tokens and citations.
        columns: names of columns of tables that are not detected, `{"question": "prompt_id", "label": "mark", …}`.
        labels: what your own labels mean, between 0 and 1: `{"yes": 1, "partly": 0.5}`; then `no` is 0.
        combine: which label counts where several judges (a column `judge`) labelled an item: `majority`, `mean`, or the
            name of a judge.
        trials: repeated answers of a system (a column `trial`): their `mean`, with the noise between trials in the notes
            and in `setup`, or each trial as a system (`separate`).
        missing_topics: a query without an answer scores 0, or is left out of the run's mean. None: 0 under our names,
            the tool's own rule under a tool's (ARGUE leaves out topics without a report).
        tokens: how tokens are counted if a file does not give them: words, words-nfkc, words-ragnarok, characters.
        residuals: add for each metric of nuggets its rise if every label that the judge failed to give were support.
    """
    for name, value, choices in (
        ("tokens", tokens, (*COUNTERS,)),
        ("missing_topics", missing_topics, (None, "zero", "skip")),
        ("trials", trials, ("mean", "separate")),
    ):
        if value not in choices:
            named = ", ".join(choice for choice in choices if choice is not None)
            raise UsageError("invalid-choice", f"{name} is one of {named}, got {quote(value)}")
    if isinstance(files, AnswerFiles):
        if columns or labels or answers or combine != "majority":
            raise UsageError(
                "option-not-applicable",
                "columns, labels, answers and combine say how files are read: give them to gather",
            )
        material = files
    else:
        material = gather(
            [files] if isinstance(files, (str, PathLike)) else files,
            answers,
            columns=columns,
            labels=labels,
            combine=combine,
        )
    asked = [metrics] if isinstance(metrics, str) else metrics
    scores = Scoring(material, missing_topics, tokens).table(asked, residuals=residuals)
    return average_trials(scores, material.trials) if material.trials and trials == "mean" else scores


def average_trials(scores: Scores, trials: Mapping[str, str]) -> Scores:
    """One row per system: a query's value is the mean over the trials for which it counts.

    Args:
        scores: the scores of all trials.
        trials: run → the system that it is a trial of; other runs stay as they are.
    """
    systems: dict[str, list[int]] = {}
    for r, run in enumerate(scores.runs):
        systems.setdefault(trials.get(run, run), []).append(r)
    means, values, counted, whole, missing = scores.means, [], [], [], []
    noise: dict[str, dict[str, float]] = {}
    notes = list(scores.notes)
    for system, rows in systems.items():
        counts = scores.counted[rows].sum(axis=0)
        total = np.where(scores.counted[rows], scores.values[rows], 0.0).sum(axis=0)
        values.append(np.divide(total, counts, out=np.zeros_like(total), where=counts > 0))
        counted.append(counts > 0)
        whole.append(np.full(len(scores.metrics), np.nan) if scores.whole is None else scores.whole[rows].mean(axis=0))
        missing.append(
            np.zeros(len(scores.topics), dtype=bool) if scores.missing is None else scores.missing[rows].all(axis=0)
        )
        if len(rows) > 1:
            spread = means[rows].std(axis=0, ddof=1).tolist()
            noise[system] = dict(zip(scores.metrics, spread, strict=True))
            listed = ", ".join(f"{name} {value:.4f}" for name, value in noise[system].items())
            notes.append(
                f"{system}: mean of {count_of(len(rows), 'trial')}; standard deviation of the mean between trials: {listed}"
            )
    return Scores.of(
        np.array(values),
        runs=list(systems),
        metrics=scores.metrics,
        topics=scores.topics,
        counted=np.array(counted),
        notes=notes,
        whole=None if scores.whole is None else np.array(whole),
        missing=None if scores.missing is None else np.array(missing),
        best=scores.best,
        setup=replace(
            scores.setup,
            trials={system: len(rows) for system, rows in systems.items() if system in noise},
            trial_noise=noise,
        ),
    )
