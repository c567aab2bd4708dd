"""Arguments of a type that a function does not take, explained by its annotations once the call has failed."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from diveval.errors import DivevalError, UsageError, quote

P = ParamSpec("P")
T = TypeVar("T")
_FAULTS = (TypeError, AttributeError, ValueError, LookupError, StopIteration, ArithmeticError)
_WORDS = {"bool": "true or false", "int": "a whole number", "float": "a number", "str": "a string", "None": "None"}


def explain_types(function: Callable[P, T]) -> Callable[P, T]:
    """Let a call that fails because of an argument's type say which argument, and what it takes.

    Arguments are looked at only after the failure: what works, works with any type.
    """

    @functools.wraps(function)
    def call(*values: P.args, **options: P.kwargs) -> T:
        try:
            return function(*values, **options)
        except DivevalError:
            raise
        except _FAULTS as error:
            fault = _find_fault(function, values, options, error)
            if fault is None:
                raise
            raise fault from error

    return call


def _find_fault(
    function: Callable[..., Any], values: tuple[Any, ...], options: Mapping[str, Any], error: Exception
) -> UsageError | None:
    """The first argument that is none of what its annotation lists; None if all are."""
    import inspect  # takes milliseconds to import

    try:
        given = inspect.signature(function).bind(*values, **options).arguments
    except TypeError as fault:
        return UsageError("wrong-type", f"{function.__name__}: {fault}")
    for name, value in given.items():
        annotation = inspect.signature(function).parameters[name].annotation
        kinds = _split(annotation) if isinstance(annotation, str) else []
        if kinds and not any(_fits(value, kind) for kind in kinds):
            taken = " or ".join(dict.fromkeys(_WORDS.get(kind, kind) for kind in kinds))
            return UsageError("wrong-type", f"{function.__name__}: {name} is {taken}, got {quote(repr(value))}")
        if isinstance(error, UnicodeEncodeError) and error.object == value:
            return UsageError(
                "cannot-read", f"{function.__name__}: {name}: {quote(value)} cannot be the name of a file"
            )
    return None


def _split(annotation: str) -> list[str]:
    """The alternatives of a union, as texts."""
    depth, parts = 0, [""]
    for piece in re.split(r"([\[\]|])", annotation):
        depth += (piece == "[") - (piece == "]")
        if piece == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts]


def _fits(value: Any, kind: str) -> bool:
    """Whether a value may be of a kind; of an alias nothing is known but that it is no number, unless that is listed."""
    name, _, inner = kind.partition("[")
    is_bool = isinstance(value, bool) or type(value).__name__ == "bool_"
    if kind == "None":
        return value is None
    if name in ("bool", "int", "float"):
        return is_bool if name == "bool" else isinstance(value, Integral if name == "int" else Real) and not is_bool
    if name in ("str", "Literal", "Correction", "Method"):
        return isinstance(value, str)
    if name in ("ArrayLike", "PValues"):
        return _are_numbers(value)
    if name in ("Path", "PathLike"):
        return hasattr(value, "__fspath__")
    if name == "Mapping":
        return isinstance(value, Mapping)
    if name in ("Sequence", "Iterable", "Iterator"):
        held = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
        return held and (
            not isinstance(value, (list, tuple, range)) or all(_fits_inside(one, inner[:-1]) for one in value)
        )
    if name in ("Scores", "Bounds", "Options", "Reading", "Axiom", "Significance"):
        return name in {one.__name__ for one in type(value).__mro__}
    return value is not None and not is_bool and not isinstance(value, (Real, bytes, complex))


def _fits_inside(value: Any, kind: str) -> bool:
    """The same for a member of a sequence; one of several values must have as many."""
    if kind.startswith("tuple["):
        return isinstance(value, tuple) and len(value) == kind.count(",") + 1
    return any(_fits(value, one) for one in _split(kind))


def _are_numbers(value: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping, AbstractSet)) or not hasattr(value, "__iter__"):
        return False
    return all(isinstance(one, Real) for one in value)
