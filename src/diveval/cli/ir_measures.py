"""`diveval data ir-measures …`: the command line of ir_measures, with every metric of diveval known to it."""

from __future__ import annotations

import argparse
import sys

PARSER_OPTIONS = {"add_help": False, "prefix_chars": "\0"}


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval data ir-measures`."""
    parser.add_argument("passed", nargs="*", metavar="QRELS RUN MEASURE …")


def run(arguments: argparse.Namespace) -> int:
    """Register the metrics, then run ir_measures."""
    import diveval.integrations.ir_measures  # noqa: F401  (importing registers)
    from diveval.errors import need

    own, sys.argv = sys.argv, ["diveval data ir-measures", *arguments.passed]
    try:
        need("ir_measures.__main__", "ir-measures").main_cli()
    finally:
        sys.argv = own
    return 0
