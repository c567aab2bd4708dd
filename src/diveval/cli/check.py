"""`diveval check QRELS RUN …`: what the files hold and what is odd about them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from diveval.cli import common
from diveval.errors import DivevalError

if TYPE_CHECKING:
    from diveval.checking import Finding


def register(subparsers: common.Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "check", help="what files hold, and what is odd about them",
        description="Check judgments and runs without scoring them. Exit code 2 if a file cannot be read.",
    )  # fmt: skip
    common.add_collection(parser, runs="*")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Every file gets its findings or its error; one bad file does not hide the others."""
    from diveval.checking import check_judgments, check_run
    from diveval.evaluation import load_judgments

    options = common.options_from(arguments)
    judgments = load_judgments(arguments.qrels, options, arguments.weights)
    print(_told(arguments.qrels, check_judgments(judgments)))
    broken = 0
    for path in arguments.runs:
        try:
            print(_told(path, check_run(path, judgments, format=options.run_format)))
        except DivevalError as error:
            broken += 1
            print(f"diveval: {error}", file=sys.stderr)
    return 2 if broken else 0


def _told(path: str, findings: list[Finding]) -> str:
    width = max(len(finding.what) for finding in findings)
    lines = [f"  {'!' if f.odd else ' '} {f.what:<{width}}  {f.value}" for f in findings]
    return "\n".join([path, *lines, ""])
