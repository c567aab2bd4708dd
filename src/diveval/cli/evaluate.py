"""`diveval evaluate QRELS RUN …`: scores, as a table with notes below it, or in any format that other tools read."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.errors import UsageError, gathered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from diveval.judgments import Judgments
    from diveval.metrics import Metric
    from diveval.options import Options
    from diveval.rankings import Rankings
    from diveval.scores import Scores

FORMATS = ["table", "csv", "tsv", "json", "md", "latex", "trec", "ndeval", "gdeval", "evall", "parquet"]
_QUERIES = ("table", "csv", "tsv", "json")  # formats that can show queries
_TOOLS = ("trec", "ndeval", "gdeval", "evall")  # formats that are other tools' printouts
TREC_EVAL = [
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "recip_rank",
    "P_5",
    "P_10",
    "P_20",
    "P_100",
    "ndcg",
    "ndcg_cut_5",
    "ndcg_cut_10",
    "ndcg_cut_20",
    "ndcg_cut_100",
]


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "evaluate",
        description="Score runs. Without -m: "
        + ", ".join(common.DEFAULT_METRICS)
        + "; with the format of another tool, that tool's measures.",
    )
    common.add_collection(parser)
    common.add_metrics(parser)
    common.add_output(parser, FORMATS)
    parser.add_argument("-q", "--per-topic", action="store_true", help="every topic, not only the mean")
    parser.add_argument("--sort", metavar="METRIC", help="order the runs by this metric, best first")
    parser.add_argument(
        "--wide",
        action="store_true",
        help="with -f csv or tsv: a line per run (or run and topic) and a column per metric",
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="leave out runs that cannot be scored, warn of each, and exit with code 1",
    )
    parser.add_argument(
        "--residuals",
        action="store_true",
        help="beside each metric, its rise if every unjudged document were fully relevant",
    )
    common.add_texts(parser, documents=False)
    parser.add_argument("--timing", action="store_true", help="print the time of each phase on standard error")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, print; with --timing, print the time of each phase."""
    from diveval import timing

    if not arguments.timing:
        return _run(arguments)
    with timing.collect() as spent:
        code = _run(arguments)
    print("\n".join(spent.lines()), file=sys.stderr)
    return code


def _run(arguments: argparse.Namespace) -> int:
    from diveval import evaluate, scanner, timing
    from diveval.scoring import add_residuals, score

    if arguments.topics is not None and (not arguments.per_topic or arguments.format not in _QUERIES):
        raise UsageError(f"--topics puts queries beside topics: it goes with --per-topic and -f {', '.join(_QUERIES)}")
    if arguments.wide and arguments.format not in ("csv", "tsv"):
        raise UsageError(f"--wide is for -f csv or tsv, got -f {arguments.format}")
    scanner.keep_memory()
    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, _default(arguments.format))
    if arguments.format == "parquet":
        return _stream(arguments, metrics, options)
    if arguments.keep_going and arguments.format in _TOOLS:
        raise UsageError(f"--keep-going does not go with the printout of another tool; leave out -f {arguments.format}")
    listed: Sequence[Rankings] = ()
    judgments, left_out = None, 0
    if arguments.format in _TOOLS:  # these print the runs' tags and unjudged topics too
        judgments, rankings = common.load(arguments, metrics, options)
        with timing.phase("scoring"):
            scores = score(judgments, rankings, metrics, options)
            if arguments.residuals:
                scores = add_residuals(scores, judgments, rankings, metrics, options)
        listed = next(iter(rankings.values()))
    elif not arguments.keep_going and _is_large(arguments):  # too large to read into memory at once
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
        parts = _text(scores, listed, arguments)
        if arguments.format == "table" and judgments is not None:
            parts = [*parts, _notes(scores, judgments, metrics, options, arguments)]
        common.emit(parts, arguments)
    return int(left_out > 0)


def _is_large(arguments: argparse.Namespace) -> bool:
    """Parquet files that are scored part by part."""
    from diveval.reading.parquet import parquet_throughout

    files = parquet_throughout(arguments.qrels, arguments.runs)
    if files is None:
        return False
    from diveval.shards.local import is_large

    return is_large(files)


def _scores(
    judgments: Judgments, metrics: list[Metric], options: Options, arguments: argparse.Namespace
) -> tuple[Scores, int]:
    """The scores of all runs; with --keep-going those that can be scored, and how many were left out."""
    from diveval import evaluate
    from diveval.errors import DivevalError, InputError, warn
    from diveval.scores import Scores

    def scored(runs: list[str]) -> Scores:
        return evaluate(judgments, runs, metrics, options=options, residuals=arguments.residuals)

    try:
        return scored(arguments.runs), 0
    except InputError:
        if not arguments.keep_going:
            raise
    parts, left_out = [], 0
    for run in arguments.runs:
        try:
            parts.append(scored([run]))
        except InputError as error:
            left_out += 1
            warn(f"left out: {error}")
    if not parts:
        raise DivevalError("no run could be scored; the lines above say why")
    return Scores.joined(parts), left_out


def _stream(arguments: argparse.Namespace, metrics: list[Metric], options: Options) -> int:
    """Scores of parquet as parquet, written part by part."""
    from diveval.reading.parquet import is_parquet
    from diveval.shards.local import evaluate_to_parquet

    if not all(is_parquet(path) for path in (arguments.qrels, *arguments.runs)):
        raise UsageError("-f parquet is for judgments and runs in parquet (`diveval convert` makes them)")
    if not arguments.output:
        raise UsageError("-f parquet needs a file to go to: -o FILE")
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
        from diveval.printouts import ndeval_columns

        return ndeval_columns()
    tools = {
        "trec": [f"trec_eval.{name}" for name in TREC_EVAL],
        "gdeval": ["gdeval.nDCG@20", "gdeval.ERR@20"],
        "evall": ["evall.RBU(p=0.8,e=0.03)"],
    }
    return tools.get(format, common.DEFAULT_METRICS)


def _text(scores: Scores, runs: Sequence[Rankings], arguments: argparse.Namespace) -> Iterable[str]:
    """The output in parts, so that a CSV of a million topics is never in memory as a whole."""
    from diveval import tables

    per_topic = arguments.per_topic
    queries = common.queries_from(arguments, scores.topics)
    if arguments.sort is not None:
        scores = scores.sorted(arguments.sort)
    if arguments.format in ("csv", "tsv"):
        separator = "," if arguments.format == "csv" else "\t"
        if queries is not None:
            write = tables.wide_text if arguments.wide else tables.csv_text
            return [tables.with_queries(write(scores, per_topic=True, separator=separator), queries, separator)]
        if arguments.wide:
            return [tables.wide_text(scores, per_topic=per_topic, separator=separator)]
        return tables.csv_parts(scores, per_topic=per_topic, separator=separator)
    if arguments.format == "md":
        return [tables.markdown_text(scores)]
    if arguments.format == "json":
        return [tables.json_text(scores, per_topic=per_topic, queries=queries)]
    if arguments.format == "latex":
        return [tables.latex_text(scores)]
    if arguments.format == "table":
        width = common.terminal_width()
        return [tables.terminal_text(scores, per_topic=per_topic, width=width, queries=queries)]
    return [_printout(scores, runs, arguments.format, per_topic)]


def _printout(scores: Scores, runs: Sequence[Rankings], format: str, per_topic: bool) -> str:
    """The printout of another tool, one run after the other; a table's header is printed once."""
    from diveval import printouts

    blocks = []
    for run in runs:
        topics, title = [*run.topics, *run.unjudged_topics], run.tag or run.name
        if format == "trec":
            # Several runs are distinguished by the line `runid`, trec_eval's own first line.
            name = f"{'runid':<22}\tall\t{title}\n" if len(runs) > 1 else ""
            blocks.append(name + printouts.trec_text(scores, run=run.name, per_topic=per_topic))
        elif format == "evall":
            unjudged = list(run.unjudged_topics)
            blocks.append(printouts.evall_text(scores, run=run.name, source=run.source, unjudged_topics=unjudged))
        else:
            write = printouts.ndeval_text if format == "ndeval" else printouts.gdeval_text
            text = write(scores, run=run.name, runid=title, topics=topics)
            blocks.append(text if not blocks else text.split("\n", 1)[1])
    return "".join(blocks)


# --- notes below a table of scores ----------------------------------------------------------------------------------------


def _notes(
    scores: Scores, judgments: Judgments, metrics: Sequence[Metric], options: Options, arguments: argparse.Namespace
) -> str:
    """Notes for readers of a table of scores, each wrapped to the terminal."""
    notes = [*_graded(judgments, metrics, options), *_negative(scores, judgments, metrics, options, arguments)]
    if not common.names_from(arguments):
        notes.insert(0, "These are the default metrics; -m NAME selects others, `diveval choose` suggests some.")
    width = max(common.terminal_width(), 40)
    return "".join("\n" + "\n".join(textwrap.wrap(note, width)) + "\n" for note in notes)


def _graded(judgments: Judgments, metrics: Sequence[Metric], options: Options) -> list[str]:
    """Where grades count, our numbers are not those that TREC prints under the same names."""
    from diveval.cli.metrics import ndeval_twin

    if options.relevance.gain == "binary" or judgments.highest <= 1:
        return []
    twins = (ndeval_twin(metric.entry, metric.cutoff) for metric in metrics if metric.entry)
    names = ", ".join(dict.fromkeys(filter(None, twins)))
    if not names:
        return []
    return [f"Grades count as {options.relevance.gain} gain here. TREC's numbers, which are binary: {names}."]


def _negative(
    scores: Scores, judgments: Judgments, metrics: Sequence[Metric], options: Options, arguments: argparse.Namespace
) -> list[str]:
    """Where every run has negative utility: what that means, and where reading should stop."""
    from diveval.metrics.formulas import Sum

    means = scores.means
    for metric in metrics:
        m = scores.metrics.index(metric.name)
        if not isinstance(metric.formula, Sum) or not metric.formula.effort or not len(means) or means[:, m].max() >= 0:
            continue
        best = int(means[:, m].argmax())
        rank = _stop(judgments, metric, options, arguments, best) if len(arguments.runs) == len(scores.runs) else None
        where = "" if rank is None else f" {_advice(scores.runs[best], rank)}"
        return [
            f"Every run is below 0 on {metric.name}: its documents cost readers more effort than they bring utility."
            f"{where} `diveval cutoff` shows it by topic, `diveval effort` what other p and e say."
        ]
    return []


def _advice(run: str, rank: float) -> str:
    if rank == 0:
        return f"No prefix of {run}, the best, has positive utility."
    return f"Readers of {run}, the best, should stop at rank {rank:.1f} on average."


def _stop(
    judgments: Judgments, metric: Metric, options: Options, arguments: argparse.Namespace, run: int
) -> float | None:
    """The mean rank at which reading one run should stop; standard input cannot be read again."""
    from diveval.evaluation import rank_all
    from diveval.stopping import stopping_points

    if arguments.runs[run] == "-":
        return None
    with gathered():  # the file's warnings were printed when it was scored
        rankings = rank_all(judgments, [arguments.runs[run]], [metric], options, keep_documents=False)
    stops = stopping_points(judgments, rankings, metric, options)
    return sum(stop.rank for stop in stops) / len(stops)
