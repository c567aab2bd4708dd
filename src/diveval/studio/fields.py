"""The fields of requests, each declared once: the declaration checks what comes in and describes it in the API's document.

A field reads a JSON value into the value that answers work with, or refuses it with one line that names the field,
what was expected and what came.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from diveval.errors import UsageError, shown

Schema = dict[str, Any]  # of JSON Schema
LONGEST = 1000  # characters of a text


class Field(Protocol):
    """What may stand in one place of a request."""

    def read(self, value: Any, name: str) -> Any:
        """The value to work with; `name` is where it stands, for the message."""

    def schema(self, shapes: Schema) -> Schema:
        """Its description; what has a name of its own goes into `shapes` and is referred to."""


@dataclass(frozen=True)
class Plain:
    """A value that is right or wrong by itself."""

    expected: str
    described: Schema
    valid: Callable[[Any], bool]
    made: Callable[[Any], Any] = lambda value: value

    def read(self, value: Any, name: str) -> Any:
        if not self.valid(value):
            raise UsageError(f"{name} is {self.expected}, got {_kind(value)}")
        return self.made(value)

    def schema(self, shapes: Schema) -> Schema:
        return dict(self.described)


def text(longest: int = LONGEST, *, least: int = 0, about: str = "") -> Plain:
    """A string."""
    described = {"type": "string", "minLength": least, "maxLength": longest} | ({"description": about} if about else {})
    length = f"at most {longest}" if not least else f"{least} to {longest}"
    return Plain(
        f"a text of {length} characters", described, lambda v: isinstance(v, str) and least <= len(v) <= longest
    )


def flag() -> Plain:
    """True or false."""
    return Plain("true or false", {"type": "boolean"}, lambda v: isinstance(v, bool))


def whole(low: int, high: int) -> Plain:
    """A whole number within bounds."""
    return Plain(
        f"a whole number from {low} to {high}",
        {"type": "integer", "minimum": low, "maximum": high},
        lambda v: _is_whole(v) and low <= v <= high,
        int,
    )


def number(low: float, high: float, *, about: str = "") -> Plain:
    """A finite number within bounds."""
    described = {"type": "number", "minimum": low, "maximum": high} | ({"description": about} if about else {})
    return Plain(
        f"a number from {low:g} to {high:g}",
        described,
        lambda v: isinstance(v, int | float) and not isinstance(v, bool) and low <= v <= high,
        float,
    )


def choice(words: Sequence[str]) -> Plain:
    """One of a few words."""
    return Plain(f"one of {', '.join(words)}", {"enum": list(words)}, lambda v: isinstance(v, str) and v in words)


def either(one: Plain, other: Plain) -> Plain:
    """A value of one kind or of another."""
    return Plain(
        f"{one.expected}, or {other.expected}",
        {"anyOf": [one.described, other.described]},
        lambda v: one.valid(v) or other.valid(v),
        lambda v: one.made(v) if one.valid(v) else other.made(v),
    )


def file_number(*, in_address: bool = False) -> Plain:
    """The number of a file; an address has it as digits."""

    def digits(value: Any) -> bool:
        return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10

    valid, made = (digits, int) if in_address else (_is_whole, int)
    return Plain("the number of a file (GET /api/files lists them)", {"type": "integer"}, valid, made)


def _is_whole(value: Any) -> bool:
    """JSON knows one kind of number: 5.0 is whole."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1


@dataclass(frozen=True)
class Listed:
    """A list that is neither too short nor too long."""

    item: Field
    most: int
    least: int = 0
    about: str = ""

    def read(self, value: Any, name: str) -> list[Any]:
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            length = f"at most {self.most}" if not self.least else f"{self.least} to {self.most}"
            raise UsageError(f"{name} is a list of {length}, got {_kind(value)}")
        return [self.item.read(one, f"{name}[{i}]") for i, one in enumerate(value)]

    def schema(self, shapes: Schema) -> Schema:
        described: Schema = {"type": "array", "items": self.item.schema(shapes), "maxItems": self.most}
        described |= {"minItems": self.least} if self.least else {}
        return described | ({"description": self.about} if self.about else {})


@dataclass(frozen=True)
class Values:
    """An object of values by names that are not known beforehand."""

    item: Field
    most: int

    def read(self, value: Any, name: str) -> dict[str, Any]:
        if not isinstance(value, Mapping) or len(value) > self.most:
            raise UsageError(f"{name} is an object of at most {self.most} fields, got {_kind(value)}")
        return {key: self.item.read(one, f"{name}.{shown(key)}") for key, one in value.items()}

    def schema(self, shapes: Schema) -> Schema:
        return {"type": "object", "additionalProperties": self.item.schema(shapes), "maxProperties": self.most}


@dataclass(frozen=True)
class Ends:
    """The two ends of a range from 0, the smaller first."""

    high: float

    def read(self, value: Any, name: str) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            raise UsageError(f"{name} is a list of two numbers, the ends of its range, got {_kind(value)}")
        least, most = (number(0, self.high).read(end, name) for end in value)
        if least > most:
            raise UsageError(f"the range of {name} ends below its start: {least:g} to {most:g}")
        return least, most

    def schema(self, shapes: Schema) -> Schema:
        return {"type": "array", "items": number(0, self.high).schema(shapes), "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class Optional:
    """A field that may be absent or null: then its default, a JSON value, is read in its place."""

    field: Field
    default: Any = None

    def read(self, value: Any, name: str) -> Any:
        chosen = self.default if value is None else value
        return None if chosen is None else self.field.read(chosen, name)

    def schema(self, shapes: Schema) -> Schema:
        described = self.field.schema(shapes)
        if "enum" in described:
            described["enum"] = [*described["enum"], None]
        elif "type" in described:
            described["type"] = [described["type"], "null"]
        else:
            described = {"anyOf": [described, {"type": "null"}]}
        return described if self.default is None else described | {"default": self.default}


@dataclass(frozen=True)
class Record:
    """An object of known fields; with a name it is a shape of its own in the document."""

    fields: Mapping[str, Field] = field(default_factory=dict)
    name: str = ""
    about: str = ""
    made: Callable[[dict[str, Any]], Any] = lambda values: values

    def read(self, value: Any, name: str = "") -> Any:
        if not isinstance(value, Mapping):
            raise UsageError(f"{name or 'the request'} is an object, got {_kind(value)}")
        # A misspelt field must not pass in silence.
        unknown = sorted(set(value) - set(self.fields))
        if unknown:
            known = ", ".join(self.fields) or "none"
            raise UsageError(f"no field is called {shown(unknown[0])}; there are: {known}")
        inside = f"{name}." if name else ""
        return self.made({key: one.read(value.get(key), inside + key) for key, one in self.fields.items()})

    def schema(self, shapes: Schema) -> Schema:
        described = {
            "type": "object",
            "properties": {key: one.schema(shapes) for key, one in self.fields.items()},
            "additionalProperties": False,
            "required": self.required,
        } | ({"description": self.about} if self.about else {})
        if not self.name:
            return described
        shapes[self.name] = described
        return {"$ref": f"#/components/schemas/{self.name}"}

    @property
    def required(self) -> list[str]:
        return [key for key, one in self.fields.items() if not isinstance(one, Optional)]


@dataclass(frozen=True)
class Kinds:
    """An object whose field `kind` says which others it has."""

    records: Mapping[str, Record]

    def read(self, value: Any, name: str = "") -> Any:
        kind = choice(tuple(self.records)).read(value.get("kind"), "kind")
        return Record({"kind": choice((kind,)), **self.records[kind].fields}).read(value, name)

    def schema(self, shapes: Schema) -> Schema:
        every = {key: one for record in self.records.values() for key, one in record.fields.items()}
        merged = Record({"kind": choice(tuple(self.records)), **every}).schema(shapes)
        alternatives = [
            {
                "properties": {"kind": {"const": kind}, **dict.fromkeys(record.fields, True)},
                "additionalProperties": False,
                "required": ["kind", *record.required],
            }
            for kind, record in self.records.items()
        ]
        return merged | {"required": ["kind"], "oneOf": alternatives}


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


def _kind(value: Any) -> str:
    """What came, without repeating all of it."""
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return shown(value, 40)
