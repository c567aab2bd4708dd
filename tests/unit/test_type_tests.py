"""Formulas say what they can do: code outside the metrics asks for capabilities, seldom for classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import diveval.answers.own_metrics
import diveval.recommend.beyond_accuracy  # its classes are formulas too
from diveval.metrics.algebra import Channels, Discount, Novelty
from diveval.metrics.columnwise import ColumnFormula
from diveval.metrics.formulas import Formula

PACKAGE = Path(diveval.__file__).parent
MOST = 19


def classes(base: type[Any]) -> Iterator[str]:
    """The name of a class and of every class derived from it."""
    yield base.__name__
    derived: type[Any]
    for derived in base.__subclasses__():
        yield from classes(derived)


FORMULAS = {name for base in (Formula, ColumnFormula, Discount, Novelty, Channels) for name in classes(base)}


def names(node: ast.AST) -> set[str]:
    """The names and attributes in an expression."""
    return {getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(node)} - {""}


def asks_for_a_class(node: ast.AST) -> bool:
    """Whether this is `isinstance(x, C)`, or `type(x)` compared with C, of a formula class C."""
    if isinstance(node, ast.Call) and names(node.func) == {"isinstance"}:
        return bool(names(node.args[1]) & FORMULAS)
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        types = [side for side in sides if isinstance(side, ast.Call) and names(side.func) == {"type"}]
        return bool(types) and any(names(side) & FORMULAS for side in sides)
    return False


def test_few_places_ask_for_a_formula_class() -> None:
    """Outside `metrics/` and the certificate checker fewer than twenty tests are on a formula's class."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE)
        if where.parts[0] == "metrics" or "bundled" in where.parts:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        tree = ast.parse("\n".join(lines))
        tests = sorted(
            {node.lineno for node in ast.walk(tree) if isinstance(node, ast.expr) and asks_for_a_class(node)}
        )
        found += [f"{where}:{line}: {lines[line - 1].strip()}" for line in tests]
    print(*found, sep="\n")
    assert len(found) <= MOST, "\n" + "\n".join(found)
