"""Every metric of answers is declared as recorded in catalogue.csv: users script against names, and papers cite sources."""

from __future__ import annotations

import csv
from pathlib import Path

from diveval.answers import entries
from diveval.answers.answer_metrics import AnswerRow

RECORD = Path(__file__).with_name("catalogue.csv")
FIELDS = "name part reference digits mean needs_importance residual own best".split()  # noqa: SIM905


def declared(row: AnswerRow) -> list[str]:
    """A declaration as texts."""
    parameters = ",".join(f"{p.name}={p.default} in {p.range}" for p in row.parameters)
    return [*(str(getattr(row, name)) for name in FIELDS), parameters, ";".join(row.aliases)]


def test_every_declaration_is_the_recorded_one() -> None:
    """Name, level, reference, aliases, direction and mean of each; the names are those under which they are found."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        recorded = [row for row in csv.reader(file) if row]
    assert [declared(row) for row in entries().values()] == recorded
    assert [row[0] for row in recorded] == list(entries())
