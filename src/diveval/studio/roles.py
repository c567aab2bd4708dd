"""What a file is, from its first lines: judgments, a run, weights, topics or documents. Its name decides only ties."""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from diveval.errors import DivevalError
from diveval.reading.formats import judgment_format, run_format
from diveval.reading.lines import fields_of, numbered_lines
from diveval.reading.parquet import is_parquet, source_of

Role = Literal["judgments", "run", "weights", "topics", "docs"]
ROLES: tuple[Role, ...] = get_args(Role)
SAMPLE = 40
HINTS: dict[Role, str] = {
    "weights": r"weight|iprob",
    "judgments": r"qrel|judg|rel[_-]",
    "topics": r"topic|quer",
    "docs": r"docs|corpus",
}


def guess(path: Path, name: str) -> Role:
    """One of `ROLES`; what fits nothing is taken for a run, whose reader then says what is wrong with it."""
    try:
        if is_parquet(path):
            return _parquet(path, name)
        lines = [text for _, text in islice(numbered_lines(path), SAMPLE)]
    except DivevalError:
        return _by_name(name)
    return _by_lines(lines, name) if lines else _by_name(name)


def _by_name(name: str) -> Role:
    return next((role for role, hint in HINTS.items() if re.search(hint, name, re.IGNORECASE)), "run")


def _by_lines(lines: list[str], name: str) -> Role:
    start = lines[0].lstrip()
    rows = [fields_of(line) for line in lines]
    width = len(rows[0])
    # An id may begin like markup: what has the columns of a table is one.
    table = width > 2 and all(len(row) == width and _is_number(row[-1 if width < 6 else 4]) for row in rows)
    if start.startswith("<") and not table:
        return "topics"
    if start.startswith("{"):
        return _json(start)
    if width == 3 and all(len(row) == 3 and _is_number(row[2]) for row in rows):
        return "weights"
    if width >= 6 and all(len(row) == width for row in rows) and _is_number(rows[0][4]):
        return "run"
    if width in (4, 5) and _fits(judgment_format, lines) and not (width == 4 and _is_round(rows)):
        return "judgments"
    if "\t" in lines[0] and not _is_number(lines[0].split("\t")[-1]) and (width > 2 or lines[0].count("\t") > 1):
        return "docs" if _by_name(name) == "docs" or lines[0].count("\t") > 2 else "topics"
    return "run" if _fits(run_format, lines) else _by_name(name)


def _is_round(rows: list[list[str]]) -> bool:
    """Dynamic Domain runs have four columns too: topic, round, document, score with a point."""
    return all(len(row) == 4 and row[1].isdigit() and "." in row[3] and _is_number(row[3]) for row in rows)


def _json(line: str) -> Role:
    try:
        keys = set(json.loads(line))
    except (ValueError, RecursionError, TypeError):
        return "judgments"
    if keys & {"nugget", "nugget_id", "criterion", "support", "passages", "importance"}:
        return "judgments"
    return "docs" if keys & {"docid", "doc_id", "docno", "snippet", "url", "abstract", "contents"} else "topics"


def _parquet(path: Path, name: str) -> Role:
    try:
        from pyarrow import parquet

        names = {column.lower() for column in parquet.read_schema(source_of(path)).names}
    except Exception:  # noqa: BLE001 - a file that cannot be opened is named by its name, and refused when it is read
        return _by_name(name)
    if names & {"aspect", "subtopic", "grade", "relevance", "rel"}:
        return "judgments"
    return "run" if names & {"score", "rank", "run"} else _by_name(name)


def _fits(decide: object, lines: list[str]) -> bool:
    try:
        decide(lines)  # type: ignore[operator]
    except DivevalError:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
