"""The facts of generated sentences, recomputed from the rows of a collection without diveval's code.

Means by the loops of `plain_evaluation`, tests and correlations by scipy, intervals by Student's quantiles.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from support import plain_evaluation as plain

Floats = np.ndarray[Any, np.dtype[np.float64]]
K = 5
RBU, RECALL, DSHARP, TREC = "RBU(p=0.9,e=0.01)@5", "StRecall@5", "Dsharp_nDCG(lam=0.5)@5", "ndeval.alpha_nDCG@5"
METRICS = (RBU, RECALL, DSHARP, TREC)
SHAPES = (
    *("graded", "binary", "one aspect", "ties", "missing topics", "short lists", "two runs", "identical runs"),
    *("negative grades", "nothing relevant"),
)


def rbu(rows: plain.Rows, weights: Sequence[float], p: float, e: float, k: int) -> float:
    """Rank-biased utility as a loop."""
    left, total = [1.0] * len(weights), 0.0
    for i, row in enumerate(rows[:k], 1):
        total += p**i * (sum(w * r * s for w, r, s in zip(weights, row, left, strict=True)) - e)
        left = [s * (1 - r) for s, r in zip(left, row, strict=True)]
    return total


@dataclass
class Collection:
    """Judgments as rows (topic, aspect, document, grade) and runs as rows (topic, document, rank, score)."""

    judgments: list[tuple[str, str, str, float]]
    runs: dict[str, list[tuple[str, str, int, float]]]
    shape: str = ""
    options: dict[str, Any] = field(default_factory=dict)  # as in `diveval.evaluate`
    weights: dict[tuple[str, str], float] | None = None
    topics: dict[str, plain.Topic] = field(default_factory=dict)
    _lists: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _judged: dict[str, set[str]] = field(default_factory=dict)
    _of_trec: dict[str, plain.Topic] = field(default_factory=dict)  # relevant or not, whatever the options say

    def __post_init__(self) -> None:
        named = plain.topics_of(self.judgments, self.weights, self.options)
        self._of_trec = plain.topics_of(self.judgments, None, {"gain": "binary"})
        self.topics = {name: named[name] for name in sorted(named, key=lambda t: (len(t), t))}
        for topic, _, document, _ in self.judgments:
            self._judged.setdefault(topic, set()).add(document)
        for run, lines in self.runs.items():
            by_topic: dict[str, list[tuple[str, str, int, float]]] = {}
            for line in lines:
                by_topic.setdefault(line[0], []).append(line)
            self._lists |= {(run, topic): plain.ranking(own, self.options) for topic, own in by_topic.items()}

    @property
    def names(self) -> list[str]:
        return list(self.runs)

    @property
    def counted(self) -> list[str]:
        """The topics that enter means, for a run that has them."""
        every = self.options.get("empty_topics") != "skip"
        return [name for name, facts in self.topics.items() if every or facts.pool]

    def held(self, run: str) -> set[str]:
        """The judged topics that a run has."""
        return {row[0] for row in self.runs[run]} & set(self.topics)

    def listed(self, run: str, topic: str) -> list[str] | None:
        """A run's documents on a topic, None where it lacks the topic."""
        whole = self._lists.get((run, topic))
        if whole is None or not self.options.get("judged_only"):
            return whole
        return [document for document in whole if document in self._judged[topic]]

    def rows(self, run: str, topic: str, *, worst: bool = True) -> plain.Rows:
        """Relevance by rank; a missing list is one of non-relevant documents, or empty."""
        facts, listed = (self.topics if worst else self._of_trec)[topic], self.listed(run, topic)
        nothing = [0.0] * len(facts.weights)
        if listed is None:
            return [nothing] * (K if worst else 0)
        return [facts.relevance.get(document, nothing) for document in listed]

    def value(self, run: str, metric: str, topic: str, p: float = 0.9, e: float = 0.01) -> float:
        """One value, from the metric's definition."""
        facts, missing = self.topics[topic], self.options.get("missing_topics")
        if topic not in self.counted:
            return math.nan
        if self.listed(run, topic) is None and missing in ("zero", "skip"):
            return 0.0 if missing == "zero" else math.nan
        rows = self.rows(run, topic, worst=metric != TREC)
        if metric == RBU:
            return rbu(rows, facts.weights, p, e, K)
        if metric == RECALL:
            return plain.recall(rows, facts.weights, facts.pool, K)
        if metric == DSHARP:
            return plain.d_sharp(rows, facts.weights, facts.pool, K)
        facts = self._of_trec[topic]
        return plain.alpha_ndcg(rows, facts.weights, facts.pool, K)

    def values(self, metric: str, p: float = 0.9, e: float = 0.01) -> Floats:
        """Run × topic."""
        return np.array([[self.value(run, metric, topic, p, e) for topic in self.topics] for run in self.runs])

    def judged(self, run: str, depth: int = 20) -> float:
        """The mean share of judged documents among the first ones; 0 for a topic that the run lacks."""
        shares = []
        for topic in self.counted:
            known = self._judged[topic]
            shown = self._lists.get((run, topic))
            if shown is None and self.options.get("missing_topics") == "skip":
                continue
            shown = (shown or [])[:depth]
            shares.append(sum(d in known for d in shown) / len(shown) if shown else 0.0)
        return sum(shares) / len(shares)


def draw(seed: int) -> Collection:
    """A small random collection in one of the odd shapes."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    topics = [str(t) for t in range(1, int(rng.integers(3, 9)) + 1)]
    documents = [f"d{i:02d}" for i in range(14)]
    judgments, runs = [], {}
    for place, topic in enumerate(topics):
        for aspect in range(1 if shape == "one aspect" else int(rng.integers(1, 5))):
            judged = rng.permutation(documents)[: int(rng.integers(4, 13))]
            least, most = -2 if shape == "negative grades" else 0, 2 if shape == "binary" else 4
            grades = rng.integers(least, most, len(judged))
            grades[0] = max(grades[0], 1)
            if shape == "nothing relevant" and (place % 3 == 0 or aspect == 2):  # some topics, some aspects of others
                grades[:] = 0
            judgments += [(topic, f"a{aspect}", str(d), float(g)) for d, g in zip(judged, grades, strict=True)]
    for r in range(2 if shape == "two runs" else int(rng.integers(3, 6))):
        lines = []
        for i, topic in enumerate(topics):
            if shape == "missing topics" and i and rng.random() < 0.3:
                continue
            length = int(rng.integers(1, 4 if shape == "short lists" else 13))
            shown = rng.permutation([*documents, "x1", "x2", "x3"])[:length]
            scores = rng.integers(0, 3, length) if shape == "ties" else np.arange(length)[::-1]
            lines += [(topic, str(d), n, float(s)) for n, (d, s) in enumerate(zip(shown, scores, strict=True), 1)]
        runs[f"r{r}"] = lines
    if shape == "identical runs":
        runs["twin"] = list(runs["r0"])
    return Collection(judgments, runs, shape)


def read(folder: Path, most: int) -> Collection:
    """A real collection, with the first 20 documents of each list by score, ties by id from the last."""
    (qrels,) = [path for path in folder.glob("qrels*.txt") if path.name in ("qrels.txt", "qrels.diversity.txt")]
    judgments = [(t, a, d, float(g)) for t, a, d, g in (line.split() for line in qrels.read_text().splitlines())]
    known, runs = {row[0] for row in judgments}, {}
    for path in sorted(folder.glob("runs/*"))[:most]:
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
        lists: dict[str, list[tuple[str, float]]] = {}
        for line in text.splitlines():
            topic, _, document, _, score, *_ = line.split()
            if topic in known:
                lists.setdefault(topic, []).append((document, float(score)))
        rows = []
        for topic, listed in lists.items():
            listed.sort(key=lambda row: row[0].encode(), reverse=True)
            listed.sort(key=lambda row: -row[1])
            rows += [(topic, document, n, score) for n, (document, score) in enumerate(listed[:20], 1)]
        runs[path.name.split(".")[0]] = rows
    return Collection(judgments, runs, folder.name)


# --- significance -----------------------------------------------------------------------------------------------------


@dataclass
class Tested:
    """Paired t-tests of all pairs with Holm's correction."""

    pairs: list[tuple[int, int]]
    adjusted: list[float]
    doubtful: bool  # some adjusted p is too near 0.05 for a comparison of two computations

    @property
    def significant(self) -> set[tuple[int, int]]:
        return {pair for pair, p in zip(self.pairs, self.adjusted, strict=True) if p < 0.05}


def compare_all_pairs(values: Floats) -> Tested:
    """Run × topic in."""
    pairs = list(combinations(range(len(values)), 2))
    gaps = {pair: shared_gaps(values, *pair) for pair in pairs}
    pairs = [pair for pair in pairs if len(gaps[pair]) > 1]
    raw = [paired_p(gaps[pair]) for pair in pairs]
    order, adjusted, largest = np.argsort(raw, kind="stable"), [1.0] * len(raw), 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(raw) - place) * raw[i]))
        adjusted[i] = largest
    return Tested(pairs, adjusted, any(abs(p - 0.05) < 1e-7 for p in adjusted))


def shared_gaps(values: Floats, a: int, b: int) -> Floats:
    """The differences of two runs on the topics that both count (a value that does not count is NaN)."""
    gaps: Floats = values[a] - values[b]
    return np.asarray(gaps[~np.isnan(gaps)])


def paired_p(differences: Floats) -> float:
    """Two-sided p of the paired t-test; 1 for identical scores, 0 for a constant difference."""
    if np.abs(differences).max() < 1e-12:
        return 1.0
    if differences.std() < 1e-12:
        return 0.0
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


def interval(differences: Floats, level: float) -> tuple[float, float]:
    """Student's interval of the mean at a level α."""
    n = len(differences)
    half = stats.t.ppf(1 - level / 2, n - 1) * differences.std(ddof=1) / math.sqrt(n)
    return float(differences.mean() - half), float(differences.mean() + half)


def compare_signs(means: Sequence[float]) -> list[int]:
    """For each pair, the sign of the difference, 0 within rounding."""
    return [0 if abs(a - b) < 1e-12 else int(np.sign(a - b)) for a, b in combinations(means, 2)]


def taub(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's τ-b of two lists of means, equal ones within rounding tied."""
    return float(stats.kendalltau(*(np.round(np.array(values), 11) for values in (first, second))).statistic)
