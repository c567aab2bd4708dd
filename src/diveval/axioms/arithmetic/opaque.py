"""What Python may ask of a number that a symbol cannot answer: rounding, text, a place in a set.

A value that is known answers; a symbol ends the run with the reason, so that nothing is concluded from a wrong answer.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from diveval.axioms.arithmetic.following import innermost

NEEDS = "a proof needs + − × ÷, whole powers and comparisons"


class NotExact(TypeError):
    """A metric did something that exact arithmetic cannot follow."""

    def __init__(self, *words: object) -> None:
        super().__init__(*words)
        if (run := innermost()) is not None and run.raised is None:
            run.raised = self  # a metric's own `except` must not hide it


class Opaque:
    """The questions that need a value; `_value` is None where there is none."""

    __slots__ = ()

    @property
    def _value(self) -> Fraction | None:
        raise NotImplementedError

    def _known(self, doing: str) -> Fraction:
        value = self._value
        if value is None:
            raise NotExact(f"the metric {doing}; {NEEDS}")
        return value

    def __float__(self) -> float:
        raise NotExact(f"the metric turns relevance into a float (a logarithm, a root, float(…)?); {NEEDS}")

    def __int__(self) -> int:
        return int(self._known("rounds relevance"))

    def __trunc__(self) -> int:
        return math.trunc(self._known("rounds relevance"))

    def __floor__(self) -> int:
        return math.floor(self._known("rounds relevance"))

    def __ceil__(self) -> int:
        return math.ceil(self._known("rounds relevance"))

    def __round__(self, digits: int | None = None) -> Any:
        value = self._known("rounds relevance")
        return round(value) if digits is None else round(value, digits)

    def rint(self) -> int:
        """What numpy asks for."""
        return round(self._known("rounds relevance"))

    def floor(self) -> int:
        """What numpy asks for."""
        return math.floor(self._known("rounds relevance"))

    def ceil(self) -> int:
        """What numpy asks for."""
        return math.ceil(self._known("rounds relevance"))

    def __floordiv__(self, other: Any) -> Any:
        return self._known("divides relevance with a remainder") // other

    def __rfloordiv__(self, other: Any) -> Any:
        return other // self._known("divides relevance with a remainder")

    def __mod__(self, other: Any) -> Any:
        return self._known("divides relevance with a remainder") % other

    def __rmod__(self, other: Any) -> Any:
        return other % self._known("divides relevance with a remainder")

    def __divmod__(self, other: Any) -> Any:
        return divmod(self._known("divides relevance with a remainder"), other)

    def __str__(self) -> str:
        if innermost() is not None:
            self._known("turns relevance into text")
        return repr(self)

    def __format__(self, form: str) -> str:
        return format(float(self._known("turns relevance into text")), form) if form else str(self)
