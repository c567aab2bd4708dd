"""`diveval evaluate QRELS RUN …`: scores, as a table or in any format that other tools read."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diveval.metrics import Metric
    from diveval.options import Options
    from diveval.rankings import Rankings
    from diveval.scores import Scores

FORMATS = ["table", "csv", "tsv", "json", "trec", "ndeval", "gdeval", "evall", "latex", "parquet"]
_TOOLS = {"trec": "trec_eval", "ndeval": "ndeval", "gdeval": "gdeval", "evall": "evall"}  # whose printouts these are
TREC_EVAL = [
    "num_ret", "num_rel", "num_rel_ret", "map", "recip_rank", "P_5", "P_10", "P_20", "P_100", "ndcg",
    "ndcg_cut_5", "ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_100",
]  # fmt: skip


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "evaluate", help="score runs with any metric of the catalogue",
        description="Score runs. Without -m: " + ", ".join(common.DEFAULT_METRICS) + "; with the format of another tool, that tool's measures.",
    )  # fmt: skip
    common.add_collection(parser)
    common.add_metrics(parser)
    common.add_output(parser, FORMATS)
    parser.add_argument("-q", "--per-topic", action="store_true", help="every topic, not only the mean")
    parser.add_argument("--residuals", action="store_true", help="beside each metric, its rise if every unjudged document were fully relevant")
    parser.add_argument("--timing", action="store_true", help="say on standard error where the time went")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, print; with --timing, say where the time went."""
    from diveval import timing

    if not arguments.timing:
        return _run(arguments)
    with timing.collect() as spent:
        code = _run(arguments)
    print("\n".join(spent.lines()), file=sys.stderr)
    return code


def _run(arguments: argparse.Namespace) -> int:
    from diveval import ahead

    unnamed = [f"{_TOOLS[arguments.format]}."] if arguments.format in _TOOLS else common.DEFAULT_METRICS
    names = common.names_from(arguments) or unnamed
    with ahead.scanning(arguments.qrels, arguments.runs, names, common.unusual(arguments)):
        return _score(arguments)


def _score(arguments: argparse.Namespace) -> int:
    from diveval import timing
    from diveval.evaluation import score_runs
    from diveval.residuals import add_residuals
    from diveval.scoring import score

    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, _default(arguments.format))
    if _is_parquet_throughout(arguments):
        return _run_out_of_core(arguments, metrics, options)
    if arguments.format == "parquet":
        raise UsageError("-f parquet is for judgments and runs in parquet (`diveval convert` makes them), without --weights")
    if arguments.format in _TOOLS:  # these name the runs' tags and unjudged topics too
        judgments, rankings = common.load(arguments, metrics, options)
        with timing.phase("scoring"):
            scores = score(judgments, rankings, metrics, options)
            if arguments.residuals:
                scores = add_residuals(scores, judgments, rankings, metrics, options)
        listed: Sequence[Rankings] = next(iter(rankings.values()))
    else:
        judgments = common.load_judgments(arguments, options)
        scores = score_runs(judgments, arguments.runs, metrics, options, residuals=arguments.residuals)
        listed = ()
    with timing.phase("writing"):
        common.emit(_text(scores, listed, arguments), arguments)
    return 0


def _is_parquet_throughout(arguments: argparse.Namespace) -> bool:
    """Files that need not be held in memory; another tool's printout, weights and residuals need them held."""
    from diveval.reading.parquet import is_parquet

    held = arguments.weights or arguments.residuals or arguments.format in _TOOLS
    return not held and all(is_parquet(path) for path in (arguments.qrels, *arguments.runs))


def _run_out_of_core(arguments: argparse.Namespace, metrics: list[Metric], options: Options) -> int:
    """Shards of topics over --jobs processes; with -f parquet the scores are not held in memory either."""
    from diveval.shards.local import evaluate_parquet, evaluate_to_parquet

    # A metric from a person's own file cannot be sent to other processes.
    jobs = (options.jobs or os.cpu_count() or 1) if all(metric.entry for metric in metrics) else 1
    if arguments.format != "parquet":
        scores = evaluate_parquet(arguments.qrels, arguments.runs, metrics, options=options, jobs=jobs)
        common.emit(_text(scores, (), arguments), arguments)
    elif arguments.output:
        evaluate_to_parquet(arguments.qrels, arguments.runs, metrics, arguments.output, options=options, jobs=jobs)
    else:
        raise UsageError("-f parquet needs a file to go to: -o FILE")
    return 0


def _default(format: str) -> list[str]:
    """What is scored when nothing was asked for: under another tool's format, what that tool prints."""
    if format == "ndeval":
        from diveval.printouts import ndeval_columns

        return ndeval_columns()
    tools = {
        "trec": [f"trec_eval.{name}" for name in TREC_EVAL], "gdeval": ["gdeval.nDCG@20", "gdeval.ERR@20"],
        "evall": ["evall.RBU(p=0.8,e=0.03)"],
    }  # fmt: skip
    return tools.get(format, common.DEFAULT_METRICS)


def _text(scores: Scores, runs: Sequence[Rankings], arguments: argparse.Namespace) -> str:
    from diveval import tables

    per_topic = arguments.per_topic
    if arguments.format in ("csv", "tsv"):
        return tables.csv_text(scores, per_topic=per_topic, separator="," if arguments.format == "csv" else "\t")
    if arguments.format == "json":
        return tables.json_text(scores, per_topic=per_topic)
    if arguments.format == "latex":
        return tables.latex_text(scores)
    if arguments.format == "table":
        return tables.terminal_text(scores, per_topic=per_topic, width=common.terminal_width())
    return _printout(scores, runs, arguments.format, per_topic)


def _printout(scores: Scores, runs: Sequence[Rankings], format: str, per_topic: bool) -> str:
    """The printout of another tool, one run after the other; a table's header stands only once."""
    from diveval import printouts

    blocks = []
    for run in runs:
        topics, title = [*run.topics, *run.unjudged_topics], run.tag or run.name
        if format == "trec":
            # trec_eval's own first line tells runs apart where there are several.
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
