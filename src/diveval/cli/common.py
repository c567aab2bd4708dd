"""What every command that takes `QRELS RUN …` shares: the same options with the same meaning, and one way to write output."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.cli import progress
from diveval.defaults import HEADLINE
from diveval.errors import UsageError, printable, shown, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from diveval.judgments import Judgments
    from diveval.metrics import Metric
    from diveval.options import Options
    from diveval.reading.texts import Texts
    from diveval.scoring import RankingsByOrder

Subparsers = Any  # argparse does not name the type of what add_subparsers returns

DEFAULT_METRICS = list(HEADLINE)


def add_collection(parser: argparse.ArgumentParser, *, runs: str = "+", qrels: str | None = None) -> None:
    """QRELS RUN …, and all options that say how they are read; `qrels="?"` for a command that can do without them."""
    parser.add_argument(
        "qrels",
        metavar="QRELS",
        nargs=qrels,
        help="judgments: TREC, EvALL, NTCIR, Dynamic Domain, nuggets (JSON lines) or parquet; optionally compressed; - for standard input",
    )
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs=runs,
        help="run files (TREC, EvALL, Dynamic Domain or parquet), folders of them, or NAME=file to name a run",
    )
    group = parser.add_argument_group("reading")
    from diveval.reading.formats import JUDGMENT_FORMATS, RUN_FORMATS

    add = group.add_argument
    add(
        "--weights",
        metavar="FILE",
        help="aspect weights, `topic aspect weight` (NTCIR's Iprob too); default: from the judgments, else uniform",
    )
    add(
        "--no-renormalise",
        action="store_true",
        help="keep weights as given instead of making them sum to 1 over the aspects that count",
    )
    add(
        "--order",
        choices=["score", "rank", "file"],
        help="what orders a run: score descending (default), the rank column, or the file; also overrides other tools' own rule",
    )
    add(
        "--ties",
        choices=["docno-desc", "docno-asc", "file"],
        help="order of equal scores, where scores order a run (default: document id descending by bytes, as trec_eval and ndeval -traditional)",
    )
    add(
        "--gain",
        choices=["exponential", "linear", "binary", "identity"],
        default="exponential",
        help="grade to relevance: (2^g−1)/2^gmax (default), g/gmax, [g>0], or the file has r already",
    )
    add("--gmax", default="file", metavar="G", help="highest grade: `file` (default), `per-aspect`, or a number")
    add("--rel", metavar="T", help="the lowest grade that counts: grades below it are 0 (default: every grade above 0)")
    add(
        "--missing-topics",
        choices=["worst", "zero", "skip"],
        default="worst",
        help="judged topics a run lacks: score like a list of non-relevant documents down to the cutoff (default; other tools' metrics: the tool's rule), score 0, or leave out of its mean",
    )
    add(
        "--empty-topics",
        choices=["score", "skip"],
        help="topics without a relevant document: score like others (default) or leave out",
    )
    add(
        "--empty-aspects",
        choices=["drop", "keep"],
        default="drop",
        help="aspects without a relevant document (default: drop)",
    )
    add(
        "--duplicates",
        choices=["error", "first", "blank"],
        help="a document twice in a ranking: error (default), keep the first, or keep both places but count the second as not relevant (default for Dynamic Domain)",
    )
    add(
        "--judgment-duplicates",
        choices=["error", "max", "first", "last"],
        default="error",
        help="a document judged twice with different grades (default: error)",
    )
    add("--qrels-format", choices=list(JUDGMENT_FORMATS), help="default: detected from the content")
    add("--run-format", choices=list(RUN_FORMATS), help="default: detected from the content")
    add(
        "--effort-file",
        metavar="FILE",
        help="`document cost`: effort of each document as a multiple of e (for RBU, EU)",
    )
    add(
        "--effort-unit",
        default="1",
        metavar="U",
        help="divide costs by this number, or by their `mean` (so that an average document costs e)",
    )
    add("--effort-default", default="1", metavar="C", help="multiple of e for documents without a cost (default: 1)")
    add(
        "--largest-topic",
        type=int,
        metavar="CELLS",
        help="aspects × relevant documents that one topic may have (default: 25000000, about 0.8 GB of memory)",
    )
    add(
        "--jobs",
        type=int,
        metavar="N",
        help="files read at once, or processes where all files are parquet (default: the number of cores)",
    )
    parser.set_defaults(usual_reading={action.dest: action.default for action in group._group_actions})


def add_metrics(
    parser: argparse.ArgumentParser,
    *,
    what: str = "metric",
    examples: str = "'RBU(p=0.9,e=0.01)@20', α-nDCG@5,10,20, ndeval.ERR_IA@20, or path/to/file.py:name (which runs that file)",
) -> None:
    """-m METRIC, as often as wanted."""
    parser.add_argument(
        "-m",
        "--metric",
        dest="metrics",
        action="append",
        metavar="METRIC",
        default=[],
        help=f"{what}, such as {examples}; may be repeated",
    )


def add_texts(parser: argparse.ArgumentParser, *, documents: bool = True) -> None:
    """--topics FILE and, where documents are shown, --docs FILE: texts beside the ids; no score depends on them."""
    group = parser.add_argument_group("text")
    group.add_argument(
        "--topics",
        metavar="FILE",
        help="texts of queries and aspects: TREC Web, NTCIR or Dynamic Domain XML, JSON lines, or `topic<TAB>query` and `topic<TAB>aspect<TAB>text`",
    )
    if documents:
        group.add_argument(
            "--docs",
            metavar="FILE",
            help="texts of documents: JSON lines with id, title, snippet, url, or the four as tab-separated columns",
        )


def add_number(parser: argparse._ActionsContainer, *flags: str, default: float, metavar: str = "N", help: str) -> None:
    """An option that takes a number of the kind of its default, which the help names."""
    text = f"{help} (default: {default:g})"
    parser.add_argument(*flags, type=type(default), default=default, metavar=metavar, help=text)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """--seed N, for commands that resample."""
    add_number(parser, "--seed", default=0, help="seed of the resampling")


def add_time_limit(parser: argparse.ArgumentParser, seconds: float) -> None:
    """--time-limit S, for commands that decide axioms beside other work."""
    about = "seconds for each axiom and metric not decided yet"
    add_number(parser, "--time-limit", default=seconds, metavar="S", help=about)


def add_files(parser: argparse.ArgumentParser, flag: str, *, metavar: str = "FILE", help: str) -> None:
    """An option that takes files, several at once and as often as wanted."""
    parser.add_argument(flag, nargs="+", action="extend", default=[], metavar=metavar, help=help)


def add_output(parser: argparse.ArgumentParser, formats: list[str]) -> None:
    """-f FORMAT and -o FILE."""
    parser.add_argument(
        "-f",
        "--format",
        choices=formats,
        default=formats[0],
        metavar="FORMAT",
        help=f"{formats[0]} (default), {', '.join(formats[1:])}",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=file_or_stdout,
        metavar="FILE",
        help="write here instead of standard output (-), atomically",
    )


def file_or_stdout(text: str) -> str | None:
    """A path, or None for `-`, which is standard output here as everywhere."""
    return None if text == "-" else text


def options_from(arguments: argparse.Namespace) -> Options:
    """The reading options as one value."""
    from diveval.options import Options

    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError(f"--jobs is at least 1, got {arguments.jobs}")
    gmax: str = arguments.gmax
    given = {"jobs": arguments.jobs, "largest_topic": arguments.largest_topic}
    return Options.of(
        gain=arguments.gain,
        gmax=gmax if gmax in ("file", "per-aspect") else number(gmax, "--gmax (or file, or per-aspect)"),
        renormalise=not arguments.no_renormalise,
        empty_aspects=arguments.empty_aspects,
        order=arguments.order,
        ties=arguments.ties,
        missing_topics=arguments.missing_topics,
        empty_topics=arguments.empty_topics,
        duplicates=arguments.duplicates,
        judgment_duplicates=arguments.judgment_duplicates,
        judgment_format=arguments.qrels_format,
        run_format=arguments.run_format,
        efforts=_efforts(arguments),
        rel=None if arguments.rel is None else number(arguments.rel, "--rel"),
        **{name: value for name, value in given.items() if value is not None},
    )


def metrics_from(arguments: argparse.Namespace, default: list[str]) -> list[Metric]:
    """The metrics asked for, or the command's default."""
    from diveval.metrics import as_metrics

    return as_metrics(names_from(arguments) or default)


def names_from(arguments: argparse.Namespace) -> list[str]:
    """The names of metrics asked for; one -m may contain several."""
    for text in arguments.metrics:
        if not text.strip():
            raise UsageError("-m: the name of a metric is empty; `diveval metrics` lists them")
    return [name for text in arguments.metrics for name in _names(text.strip())]


def _names(text: str) -> list[str]:
    """Split at white space outside brackets; the path in `path/to/file.py:name` may contain white space itself.

    Such a path ends at `.py:name`. It starts at the first word from which on it is an existing file.
    """
    names, done = [], 0
    for end in re.finditer(r"\.py:\w+(?=\s|$)", text):
        words = [done, *(gap.end() for gap in re.finditer(r"\s+", text) if done < gap.end() < end.end())]
        start = next((at for at in words if Path(text[at : end.end()].strip().rpartition(":")[0]).is_file()), None)
        if start is not None:
            names += [*_split(text[done:start]), text[start : end.end()].strip()]
            done = end.end()
    if not names and text.endswith(tuple(re.findall(r"\.py:\w+", text))):
        return [text]  # no such file: the error message names the whole text
    return [*names, *_split(text[done:])]


def _split(text: str) -> list[str]:
    return [name for name in re.split(r"\s+(?![^(]*\))", text.strip()) if name]


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


def texts_from(arguments: argparse.Namespace, wanted: Collection[str] | None = None) -> Texts:
    """The texts that --topics and --docs give; of the documents only those `wanted` are kept."""
    from diveval.reading.texts import read_texts

    return read_texts(getattr(arguments, "topics", None), getattr(arguments, "docs", None), wanted=wanted)


def queries_from(arguments: argparse.Namespace, topics: Iterable[str]) -> dict[str, str] | None:
    """The queries behind the topics, where --topics gives them."""
    if arguments.topics is None:
        return None
    texts = texts_from(arguments)
    return {topic: texts.query(topic) for topic in topics}


def json_text(shape: Any) -> str:
    """Plain data as the JSON that commands print."""
    return json.dumps(shape, ensure_ascii=False, indent=1) + "\n"


def emit_result(result: Any, arguments: argparse.Namespace, table: Callable[[], str]) -> None:
    """A result in the format asked for: the table for people, or what the result itself writes."""
    form = arguments.format
    emit(table() if form == "table" else getattr(result, f"to_{form}")(), arguments)


def emit(content: str | bytes | Iterable[str], arguments: argparse.Namespace) -> None:
    """Write text, whole or in parts, to the file asked for or to standard output.

    Control characters in tables and on terminals are escaped. Bytes go only to a file.
    """
    progress.clear()
    if arguments.output:
        from diveval.files import write_atomically

        write_atomically(arguments.output, content)
        return
    assert not isinstance(content, bytes)
    text = content if isinstance(content, str) else "".join(content)
    form = getattr(arguments, "format", "table")
    if form == "table" or sys.stdout.isatty():
        text = printable(text, keep="\n\t")
    if form == "json" and not _encodable(text):
        text = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)
    elif not _encodable(text):
        warn(
            f"standard output is {sys.stdout.encoding} and lacks some of the characters: they are printed as codes; "
            "-o FILE writes UTF-8, and so does PYTHONIOENCODING=utf-8"
        )
    sys.stdout.write(text)
    sys.stdout.flush()


def _encodable(text: str) -> bool:
    """Does the encoding of standard output have every character?"""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def say(text: str) -> None:
    """Print a line on standard output, with control characters escaped: names in it cannot act on the terminal."""
    progress.clear()
    print(printable(text, keep="\n\t"), flush=True)


def terminal_width() -> int:
    """The width of tables: $COLUMNS, else the terminal's, or 80 without a terminal."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns[:6]) > 0:
        return max(int(columns[:6]), 20)
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
    if not math.isfinite(value):
        raise UsageError(f"{what} is a number, got {shown(text)}")
    return value


def _efforts(arguments: argparse.Namespace) -> Any:
    if arguments.effort_file is None:
        return None
    from diveval.reading import read_efforts

    unit = None if arguments.effort_unit == "mean" else number(arguments.effort_unit, "--effort-unit (or mean)")
    return read_efforts(arguments.effort_file, unit=unit, default=number(arguments.effort_default, "--effort-default"))
