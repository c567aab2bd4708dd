"""The values the paper prints in its Tables 2 and 3, as data: what ours are set beside."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product

from diveval.metrics.names import parse


@dataclass(frozen=True)
class Printed:
    """One row of a column: the variants it stands for by their canonical names, and the value or range printed."""

    table: str
    column: str
    metrics: tuple[str, ...]
    low: float
    high: float


def printed(table: str, column: str) -> list[Printed]:
    """The rows of a column, in the paper's order.

    Table 2's last column has one row more than the paper's table: RBU with e = 0, whose value stands in the text.
    """
    return [row for row in _rows() if (row.table, row.column) == (table, column)]


@cache
def _rows() -> tuple[Printed, ...]:
    text = resources.files("diveval.experiments").joinpath("printed.csv").read_text(encoding="utf-8")
    return tuple(
        Printed(
            row["table"],
            row["column"],
            tuple(parse(name).name for name in expanded(row["variants"])),
            float(row["low"]),
            float(row["high"]),
        )
        for row in csv.DictReader(text.splitlines())
    )


def expanded(variants: str) -> list[str]:
    """Every name that `DCG@{50,100}` stands for."""
    parts = re.split(r"\{([^}]*)\}", variants)
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]
