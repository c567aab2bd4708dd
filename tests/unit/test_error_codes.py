"""Every code of an error or a warning is registered, used and documented, and survives copies and processes."""

from __future__ import annotations

import ast
import pickle
import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from diveval import errors
from diveval.error_codes import AREAS, CODES
from diveval.errors import (
    DivevalError,
    DivevalWarning,
    InputError,
    MissingExtraError,
    UsageError,
    capture_warnings,
    warn,
)
from diveval.tracks.disk import TrackError

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "diveval").rglob("*.py"))


def test_every_code_is_registered_and_used() -> None:
    """The codes in the source and the codes in the table are the same."""
    used = {code for path in SOURCES for call in calls(path) for code in codes_of(call, path)}
    assert used - set(CODES) == set()
    assert set(CODES) - used == set()


def test_a_code_is_lower_case_words_joined_by_hyphens_and_in_one_area() -> None:
    """Codes look alike, each with one line of meaning, and no code is listed twice."""
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code) for code in CODES)
    assert all(meaning.endswith(".") and "\n" not in meaning for meaning in CODES.values())
    assert len(CODES) == sum(map(len, AREAS.values())) == len(set(CODES.values()))


def test_the_page_lists_every_code() -> None:
    """`docs/reference/errors.md` is what `docs/generate_errors.py` writes."""
    generated = runpy.run_path(str(ROOT / "docs" / "generate_errors.py"))
    assert generated["PAGE"].read_text(encoding="utf-8") == generated["page"]()


@pytest.mark.parametrize(
    "error",
    [
        UsageError("unknown-metric", "no metric is called 'x'", hint="did you mean AP?"),
        InputError("not-a-number", "expected a score", source="a.run", line=7),
        MissingExtraError("missing-extra", "this needs z3", hint="pip install z3"),
        TrackError("folder-locked", "busy", hint="wait", exit_code=5),
    ],
)
def test_an_error_survives_pickling(error: DivevalError) -> None:
    """Another process gets the error with all its parts."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_a_warning_survives_pickling() -> None:
    """Another process gets the warning with its code."""
    again = pickle.loads(pickle.dumps(DivevalWarning("nothing-relevant", "nothing")))
    assert (again.code, str(again)) == ("nothing-relevant", "nothing")


def test_an_error_names_its_place_and_what_to_do() -> None:
    """The text is one line: place, fault, hint; in JSON each is a value."""
    error = InputError("not-a-number", "expected a score", hint="correct it", source="a.run", line=7)
    assert str(error) == f"a.run:7: {error.message}; {error.hint}"
    parts = {"code": "not-a-number", "hint": error.hint, "source": "a.run", "line": 7}
    assert error.as_json() == {"error": str(error), **parts}
    assert UsageError("no-metric", "none").as_json() == {"error": "none", "code": "no-metric"}


def test_an_error_is_placed_once() -> None:
    """A reader adds the place where it is missing and keeps the one that is known."""
    error = InputError("missing-id", "no id").place("a.jsonl", 3)
    assert (error.source, error.line, error.code) == ("a.jsonl", 3, "missing-id")
    assert error.place("b.jsonl", 4).where == "a.jsonl:3"


def test_captured_warnings_keep_their_codes() -> None:
    """Each warning is captured once, with its code."""
    with capture_warnings() as notes:
        for _ in range(2):
            warn("nothing-relevant", "nothing")
    assert [(note.code, note.message) for note in notes] == [("nothing-relevant", "nothing")]


def calls(path: Path) -> Iterator[ast.Call]:
    """The calls that make an error or a warning."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
            yield node


def codes_of(call: ast.Call, path: Path) -> set[str]:
    """The codes in the first argument of a call: literals, or what a function of the file returns.

    A warning that is issued again brings its own code.
    """
    first: Any = call.args[0]
    if isinstance(first, ast.Attribute) and first.attr == "code":
        return set()
    if isinstance(first, ast.Name) and path.name == "errors.py":  # the argument of `warn`
        return set()
    if isinstance(first, ast.Call):
        name = first.func.attr if isinstance(first.func, ast.Attribute) else ast.unparse(first.func)
        functions = [n for n in ast.walk(parsed(path)) if isinstance(n, ast.FunctionDef) and n.name == name]
        returned = [n.value for f in functions for n in ast.walk(f) if isinstance(n, ast.Return)]
        return {code for value in returned for code in literals(value)}
    return literals(first)


def literals(expression: Any) -> set[str]:
    """A literal, or those of a conditional expression."""
    if isinstance(expression, ast.IfExp):
        return literals(expression.body) | literals(expression.orelse)
    assert isinstance(expression, ast.Constant), f"a code is a literal: {ast.unparse(expression)}"
    return {str(expression.value)}


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def kinds(base: type) -> set[str]:
    """The names of a class and its subclasses in the source."""
    found = {base.__name__}
    classes = [n for path in SOURCES for n in ast.walk(parsed(path)) if isinstance(n, ast.ClassDef)]
    while more := {c.name for c in classes if any(isinstance(b, ast.Name) and b.id in found for b in c.bases)} - found:
        found |= more
    return found


MAKERS = kinds(errors.DivevalError) | {"DivevalWarning", "warn"}
