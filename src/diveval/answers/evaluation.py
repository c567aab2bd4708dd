"""`diveval.answers.evaluate`: scores of RAG answers from files, frames and records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Literal

from diveval.answers.answer_scoring import Scoring
from diveval.answers.answer_texts import COUNTERS
from diveval.answers.gathering import gather
from diveval.answers.material import AnswerFiles
from diveval.answers.trials import average_trials
from diveval.argument_types import explain_types
from diveval.collection.inputs import AnswersLike, LabelsLike
from diveval.errors import UsageError, quote
from diveval.results.scores import Scores


@explain_types
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
    averaged = bool(material.trials) and trials == "mean"
    scores = Scoring(material, missing_topics, tokens, averaged).table(asked, residuals=residuals)
    return average_trials(scores, material.trials) if averaged else scores
