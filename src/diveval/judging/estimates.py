"""Estimates by people, by a model, and by both, for every run and every pair of runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from diveval.judging.paired_scores import PairedScores
from diveval.stats.intervals import t_quantile
from diveval.stats.power import fewest_topics, topics_for_width
from diveval.stats.prediction_powered import (
    Estimates,
    Moments,
    estimate_both,
    estimate_model,
    estimate_people,
    studentise,
)
from diveval.stats.tests import alpha_of, holm

Estimator = Literal["people", "model", "both"]
ESTIMATORS: dict[Estimator, Any] = {"people": estimate_people, "model": estimate_model, "both": estimate_both}


@dataclass(frozen=True)
class EstimateRow:
    """An estimate of a run's mean, or of its difference to the run `against`.

    `topics_people` and `topics_model` count the topics whose labels of each kind the estimator uses. `saved`: how many
    more topics people alone would need for an interval of this width.
    """

    run: str
    against: str  # empty: the mean of the run itself
    metric: str
    estimator: Estimator
    estimate: float | None
    low: float | None
    high: float | None
    topics_people: int
    topics_model: int
    tuning: float | None  # λ
    p_adjusted: float | None = None  # of a difference, by Holm over the pairs of one metric
    significant: bool | None = None
    saved: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The cells by column; λ is `lambda`, which Python does not allow as the name of a field."""
        return {"lambda" if name == "tuning" else name: value for name, value in vars(self).items()}


def estimate_all(
    paired: PairedScores, confidence: float, drawn: tuple[int, int] | None = None
) -> Iterator[EstimateRow]:
    """Rows of every run and pair, metric by metric: by people, by the model, by both.

    `drawn`: resamples and seed of bootstrap-t intervals; without it they are Student's.
    """
    names = [(run, "") for run in paired.runs]
    names += [(paired.runs[a], paired.runs[b]) for a, b in paired.pairs()]
    runs = len(paired.runs)
    for m, metric in enumerate(paired.metrics):
        moments = paired.moments(m)
        made = {name: function(moments, confidence) for name, function in ESTIMATORS.items()}
        if drawn is not None:
            made = _resample(paired, m, made, confidence, *drawn)
        adjusted = {name: _adjust(estimates, runs) for name, estimates in made.items()}
        for i, (run, against) in enumerate(names):
            for name, estimates in made.items():
                saved = count_saved(moments, estimates, i, confidence) if name == "both" else None
                p = adjusted[name][i]
                yield EstimateRow(
                    run,
                    against,
                    metric,
                    name,
                    _drop_infinite(estimates.mean[i]),
                    _drop_infinite(estimates.low[i]),
                    _drop_infinite(estimates.high[i]),
                    int(estimates.people[i]),
                    int(estimates.model[i]),
                    _drop_infinite(estimates.tuning[i]),
                    p,
                    None if p is None else p < alpha_of(confidence),
                    saved,
                )


def _resample(
    paired: PairedScores, m: int, made: dict[Estimator, Estimates], confidence: float, resamples: int, seed: int
) -> dict[Estimator, Estimates]:
    """The estimates with bootstrap-t intervals; that of the model alone keeps Student's, since it is a warning only."""
    rows = paired.rows(m)
    return {
        name: estimates
        if name == "model"
        else studentise(*rows, estimates, use_model=name == "both", confidence=confidence, drawn=(resamples, seed))
        for name, estimates in made.items()
    }


def _drop_infinite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _adjust(estimates: Estimates, runs: int) -> list[float | None]:
    """Adjusted p-values of the pairs, which come after the runs; None where there is none."""
    p = estimates.p()
    tested = np.flatnonzero(~np.isnan(p[runs:])) + runs
    out: list[float | None] = [None] * len(p)
    for i, value in zip(tested.tolist(), holm(p[tested]).tolist(), strict=True):
        out[i] = value
    return out


def count_saved(moments: Moments, estimates: Estimates, row: int, confidence: float) -> int | None:
    """Topics that people alone would need for an interval of this width, minus those that they labelled."""
    width, n = float(estimates.high[row] - estimates.low[row]), int(moments.n[row])
    if not math.isfinite(width):
        return None
    if width <= 0 or estimates.tuning[row] == 0:
        return 0
    needed = topics_for_width(width, math.sqrt(float(moments.var_y[row])), confidence)
    return None if needed is None else max(needed - n, 0)


@dataclass(frozen=True)
class NextLabels:
    """What would decide the order of a pair: more topics by people, or by the model; None where no number would.

    Unjudged documents of people's topics are counted where their price is given: if labels could reverse the order on
    these topics, those in the lists of the pair whose labels could, each alone, reduce the lead; otherwise 0.
    """

    run: str
    other: str
    metric: str
    estimate: float
    pairs: int  # corrected for
    people: int | None
    model: int | None
    cost_people: float | None = None  # of these topics, at the prices given
    cost_model: float | None = None
    cheapest: Literal["people", "model", "documents"] | None = None
    documents: int | None = None  # None: not counted, or not bounded for this metric
    reversible: bool | None = None  # whether labels of these documents could reverse the order on people's topics
    cost_documents: float | None = None

    def add_documents(self, documents: int, reversible: bool, price: float) -> NextLabels:
        """With the documents, which are cheapest if their labels could reverse the order and all else costs more."""
        cost = documents * price
        others = [c for c in (self.cost_people, self.cost_model) if c is not None]
        cheapest = "documents" if reversible and all(cost < other for other in others) else self.cheapest
        return replace(self, documents=documents, reversible=reversible, cost_documents=cost, cheapest=cheapest)

    def options(self) -> list[tuple[str, int | None, float | None, str]]:
        """Every kind of label with its number, its price and what it decides."""
        near = "the order on people's topics" if self.reversible else "nothing: the order on people's topics is certain"
        rows = [
            ("topics by people", self.people, self.cost_people, "the order over all topics"),
            ("topics by the model", self.model, self.cost_model, "the order over all topics"),
        ]
        return (
            rows
            if self.documents is None
            else [*rows, ("documents by people", self.documents, self.cost_documents, near)]
        )


def plan_next(
    paired: PairedScores, rows: list[EstimateRow], confidence: float, prices: tuple[float, float] | None = None
) -> list[NextLabels]:
    """For each metric, the open pair that is closest to a decision, and how many topics of either kind would decide it.

    `prices`: of a topic labelled by people and by the model, which decide what is cheapest to buy.
    The level is that of Bonferroni's correction over all pairs, which is never easier to reach than Holm's.
    """
    out = []
    runs, pairs = len(paired.runs), paired.pairs()
    strict = 1 - (1 - confidence) / max(len(pairs), 1)
    for m, metric in enumerate(paired.metrics):
        own = [row for row in rows if row.metric == metric and row.against and row.estimator == "both"]
        moments = paired.moments(m)
        open_ = [i for i, row in enumerate(own) if not row.significant and row.estimate]
        if not open_:
            continue
        # In widths of its interval the pair farthest from 0; adjusted p cannot tell, since Holm's correction ties them.
        i = max(open_, key=lambda k: _relate_to_width(own[k]))
        a, b = (paired.runs[k] for k in pairs[i])
        people, model = (_more(moments, runs + i, strict, kind) for kind in ("people", "model"))
        estimate = own[i].estimate
        assert estimate is not None
        out.append(NextLabels(a, b, metric, estimate, len(pairs), people, model, *_price(people, model, prices)))
    return out


def _relate_to_width(row: EstimateRow) -> float:
    """An estimate's distance from 0, in widths of its interval."""
    if row.estimate is None or row.low is None or row.high is None:
        return 0.0
    return abs(row.estimate) / max(row.high - row.low, 1e-300)


def _price(
    people: int | None, model: int | None, prices: tuple[float, float] | None
) -> tuple[float | None, float | None, Literal["people", "model"] | None]:
    """What both kinds cost, and the cheaper one; without prices a kind is cheapest only if the other decides nothing."""
    costs: list[float | None] = [None, None]
    if prices is not None:
        costs = [None if n is None else n * price for n, price in zip((people, model), prices, strict=True)]
    cheapest: Literal["people", "model"] | None = None
    if people is not None and model is None:
        cheapest = "people"
    elif model is not None and people is None:
        cheapest = "model"
    elif costs[0] is not None and costs[1] is not None:
        cheapest = "people" if costs[0] <= costs[1] else "model"
    return costs[0], costs[1], cheapest


def _more(moments: Moments, row: int, confidence: float, kind: str) -> int | None:
    """How many more topics of a kind make the interval of a difference exclude 0, if nothing else changes."""
    n, rest = int(moments.n[row]), int(moments.rest[row])
    size = abs(float(estimate_both(moments, confidence).mean[row]))

    def enough(more: int) -> bool:
        people, model = (n + more, rest) if kind == "people" else (n, rest + more)
        return size > margin_at(moments, row, people, model, confidence)

    if not size or (kind == "model" and not enough(10**8)):
        return None
    return fewest_topics(enough, least=1)


def margin_at(moments: Moments, row: int, people: int, model: int, confidence: float) -> float:
    """Half the width of the interval with these numbers of topics, λ chosen for them and variances as observed."""
    covariance, variance = float(moments.covariance[row]), float(moments.var_all[row])
    tuning = 0.0
    if model > 1 and variance > 0:
        tuning = min(1.0, max(0.0, covariance / ((1 + people / model) * variance)))
    corrected = float(moments.var_y[row]) - 2 * tuning * covariance + tuning**2 * float(moments.var_f[row])
    spread = float(moments.var_rest[row] if moments.rest[row] > 1 else moments.var_f[row])
    squares = tuning**2 * spread / max(model, 1) + max(corrected, 0.0) / people
    return float(t_quantile(confidence, np.array(people - 1))) * math.sqrt(squares)
