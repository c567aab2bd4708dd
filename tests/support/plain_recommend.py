"""Metrics of recommended lists by loops over dicts, from their definitions, and the odd collections to try them on.

A user's list is a list of items, cut at k. Nothing here is diveval's. None stands for a value that is not defined.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

IDS = ["i1", "I1", "10", "9", "é", "\U0001f600", "x" * 40, "-7", "a:b", "nan", "None", "0x1", "1e5", "="]
Ratings = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Lists:
    """Held-out ratings, lists, genres and earlier ratings; `rel` and above is relevant."""

    ratings: Ratings
    lists: dict[str, list[str]]
    genres: dict[str, list[str]]
    history: Ratings
    catalogue: list[str]
    rel: float

    def is_relevant(self, user: str, item: str) -> bool:
        """Whether the user likes the item."""
        return self.ratings.get(user, {}).get(item, 0) >= self.rel

    def popularity(self, item: str) -> int:
        """How many users had the item before."""
        return sum(item in had for had in self.history.values())

    def distance(self, a: str, b: str, kind: str) -> float:
        """Between the genres of two items; 1 if one has none."""
        x, y = set(self.genres.get(a, ())), set(self.genres.get(b, ()))
        if not x or not y:
            return 1.0
        if kind == "jaccard":
            return 1 - len(x & y) / len(x | y)
        if kind == "cosine":
            return 1 - len(x & y) / math.sqrt(len(x) * len(y))
        return len(x ^ y) if kind == "hamming" else math.sqrt(len(x ^ y))

    def profile_distance(self, user: str, item: str, kind: str) -> float:
        """The mean distance to what the user had before; 1 without a history."""
        had = list(self.history.get(user, ()))
        return sum(self.distance(item, other, kind) for other in had) / len(had) if had else 1.0

    def exposure(self, given: Mapping[str, float]) -> dict[str, float]:
        """What groups get of the exposure of items; an item of several groups is divided equally among them."""
        out = dict.fromkeys({g for own in self.genres.values() for g in own}, 0.0)
        for item, amount in given.items():
            for group in self.genres.get(item, ()):
                out[group] += amount / len(self.genres[item])
        return out


def draw(rng: random.Random) -> Lists:
    """Users without ratings, lists or a history, items without genres, one item, tied and low ratings, odd ids."""
    items = rng.sample(IDS, rng.choice([1, 2, 5, 9, 14]))
    users = [str(u) for u in rng.sample(["1", "10", "9", "ü", "nan", "U", "u", "-1"], rng.choice([1, 2, 5, 8]))]
    choices: list[list[float]] = [[1, 2, 3, 4, 5], [5], [0, 5], [1], [3, 3.5, 4], [1, 5]]
    levels = rng.choice(choices)
    genres = {i: rng.sample("abcd", rng.choice([0, 1, 1, 2, 4])) for i in items}
    genres[items[0]] = genres[items[0]] or ["a"]

    def rated(density: float) -> Ratings:
        out = {u: {i: float(rng.choice(levels)) for i in items if rng.random() < density} for u in users}
        return {u: row for u, row in out.items() if row}

    ratings = rated(rng.choice([0.1, 0.6, 1.0]))
    ratings.setdefault(users[0], {})[items[0]] = float(max(levels))  # without a liked item everything is refused
    history = rated(rng.choice([0.1, 0.5]))
    for user in users[len(users) // 3 :]:  # so is a table in which most ids are missing
        history.setdefault(user, {items[-1]: float(levels[-1])})
    history[users[-1]] |= {i: float(levels[0]) for i in items[len(items) // 4 :]}
    lists = {u: rng.sample(items, rng.randint(1, len(items))) for u in users if rng.random() < 0.8 or u in ratings}
    missing = rng.sample(items[1:], rng.choice([0, 0, min(len(items) // 4, 1)]))
    catalogue = [i for i in items if i not in missing]
    rel = rng.choice([r for r in (1.0, 3.0, 4.0) if r <= max(levels)])
    return Lists(ratings, lists, genres, history, catalogue, rel)


def js(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    """Jensen–Shannon divergence of two distributions, in bits."""
    total = 0.0
    for key in p:
        middle = (p[key] + q[key]) / 2
        for share in (p[key], q[key]):
            total += share / 2 * math.log2(share / middle) if share else 0.0
    return total


def normalise(values: Mapping[str, float]) -> dict[str, float]:
    """Shares of the sum; zeros if it is 0."""
    whole = sum(values.values())
    return {key: value / whole if whole else 0.0 for key, value in values.items()}


def awrf(data: Lists, user: str, top: Sequence[str], p: float) -> float | None:
    """1 − JS(attention of the groups in the list, share of the groups in the catalogue)."""
    given = data.exposure({item: p**k for k, item in enumerate(top)})
    if not sum(given.values()):
        return None
    return 1 - js(normalise(given), normalise(data.exposure(dict.fromkeys(data.catalogue, 1.0))))


def target_exposure(data: Lists, user: str, p: float) -> dict[str, float]:
    """Of each liked item the mean attention of the ranks that items of its rating take in an ideal list."""
    liked = sorted((i for i in data.ratings.get(user, {}) if data.is_relevant(user, i)), key=str)
    own = data.ratings.get(user, {})
    out = {}
    for item in liked:
        better = sum(own[other] > own[item] for other in liked)
        same = sum(own[other] == own[item] for other in liked)
        out[item] = sum(p ** (better + k) for k in range(same)) / same
    return out


def expected_exposure(data: Lists, user: str, top: Sequence[str], p: float, part: str, over: str) -> float:
    """‖ε − ε*‖², ‖ε‖² or ε·ε*, over items or groups."""
    given, target = {item: p**k for k, item in enumerate(top)}, target_exposure(data, user, p)
    if over == "groups":
        given, target = data.exposure(given), data.exposure(target)
    keys = {*given, *target}
    pairs = [(given.get(key, 0.0), target.get(key, 0.0)) for key in keys]
    values = {
        "EEL": [(a - b) ** 2 for a, b in pairs],
        "EED": [a * a for a, _ in pairs],
        "EER": [a * b for a, b in pairs],
    }
    return sum(values[part])


def epd(data: Lists, user: str, top: Sequence[str], kind: str, discount: str, relevance: str) -> float:
    """Σ disc(i) [rel(i)] mean_j d(i, j) / Σ disc(i)."""
    weights = [1.0 if discount == "none" else 1 / math.log2(k + 2) for k in range(len(top))]
    far = [data.profile_distance(user, i, kind) * (relevance == "no" or data.is_relevant(user, i)) for i in top]
    return sum(w * d for w, d in zip(weights, far, strict=True)) / sum(weights)


def epc(data: Lists, user: str, top: Sequence[str], discount: str, relevance: str) -> float:
    """Σ disc(i) [rel(i)] (1 − users(i)/users) / Σ disc(i)."""
    weights = [1.0 if discount == "none" else 1 / math.log2(k + 2) for k in range(len(top))]
    new = [(1 - data.popularity(i) / len(data.history)) * (relevance == "no" or data.is_relevant(user, i)) for i in top]
    return sum(w * n for w, n in zip(weights, new, strict=True)) / sum(weights)


def serendipity(data: Lists, user: str, top: Sequence[str], by: str, kind: str, k: int) -> float:
    """Σ max(p(i) − pu(i), 0) rel(i) / k, or the mean of d(i, history) rel(i)."""
    if by == "distance":
        return sum(data.profile_distance(user, i, kind) for i in top if data.is_relevant(user, i)) / len(top)
    n, total = len(data.catalogue), 0.0
    for rank, item in enumerate(top, 1):
        own = data.popularity(item)
        above = {
            data.popularity(other) for had in data.history.values() for other in had if data.popularity(other) > own
        }
        anybody = (n - len(above)) / n if own else 0.0
        total += max((n + 1 - rank) / n - anybody, 0.0) * data.is_relevant(user, item)
    return total / k


def ild(data: Lists, user: str, top: Sequence[str], kind: str) -> float:
    """The mean distance over the pairs of a list; 0 for one item."""
    pairs = [data.distance(a, b, kind) for i, a in enumerate(top) for b in top[:i]]
    return sum(pairs) / len(pairs) if pairs else 0.0


def alphabeta(data: Lists, user: str, top: Sequence[str], k: int, alpha: float, beta: float) -> list[float]:
    """Σ G(i)/log2(i+1) over the same sum of a greedy ideal list, for each way to choose between equal gains.

    The relevance of a liked item is its rating over the highest of all.
    """
    highest = max(r for row in data.ratings.values() for r in row.values())
    own = data.ratings[user]
    liked = [i for i in own if data.is_relevant(user, i)]
    wanted = sorted({g for i in liked for g in data.genres[i]})

    def satisfaction(item: str, genre: str) -> float:
        if genre not in data.genres[item]:
            return 0.0
        return (beta * own[item] / highest if data.is_relevant(user, item) else 0.0) if item in own else alpha

    def gain(item: str, above: Sequence[str]) -> float:
        none = 1.0
        for genre in wanted:
            left = math.prod(1 - satisfaction(other, genre) for other in above)
            none *= 1 - satisfaction(item, genre) * left / len(wanted)
        return 1 - none

    def extend(chosen: frozenset[str], total: float) -> dict[frozenset[str], float]:
        gains = {i: gain(i, sorted(chosen)) for i in liked if i not in chosen}
        best = max(gains.values())
        rank = math.log2(len(chosen) + 2)
        return {chosen | {i}: total + value / rank for i, value in gains.items() if value >= best * (1 - 1e-12)}

    value = sum(gain(item, top[:i]) / math.log2(i + 2) for i, item in enumerate(top[:k]))
    ideals = {(frozenset[str](), 0.0)}
    for _ in range(min(k, len(liked))):
        ideals = {(c, round(t, 12)) for chosen, total in ideals for c, t in extend(chosen, total).items()}
    return [value / total if total else 0.0 for _, total in ideals]


def metrics(rng: random.Random, k: int) -> dict[str, Callable[[Lists, str, list[str]], float | None]]:
    """Names of metrics with random parameters, and their values by the definitions above."""
    p, kind = rng.choice([0.5, 0.85, 1.0]), rng.choice(["cosine", "jaccard", "hamming", "euclidean"])
    discount, relevance, over = rng.choice(["none", "log"]), rng.choice(["no", "yes"]), rng.choice(["groups", "items"])
    out: dict[str, Callable[[Lists, str, list[str]], float | None]] = {
        f"AWRF(p={p})@{k}": lambda d, u, x: awrf(d, u, x, p),
        f"EPD(distance={kind},discount={discount},relevance={relevance})@{k}": lambda d, u, x: epd(
            d, u, x, kind, discount, relevance
        ),
        f"EPC(discount={discount},relevance={relevance})@{k}": lambda d, u, x: epc(d, u, x, discount, relevance),
        f"Serendipity@{k}": lambda d, u, x: serendipity(d, u, x, "popularity", kind, k),
        f"Serendipity(by=distance,distance={kind})@{k}": lambda d, u, x: serendipity(d, u, x, "distance", kind, k),
        f"ILD(distance={kind})@{k}": lambda d, u, x: ild(d, u, x, kind),
    }
    out |= {
        f"{part}(p={p},over={over})@{k}": lambda d, u, x, part=part: expected_exposure(d, u, x, p, part, over)  # type: ignore[misc]
        for part in ("EEL", "EED", "EER")
    }
    return out
