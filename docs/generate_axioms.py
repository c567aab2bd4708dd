"""Generate the axiom matrix, decided by the engine during the build, and the ten constraints as the code states them."""

from __future__ import annotations

import csv
import io
import subprocess
import sys

from generate_text import escaped, formula, table

from diveval.axioms.proof.published import ROWS
from diveval.axioms.proof.verdicts import MARKS
from diveval.axioms.specification.constraints import AXIOMS
from diveval.errors import UsageError
from diveval.metrics import parse

Cell = dict[str, str]
Matrix = dict[str, dict[str, dict[str, Cell]]]  # metric → axiom → reading → cell
TIME_LIMIT = 900  # seconds; the complete table takes about three minutes without a cache


def matrix() -> Matrix:
    """All cells under both readings; empty if the engine cannot decide them here."""
    command = [sys.executable, "-m", "diveval", "axioms", "-f", "csv", "--reading", "both"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, encoding="utf-8")
    if done.returncode != 0:
        print(f"docs: no axiom matrix: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return {}
    cells: Matrix = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        cells.setdefault(row["metric"], {}).setdefault(row["axiom"], {})[row["reading"]] = row
    return cells


def row_of(name: str) -> str | None:
    """The row of the paper's table for a metric of the catalogue."""
    for row in ROWS:
        try:
            metric = parse(row.replace("@k", "@20"))
        except UsageError:
            continue
        if metric.entry is not None and metric.entry.name == name:
            return row
    return None


def pages(cells: Matrix) -> dict[str, str]:
    """`axioms.md`: the constraints in words, and the matrix under each reading."""
    parts = ["# Axioms\n", "The ten constraints of the paper as the axiom engine states them."]
    parts.append("Each is drawn in [the ten constraints](../explain/constraints.md).\n")
    for axiom in AXIOMS.values():
        parts += [f"## {axiom.name}: {axiom.title.lower()}\n", escaped(axiom.why[0].upper() + axiom.why[1:]) + ".\n"]
        parts.append(formula(axiom.says))
    parts.append("## The matrix\n")
    if not cells:
        parts.append("`diveval axioms --reading both` decides it; this build of the site was made without it.\n")
    else:
        parts.append(
            "● holds, ○ fails, ◐ holds for the parameters that `diveval axioms --regions` prints, ◕ excluded up to a bound only, ∅ no"
            " ranking fits, – does not apply, ? undecided within the time limit. *p* marks a cell that differs from the paper's Table 1.\n"
        )
        parts += [_reading(cells, "as-written", "As written"), _reading(cells, "charitable", "Charitable")]
    return {"axioms.md": "\n".join(parts)}


def _reading(cells: Matrix, reading: str, title: str) -> str:
    rows = [
        [escaped(metric), *(_mark(verdicts.get(axiom, {}).get(reading, {})) for axiom in AXIOMS)]
        for metric, verdicts in cells.items()
    ]
    return f"### {title}\n\n" + table(["metric", *AXIOMS], rows)


def _mark(cell: Cell) -> str:
    mark = MARKS.get(cell.get("verdict", ""), "?")
    differs = cell.get("agrees", "").lower() in ("false", "no", "0")
    return mark + ("\N{NO-BREAK SPACE}*p*" if differs else "")
