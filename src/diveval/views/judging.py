"""Data for the view on labels and decisions: the pool, how many topics are needed, two judges, a gate, and possible ranks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from diveval.collection.inputs import RunsLike
from diveval.collection.judgments import Judgments
from diveval.conclusions.exact_collection import Order
from diveval.defaults import CONFIDENCE, LEVEL, POWER
from diveval.errors import UsageError
from diveval.judging.boards import Board, board
from diveval.judging.gate_rows import gate_rows
from diveval.judging.judges import Judges, judges
from diveval.judging.planning import trace_power
from diveval.judging.pool_audit import audit_rankings
from diveval.results.scores import Scores
from diveval.results.statements import plain_rows
from diveval.scoring.study import Evaluation
from diveval.views.headline import clause
from diveval.views.shared import attempt, testable


@dataclass(frozen=True)
class Decisions:
    """What the view shows beside the pool and the topics needed: a model's judgments, a gate, and possible ranks."""

    model: Judgments | None = None
    runs: RunsLike = ()  # to score under the model, and for possible ranks
    baseline: str | None = None
    margin: float | None = None
    board: tuple[str, ...] = ()  # metrics, with ranges, over which ranks are possible; with a model, over both judges
    any_weights: bool | Order = False
    unjudged: Literal["any", "zero"] = "zero"

    def __post_init__(self) -> None:
        if (self.baseline is None) != (self.margin is None):
            raise UsageError("missing-argument", "a gate needs a baseline and a margin")


def judging(study: Evaluation, asked: Decisions) -> dict[str, Any]:
    """The parts that can be computed for this data; each is None where it cannot, and the notes say why."""
    finite = testable(study.scores)
    audit, first = attempt(
        lambda: audit_rankings(study.judgments, study.rankings, study.metrics, study.options, scores=study.scores)
    )
    curve, second = attempt(lambda: trace_power(finite))
    both, third = attempt(lambda: _judge(study, asked)) if asked.model is not None else (None, [])
    gate, fourth = attempt(lambda: _gate(finite, asked)) if asked.baseline is not None else (None, [])
    ranks, fifth = attempt(lambda: _board(study, asked)) if asked.board else (None, [])
    return {
        "pool": None
        if audit is None
        else {"rows": list(plain_rows(audit.rows)), "sentences": [[clause(one)] for one in audit.statements]},
        "power": None
        if curve is None
        else {"power": POWER, "level": LEVEL, "rows": [asdict(point) for point in curve]},
        "judges": None if both is None else _describe(both),
        "gate": gate,
        "board": None if ranks is None else _describe_board(ranks),
        "notes": list(dict.fromkeys([*first, *second, *third, *fourth, *fifth])),
    }


def _judge(study: Evaluation, asked: Decisions) -> Judges:
    assert asked.model is not None
    return judges(study.judgments, asked.model, asked.runs, list(study.metrics), options=study.options)


def _describe(found: Judges) -> dict[str, Any]:
    """The agreement, and a dot with its interval for each run, metric and estimator."""
    return {
        "agreement": [one.as_dict() for one in found.agreement],
        "rows": [row.as_dict() for row in found.rows if not row.against],
        "sentences": [[clause(one)] for one in found.statements],
    }


def _board(study: Evaluation, asked: Decisions) -> Board:
    """Possible ranks over all that is asked; the model is a second judge."""
    return board(
        study.judgments, asked.runs, list(asked.board), judges=[] if asked.model is None else [asked.model],
        any_weights=asked.any_weights, unjudged=asked.unjudged, options=study.options,
    )  # fmt: skip


def _describe_board(found: Board) -> dict[str, Any]:
    """Every system with its possible ranks, and the count of the pairs in a sentence."""
    return {"rows": [asdict(row) for row in found.rows], "sentences": [[clause(one)] for one in found.statements]}


def _gate(scores: Scores, asked: Decisions) -> dict[str, Any]:
    """Every other run against the baseline, with one margin for all metrics."""
    assert asked.baseline is not None and asked.margin is not None
    if asked.baseline not in scores.runs:
        raise UsageError("unknown-run", f"no run is called {asked.baseline!r}")
    base = scores.select(runs=[asked.baseline])
    margins = dict.fromkeys(scores.metrics, asked.margin)
    rows = [
        asdict(row)
        for run in scores.runs
        if run != asked.baseline
        for row in gate_rows(run, base, scores.select(runs=[run]), margins, {}, {}, CONFIDENCE)
    ]
    return {"baseline": asked.baseline, "margin": asked.margin, "confidence": CONFIDENCE, "rows": rows}
