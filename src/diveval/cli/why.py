"""`diveval why QRELS A B -m M1 [-m M2]`: why a metric prefers a system, or why two metrics disagree."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diveval.cli import common, progress
from diveval.cli.terminal import terminal_width
from diveval.defaults import USUAL
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.collection.judgments import Judgments
    from diveval.metrics.metric import Metric
    from diveval.settings import Options

FORMATS = ["text", "json", "svg", "pdf", "png"]
TABLES = ["text", "csv", "json", "md", "latex"]  # of --losses


ABOUT = "Which topics decide between two runs, which documents, ranks and aspects earn the difference, and, with two metrics, the axiom that tells them apart with its smallest pair of rankings."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval why`."""
    common.add_collection(parser, answers=True)
    common.add_metrics(parser, what="one metric or two")
    parser.add_argument(
        "-f", "--format", choices=list(dict.fromkeys([*FORMATS, *TABLES])), help="default: text, or by the ending of -o"
    )
    parser.add_argument(
        "-o", "--output", type=common.file_or_stdout, metavar="FILE", help="write here instead of standard output (-)"
    )
    common.add_number(parser, "-n", "--show", default=2, help="how many of the topics that decide are shown")
    common.add_texts(parser)
    common.add_options(parser, {"--no-axioms": "do not look for an axiom that tells the metrics apart"})
    common.add_options(
        parser,
        {"--losses": "instead, all topics where A scores below B by the (first) metric, and the rank where it happens"},
    )
    common.add_evidence(parser)
    common.add_time_limit(parser, 10.0)


def run(arguments: argparse.Namespace) -> int:
    """Read, explain, print or draw."""
    from diveval.analysis.why import why
    from diveval.cli.answers import collection_of, material_of

    answers = material_of(arguments, needs_runs=False)
    compared = arguments.runs if answers is None else list(answers.systems)
    if len(compared) != 2:
        raise UsageError(
            "wrong-number-of-runs",
            f"why compares two runs, got {len(compared)}",
            hint="write diveval why QRELS A B",
        )
    if arguments.show < 1:
        raise UsageError("out-of-range", f"--show is at least 1, got {arguments.show}")
    ending = Path(arguments.output or "").suffix[1:].lower()
    known = TABLES if arguments.losses else FORMATS
    form = arguments.format or (ending if ending in known else "text")
    if form not in known:
        what = "a table of losses" if arguments.losses else "a reason"
        raise UsageError("unknown-format", f"{what} is written as {', '.join(known)}, got -f {form}")
    if form in ("pdf", "png") and not arguments.output:
        raise UsageError("output-file-needed", f"-f {form} needs a file to go to: -o FILE")
    options, runs = common.options_from(arguments), arguments.runs
    if answers is None:
        judgments, metrics = common.load_judgments(arguments, options), common.metrics_from(arguments, [USUAL[0]])
    else:
        collection, metrics = collection_of(answers, arguments)
        judgments, runs, options = collection.judgments, collection.runs, collection.options
    if arguments.losses:
        return _losses(arguments, judgments, runs, metrics[0], options, form)
    with progress.watching("why") as step:
        reasons = why(
            judgments,
            runs[0],
            runs[1],
            metrics,
            topics=arguments.show,
            texts=common.texts_from(arguments),
            options=replace(options, jobs=options.jobs or 2),
            axioms=not arguments.no_axioms,
            time_limit=arguments.time_limit,
            progress=step,
        )
    if arguments.evidence:
        return common.emit_evidence(reasons.statements, argparse.Namespace(output=arguments.output, format="table"))
    content: str | bytes
    if form in ("svg", "pdf", "png"):
        from diveval.results.pictures import render

        content = render(reasons.plot(), form)
    else:
        content = reasons.to_json() if form == "json" else reasons.to_text(terminal_width())
    common.emit(content, argparse.Namespace(output=arguments.output, format="table" if form == "text" else form))
    return 0


def _losses(
    arguments: argparse.Namespace,
    judgments: Judgments,
    runs: Sequence[Any],
    metric: Metric,
    options: Options,
    form: str,
) -> int:
    """Print the topics where the first run loses."""
    from diveval.analysis.losses import losses

    one, other = runs
    found = losses(judgments, one, other, metric, texts=common.texts_from(arguments), options=options)
    target = argparse.Namespace(output=arguments.output, format="table" if form == "text" else form)
    if arguments.evidence:
        return common.emit_evidence(found.statements, target)
    printed = {"csv": found.to_csv, "json": found.to_json, "md": found.to_markdown, "latex": found.to_latex}
    common.emit(found.to_text(terminal_width()) if form == "text" else printed[form](), target)
    return 0
