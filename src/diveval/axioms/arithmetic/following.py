"""Who answers when Python asks a condition for its truth: the runs under way in this thread.

`polynomials` asks here and `paths` puts its runs here, so that neither needs to know the other.
"""

from __future__ import annotations

import threading
from typing import Any, Protocol


class Following(Protocol):
    """A run of a metric on symbols."""

    raised: Any  # the first thing the metric did that exact arithmetic cannot follow

    def decide(self, condition: Any) -> bool: ...


_local = threading.local()


def runs() -> list[Following]:
    """The runs under way in this thread, the innermost last."""
    if not hasattr(_local, "runs"):
        _local.runs = []
    under_way: list[Following] = _local.runs
    return under_way


def innermost() -> Following | None:
    """The run that is asked, if one is under way."""
    under_way = runs()
    return under_way[-1] if under_way else None
