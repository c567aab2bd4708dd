"""How often metrics do not reward what they should: the counts, and the counts as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

from diveval.analysis.violations.situations import SITUATIONS
from diveval.axioms.specification.readings import CHARITABLE
from diveval.errors import count_of, share_text
from diveval.metrics.names import labels
from diveval.results.protocol import Result
from diveval.results.statements import Statement, words
from diveval.results.table_text import align


@dataclass(frozen=True)
class Violation:
    """One metric and one axiom: how many situations, how many not rewarded, and the worst of them.

    `situations` satisfy the premises of the reading, so that verdicts are about them; `violations` of them are not
    rewarded. `found` are all situations, also those outside the premises, of which `unrewarded` are not rewarded.

    `rank` (and `other_rank`, where two are concerned) say where the example's list was changed; `before` and `after`
    are its scores. `demoted` is how many runs would lose places if their lists were improved in the way that the metric
    punishes most, once in each topic; `places` is the most places that one of them would lose, `demoted_run` which.
    """

    metric: str
    axiom: str
    situations: int
    violations: int
    share: float | None
    found: int = 0
    unrewarded: int = 0
    topic: str | None = None
    run: str | None = None
    rank: int | None = None
    other_rank: int | None = None
    document: str | None = None
    other_document: str | None = None
    before: float | None = None
    after: float | None = None
    punished: int = 0
    demoted: int = 0
    places: int = 0
    demoted_run: str | None = None


@dataclass(frozen=True, repr=False)
class Violations(Result):
    """How often metrics do not reward what the axioms ask for, on real rankings cut at `depth`."""

    rows: tuple[Violation, ...]
    depth: int
    runs: int
    topics: int
    reading: str = CHARITABLE.name

    header: ClassVar[tuple[str, ...]] = (
        "metric",
        "axiom",
        "situations",
        "violations",
        "share",
        "found",
        "unrewarded",
        "topic",
        "run",
        "rank",
    )
    reference: ClassVar[str] = (
        "E. Amigó, D. Spina, J. Carrillo-de-Albornoz. An Axiomatic Analysis of Diversity Evaluation Metrics: "
        "Introducing the Rank-Biased Utility Metric. SIGIR 2018."
    )

    def cell(self, metric: str, axiom: str) -> Violation:
        """What was counted for one metric and one axiom."""
        return next(row for row in self.rows if row.metric == metric and row.axiom == axiom)

    def to_text(self, width: int = 80) -> str:
        """Metrics as rows, situations as columns: the share that is not rewarded; then examples."""
        return text(self, width)


def text(result: Violations, width: int = 80) -> str:
    """Metrics as rows, axioms as columns: the share that is not rewarded, in all situations and within the premises."""
    metrics = list(dict.fromkeys(row.metric for row in result.rows))
    names = list(dict.fromkeys(row.axiom for row in result.rows))
    shown = dict(zip(metrics, labels(metrics), strict=True))
    cells = {(row.metric, row.axiom): row for row in result.rows}
    found = [name for name in names if cells[metrics[0], name].found]
    lines = textwrap.wrap(
        f"{count_of(result.runs, 'run')}, {count_of(result.topics, 'topic')}, lists cut at rank {result.depth}: how"
        " often a metric does not reward a change that an axiom says it must reward.",
        width,
    )
    lines += ["", *_block([["", *found], *_shares(cells, metrics, found, shown, every=True)])]
    lines += ["", *textwrap.wrap(_premise_text(result.reading), width)]
    lines += ["", *_block([["", *found], *_shares(cells, metrics, found, shown, every=False)]), ""]
    for name in found:
        lines += textwrap.wrap(f"{name}: {SITUATIONS[name].says}.", width, subsequent_indent="  ")
    if absent := [name for name in names if name not in found]:
        lines += textwrap.wrap(f"No situation in these lists: {', '.join(absent)}.", width, subsequent_indent="  ")
    lines.append("")
    for statement in result.statements:
        lines += textwrap.wrap(statement.text, width, subsequent_indent="  ")
    return "\n".join(lines).rstrip() + "\n"


def _premise_text(reading: str) -> str:
    what = {
        "charitable": "neighbours are swapped, documents are added or replaced at the end of a list no longer than the"
        " cutoff, and the relevance of an aspect's documents sums to less than 1",
        "as-written": "every relevance is below 1",
    }.get(reading, "as given")
    return (
        f"The same for the situations that satisfy the premises of the {reading} reading ({what}), which the verdicts of"
        " `diveval axioms` are about. Of the other situations the verdicts say nothing:"
    )


def _shares(
    cells: dict[tuple[str, str], Violation], metrics: list[str], found: list[str], shown: dict[str, str], *, every: bool
) -> list[list[str]]:
    """How many situations there are, then the share of them that each metric does not reward."""

    def count(row: Violation) -> int:
        return row.found if every else row.situations

    def share(row: Violation) -> float | None:
        return None if not count(row) else (row.unrewarded if every else row.violations) / count(row)

    # The premises may depend on the metric (its cutoff, whether it sees aspects): the row shows the most.
    most = [f"{max(count(cells[metric, name]) for metric in metrics):,}" for name in found]
    return [
        ["situations", *most],
        *([shown[metric], *(share_text(share(cells[metric, name])) for name in found)] for metric in metrics),
    ]


def _block(rows: list[list[str]]) -> list[str]:
    head, counts, *shares = align(rows, ["<", *[">6"] * (len(rows[0]) - 1)])
    return [head, counts, "-" * max(map(len, (head, counts, *shares))), *shares]


def describe_worst(rows: Sequence[Violation]) -> tuple[Statement, ...]:
    """For each metric that lowers a score it should raise, the worst example, and what such changes do to the order."""
    metrics = list(dict.fromkeys(row.metric for row in rows))
    out = []
    for metric, label in zip(metrics, labels(metrics), strict=True):
        worst = max((row for row in rows if row.metric == metric and row.found), key=_loss, default=None)
        if worst is None or not worst.punished:
            continue
        names = ("punished", "axiom", "topic", "run", "rank", "other_rank", "before", "after")
        facts = {"metric": label, **{name: getattr(worst, name) for name in names}}
        out.append(Statement("violation-worst", facts, (asdict(worst),)))
        if worst.demoted:
            lost = {name: getattr(worst, name) for name in ("axiom", "demoted", "demoted_run", "places")}
            out.append(Statement("violation-places", {"metric": label, **lost}, (asdict(worst),)))
    return tuple(out)


@words("violation-worst")
def _word_worst(
    metric: str,
    punished: int,
    axiom: str,
    topic: str,
    run: str,
    rank: int,
    other_rank: int | None,
    before: float,
    after: float,
) -> str:
    where = f"rank {rank}" if other_rank is None else f"ranks {rank} and {other_rank}"
    return (
        f"{metric} lowers the score in {count_of(punished, 'situation')} of {axiom}, most in topic {topic}, run {run},"
        f" {where}: {before:.4f} becomes {after:.4f}."
    )


@words("violation-places")
def _word_places(metric: str, axiom: str, demoted: int, demoted_run: str, places: int) -> str:
    runs = "run alone would lose" if demoted == 1 else "runs, each alone, would lose"
    return (
        f"If its list were changed in that way once in each topic, {demoted} {runs} places by {metric}: {demoted_run}"
        f" would lose {places}."
    )


def _loss(row: Violation) -> float:
    return 0.0 if row.before is None or row.after is None else row.before - row.after
