"""A function is named by what it does: few are named by a past participle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "diveval"
MOST = 60

# Participles without -ed. Words that are also the base form of their verb (read, put, cut, split, set) are no mistake.
IRREGULAR = (
    "beaten begun bent bought broken brought built caught chosen dealt drawn driven fallen felt forgotten found"
    " frozen given grown held hidden kept known laid left lent lost made meant met paid proven redrawn said seen sent"
    " shown sold sought spent spoken stood swept taken taught thought thrown told torn understood unknown written"
)
VERBS_IN_ED = "embed exceed feed need proceed seed shed speed succeed"
ANSWERS = ("bool", "TypeGuard", "TypeIs", "NDArray[np.bool", "BoolArray")  # a predicate may be a participle


def participle(word: str) -> bool:
    """Whether a word is a past participle."""
    return word in IRREGULAR.split() or (word.endswith("ed") and word not in VERBS_IN_ED.split())


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods, except properties, which are named like fields, and predicates."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            decorators = [ast.unparse(one) for one in node.decorator_list]
            returns = ast.unparse(node.returns) if node.returns else ""
            if not any("property" in one for one in decorators) and not returns.startswith(ANSWERS):
                yield node


def named_by_participle() -> list[str]:
    """`file:line: name` of every function whose name starts with a past participle."""
    return [
        f"{path.relative_to(SOURCE)}:{function.lineno}: {function.name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
        if participle(function.name.strip("_").split("_")[0])
    ]


def test_participles_are_recognised() -> None:
    """Regular and irregular participles are found, verbs that look like them are not."""
    assert all(map(participle, ("joined", "shown", "kept", "divided")))
    assert not any(map(participle, ("join", "read", "split", "embed", "need")))


def test_functions_are_named_by_verbs() -> None:
    """Fewer than 60 functions are named by a past participle."""
    found = named_by_participle()
    assert len(found) < MOST, "\n".join(found)
