"""How long work reports what it is doing: one type of callback for every function that takes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Called with what is being done, how much of it is done, and of how much (0: not known); may end the work by raising.
Progress: TypeAlias = Callable[[str, int, int], None]


def silent(what: str, done: int, total: int) -> None:
    """For work whose progress is not shown."""
