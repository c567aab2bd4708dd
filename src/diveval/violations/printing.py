"""Counted violations for a terminal: a table of shares, then the worst example of each metric and what it costs."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from diveval.errors import count_of
from diveval.metrics.names import labels
from diveval.table_text import aligned, share_text
from diveval.violations.situations import SITUATIONS

if TYPE_CHECKING:
    from diveval.violations.count import Violation, Violations


def text(result: Violations, width: int = 80) -> str:
    """Metrics as rows, situations as columns: the share that is not rewarded."""
    metrics = list(dict.fromkeys(row.metric for row in result.rows))
    names = list(dict.fromkeys(row.axiom for row in result.rows))
    shown = dict(zip(metrics, labels(metrics), strict=True))
    cells = {(row.metric, row.axiom): row for row in result.rows}
    found = [name for name in names if cells[metrics[0], name].situations]
    lines = [
        f"{count_of(result.runs, 'run')}, {count_of(result.topics, 'topic')}, lists cut at rank {result.depth}: how often a metric does not",
        "reward a change that an axiom says it must reward.",
        "",
    ]
    rows = [["", *found], ["situations", *(f"{cells[metrics[0], name].situations:,}" for name in found)]]
    rows += [[shown[metric], *(share_text(cells[metric, name].share) for name in found)] for metric in metrics]
    head, counts, *shares = aligned(rows, ["<", *[">6"] * len(found)])
    lines += [head, counts, "-" * max(map(len, (head, counts, *shares))), *shares, ""]
    for name in found:
        lines += textwrap.wrap(f"{name}: {SITUATIONS[name].says}.", width, subsequent_indent="  ")
    if absent := [name for name in names if name not in found]:
        lines += textwrap.wrap(f"No situation in these lists: {', '.join(absent)}.", width, subsequent_indent="  ")
    lines.append("")
    for metric in metrics:
        worst = max((cells[metric, name] for name in found), key=_loss, default=None)
        if worst is not None and worst.punished:
            lines += textwrap.wrap(example(worst, shown[metric]), width, subsequent_indent="  ")
    return "\n".join(lines).rstrip() + "\n"


def example(row: Violation, label: str) -> str:
    """The worst example of a metric in words, and what such changes could do to the order of the runs."""
    where = f"rank {row.rank}" if row.other_rank is None else f"ranks {row.rank} and {row.other_rank}"
    said = (
        f"{label} lowers the score in {row.punished:,} situations of {row.axiom}, most in topic {row.topic}, run"
        f" {row.run}, {where}: {row.before:.4f} becomes {row.after:.4f}."
    )
    if row.demoted:
        said += (
            f" Improved like this once in each topic, {row.demoted} of the runs would lose places, {row.demoted_run}"
            f" {row.places} of them."
        )
    return said


def _loss(row: Violation) -> float:
    return 0.0 if row.before is None or row.after is None else row.before - row.after
