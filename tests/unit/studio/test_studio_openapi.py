"""The API document is generated from the declarations that check requests: complete and correct."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="the studio's tests need the extra `studio`")

from diveval.errors import UsageError
from diveval.studio.constraint_jobs import READINGS
from diveval.studio.endpoints import Endpoint, document, endpoints
from diveval.studio.jobs import JOBS
from diveval.studio.known_files import ROLES
from diveval.studio.limits import Limits
from diveval.studio.session import FORM
from support.characters import ANY
from support.refusals import has_facts
from support.shared import times

pytestmark = pytest.mark.slow(seconds=0.4)  # together: `make check` leaves the file out

METRICS = ["RBU(p=0.9,e=0.05)@20", "alpha_nDCG(alpha=0.5)@10", "ERR_IA@10", "P@5"]
ENDPOINTS = endpoints(Limits())
DOCUMENT = document(ENDPOINTS)


def fits(shape: dict[str, Any], value: Any) -> bool:
    """Whether a value has a documented shape."""
    validator = jsonschema.Draft202012Validator({**shape, "components": DOCUMENT["components"]})
    return bool(validator.is_valid(value))


def check(shape: dict[str, Any], value: Any) -> None:
    jsonschema.validate(value, {**shape, "components": DOCUMENT["components"]})


def body_of(operation: dict[str, Any]) -> dict[str, Any]:
    shape: dict[str, Any] = operation["requestBody"]["content"]["application/json"]["schema"]
    return shape


def test_the_document_is_served_and_printed(loaded: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """It is served at its address, and printed by the module that declares the endpoints."""
    assert loaded.get("/api/openapi.json").json() == DOCUMENT
    runpy.run_path(endpoints.__code__.co_filename, run_name="__main__")
    assert json.loads(capsys.readouterr().out) == DOCUMENT


def test_the_document_is_valid(loaded: Any) -> None:
    """Every operation has a summary and responses, every reference resolves, and every schema is valid."""
    text = json.dumps(DOCUMENT)
    for name, shape in DOCUMENT["components"]["schemas"].items():
        assert f"#/components/schemas/{name}" in text
        jsonschema.Draft202012Validator.check_schema(shape)
    for path, operations in DOCUMENT["paths"].items():
        for operation in operations.values():
            assert operation["summary"] and operation["responses"]
            named = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
            assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}
    references = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert references <= set(DOCUMENT["components"]["schemas"])


def test_every_documented_address_is_answered(loaded: Any) -> None:
    """No documented operation is an unknown page or method."""
    for path, operations in DOCUMENT["paths"].items():
        for method in operations:
            answer = loaded.request(method.upper(), path.replace("{id}", "none"), body={"no such field": 1})
            assert answer.status_code != 405, (method, path)
            assert answer.status_code != 404 or "none" in answer.json()["error"], (method, path)


def test_allowed_values_come_from_the_registries() -> None:
    """Kinds of jobs, options and their values, roles and readings are those of the code."""
    from diveval.axioms.specification.readings import READINGS as engine_readings

    shapes, paths = DOCUMENT["components"]["schemas"], DOCUMENT["paths"]
    jobs = body_of(paths["/api/jobs"]["post"])
    assert set(jobs["properties"]["kind"]["enum"]) == set(JOBS)
    assert list(shapes["Options"]["properties"]) == [setting.name for setting in FORM]
    for setting in FORM:
        if not setting.kind:
            assert shapes["Options"]["properties"][setting.name]["enum"] == [*setting.words, None]
    assert shapes["File"]["properties"]["role"]["enum"] == list(ROLES)
    assert set(READINGS) == set(engine_readings)


def test_bounds_are_those_of_the_studio(client_of: Any) -> None:
    """A studio with other limits documents and applies them."""
    from diveval.studio.session import Studio

    client = client_of(Studio(limits=Limits(depth=7)))
    shape = body_of(client.get("/api/openapi.json").json()["paths"]["/api/ranking"]["post"])
    assert shape["properties"]["depth"]["maximum"] == 7
    answer = client.post("/api/ranking", {"run": "a", "topic": "1", "depth": 8})
    assert (
        answer.status_code == 400
        and answer.json()["code"] == "out-of-range"
        and has_facts(answer.json()["error"], "1", "7")
    )


def test_every_answer_has_its_documented_shape(loaded: Any) -> None:
    """Each address answers in the documented shape."""
    run, topic = loaded.studio.open_collection().runs[0], loaded.studio.open_collection().topics[0]
    collection = loaded.studio.open_collection().id
    play = {"metrics": METRICS, "rankings": [{"relevance": [[0.5, 0]], "weights": [1, 1]}]}
    requests: list[tuple[str, str, Any]] = [
        ("get", "/api/session", None),
        ("get", "/api/metrics", None),
        ("get", "/api/files", None),
        ("get", "/api/presets", None),
        ("get", "/api/openapi.json", None),
        ("get", "/api/collections/{id}", None),
        ("post", "/api/metric", {"text": "α-nDCG@20"}),
        ("post", "/api/metric", {"text": "RBU(p=1/3)"}),
        ("post", "/api/metric", {"family": "RBU", "values": {"p": 0.8, "scale": "evall"}, "cutoff": 20}),
        ("post", "/api/scores", {"metrics": METRICS, "per_topic": True}),
        ("post", "/api/scores", {"metrics": METRICS, "format": "csv", "options": {"gain": None}}),
        ("post", "/api/ranking", {"run": run, "topic": topic}),
        ("post", "/api/playground", play),
        ("post", "/api/jobs", {"kind": "judged", "metrics": METRICS}),
        ("post", "/api/walk", {"runs": [run], "topic": topic, "metrics": METRICS}),
        ("get", "/api/jobs", None),
        ("post", "/api/collection", {"given": True}),
    ]
    for method, path, body in requests:
        operation = DOCUMENT["paths"][path][method]
        if body is not None:
            check(body_of(operation), body)
        answer = loaded.request(method.upper(), path.replace("{id}", collection), body=body)
        assert answer.status_code == 200, answer.text
        check(operation["responses"]["200"]["content"]["application/json"]["schema"], answer.json())
    uploaded = loaded.upload("a.run", b"1 Q0 d1 1 9 r\n")
    operation = DOCUMENT["paths"]["/api/files"]["post"]
    check(operation["responses"]["201"]["content"]["application/json"]["schema"], uploaded.json())
    removed = loaded.request("DELETE", f"/api/files/{uploaded.json()['id']}")
    operation = DOCUMENT["paths"]["/api/files/{id}"]["delete"]
    check(operation["responses"]["200"]["content"]["application/json"]["schema"], removed.json())


# --- checks agree with the document -----------------------------------------------------------------------------------

TAKING = [one for one in ENDPOINTS if one.request is not None]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 5, 5.0, 0.5, 200, 201, 1e6, 10**30, 1e308]),
    st.sampled_from(["", "json", "charitable", "cut", "any", "gain", "file", "x" * 41, "x" * 1001, "\x00", "é"]),
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4), max_leaves=6)


def near(shape: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema in most cases."""
    if "$ref" in shape:
        return near(DOCUMENT["components"]["schemas"][shape["$ref"].rpartition("/")[2]])
    if "enum" in shape:
        return st.sampled_from(shape["enum"])
    if "oneOf" in shape:  # the kinds of an object
        own = [
            {
                name: {"enum": [one["const"]]} if name == "kind" else shape["properties"][name]
                for name, one in kind.items()
            }
            for kind in (alternative["properties"] for alternative in shape["oneOf"])
        ]
        pairs = zip(own, shape["oneOf"], strict=True)
        return st.one_of([_of_kind("object", {"properties": some, "required": one["required"]}) for some, one in pairs])
    if "anyOf" in shape:
        return st.one_of([near(one) for one in shape["anyOf"]])
    kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    return st.one_of([_of_kind(kind, shape) for kind in kinds])


def _of_kind(kind: str, shape: dict[str, Any]) -> st.SearchStrategy[Any]:
    low, high = shape.get("minimum", 0), shape.get("maximum", 10)
    if kind == "object":
        if "properties" not in shape:
            return st.dictionaries(
                st.text(ANY, max_size=3), st.one_of(near(shape["additionalProperties"]), scalars), max_size=3
            )
        fields = {name: st.one_of(near(one), near(one), near(one), values) for name, one in shape["properties"].items()}
        required = {name: one for name, one in fields.items() if name in shape["required"]}
        rest = {name: one for name, one in fields.items() if name not in shape["required"]}
        return st.fixed_dictionaries(required, optional=rest)
    strategies: dict[str, st.SearchStrategy[Any]] = {
        "null": st.none(),
        "boolean": st.booleans(),
        "integer": st.integers(low - 1, high + 1),
        "number": st.floats(low, high, allow_nan=False) | st.sampled_from([low - 1, high * 2 + 1]),
        "string": st.text(ANY, max_size=3),
    }
    if kind == "array":
        least, most = shape.get("minItems", 0), shape.get("maxItems", 3)
        return st.lists(near(shape["items"]), min_size=max(0, least - 1), max_size=min(most + 1, 3))
    return strategies[kind]


def is_read(endpoint: Endpoint, body: Any) -> str:
    """Empty if the fields accept the body, otherwise the error."""
    try:
        endpoint.read(body)
    except UsageError as error:
        return str(error)
    return ""


# Conditions on two values at once are checked when a request is read; the schema does not express them.
BEYOND = ("ends below its start", "gmax must be above 0")


@pytest.mark.parametrize("endpoint", TAKING, ids=[one.path for one in TAKING])
def test_a_body_is_accepted_exactly_if_the_document_allows_it(endpoint: Endpoint) -> None:
    """A body has the documented shape exactly if the fields accept it; errors are one line."""
    shape = body_of(DOCUMENT["paths"][endpoint.path][endpoint.method.lower()])
    seen: Counter[bool] = Counter()

    @settings(max_examples=times(40, 150), deadline=None, database=None)
    @given(st.one_of(near(shape), near(shape).flatmap(lambda body: st.just({**body, "other field": 1}))))
    def same(body: Any) -> None:
        refusal = is_read(endpoint, body)
        if not any(word in refusal for word in BEYOND):
            assert fits(shape, body) == (not refusal), refusal
        assert "\n" not in refusal
        seen[not refusal] += 1

    same()
    assert seen[True] and seen[False], seen
