"""The command line: `diveval COMMAND …`. Every command is one file of this room; this one finds and runs it."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from diveval import __version__
from diveval.errors import DivevalError, DivevalWarning

# Command → the file that registers it. Only the file of the command asked for is loaded.
COMMANDS = {
    "evaluate": "evaluate", "cutoff": "cutoff", "check": "check", "metrics": "metrics", "data": "data", "demo": "demo",
    "compare": "compare", "unanimity": "unanimity", "meta": "meta", "simulate": "simulate", "reproduce": "reproduce",
    "axioms": "axioms", "explain": "axioms", "regions": "axioms", "advise": "axioms",
    "report": "report", "plot": "plot",
    "convert": "convert", "ir-measures": "ir_measures", "studio": "studio", "completion": "completion",
}  # fmt: skip

SUMMARY = {
    "evaluate": "score runs with any metric of the catalogue",
    "cutoff": "per topic, the rank at which a reader should stop",
    "check": "what files hold, and what is odd about them",
    "metrics": "list the metrics, or explain one",
    "data": "make a synthetic collection, list and fetch real ones",
    "demo": "evaluate a synthetic collection and show what there is to see",
    "compare": "which systems differ, by how much and how surely",
    "unanimity": "which metric sees what all the others see",
    "meta": "which metric to trust: unanimity, power, agreement, sensitivity, robustness, with plots",
    "simulate": "write a collection as it might have been: graded, weighted or cut at random",
    "reproduce": "the tables of the RBU paper beside ours, on your data or a synthetic collection",
    "axioms": "decide which axioms metrics satisfy, with evidence",
    "explain": "the evidence for one metric and axiom, told to a person",
    "regions": "for which parameters a metric satisfies which axiom",
    "advise": "metrics and parameters that satisfy all the axioms you need",
    "report": "one HTML page that shows systems, topics, rankings, metrics and axioms",
    "plot": "one picture for a paper: SVG, PNG or PDF",
    "convert": "turn judgments and runs from one format into another",
    "ir-measures": "run ir_measures with diveval's metrics known to it",
    "studio": "explore a collection, metrics and small rankings in the browser",
    "completion": "completion of commands, options and metrics for bash, zsh and fish",
}


def program() -> int:
    """`diveval` as a process of its own."""
    code = main()
    gc.freeze()  # or the interpreter would look through all that was loaded for garbage on its way out
    return code


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, or 2 with one clear line on standard error."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _show_warnings_plainly()
    try:
        parsed = _parser(arguments).parse_args(arguments, argparse.Namespace(words=arguments))
        if parsed.command is None:
            _parser([]).print_help()
            return 0
        code = int(parsed.run(parsed))
        sys.stdout.flush()  # here, where a full disk can still be said
        return code
    except DivevalError as error:
        print(f"diveval: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output went away (`| head`): that is its right. Keep Python from complaining at exit.
        _drop_output()
        return 0
    except OSError as error:
        # Files say it themselves; this is for standard output, scratch folders and whatever else a disk refuses.
        _drop_output()
        print(f"diveval: {error.filename or 'standard output'}: {error.strerror or error}", file=sys.stderr)
        return 2
    except MemoryError:
        print("diveval: this needs more memory than there is", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("diveval: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT


def _drop_output() -> None:
    """Send what is still to be printed nowhere: at exit it would fail once more, and Python would complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="diveval", description="How good is a diversified ranking, and which metric to trust.",
        epilog="`diveval COMMAND --help` explains a command; `diveval demo` shows the house in a minute.",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"diveval {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    asked = next((word for word in arguments if not word.startswith("-")), "")
    for name, file in COMMANDS.items():
        if file == COMMANDS.get(asked):
            if name not in subparsers.choices:  # one file may declare several commands
                import_module(f"diveval.cli.{file}").register(subparsers)
        elif asked not in COMMANDS or asked != arguments[0]:  # else nobody will see the others
            subparsers.add_parser(name, help=SUMMARY[name])
    return parser


def _show_warnings_plainly() -> None:
    def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, DivevalWarning):
            print(f"diveval: warning: {message}", file=sys.stderr)

    warnings.showwarning = show
    warnings.simplefilter("always", DivevalWarning)
