"""The nuggets that systems miss most: what to improve, and which nuggets may be wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from diveval.answers.material import AnswerFiles
from diveval.answers.own_metrics import Answer, answers_of
from diveval.errors import shorten
from diveval.results.protocol import Result
from diveval.results.table_text import align

SHOWN = 20


@dataclass(frozen=True)
class NuggetRow:
    """A nugget of a question: how many systems support it fully, partly or not at all, and the mean of their grades."""

    query: str
    place: int
    nugget: str
    importance: str | float | None
    weight: float
    systems: int
    full: int
    partial: int
    missed: int  # a system without an answer to the question misses it too
    mean: float


@dataclass(frozen=True, repr=False)
class MissedNuggets(Result):
    """Every nugget with the systems that miss it: the least supported first, heavier ones before lighter ones."""

    rows: tuple[NuggetRow, ...]

    header: ClassVar[tuple[str, ...]] = (
        "query", "place", "nugget", "importance", "weight", "systems", "full", "partial", "missed", "mean",
    )  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return [asdict(row) for row in self.rows]

    def to_text(self, width: int = 80) -> str:
        """The most missed nuggets."""
        room = max(20, width - 50)
        cells = [
            [row.query, shorten(row.nugget, room), str(row.importance or ""),
             f"{row.missed}/{row.systems}", str(row.partial), f"{row.mean:.4f}"]
            for row in self.rows[:SHOWN]
        ]  # fmt: skip
        more = f"\n{len(self.rows) - SHOWN} more in CSV and JSON\n" if len(self.rows) > SHOWN else ""
        heads = ["query", "nugget", "importance", "missed", "partly", "mean"]
        return "\n".join(align([heads, *cells], "<<<>>>")) + "\n" + more


def find_missed(material: AnswerFiles) -> MissedNuggets:
    """How often each nugget is missed, over all systems of `diveval.answers.gather`."""
    by_run = [answers_of(material, system) for system in material.systems.values()]
    rows = []
    for query, nuggets in material.bank.items():
        weights = Answer(nuggets).weights
        grades = [answers[query].grades if query in answers else [0.0] * len(nuggets) for answers in by_run]
        for place, nugget in enumerate(nuggets):
            own = [given[place] for given in grades]
            full, missed = sum(grade == 1.0 for grade in own), sum(grade == 0.0 for grade in own)
            part = len(own) - full - missed
            mean = sum(own) / len(own)
            rows.append(
                NuggetRow(
                    query, place, nugget.text, nugget.importance, weights[place], len(own), full, part, missed, mean
                )
            )
    return MissedNuggets(tuple(sorted(rows, key=lambda row: (row.mean, -row.weight))))
