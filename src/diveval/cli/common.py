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
from diveval.cli.terminal import embolden, encodable, terminal_width
from diveval.defaults import HEADLINE, SEED
from diveval.errors import UsageError, printable, quote, warn
from diveval.setting_table import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from diveval.collection.judgments import Judgments
    from diveval.metrics import Metric
    from diveval.reading.texts import Texts
    from diveval.results.protocol import Result
    from diveval.results.statements import Statement
    from diveval.scoring.scorer import RankingsByOrder
    from diveval.settings import Options

DEFAULT_METRICS = list(HEADLINE)


def add_collection(
    parser: argparse.ArgumentParser,
    *,
    runs: str = "+",
    qrels: str | None = None,
    metavar: str = "QRELS",
    answers: bool = False,
) -> None:
    """QRELS RUN …, and all options that say how they are read; `qrels="?"` for a command that can do without them.

    With `answers` the files may contain labels of RAG answers, and one table of them is enough.
    """
    runs = "*" if answers else runs
    parser.add_argument(
        "qrels",
        metavar=metavar,
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
    group.add_argument(
        "--weights",
        metavar="FILE",
        help="aspect weights, `topic aspect weight` (NTCIR's Iprob too); default: from the judgments, else uniform",
    )
    add_settings(group)
    if answers:
        add_label_tables(parser.add_argument_group("labels of RAG answers"))
    parser.set_defaults(usual_reading={action.dest: action.default for action in group._group_actions})


def add_label_tables(group: argparse._ActionsContainer) -> None:
    """How tables of labels are read, a row per label."""
    group.add_argument(
        "--columns",
        metavar="OURS=YOURS,…",
        help="columns of a table with a row per label, such as question=prompt,system=model,nugget=fact,label=mark",
    )
    group.add_argument(
        "--labels", metavar="WORD=SHARE,…", help="what your own labels mean, such as yes=1,partly=0.5,no=0"
    )
    group.add_argument(
        "--combine",
        default="majority",
        metavar="RULE",
        help="several judges of an item: majority (default), mean, or the name of the judge whose labels count",
    )


def pairs_from(text: str | None, flag: str) -> dict[str, str] | None:
    """`a=b,c=d` as a mapping."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if not pairs or not all(mark and name.strip() and value.strip() for name, mark, value in pairs):
        raise UsageError("invalid-argument", f"{flag} is NAME=VALUE,NAME=VALUE,…, got {quote(text)}")
    return {name.strip(): value.strip() for name, _, value in pairs}


def add_settings(group: argparse._ActionsContainer, names: Collection[str] = ()) -> None:
    """The options of the settings table that have a flag, all or those named."""
    from diveval.reading.formats import JUDGMENT_FORMATS, RUN_FORMATS

    formats = {"judgment_format": tuple(JUDGMENT_FORMATS), "run_format": tuple(RUN_FORMATS)}
    for setting in SETTINGS:
        if not setting.flag or (names and setting.name not in names):
            continue
        if setting.kind == "bool":
            action, about = (
                ("store_false", f"do not {setting.help}") if setting.default else ("store_true", setting.help)
            )
            group.add_argument(setting.flag, dest=setting.name, action=action, help=about)
            continue
        words = formats.get(setting.name) or (setting.words if not setting.kind else ())
        shape: dict[str, Any] = {"choices": list(words)} if words else {"metavar": setting.metavar}
        usual = setting.usual if setting.default is None else f"{setting.default}".removesuffix(".0")
        about = f"{setting.help} (default: {usual})"
        group.add_argument(setting.flag, dest=setting.name, default=setting.default, help=about, **shape)


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


def add_evidence(parser: argparse.ArgumentParser) -> None:
    """The option that prints what each generated sentence follows from."""
    parser.add_argument("--evidence", action="store_true", help="print the facts and rows behind each sentence")


def emit_evidence(statements: Iterable[Statement], arguments: argparse.Namespace) -> int:
    """Print the evidence instead of the result."""
    from diveval.results.statements import show_evidence

    emit(show_evidence(statements), arguments)
    return 0


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


def add_options(parser: argparse._ActionsContainer, options: Mapping[str, str]) -> None:
    """Options by how the help shows them: `-v, --verbose` is a switch, `--sort METRIC` takes a value (default: None)."""
    for spelling, about in options.items():
        *short, last = spelling.split(", ")
        flag, _, metavar = last.partition(" ")
        kind: dict[str, Any] = {"metavar": metavar} if metavar else {"action": "store_true"}
        parser.add_argument(*short, flag, help=about, **kind)


def add_number(parser: argparse._ActionsContainer, *flags: str, default: float, metavar: str = "N", help: str) -> None:
    """An option that takes a number of the kind of its default, which the help names."""
    text = f"{help} (default: {default:g})"
    parser.add_argument(*flags, type=type(default), default=default, metavar=metavar, help=text)


def add_seed(parser: argparse.ArgumentParser) -> None:
    """--seed N, for commands that resample."""
    add_number(parser, "--seed", default=SEED, help="seed of the resampling")


def add_time_limit(parser: argparse.ArgumentParser, seconds: float) -> None:
    """--time-limit S, for commands that decide axioms beside other work."""
    about = "seconds for each axiom and metric not decided yet"
    add_number(parser, "--time-limit", default=seconds, metavar="S", help=about)


def add_files(parser: argparse.ArgumentParser, flag: str, *, metavar: str = "FILE", help: str) -> None:
    """An option that takes files, several at once and as often as wanted."""
    parser.add_argument(flag, nargs="+", action="extend", default=[], metavar=metavar, help=help)


def add_output(parser: argparse.ArgumentParser, formats: list[str]) -> None:
    """-f FORMAT and -o FILE; `text` and `table` are two names of what is for people."""
    parser.add_argument(
        "-f",
        "--format",
        type=lambda word: formats[0] if word in ("text", "table") else word,
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
    if "csv" in formats:
        parser.add_argument(
            "--spreadsheet",
            action="store_true",
            help="with -f csv: put ' before text that begins with =, +, - or @, which a spreadsheet would run as a formula",
        )


def file_or_stdout(text: str) -> str | None:
    """A path, or None for `-`, which is standard output here as everywhere."""
    return None if text == "-" else text


def options_from(arguments: argparse.Namespace) -> Options:
    """The reading options as one value."""
    from diveval.reading.chosen import as_options

    given = {setting: getattr(arguments, setting.name) for setting in SETTINGS if setting.flag}
    return as_options(None, {s.name: s.parse(v) if isinstance(v, str) else v for s, v in given.items()})


def metrics_from(arguments: argparse.Namespace, default: list[str]) -> list[Metric]:
    """The metrics asked for, or the command's default."""
    from diveval.metrics import as_metrics

    return as_metrics(names_from(arguments) or default)


def names_from(arguments: argparse.Namespace) -> list[str]:
    """The names of metrics asked for; one -m may contain several."""
    for text in arguments.metrics:
        if not text.strip():
            raise UsageError("no-metric", "-m: the name of a metric is empty", hint="`diveval metrics` lists them")
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
    names = [name for name in re.split(r"\s+(?![^(]*\))", text.strip()) if name]
    # A description, "recall at 100", is refused as a whole, with metrics of that meaning.
    return [text.strip()] if any(name.isdigit() or name in ("at", "of", "the", "how") for name in names) else names


def load_judgments(arguments: argparse.Namespace, options: Options) -> Judgments:
    """Judgments as the arguments say."""
    from diveval.scoring.evaluate import load_judgments
    from diveval.system import timing

    if (arguments.qrels == "-" and "-" in arguments.runs) or arguments.runs.count("-") > 1:
        raise UsageError("stdin-twice", "standard input (-) can be only one of the files")
    with timing.phase("reading"):
        return load_judgments(arguments.qrels, options, arguments.weights)


def load(
    arguments: argparse.Namespace, metrics: list[Metric], options: Options, *, keep_documents: bool = False
) -> tuple[Judgments, RankingsByOrder]:
    """Judgments and rankings as the arguments say."""
    from diveval.scoring.evaluate import rank_all

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


def emit_result(result: Result, arguments: argparse.Namespace) -> None:
    """Write a result in the format asked for, or what its sentences follow from."""
    if getattr(arguments, "evidence", False):
        emit_evidence(result.statements, arguments)
    else:
        emit(text_of(result, arguments), arguments)


def text_of(result: Result, arguments: argparse.Namespace) -> str:
    """A result in the format asked for."""
    form = {"table": "text", "md": "markdown"}.get(arguments.format, arguments.format)
    text: str = result.to_text(terminal_width()) if form == "text" else getattr(result, f"to_{form}")()
    return text


def _for_spreadsheets(content: str | bytes | Iterable[str], arguments: argparse.Namespace) -> str:
    from diveval.results.table_text import protect_formulas

    if arguments.format != "csv" or isinstance(content, bytes):
        raise UsageError("conflicting-options", "--spreadsheet is about CSV", hint="add -f csv")
    return protect_formulas(content if isinstance(content, str) else "".join(content))


def emit(content: str | bytes | Iterable[str], arguments: argparse.Namespace) -> None:
    """Write text, whole or in parts, to the file asked for or to standard output.

    Control characters in tables and on terminals are escaped. Bytes go only to a file.
    """
    progress.clear()
    if getattr(arguments, "spreadsheet", False):
        content = _for_spreadsheets(content, arguments)
    if arguments.output:
        from diveval.system.files import write_atomically

        write_atomically(arguments.output, content)
        return
    assert not isinstance(content, bytes)
    text = content if isinstance(content, str) else "".join(content)
    form = getattr(arguments, "format", "table")
    if form == "table" or sys.stdout.isatty():
        text = printable(text, keep="\n\t")
    if form in ("table", "text"):
        from diveval.results.table_text import fold

        text = fold(text, terminal_width(), rows=sys.stdout.isatty())
    if form == "table" and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        text = embolden(text)
    if form == "json" and not encodable(text):
        text = "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)
    elif not encodable(text):
        warn(
            "unprintable-output",
            f"standard output is {sys.stdout.encoding} and lacks some of the characters: they are printed as codes; "
            "-o FILE writes UTF-8, and so does PYTHONIOENCODING=utf-8",
        )
    sys.stdout.write(text)
    sys.stdout.flush()


def say(text: str) -> None:
    """Print a line on standard output, with control characters escaped: names in it cannot act on the terminal."""
    progress.clear()
    print(printable(text, keep="\n\t"), flush=True)


def number(text: str, what: str) -> float:
    """A finite number from an option's text."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        raise UsageError("not-a-number", f"{what} is a number, got {quote(text)}")
    return value
