"""Errors and warnings, each one line: where, what was expected, what was found, what to do."""

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
    """Any error that is the input's or the caller's, never ours. The command line prints it and exits with 2."""


class DivevalWarning(UserWarning):
    """Something the reader of a result should know, though the result stands."""


class UsageError(DivevalError, ValueError):
    """An argument, option, metric name or parameter that cannot be."""


class InputError(DivevalError, ValueError):
    """A file or frame that cannot be read as what it should be."""

    def __init__(self, message: str, *, source: str = "", line: int | None = None) -> None:
        self.source, self.line = source, line
        where = f"{source}:{line}: " if source and line else f"{source}: " if source else ""
        super().__init__(where + message)


class MissingExtraError(DivevalError, ImportError):
    """An optional dependency that is not installed; the message carries the one command that installs it."""


def need(module: str, extra: str) -> ModuleType:
    """Import an optional dependency late, or say which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.split(".", maxsplit=1)[0]
        raise MissingExtraError(f"this needs {top}: pip install 'diveval[{extra}]'") from error


def close_names(word: str, choices: Iterable[str], *, count: int = 3) -> list[str]:
    """The valid names closest to a wrong one, closest first; none when nothing is close."""
    import difflib

    lowered = {name.lower(): name for name in choices}
    close = difflib.get_close_matches(word.lower(), list(lowered), n=count, cutoff=0.5)
    # What resembles the word much less than the best does would only distract from it.
    likeness = [difflib.SequenceMatcher(None, name, word.lower()).ratio() for name in close]
    return [lowered[name] for name, ratio in zip(close, likeness, strict=True) if ratio > likeness[0] - 0.2]


def suggestion(word: str, choices: Iterable[str], listing: str = "") -> str:
    """What to write instead of a wrong name: the closest valid ones or, where none is close, those there are.

    `listing` says where all of them are listed; without it the first twelve are named here.
    """
    known = list(choices)
    close = close_names(word, known)
    if close:
        question = f"did you mean {' or '.join(filter(None, [', '.join(close[:-1]), close[-1]]))}?"
        return f"{question} {listing}" if listing else question
    if listing:
        return listing
    return f"choose from {', '.join([*known[:12], *(['…'] if len(known) > 12 else [])])}" if known else "there are none"


P = ParamSpec("P")
T = TypeVar("T")


def named_options(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function answer an option that it does not have with the nearest that it has."""
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def checked(*values: P.args, **options: P.kwargs) -> T:
        for name in options:
            if name not in known:
                raise UsageError(f"no option is called {name}; {suggestion(name, known)}")
        return function(*values, **options)

    return checked


def shown(text: object, limit: int = 60) -> str:
    """Someone else's text, quoted, shortened and free of control characters, for use inside a message."""
    quoted = repr(str(text))
    return quoted if len(quoted) <= limit else quoted[: limit - 2] + "…" + quoted[0]


# Control characters could move a terminal's cursor or change its settings, marks of direction could rearrange a line,
# and half surrogate pairs (which is how Python holds file names that are not UTF-8) cannot be written at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: object, *, keep: str = "") -> str:
    """Text as a terminal or a message can hold it: what it must not act on is escaped, but for what `keep` names."""
    return _UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), str(text))


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def few(names: Sequence[str], count: int = 3) -> str:
    """The first of some names: as they are where they are short and print, quoted and shortened otherwise."""
    names_shown = [name if name.isprintable() and len(name) <= 60 else shown(name) for name in names[:count]]
    return ", ".join([*names_shown, *(["…"] if len(names) > count else [])])


def count_of(number: int, one: str, more: str = "") -> str:
    """A number with the words that go with it: `1 label`, `3,000 labels`."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)


@contextmanager
def gathered() -> Iterator[list[str]]:
    """The warnings of this thread's work, each once, kept from the caller.

    `warnings.catch_warnings` changes the filters of all threads, so two jobs of the studio would undo each other's.
    """
    notes: list[str] = []
    before = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(before)


def warn(message: str) -> None:
    """Tell the caller, at the line that called diveval; the command line prints it behind `diveval: warning:`."""
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
