"""How often each axiom's failure occurs in the data that is shown, for the cells of the matrix of axioms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from diveval.judgments import Judgments
from diveval.metrics import Metric
from diveval.options import Options
from diveval.scoring import RankingsByOrder
from diveval.views.study import attempt
from diveval.violations import find_violations

MOST_LISTS = 2500  # rankings that a page looks at by itself; `diveval violations` takes any number
Counts = dict[str, dict[str, dict[str, int]]]  # metric → axiom → count, of


def occurrences(
    judgments: Judgments,
    rankings: RankingsByOrder,
    metrics: Sequence[Metric],
    options: Options,
    *,
    most: int | None = MOST_LISTS,
) -> tuple[Counts, list[str]]:
    """By metric and situation, how many the rankings hold and how many are not rewarded; and notes.

    A situation has its axiom's name; `Pri-contiguous` is that of Pri as the charitable reading has it.
    """
    own = [metric for metric in metrics if metric.rule is None and metric.order is None]
    lists = sum(len(run.topics) for run in next(iter(rankings.values())))
    if not own or (most is not None and lists > most):
        reason = f"There are {lists} rankings" if own else "These metrics are other tools’ own"
        return {}, [f"{reason}: how often failures occur in this data is not counted here; see `diveval violations`."]
    found, notes = attempt(lambda: find_violations(judgments, rankings, own, options))
    counts: Counts = {}
    for row in () if found is None else found.rows:
        if row.situations:
            counts.setdefault(row.metric, {})[row.axiom] = {"count": row.violations, "of": row.situations}
    # An ideal that is not proven is noted once per topic: the first such note stands for all.
    kinds = {re.sub(r"\d+", "N", note): note for note in reversed(notes)}
    return counts, list(reversed(kinds.values()))
