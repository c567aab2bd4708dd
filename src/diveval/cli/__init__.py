"""The command line: `diveval COMMAND …`. Every command is one file of this package; this one finds and runs it."""

from __future__ import annotations

import argparse
import contextlib
import errno
import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.cli import progress
from diveval.cli.parsing import Parser, Program, described, shown_error
from diveval.errors import DivevalError, DivevalWarning, UsageError, printable, shown

# What each command is for, in the order of the documentation.
SUMMARY = {
    "evaluate": "score runs with any metric of the catalogue",
    "answers": "score RAG answers by nuggets, citations and rubrics",
    "cutoff": "per topic, the rank at which a reader should stop",
    "check": "what files contain, and what is wrong with them",
    "metrics": "list the metrics, or explain one",
    "data": "make a synthetic collection, list and fetch real ones",
    "demo": "evaluate a synthetic collection and write a report",
    "compare": "which systems differ, by how much and how surely",
    "unanimity": "which metric agrees when all others agree",
    "meta": "which metric to trust: unanimity, power, agreement, sensitivity, robustness, with plots",
    "simulate": "write a randomly perturbed collection: graded, weighted or cut",
    "reproduce": "the tables of the RBU paper beside ours, on your data or a synthetic collection",
    "axioms": "decide which axioms metrics satisfy, with evidence",
    "explain": "the evidence for one metric and axiom, in plain English",
    "regions": "for which parameters a metric satisfies which axiom",
    "advise": "metrics and parameters that satisfy all the axioms you need",
    "conclusions": "which statements about systems hold whatever the parameters, weights and missing judgments",
    "agreement": "how often metrics prefer what people prefer",
    "violations": "how often metrics fail the axioms in your rankings",
    "why": "why a metric prefers a run, or why two metrics disagree",
    "choose": "which metrics to report, with parameters and reasons",
    "effort": "RBU's p and e from how people read, and what they do on your runs",
    "report": "one HTML page: systems, topics, rankings, metrics and axioms",
    "plot": "one picture for a paper: SVG, PNG or PDF",
    "paper": "the results section of a paper: tables, figures, methods, references",
    "convert": "turn judgments and runs from one format into another",
    "ir-measures": "run ir_measures with diveval's metrics known to it",
    "studio": "explore a collection, metrics and small rankings in the browser",
    "track": "run a shared task from one folder: submissions, scores, leaderboard, site, record",
    "completion": "completion of commands, options and metrics for bash, zsh and fish",
}

# Command → the file that registers it, of its own name unless one file declares several. Only the file of the command
# asked for is loaded.
COMMANDS = {name: "axioms" if name in ("explain", "regions", "advise") else name.replace("-", "_") for name in SUMMARY}

# Commands that print while they work, or show progress of their own: no progress line is drawn for them.
OWN_PROGRESS = {"studio", "track", "demo", "data", "completion", "choose", "why", "axioms", "ir-measures", "report"}


def program() -> int:
    """`diveval` as a process of its own."""
    # numpy's matrix library starts a thread per core, and they spin while they wait; our products are small.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main()
    gc.freeze()  # else the interpreter collects garbage among all loaded modules at exit
    return code


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0, or 2 with one clear line on standard error."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    gc.set_threshold(100_000)  # imports make many objects and hardly any garbage: collect less often
    _prepare_streams()
    _show_warnings_plainly()
    try:
        parsed = _parser(arguments).parse_args(arguments, argparse.Namespace(words=arguments))
        if parsed.command is None:
            _parser([]).print_help()
            return 0
        _fetch(parsed)
        if isinstance(getattr(parsed, "runs", None), list):
            parsed.runs = _spelled_out(parsed.runs)
        with contextlib.nullcontext() if parsed.command in OWN_PROGRESS else progress.watching(parsed.command):
            code = int(parsed.run(parsed))
        sys.stdout.flush()  # here, where a full disk still becomes an error message
        return code
    except DivevalError as error:
        print(shown_error(error, sys.stderr), file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of our output has closed it (`| head`), which is no error. Keep Python from complaining at exit.
        _drop_output()
        return 0
    except OSError as error:
        # Readers and writers of files raise their own errors; this is for standard output and scratch folders.
        _drop_output()
        where = printable(error.filename or "standard output")
        print(f"diveval: {where}: {error.strerror or error}", file=sys.stderr)
        return 2
    except MemoryError:
        print("diveval: out of memory", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("diveval: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT


# Arguments that name input files; each may be an address (`s3://…`), a run also `NAME=s3://…`.
INPUTS = (
    "qrels",
    "runs",
    "weights",
    "effort_file",
    "nuggets",
    "assignments",
    "answers",
    "judgments",
    "scores",
    "files",
)


def _fetch(parsed: argparse.Namespace) -> None:
    """Download remote files before the command starts, so that every command can read them."""
    for name in INPUTS:
        given = getattr(parsed, name, None)
        if isinstance(given, list) and any(isinstance(item, str) and ":" in item for item in given):
            setattr(parsed, name, [_local(item) for item in given])
        elif isinstance(given, str) and ":" in given:
            setattr(parsed, name, _local(given))


def _local(word: str) -> str:
    """The local path of a file or of a downloaded address; `NAME=` in front of it is kept."""
    from diveval.reading.lines import fetched, is_remote

    label, mark, path = word.partition("=")
    return f"{label}={fetched(path)}" if mark and is_remote(path) and not is_remote(word) else fetched(word)


class _Labelled(str):
    """A run's path with the name given to it on the command line."""

    __slots__ = ("label",)
    label: str

    def __new__(cls, path: str, label: str) -> _Labelled:
        made = super().__new__(cls, path)
        made.label = label
        return made


def _spelled_out(words: Sequence[str]) -> list[str]:
    """Every run of a command line: a folder is the files in it, `NAME=file` a file with a name of its own."""
    out: list[str] = []
    labels: set[str] = set()
    for word in words:
        label, mark, path = word.partition("=")
        if mark and label and not Path(word).exists() and (path == "-" or Path(path).exists()):
            if label in labels:
                raise UsageError(f"two runs are called {shown(label)}; give each a name of its own")
            labels.add(label)
            out.append(_Labelled(path, label))
        elif word != "-" and Path(word).is_dir():
            out += _files(Path(word))
        else:
            out.append(word)
    return out


def _files(folder: Path) -> list[str]:
    """The files of a folder by name, without hidden ones and without those of its subfolders."""
    files = sorted(str(path) for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise UsageError(f"{folder}: contains no file; name run files, or a folder of them")
    return files


class _Version(argparse.Action):
    """`--version`: loads the scanner, to say whether it is compiled, only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from diveval import scanner

        print(f"diveval {__version__} ({scanner.described()})")
        parser.exit()


class _Closed(io.TextIOBase):
    """Takes the place of a standard output that was closed before we started: writing to it is an error."""

    encoding = "utf-8"

    @property
    def buffer(self) -> io.BufferedWriter:
        raise OSError(errno.EBADF, "is closed")

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "is closed")


def _prepare_streams() -> None:
    """Make sure that both streams exist and take every character, as an escape where their encoding lacks it."""
    if sys.stderr is None:  # print(file=None) would write to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        sys.stdout = _Closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Discard what is still buffered: written at exit it would fail again, and Python would print a traceback."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = Program(
        prog="diveval",
        description="How good is a diversified ranking, and which metric to trust?",
        epilog="`diveval COMMAND --help` explains a command; `diveval --version`: the version.",
    )
    parser.summary = SUMMARY
    parser.asked = asked = next((word for word in arguments if not word.startswith("-")), "")
    parser.add_argument("--version", action=_Version, nargs=0, help="the version, and which reader of files is in use")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    declare = subparsers.add_parser
    # SUMMARY is the only description of what a command is for.
    subparsers.add_parser = lambda name, **more: declare(name, help=SUMMARY[name], **more)  # type: ignore[method-assign]
    for name, file in COMMANDS.items():
        if file == COMMANDS.get(asked):
            if name not in subparsers.choices:  # one file may declare several commands
                import_module(f"diveval.cli.{file}").register(subparsers)
        elif asked not in COMMANDS or asked != arguments[0]:  # else no help text or error lists the others
            subparsers.add_parser(name)
    described(parser)
    return parser


def _show_warnings_plainly() -> None:
    def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, DivevalWarning):
            progress.clear()
            print(f"diveval: warning: {printable(message)}", file=sys.stderr)

    warnings.showwarning = show
    warnings.simplefilter("always", DivevalWarning)
