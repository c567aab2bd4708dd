"""What the library warns of, handed to the visitor whose request it was: warnings by thread."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from diveval.errors import DivevalWarning

_lock = threading.Lock()
_here = threading.local()
_entered: list[Any] = []  # the catch_warnings that holds while any thread gathers, once for every such thread


@contextmanager
def gathered() -> Iterator[list[str]]:
    """The warnings of this thread while it works. Python's own catch_warnings is not made for several threads."""
    mine: list[str] = []
    _enter()
    _here.notes = mine
    try:
        yield mine
    finally:
        _here.notes = None
        _leave()


def _enter() -> None:
    with _lock:
        if not _entered:
            catching = warnings.catch_warnings()
            catching.__enter__()
            _entered.append(catching)
            before = warnings.showwarning

            def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
                notes = getattr(_here, "notes", None)
                if notes is None or not issubclass(category, DivevalWarning):
                    before(message, category, *place, **more)
                elif str(message) not in notes:
                    notes.append(str(message))

            warnings.showwarning = show
            warnings.simplefilter("always", DivevalWarning)
        else:
            _entered.append(_entered[0])


def _leave() -> None:
    with _lock:
        catching = _entered.pop()
        if not _entered:
            catching.__exit__(None, None, None)
