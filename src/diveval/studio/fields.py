"""The fields of requests, each declared once: a declaration checks requests and describes them in OpenAPI.

A field turns a JSON value into the value that the handlers take, or refuses it in one line that names the field, what
was expected and what came.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from diveval.errors import UsageError, quote
from diveval.setting_table import Setting

Schema = dict[str, Any]  # of JSON Schema
LONGEST = 1000  # characters of a text


@dataclass(frozen=True)
class Field:
    """One value of a request; the functions below make every kind of field."""

    read: Callable[[Any, str], Any]  # takes a JSON value and its name for messages, gives the checked value
    schema: Callable[[Schema], Schema]  # JSON Schema; named schemas are added to the given ones and referred to
    expected: str = ""  # for messages, such as "a number from 0 to 1"
    required: bool = True


def plain(
    expected: str, described: Schema, valid: Callable[[Any], bool], made: Callable[[Any], Any] = lambda value: value
) -> Field:
    """A single value that is checked on its own."""

    def read(value: Any, name: str) -> Any:
        if not valid(value):
            raise UsageError(_fault(value, described), f"{name} is {expected}, got {_kind(value)}")
        return made(value)

    return Field(read, lambda shapes: dict(described), expected)


def _fault(value: Any, described: Schema) -> str:
    """The code of the error for a value that does not fit its description."""
    if "enum" in described:
        return "invalid-choice"
    if "maximum" in described:
        return "out-of-range" if isinstance(value, int | float) and not isinstance(value, bool) else "not-a-number"
    return "wrong-type"


def text(longest: int = LONGEST, *, least: int = 0, about: str = "") -> Field:
    """A string."""
    described = {"type": "string", "minLength": least, "maxLength": longest} | _describe(about)
    return plain(
        f"a text of {_length(least, longest)} characters",
        described,
        lambda v: isinstance(v, str) and least <= len(v) <= longest,
    )


def flag() -> Field:
    """True or false."""
    return plain("true or false", {"type": "boolean"}, lambda v: isinstance(v, bool))


def whole(low: int, high: int) -> Field:
    """A whole number within bounds."""
    return plain(
        f"a whole number from {low} to {high}",
        {"type": "integer", "minimum": low, "maximum": high},
        lambda v: _is_whole(v) and low <= v <= high,
        int,
    )


def number(low: float, high: float, *, about: str = "") -> Field:
    """A finite number within bounds."""
    described = {"type": "number", "minimum": low, "maximum": high} | _describe(about)
    return plain(
        f"a number from {low:g} to {high:g}",
        described,
        lambda v: isinstance(v, int | float) and not isinstance(v, bool) and low <= v <= high,
        float,
    )


def choice(words: Sequence[str]) -> Field:
    """One of a few words."""
    return plain(f"one of {', '.join(words)}", {"enum": list(words)}, lambda v: isinstance(v, str) and v in words)


def of_setting(setting: Setting) -> Field:
    """An option as the settings table declares it; null stands for its default."""
    schemas: list[Schema] = [{"enum": [*setting.words, None]}] if setting.words else [{"type": "null"}]
    if setting.kind == "bool":
        schemas.append({"type": "boolean"})
    elif setting.kind:
        bounds = {"exclusiveMinimum": setting.above, "minimum": setting.low, "maximum": setting.high}
        schemas.append({"type": "number"} | {name: end for name, end in bounds.items() if math.isfinite(end)})
    shape = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    shape |= _describe(setting.help) | ({} if setting.default is None else {"default": setting.default})
    return Field(setting.check, lambda shapes: shape, required=False)


def either(one: Field, other: Field) -> Field:
    """A single value of one kind or of another."""
    expected = f"{one.expected}, or {other.expected}"

    def read(value: Any, name: str) -> Any:
        for kind in (one, other):
            with suppress(UsageError):
                return kind.read(value, name)
        raise UsageError("wrong-type", f"{name} is {expected}, got {_kind(value)}")

    return Field(read, lambda shapes: {"anyOf": [one.schema(shapes), other.schema(shapes)]}, expected)


def file_number(*, in_address: bool = False) -> Field:
    """The number of a file; an address has it as digits."""

    def digits(value: Any) -> bool:
        return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10

    valid = digits if in_address else _is_whole
    return plain("the number of a file (GET /api/files lists them)", {"type": "integer"}, valid, int)


def _is_whole(value: Any) -> bool:
    """JSON has one kind of number: 5.0 is whole."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1


def list_of(item: Field, most: int, least: int = 0, *, about: str = "") -> Field:
    """A list that is neither too short nor too long."""

    def read(value: Any, name: str) -> list[Any]:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise UsageError("wrong-type", f"{name} is a list of {_length(least, most)}, got {_kind(value)}")
        return [item.read(one, f"{name}[{i}]") for i, one in enumerate(value)]

    def schema(shapes: Schema) -> Schema:
        described = {"type": "array", "items": item.schema(shapes), "maxItems": most}
        return described | ({"minItems": least} if least else {}) | _describe(about)

    return Field(read, schema)


def values(item: Field, most: int) -> Field:
    """An object of values under arbitrary names."""

    def read(value: Any, name: str) -> dict[str, Any]:
        if not isinstance(value, Mapping) or len(value) > most:
            raise UsageError("wrong-type", f"{name} is an object of at most {most} fields, got {_kind(value)}")
        return {key: item.read(one, f"{name}.{quote(key)}") for key, one in value.items()}

    return Field(
        read, lambda shapes: {"type": "object", "additionalProperties": item.schema(shapes), "maxProperties": most}
    )


def ends(high: float) -> Field:
    """The two ends of a range from 0, the smaller first."""
    end = number(0, high)

    def read(value: Any, name: str) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            raise UsageError(
                "wrong-type", f"{name} is a list of two numbers, the ends of its range, got {_kind(value)}"
            )
        least, most = (end.read(one, name) for one in value)
        if least > most:
            raise UsageError("reversed-range", f"the range of {name} ends below its start: {least:g} to {most:g}")
        return least, most

    return Field(read, lambda shapes: {"type": "array", "items": end.schema(shapes), "minItems": 2, "maxItems": 2})


def optional(field: Field, default: Any = None) -> Field:
    """A field that may be absent or null: then its default, a JSON value, is read in its place."""

    def read(value: Any, name: str) -> Any:
        chosen = default if value is None else value
        return None if chosen is None else field.read(chosen, name)

    def schema(shapes: Schema) -> Schema:
        described = field.schema(shapes)
        if "enum" in described:
            described["enum"] = [*described["enum"], None]
        elif "type" in described:
            described["type"] = [described["type"], "null"]
        else:
            described = {"anyOf": [described, {"type": "null"}]}
        return described if default is None else described | {"default": default}

    return Field(read, schema, required=False)


def record(
    fields: Mapping[str, Field], name: str = "", about: str = "", made: Callable[[dict[str, Any]], Any] = dict
) -> Field:
    """An object of known fields; with a name it becomes a named schema of the description."""

    def read(value: Any, place: str) -> Any:
        if not isinstance(value, Mapping):
            raise UsageError("wrong-type", f"{place or 'the request'} is an object, got {_kind(value)}")
        # Unknown fields are refused: a misspelt one would otherwise be ignored.
        unknown = sorted(set(value) - set(fields))
        if unknown:
            names = ", ".join(fields) or "none"
            raise UsageError("unknown-option", f"no field is called {quote(unknown[0])}", hint=f"there are: {names}")
        inside = f"{place}." if place else ""
        return made({key: one.read(value.get(key), inside + key) for key, one in fields.items()})

    def schema(shapes: Schema) -> Schema:
        described = {
            "type": "object",
            "properties": {key: one.schema(shapes) for key, one in fields.items()},
            "additionalProperties": False,
            "required": _list_required(fields),
        } | _describe(about)
        if not name:
            return described
        shapes[name] = described
        return {"$ref": f"#/components/schemas/{name}"}

    return Field(read, schema)


def kinds(fields_by_kind: Mapping[str, Mapping[str, Field]]) -> Field:
    """An object whose field `kind` says which others it has."""

    def read(value: Any, place: str) -> Any:
        kind = choice(tuple(fields_by_kind)).read(value.get("kind"), "kind")
        return record({"kind": choice((kind,)), **fields_by_kind[kind]}).read(value, place)

    def schema(shapes: Schema) -> Schema:
        every = {key: one for fields in fields_by_kind.values() for key, one in fields.items()}
        merged = record({"kind": choice(tuple(fields_by_kind)), **every}).schema(shapes)
        alternatives = [
            {
                "properties": {"kind": {"const": kind}, **dict.fromkeys(fields, True)},
                "additionalProperties": False,
                "required": ["kind", *_list_required(fields)],
            }
            for kind, fields in fields_by_kind.items()
        ]
        return merged | {"required": ["kind"], "oneOf": alternatives}

    return Field(read, schema)


def _list_required(fields: Mapping[str, Field]) -> list[str]:
    return [key for key, one in fields.items() if one.required]


def _describe(about: str) -> Schema:
    return {"description": about} if about else {}


def _length(least: int, most: int) -> str:
    return f"{least} to {most}" if least else f"at most {most}"


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object of a request's body."""
    try:
        value = json.loads(body.decode("utf-8") if body else "{}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise UsageError("cannot-parse", "the request is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise UsageError("wrong-type", f"the request is a JSON object, got {_kind(value)}")
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
    return quote(value, 40)
