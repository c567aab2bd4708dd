"""`diveval evaluate QRELS RUN …`: scores, as a table with notes below it, or in any format that other tools read."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.cli.score_notes import describe_scores
from diveval.cli.terminal import terminal_width
from diveval.defaults import RBU
from diveval.errors import UsageError, preview, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from diveval.collection.judgments import Judgments
    from diveval.collection.rankings import Rankings
    from diveval.metrics import Metric
    from diveval.metrics.compat.trec_names import TextMeasure
    from diveval.results.scores import Scores
    from diveval.results.statements import Statement
    from diveval.settings import Options

FORMATS = ["table", "csv", "tsv", "json", "md", "latex", "trec", "ndeval", "gdeval", "evall", "parquet"]
_QUERIES = ("table", "csv", "tsv", "json")  # formats that can show queries
_TOOLS = ("trec", "ndeval", "gdeval", "evall")  # formats that are other tools' printouts

ABOUT = (
    "Score runs. Without -m: "
    + ", ".join(common.DEFAULT_METRICS)
    + "; with the format of another tool, that tool's measures."
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval evaluate`."""
    common.add_collection(parser)
    common.add_metrics(parser)
    common.add_output(parser, FORMATS)
    common.add_options(
        parser,
        {
            "-q, --per-topic": "every topic, not only the mean",
            "--stop": "instead of scores: the rank at which readers should stop, where the one metric with effort (default: RBU) is highest, and the utility there and of the whole list",
            "--sort METRIC": "order the runs by this metric, best first",
            "--wide": "with -f csv or tsv: a line per run (or run and topic) and a column per metric",
            "--keep-going": "leave out runs that cannot be scored, warn of each, and exit with code 1",
            "--residuals": "beside each metric, its rise if every unjudged document were fully relevant",
        },
    )
    parser.add_argument(
        "--budget",
        type=float,
        metavar="COST",
        help="with --stop: only stops down to which the documents of a topic cost at most this together, in the units of --effort-file, such as tokens",
    )
    common.add_texts(parser, documents=False)
    parser.add_argument("--timing", action="store_true", help="print the time of each phase on standard error")
    parser.add_argument("--no-summary", action="store_true", help=argparse.SUPPRESS)  # trec_eval's -n
    common.add_evidence(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, print; with --timing, print the time of each phase."""
    from diveval.system import timing

    if arguments.budget is not None and not arguments.stop:
        raise UsageError(
            "option-not-applicable", "--budget limits the ranks that --stop chooses from: it goes with --stop"
        )
    score = _stop if arguments.stop else _run
    if not arguments.timing:
        return score(arguments)
    with timing.collect() as spent:
        code = score(arguments)
    print("\n".join(spent.lines()), file=sys.stderr)
    return code


def _run(arguments: argparse.Namespace) -> int:
    from diveval import evaluate
    from diveval.scoring.scorer import add_residuals, score
    from diveval.system import scanner, timing

    if arguments.topics is not None and (not arguments.per_topic or arguments.format not in _QUERIES):
        raise UsageError(
            "option-not-applicable",
            f"--topics puts queries beside topics: it goes with --per-topic and -f {', '.join(_QUERIES)}",
        )
    if arguments.wide and arguments.format not in ("csv", "tsv"):
        raise UsageError("option-not-applicable", f"--wide is for -f csv or tsv, got -f {arguments.format}")
    if arguments.evidence and arguments.format != "table":
        raise UsageError(
            "conflicting-options",
            f"--evidence prints what the notes below a table follow from: it does not go with -f {arguments.format}",
        )
    scanner.keep_memory()
    options = common.options_from(arguments)
    texts = _take_texts(arguments) if arguments.format == "trec" else []
    metrics = common.metrics_from(arguments, _default(arguments.format))
    if arguments.format == "parquet":
        return _stream(arguments, metrics, options)
    if arguments.keep_going and arguments.format in _TOOLS:
        raise UsageError(
            "conflicting-options",
            "--keep-going does not go with the printout of another tool",
            hint=f"leave out -f {arguments.format}",
        )
    listed: Sequence[Rankings] = ()
    judgments, left_out = None, 0
    if arguments.format in _TOOLS:  # these print the runs' tags and unjudged topics too
        judgments, rankings = common.load(arguments, metrics, options)
        with timing.phase("scoring"):
            scores = score(judgments, rankings, metrics, options)
            if arguments.residuals:
                scores = add_residuals(scores, judgments, rankings, metrics, options)
        listed = next(iter(rankings.values()))
        if arguments.format == "trec":
            common.emit(_trec(scores, listed, judgments, texts, arguments), arguments)
            return 0
    elif (
        not arguments.keep_going and not arguments.evidence and _is_large(arguments)
    ):  # too large to read into memory at once
        scores = evaluate(
            arguments.qrels,
            arguments.runs,
            metrics,
            options=options,
            weights=arguments.weights,
            residuals=arguments.residuals,
        )
    else:
        judgments = common.load_judgments(arguments, options)
        scores, left_out = _scores(judgments, metrics, options, arguments)
    with timing.phase("writing"):
        said: list[Statement] = []
        if arguments.format == "table" and judgments is not None:
            said = describe_scores(scores, judgments, metrics, options, arguments)
        if arguments.evidence:
            common.emit_evidence(said, arguments)
        else:
            common.emit(chain(_text(scores, listed, arguments), map(_wrap, said)), arguments)
    return int(left_out > 0)


def _take_texts(arguments: argparse.Namespace) -> list[TextMeasure]:
    """The measures of trec_eval whose values are text; they are taken out of the metrics asked for, which are sorted
    as trec_eval prints them."""
    from diveval.metrics.compat.trec_names import expand, place, text_measures

    names = common.names_from(arguments) or _default("trec")
    texts = {measure.name: measure for name in names for measure in text_measures(name)}
    texts |= {measure.name: measure for name in names for measure in text_measures(name) if measure.given}
    kept = [name for name in names if expand(name) != []]
    if not kept and not texts:
        raise UsageError("no-metric", f"{names[0]} has no numbers", hint="add a metric, such as trec_eval.map")
    arguments.numbers = bool(kept)
    arguments.metrics = sorted(kept, key=place) or ["trec_eval.num_q"]  # texts alone: something must be scored
    return list(texts.values())


def _trec(
    scores: Scores,
    runs: Sequence[Rankings],
    judgments: Judgments,
    texts: Sequence[TextMeasure],
    arguments: argparse.Namespace,
) -> Iterator[str]:
    """trec_eval's printout of each run; several runs are told apart by the line `runid`."""
    from diveval.metrics.compat.trec_names import TextMeasure
    from diveval.results.printouts import text_column, trec_text

    measures = [*texts]
    if len(runs) > 1 and all(measure.name != "runid" for measure in measures):
        measures.insert(0, TextMeasure("runid"))
    for run in runs:
        columns = [text_column(measure, judgments, run, scores.topics) for measure in measures]
        yield trec_text(
            scores,
            run=run.name,
            per_topic=arguments.per_topic,
            summary=not arguments.no_summary,
            metrics=None if arguments.numbers else [],
            texts=columns,
        )


def _stop(arguments: argparse.Namespace) -> int:
    """Print the ranks at which readers should stop; CSV and JSON always have every topic."""
    from diveval.analysis.stopping import stopping_points

    for name in ("sort", "wide", "keep_going", "residuals", "topics", "evidence"):
        if getattr(arguments, name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError("conflicting-options", f"{flag} is about scores and does not go with --stop")
    if arguments.format in (*_TOOLS, "tsv", "parquet"):
        raise UsageError("conflicting-options", f"-f {arguments.format} is about scores and does not go with --stop")
    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, [RBU])
    if len(metrics) != 1:
        raise UsageError("wrong-number-of-metrics", f"--stop takes one metric, got {len(metrics)}")
    judgments, rankings = common.load(arguments, metrics, options)
    stops = stopping_points(judgments, rankings, metrics[0], options, arguments.budget)
    common.emit_result(replace(stops, per_topic=arguments.per_topic), arguments)
    return 0


def _is_large(arguments: argparse.Namespace) -> bool:
    """Parquet files that are scored part by part."""
    from diveval.reading.parquet import parquet_throughout

    files = parquet_throughout(arguments.qrels, arguments.runs)
    if files is None:
        return False
    from diveval.scoring.shards.local import is_large

    return is_large(files)


def _scores(
    judgments: Judgments, metrics: list[Metric], options: Options, arguments: argparse.Namespace
) -> tuple[Scores, int]:
    """The scores of all runs; with --keep-going those that can be scored, and how many were left out."""
    from diveval import evaluate
    from diveval.errors import DivevalError, InputError, warn
    from diveval.results.scores import Scores

    def score_part(runs: list[str]) -> Scores:
        return evaluate(judgments, runs, metrics, options=options, residuals=arguments.residuals)

    try:
        return score_part(arguments.runs), 0
    except InputError:
        if not arguments.keep_going:
            raise
    parts, left_out = [], 0
    for run in arguments.runs:
        try:
            parts.append(score_part([run]))
        except InputError as error:
            left_out += 1
            warn("run-left-out", f"left out: {error}")
    if not parts:
        raise DivevalError("no-run-scored", "no run could be scored", hint="the lines above say why")
    return Scores.joined(parts), left_out


def _stream(arguments: argparse.Namespace, metrics: list[Metric], options: Options) -> int:
    """Scores of parquet as parquet, written part by part."""
    from diveval.reading.parquet import is_parquet
    from diveval.scoring.shards.local import evaluate_to_parquet

    if not all(is_parquet(path) for path in (arguments.qrels, *arguments.runs)):
        raise UsageError(
            "option-not-applicable",
            "-f parquet is for judgments and runs in parquet (`diveval data convert` makes them)",
        )
    if not arguments.output:
        raise UsageError("output-file-needed", "-f parquet needs a file to go to: -o FILE")
    # A metric from a user's own file cannot be sent to other processes.
    jobs = options.workers() if all(metric.entry for metric in metrics) else 1
    evaluate_to_parquet(
        arguments.qrels,
        arguments.runs,
        metrics,
        arguments.output,
        options=options,
        jobs=jobs,
        weights=arguments.weights,
        residuals=arguments.residuals,
    )
    return 0


def _default(format: str) -> list[str]:
    """The metrics without -m: in another tool's format, those that the tool prints."""
    if format == "ndeval":
        from diveval.results.printouts import ndeval_columns

        return ndeval_columns()
    tools = {
        "trec": ["trec_eval.official"],
        "gdeval": ["gdeval.nDCG@20", "gdeval.ERR@20"],
        "evall": ["evall.RBU(p=0.8,e=0.03)"],
    }
    return tools.get(format, common.DEFAULT_METRICS)


def _text(scores: Scores, runs: Sequence[Rankings], arguments: argparse.Namespace) -> Iterable[str]:
    """The output in parts, so that a CSV of a million topics is never in memory as a whole."""
    from diveval.results import tables
    from diveval.results.table_text import starts_formula

    per_topic = arguments.per_topic
    queries = common.queries_from(arguments, scores.topics)
    if arguments.sort is not None or (arguments.format in ("table", "md") and len(scores.runs) > 1 and not per_topic):
        scores = scores.sorted(arguments.sort or scores.metrics[0])
    if arguments.format in ("csv", "tsv"):
        separator = "," if arguments.format == "csv" else "\t"
        formulas = [name for name in scores.runs if starts_formula(name)]
        if formulas and not arguments.spreadsheet:
            warn(
                "formula-in-table",
                f"a spreadsheet takes {preview(formulas)} for a formula: rename the file, import as text, or add --spreadsheet",
            )
        if queries is not None:
            write = tables.wide_text if arguments.wide else tables.csv_text
            return [tables.with_queries(write(scores, per_topic=True, separator=separator), queries, separator)]
        if arguments.wide:
            return [tables.wide_text(scores, per_topic=per_topic, separator=separator)]
        return tables.csv_parts(scores, per_topic=per_topic, separator=separator)
    if arguments.format == "md":
        return [scores.to_markdown()]
    if arguments.format == "json":
        return [tables.json_text(scores, per_topic=per_topic, queries=queries)]
    if arguments.format == "latex":
        return [scores.to_latex()]
    if arguments.format == "table":
        width = terminal_width()
        return [tables.terminal_text(scores, per_topic=per_topic, width=width, queries=queries)]
    return [_printout(scores, runs, arguments.format)]


def _printout(scores: Scores, runs: Sequence[Rankings], format: str) -> str:
    """The printout of another tool, one run after the other; a table's header is printed once."""
    from diveval.results import printouts

    blocks = []
    for run in runs:
        topics, title = [*run.topics, *run.unjudged_topics], run.tag or run.name
        if format == "evall":
            unjudged = list(run.unjudged_topics)
            blocks.append(printouts.evall_text(scores, run=run.name, source=run.source, unjudged_topics=unjudged))
        else:
            write = printouts.ndeval_text if format == "ndeval" else printouts.gdeval_text
            text = write(scores, run=run.name, runid=title, topics=topics)
            blocks.append(text if not blocks else text.split("\n", 1)[1])
    return "".join(blocks)


def _wrap(note: Statement) -> str:
    """A note below the table, wrapped to the terminal."""
    import textwrap

    return "\n" + "\n".join(textwrap.wrap(note.text, max(terminal_width(), 40))) + "\n"
