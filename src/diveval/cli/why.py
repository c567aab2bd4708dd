"""`diveval why QRELS A B -m M1 [-m M2]`: why a metric prefers a system, or why two metrics disagree."""

from __future__ import annotations

import argparse
from pathlib import Path

from diveval.cli import common, progress
from diveval.defaults import USUAL
from diveval.errors import UsageError

FORMATS = ["text", "json", "svg", "pdf", "png"]


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "why",
        description="Which topics decide between two runs, which documents, ranks and aspects earn the difference, and, with two metrics, the axiom that tells them apart with its smallest pair of rankings.",
    )
    common.add_collection(parser)
    common.add_metrics(parser, what="one metric or two")
    parser.add_argument("-f", "--format", choices=FORMATS, help="default: text, or by the ending of -o")
    parser.add_argument(
        "-o", "--output", type=common.file_or_stdout, metavar="FILE", help="write here instead of standard output (-)"
    )
    common.add_number(parser, "-n", "--show", default=2, help="how many of the topics that decide are shown")
    common.add_texts(parser)
    parser.add_argument(
        "--no-axioms", action="store_true", help="do not look for an axiom that tells the metrics apart"
    )
    common.add_time_limit(parser, 10.0)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, explain, print or draw."""
    from diveval.choosing.reasons import text
    from diveval.choosing.why import why

    if len(arguments.runs) != 2:
        raise UsageError(f"why compares two runs, got {len(arguments.runs)}; write diveval why QRELS A B")
    if arguments.show < 1:
        raise UsageError(f"--show is at least 1, got {arguments.show}")
    ending = Path(arguments.output or "").suffix[1:].lower()
    form = arguments.format or (ending if ending in FORMATS else "text")
    if form in ("pdf", "png") and not arguments.output:
        raise UsageError(f"-f {form} needs a file to go to: -o FILE")
    options = common.options_from(arguments)
    judgments = common.load_judgments(arguments, options)
    with progress.watching("why") as step:
        reasons = why(
            judgments,
            arguments.runs[0],
            arguments.runs[1],
            common.metrics_from(arguments, [USUAL[0]]),
            topics=arguments.show,
            texts=common.texts_from(arguments),
            options=options,
            axioms=not arguments.no_axioms,
            time_limit=arguments.time_limit,
            jobs=2,
            progress=step,
        )
    content: str | bytes
    if form in ("svg", "pdf", "png"):
        from diveval.pictures import rendered

        content = rendered(reasons.plot(), form)
    else:
        content = reasons.to_json() if form == "json" else text(reasons, common.terminal_width())
    common.emit(content, argparse.Namespace(output=arguments.output, format="table" if form == "text" else form))
    return 0
