"""Options that the commands of `diveval track` share, and those of `init`."""

from __future__ import annotations

import argparse
from typing import Any


def add_common(parser: argparse.ArgumentParser, default: Any) -> None:
    """Options of every command; they may also stand before its name, so there a command has no default of its own."""
    add = parser.add_argument
    add("--track", metavar="DIR", default=default, help="the track (default: the current folder)")
    add("--json", action="store_true", default=default or False, help="one JSON object on standard output")
    add(
        "--wait",
        type=float,
        default=default or 30.0,
        metavar="SECONDS",
        help="how long to wait for another process that writes (default: 30)",
    )


def register_init(parser: argparse.ArgumentParser) -> None:
    """What `init` writes into track.toml."""
    add = parser.add_argument
    add("--id", metavar="ID", help="default: the name of the folder")
    add("--title", metavar="TEXT", help="default: the id")
    add("--contact", metavar="ADDRESS", default="", help="contact address for participants")
    add("--opens", metavar="TIME", help="such as 2026-03-01T00:00:00Z (default: now)")
    add("--closes", metavar="TIME", help="default: in 90 days")
    add(
        "--topics",
        metavar="FILE",
        help="one id per line, or TREC topics; copied to data/topics.txt (default: that file is yours to fill)",
    )
    add(
        "--documents",
        metavar="RULE",
        default="",
        help="pattern:REGEX, list:FILE or ir_datasets:ID (default: not checked)",
    )
    add(
        "-m",
        "--metric",
        dest="metrics",
        action="append",
        metavar="METRIC",
        default=[],
        help="the first one is official; may be repeated",
    )


def add_details(parser: argparse.ArgumentParser, track: str) -> None:
    """What a sender says about a run."""
    add = parser.add_argument
    next(action for action in parser._actions if action.dest == "track").help = f"{track} (default: the current folder)"
    add("--team", metavar="ID", help="the team, as in teams.toml")
    add("--name", metavar="NAME", help="the name of the run (default: the file name without its ending)")
    add("--type", metavar="TYPE", help="such as automatic or manual")
    add("--meta", metavar="FILE", help="metadata of the run (ir_metadata, YAML)")
