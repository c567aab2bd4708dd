"""`diveval.board`: each system's possible ranks over topics, and over judges, metrics and parameters at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.conclusions.all_pairs import DEFAULT, conclude
from diveval.conclusions.exact_collection import Order
from diveval.conclusions.ranges import as_ranged
from diveval.conclusions.results import Conclusions, find_common_topics
from diveval.errors import capture_warnings, count_of
from diveval.judging.judged_runs import score_under
from diveval.metrics.names import MetricLike
from diveval.reading.chosen import takes_settings
from diveval.results.protocol import Result
from diveval.results.setup import Setup
from diveval.results.statements import Statement, plain_rows, words
from diveval.results.table_text import align
from diveval.scoring.evaluate import load_judgments, read_once
from diveval.settings import Options
from diveval.stats.pairwise import DEFAULT as DEFAULT_TEST
from diveval.stats.pairwise import compare_pairs
from diveval.stats.ranks import rank_sets, write_ranks
from diveval.stats.tests import Significance, describe_test
from diveval.system.progress import Progress, silent

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

Status = Literal["significant", "proved", "open"]


@dataclass(frozen=True)
class BoardRow:
    """A system with the ranks that it can have: given the significant pairs, and given the proved ones too."""

    run: str
    best: int  # given pairs that are significant
    worst: int
    best_proved: int  # given pairs that are significant or proved
    worst_proved: int
    above: int  # significantly better systems
    below: int


@dataclass(frozen=True)
class BoardPair:
    """A pair of systems. `significant`: `better` wins for everything that was asked, and significantly under every judge
    and metric at its reference setting; `proved`: it wins for everything that was asked, on these topics; `open`: neither.
    """

    better: str
    worse: str
    status: Status


@dataclass(frozen=True, repr=False)
class Board(Result):
    """Systems with their possible ranks, and every pair as significant, proved or open."""

    metrics: tuple[str, ...]
    judges: int
    topics: int
    doubts: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    pairs: tuple[BoardPair, ...]

    reference: ClassVar[str] = (
        "M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm. Inference for Ranks with Applications to Mobility across "
        "Neighbourhoods and Academic Achievement across Countries. Review of Economic Studies, 2024."
    )
    header: ClassVar[tuple[str, ...]] = tuple(BoardRow.__dataclass_fields__)

    def to_text(self, width: int = 80) -> str:
        """A line per system with its possible ranks, and counts of pairs."""
        head = ["run", "ranks", "ranks on these topics", "above", "below"]
        rows = [
            [row.run, write_ranks(row.best, row.worst), write_ranks(row.best_proved, row.worst_proved),
             str(row.above), str(row.below)]
            for row in self.rows
        ]  # fmt: skip
        lines = align([head, *rows], ["<", ">", ">", ">", ">"])
        return "\n".join([*lines, "", *(f"* {statement.text}" for statement in self.statements), ""])


@takes_settings
def board(
    judgments: JudgmentsLike,
    runs: RunsLike,
    metrics: MetricLike | Sequence[MetricLike] = DEFAULT,
    *,
    judges: Sequence[JudgmentsLike] = (),
    any_weights: bool | Order = False,
    unjudged: bool | Literal["any", "zero"] = False,
    significance: Significance = DEFAULT_TEST,
    progress: Progress = silent,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> Board:
    """Show the ranks that each system can have, whatever the judge, metric, parameters, weights and unjudged labels asked for.

    Ranks follow from decisions about pairs: if all decisions are right, so are all sets of ranks at once. A decision has
    to be the same under every judge and metric, which needs no correction beyond that for the pairs (Holm, paired t).

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: two or more runs, in any shape.
        metrics: one or several; their parameters may be ranges, `RBU(p=0.6..0.99,e=0..0.1)@20`.
        judges: further judgments of the same topics.
        any_weights: True or "any": all weights; "given": all that keep the order of the weights in the judgments.
        unjudged: True or "any": any labels of the unjudged documents.
        significance: the test that decides pairs under each judge and metric.
        progress: called with the stage and how many of its pairs are done.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    chosen = options or Options()
    truth = [load_judgments(one, chosen, weights) for one in (judgments, *judges)]
    given: Any = read_once(runs, chosen)
    result = conclude(
        truth[0], given, metrics, any_weights=any_weights, unjudged=unjudged, judges=truth[1:], significance=False,
        progress=progress, options=chosen,
    )  # fmt: skip
    listed: list[Any] = list(metrics) if isinstance(metrics, list | tuple) else [metrics]
    with capture_warnings():  # they were issued for the conclusions
        tables = score_under(truth, given, [as_ranged(metric).metric for metric in listed], chosen)
        shared = find_common_topics(truth)
    won = Counter[tuple[str, str]]()
    for table in tables:
        for name in table.metrics:
            for row in compare_pairs(table.select(metrics=[name], topics=shared), significance):
                pair = (
                    (row.run, row.other)
                    if row.direction * table.signs[table.metric_index(name)] > 0
                    else (row.other, row.run)
                )
                won[pair] += row.significant
    needed = len(tables) * len(tables[0].metrics)
    return _make(
        result, {pair for pair, count in won.items() if count == needed}, len(truth), tables[0].setup, significance
    )


def _make(
    result: Conclusions, significant: set[tuple[str, str]], judges: int, setup: Setup, how: Significance
) -> Board:
    proved = set(result.edges())
    place = {run: i for i, run in enumerate(result.systems)}
    status: dict[tuple[str, str], Status] = {}
    for row in result.rows:
        pair = row.better, row.worse
        if pair not in status and pair[::-1] not in status:
            status[pair] = "open" if pair not in proved else "significant" if pair in significant else "proved"
    certain = [(place[a], place[b]) for (a, b), kind in status.items() if kind == "significant"]
    also = [(place[a], place[b]) for (a, b), kind in status.items() if kind != "open"]
    sets, wider = rank_sets(len(place), certain), rank_sets(len(place), also)
    rows = [
        BoardRow(
            run,
            *sets[i],
            *wider[i],
            sum(worse == i for _, worse in certain),
            sum(better == i for better, _ in certain),
        )
        for run, i in place.items()
    ]
    rows.sort(key=lambda row: (row.best_proved + row.worst_proved, row.best + row.worst, row.run))
    pairs = tuple(BoardPair(*pair, kind) for pair, kind in status.items())
    counts = Counter(status.values())
    doubts = tuple(doubt for doubt in result.doubts if doubt != "all")
    facts = {
        "pairs": len(pairs),
        "significant": counts["significant"],
        "proved": counts["proved"],
        "open": counts["open"],
        "metrics": list(result.metrics),
        "judges": judges,
        "doubts": list(doubts),
        "topics": result.topics,
    }
    tested = how.add_to(setup, len(pairs))
    if how != DEFAULT_TEST:
        facts["test"] = describe_test(tested)
    told = (Statement("board", facts, plain_rows(pairs)),)
    return Board(result.metrics, judges, result.topics, doubts, tuple(rows), pairs, setup=tested, statements=told)


@words("board")
def _word_board(
    pairs: int,
    significant: int,
    proved: int,
    open: int,
    metrics: list[str],
    judges: int,
    doubts: list[str],
    topics: int,
    test: str = "paired t, Holm over the pairs, 95%",
) -> str:
    return (
        f"Of {count_of(pairs, 'pair')}, {significant} are significant (the same order for everything asked, and significant"
        f" under each of {count_of(judges, 'judge')} and {count_of(len(metrics), 'metric')} at its reference setting:"
        f" {test}), {proved} proved on these {topics} topics only, and {open} open. Asked:"
        f" {', '.join(doubts)}; {', '.join(metrics)}."
    )
