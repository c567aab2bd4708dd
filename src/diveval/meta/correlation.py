"""How alike two rankings of the same systems are: Kendall's τ, τ_AP and RBO, each with its ties stated."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from diveval.errors import UsageError
from diveval.stats.ties import dense_ranks, require_fraction

Ranks = NDArray[np.intp]  # dense ranks, 0 is worst
Method = Literal["tau", "tau_ap", "rbo"]
METHODS: tuple[Method, ...] = ("tau", "tau_ap", "rbo")
REFERENCES: dict[Method, str] = {
    "tau": "M. G. Kendall. The Treatment of Ties in Ranking Problems. Biometrika, 1945.",
    "tau_ap": "E. Yilmaz, J. A. Aslam, S. Robertson. A New Rank Correlation Coefficient for Information Retrieval. "
    "SIGIR 2008.",
    "rbo": "W. Webber, A. Moffat, J. Zobel. A Similarity Measure for Indefinite Rankings. TOIS 2010.",
}


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float | None:
    """τ-b: (concordant − discordant) / √(pairs not tied in x · pairs not tied in y); None when all of one is tied.

    M. G. Kendall. The Treatment of Ties in Ranking Problems. Biometrika, 1945.
    """
    return _kendall_tau(*_ranks(x, y))


def _kendall_tau(a: Ranks, b: Ranks) -> float | None:
    # Each pair is met twice, above and below: the factor cancels.
    first, second = np.sign(a[:, None] - a), np.sign(b[:, None] - b)
    untied = int(np.count_nonzero(first)) * int(np.count_nonzero(second))
    return float((first * second).sum() / math.sqrt(untied)) if untied else None


def tau_ap(reference: ArrayLike, other: ArrayLike) -> float:
    """τ_AP, Kendall's τ with more weight on the top: how well `other` ranks the systems, judged by `reference`.

        τ_AP = 2/(N − 1) · Σ_{i=2..N} C(i)/(i − 1) − 1

    C(i) counts the systems above rank i of `other` that `reference` also places above the system at rank i. It is not
    symmetric. Ties in `other` are averaged over all their orders (exactly, not by sampling); a tie in `reference`
    counts ½, so τ_AP(x, constant) = 0.
    E. Yilmaz, J. A. Aslam, S. Robertson. A New Rank Correlation Coefficient for Information Retrieval. SIGIR 2008.
    """
    return _tau_ap(*_ranks(reference, other))


def _tau_ap(truth: Ranks, rank: Ranks) -> float:
    n = len(truth)
    right = (truth[:, None] > truth) + 0.5 * (truth[:, None] == truth)  # [u, v]: is u rightly placed above v?
    above, tied = rank[:, None] > rank, rank[:, None] == rank
    np.fill_diagonal(tied, False)
    before, mates = above.sum(axis=0), tied.sum(axis=0)
    correct = (right * above).sum(axis=0)
    mate = (right * tied).sum(axis=0) / np.maximum(mates, 1)
    # With j of its mates above it (every j from 0 to `mates` as likely as any other), a system has `before` + j
    # systems above, of which correct + j · mate are right on average; both sums over j have closed forms.
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])
    inverse = harmonic[before + mates] - harmonic[np.maximum(before - 1, 0)]
    terms = mates + 1 - (before == 0)
    expected = (correct * inverse + mate * (terms - before * inverse)) / (mates + 1)
    return float(2.0 / (n - 1) * expected.sum() - 1.0)


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
        raise UsageError(f"no rank correlation {method!r}; choose one of {', '.join(METHODS)}")
    require_fraction("p", p)
    return {"tau": _kendall_tau, "tau_ap": _tau_ap, "rbo": lambda a, b: _rbo(a, b, p)}[method]


def _ranks(x: ArrayLike, y: ArrayLike) -> tuple[Ranks, Ranks]:
    """Both as dense ranks, ties by the one rule."""
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise UsageError(f"two rankings need the same two or more systems, got {first.shape} and {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise UsageError("rankings need finite scores")
    return dense_ranks(first), dense_ranks(second)
