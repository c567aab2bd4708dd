"""What can go wrong, told in one line a person can act on: where, what was expected, what came, what to do."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable, Sequence
from types import ModuleType


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
        top = module.split(".")[0]
        raise MissingExtraError(f"this needs {top}: pip install 'diveval[{extra}]'") from error


def nearest(word: str, choices: Iterable[str], count: int = 3) -> str:
    """A hint that lists the valid names closest to a wrong one, or all of them when none is close."""
    import difflib

    known = list(choices)
    lowered = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), list(lowered), n=count, cutoff=0.5)
    names = [lowered[name] for name in close] or known[:12]
    return ", ".join(names)


def shown(text: object, limit: int = 60) -> str:
    """Someone else's text, quoted, shortened and free of control characters, for use inside a message."""
    quoted = repr(str(text))
    return quoted if len(quoted) <= limit else quoted[: limit - 2] + "…" + quoted[0]


def few(names: Sequence[str], count: int = 3) -> str:
    """The first of some names: as they are where they are short and print, quoted and shortened otherwise."""
    told = [name if name.isprintable() and len(name) <= 60 else shown(name) for name in names[:count]]
    return ", ".join([*told, *(["…"] if len(names) > count else [])])


def warn(message: str) -> None:
    """Tell the caller once; the command line prints it behind `diveval: warning:`."""
    warnings.warn(message, DivevalWarning, stacklevel=3)
