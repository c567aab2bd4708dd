"""`diveval paper QRELS RUN … -o DIR`: everything that a results section needs, from one command."""

from __future__ import annotations

import argparse
import shlex
import textwrap
from pathlib import Path

from diveval.cli import common
from diveval.cli.compare import add_testing, testing_from
from diveval.cli.terminal import terminal_width
from diveval.errors import UsageError, need

TABLE = ("table.tex", "table.md", "table.csv")


ABOUT = (
    "Write into a folder: "
    + ", ".join(TABLE)
    + ", losses.csv and losses.tex (the topics that the best run loses), figures as PDF and SVG, methods.tex, captions.tex, references.bib, and the command that made them. Without -m: "
    + ", ".join(common.DEFAULT_METRICS)
    + "."
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval paper`."""
    common.add_collection(parser)
    common.add_metrics(parser)
    parser.add_argument(
        "-o", "--output", metavar="DIR", default="paper", help="the folder to write to (default: paper)"
    )
    parser.add_argument("--no-figures", action="store_true", help="tables and text only; needs no plotting library")
    parser.add_argument(
        "--evidence", action="store_true", help="also evidence.txt: the facts and rows behind each sentence"
    )
    common.add_texts(parser, documents=False)
    add_testing(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, score, test, and write the files once all are made."""
    from diveval.analysis.losses import losses_among
    from diveval.publishing import results_table
    from diveval.publishing.results_folder import contents_of
    from diveval.publishing.results_table import gains_of
    from diveval.scoring.evaluate import list_runs, score_runs
    from diveval.system.files import write_atomically

    folder = Path(arguments.output)
    if folder.exists() and not folder.is_dir():
        raise UsageError("not-a-folder", f"{folder}: is not a folder", hint="name one with -o")
    if not arguments.no_figures:
        need("vl_convert", "report")
    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, common.DEFAULT_METRICS)
    judgments, runs = common.load_judgments(arguments, options), list_runs(arguments.runs)
    scores = score_runs(judgments, runs, metrics, options)
    queries = common.queries_from(arguments, scores.topics)
    table = results_table(scores, **testing_from(arguments, scores.runs))
    command = shlex.join(["diveval", *arguments.words])
    lost = None
    if len(scores.runs) > 1:
        texts = common.texts_from(arguments)
        lost = losses_among(scores, gains_of(scores, table)[:2], judgments, runs, texts=texts, options=options)
    contents = contents_of(
        table,
        scores,
        figures=not arguments.no_figures,
        queries=queries,
        command=command,
        evidence=arguments.evidence,
        losses=lost,
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomically(folder / name, content)
    text = f"Written to {folder}: {', '.join(contents)}"
    common.say(
        textwrap.fill(text, terminal_width(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    )
    return 0
