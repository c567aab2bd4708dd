"""Errors and warnings: each message is one line that says where, what was expected, what was found and what to do."""

from __future__ import annotations

import functools
import importlib
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import ParamSpec, TypeVar


class DivevalError(Exception):
    """An error caused by the input or the caller, not by a bug in diveval. The command line prints it and exits with 2."""


class DivevalWarning(UserWarning):
    """Something to know about a result that is valid all the same."""


class UsageError(DivevalError, ValueError):
    """An invalid argument, option, metric name or parameter."""


class InputError(DivevalError, ValueError):
    """A file or frame that cannot be read."""

    def __init__(self, message: str, *, source: str = "", line: int | None = None) -> None:
        self.source, self.line = source, line
        where = f"{source}:{line}: " if source and line else f"{source}: " if source else ""
        super().__init__(where + message)


class MissingExtraError(DivevalError, ImportError):
    """An optional dependency that is not installed; the message has the command that installs it."""


def need(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or raise an error that names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.split(".", maxsplit=1)[0]
        raise MissingExtraError(f"this needs {top}: pip install 'diveval[{extra}]'") from error


def close_names(word: str, choices: Iterable[str], *, count: int = 3) -> list[str]:
    """The valid names closest to a wrong one, closest first; none if nothing is close."""
    import difflib

    lowered = {name.lower(): name for name in choices}
    close = difflib.get_close_matches(word.lower(), list(lowered), n=count, cutoff=0.5)
    # Names that are much less similar than the best one would only distract.
    likeness = [difflib.SequenceMatcher(None, name, word.lower()).ratio() for name in close]
    return [lowered[name] for name, ratio in zip(close, likeness, strict=True) if ratio > likeness[0] - 0.2]


def suggestion(word: str, choices: Iterable[str], listing: str = "") -> str:
    """What to write instead of a wrong name: the closest valid names or, if none is close, the valid names.

    `listing` says where all of them are listed; without it the first twelve are given.
    """
    valid = list(choices)
    close = close_names(word, valid)
    if close:
        question = f"did you mean {' or '.join(filter(None, [', '.join(close[:-1]), close[-1]]))}?"
        return f"{question} {listing}" if listing else question
    if listing:
        return listing
    return f"choose from {', '.join([*valid[:12], *(['…'] if len(valid) > 12 else [])])}" if valid else "there are none"


P = ParamSpec("P")
T = TypeVar("T")


def named_options(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function reject an unknown option with an error that suggests the closest valid one."""
    code = function.__code__
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def checked(*values: P.args, **options: P.kwargs) -> T:
        for name in options:
            if name not in parameters:
                raise UsageError(f"no option is called {name}; {suggestion(name, parameters)}")
        return function(*values, **options)

    return checked


def shown(text: object, limit: int = 60) -> str:
    """Text from the user's input, quoted, shortened and without control characters, for use in a message."""
    quoted = repr(str(text))
    return quoted if len(quoted) <= limit else quoted[: limit - 2] + "…" + quoted[0]


# Control characters could move a terminal's cursor or change its settings, direction marks could rearrange a line, and
# lone surrogates (which Python uses for file names that are not UTF-8) cannot be encoded at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: object, *, keep: str = "") -> str:
    """Text that is safe to print: control characters and the like are escaped, except those in `keep`."""
    return _UNPRINTABLE.sub(lambda match: match[0] if match[0] in keep else _escaped(match[0]), str(text))


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def few(names: Sequence[str], count: int = 3) -> str:
    """The first few names; long or unprintable ones are quoted and shortened."""
    names_shown = [name if name.isprintable() and len(name) <= 60 else shown(name) for name in names[:count]]
    return ", ".join([*names_shown, *(["…"] if len(names) > count else [])])


def count_of(number: int, one: str, more: str = "") -> str:
    """A number with its noun in singular or plural: `1 label`, `3,000 labels`."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)


@contextmanager
def gathered() -> Iterator[list[str]]:
    """Collect the warnings of this thread, each once, instead of issuing them.

    `warnings.catch_warnings` changes the filters of all threads, so two jobs of the studio would interfere.
    """
    notes: list[str] = []
    before = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(before)


def warn(message: str) -> None:
    """Issue a warning at the line that called diveval; the command line prints it after `diveval: warning:`."""
    notes = _notes.get()
    if notes is not None:
        if message not in notes:
            notes.append(message)
        return
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "diveval":
        if frame.f_back is None:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, DivevalWarning, stacklevel=level)
