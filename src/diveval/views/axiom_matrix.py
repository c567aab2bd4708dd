"""Data for the matrix of axioms: marks of verdicts, a cell with its evidence, and how often its failure occurs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from diveval.analysis.violations import can_count, find_violations
from diveval.collection.judgments import Judgments
from diveval.metrics import Metric
from diveval.scoring.scorer import RankingsByOrder
from diveval.settings import Options
from diveval.views.shared import attempt

# verdict → mark, kind of colour, words: one set for every picture; another word is shown as it is, beside `OTHER`
MARKS: dict[str, tuple[str, str, str]] = {
    "holds": ("●", "yes", "holds"),
    "fails": ("○", "no", "fails"),
    "region": ("◐", "part", "holds for some parameters or grades"),
    "bounded": ("◕", "part", "holds up to the bound that was checked"),
    "vacuous": ("∅", "open", "holds because its premise never occurs"),
    "not-applicable": ("–", "open", "does not apply"),
    "unknown": ("?", "open", "is not decided"),
    "open": ("·", "open", "was not decided in time"),
}
OTHER = "◇"
ANSWERS = ("verdict", "paper", "agrees", "evidence", "region", "proof", "note", "parameters", "uncut")
EXAMPLE = ("label", "weights", "setting", "cutoff", "strict", "scores", "decimals")
MOST_LISTS = 2500  # rankings in which a report counts; `diveval violations` takes any number
# metric → axiom → `count` not rewarded `of` the situations within the charitable premises, `unrewarded` of all `found`
Counts = dict[str, dict[str, dict[str, int]]]


def mark(verdict: str | None) -> str:
    """The mark of a verdict; None stands for a cell that is not decided."""
    return MARKS.get(verdict or "open", (OTHER, "", ""))[0]


def legend() -> dict[str, list[str]]:
    """The marks as plain data, for the page."""
    return {verdict: list(parts) for verdict, parts in MARKS.items()}


def show_cell(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell for the page: relevance as text and as the number that gives its size, other fields unchanged."""
    out = {key: cell[key] for key in ANSWERS if cell.get(key) is not None}
    example = cell.get("counterexample")
    if example:
        out["example"] = {key: example[key] for key in EXAMPLE}
        for side in ("better", "worse"):
            out["example"][side] = [[[r, float(Fraction(r))] for r in row] for row in example[side]]
    return out


def occurrences(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    *,
    most: int | None = MOST_LISTS,
    reading: str = "charitable",
) -> tuple[Counts, list[str]]:
    """By metric and axiom, how often its situation occurs in the rankings and how often it is not rewarded; and notes."""
    own = [metric for metric in metrics if can_count(metric, options)]
    lists = sum(len(run.topics) for run in next(iter(rankings.values())))
    if not own or (most is not None and lists > most):
        reason = f"There are {lists} rankings" if own else "These metrics have no exact form, or are other tools’ own"
        return {}, [f"{reason}: how often failures occur in this data is not counted here; see `diveval violations`."]
    found, notes = attempt(lambda: find_violations(judgments, rankings, own, options, reading=reading))
    counts: Counts = {}
    for row in () if found is None else found.rows:
        if row.found:
            counts.setdefault(row.metric, {})[row.axiom] = {
                "count": row.violations,
                "of": row.situations,
                "unrewarded": row.unrewarded,
                "found": row.found,
            }
    # An ideal that is not proven is noted once per topic: the first such note stands for all.
    kinds = {re.sub(r"\d+", "N", note): note for note in reversed(notes)}
    return counts, list(reversed(kinds.values()))
