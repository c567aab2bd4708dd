"""The ten constraints as executable specifications: which two rankings each compares, and what must be true of them.

A `Case` is one shape (so many documents, these places) with symbols for its values. One specification feeds the
solver, the search for counterexamples and the printer. Equations are those of Section 3 of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from diveval.axioms.polynomials import Term, Truth
from diveval.axioms.readings import Reading
from diveval.errors import UsageError, nearest

Row = list[Term]
Values = Mapping[str, Term]
ZERO, ONE = Term.of(0), Term.of(1)


@dataclass(frozen=True)
class Bounds:
    """How far the solver looks: `longest` documents, `aspects` aspects, and n and m of the thresholds."""

    longest: int = 4
    aspects: int = 3
    threshold: int = 24

    def __post_init__(self) -> None:
        for name, least in (("longest", 2), ("aspects", 2), ("threshold", 2)):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < least:
                raise UsageError(f"bounds: {name} is a whole number of at least {least}, got {getattr(self, name)!r}")


@dataclass(frozen=True)
class Pair:
    """Two rankings over the same judgments: the constraint wants Q(better) > Q(worse), or ≥ when not strict."""

    better: list[Row]
    worse: list[Row]
    weights: Row
    premises: list[Truth]
    strict: bool = True
    pool: list[Row] = field(default_factory=list)  # every document that occurs in either ranking


@dataclass(frozen=True)
class Case:
    """One shape of a constraint, with named values left open."""

    axiom: str
    label: str  # what is done, for people
    documents: int
    aspects: int
    symbols: tuple[str, ...]
    build: Callable[[Values], Pair]
    fillers: tuple[str, ...] = ()  # values that only take up room

    @property
    def size(self) -> tuple[int, int, int]:
        return self.documents, self.aspects, len(self.symbols)


@dataclass(frozen=True)
class Axiom:
    """A constraint: its name, what it says, and its cases."""

    name: str
    title: str
    says: str
    why: str
    diversity: bool
    shapes: Callable[[Reading, Bounds], Iterator[Case]] | None = None  # None: an existential constraint, see thresholds
    below: Callable[[int, Reading], Case] | None = None  # a case that happens entirely behind rank k

    def cases(self, reading: Reading, bounds: Bounds) -> list[Case]:
        """All cases within the bounds, smallest first."""
        assert self.shapes is not None
        return sorted(self.shapes(reading, bounds), key=lambda case: case.size)


def _limits(columns: Sequence[Sequence[Term]], reading: Reading) -> list[Truth]:
    """0 ≤ r, and r ≪ 1 as the reading has it, for each aspect's column."""
    out: list[Truth] = []
    for column in columns:
        out += [r >= 0 for r in column]
        out += [sum(column, ZERO) < 1] if reading.contribution == "sum" else [r < 1 for r in column]
    return out


def _columns(rows: Sequence[Row]) -> list[list[Term]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _single(values: Values, n: int) -> list[Row]:
    return [[values[f"r{i}"]] for i in range(1, n + 1)]


def _names(n: int) -> tuple[str, ...]:
    return tuple(f"r{i}" for i in range(1, n + 1))


def _swapped(rows: list[Row], i: int, j: int) -> list[Row]:
    """The ranking with the documents at ranks i and j exchanged."""
    out = list(rows)
    out[i - 1], out[j - 1] = out[j - 1], out[i - 1]
    return out


# --- Pri, Eq. 1 -----------------------------------------------------------------------------------------------------


def _pri(n: int, i: int, j: int, reading: Reading) -> Case:
    def build(v: Values) -> Pair:
        rows = _single(v, n)
        premises = [*_limits(_columns(rows), reading), rows[i - 1][0] < rows[j - 1][0]]
        return Pair(_swapped(rows, i, j), rows, [ONE], premises, pool=rows)

    fillers = tuple(f"r{x}" for x in range(1, n + 1) if x not in (i, j))
    return Case("Pri", f"swap ranks {i} and {j}: the more relevant document moves up", n, 1, _names(n), build, fillers)


def _pri_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(2, bounds.longest + 1):
        for i in range(1, n):
            for j in range(i + 1, n + 1) if reading.swap == "any" else [i + 1]:
                yield _pri(n, i, j, reading)


# --- Deep, Eq. 2 ----------------------------------------------------------------------------------------------------


def _deep(n: int, i: int, j: int, reading: Reading) -> Case:
    """j ≥ i + 2: with j = i + 1 the premise r(d_i) = r(d_j) < r(d_{i+1}) contradicts itself."""
    fixed = {i: "x", i + 1: "y", j: "x", j + 1: "y"}
    fillers = tuple(f"r{rank}" for rank in range(1, n + 1) if rank not in fixed)

    def build(v: Values) -> Pair:
        rows = [[v[fixed.get(rank, f"r{rank}")]] for rank in range(1, n + 1)]
        premises = [*_limits(_columns(rows), reading), v["x"] < v["y"]]
        return Pair(_swapped(rows, i, i + 1), _swapped(rows, j, j + 1), [ONE], premises, pool=rows)

    label = f"the same swap at ranks {i}, {i + 1} and at ranks {j}, {j + 1}: the upper one must gain more"
    return Case("Deep", label, n, 1, ("x", "y", *fillers), build, fillers)


def _deep_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(4, max(bounds.longest, 5) + 1):
        for i in range(1, n - 2):
            for j in range(i + 2, n):
                yield _deep(n, i, j, reading)


# --- Conf, Eq. 5 ----------------------------------------------------------------------------------------------------


def _conf(n: int, reading: Reading) -> Case:
    def build(v: Values) -> Pair:
        rows = _single(v, n)
        return Pair(rows, [*rows, [ZERO]], [ONE], _limits(_columns(rows), reading), pool=rows)

    return Case("Conf", "a non-relevant document is added at the end", n + 1, 1, _names(n), build, _names(n))


def _conf_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(1, bounds.longest):
        yield _conf(n, reading)


# --- AspDiv, Eq. 6 --------------------------------------------------------------------------------------------------


def _weight_names(aspects: int) -> tuple[str, ...]:
    return tuple(f"w{t}" for t in range(1, aspects))


def _weights(v: Values, aspects: int) -> tuple[Row, list[Truth]]:
    """Positive weights that sum to 1, the last one implied."""
    given = [v[name] for name in _weight_names(aspects)]
    weights = [*given, ONE - sum(given, ZERO)]
    return weights, [w > 0 for w in weights] if given else []


def _aspdiv(n: int, i: int, aspects: int, reading: Reading) -> Case:
    def name(rank: int, t: int) -> str:
        return f"r{rank}_{t}"

    old = tuple(f"x{t}" for t in range(aspects))
    new = tuple(f"y{t}" for t in range(aspects))
    fillers = tuple(name(rank, t) for rank in range(1, n + 1) if rank != i for t in range(aspects))

    def build(v: Values) -> Pair:
        def ranking(document: tuple[str, ...]) -> list[Row]:
            here = [v[s] for s in document]
            return [here if rank == i else [v[name(rank, t)] for t in range(aspects)] for rank in range(1, n + 1)]

        worse, better = ranking(old), ranking(new)
        weights, proper = _weights(v, aspects)
        more = [v[x] < v[y] for x, y in zip(old, new, strict=True)]
        premises = [*_limits(_columns(worse), reading), *_limits(_columns(better), reading), *proper, *more]
        return Pair(better, worse, weights, premises, pool=[*worse, better[i - 1]])

    label = f"the document at rank {i} becomes more relevant to every aspect"
    return Case("AspDiv", label, n, aspects, (*old, *new, *fillers, *_weight_names(aspects)), build, fillers)


def _aspdiv_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(1, min(bounds.aspects, 2) + 1):
        for n in range(1, bounds.longest + 1 - 2 * (aspects - 1)):
            for i in range(1, n + 1) if reading.documents_behind else [n]:
                yield _aspdiv(n, i, aspects, reading)


# --- Red, Eq. 7 -----------------------------------------------------------------------------------------------------

T, OTHER = 0, 1  # the columns of t and t'


def _one_aspect(value: Term, t: int | None, aspects: int) -> Row:
    """A document about one aspect, or none: there is no aspect overlap."""
    return [value if t == column else ZERO for column in range(aspects)]


def _red(prefix: tuple[int | None, ...], aspects: int, reading: Reading) -> Case:
    def build(v: Values) -> Pair:
        r = v["r"]
        rows = [_one_aspect(r, t, aspects) for t in prefix]
        new, old = _one_aspect(r, OTHER, aspects), _one_aspect(r, T, aspects)
        # d or d' joins the ranking, so the fullest aspect holds one document more than the prefix says.
        fullest = max(prefix.count(t) for t in range(aspects)) + 1
        most = [r <= 1] if reading.full_relevance else [r < 1, fullest * r < 1]
        weights = [ONE / aspects] * aspects
        return Pair([*rows, new], [*rows, old], weights, [r > 0, *most], pool=[*rows, new, old])

    shown = ", ".join("nothing" if t is None else "t" + "'" * t for t in prefix)
    label = f"behind documents about {shown}: one about t' must be worth more than another about t"
    return Case("Red", label, len(prefix) + 1, aspects, ("r",), build)


def _red_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(2, bounds.aspects + 1):
        for n in range(1, bounds.longest + 2 - aspects):
            for prefix in product((T, OTHER, None) if aspects == 2 else tuple(range(aspects)), repeat=n):
                if prefix.count(T) > prefix.count(OTHER):
                    yield _red(prefix, aspects, reading)


# --- MRed, Eq. 8 ----------------------------------------------------------------------------------------------------


def _mred(n: int, reading: Reading) -> Case:
    names = tuple(f"{s}{i}" for i in range(1, n + 1) for s in ("t", "u"))

    def build(v: Values) -> Pair:
        rows = [[v[f"t{i}"], v[f"u{i}"]] for i in range(1, n + 1)]
        r = v["r"]
        new, old = [ZERO, r], [r, ZERO]
        better, worse = [*rows, new], [*rows, old]
        more = [row[0] > row[1] for row in rows]
        premises = [*_limits(_columns(better), reading), *_limits(_columns(worse), reading), *more, r > 0]
        return Pair(better, worse, [ONE / 2, ONE / 2], premises, pool=[*rows, new, old])

    label = "every document before is more about t than about t'; one about t' must now be worth more than one about t"
    return Case("MRed", label, n + 1, 2, ("r", *names), build, names)


def _mred_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(0 if reading.empty_prefix else 1, bounds.longest):
        yield _mred(n, reading)


# --- Sat, Eq. 9 -----------------------------------------------------------------------------------------------------


def _sat(before: tuple[int, ...], aspects: int, reading: Reading) -> Case:
    """`saturation="one"` puts r_max = 1; else r_max is a symbol that the caller may choose."""
    n = len(before) + 1
    names = tuple(f"r{i}" for i in range(1, n))

    def build(v: Values) -> Pair:
        top = ONE if reading.saturation == "one" else v["rmax"]
        rows = [_one_aspect(v[name], t, aspects) for name, t in zip(names, before, strict=True)]
        rows.append(_one_aspect(top, T, aspects))
        last = _one_aspect(v["r"], T, aspects)
        weights, proper = _weights(v, aspects)
        inside = [bound for name in (*names, "r") for bound in (v[name] >= 0, v[name] <= 1)]
        return Pair(rows, [*rows, last], weights, [*inside, *proper, v["r"] > 0], strict=False, pool=[*rows, last])

    label = f"rank {n} satisfies the aspect (r_max); one more document about it must add nothing"
    return Case("Sat", label, n + 1, aspects, ("r", *names, *_weight_names(aspects)), build, names)


def _sat_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(1, min(bounds.aspects, 2) + 1):
        for n in range(1, bounds.longest):
            for before in product(range(aspects), repeat=n - 1):
                yield _sat(before, aspects, reading)


# --- AspRel, Eq. 10 -------------------------------------------------------------------------------------------------


def _asprel(before: tuple[int | None, ...], behind: tuple[int | None, ...], aspects: int) -> Case:
    i = len(before) + 1
    n = i + len(behind)
    others = {rank: t for rank, t in [*enumerate(before, 1), *enumerate(behind, i + 1)] if t is not None}
    names = tuple(f"r{rank}" for rank in others)

    def build(v: Values) -> Pair:
        def ranking(t: int) -> list[Row]:
            rows = []
            for rank in range(1, n + 1):
                about = others.get(rank)
                value = v["r"] if rank == i else v[f"r{rank}"] if about is not None else ZERO
                rows.append(_one_aspect(value, t if rank == i else about, aspects))
            return rows

        weights, proper = _weights(v, aspects)
        inside = [bound for name in (*names, "r") for bound in (v[name] >= 0, v[name] <= 1)]
        premises = [*inside, *proper, v["r"] > 0, weights[T] < weights[OTHER]]
        better, worse = ranking(OTHER), ranking(T)
        return Pair(better, worse, weights, premises, pool=[*worse, better[i - 1]])

    label = f"the document at rank {i} is about the heavier aspect t' instead of t, neither seen before"
    return Case("AspRel", label, n, aspects, ("r", *names, *_weight_names(aspects)), build, names)


def _asprel_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(2, bounds.aspects + 1):
        third: list[int | None] = [*range(2, aspects)] or [None]
        behind: list[int | None] = [*range(aspects)] if reading.elsewhere else third
        for n in range(1, bounds.longest + 1 - (aspects - 2)):
            for i in range(1, n + 1):
                for before in product(third, repeat=i - 1):
                    for after in product(behind, repeat=n - i):
                        yield _asprel(before, after, aspects)


# --- the list -------------------------------------------------------------------------------------------------------


def _axiom(name: str, title: str, says: str, why: str, shapes: Any = None, below: Any = None) -> Axiom:
    return Axiom(name, title, says, why, name in ("AspDiv", "Red", "MRed", "Sat", "AspRel"), shapes, below)


AXIOMS = {
    axiom.name: axiom
    for axiom in (
        _axiom(
            "Pri", "Priority", "r(d_{i+k}) > r(d_i) ⇒ Q(d with i ↔ i+k) > Q(d)",
            "moving the more relevant document up must raise the score",
            _pri_shapes, lambda k, reading: _pri(k + 2, k + 1, k + 2, reading),
        ),
        _axiom(
            "Deep", "Deepness",
            "r(d_i) = r(d_j) < r(d_{i+1}) = r(d_{j+1}), i < j ⇒ Q(d with i ↔ i+1) > Q(d with j ↔ j+1)",
            "the same good swap must matter more near the top",
            _deep_shapes, lambda k, reading: _deep(k + 4, k + 1, k + 3, reading),
        ),
        _axiom(
            "DeepTh", "Deepness threshold", "∃n: Q(one relevant document) > Q(n non-relevant, then n relevant)",
            "one relevant document at the top must beat n of them after n non-relevant ones, once n is large",
        ),
        _axiom(
            "CloseTh", "Closeness threshold", "∃m: Q(one relevant document) < Q(m non-relevant, then m relevant)",
            "near the top, finding m relevant documents must beat finding one of them first",
        ),
        _axiom(
            "Conf", "Confidence", "Q(d) > Q(d, non-relevant)", "noise at the end must cost something",
            _conf_shapes, lambda k, reading: _conf(k, reading),
        ),
        _axiom(
            "AspDiv", "Query aspect diversity", "∀t: r(d_i', t) > r(d_i, t) ⇒ Q(d with d_i → d_i') > Q(d)",
            "a document that is more relevant to every aspect must raise the score",
            _aspdiv_shapes, lambda k, reading: _aspdiv(k + 1, k + 1, 1, reading),
        ),
        _axiom(
            "Red", "Redundancy", "more documents about t than about t' ⇒ Q(d, d') > Q(d, d_t)",
            "a document about the less covered aspect must be worth more",
            _red_shapes, lambda k, reading: _red((T, *[None] * (k - 1)), 2, reading),
        ),
        _axiom(
            "MRed", "Monotonic redundancy", "∀i: r(d_i, t) > r(d_i, t') ⇒ Q(d, d') > Q(d, d_t)",
            "an aspect already served to a higher degree by every document must gain less",
            _mred_shapes, lambda k, reading: _mred(k, reading),
        ),
        _axiom(
            "Sat", "Aspect relevance saturation", "r(d_n, t) = r_max, r(d_{n+1}, t) > 0 ⇒ Q(d) ≥ Q(d, d_{n+1})",
            "once an aspect is satisfied, more of it must not raise the score",
            _sat_shapes,
        ),
        _axiom(
            "AspRel", "Aspect relevance", "w(t) < w(t'), neither seen before ⇒ Q(d with d_i → d_i') > Q(d)",
            "a document about the heavier aspect must be worth more",
            _asprel_shapes, lambda k, reading: _asprel((None,) * k, (), 2),
        ),
    )
}  # fmt: skip
RELEVANCE = tuple(name for name, axiom in AXIOMS.items() if not axiom.diversity)
DIVERSITY = tuple(name for name, axiom in AXIOMS.items() if axiom.diversity)


def as_axiom(name: str | Axiom) -> Axiom:
    """A constraint from its name, in any case."""
    if isinstance(name, Axiom):
        return name
    known = {key.lower(): axiom for key, axiom in AXIOMS.items()}
    if name.lower() not in known:
        raise UsageError(f"no axiom is called {name!r}; nearest: {nearest(name, AXIOMS)} (all: {', '.join(AXIOMS)})")
    return known[name.lower()]


