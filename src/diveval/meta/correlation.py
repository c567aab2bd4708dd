"""Correlation of two rankings of the same systems: Kendall's τ, τ_AP and RBO, each with a rule for ties.

Three analyses use them: whether metrics rank the systems alike (`agreement`), how stable a ranking is under other
parameters (`sensitivity`), and under noisy or incomplete judgments (`robustness`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diveval.argument_types import explain_types
from diveval.errors import InputError, UsageError, need
from diveval.meta.variants import parameters
from diveval.results.protocol import Result
from diveval.results.scores import Scores
from diveval.stats.ties import dense_ranks, require_finite, require_fraction

Ranks = NDArray[np.intp]  # dense ranks, 0 is worst
Method = Literal["tau", "tau_ap", "rbo"]
METHODS: tuple[Method, ...] = ("tau", "tau_ap", "rbo")
REFERENCES: dict[Method, str] = {
    "tau": "M. G. Kendall. The Treatment of Ties in Ranking Problems. Biometrika, 1945.",
    "tau_ap": "E. Yilmaz, J. A. Aslam, S. Robertson. A New Rank Correlation Coefficient for Information Retrieval. "
    "SIGIR 2008.",
    "rbo": "W. Webber, A. Moffat, J. Zobel. A Similarity Measure for Indefinite Rankings. TOIS 2010.",
}


@explain_types
def kendall_tau(x: ArrayLike, y: ArrayLike) -> float | None:
    """τ-b: (C − D) / √(X · Y), where of all pairs C are concordant, D discordant, X not tied in x and Y not tied in y.

    None if all values of one are tied.

    M. G. Kendall. The Treatment of Ties in Ranking Problems. Biometrika, 1945.
    """
    return _kendall_tau(*_ranks(x, y))


def _kendall_tau(a: Ranks, b: Ranks) -> float | None:
    # Each pair occurs twice, above and below the diagonal: the factor cancels.
    first, second = np.sign(a[:, None] - a), np.sign(b[:, None] - b)
    untied = int(np.count_nonzero(first)) * int(np.count_nonzero(second))
    return float((first * second).sum() / math.sqrt(untied)) if untied else None


@explain_types
def tau_ap(reference: ArrayLike, other: ArrayLike) -> float:
    """τ_AP, Kendall's τ with more weight on the top: how well `other` ranks the systems compared to `reference`.

        τ_AP = 2/(N − 1) · Σ_{i=2..N} C(i)/(i − 1) − 1

    C(i) counts the systems above rank i of `other` that `reference` also places above the system at rank i. It is not
    symmetric. Ties in `other` are averaged over all their orders (exactly, not by sampling); a tie in `reference`
    counts ½, so τ_AP(x, constant) = 0.
    E. Yilmaz, J. A. Aslam, S. Robertson. A New Rank Correlation Coefficient for Information Retrieval. SIGIR 2008.
    """
    return _tau_ap(*_ranks(reference, other))


def _tau_ap(truth: Ranks, rank: Ranks) -> float:
    n = len(truth)
    right = (truth[:, None] > truth) + 0.5 * (truth[:, None] == truth)  # [u, v]: 1 if u belongs above v, ½ if tied
    above, tied = rank[:, None] > rank, rank[:, None] == rank
    np.fill_diagonal(tied, False)
    before, mates = above.sum(axis=0), tied.sum(axis=0)
    correct = (right * above).sum(axis=0)
    mate = (right * tied).sum(axis=0) / np.maximum(mates, 1)
    # `mates` are the systems tied with a system. With j of them above it (every j from 0 to `mates` equally likely), it
    # has `before` + j systems above, of which correct + j · mate are right on average; both sums over j have closed
    # forms.
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])
    inverse = harmonic[before + mates] - harmonic[np.maximum(before - 1, 0)]
    terms = mates + 1 - (before == 0)
    expected = (correct * inverse + mate * (terms - before * inverse)) / (mates + 1)
    return float(2.0 / (n - 1) * expected.sum() - 1.0)


@explain_types
def rbo(x: ArrayLike, y: ArrayLike, *, p: float = 0.9) -> float:
    """Rank-biased overlap, extrapolated, of two rankings of the same N systems.

        RBO = A(N) · p^N + (1 − p)/p · Σ_{d=1..N} A(d) · p^d,    A(d) = 2 · |X_d ∩ Y_d| / (|X_d| + |Y_d|)

    X_d holds the systems at rank d or better; tied systems all stand at the first rank of their group, as in the
    paper's section on ties. W. Webber, A. Moffat, J. Zobel. A Similarity Measure for Indefinite Rankings. TOIS 2010.
    """
    require_fraction("p", p)
    return _rbo(*_ranks(x, y), p)


def _rbo(a: Ranks, b: Ranks, p: float) -> float:
    n = len(a)
    depth_a, depth_b = ((ranks[:, None] > ranks).sum(axis=0) for ranks in (a, b))
    size_a, size_b, both = (
        np.cumsum(np.bincount(depth, minlength=n)) for depth in (depth_a, depth_b, np.maximum(depth_a, depth_b))
    )
    agreement = 2.0 * both / (size_a + size_b)
    weights = p ** np.arange(1, n + 1)
    return float(agreement[-1] * p**n + (1 - p) / p * (agreement @ weights))


def correlation(method: Method, *, p: float = 0.9) -> Callable[[Ranks, Ranks], float | None]:
    """The coefficient by its name, for ranks: `tau`, `tau_ap` (the first ranking is the reference) or `rbo`."""
    if method not in METHODS:
        raise UsageError(
            "invalid-choice", f"no rank correlation {method!r}", hint=f"choose one of {', '.join(METHODS)}"
        )
    require_fraction("p", p)
    return {"tau": _kendall_tau, "tau_ap": _tau_ap, "rbo": lambda a, b: _rbo(a, b, p)}[method]


def _ranks(x: ArrayLike, y: ArrayLike) -> tuple[Ranks, Ranks]:
    """Both as dense ranks, with the shared rule for ties."""
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise UsageError(
            "too-few-runs", f"two rankings need the same two or more systems, got {first.shape} and {second.shape}"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise UsageError("not-a-number", "rankings need finite scores")
    return dense_ranks(first), dense_ranks(second)


def mean_ranks(scores: Scores) -> NDArray[np.intp]:
    """Dense ranks of the runs by their mean, metric × run, 0 is worst; a run without a counted topic is an error."""
    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", f"at least two runs are needed to rank them, got {len(scores.runs)}")
    require_finite(scores)
    empty = np.argwhere(~scores.counted.any(axis=2))
    if len(empty):
        run, metric = scores.runs[empty[0][0]], scores.metrics[empty[0][1]]
        raise InputError(
            "no-counted-topic",
            f"run {run} has no counted topic for {metric}: it has no mean",
            hint="leave the run or metric out",
        )
    return dense_ranks(scores.means.T * scores.signs[:, np.newaxis])


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """`matrix[i][j]` compares the rankings by metric i (the reference for τ_AP) and j; None where undefined.

    `order` holds the metrics in the order of the clustering's leaves.
    """

    method: Method
    p: float | None
    metrics: tuple[str, ...]
    matrix: tuple[tuple[float | None, ...], ...]
    order: tuple[str, ...]

    reference: ClassVar[str] = " ".join(REFERENCES.values())
    header: ClassVar[tuple[str, ...]] = ("metric", "other", "value")

    def value(self, metric: str, other: str) -> float | None:
        """One cell, by name."""
        return self.matrix[self.metrics.index(metric)][self.metrics.index(other)]

    def records(self) -> list[dict[str, Any]]:
        """One record per ordered pair of metrics."""
        return [
            {"metric": metric, "other": other, "value": value}
            for metric, row in zip(self.metrics, self.matrix, strict=True)
            for other, value in zip(self.metrics, row, strict=True)
        ]


@explain_types
def agreement(scores: Scores, *, method: Method = "tau", p: float = 0.9) -> Agreement:
    """Rank correlation of the system rankings by mean, for every pair of metrics.

    `tau` is Kendall's τ-b, `tau_ap` that of Yilmaz et al., `rbo` rank-biased overlap with persistence `p`. A metric
    that ties every system has no τ-b: None. The order is that of average-linkage clustering on the distance
    1 − value (mean of both directions; 1 where undefined), and does not depend on the order of the metrics.
    """
    compare = correlation(method, p=p)
    ranks = mean_ranks(scores)
    matrix = tuple(tuple(compare(x, y) for y in ranks) for x in ranks)
    return Agreement(method, p if method == "rbo" else None, scores.metrics, matrix, _order(scores.metrics, matrix))


def _order(metrics: tuple[str, ...], matrix: tuple[tuple[float | None, ...], ...]) -> tuple[str, ...]:
    """The leaves of the dendrogram, from left to right."""
    by_name = sorted(range(len(metrics)), key=lambda m: metrics[m])
    if len(metrics) < 3:
        return tuple(metrics[m] for m in by_name)
    hierarchy = need("scipy.cluster.hierarchy", "meta")
    alike = np.array([[matrix[i][j] or 0.0 for j in by_name] for i in by_name])
    distance = np.clip(1.0 - (alike + alike.T) / 2, 0.0, None)
    condensed = distance[np.triu_indices(len(metrics), 1)]
    tree = hierarchy.linkage(condensed, method="average", optimal_ordering=True)
    return tuple(metrics[by_name[leaf]] for leaf in hierarchy.leaves_list(tree))


@dataclass(frozen=True)
class SensitivityRow:
    """One variant: its rank correlation with the reference variant, and the run it places first."""

    metric: str
    parameters: dict[str, str]
    value: float | None
    leader: str


@dataclass(frozen=True)
class RankRange:
    """One run: its rank under the reference, and its best and worst rank over all variants (1 is best)."""

    run: str
    rank: int
    best: int
    worst: int


@dataclass(frozen=True, repr=False)
class Sensitivity(Result):
    """Every variant against the reference variant, and the range of ranks of every run."""

    variant: str
    method: Method
    rows: tuple[SensitivityRow, ...]
    ranges: tuple[RankRange, ...]

    reference: ClassVar[str] = (
        "E. M. Voorhees. Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness. IPM 2000 "
        "(rank correlation as stability)."
    )
    header: ClassVar[tuple[str, ...]] = ("metric", "parameters", "value", "leader")

    def records(self) -> list[dict[str, Any]]:
        """One record per variant, parameters as text."""
        return [
            {**vars(row), "parameters": " ".join(f"{name}={value}" for name, value in row.parameters.items())}
            for row in self.rows
        ]


@explain_types
def sensitivity(scores: Scores, *, reference: str, method: Method = "tau", p: float = 0.9) -> Sensitivity:
    """How stable the ranking of the runs (by mean) is over a grid of variants, one metric of the table per cell.

    For each variant, the rank correlation with the `reference` variant (for τ_AP the reference is the truth); for each
    run, the best and worst rank any variant gives it. Tied runs share the better rank.
    """
    compare = correlation(method, p=p)
    chosen = scores.metric_index(reference)
    ranks = mean_ranks(scores)
    places = 1 + (ranks[:, None, :] > ranks[:, :, None]).sum(axis=2)
    rows = tuple(
        SensitivityRow(
            metric,
            dict(parameters(metric)),
            compare(ranks[chosen], ranks[m]),
            min(run for run, place in zip(scores.runs, places[m], strict=True) if place == 1),
        )
        for m, metric in enumerate(scores.metrics)
    )
    ranges = [
        RankRange(run, int(places[chosen, r]), int(places[:, r].min()), int(places[:, r].max()))
        for r, run in enumerate(scores.runs)
    ]
    return Sensitivity(scores.metrics[chosen], method, rows, tuple(sorted(ranges, key=lambda row: (row.rank, row.run))))


@dataclass(frozen=True)
class RobustnessRow:
    """One metric at one level of noise, over the repeats: rank correlation with the reference, change of the means."""

    metric: str
    level: float
    repeats: int
    value: float | None
    low: float | None
    high: float | None
    change: float
    absolute_change: float
    note: str | None = None


@dataclass(frozen=True, repr=False)
class Robustness(Result):
    """Every metric at every level, levels ascending."""

    method: Method
    rows: tuple[RobustnessRow, ...]

    reference: ClassVar[str] = (
        "C. Buckley, E. M. Voorhees. Retrieval Evaluation with Incomplete Information. SIGIR 2004; "
        "E. M. Voorhees. Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness. IPM 2000."
    )
    header: ClassVar[tuple[str, ...]] = tuple(RobustnessRow.__dataclass_fields__)


def rescore_levels(
    rescore: Callable[[int, float], Scores], *, levels: Sequence[float], seeds: Sequence[int] = range(10)
) -> Iterator[tuple[float, Scores]]:
    """Call `rescore(seed, level)` for every level and seed: what `robustness` takes."""
    for level in levels:
        for seed in seeds:
            yield level, rescore(seed, level)


@explain_types
def robustness(
    reference: Scores, perturbed: Iterable[tuple[float, Scores]], *, method: Method = "tau", p: float = 0.9
) -> Robustness:
    """Compare tables of scores under noise with the reference table, level by level.

    `perturbed` gives (level, scores) in any order, several per level for repeats; each must hold the runs and metrics
    of the reference. Per metric and level: the mean, least and greatest rank correlation with the reference ranking,
    the mean change of the runs' means, and the mean of its absolute value. τ-b does not exist if noise ties every run;
    such repeats are left out of the correlation, and the row has a note.
    """
    compare = correlation(method, p=p)
    truth, means = mean_ranks(reference), reference.means
    values: dict[float, list[list[float | None]]] = {}
    changes: dict[float, list[NDArray[np.float64]]] = {}
    for level, scores in perturbed:
        same = _align(scores, reference)
        ranks = mean_ranks(same)
        values.setdefault(level, []).append([compare(x, y) for x, y in zip(truth, ranks, strict=True)])
        changes.setdefault(level, []).append(same.means - means)
    if not values:
        raise UsageError("missing-argument", "robustness needs at least one table of perturbed scores")
    rows = [
        _robustness_row(metric, level, [repeat[m] for repeat in values[level]], np.array(changes[level])[:, :, m])
        for m, metric in enumerate(reference.metrics)
        for level in sorted(values)
    ]
    return Robustness(method, tuple(rows))


def _align(scores: Scores, reference: Scores) -> Scores:
    """The perturbed table in the order of the reference."""
    missing = (set(reference.runs) - set(scores.runs)) | (set(reference.metrics) - set(scores.metrics))
    if missing:
        raise UsageError("missing-score", f"a perturbed table lacks {min(missing)!r}, which the reference has")
    return scores.select(runs=reference.runs, metrics=reference.metrics)


def _robustness_row(
    metric: str, level: float, values: list[float | None], change: NDArray[np.float64]
) -> RobustnessRow:
    exist = [value for value in values if value is not None]
    note = f"{len(values) - len(exist)} of {len(values)} repeats tie every run" if len(exist) < len(values) else None
    mean, low, high = (sum(exist) / len(exist), min(exist), max(exist)) if exist else (None, None, None)
    return RobustnessRow(
        metric, level, len(values), mean, low, high, float(change.mean()), float(np.abs(change).mean()), note
    )
