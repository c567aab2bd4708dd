"""Situations of the axioms recounted by loops over Fractions, from judgments and lists alone.

A list is a tuple of documents; a document is a tuple with one Fraction per aspect. Nothing here is diveval's.
`draw` makes random collections for these loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction as F
from math import log2

import numpy as np

Document = tuple[F, ...]
List = tuple[Document, ...]
Score = Callable[[List, Sequence[F]], F]
Found = tuple[bool, List, List, bool, int, int]  # within the premises, better, worse, strict, rank, other rank or 0
Search = Callable[[List, bool, Sequence[str], dict[str, Document], Sequence[F]], Iterator[Found]]


def rbu(p: F, e: F, k: int) -> Score:
    """Σ_i p^i ( Σ_t w(t) r(i,t) Π_{j<i} (1 − r(j,t)) − e )."""

    def score(ranked: List, weights: Sequence[F]) -> F:
        left, total = [F(1)] * len(weights), F(0)
        for i, document in enumerate(ranked[:k], 1):
            total += p**i * (sum((w * r * s for w, r, s in zip(weights, document, left, strict=True)), F(0)) - e)
            left = [s * (1 - r) for s, r in zip(left, document, strict=True)]
        return total

    return score


def precision(k: int) -> Score:
    """The share of the first k documents that are relevant to something."""
    return lambda ranked, weights: F(sum(any(document) for document in ranked[:k]), k)


def err_ia(k: int) -> Score:
    """Σ_t w(t) Σ_i r(i,t)/i Π_{j<i} (1 − r(j,t))."""

    def score(ranked: List, weights: Sequence[F]) -> F:
        left, total = [F(1)] * len(weights), F(0)
        for i, document in enumerate(ranked[:k], 1):
            total += sum((w * r * s for w, r, s in zip(weights, document, left, strict=True)), F(0)) / i
            left = [s * (1 - r) for s, r in zip(left, document, strict=True)]
        return total

    return score


def alpha_dcg(k: int) -> Callable[[List, Sequence[F]], float]:
    """Σ_i Σ_t r(i,t) (1/2)^c(i,t) / log2(i+1), where c counts the relevant documents above."""

    def score(ranked: List, weights: Sequence[F]) -> float:
        seen, total = [0] * len(weights), 0.0
        for i, document in enumerate(ranked[:k], 1):
            total += float(sum((r / 2**c for r, c in zip(document, seen, strict=True)), F(0))) / log2(i + 1)
            seen = [c + (r > 0) for c, r in zip(seen, document, strict=True)]
        return total

    return score


def small(charitable: bool, *lists: List) -> bool:
    """Whether the relevance to each aspect sums to less than 1 in every list; as written, whether each is less than 1."""
    columns = [column for ranked in lists for column in zip(*ranked, strict=True)]
    return all((sum(column) if charitable else max(column)) < 1 for column in columns)


def above(high: Document, low: Document) -> bool:
    """Whether a document is at least as relevant to every aspect and more to one."""
    return all(h >= x for h, x in zip(high, low, strict=True)) and high != low


def swap(ranked: List, i: int, j: int) -> List:
    """The list with two places exchanged."""
    out = list(ranked)
    out[i], out[j] = out[j], out[i]
    return tuple(out)


def find(
    axiom: str, names: Sequence[str], table: dict[str, Document], weights: Sequence[F], *, charitable: bool = True
) -> Iterator[Found]:
    """Every situation of an axiom in one list of names; documents that are not in the table are not relevant."""
    nothing = (F(0),) * len(weights)
    ranked = tuple(table.get(name, nothing) for name in names)
    yield from SEARCHES[axiom](ranked, charitable, names, table, weights)


def _pri(ranked: List, charitable: bool, *_: object) -> Iterator[Found]:
    for j in range(len(ranked)):
        for i in range(j):
            if above(ranked[j], ranked[i]):
                near = j == i + 1 or not charitable
                yield near and small(charitable, ranked), swap(ranked, i, j), ranked, True, i + 1, j + 1


def _deep(ranked: List, charitable: bool, *_: object) -> Iterator[Found]:
    for i in range(len(ranked) - 1):
        for j in range(i + 2, len(ranked) - 1):
            if ranked[i : i + 2] == ranked[j : j + 2] and above(ranked[i + 1], ranked[i]):
                yield small(charitable, ranked), swap(ranked, i, i + 1), swap(ranked, j, j + 1), True, i + 1, j + 1


def _conf(ranked: List, charitable: bool, *_: object) -> Iterator[Found]:
    last = max((i + 1 for i, document in enumerate(ranked) if any(document)), default=0)
    if last < len(ranked):
        yield last > 0 and small(charitable, ranked), ranked[:last], ranked, True, last + 1, 0


def _aspdiv(
    ranked: List, charitable: bool, names: Sequence[str], table: dict[str, Document], weights: Sequence[F]
) -> Iterator[Found]:
    """One situation per place that some document outside the list improves; within, if some document does it within."""
    for i, old in enumerate(ranked):
        better = [new for name, new in table.items() if name not in names and any(new) and above(new, old)]
        better.sort(key=lambda new: (sum(w * r for w, r in zip(weights, new, strict=True)), new))
        changed = [(new, (*ranked[:i], new, *ranked[i + 1 :])) for new in better]
        inside = [
            after
            for new, after in changed
            if i == len(ranked) - 1 or not charitable
            if all(n > o for n, o in zip(new, old, strict=True)) and small(charitable, ranked, after)
        ]
        if changed:
            yield bool(inside), (inside or [after for _, after in changed])[0], ranked, True, i + 1, 0


def _other(
    holds: Callable[[List, int, int, F, Sequence[F]], bool],
    within: Callable[[bool, List, int, int, F, Sequence[F]], bool],
) -> Search:
    def search(
        ranked: List, charitable: bool, names: Sequence[str], table: dict[str, Document], weights: Sequence[F]
    ) -> Iterator[Found]:
        for n, old in enumerate(ranked):
            about = [t for t, r in enumerate(old) if r > 0]
            if len(about) != 1:
                continue
            (t,), before = about, ranked[:n]
            for u in range(len(weights)):
                new = tuple(old[t] if a == u else F(0) for a in range(len(weights)))
                free = any(d == new and name not in names[:n] for name, d in table.items())
                if u != t and free and holds(before, t, u, old[t], weights):
                    inside = within(charitable, before, t, u, old[t], weights)
                    yield inside, (*before, new), (*before, old), True, n + 1, 0

    return search


def _red(before: List, t: int, u: int, r: F, weights: Sequence[F]) -> bool:
    counts = [sum(d[a] > 0 for d in before) for a in (t, u)]
    alike = all(d[a] in (0, r) for d in before for a in (t, u))
    return counts[0] > counts[1] and alike and weights[t] == weights[u]


def _red_within(charitable: bool, before: List, t: int, u: int, r: F, weights: Sequence[F]) -> bool:
    single = all(sum(x > 0 for x in d) <= 1 and all(x in (0, r) for x in d) for d in before)
    fullest = max(sum(d[a] > 0 for d in before) for a in range(len(weights))) + 1
    return single and len(set(weights)) == 1 and (fullest * r < 1 or not charitable)


def _mred(before: List, t: int, u: int, r: F, weights: Sequence[F]) -> bool:
    more = [d[t] - d[u] for d in before]
    return bool(more) and min(more) >= 0 and max(more) > 0 and weights[t] == weights[u]


def _mred_within(charitable: bool, before: List, t: int, u: int, r: F, weights: Sequence[F]) -> bool:
    last = [tuple(r if a == x else F(0) for a in range(len(weights))) for x in (t, u)]
    return all(d[t] > d[u] for d in before) and small(charitable, *((*before, d) for d in last))


def _heavier(before: List, t: int, u: int, r: F, weights: Sequence[F]) -> bool:
    return weights[u] > weights[t] and not any(d[t] or d[u] for d in before)


def _sat(ranked: List, *_: object) -> Iterator[Found]:
    for n in range(1, len(ranked)):
        about = [t for t, r in enumerate(ranked[n]) if r > 0]
        if about and all(any(d[t] >= 1 for d in ranked[:n]) for t in about):
            within = len(about) == 1 and ranked[n - 1][about[0]] >= 1
            yield within, ranked[:n], ranked[: n + 1], False, n + 1, 0


SEARCHES: dict[str, Search] = {
    "Pri": _pri,
    "Deep": _deep,
    "Conf": _conf,
    "AspDiv": _aspdiv,
    "Red": _other(_red, _red_within),
    "MRed": _other(_mred, _mred_within),
    "Sat": _sat,
    "AspRel": _other(_heavier, lambda *_: True),
}


K = 12  # the depth of drawn lists
# Grades are relevance itself ("identity"): few levels, so that equal documents abound; small ones, so that the
# charitable premises hold; large ones, so that gains fall below the last digit of a double; and 1, which saturates.
LEVELS = (("1/10", "1/5"), ("15/16", "7/8"), ("1", "1/2"), ("1/8", "1/4", "1/2"), ("1",), ("1/16",))
Collection = tuple[
    dict[str, dict[str, dict[str, float]]], dict[str, dict[str, list[str]]], dict[tuple[str, str], float]
]


def draw(seed: int) -> tuple[Collection, dict[str, dict[str, Document]], dict[str, list[F]]]:
    """Judgments, runs and weights as diveval takes them, and as Fractions."""
    rng = np.random.default_rng(seed)
    levels = LEVELS[seed % len(LEVELS)]
    aspects = ["a", "b", "c"][: int(rng.integers(1, 4))]
    judged: dict[str, dict[str, dict[str, float]]] = {}
    tables: dict[str, dict[str, Document]] = {}
    shares: dict[str, list[F]] = {}
    weights: dict[tuple[str, str], float] = {}
    for topic in ("1", "2", "3"):
        documents = [f"d{i}" for i in range(int(rng.integers(1, 9)))]
        table = {d: tuple(_level(rng, levels, single=rng.random() < 0.7, own=aspects)) for d in documents}
        if topic == "3" and rng.random() < 0.5:  # a topic without a relevant document
            table = dict.fromkeys(documents, (F(0),) * len(aspects))
        judged[topic] = {a: {d: float(table[d][t]) for d in documents} for t, a in enumerate(aspects)}
        kept = [t for t in range(len(aspects)) if any(row[t] for row in table.values())]
        tables[topic] = {d: tuple(row[t] for t in kept) for d, row in table.items()}
        given = [int(x) for x in rng.choice([1, 1, 2], size=len(aspects))]
        shares[topic] = [F(given[t], sum(given[u] for u in kept)) for t in kept]
        weights |= {(topic, a): float(given[t]) for t, a in enumerate(aspects)}
    runs = {name: {t: _ranked(rng, list(tables[t])) for t in tables} for name in ("A", "B", "C")}
    return (judged, runs, weights), tables, shares


def _level(rng: np.random.Generator, levels: tuple[str, ...], single: bool, own: list[str]) -> list[F]:
    row = [F(str(rng.choice(levels))) if rng.random() < 0.6 else F(0) for _ in own]
    keep = int(rng.integers(len(own)))
    return [r if not single or t == keep else F(0) for t, r in enumerate(row)]


def _ranked(rng: np.random.Generator, documents: list[str]) -> list[str]:
    order = [str(d) for d in rng.permutation([*documents, "u1", "u2", "u3"])]
    return order[: int(rng.integers(1, K + 1))]
