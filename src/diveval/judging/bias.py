"""Whether a judge favours systems: bias by system and between systems, and the order of systems under both judges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diveval.judging.paired_scores import Floats, PairedScores
from diveval.meta.correlation import correlation
from diveval.stats.paired import Paired, t_test
from diveval.stats.sampling import draw_with_replacement, percentiles_if_most
from diveval.stats.tests import alpha_of, holm
from diveval.stats.ties import dense_ranks, noise_of


@dataclass(frozen=True)
class BiasRow:
    """How much higher (f − y) the model scores a run than people do, on the topics of both."""

    run: str
    metric: str
    bias: float
    low: float | None
    high: float | None
    topics: int


@dataclass(frozen=True)
class FavourRow:
    """How much more the model favours `run` than `other`: the difference of their biases, paired by topic."""

    run: str
    other: str
    metric: str
    difference: float
    low: float | None
    high: float | None
    p_adjusted: float
    significant: bool


@dataclass(frozen=True)
class OrderRow:
    """Rank correlations of the two leaderboards on the topics of both, with intervals over resampled topics."""

    metric: str
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    tau_ap: float | None
    tau_ap_low: float | None
    tau_ap_high: float | None


@dataclass(frozen=True)
class ReversedPair:
    """A pair whose order depends on the judge and is significant under either; differences are run − other."""

    run: str
    other: str
    metric: str
    people: float
    model: float
    significant_people: bool
    significant_model: bool


@dataclass(frozen=True)
class Bias:
    """What the judge does to systems."""

    systems: tuple[BiasRow, ...]
    pairs: tuple[FavourRow, ...]
    order: tuple[OrderRow, ...]
    reversed: tuple[ReversedPair, ...]


def measure_bias(paired: PairedScores, *, confidence: float, resamples: int, seed: int) -> Bias:
    """The bias of a model towards systems, on the topics that people labelled too."""
    systems: list[BiasRow] = []
    favours: list[FavourRow] = []
    reversed_: list[ReversedPair] = []
    alpha = alpha_of(confidence)
    first, second = paired.pairs().T
    n = paired.shared
    for m, metric in enumerate(paired.metrics):
        y, f = paired.y[:, m, :n], paired.f[:, m, :n]
        both = paired.counted_y[:, m, :n] & paired.counted_f[:, m, :n]
        own = Paired.of(f, y, both)
        ends = t_test(own, alpha).without_noise(own.noise)
        systems += [
            BiasRow(run, metric, float(own.mean[r]), *_ends(ends.low[r], ends.high[r]), int(own.topics[r]))
            for r, run in enumerate(paired.runs)
        ]
        if not len(first):
            continue
        shared = both[first] & both[second]
        usable = np.flatnonzero(np.count_nonzero(shared, axis=1) > 1)
        if not len(usable):
            continue
        a, b, shared = first[usable], second[usable], shared[usable]
        tested = [Paired.of(table[a], table[b], shared) for table in (f - y, y, f)]
        outcomes = [t_test(one, alpha).without_noise(one.noise) for one in tested]
        adjusted = [holm(outcome.p) for outcome in outcomes]
        favours += [
            FavourRow(
                paired.runs[a[k]],
                paired.runs[b[k]],
                metric,
                float(tested[0].mean[k]),
                *_ends(outcomes[0].low[k], outcomes[0].high[k]),
                float(adjusted[0][k]),
                bool(adjusted[0][k] < alpha),
            )
            for k in range(len(usable))
        ]
        by_people, by_model = tested[1].mean, tested[2].mean
        decided = (adjusted[1] < alpha) | (adjusted[2] < alpha)
        for k in np.flatnonzero((np.sign(by_people) * np.sign(by_model) < 0) & decided):
            names = paired.runs[a[k]], paired.runs[b[k]], metric
            marks = bool(adjusted[1][k] < alpha), bool(adjusted[2][k] < alpha)
            reversed_.append(ReversedPair(*names, float(by_people[k]), float(by_model[k]), *marks))
    order = _orders(paired, confidence, resamples, seed) if len(paired.runs) > 1 else ()
    return Bias(tuple(systems), tuple(favours), order, tuple(reversed_))


def _ends(low: float, high: float) -> tuple[float | None, float | None]:
    return (float(low), float(high)) if np.isfinite(low) and np.isfinite(high) else (None, None)


def _orders(paired: PairedScores, confidence: float, resamples: int, seed: int) -> tuple[OrderRow, ...]:
    """τ and τ_AP of the runs' means under both judges."""
    n = paired.shared
    weights = np.concatenate([np.ones((1, n)), draw_with_replacement(n, resamples, seed)])
    out = []
    for m, metric in enumerate(paired.metrics):
        counted = (paired.counted_y[:, m, :n] & paired.counted_f[:, m, :n]).astype(np.float64)
        sizes = np.maximum(weights @ counted.T, 1e-300)
        ranks = [
            _rank(weights @ (table[:, m, :n] * counted).T / sizes * paired.signs[m], table[:, m, :n])
            for table in (paired.y, paired.f)
        ]
        cells: list[float | None] = []
        for method in ("tau", "tau_ap"):
            function = correlation(method)
            values = [function(x, z) for x, z in zip(*ranks, strict=True)]
            cells += [values[0], *percentiles_if_most(np.array(values[1:], dtype=np.float64), confidence)]
        out.append(OrderRow(metric, *cells))
    return tuple(out)


def _rank(means: Floats, scores: Floats) -> np.ndarray:
    return dense_ranks(means, noise=noise_of(scores))
