"""`diveval ir-measures …`: the command line of ir_measures, with every metric of diveval known to it."""

from __future__ import annotations

import argparse
import sys

from diveval.cli import common


def register(subparsers: common.Subparsers) -> None:
    """Declare the command; all its arguments, options too, go to ir_measures."""
    parser = subparsers.add_parser("ir-measures", add_help=False, prefix_chars="\0")
    parser.add_argument("passed", nargs="*", metavar="QRELS RUN MEASURE …")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Register the metrics, then run ir_measures."""
    import diveval.integrations.ir_measures  # noqa: F401  (importing registers)
    from diveval.errors import need

    own, sys.argv = sys.argv, ["diveval ir-measures", *arguments.passed]
    try:
        need("ir_measures.__main__", "ir-measures").main_cli()
    finally:
        sys.argv = own
    return 0
