"""Every address of the API, declared once: its fields check requests and, with the types of answers, give the OpenAPI
description.

`python -m diveval.studio.endpoints` prints the description.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

from diveval.defaults import RBU
from diveval.settings import Options
from diveval.studio import playground
from diveval.studio.constraint_jobs import READINGS
from diveval.studio.fields import (
    Field,
    Schema,
    choice,
    either,
    ends,
    file_number,
    flag,
    kinds,
    list_of,
    number,
    of_setting,
    optional,
    record,
    text,
    values,
    whole,
)
from diveval.studio.jobs import EDITS, HIGHEST, JOBS, WEIGHTS
from diveval.studio.limits import Limits
from diveval.studio.session import FORM, PrintedShape, ScoresShape, Studio
from diveval.studio.work import JobShape

ABOUT = (
    "The API behind the studio's page. It is served on the loopback interface only; every request carries this start's"
    " token as `Authorization: Bearer TOKEN`, which the printed address contains after #token=. Warnings of the library"
    " come in the header x-diveval-notes as a JSON list. Numbers are doubles. A field that is not required may be null,"
    " which means the same as leaving it out."
)
SIMPLE = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
SUFFIX = "Shape"  # types of answers are called …Shape in the code; the description drops it


class PlacedShape(TypedDict, total=False):
    """Parts of an error that not every error has."""

    hint: str
    source: str
    line: int


class ErrorShape(PlacedShape):
    """An error: its code, and one line with what was expected, what came, what to do."""

    error: str
    code: str


@dataclass(frozen=True)
class Endpoint:
    """One address: the fields it takes, and the function that answers. `address` has the fields of its path or query."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    answer: Callable[..., Any]
    summary: str
    request: Field | None = None
    address: Mapping[str, Field] = field(default_factory=dict)
    wait: Field | None = None  # seconds to wait for the job that computes the answer; None: answered without a job
    takes_bytes: bool = False  # the body is a file
    status: int = 200
    returns: Any = None  # the type of the answer, where `answer` is not annotated with it

    def read(self, body: Mapping[str, Any], address: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The checked fields of a request, defaults included."""
        checked: dict[str, Any] = {} if self.request is None else self.request.read(body, "")
        address = address or {}
        return checked | {name: one.read(address.get(name), name) for name, one in self.address.items()}


OPTIONS = optional(
    record(
        {setting.name: of_setting(setting) for setting in FORM},
        "Options",
        "as the command line's options; what is missing takes its default",
        lambda values: Options.of(**values),
    ),
    {},
)
COLLECTION = optional(text(40, about="by the id that loading it gave; without one, the one used last"))
METRIC = optional(text(about="the metric with effort that the curve shows"), RBU)
FORMATS = ("json", "csv", "latex")


def endpoints(limits: Limits) -> list[Endpoint]:
    """All endpoints, with the bounds of these limits."""
    metrics = list_of(text(), limits.metrics, about="metrics by name, such as RBU(p=0.99,e=0.05)@20")
    depth = optional(whole(1, limits.depth), 50)
    id_ = {"id": text(about="from an earlier answer")}
    waiting = "seconds to wait for the answer; beyond them it is 202 with the job, whose result GET /api/jobs/{id} has"

    def compute(
        path: str, answer: Callable[..., Any], summary: str, fields: dict[str, Field], returns: Any = None
    ) -> Endpoint:
        wait = optional(number(0, limits.seconds, about=waiting), limits.seconds)
        return Endpoint("POST", path, answer, summary, record({**fields, "wait": wait}), wait=wait, returns=returns)

    return [
        Endpoint("GET", "/api/session", Studio.session, "The state of this start of the studio"),
        Endpoint(
            "GET",
            "/api/metrics",
            Studio.metrics_shape,
            "The catalogue, as `diveval metrics -f json`, with bounds for sliders",
        ),
        Endpoint(
            "POST",
            "/api/metric",
            Studio.metric_shape,
            "Read a metric's text, or write one from its family, values and cutoff",
            record(
                {
                    "text": optional(text()),
                    "family": optional(text()),
                    "values": optional(values(either(number(-1e300, 1e300), text(40)), most=20), {}),
                    "cutoff": optional(whole(1, 10**9)),
                },
                about="a text, or a family with the values of its parameters (the others take their defaults)",
            ),
        ),
        Endpoint("GET", "/api/files", Studio.files, "Files of the command line and uploads"),
        Endpoint(
            "POST",
            "/api/files",
            Studio.upload,
            "Upload a file; the body is its bytes. It is kept in a private folder until the studio ends",
            address={"name": text(least=1, about="the file's name")},
            takes_bytes=True,
            status=201,
        ),
        Endpoint(
            "DELETE",
            "/api/files/{id}",
            Studio.remove_file,
            "Forget an upload",
            address={"id": file_number(in_address=True)},
        ),
        Endpoint(
            "GET",
            "/api/collections/{id}",
            Studio.collection_shape,
            "The contents of a collection; 410 if it has been replaced",
            address=id_,
        ),
        Endpoint(
            "POST",
            "/api/collection",
            Studio.load,
            "Load a collection, as a job whose result is its shape",
            record(
                {
                    "builtin": optional(flag(), False),
                    "given": optional(flag(), False),
                    "add_to": optional(text(40, about="the id of a collection to which the files are added")),
                    "judgments": optional(file_number()),
                    "runs": optional(list_of(file_number(), limits.files), []),
                    **dict.fromkeys(("weights", "topics", "docs"), optional(file_number())),
                    "options": OPTIONS,
                },
                about="builtin, or given (the command line's files), or numbers of files",
            ),
        ),
        compute(
            "/api/scores",
            Studio.scores,
            "Scores, exactly as `diveval evaluate` prints them in the same format",
            {
                "collection": COLLECTION,
                "metrics": metrics,
                "options": OPTIONS,
                "per_topic": optional(flag(), False),
                "format": optional(choice(FORMATS), FORMATS[0]),
            },
            ScoresShape | PrintedShape,
        ),
        compute(
            "/api/ranking",
            Studio.ranking,
            "One run on one topic, rank by rank, with the curve of gain, effort and utility",
            {
                "collection": COLLECTION,
                "run": text(),
                "topic": text(),
                "metric": METRIC,
                "options": OPTIONS,
                "depth": depth,
            },
        ),
        compute(
            "/api/walk",
            Studio.walk,
            "Runs side by side on one topic, rank by rank, with what each document added to each metric",
            {
                "collection": COLLECTION,
                "runs": list_of(text(), 4),
                "topic": text(),
                "metric": METRIC,
                "metrics": metrics,
                "options": OPTIONS,
                "depth": depth,
            },
        ),
        compute(
            "/api/playground",
            Studio.playground,
            "Every metric's value for one or two small rankings",
            playground.request(limits),
        ),
        Endpoint(
            "GET",
            "/api/presets",
            Studio.presets,
            "The ten constraints as situations: before, after, and what the score must do",
        ),
        Endpoint(
            "POST",
            "/api/axioms",
            Studio.axioms,
            "Decide the ten constraints for metrics, as a job; each cell has the shape of a verdict's JSON, and a"
            " counterexample as a situation",
            record({"metrics": metrics, "reading": optional(choice(READINGS), READINGS[0])}),
        ),
        Endpoint("GET", "/api/jobs", Studio.open_jobs, "The jobs that wait or run, with their progress"),
        Endpoint("POST", "/api/jobs", Studio.start_job, "Start long work of some kind", _jobs(metrics)),
        Endpoint("GET", "/api/jobs/{id}", Studio.job, "The progress of a job, and its result when done", address=id_),
        Endpoint("DELETE", "/api/jobs/{id}", Studio.cancel_job, "Cancel a job at its next step", address=id_),
        Endpoint("GET", "/api/openapi.json", _describe, "This description"),
    ]


def _jobs(metrics: Field) -> Field:
    """The kinds of long work, each with the fields it names."""
    fields: dict[str, Field] = {
        "metric": text(),
        "metrics": metrics,
        "edit": choice(EDITS),
        "run": text(),
        "other": optional(text(about="the run to swap with")),
        "depth": optional(whole(0, 100_000), 10),
        "weights": optional(choice(tuple(WEIGHTS))),
        "model": optional(file_number()),
        "baseline": optional(text(about="the run of a gate, which the others must not be worse than")),
        "margin": optional(number(0, 1e300, about="by how much they may be worse")),
        **{name: optional(ends(high)) for name, high in HIGHEST.items()},
    }
    common: dict[str, Field] = {"collection": COLLECTION, "options": OPTIONS}
    return kinds({kind: common | {name: fields[name] for name in names} for kind, (names, _) in JOBS.items()})


def _describe(studio: Studio, body: Any) -> Schema:
    return document(endpoints(studio.limits))


# --- the OpenAPI description ----------------------------------------------------------------------------------------------


def document(endpoints: Sequence[Endpoint]) -> Schema:
    """OpenAPI 3.1."""
    shapes: Schema = {}
    paths: Schema = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, shapes)
    refused = {"description": "why not", "content": _json(describe_type(ErrorShape, shapes))}
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
    returned = endpoint.returns or get_type_hints(endpoint.answer)["return"]
    answers: Schema = {
        str(endpoint.status): {"description": "the answer", "content": _json(describe_type(returned, shapes))},
        "4XX": {"$ref": "#/components/responses/Refused"},
    }
    if endpoint.wait is not None:
        job = _json(describe_type(JobShape, shapes))
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


def describe_type(kind: Any, shapes: Schema) -> Schema:
    """The JSON Schema of a type; a TypedDict becomes a shape with a name."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if origin is Annotated:
        return describe_type(arguments[0], shapes) | {"description": arguments[1]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return {"anyOf": [describe_type(one, shapes) for one in arguments]}
    if origin is list:
        return {"type": "array", "items": describe_type(arguments[0], shapes)}
    if origin is dict:
        return {"type": "object", "additionalProperties": describe_type(arguments[1], shapes)}
    if is_typeddict(kind):
        return _name_shape(kind, shapes)
    return {"type": SIMPLE[kind]}


def _name_shape(kind: Any, shapes: Schema) -> Schema:
    name = kind.__name__.removesuffix(SUFFIX)
    if name not in shapes:
        hints = get_type_hints(kind, include_extras=True)
        shapes[name] = {
            "type": "object",
            "description": " ".join(kind.__doc__.split()),
            "properties": {key: describe_type(one, shapes) for key, one in hints.items()},
            "additionalProperties": False,
            "required": [key for key in hints if key in kind.__required_keys__],
        }
    return {"$ref": f"#/components/schemas/{name}"}


if __name__ == "__main__":
    print(json.dumps(document(endpoints(Limits())), indent=1))
