"""Values that a test knows to be there."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    """The value itself: a counterexample, a match, an interval's end that may be missing elsewhere and is not here."""
    assert value is not None
    return value
