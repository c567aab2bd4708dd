"""RBU's two parameters: what they mean to a reader, and what they do on a collection.

p is how deep people read: a reader who continues with probability p looks at 1/(1 − p) documents on average. e is the
effort of a document: one that is barely worth showing has utility e.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from diveval.collection.inputs import JudgmentsLike, RunsLike, WeightsLike
from diveval.defaults import CUTOFF, LEVEL, USUAL
from diveval.errors import UsageError, quote
from diveval.meta.discriminative import discriminative
from diveval.meta.unanimity import unanimity
from diveval.metrics.names import as_metrics
from diveval.reading.chosen import takes_settings
from diveval.results.protocol import Result
from diveval.results.table_text import align, number_text
from diveval.scoring.evaluate import load_judgments, score_runs
from diveval.settings import Options

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from diveval.settings import Settings

PATIENCE = (0.8, 0.9, 0.95, 0.99)
EFFORTS = (0.0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)


def patience(documents: float) -> float:
    """p of a reader who looks at this many documents on average: 1 − 1/documents."""
    if not isinstance(documents, int | float) or not documents > 1:
        raise UsageError(
            "out-of-range", f"the documents that a reader looks at are a number above 1, got {quote(documents)}"
        )
    return round(1 - 1 / documents, 6)


@dataclass(frozen=True)
class EffortRow:
    """One setting of RBU: `mu` against metrics without effort, `power` the share of pairs of runs told apart (paired
    t-test, Holm), `positive` the share of runs whose mean is above 0, and the best and the median mean."""

    p: float
    e: float
    mu: float | None
    power: float
    positive: float
    best: float
    median: float


@dataclass(frozen=True, repr=False)
class EffortStudy(Result):
    """RBU over p and e on a collection."""

    rows: tuple[EffortRow, ...]
    cutoff: int
    runs: int
    topics: int
    against: tuple[str, ...]

    header: ClassVar[tuple[str, ...]] = tuple(EffortRow.__dataclass_fields__)
    reference: ClassVar[str] = "Amigó et al., SIGIR 2018 (RBU, unanimity); Sakai, SIGIR 2006 (discriminative power)."

    def to_text(self, width: int = 80) -> str:
        """A small table per question, e down and p across."""
        cells = {(row.p, row.e): row for row in self.rows}
        ps, es = list(dict.fromkeys(row.p for row in self.rows)), list(dict.fromkeys(row.e for row in self.rows))
        lines = [f"RBU(p,e)@{self.cutoff} on {self.runs} runs and {self.topics} topics", ""]
        for title, shown_as in _PARTS:
            rows = [
                ["e \\ p", *(f"{p:g}" for p in ps)],
                *([f"{e:g}", *(shown_as(cells[p, e]) for p in ps)] for e in es),
            ]
            lines += [title, *align(rows, [">8", *[">7"] * len(ps)]), ""]
        return "\n".join(lines[:-1]) + "\n"


@takes_settings
def tune_effort(
    judgments: JudgmentsLike,
    runs: RunsLike,
    *,
    p: Sequence[float] = PATIENCE,
    e: Sequence[float] = EFFORTS,
    cutoff: int = CUTOFF,
    weights: WeightsLike | None = None,
    options: Options | None = None,
    **settings: Unpack[Settings],
) -> EffortStudy:
    """How RBU behaves over p and e: unanimity, discriminative power, and how many runs have positive utility.

    Args:
        judgments: whatever `diveval.evaluate` takes.
        runs: two or more runs, in any shape.
        p: values of p.
        e: values of e.
        cutoff: RBU's cutoff.
        weights: aspect weights, a file or `{(topic, aspect): weight}`.
        options: how files become scores.
        settings: single options instead, such as `gain="binary"`, as in `diveval.evaluate`.
    """
    chosen = options or Options()
    others = [name for name in USUAL if not name.startswith(("RBU", "EU"))]
    studied = {(own, cost): as_metrics(f"RBU(p={own},e={cost:g})@{cutoff}")[0] for own in p for cost in e}
    truth = load_judgments(judgments, chosen, weights)
    scores = score_runs(truth, runs, [*studied.values(), *as_metrics(others)], chosen)
    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", f"at least two runs are needed to study parameters, got {len(scores.runs)}")
    names = [metric.name for metric in studied.values()]
    agreed = {row.metric: row.mu for row in unanimity(scores, leave_family_out=True, bootstrap=0).rows}
    power = {row.metric: row.share for row in discriminative(scores.select(metrics=names)).rows}
    means = scores.mean()
    rows = []
    for (own, cost), metric in studied.items():
        values = np.array([means[run][metric.name] for run in scores.runs])
        rows.append(
            EffortRow(
                own,
                cost,
                agreed[metric.name],
                power[metric.name],
                float((values > 0).mean()),
                float(values.max()),
                float(np.median(values)),
            )
        )
    return EffortStudy(tuple(rows), cutoff, len(scores.runs), len(scores.topics), tuple(others))


_PARTS: tuple[tuple[str, Callable[[EffortRow], str]], ...] = (
    ("Metric Unanimity against metrics without effort", lambda row: number_text(row.mu, missing="none")),
    (
        f"Discriminative power: share of pairs of runs told apart (paired t-test, Holm, p < {LEVEL:g})",
        lambda row: f"{row.power:.3f}",
    ),
    ("Share of runs with positive utility", lambda row: f"{row.positive:.2f}"),
    ("Utility of the best run", lambda row: f"{row.best:.3f}"),
)
