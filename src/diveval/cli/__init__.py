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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.cli import progress
from diveval.cli.commands import FIRST, JOBS, OWN_PROGRESS, SUMMARY, declare, join_command, use_current_name
from diveval.cli.parsing import Parser, Program, format_error
from diveval.errors import DivevalError, DivevalWarning, UsageError, printable, quote


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
    return run_plainly(lambda: _execute(use_current_name(arguments)))


def run_plainly(work: Callable[[], int]) -> int:
    """Run a program whose errors are one line and whose output is written completely or reported; its exit code."""
    gc.set_threshold(100_000)  # imports make many objects and hardly any garbage: collect less often
    _prepare_streams()
    _show_warnings_plainly()
    try:
        code = work()
        sys.stdout.flush()  # here a full disk still becomes an error message
        return code
    except DivevalError as error:
        print(format_error(error, sys.stderr), file=sys.stderr)
        return error.exit_code
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


def _execute(arguments: Sequence[str]) -> int:
    """Parse the words and run their command."""
    try:
        parsed = parse(arguments)
    except SystemExit:  # --help and --version
        sys.stdout.flush()
        raise
    if parsed.command is None:
        _parser([]).print_help()
        return 0
    for first, others in (("qrels", "runs"), ("nuggets", "assignments")):
        if isinstance(getattr(parsed, others, None), list):
            _name_files(parsed, first, others)
    names = {parsed.command, f"{parsed.command} {getattr(parsed, 'verb', '')}"}
    with contextlib.nullcontext() if names & OWN_PROGRESS else progress.watching(parsed.command):
        return int(parsed.run(parsed))


class _Labelled(str):
    """A run's path with the name given to it on the command line."""

    __slots__ = ("label",)
    label: str

    def __new__(cls, path: str, label: str) -> _Labelled:
        made = super().__new__(cls, path)
        made.label = label
        return made


def _name_files(parsed: argparse.Namespace, first: str, others: str) -> None:
    """Expand the words of a command that name files; the first may be a table of labels, which has a system too."""
    labels: set[str] = set()
    leading = getattr(parsed, first, None)
    if isinstance(leading, str):
        (named,) = _expand_runs([leading], labels, folders=False)
        setattr(parsed, first, named)
    setattr(parsed, others, _expand_runs(getattr(parsed, others), labels, folders=others == "runs"))


def _expand_runs(words: Sequence[str], labels: set[str], *, folders: bool) -> list[str]:
    """Every run of a command line: a folder is the files in it, `NAME=file` a file with a name of its own."""
    from diveval.reading.remote import is_remote
    from diveval.reading.run_files import expand_runs

    out: list[str] = []
    for word in words:
        label, mark, path = word.partition("=")
        if mark and label and not Path(word).exists() and (path == "-" or is_remote(path) or Path(path).exists()):
            if label in labels:
                raise UsageError(
                    "duplicate-run", f"two runs are called {quote(label)}", hint="give each a name of its own"
                )
            labels.add(label)
            out.append(_Labelled(path, label))
        else:
            out += expand_runs([word]) if folders else [word]
    return out


class _Version(argparse.Action):
    """`--version`: loads the scanner, to say whether it is compiled, only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        from diveval.system import scanner

        print(f"diveval {__version__} ({scanner.describe()})")
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
    if isinstance(sys.stdout, io.TextIOWrapper) and isinstance(sys.stdout.buffer, io.RawIOBase):
        sys.stdout = _buffer(sys.stdout)


def _buffer(stream: Any) -> Any:
    """The same stream by lines: without a buffer (PYTHONUNBUFFERED), Python drops what a full disk did not take, and
    reports no error."""
    kind = {"encoding": stream.encoding, "errors": stream.errors}
    return open(stream.fileno(), "w", buffering=1, closefd=False, **kind)


def _drop_output() -> None:
    """Discard what is still buffered: written at exit it would fail again, and Python would print a traceback."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """A command line as the values that its command takes; `words` are the words themselves."""
    joined = join_command(arguments)
    return _parser(joined).parse_args(joined, argparse.Namespace(words=list(arguments)))


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """A parser that knows the command asked for; the others are only named, and only where a text may list them."""
    parser = Program(
        prog="diveval",
        description="How good is a diversified ranking, and which metric to trust?",
        epilog="`diveval COMMAND --help` explains a command, `diveval completion` helps shells\n"
        "to complete them, `diveval --version` prints the version.",
    )
    parser.jobs, parser.first = JOBS, FIRST
    parser.asked = asked = next((word for word in arguments if not word.startswith("-")), "")
    parser.add_argument("--version", action=_Version, nargs=0, help="the version, and which reader of files is in use")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    if asked in SUMMARY:
        declare(subparsers, asked)
    if (asked not in SUMMARY or asked != arguments[0]) and arguments != ["--version"]:
        for name, summary in SUMMARY.items():
            if name != asked:
                subparsers.add_parser(name, help=summary)
    return parser


def _show_warnings_plainly() -> None:
    def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, DivevalWarning):
            progress.clear()
            print(f"diveval: warning[{message.code}]: {printable(message)}", file=sys.stderr)

    warnings.showwarning = show
    warnings.simplefilter("always", DivevalWarning)
