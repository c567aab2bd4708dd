"""`diveval report QRELS RUN … -o report.html`: one self-contained page that shows an evaluation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.errors import UsageError

if TYPE_CHECKING:
    from diveval.report import Study


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "report", help="one HTML page that shows systems, topics, rankings, metrics and axioms",
        description="Write one self-contained HTML page. Without -m: " + ", ".join(common.DEFAULT_METRICS) + ".",
    )  # fmt: skip
    common.add_collection(parser)
    common.add_metrics(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default: report.html")
    parser.add_argument("--reading", choices=["charitable", "as-written"], default="charitable", help="how the axioms are read: as the paper means them (default), or by the letter")
    parser.add_argument("--axiom-seconds", default="1", metavar="S", help="how long to wait for axioms still undecided when all else is done (default: 1)")
    parser.add_argument("--title", help="default: the name of the judgments' file")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read, compute, write."""
    from diveval.files import write_atomically
    from diveval.report import Deciding, contents, page
    from diveval.report.page import begin_vega

    if not Path(arguments.output).resolve().parent.is_dir():
        raise UsageError(f"{arguments.output}: its folder does not exist")
    seconds = common.number(arguments.axiom_seconds, "--axiom-seconds")
    begin_vega()
    files = [arguments.qrels, *arguments.runs, *([arguments.weights] if arguments.weights else [])]
    title = arguments.title or f"Evaluation on {Path(arguments.qrels).name}"
    with Deciding(common.metrics_from(arguments, common.DEFAULT_METRICS), arguments.reading) as deciding:
        data = contents(
            study_from(arguments), title=title, command=["diveval", *arguments.words], files=files,
            deciding=deciding, axiom_seconds=seconds,
        )  # fmt: skip
    written = write_atomically(arguments.output, page(data))
    print(f"Written: {written}")
    return 0


def study_from(arguments: argparse.Namespace) -> Study:
    """What the arguments name, read and scored; the reading's warnings are shown and kept."""
    from diveval.errors import warn
    from diveval.report import Study, listening, needed

    options = common.options_from(arguments)
    metrics = common.metrics_from(arguments, common.DEFAULT_METRICS)
    with listening() as notes:
        judgments, rankings = common.load(arguments, needed(metrics), options, keep_documents=True)
    for note in notes:
        warn(note)
    return Study.of(judgments, rankings, metrics, options, notes=notes)
