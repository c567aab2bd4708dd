"""Errors and warnings: each message is one line that says where, what was expected, what was found and what to do."""

from __future__ import annotations

import copy
import functools
import importlib
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Self


class DivevalError(Exception):
    """An error caused by the input or the caller, not by a bug in diveval. The command line prints it and exits with 2.

    Args:
        code: which fault it is, such as `unknown-metric`: stable, documented in `diveval.error_codes`.
        message: what is wrong, in words that may change.
        hint: what to do about it.
        source: the file or table that has the fault.
        line: its line, from 1.
    """

    exit_code = 2

    def __init__(self, code: str, message: str, *, hint: str = "", source: str = "", line: int | None = None) -> None:
        super().__init__(code, message)  # the arguments with which pickle makes it again; the rest is in `__dict__`
        self.code, self.message, self.hint, self.source, self.line = code, message, hint, source, line

    @property
    def where(self) -> str:
        """`source`, or `source:line`."""
        return f"{self.source}:{self.line}" if self.source and self.line else self.source

    def __str__(self) -> str:
        what = f"{self.where}: {self.message}" if self.source else self.message
        return f"{what}; {self.hint}" if self.hint else what

    def place(self, source: str, line: int | None = None) -> Self:
        """The same error with the place of its fault, unless it names one."""
        placed = copy.copy(self)
        if not self.source:
            placed.source, placed.line = source, line
        return placed

    def as_json(self) -> dict[str, str | int | None]:
        """The whole text, and its parts as values."""
        parts = {"hint": self.hint, "source": self.source, "line": self.line}
        return {"error": str(self), "code": self.code, **{name: part for name, part in parts.items() if part}}


class DivevalWarning(UserWarning):
    """Something to know about a result that is valid all the same; `code` names it, as in an error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message

    def __str__(self) -> str:
        return self.message


class UsageError(DivevalError, ValueError):
    """An invalid argument, option, metric name or parameter."""


class InputError(DivevalError, ValueError):
    """A file or frame that cannot be read."""


class MissingExtraError(DivevalError, ImportError):
    """An optional dependency that is not installed; the message has the command that installs it."""


def need(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or raise an error that names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        top = module.split(".", maxsplit=1)[0]
        raise MissingExtraError("missing-extra", f"this needs {top}", hint=f"pip install 'diveval[{extra}]'") from error


def close_names(word: str, choices: Iterable[str], *, count: int = 3, likeness: float = 0.5) -> list[str]:
    """The valid names closest to a wrong one, closest first; none if nothing is as close as `likeness`, of at most 1."""
    import difflib

    lowered = {name.lower(): name for name in choices}
    close = difflib.get_close_matches(word.lower(), list(lowered), n=count, cutoff=likeness)
    # Names that are much less similar than the best one would only distract.
    ratios = [difflib.SequenceMatcher(None, name, word.lower()).ratio() for name in close]
    return [lowered[name] for name, ratio in zip(close, ratios, strict=True) if ratio > ratios[0] - 0.2]


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


def check_options(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function reject an unknown option with an error that suggests the closest valid one."""
    code = function.__code__
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def call(*values: P.args, **options: P.kwargs) -> T:
        for name in options:
            if name not in parameters:
                raise UsageError("unknown-option", f"no option is called {name}", hint=suggestion(name, parameters))
        return function(*values, **options)

    return call


def quote(text: object, limit: int = 60) -> str:
    """Text from the user's input, quoted, shortened and without control characters, for use in a message."""
    quoted = repr(str(text))
    return quoted if len(quoted) <= limit else shorten(quoted, limit - 1) + quoted[0]


def shorten(text: str, longest: int) -> str:
    """A text of at most this many characters, the last of which is … where it is longer."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


# Control characters could move a terminal's cursor or change its settings, direction marks could rearrange a line, and
# lone surrogates (which Python uses for file names that are not UTF-8) cannot be encoded at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: object, *, keep: str = "") -> str:
    """Text that is safe to print: control characters and the like are escaped, except those in `keep`."""
    return _UNPRINTABLE.sub(lambda match: match[0] if match[0] in keep else _escape(match[0]), str(text))


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def preview(names: Sequence[str], count: int = 3) -> str:
    """The first few names; long or unprintable ones are quoted and shortened."""
    names_shown = [name if name.isprintable() and len(name) <= 60 else quote(name) for name in names[:count]]
    return ", ".join([*names_shown, *(["…"] if len(names) > count else [])])


def count_of(number: int, one: str, more: str = "") -> str:
    """A number with its noun in singular or plural: `1 label`, `3,000 labels`."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def share_text(share: float | None) -> str:
    """A share in percent with one digit; 0 % and 100 % only if it is exactly that."""
    if share is None:
        return "–"
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return "<0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def level_text(confidence: float) -> str:
    """A level of confidence in percent, with all its digits: 99.5%."""
    return f"{round(100 * confidence, 9):g}%"


_notes: ContextVar[list[DivevalWarning] | None] = ContextVar("notes", default=None)


@contextmanager
def capture_warnings() -> Iterator[list[DivevalWarning]]:
    """Collect the warnings of this thread, each once, instead of issuing them.

    `warnings.catch_warnings` changes the filters of all threads, so two jobs of the studio would interfere.
    """
    notes: list[DivevalWarning] = []
    before = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(before)


def warn(code: str, message: str) -> None:
    """Issue a warning at the line that called diveval; the command line prints it after `diveval: warning[code]:`."""
    notes = _notes.get()
    if notes is not None:
        if all(note.message != message for note in notes):
            notes.append(DivevalWarning(code, message))
        return
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "diveval":
        if frame.f_back is None:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(DivevalWarning(code, message), stacklevel=level)
