"""Evaluation as simple loops over rows: every option and twenty metrics from their definitions, without diveval's code.

Slow and short on purpose. Judgments are rows (topic, aspect, document, grade), a run is rows (topic, document, rank,
score), both in file order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

Judged = Sequence[tuple[str, str, str, float]]
Listed = Sequence[tuple[str, str, int, float]]
Rows = list[list[float]]


@dataclass
class Topic:
    """A topic: weights of the aspects, relevance of each document by aspect, and the number of judged documents."""

    weights: list[float]
    relevance: dict[str, list[float]]
    judged: int

    @property
    def pool(self) -> Rows:
        """The relevant documents, by id descending as UTF-8 bytes."""
        names = sorted((d for d, row in self.relevance.items() if any(row)), key=str.encode, reverse=True)
        return [self.relevance[name] for name in names]


def grades_of(judgments: Judged, duplicates: str) -> dict[str, dict[str, dict[str, float]]]:
    """{topic: {aspect: {document: grade}}}; the rule for duplicates chooses between two grades."""
    out: dict[str, dict[str, dict[str, float]]] = {}
    for topic, aspect, document, grade in judgments:
        cell = out.setdefault(topic, {}).setdefault(aspect, {})
        if document not in cell or duplicates == "last" or (duplicates == "max" and grade > cell[document]):
            cell[document] = grade
        elif duplicates == "error" and cell[document] != grade:
            raise ValueError("judged twice")
    return out


def topics_of(
    judgments: Judged, weights: Mapping[tuple[str, str], float] | None, options: Mapping[str, Any]
) -> dict[str, Topic]:
    """Topics with relevance from grades and normalised weights."""
    graded = grades_of(judgments, options.get("judgment_duplicates", "error"))
    highest = max(grade for *_, grade in judgments)
    out = {}
    for topic, aspects in graded.items():
        kept, columns = [], []
        for aspect, cells in aspects.items():
            counts = {d: g for d, g in cells.items() if g > 0 and g >= (options.get("rel") or 0)}
            if counts or options.get("empty_aspects", "drop") == "keep":
                kept.append(aspect)
                columns.append(relevance(counts, highest, options))
        given = [1.0 if weights is None else weights[topic, aspect] for aspect in kept]
        shares = [w / sum(given) for w in given]
        documents = {d for cells in aspects.values() for d in cells}
        rows = {d: [column.get(d, 0.0) for column in columns] for d in documents}
        out[topic] = Topic(shares, rows, len(documents))
    return out


def relevance(grades: Mapping[str, float], highest: float, options: Mapping[str, Any]) -> dict[str, float]:
    gain, gmax = options.get("gain", "exponential"), options.get("gmax", "file")
    top = highest if gmax == "file" else max(grades.values(), default=1.0) if gmax == "per-aspect" else float(gmax)
    rules: dict[str, Callable[[float], float]] = {
        "exponential": lambda g: (2**g - 1) / 2**top,
        "linear": lambda g: g / top,
        "binary": lambda g: 1.0,
        "identity": lambda g: g,
    }
    return {document: rules[gain](grade) for document, grade in grades.items()}


def ranking(lines: Listed, options: Mapping[str, Any]) -> list[str]:
    """The documents of one topic in the order of the options; "" stands for a repeated document."""
    order, ties = options.get("order") or "score", options.get("ties") or "docno-desc"
    listed = list(lines)
    if order == "rank":
        listed.sort(key=lambda line: line[2])
    elif order == "score":
        if ties != "file":
            listed.sort(key=lambda line: line[1].encode(), reverse=ties == "docno-desc")
        listed.sort(key=lambda line: -line[3])
    out: list[str] = []
    for _, document, _, _ in listed:
        if document not in out:
            out.append(document)
        elif options.get("duplicates") == "blank":
            out.append("")
    return out


# --- metrics: rows of a ranking, weights, pool, cutoff ---------------------------------------------------------------


def single(rows: Rows) -> list[float]:
    return [max(row, default=0.0) for row in rows]


def dcg(column: Sequence[float]) -> float:
    return sum(r / log2(i + 1) for i, r in enumerate(column, 1))


def share(value: float, best: float) -> float:
    return value / best if best > 0 else 0.0


def precision(column: Sequence[float], pool: Sequence[float], k: int) -> float:
    return sum(r > 0 for r in column[:k]) / k


def reciprocal_rank(column: Sequence[float], pool: Sequence[float], k: int) -> float:
    return next((1 / i for i, r in enumerate(column[:k], 1) if r > 0), 0.0)


def average_precision(column: Sequence[float], pool: Sequence[float], k: int) -> float:
    total, hits = 0.0, 0
    for i, r in enumerate(column[:k], 1):
        if r > 0:
            hits += 1
            total += hits / i
    return share(total, sum(r > 0 for r in pool))


def ndcg(column: Sequence[float], pool: Sequence[float], k: int) -> float:
    return share(dcg(column[:k]), dcg(sorted(pool, reverse=True)[:k]))


def err(column: Sequence[float], pool: Sequence[float], k: int) -> float:
    total, left = 0.0, 1.0
    for i, r in enumerate(column[:k], 1):
        total += left * r / i
        left *= 1 - r
    return total


def rbp(column: Sequence[float], pool: Sequence[float], k: int) -> float:
    return 0.2 * sum(0.8 ** (i - 1) * r for i, r in enumerate(column[:k], 1))


Column = Callable[[Sequence[float], Sequence[float], int], float]
Metric = Callable[[Rows, list[float], Rows, int], float]


def overall(metric: Column) -> Metric:
    return lambda rows, weights, pool, k: metric(single(rows), single(pool), k)


def intent_aware(metric: Column) -> Metric:
    def value(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
        columns = [([row[t] for row in rows], [row[t] for row in pool]) for t in range(len(weights))]
        return sum(w * metric(*pair, k) for w, pair in zip(weights, columns, strict=True))

    return value


def decayed(rows: Rows, weights: list[float], discount: Callable[[int], float], effort: float = 0.0) -> float:
    """Σ_i discount(i) (Σ_t w(t) r(i,t) (1/2)^c(i,t) − effort)."""
    seen, total = [0] * len(weights), 0.0
    for i, row in enumerate(rows, 1):
        gain = sum(w * r * 0.5**c for w, r, c in zip(weights, row, seen, strict=True))
        total += discount(i) * (gain - effort)
        seen = [c + (r > 0) for c, r in zip(seen, row, strict=True)]
    return total


def alpha_ndcg(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
    ones = [1.0] * len(weights)

    def log(i: int) -> float:
        return 1 / log2(i + 1)

    ideal: Rows = []
    left = list(pool)
    while left and len(ideal) < k:
        seen = [sum(row[t] > 0 for row in ideal) for t in range(len(weights))]
        gains = [sum(r * 0.5**c for r, c in zip(row, seen, strict=True)) for row in left]
        ideal.append(left.pop(next(i for i, gain in enumerate(gains) if gain >= max(gains) * (1 - 1e-12))))
    return share(decayed(rows[:k], ones, log), decayed(ideal, ones, log))


def cascade(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
    """RBU(p=0.9,e=0.02)."""
    left, total = [1.0] * len(weights), 0.0
    for i, row in enumerate(rows[:k], 1):
        gain = sum(w * r * s for w, r, s in zip(weights, row, left, strict=True))
        total += 0.9**i * (gain - 0.02)
        left = [s * (1 - r) for s, r in zip(left, row, strict=True)]
    return total


def cube(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
    seen, filled, total = [0] * len(weights), [0.0] * len(weights), 0.0
    for i, row in enumerate(rows[:k], 1):
        parts = zip(weights, row, seen, filled, strict=True)
        total += sum(w * r * 0.5**c for w, r, c, f in parts if f < 1) / i
        seen = [c + (r > 0) for c, r in zip(seen, row, strict=True)]
        filled = [f + r for f, r in zip(filled, row, strict=True)]
    return total


def covered(rows: Rows, weights: list[float]) -> int:
    return sum(any(row[t] > 0 for row in rows) for t in range(len(weights)))


def recall(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
    return share(covered(rows[:k], weights), len(weights))


def all_covered(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
    wanted = len(weights)
    return next((1 / i for i in range(1, len(rows[:k]) + 1) if wanted and covered(rows[:i], weights) == wanted), 0.0)


def d_ndcg(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
    def gains(of: Rows) -> list[float]:
        return [sum(w * r for w, r in zip(weights, row, strict=True)) for row in of]

    return ndcg(gains(rows), gains(pool), k)


def d_sharp(rows: Rows, weights: list[float], pool: Rows, k: int) -> float:
    return 0.5 * recall(rows, weights, pool, k) + 0.5 * d_ndcg(rows, weights, pool, k)


METRICS: dict[str, Metric] = {
    "P": overall(precision),
    "RR": overall(reciprocal_rank),
    "AP": overall(average_precision),
    "nDCG": overall(ndcg),
    "ERR": overall(err),
    "RBP(p=0.8)": overall(rbp),
    "P_IA": intent_aware(precision),
    "RR_IA": intent_aware(reciprocal_rank),
    "AP_IA": intent_aware(average_precision),
    "nDCG_IA": intent_aware(ndcg),
    "ERR_IA": intent_aware(err),
    "RBP_IA(p=0.8)": intent_aware(rbp),
    "alpha_nDCG(alpha=0.5)": alpha_ndcg,
    "NRBP(p=0.8,alpha=0.5)": lambda rows, w, pool, k: decayed(rows[:k], [1.0] * len(w), lambda i: 0.8 ** (i - 1)),
    "EU(alpha=0.5,e=0.05)": lambda rows, w, pool, k: decayed(rows[:k], w, lambda i: 1 / (1 + log2(i)), 0.05),
    "CT(alpha=0.5)": cube,
    "RBU(p=0.9,e=0.02)": cascade,
    "StRecall": recall,
    "SRR": all_covered,
    "D_nDCG": d_ndcg,
    "Dsharp_nDCG(lam=0.5)": d_sharp,
}


def evaluate(
    judgments: Judged, run: Listed, k: int, weights: Mapping[tuple[str, str], float] | None, options: Mapping[str, Any]
) -> dict[str, tuple[dict[str, float], float]]:
    """{metric: (value of each topic that counts, their mean)}."""
    topics, out = topics_of(judgments, weights, options), {}
    listed = {topic: ranking([line for line in run if line[0] == topic], options) for topic in topics}
    present = {line[0] for line in run}
    for name, metric in METRICS.items():
        values = {}
        for topic, facts in topics.items():
            nothing = [0.0] * len(facts.weights)
            if options.get("empty_topics") == "skip" and not facts.pool:
                continue
            if topic not in present:
                missing = options.get("missing_topics") or "worst"
                if missing == "skip":
                    continue
                values[topic] = 0.0 if missing == "zero" else metric([nothing] * k, facts.weights, facts.pool, k)
                continue
            rows = [facts.relevance.get(document, nothing) for document in listed[topic]]
            values[topic] = metric(rows, facts.weights, facts.pool, k)
        out[name] = (values, sum(values.values()) / len(values) if values else 0.0)
    return out
