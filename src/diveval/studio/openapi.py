"""The API's document, made from what the endpoints declare: their fields, and the types of their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

from diveval.studio.fields import Field, Kinds, Record, Schema
from diveval.studio.work import JobShape

ABOUT = (
    "The API behind the studio's page. It is served on the loopback interface only; every request carries this start's"
    " token as `Authorization: Bearer TOKEN`, which the printed address holds behind #token=. Warnings of the library"
    " come in the header x-diveval-notes as a JSON list. Numbers are doubles. A field that is not required may be null,"
    " which means the same as leaving it out."
)
SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
SUFFIX = "Shape"  # types of answers are called …Shape in the code; the document drops it


class ErrorShape(TypedDict):
    """Every refusal: one line with what was expected, what came, what to do."""

    error: str


@dataclass(frozen=True)
class Endpoint:
    """One address: what it takes, what it gives, and who answers. `address` has the fields of its path or query."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    answer: Callable[..., Any]
    summary: str
    returns: Any  # the type of the answer
    request: Record | Kinds | None = None
    address: Mapping[str, Field] = field(default_factory=dict)
    wait: Field | None = None  # the answer is computed by a job whose end is waited for, so many seconds
    takes_bytes: bool = False  # the body is a file
    status: int = 200

    def read(self, body: Mapping[str, Any], address: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The checked fields of a request, defaults included."""
        found: dict[str, Any] = {} if self.request is None else self.request.read(body)
        address = address or {}
        return found | {name: one.read(address.get(name), name) for name, one in self.address.items()}


def document(endpoints: Sequence[Endpoint]) -> Schema:
    """OpenAPI 3.1."""
    shapes: Schema = {}
    paths: Schema = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, shapes)
    refused = {"description": "why not", "content": _json(described(ErrorShape, shapes))}
    return {
        "openapi": "3.1.0",
        "info": {"title": "diveval studio", "version": "2", "description": ABOUT},
        "servers": [{"url": "http://127.0.0.1:8765"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"Refused": refused},
            "schemas": shapes,
        },
    }


def _operation(endpoint: Endpoint, shapes: Schema) -> Schema:
    answers: Schema = {
        str(endpoint.status): {"description": "the answer", "content": _json(described(endpoint.returns, shapes))},
        "4XX": {"$ref": "#/components/responses/Refused"},
    }
    if endpoint.wait is not None:
        job = _json(described(JobShape, shapes))
        answers["202"] = {"description": "it takes longer than `wait`: the job", "content": job}
    operation: Schema = {"summary": endpoint.summary, "responses": answers}
    if endpoint.address:
        operation["parameters"] = [
            {
                "name": name,
                "in": "path" if f"{{{name}}}" in endpoint.path else "query",
                "required": True,
                "schema": one.schema(shapes),
            }
            for name, one in endpoint.address.items()
        ]
    if endpoint.takes_bytes:
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": content}
    elif endpoint.request is not None:
        operation["requestBody"] = {"required": True, "content": _json(endpoint.request.schema(shapes))}
    return operation


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def described(kind: Any, shapes: Schema) -> Schema:
    """The JSON Schema of a type; a TypedDict becomes a shape with a name."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin is Annotated:
        return described(arguments[0], shapes) | {"description": arguments[1]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return {"anyOf": [described(one, shapes) for one in arguments]}
    if origin is list:
        return {"type": "array", "items": described(arguments[0], shapes)}
    if origin is dict:
        return {"type": "object", "additionalProperties": described(arguments[1], shapes)}
    if is_typeddict(kind):
        return _named(kind, shapes)
    return {"type": SIMPLE[kind]}


def _named(kind: Any, shapes: Schema) -> Schema:
    name = kind.__name__.removesuffix(SUFFIX)
    if name not in shapes:
        hints = get_type_hints(kind, include_extras=True)
        shapes[name] = {
            "type": "object",
            "description": " ".join(kind.__doc__.split()),
            "properties": {key: described(one, shapes) for key, one in hints.items()},
            "additionalProperties": False,
            "required": [key for key in hints if key in kind.__required_keys__],
        }
    return {"$ref": f"#/components/schemas/{name}"}
