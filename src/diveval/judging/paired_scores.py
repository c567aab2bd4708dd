"""Scores of the same runs under two judges, topic by topic: which topics have both labels and which the model's only;
whether the model favours systems, and the order of systems under both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from diveval.collection.topic_ids import no_shared_topic
from diveval.errors import InputError, UsageError, count_of, preview, warn
from diveval.meta.correlation import correlation
from diveval.results.scores import Scores
from diveval.stats.intervals import draw_with_replacement, percentiles_if_most
from diveval.stats.paired import Paired, t_test
from diveval.stats.prediction_powered import Moments
from diveval.stats.tests import FEW_TOPICS, alpha_of, holm
from diveval.stats.ties import dense_ranks, noise_of, require_variances, without_noise

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
SAMPLE_LEVEL = 0.001  # of the test whether topics look like a random sample


@dataclass(frozen=True)
class PairedScores:
    """y by people and f by a model, run × metric × topic; the first `shared` topics have both labels."""

    runs: tuple[str, ...]
    metrics: tuple[str, ...]
    topics: tuple[str, ...]
    shared: int
    y: Floats  # 0 where there are no labels of people
    f: Floats
    counted_y: Bools
    counted_f: Bools
    signs: Floats
    people_only: tuple[str, ...]  # topics that the model lacks: omitted

    def rows(self, metric: int) -> tuple[Floats, Floats, Bools, Bools]:
        """y, f and both masks for every run, and then for every pair of runs (the first minus the second)."""
        y, f = self.y[:, metric], self.f[:, metric]
        both = self.counted_y[:, metric] & self.counted_f[:, metric]
        rest = self.counted_f[:, metric].copy()
        rest[:, : self.shared] = False
        first, second = self.pairs().T
        paired, others = both[first] & both[second], rest[first] & rest[second]
        parts = [_subtract(table[first], table[second], paired | others) for table in (y, f)]
        tables = [np.concatenate([own, of_pairs]) for own, of_pairs in zip((y, f), parts, strict=True)]
        return tables[0], tables[1], np.concatenate([both, paired]), np.concatenate([rest, others])

    def moments(self, metric: int) -> Moments:
        """What the estimates need, for every run and then for every pair."""
        return Moments.of(*self.rows(metric))

    def pairs(self) -> NDArray[np.intp]:
        """Every pair of runs as indices, in the order of the runs."""
        return np.array(list(combinations(range(len(self.runs)), 2)), dtype=np.intp).reshape(-1, 2)


def _subtract(first: Floats, second: Floats, used: Bools) -> Floats:
    """The difference, exactly 0 where it is rounding noise."""
    noise = noise_of(np.where(used, np.maximum(np.abs(first), np.abs(second)), 0.0), axis=1)
    return without_noise(np.where(used, first - second, 0.0), noise[:, None])


def pair_scores(people: Scores, model: Scores) -> PairedScores:
    """Align two tables of scores of the same runs and metrics; topics that only people labelled are left out."""
    for name, theirs in (("runs", model.runs), ("metrics", model.metrics)):
        if set(getattr(people, name)) != set(theirs):
            raise UsageError("wrong-shape", f"the scores by people and by the model have different {name}")
    model = model.select(runs=people.runs, metrics=people.metrics)
    for scores in (people, model):
        require_variances(scores)
        if (empty := np.flatnonzero(~scores.counted.any(axis=(0, 2)))).size:
            of_runs = scores.whole is not None and np.isfinite(scores.whole[:, empty[0]]).any()
            raise UsageError(
                "metric-of-whole-runs" if of_runs else "no-counted-topic",
                f"{scores.metrics[empty[0]]} has no value per topic, so nothing can be estimated",
            )
    known = set(model.topics)
    shared = [topic for topic in people.topics if topic in known]
    people_only = tuple(topic for topic in people.topics if topic not in known)
    if not shared:
        raise no_shared_topic(model.topics, people.topics, source="model", others="people")
    if len(shared) < 2:
        raise InputError(
            "too-few-topics",
            f"people and model share {count_of(len(shared), 'topic')} of {len(people.topics)} and {len(model.topics)}",
            hint="two or more are needed, and ten or more for an interval to trust",
        )
    named = set(shared)
    topics = [*shared, *(topic for topic in model.topics if topic not in named)]
    model = model.select(topics=topics) if tuple(topics) != model.topics else model
    mine = people.select(topics=shared)
    shape = (len(people.runs), len(people.metrics), len(topics))
    y, counted = np.zeros(shape), np.zeros(shape, dtype=bool)
    y[:, :, : len(shared)], counted[:, :, : len(shared)] = mine.values, mine.counted
    return PairedScores(
        people.runs, people.metrics, tuple(topics), len(shared), y, model.values, counted, model.counted, people.signs,
        people_only,
    )  # fmt: skip


def warn_about_topics(paired: PairedScores) -> None:
    """Warn about topics that make the estimates doubtful: too few, left out, or not like a random sample."""
    n, total = paired.shared, len(paired.topics)
    if paired.people_only:
        warn(
            "topics-left-out",
            f"{count_of(len(paired.people_only), 'topic')} of people without labels of the model"
            f" ({preview(paired.people_only)}): left out",
        )
    if n < FEW_TOPICS:
        warn("too-few-topics", f"only {n} topics have labels of both: intervals are rough below {FEW_TOPICS}")
    if n == total:
        warn("no-model-topic", f"the model labelled none but the {n} topics of people: it cannot improve any estimate")
    for metric, p in looks_random(paired).items():
        if p < SAMPLE_LEVEL:
            warn(
                "sample-not-random",
                f"{metric}: the model's scores on the {n} topics that people labelled differ from those on the other"
                f" {total - n} (p = {p:.1g}): estimates are valid only if these topics are a random sample",
            )


def looks_random(paired: PairedScores) -> dict[str, float]:
    """For each metric the p of Welch's test that the model scores both sets of topics alike, over the mean of all runs."""
    from diveval.errors import need

    n, rest = paired.shared, len(paired.topics) - paired.shared
    if n < 2 or rest < 2:
        return {}
    out = {}
    for m, metric in enumerate(paired.metrics):
        mean = np.where(paired.counted_f[:, m], paired.f[:, m], 0.0).sum(axis=0)
        mean /= np.maximum(paired.counted_f[:, m].sum(axis=0), 1)
        first, second = mean[:n], mean[n:]
        parts = first.var(ddof=1) / n, second.var(ddof=1) / rest
        error = float(sum(parts))
        if error > 0:
            freedom = error**2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (rest - 1))
            t = abs(float(first.mean() - second.mean())) / error**0.5
            out[metric] = float(2 * need("scipy.special", "meta").stdtr(freedom, -t))
    return out


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
