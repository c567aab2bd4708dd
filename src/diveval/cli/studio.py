"""`diveval studio [QRELS RUN …]`: an interactive page, served on this machine only."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from diveval.cli import common
from diveval.cli.compare import add_testing, significance_from
from diveval.errors import UsageError, need

ABOUT = (
    "A local page: leaderboard, topics, ranking inspector, metrics, parameters, what-if, and a playground."
    " Without files it opens the built-in collection; files can also be dropped on the page."
    " Only this machine can open it, with the address that is printed."
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `diveval studio`."""
    parser.add_argument("files", metavar="QRELS RUN", nargs="*", help="judgments and runs to load at once")
    parser.add_argument("--weights", metavar="FILE", help="aspect weights, `topic aspect weight`")
    common.add_metrics(parser)
    common.add_texts(parser)
    add_testing(parser)
    parser.add_argument("--port", type=int, default=8765, metavar="N", help="default: 8765; 0 takes any free one")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if len(arguments.files) == 1:
        raise UsageError("missing-argument", "studio takes judgments and at least one run, or no file at all")
    named = {role: getattr(arguments, role) for role in ("weights", "topics", "docs") if getattr(arguments, role)}
    if named and not arguments.files:
        raise UsageError("option-not-applicable", f"--{next(iter(named))} goes with judgments and runs")
    if not 0 <= arguments.port <= 65535:
        raise UsageError("out-of-range", f"--port is from 0 to 65535, got {arguments.port}")
    paths: dict[str, Any] = {role: Path(name) for role, name in named.items()}
    paths["how"] = significance_from(arguments)
    if arguments.metrics:
        need_studio()
        paths["metrics"] = common.metrics_from(arguments, [])
    files = [Path(name) for name in arguments.files]
    open_studio(files, port=arguments.port, browser=not arguments.no_browser, **paths)
    return 0


def need_studio() -> None:
    """Raise an error if the studio's libraries are not installed."""
    for module in ("starlette", "uvicorn"):
        need(module, "studio")


def open_studio(
    files: Sequence[Path],
    *,
    port: int = 8765,
    browser: bool = True,
    clean: Callable[[], object] | None = None,
    **named: Any,
) -> None:
    """Serve the studio with these files until interrupted; `clean` is called when it ends."""
    need_studio()
    from diveval.studio.server import serve
    from diveval.studio.session import Studio

    studio = Studio(files, **named)
    try:
        try:
            serve(studio, port=port, browser=browser, say=_say)
        finally:
            if clean is not None:
                clean()
    except KeyboardInterrupt:
        # Exit without cleanup: a job may be running inside the solver, and z3 aborts the process when its library is
        # unloaded while one of its threads runs.
        print("diveval: interrupted", file=sys.stderr, flush=True)
        os._exit(128 + signal.SIGINT)


def _say(address: str) -> None:
    common.say(f"diveval studio: {address}\nOnly this machine can open it. Ctrl-C ends it.")
