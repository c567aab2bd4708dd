"""Statements: generated sentences as values. The text is printed from facts only, and the rows it follows from stay with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Wording = Callable[..., str]
W = TypeVar("W", bound=Wording)
_WORDINGS: dict[str, Wording] = {}


@dataclass(frozen=True)
class Statement:
    """A sentence about a result: its kind, the facts that it states, and its evidence, the rows that it follows from."""

    kind: str
    facts: Mapping[str, Any]
    evidence: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)

    @property
    def text(self) -> str:
        """The sentence, printed from the facts."""
        return _WORDINGS[self.kind](**self.facts)

    def __str__(self) -> str:
        return self.text

    def as_dict(self) -> dict[str, Any]:
        """Kind, facts, text and evidence, in JSON types."""
        rows = [dict(row) for row in self.evidence]
        return {"kind": self.kind, "text": self.text, "facts": dict(self.facts), "evidence": rows}


def plain_rows(rows: Iterable[Any]) -> tuple[dict[str, Any], ...]:
    """Rows, dataclasses of plain values, as evidence: `dataclasses.asdict` takes ten times as long to copy each value."""
    return tuple({name: getattr(row, name) for name in row.__dataclass_fields__} for row in rows)


def words(kind: str) -> Callable[[W], W]:
    """Declare the function that prints statements of a kind; its parameters are the facts, so that it sees nothing else."""

    def declare(function: W) -> W:
        if kind in _WORDINGS:
            raise ValueError(f"two wordings for statements of the kind {kind}")
        _WORDINGS[kind] = function
        return function

    return declare


def show_evidence(statements: Iterable[Statement]) -> str:
    """Every sentence with the facts that it states and the rows that it follows from, as plain text."""
    listed = list(statements)
    lines = ["Evidence" if listed else "There is no sentence to give evidence for."]
    for statement in listed:
        lines += ["", f"[{statement.kind}] {statement.text}"]
        lines += [f"    {name} = {value}" for name, value in statement.facts.items()]
        lines += ["    - " + ", ".join(f"{name} {value}" for name, value in row.items()) for row in statement.evidence]
    return "\n".join(lines) + "\n"
