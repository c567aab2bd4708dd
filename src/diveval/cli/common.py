"""What every command that takes `QRELS RUN …` shares: the same options with the same meaning, and one way out."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from diveval.errors import UsageError, shown

if TYPE_CHECKING:
    from diveval.judgments import Judgments
    from diveval.metrics import Metric
    from diveval.options import Options
    from diveval.scoring import RankingsByOrder

Subparsers = Any  # argparse does not name the type of what add_subparsers returns

DEFAULT_METRICS = ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20", "ERR_IA@20", "Dsharp_nDCG@20", "StRecall@20"]


def add_collection(parser: argparse.ArgumentParser, *, runs: str = "+", qrels: str | None = None) -> None:
    """QRELS RUN …, and all options that say how they are read; `qrels="?"` for a command that may do without."""
    parser.add_argument("qrels", metavar="QRELS", nargs=qrels, help="judgments: TREC, EvALL, NTCIR, Dynamic Domain, nuggets (JSON lines) or parquet; packed or not; - for standard input")
    parser.add_argument("runs", metavar="RUN", nargs=runs, help="run files: TREC, EvALL, Dynamic Domain or parquet")
    group = parser.add_argument_group("reading")
    add = group.add_argument
    add("--weights", metavar="FILE", help="aspect weights, `topic aspect weight` (NTCIR's Iprob too); default: from the judgments, else uniform")
    add("--no-renormalise", action="store_true", help="keep weights as given instead of making them sum to 1 over the aspects that count")
    add("--order", choices=["score", "rank", "file"], help="what orders a run: score descending (default), the rank column, or the file; also overrides other tools' own rule")
    add("--ties", choices=["docno-desc", "docno-asc", "file"], default="docno-desc", help="order of equal scores (default: document id descending by bytes, as trec_eval and ndeval -traditional)")
    add("--gain", choices=["exponential", "linear", "binary", "identity"], default="exponential", help="grade to relevance: (2^g−1)/2^gmax (default), g/gmax, [g>0], or the file has r already")
    add("--gmax", default="file", metavar="G", help="highest grade: `file` (default), `per-aspect`, or a number")
    add("--missing-topics", choices=["zero", "skip"], help="judged topics a run lacks: score 0 (default) or leave out of its mean")
    add("--empty-topics", choices=["score", "skip"], help="topics without a relevant document: score like others (default) or leave out")
    add("--empty-aspects", choices=["drop", "keep"], default="drop", help="aspects without a relevant document (default: drop)")
    add("--duplicates", choices=["error", "first", "blank"], help="a document twice in a ranking: error (default), keep the first, or keep both places but count the second as not relevant (default for Dynamic Domain)")
    add("--judgment-duplicates", choices=["error", "max", "first", "last"], default="error", help="a document judged twice with different grades (default: error)")
    add("--qrels-format", choices=["trec", "evall", "ntcir", "dynamic-domain", "nuggets"], help="default: found from the content")
    add("--run-format", choices=["trec", "evall", "dynamic-domain"], help="default: found from the content")
    add("--effort-file", metavar="FILE", help="`document cost`: effort of each document as a multiple of e (for RBU, EU)")
    add("--effort-unit", default="1", metavar="U", help="divide costs by this number, or by their `mean` (so that an average document costs e)")
    add("--effort-default", default="1", metavar="C", help="multiple of e for documents without a cost (default: 1)")
    add("--jobs", type=int, metavar="N", help="files read at once, or processes where all files are parquet (default: the number of cores)")


def add_metrics(parser: argparse.ArgumentParser, *, what: str = "metric") -> None:
    """-m METRIC, as often as wanted."""
    parser.add_argument(
        "-m", "--metric", dest="metrics", action="append", metavar="METRIC", default=[],
        help=f"{what}, such as 'RBU(p=0.99,e=0.05)@20', 'α-nDCG@20', ndeval.ERR_IA@20, or path/to/file.py:name (which runs that file); may be repeated",
    )  # fmt: skip


def add_output(parser: argparse.ArgumentParser, formats: list[str]) -> None:
    """-f FORMAT and -o FILE."""
    parser.add_argument("-f", "--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of standard output, whole or not at all")


def options_from(arguments: argparse.Namespace) -> Options:
    """The reading options as one value."""
    from diveval.options import Options

    more = {} if arguments.jobs is None else {"jobs": _jobs(arguments.jobs)}
    return Options.of(
        gain=arguments.gain, gmax=_gmax(arguments.gmax), renormalise=not arguments.no_renormalise,
        empty_aspects=arguments.empty_aspects, order=arguments.order, ties=arguments.ties,
        missing_topics=arguments.missing_topics, empty_topics=arguments.empty_topics,
        duplicates=arguments.duplicates, judgment_duplicates=arguments.judgment_duplicates,
        judgment_format=arguments.qrels_format, run_format=arguments.run_format, efforts=_efforts(arguments), **more,
    )  # fmt: skip


def unusual(arguments: argparse.Namespace) -> dict[str, Any]:
    """The reading options that were asked for and are not what they are without asking, by name."""
    asked = {
        "order": arguments.order, "ties": None if arguments.ties == "docno-desc" else arguments.ties,
        "run_format": arguments.run_format, "judgment_format": arguments.qrels_format,
        "efforts": arguments.effort_file, "jobs": arguments.jobs,
    }  # fmt: skip
    return {name: value for name, value in asked.items() if value is not None}


def metrics_from(arguments: argparse.Namespace, default: list[str]) -> list[Metric]:
    """The metrics asked for, or the command's default."""
    from diveval.metrics import as_metrics

    return as_metrics(names_from(arguments) or default)


def names_from(arguments: argparse.Namespace) -> list[str]:
    """The names of metrics asked for; one -m may hold several."""
    return [name for text in arguments.metrics for name in re.split(r"\s+(?![^(]*\))", text.strip())]


def load_judgments(arguments: argparse.Namespace, options: Options) -> Judgments:
    """Judgments as the arguments say."""
    from diveval import timing
    from diveval.evaluation import load_judgments

    if (arguments.qrels == "-" and "-" in arguments.runs) or arguments.runs.count("-") > 1:
        raise UsageError("standard input (-) can be only one of the files")
    with timing.phase("reading"):
        return load_judgments(arguments.qrels, options, arguments.weights)


def load(
    arguments: argparse.Namespace, metrics: list[Metric], options: Options, *, keep_documents: bool = False
) -> tuple[Judgments, RankingsByOrder]:
    """Judgments and rankings as the arguments say."""
    from diveval.evaluation import rank_all

    judgments = load_judgments(arguments, options)
    return judgments, rank_all(judgments, arguments.runs, metrics, options, keep_documents=keep_documents)


def emit(text: str, arguments: argparse.Namespace) -> None:
    """To the file asked for, or to standard output."""
    if arguments.output:
        from diveval.files import write_atomically

        write_atomically(arguments.output, text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def terminal_width() -> int:
    """The width to lay a table out for: the terminal's, 80 where there is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def number(text: str, what: str) -> float:
    """A finite number from an option's text."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value - value != 0:
        raise UsageError(f"{what} is a number, got {shown(text)}")
    return value


def _gmax(text: str) -> str | float:
    return text if text in ("file", "per-aspect") else number(text, "--gmax (or file, or per-aspect)")


def _jobs(count: int) -> int:
    if count < 1:
        raise UsageError(f"--jobs is at least 1, got {count}")
    return count


def _efforts(arguments: argparse.Namespace) -> Any:
    if arguments.effort_file is None:
        return None
    from diveval.reading import read_efforts

    unit = None if arguments.effort_unit == "mean" else number(arguments.effort_unit, "--effort-unit (or mean)")
    return read_efforts(arguments.effort_file, unit=unit, default=number(arguments.effort_default, "--effort-default"))
