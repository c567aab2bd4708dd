"""Which of the axioms that a task needs exclude each other, and which ones one must give up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from diveval.errors import count_of
from diveval.publishing.methods import list_words
from diveval.results.statements import Statement, words

if TYPE_CHECKING:
    from diveval.axioms.presentation.consistency import AxiomMap


def describe_given_up(found: AxiomMap, wanted: Sequence[str]) -> Statement:
    """The minimal conflicts among the axioms in the map, and the smallest choices of axioms to give up."""
    from diveval.axioms.presentation.consistency import describe_witness

    conflicts = found.conflicts_within(wanted)
    facts: dict[str, Any] = {
        "axioms": list(wanted),
        "reading": found.reading,
        "compositions": found.compositions,
        "within": {part: list(values) for part, values in found.within.items()},
        "conflicts": [list(one.axioms) for one in conflicts],
        "give_up": [list(way) for way in found.ways_out(wanted)],
        "undecided": sum(bool(one.undecided) for one in conflicts),
    }
    rows = [
        {"composition": composition, "conflict": " + ".join(one.axioms), "fails": axiom}
        for one in conflicts
        for composition, axiom in one.refuted.items()
    ]
    if not conflicts:
        held = [one for one in found.sets if set(facts["axioms"]) <= set(one.axioms)]
        rows = [{"composition": describe_witness(one), "satisfies": " + ".join(one.axioms)} for one in held]
    return Statement("given-up", facts, tuple(rows))


@words("given-up")
def _word_given_up(
    axioms: Sequence[str],
    reading: str,
    compositions: int,
    within: dict[str, Sequence[str]],
    conflicts: Sequence[Sequence[str]],
    give_up: Sequence[Sequence[str]],
    undecided: int,
) -> str:
    parts = "; ".join(f"{part} {' or '.join(values)}" for part, values in within.items())
    parts = f" with {parts}" if parts else ""
    where = f"{count_of(compositions, 'composition')} of the metric algebra{parts} ({reading} reading)"
    needed = list_words(axioms) if axioms else "no axiom"
    if not conflicts:
        return f"Of {where}, at least one satisfies {needed}: none of these axioms must be given up."
    clashes = "; ".join(list_words(one) for one in conflicts)
    ways = " or ".join(list_words(way) for way in give_up)
    open_ = f" ({undecided} not proved for each)" if undecided else ""
    return f"Of {where}, none satisfies all of {needed}; in conflict: {clashes}{open_}; give up {ways}."
