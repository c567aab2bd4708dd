"""What comes in as JSON, checked field by field: the one place where a visitor's words become values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from diveval.errors import UsageError, shown


def parse_object(body: bytes) -> dict[str, Any]:
    """A JSON object, or one clear line."""
    try:
        value = json.loads(body.decode("utf-8") if body else "{}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise UsageError("the request is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise UsageError(f"the request is a JSON object, got {_kind(value)}")
    return value


def _refuse(word: str) -> float:
    raise ValueError(word)


def only(body: Mapping[str, Any], *names: str) -> None:
    """Refuse fields nobody reads: a misspelt option must not pass in silence."""
    unknown = sorted(set(body) - set(names))
    if unknown:
        raise UsageError(f"no field is called {shown(unknown[0])}; there are: {', '.join(names)}")


def text(body: Mapping[str, Any], name: str, *, longest: int = 1000) -> str:
    """A string."""
    value = body.get(name)
    if not isinstance(value, str) or len(value) > longest:
        raise UsageError(f"{name} is a text of at most {longest} characters, got {_kind(value)}")
    return value


def flag(body: Mapping[str, Any], name: str, default: bool) -> bool:
    """True or false."""
    value = body.get(name, default)
    if not isinstance(value, bool):
        raise UsageError(f"{name} is true or false, got {_kind(value)}")
    return value


def whole(body: Mapping[str, Any], name: str, *, low: int, high: int, default: int | None = None) -> int:
    """A whole number within bounds."""
    value = body.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UsageError(f"{name} is a whole number from {low} to {high}, got {_kind(value)}")
    return value


def number(value: Any, what: str, *, low: float, high: float) -> float:
    """A finite number within bounds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{what} is a number from {low:g} to {high:g}, got {_kind(value)}")
    try:
        plain = float(value)
    except OverflowError:
        plain = math.inf
    if not low <= plain <= high:
        raise UsageError(f"{what} is a number from {low:g} to {high:g}, got {shown(plain)}")
    return plain


def several(body: Mapping[str, Any], name: str, *, most: int) -> list[Any]:
    """A list that is not too long."""
    value = body.get(name)
    if not isinstance(value, list) or len(value) > most:
        raise UsageError(f"{name} is a list of at most {most}, got {_kind(value)}")
    return value


def texts(body: Mapping[str, Any], name: str, *, most: int) -> list[str]:
    """A list of strings."""
    values = several(body, name, most=most)
    for value in values:
        if not isinstance(value, str):
            raise UsageError(f"{name} is a list of texts, got {_kind(value)} in it")
    return values


def choice(body: Mapping[str, Any], name: str, choices: Sequence[str], default: str | None = None) -> str:
    """One of a few words."""
    value = body.get(name, default)
    if value not in choices:
        raise UsageError(f"{name} is one of {', '.join(choices)}, got {_kind(value)}")
    return str(value)


def _kind(value: Any) -> str:
    """What came, without repeating all of it."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return shown(value, 40)
