"""EvALL's tab-separated formats: judgments `topic document grade aspect weight`, runs `topic document`."""

from __future__ import annotations

from diveval.errors import InputError, shown, warn
from diveval.judgments import naturally
from diveval.reading.lines import Lines, fields_of, number_of
from diveval.reading.trec import JudgmentRow
from diveval.runs import Run, TopicRun


def _cells(text: str, count: int, what: str, source: str, line: int) -> list[str]:
    """Tab-separated cells without their quotes; a file without tabs is split at white space."""
    cells = text.rstrip("\r\n").split("\t") if "\t" in text else fields_of(text)
    cells = [cell.strip() for cell in cells]
    bare = [cell[1:-1] if len(cell) >= 2 and cell[0] == cell[-1] == '"' else cell for cell in cells]
    if len(bare) != count:
        raise InputError(f"expected {count} columns ({what}), got {len(bare)}", source=source, line=line)
    if not all(bare):
        raise InputError(f"column {bare.index('') + 1} ({what}) is empty", source=source, line=line)
    return bare


def judgments(lines: Lines, source: str) -> tuple[list[JudgmentRow], dict[tuple[str, str], float]]:
    """Rows and weights. A row whose weight is not its aspect's first one is left out, as in the authors' program."""
    rows: list[JudgmentRow] = []
    weights: dict[tuple[str, str], float] = {}
    left_out = 0
    for number, text in lines:
        topic, document, grade, aspect, weight = _cells(text, 5, "topic document grade aspect weight", source, number)
        value = number_of(weight, "a weight in column 5", source, number)
        if value < 0:
            raise InputError(f"expected a weight of at least 0, got {shown(weight)}", source=source, line=number)
        if weights.setdefault((topic, aspect), value) != value:
            left_out += 1
            continue
        rows.append((topic, aspect, document, number_of(grade, "a grade in column 3", source, number)))
    if left_out:
        warn(f"{source}: {left_out} rows left out, their weight differs from the first one given for the aspect")
    return rows, weights


def read_run_lines(lines: Lines, source: str, name: str) -> Run:
    """`topic document`: the order of the lines is the ranking."""
    gathered: dict[str, list[str]] = {}
    for number, text in lines:
        topic, document = _cells(text, 2, "topic document", source, number)
        gathered.setdefault(topic, []).append(document)
    return Run(name, {t: TopicRun(gathered[t]) for t in naturally(gathered)}, source, "evall")
