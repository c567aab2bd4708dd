"""Strengths from pairwise votes: the model of Bradley and Terry with Davidson's ties, fitted by maximum likelihood.

R. R. Davidson. On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments. JASA, 1970.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
STEPS = 200
RIDGE = 0.01  # curvature that keeps strengths finite where the votes do not


@dataclass(frozen=True)
class Strengths:
    """θ by system, with sum 0, and log ν of ties (−∞ without ties)."""

    theta: Floats
    tie: float

    def chances(self, first: Places, second: Places) -> Floats:
        """P(first wins), P(second wins), P(tie) of each pair."""
        a, b = self.theta[first], self.theta[second]
        return _soften(np.stack([a, b, (a + b) / 2 + self.tie], axis=1))


def _soften(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=1, keepdims=True)
    return shares


def fit(first: Places, second: Places, counts: Floats, systems: int, *, ridge: float = 0.0) -> Strengths:
    """The strengths that make the votes most likely.

    P(first) ∝ e^θa, P(second) ∝ e^θb, P(tie) ∝ ν·e^((θa + θb)/2). `counts` is pair × (first wins, second wins, tie) and
    may be weighted. The log-likelihood is concave; Newton's method with halved steps finds its maximum.
    """
    ties = bool(counts[:, 2].sum() > 0)
    features = _features(first, second, systems, ties=ties)
    used = counts if ties else counts[:, :2]
    total = used.sum(axis=1)
    x = np.zeros(systems + ties)
    penalty = np.full(len(x), ridge)
    penalty[systems:] = 0.0
    value = _likelihood(features, used, x, penalty)
    for _ in range(STEPS):
        shares = _soften(features @ x)
        mean = np.einsum("pk,pkd->pd", shares, features)
        gradient = np.einsum("pk,pkd->d", used, features) - total @ mean - penalty * x
        second_moment = np.einsum("p,pk,pkd,pke->de", total, shares, features, features, optimize=True)
        curvature = second_moment - (mean * total[:, None]).T @ mean + np.diag(penalty)
        curvature[:systems, :systems] += total.mean() / systems  # strengths are determined up to a constant
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        size = 1.0
        while size > 1e-10 and _likelihood(features, used, x + size * step, penalty) < value:
            size /= 2
        if size <= 1e-10:
            break
        x = x + size * step
        value = _likelihood(features, used, x, penalty)
        if np.abs(size * step).max() < 1e-12 * (1 + np.abs(x).max()):
            break
    theta = x[:systems] - x[:systems].mean()
    return Strengths(theta, float(x[systems]) if ties else -np.inf)


def _features(first: Places, second: Places, systems: int, *, ties: bool) -> Floats:
    """pair × outcome × parameter: the exponents of the three outcomes, or of two without ties."""
    pairs = np.arange(len(first))
    out = np.zeros((len(first), 3 if ties else 2, systems + ties))
    out[pairs, 0, first] = 1.0
    out[pairs, 1, second] = 1.0
    if ties:
        out[pairs, 2, first] = out[pairs, 2, second] = 0.5
        out[:, 2, systems] = 1.0
    return out


def _likelihood(features: Floats, counts: Floats, x: Floats, penalty: Floats) -> float:
    logits = features @ x
    top = logits.max(axis=1, keepdims=True)
    logs = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
    return float((counts * logs).sum() - (penalty * x**2).sum() / 2)


def reach(first: Places, second: Places, counts: Floats, systems: int, *, both_ways: bool) -> bool:
    """Whether votes connect every two systems. `both_ways`: by wins or ties in each direction, without which some
    strength is infinite."""
    edges = np.zeros((systems, systems), dtype=bool)
    wins, losses, ties = (counts[:, k] > 0 for k in range(3))
    edges[first, second] |= wins | ties
    edges[second, first] |= losses | ties
    if not both_ways:
        edges |= edges.T
    return all(_visits_all(one) for one in (edges, edges.T))


def _visits_all(edges: NDArray[np.bool_]) -> bool:
    seen, frontier = {0}, [0]
    while frontier:
        place = frontier.pop()
        for other in np.flatnonzero(edges[place]).tolist():
            if other not in seen:
                seen.add(other)
                frontier.append(other)
    return len(seen) == len(edges)
