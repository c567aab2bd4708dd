"""Tests of errors assert codes: none accepts any error of a class, or matches the words of a message."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from diveval import errors
from support.refusals import is_refusal, is_warning, refuses, warns

TESTS = Path(__file__).parents[1]
FILES = sorted(path for path in TESTS.rglob("*.py") if path != TESTS / "support" / "refusals.py")
BROAD = {"UserWarning", "Warning"}  # base classes of our warnings


def test_no_test_accepts_every_error_of_diveval() -> None:
    """`pytest.raises` and `pytest.warns` are for other errors; ours have `refuses` and `warns`, which need a code.

    A function that compares the code itself may use them.
    """
    wrong = [f"{path.relative_to(TESTS)}:{call.lineno}" for path in FILES for call in expectations(path)]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("pytest.raises(KeyError, match='x')", True),
        ("pytest.raises(InputError, match='x')", False),
        ("pytest.raises(diveval.UsageError)", False),
        ("pytest.raises((KeyError, DivevalError))", False),
        ("pytest.warns(ResourceWarning)", True),
        ("pytest.warns(match='x')", False),
        ("pytest.warns(UserWarning)", False),
    ],
)
def test_the_rule_can_fail(text: str, accepted: bool) -> None:
    """The search finds the class by any name, in a tuple, and where it is the default."""
    (call,) = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    assert is_broad(call) is not accepted


def test_the_helpers_can_fail() -> None:
    """Another code, a missing fact, a longer number, another place or no error fails a test."""
    error = errors.InputError("not-a-number", "expected a score, got 'x12'", source="a.run", line=7)

    def check(code: str, *facts: object, line: int | None = None) -> None:
        with refuses(code, *facts, line=line):
            raise error

    check("not-a-number", "a.run", "x12", line=7)
    for code, facts, line in (
        ("missing-id", (), 7),
        ("not-a-number", ("y",), 7),
        ("not-a-number", (1,), 7),
        ("not-a-number", (), 8),
    ):
        with pytest.raises(AssertionError):
            check(code, *facts, line=line)
    with pytest.raises(AssertionError), warns("missing-topics"):
        errors.warn("nothing-relevant", "nothing")
    with pytest.raises(AssertionError), warns("missing-topics", 3):
        errors.warn("missing-topics", "lacks 30 topics")


def test_what_a_command_prints_is_recognised() -> None:
    """The code and the facts are those of the printed line; two errors are not one."""
    line = "diveval: error[unknown-run]: no run is called 'x'\n"
    assert is_refusal(line, "unknown-run", "x") and is_refusal(line.replace(":", " evaluate:", 1), "unknown-run")
    assert not is_refusal(line, "unknown-run", "y") and not is_refusal(line, "unknown-topic")
    assert not is_refusal(line * 2, "unknown-run") and not is_refusal("", "unknown-run")
    assert is_warning("diveval: warning[missing-topics]: lacks 1 of 3\n" + line, "missing-topics", 1, 3)
    assert not is_warning(line, "unknown-run")


def expectations(path: Path) -> list[ast.Call]:
    """The calls in a file that accept any error or warning of diveval, in functions that look at no code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    checked = {
        call
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and looks_at_codes(function)
        for call in ast.walk(function)
    }
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and is_broad(node) and node not in checked]


def looks_at_codes(function: ast.FunctionDef) -> bool:
    """Whether a function uses as many codes as it has broad expectations, each with a name for what it caught."""
    withs = [item for node in ast.walk(function) if isinstance(node, ast.With) for item in node.items]
    broad = [item for item in withs if isinstance(item.context_expr, ast.Call) and is_broad(item.context_expr)]
    codes = sum(isinstance(node, ast.Attribute) and node.attr == "code" for node in ast.walk(function))
    return all(item.optional_vars for item in broad) and codes >= len(broad)


def is_broad(call: ast.Call) -> bool:
    """Whether a call is `pytest.raises` or `pytest.warns` with a class of diveval, or without one."""
    name = ast.unparse(call.func)
    if name not in ("pytest.raises", "pytest.warns"):
        return False
    if not call.args:
        return name == "pytest.warns"
    first = call.args[0]
    classes = first.elts if isinstance(first, ast.Tuple) else [first]
    return any(ast.unparse(one).rpartition(".")[2] in OURS for one in classes)


def ours() -> set[str]:
    """The names of diveval's errors and warnings."""
    names = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, (errors.DivevalError, errors.DivevalWarning))
    }
    return (
        names
        | {"TrackError", "TooMuchError", "UndefinedError", "WrongSumError", "NotFoundError", "GoneError", "BrokenError"}
        | BROAD
    )


OURS = ours()
