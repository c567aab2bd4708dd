"""Unjudged documents whose labels could reduce the lead of a pair: the third kind of label that can be bought next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from diveval.collection.inputs import RunsLike
from diveval.collection.judgments import Judgments
from diveval.conclusions.all_pairs import conclude
from diveval.errors import DivevalError, capture_warnings, warn
from diveval.judging.estimates import NextLabels
from diveval.metrics.metric import Metric
from diveval.scoring.evaluate import rank_all
from diveval.settings import Options

CountDocuments = Callable[[NextLabels], tuple[int, bool] | None]


def count_documents(
    people: Judgments, runs: RunsLike, metrics: Sequence[Metric], options: Options, pair: NextLabels
) -> tuple[int, bool] | None:
    """How many unjudged documents could each reduce the lead of a pair on people's topics, if labels of some could reverse
    it, and whether they could; None where the metric has no bound over labels.

    These are the documents of `diveval conclusions --unjudged any --budget` for these two runs.
    """
    metric = next(one for one in metrics if one.name == pair.metric)
    found = None
    with capture_warnings():  # they were issued when the runs were scored
        read = rank_all(people, runs, [metric], options, keep_documents=True)
        rankings = {order: [run for run in of if run.name in (pair.run, pair.other)] for order, of in read.items()}
        try:
            found = conclude(
                people, (), metric, unjudged="any", worth=True, significance=False, rankings=rankings, options=options
            )
        except DivevalError as error:
            reason = str(error)
    if found is None:
        warn("documents-not-compared", f"{pair.metric}: unjudged documents are not compared: {reason}")
        return None
    (row,) = found.rows
    if row.verdict == "undecided":
        warn("documents-not-compared", f"{pair.metric}: unjudged documents are not compared: {row.witness}")
        return None
    return len(found.to_judge), row.verdict == "flips"


def add_documents(pair: NextLabels, count: CountDocuments, price: float) -> NextLabels:
    """The pair with the documents that could be labelled, at a price for each."""
    found = count(pair)
    return pair if found is None else pair.add_documents(*found, price)
