"""The order of the house: a room imports only from rooms before it, doors are imported by nobody, the core is light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "diveval"

# Left to right, as data flows. A room may import from itself and from rooms of a lower number.
ORDER = {
    "errors": 0, "files": 1, "timing": 1, "processes": 1, "machine": 1, "scanner": 1, "ahead": 1,
    "judgments": 2, "runs": 3, "rankings": 4, "options": 5, "reading": 6, "writing": 7,
    "metrics": 8, "scores": 8, "tables": 9, "printouts": 9, "scenarios": 9,
    "scoring": 10, "residuals": 11, "evaluation": 12, "checking": 12, "stopping": 13, "shards": 13,
    "axioms": 14, "stats": 14, "meta": 15, "datasets": 15, "experiments": 16,
    "integrations": 20, "report": 20, "studio": 21, "cli": 22,
}  # fmt: skip
DOORS = {"cli", "report", "studio", "integrations"}
# A door may use what another door draws or registers, where the house says so.
ALLOWED = {("studio", "report"), ("cli", "report"), ("cli", "studio"), ("cli", "integrations")}
LATE = {("scores", "tables"), ("metrics", "judgments"), ("reading", "integrations")}


def imports(path: Path) -> set[str]:
    """The rooms of diveval a file imports from, at the top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("diveval.") and name.split(".")[1] in ORDER}
    return found


FILES = sorted(path for path in SOURCE.rglob("*.py") if path.name not in ("__main__.py",) and path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(SOURCE)) for path in FILES])
def test_a_room_imports_only_from_rooms_before_it(path):
    """Data flows left to right, and nothing imports a door."""
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert room in ORDER, f"{room} has no place in the order of rooms: give it one here and in docs/architecture.md"
    for other in imports(path) - {room}:
        if (room, other) in ALLOWED | LATE:
            continue
        assert other not in DOORS, f"{path}: {room} imports the door {other}"
        assert ORDER[other] <= ORDER[room], f"{path}: {room} imports {other}, which comes after it"


def test_importing_diveval_loads_numpy_and_nothing_heavy():
    """`import diveval` and an evaluation need no optional dependency."""
    program = (
        "import sys, diveval; diveval.evaluate({'1': {'a': {'d': 1}}}, {'1': {'d': 1.0}}, 'RBU');"
        "heavy = {'scipy','pandas','polars','pyarrow','z3','altair','rich','narwhals','pyspark','ir_measures','numba'};"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_page_on_the_house_is_true():
    """docs/architecture.md names every room, and no file that is not there."""
    page = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [room for room in ORDER if f"`{room}" not in page] == []
    named = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", page))
    assert len(named) > 20
    assert [name for name in named if not (SOURCE / name).is_file() and not (SOURCE.parents[1] / name).is_file()] == []
