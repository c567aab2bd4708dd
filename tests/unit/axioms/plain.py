"""A second, deliberately simple implementation of the paper's twenty metrics that shares no code with diveval.

A ranking is a list of rows of fractions, one row per document and one column per aspect; `w` are the aspect weights,
`pool` the judged documents, and `k` the cutoff. 1/log2(x) is a fraction rounded to 60 digits, so that equal sums stay
exactly equal.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, getcontext
from fractions import Fraction as F
from functools import cache
from typing import Any

getcontext().prec = 70


@cache
def inverse_log2(x: Any) -> Any:
    return F(Decimal(2).ln() / Decimal(x).ln()).limit_denominator(10**60) if x != 2 else F(1)


def single(rows: Any) -> Any:
    return [max(row) for row in rows]


def aspect(rows: Any, t: Any) -> Any:
    return [row[t] for row in rows]


def relevant(r: Any) -> Any:
    return 1 if r > 0 else 0


# --- one column -------------------------------------------------------------------------------------------------------


def p_at(column: Any, pool: Any, k: Any) -> Any:
    return F(sum(relevant(r) for r in column[:k]), k)


def rr(column: Any, pool: Any, k: Any) -> Any:
    for i, r in enumerate(column[:k], 1):
        if r > 0:
            return F(1, i)
    return F(0)


def ap(column: Any, pool: Any, k: Any) -> Any:
    judged_relevant = sum(relevant(r) for r in pool)
    if judged_relevant == 0:
        return F(0)
    total, hits = F(0), 0
    for i, r in enumerate(column[:k], 1):
        if r > 0:
            hits += 1
            total += F(hits, i)
    return total / judged_relevant


def dcg(column: Any, k: Any) -> Any:
    return sum((r * inverse_log2(i + 1) for i, r in enumerate(column[:k], 1)), F(0))


def ndcg(column: Any, pool: Any, k: Any) -> Any:
    best = dcg(sorted(pool, reverse=True), k)
    return dcg(column, k) / best if best else F(0)


def err(column: Any, pool: Any, k: Any) -> Any:
    total = F(0)
    for i, r in enumerate(column[:k], 1):
        left = F(1)
        for earlier in column[: i - 1]:
            left *= 1 - earlier
        total += r * left / i
    return total


def rbp(column: Any, pool: Any, k: Any, p: Any) -> Any:
    return (1 - p) * sum((p ** (i - 1) * r for i, r in enumerate(column[:k], 1)), F(0))


def over_max(metric: Any, rows: Any, w: Any, pool: Any, k: Any, *setting: Any) -> Any:
    return metric(single(rows), single(pool), k, *setting)


def intent_aware(metric: Any, rows: Any, w: Any, pool: Any, k: Any, *setting: Any) -> Any:
    return sum((w[t] * metric(aspect(rows, t), aspect(pool, t), k, *setting) for t in range(len(w))), F(0))


# --- several aspects --------------------------------------------------------------------------------------------------


def seen(rows: Any, i: Any, t: Any) -> Any:
    """c(i, t): how many documents above rank i are relevant to t."""
    return sum(relevant(row[t]) for row in rows[: i - 1])


def s_recall(rows: Any, w: Any, pool: Any, k: Any) -> Any:
    covered = {t for row in rows[:k] for t, r in enumerate(row) if r > 0}
    return F(len(covered), len(w))


def s_rr(rows: Any, w: Any, pool: Any, k: Any) -> Any:
    covered = set()
    for i, row in enumerate(rows[:k], 1):
        covered |= {t for t, r in enumerate(row) if r > 0}
        if len(covered) == len(w):
            return F(1, i)
    return F(0)


def novelty_sum(rows: Any, discount: Any, weights: Any, alpha: Any, k: Any, effort: Any = F(0)) -> Any:
    total = F(0)
    for i, row in enumerate(rows[:k], 1):
        gain = sum((weights[t] * row[t] * (1 - alpha) ** seen(rows, i, t) for t in range(len(weights))), F(0))
        total += discount(i) * (gain - effort)
    return total


def alpha_dcg(rows: Any, w: Any, k: Any, alpha: Any) -> Any:
    return novelty_sum(rows, lambda i: inverse_log2(i + 1), [F(1)] * len(w), alpha, k)


def alpha_ndcg(rows: Any, w: Any, pool: Any, k: Any, alpha: Any) -> Any:
    ideal: list[Any] = []
    left = list(pool)
    while left and len(ideal) < k:
        gains = [sum(d[t] * (1 - alpha) ** seen([*ideal, d], len(ideal) + 1, t) for t in range(len(w))) for d in left]
        if max(gains) <= 0:
            break
        ideal.append(left.pop(gains.index(max(gains))))
    best = alpha_dcg(ideal, w, k, alpha)
    return alpha_dcg(rows, w, k, alpha) / best if best else F(0)


def nrbp(rows: Any, w: Any, pool: Any, k: Any, p: Any, alpha: Any) -> Any:
    return novelty_sum(rows, lambda i: p ** (i - 1), [F(1)] * len(w), alpha, k)


def global_gain(rows: Any, w: Any) -> Any:
    return [sum((w[t] * row[t] for t in range(len(w))), F(0)) for row in rows]


def d_sharp(rows: Any, w: Any, pool: Any, k: Any, lam: Any) -> Any:
    d_measure = ndcg(global_gain(rows, w), global_gain(pool, w), k)
    return lam * s_recall(rows, w, pool, k) + (1 - lam) * d_measure


def eu(rows: Any, w: Any, pool: Any, k: Any, alpha: Any, e: Any) -> Any:
    return novelty_sum(rows, lambda i: inverse_log2(2 * i), w, alpha, k, e)


def ct(rows: Any, w: Any, pool: Any, k: Any, alpha: Any) -> Any:
    total = F(0)
    for i, row in enumerate(rows[:k], 1):
        for t in range(len(w)):
            if sum(above[t] for above in rows[: i - 1]) < 1:
                total += w[t] * row[t] * (1 - alpha) ** seen(rows, i, t) / i
    return total


def rbu(rows: Any, w: Any, pool: Any, k: Any, p: Any, e: Any) -> Any:
    total = F(0)
    for i, row in enumerate(rows[:k], 1):
        gain = F(0)
        for t in range(len(w)):
            left = F(1)
            for above in rows[: i - 1]:
                left *= 1 - above[t]
            gain += w[t] * row[t] * left
        total += p**i * (gain - e)
    return total


METRICS: dict[str, Callable[..., Any]] = {
    "P@k": lambda rows, w, pool, k: over_max(p_at, rows, w, pool, k),
    "RR": lambda rows, w, pool, k: over_max(rr, rows, w, pool, k),
    "AP": lambda rows, w, pool, k: over_max(ap, rows, w, pool, k),
    "nDCG@k": lambda rows, w, pool, k: over_max(ndcg, rows, w, pool, k),
    "ERR@k": lambda rows, w, pool, k: over_max(err, rows, w, pool, k),
    "RBP": lambda rows, w, pool, k, p: over_max(rbp, rows, w, pool, k, p),
    "P-IA@k": lambda rows, w, pool, k: intent_aware(p_at, rows, w, pool, k),
    "RR-IA@k": lambda rows, w, pool, k: intent_aware(rr, rows, w, pool, k),
    "AP-IA": lambda rows, w, pool, k: intent_aware(ap, rows, w, pool, k),
    "nDCG-IA@k": lambda rows, w, pool, k: intent_aware(ndcg, rows, w, pool, k),
    "ERR-IA@k": lambda rows, w, pool, k: intent_aware(err, rows, w, pool, k),
    "RBP-IA": lambda rows, w, pool, k, p: intent_aware(rbp, rows, w, pool, k, p),
    "S-Recall@k": s_recall,
    "S-RR@100%": s_rr,
    "NRBP": nrbp,
    "D#-Measure@k": d_sharp,
    "alpha-nDCG@k": alpha_ndcg,
    "EU": eu,
    "CT@k": ct,
    "RBU@k": rbu,
}
PARAMETERS = {
    "RBP": ("p",),
    "RBP-IA": ("p",),
    "NRBP": ("p", "alpha"),
    "D#-Measure@k": ("lam",),
    "alpha-nDCG@k": ("alpha",),
    "EU": ("alpha", "e"),
    "CT@k": ("alpha",),
    "RBU@k": ("p", "e"),
}


def score(metric: Any, rows: Any, weights: Any, pool: Any, cutoff: Any, setting: Any) -> Any:
    """The score of a ranking; without a cutoff, k exceeds the length of every ranking."""
    k = cutoff if cutoff is not None else 10**6
    chosen = [setting[name] for name in PARAMETERS.get(metric, ())]
    return METRICS[metric]([list(r) for r in rows], list(weights), [list(r) for r in pool], k, *chosen)
