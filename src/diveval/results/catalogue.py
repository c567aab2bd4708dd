"""The catalogue of metrics as a result: what there is, what it means, its parameters and where it is from."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from diveval.argument_types import explain_types
from diveval.errors import UsageError, suggestion
from diveval.metrics.compat import TOOLS
from diveval.metrics.metric import Entry
from diveval.metrics.names import entries
from diveval.results.protocol import Columns, Result
from diveval.results.table_text import align


@dataclass(frozen=True, repr=False)
class Catalogue(Result):
    """Metrics of the catalogue, a row for each."""

    entries: tuple[Entry, ...]

    header: ClassVar[tuple[str, ...]] = ("name", "description", "parameters", "reference")

    def columns(self) -> Columns:
        """Name, description, parameters with their defaults, and reference."""
        return {
            "name": [entry.name for entry in self.entries],
            "description": [entry.meaning for entry in self.entries],
            "parameters": [", ".join(f"{p.name}={p.default}" for p in entry.parameters) for entry in self.entries],
            "reference": [entry.reference for entry in self.entries],
        }

    def records(self) -> list[dict[str, Any]]:
        """Every fact about each metric: formula, aliases, and the range of each parameter."""
        return [entry.as_dict() for entry in self.entries]

    def as_dict(self) -> dict[str, Any]:
        """The records, in JSON types."""
        columns = self.columns()
        described = zip(self.records(), columns["description"], strict=True)
        return {"rows": [{**record, "description": words} for record, words in described]}

    def to_text(self, width: int = 80) -> str:
        """A line per metric: its text with every parameter at its default, and what it means."""
        return describe_metrics(self.entries, width)


def describe_metrics(chosen: Sequence[Entry], width: int = 80) -> str:
    """A line per metric: its canonical text, and what it means."""
    names = [entry.example for entry in chosen]
    room = max(width - max(map(len, names)) - 4, 30)  # two blanks before each column
    cells = []
    for name, entry in zip(names, chosen, strict=True):
        first, *others = textwrap.wrap(entry.meaning, room)
        cells += [[name, first], *(["", more] for more in others)]
    return "\n".join(align(cells, "<<", indent=2)) + "\n"


@explain_types
def metrics(tool: str | None = None) -> Catalogue:
    """The catalogue of metrics: name, description, parameters and reference of each.

    Args:
        tool: list another tool's metrics, such as `ndeval`; `all` lists everything (default: diveval's own metrics).
    """
    if tool not in (None, "all", *TOOLS):
        choices = ["all", *TOOLS]
        raise UsageError("invalid-choice", f"no tool is called {tool!r}", hint=suggestion(str(tool), choices))
    known = entries().values()
    own = [entry for entry in known if "." not in entry.name]
    named = [entry for entry in known if tool == "all" or entry.name.startswith(f"{tool}.")]
    return Catalogue(tuple(own if tool is None else named))
