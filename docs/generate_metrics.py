"""Generate a page for each metric of the catalogue: formula, parameters, range, axioms, and other tools that compute it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from generate_axioms import Matrix, row_of
from generate_text import code, escaped, formula, table

from diveval.metrics import entries
from diveval.metrics.metric import Entry

REFERENCE = Path(__file__).resolve().parent / "reference"
NOTATION = (
    "r(i,t) in [0, 1] is the relevance of the document at rank i to aspect t, w(t) the aspect's weight, r(i) the"
    " largest r(i,t), c(i,t) the number of documents above i that are relevant to t; sums run over the n documents"
    " returned, or the first k of them."
)


def read_csv(name: str) -> list[dict[str, str]]:
    """A manually written table of docs/reference."""
    with (REFERENCE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pages(matrix: Matrix) -> dict[str, str]:
    """`metrics.md` and one page each."""
    out = {f"metrics/{entry.name}.md": _page(entry, matrix) for entry in entries().values()}
    own = [entry for entry in entries().values() if "." not in entry.name]
    tools = read_csv("tools.csv")
    parts = ["# Metrics\n", NOTATION + "\n", _table(own), _toctree(own), "## Under other tools' names\n"]
    parts.append(
        "Another tool's rules for a measure are a prefix. Numbers are the tool's own, digit for digit as it prints"
        " them, quirks included.\n"
    )
    for tool in tools:
        its = [entry for entry in entries().values() if entry.name.startswith(tool["prefix"] + ".")]
        parts += [f"### {tool['tool']}\n", f"Version {tool['version']}. {escaped(tool['what is particular'])}\n"]
        parts += [_table(its), _toctree(its)]
    return {**out, "metrics.md": "\n".join(parts)}


def _table(chosen: list[Entry]) -> str:
    rows = [[f"[{code(entry.name)}](metrics/{entry.name}.md)", escaped(entry.meaning)] for entry in chosen]
    return table(["metric", "what it is"], rows)


def _toctree(chosen: list[Entry]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(f"metrics/{entry.name}" for entry in chosen) + "\n```\n"


def _page(entry: Entry, matrix: Matrix) -> str:
    tool = entry.name.split(".")[0] if "." in entry.name else None
    lines = [f"# {escaped(entry.name)}\n", escaped(entry.meaning[0].upper() + entry.meaning[1:]) + ".\n"]
    lines += [formula(entry.formula), NOTATION + "\n" if tool is None else ""]
    lines += _facts(entry)
    lines += _parameters(entry)
    lines += _tool_rules(tool) if tool else [*_axioms(entry, matrix), *_peers(entry)]
    return "\n".join(lines)


def _facts(entry: Entry) -> Iterator[str]:
    yield f"Written\n: {code(entry.example)}\n"
    if entry.aliases:
        yield f"Also understood\n: {', '.join(code(alias) for alias in entry.aliases)}\n"
    depth = {True: "`@k` is optional; without it the complete list counts", False: "none: the complete list counts"}
    yield f"Cutoff\n: {depth.get(entry.cutoffs, 'needed')}\n"  # type: ignore[call-overload]
    bounds = next((row for row in read_csv("ranges.csv") if row["metric"] == entry.name), None)
    if bounds:
        yield f"Range\n: {escaped(bounds['said']) or bounds['low'] + ' to ' + bounds['high']}\n"
    sees = "aspects" if entry.diversity else "the best relevance over aspects, r(i)"
    yield f"Sees\n: {sees}\n"
    yield f"Reference\n: {escaped(entry.reference)}\n"
    if not entry.has_exact:
        yield "Exact form\n: none: the axioms and `diveval conclusions` do not take it\n"


def _parameters(entry: Entry) -> Iterator[str]:
    if entry.parameters:
        yield "## Parameters\n"
        yield table(
            ["name", "default", "range", "meaning"],
            [[code(p.name), code(str(p.default)), escaped(p.range), escaped(p.meaning)] for p in entry.parameters],
        )


def _tool_rules(tool: str) -> Iterator[str]:
    row = next(row for row in read_csv("tools.csv") if row["prefix"] == tool)
    yield f"## The rules of {row['tool']}\n\n{escaped(row['what is particular'])}\n"


def _axioms(entry: Entry, matrix: Matrix) -> Iterator[str]:
    row = row_of(entry.name)
    if row is None:
        return
    yield "## Axioms\n"
    cells = matrix.get(row)
    if cells is None:
        yield f"Decided by `diveval axioms '{row}'`; this build of the site was made without the axiom engine.\n"
        return
    yield (
        "What the axiom engine decides, under the two readings of the constraints, compared with the paper."
        f" `diveval axioms '{row}' Pri` shows the evidence behind a cell."
        " The constraints are drawn in [the ten constraints](../../explain/constraints.md).\n"
    )
    yield table(
        ["constraint", "as written", "charitable", "paper"],
        [
            [axiom, *(_verdict(verdicts.get(name, {})) for name in ("as-written", "charitable")), _paper(verdicts)]
            for axiom, verdicts in cells.items()
        ],
    )
    yield from _regions(cells)


def _verdict(cell: dict[str, str]) -> str:
    behind = " (only below the cutoff)" if "only below the cutoff" in cell.get("evidence", "") else ""
    return cell.get("verdict", "–") + behind


def _regions(cells: dict[str, dict[str, dict[str, str]]]) -> Iterator[str]:
    """The parameters for which a constraint holds, if not for all."""
    regions = [
        f"{axiom}, {reading}\n: {escaped(cell['region'])}\n"
        for axiom, verdicts in cells.items()
        for reading, cell in verdicts.items()
        if cell.get("region")
    ]
    if regions:
        yield "Where it is a region of the parameters:\n"
        yield from regions


def _paper(verdicts: dict[str, dict[str, str]]) -> str:
    return next((cell["paper"] for cell in verdicts.values() if cell.get("paper")), "–")


def _peers(entry: Entry) -> Iterator[str]:
    rows = [row for row in read_csv("peers.csv") if row["metric"] == entry.name]
    if rows:
        yield "## Other tools\n"
        yield table(
            ["tool", "its name", "how its number differs"],
            [[escaped(row["tool"]), escaped(row["their name"]), escaped(row["difference"])] for row in rows],
        )
