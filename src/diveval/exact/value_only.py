"""Operations that need the value of a number, such as rounding, which a symbol does not have; and the current run.

A term without symbols has a value and answers. A symbol ends the run with the reason, so that no claim rests on a wrong
answer. The runs of a thread are kept here and not in `paths`, since `polynomials` needs them and `paths` imports it.
"""

from __future__ import annotations

import math
import threading
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diveval.exact.paths import Execution

NEEDS = "a proof needs + − × ÷, whole powers and comparisons"
_local = threading.local()


def runs() -> list[Execution]:
    """The runs under way in this thread, the innermost last."""
    if not hasattr(_local, "runs"):
        _local.runs = []
    under_way: list[Execution] = _local.runs
    return under_way


def current_run() -> Execution | None:
    """The run that answers comparisons, if one is under way."""
    under_way = runs()
    return under_way[-1] if under_way else None


class NotExact(TypeError):
    """A metric did something that exact arithmetic cannot follow."""

    def __init__(self, *words: object) -> None:
        super().__init__(*words)
        if (run := current_run()) is not None and run.raised is None:
            run.raised = self  # a metric's own `except` must not hide it


class ValueOnly:
    """Operations that need a value; `_value` is None where there is none."""

    __slots__ = ()

    @property
    def _value(self) -> Fraction | None:
        raise NotImplementedError

    def _require_value(self, doing: str = "rounds relevance") -> Fraction:
        value = self._value
        if value is None:
            raise NotExact(f"the metric {doing}; {NEEDS}")
        return value

    def _dividend(self) -> Fraction:
        return self._require_value("divides relevance with a remainder")

    def __float__(self) -> float:
        raise NotExact(f"the metric turns relevance into a float (a logarithm, a root, float(…)?); {NEEDS}")

    def __trunc__(self) -> int:
        return math.trunc(self._require_value())

    def __floor__(self) -> int:
        return math.floor(self._require_value())

    def __ceil__(self) -> int:
        return math.ceil(self._require_value())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._require_value(), digits)

    __int__ = __trunc__
    rint, floor, ceil = __round__, __floor__, __ceil__  # what numpy asks for

    def __floordiv__(self, other: Any) -> Any:
        return self._dividend() // other

    def __rfloordiv__(self, other: Any) -> Any:
        return other // self._dividend()

    def __mod__(self, other: Any) -> Any:
        return self._dividend() % other

    def __rmod__(self, other: Any) -> Any:
        return other % self._dividend()

    def __divmod__(self, other: Any) -> Any:
        return divmod(self._dividend(), other)

    def __str__(self) -> str:
        if current_run() is not None:
            self._require_value("turns relevance into text")
        return repr(self)

    def __format__(self, form: str) -> str:
        return format(float(self._require_value("turns relevance into text")), form) if form else str(self)
