"""Metrics for the page: the catalogue with what sliders need, and a name from outside turned into a metric.

Names are parsed, never loaded: `file.py:name` runs a file, and only the command line may ask for that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from diveval.errors import UsageError
from diveval.metrics import Metric, entries, parse
from diveval.metrics.metric import Entry, Parameter

DEPTH = 20  # of examples


class Catalogue:
    """The library's metrics and those the command line gave."""

    def __init__(self, given: Sequence[Metric] = ()) -> None:
        self.given: Mapping[str, Metric] = {metric.name: metric for metric in given}

    def find(self, name: str) -> Metric:
        """A metric by its text."""
        return self.given.get(name) or parse(name)

    def find_all(self, names: Sequence[str]) -> list[Metric]:
        """Several, without repeats, in their order."""
        found = {metric.name: metric for metric in map(self.find, names)}
        if not found:
            raise UsageError("no metric was given; for example RBU(p=0.99,e=0.05)@20")
        return list(found.values())

    def shape(self) -> list[dict[str, Any]]:
        """As `diveval metrics -f json` has it, and numbers for sliders."""
        own = [
            {"name": name, "example": name, "meaning": "given on the command line", "formula": "", "reference": "",
             "aliases": [], "aspects": True, "parameters": [], "cutoffs": False, "tool": ""}
            for name, metric in self.given.items() if metric.entry is None
        ]  # fmt: skip
        return [*(_shape(entry) for entry in entries().values()), *own]


def _shape(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name, "example": entry.metric({}, DEPTH if entry.cutoffs else None).name,
        "meaning": entry.meaning, "formula": entry.formula, "reference": entry.reference,
        "aliases": list(entry.aliases), "aspects": entry.diversity,
        "parameters": [_parameter(parameter) for parameter in entry.parameters],
        "cutoffs": entry.cutoffs, "tool": entry.name.split(".")[0] if "." in entry.name else "",
    }  # fmt: skip


def _parameter(parameter: Parameter) -> dict[str, Any]:
    """Ends of the range that are not included are where a slider must not stand."""
    return {
        "name": parameter.name, "default": parameter.default, "range": parameter.range, "meaning": parameter.meaning,
        "low": _finite(parameter.low), "high": _finite(parameter.high), "open_low": parameter.open_low,
        "open_high": parameter.open_high, "choices": list(parameter.choices), "in_name": parameter.in_name,
    }  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
