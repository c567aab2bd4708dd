"""`diveval compare QRELS RUN … -m METRIC`: which systems differ, by how much and how surely."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from diveval.cli import common
from diveval.cli.terminal import terminal_width
from diveval.defaults import CONFIDENCE, CORRECTION, RESAMPLES, TEST
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.publishing import ResultsTable
    from diveval.results.scores import Scores
    from diveval.stats.tests import Significance

DEFAULT_METRIC = common.DEFAULT_METRICS[0]
TESTING = ("test", "correction", "confidence", "resamples", "seed")
ANSWER_METRIC = "Coverage_weighted"  # where the files contain labels of answers


ABOUT = f"Compare systems (default: on {DEFAULT_METRIC}, for RAG answers on {ANSWER_METRIC}), paired by topic. One metric: differences, effect sizes, intervals, adjusted p-values, and letters (two systems share a letter exactly when they do not differ significantly). Several metrics: one table of runs × metrics with the significance of each column."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval compare`."""
    from diveval.analysis.run_pairs import PREFERENCES

    common.add_collection(parser, answers=True)
    common.add_metrics(parser)
    parser.add_argument(
        "--preference",
        choices=list(PREFERENCES),
        help="compare by the ranks of the relevant documents instead of a metric: values are a run's mean preference over all the runs given",
    )
    common.add_output(parser, ["table", "csv", "json", "latex", "md"])
    common.add_evidence(parser)
    add_testing(parser)


def add_testing(parser: argparse.ArgumentParser, *, baseline: bool = True) -> None:
    """Options of the significance test: the same for every command that says which runs differ."""
    from diveval.stats.tests import CORRECTIONS, TESTS

    if baseline:
        common.add_options(
            parser, {"--baseline RUN": "compare every run with this one (its name, or its file) instead of every pair"}
        )
    parser.add_argument(
        "--test",
        choices=list(TESTS),
        default=TEST,
        help=f"default: {TEST}; tukey holds for all pairs at once and needs no correction",
    )
    parser.add_argument(
        "--correction",
        choices=list(CORRECTIONS),
        default=CORRECTION,
        help=f"correction of the p-values for many comparisons (default: {CORRECTION})",
    )
    level = "confidence level of intervals; p below 1 − C is significant"
    common.add_number(parser, "--confidence", default=CONFIDENCE, metavar="C", help=level)
    common.add_number(parser, "--resamples", default=RESAMPLES, help="resamples of randomization, bootstrap and tukey")
    common.add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, test, print; several metrics make one table of runs × metrics."""
    from diveval.publishing import results_table
    from diveval.stats import compare

    scores = _scores(arguments)
    testing = testing_from(arguments, scores.runs)
    if len(scores.metrics) == 1 and arguments.format != "md":
        comparison = compare(scores, **testing)
        statements, text = comparison.statements, common.text_of(comparison, arguments)
    else:
        table = results_table(scores, **testing)
        statements = (table.statement(), *(one for column in table.comparisons for one in column.statements))
        text = _several(table, arguments.format)
    if arguments.evidence:
        return common.emit_evidence(statements, arguments)
    common.emit(text, arguments)
    return 0


def _scores(arguments: argparse.Namespace) -> Scores:
    """Of rankings, or of answers where the files contain answers."""
    from diveval.cli.answers import material_of, scores_of
    from diveval.scoring.scorer import score

    if arguments.preference is not None:
        return _preferred(arguments)
    if (answers := material_of(arguments)) is not None:
        return scores_of(answers, arguments, [ANSWER_METRIC])
    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, [DEFAULT_METRIC])
    judgments, rankings = common.load(arguments, metrics, options)
    return score(judgments, rankings, metrics, options)


def _preferred(arguments: argparse.Namespace) -> Scores:
    """Each run's mean preference, from the ranks of its relevant documents."""
    from diveval.analysis.run_pairs import RELEVANT, prefer_runs
    from diveval.metrics import as_metrics

    if arguments.metrics:
        raise UsageError("conflicting-options", "--preference takes the place of a metric", hint="leave out -m")
    options = common.options_from(arguments)
    judgments, rankings = common.load(arguments, as_metrics(RELEVANT), options)
    return prefer_runs(judgments, rankings, [arguments.preference], options)


def _several(table: ResultsTable, format: str) -> str:
    from diveval.results.protocol import json_text
    from diveval.results.table_text import csv_text

    if format == "csv":
        rows = [(one.metric, *row) for one in table.comparisons for row in zip(*one.columns().values(), strict=True)]
        return csv_text(("metric", *table.comparisons[0].header), rows)
    if format == "json":
        return json_text([comparison.as_dict() for comparison in table.comparisons])
    if format == "table":
        return table.to_text(terminal_width())
    return table.to_latex() if format == "latex" else table.to_markdown()


def significance_from(arguments: argparse.Namespace) -> Significance:
    """What `add_testing` declares, without a baseline."""
    from diveval.stats.tests import Significance

    return Significance(**{name: getattr(arguments, name) for name in TESTING})


def testing_from(arguments: argparse.Namespace, runs: tuple[str, ...]) -> dict[str, Any]:
    """What `add_testing` declares, as `compare` takes it; a baseline given as a file stands for the run in it."""
    testing = {name: getattr(arguments, name) for name in TESTING}
    baseline = arguments.baseline
    if baseline in arguments.runs and baseline not in runs and len(arguments.runs) == len(runs):
        baseline = runs[arguments.runs.index(baseline)]
    return {"baseline": baseline, **testing}
