"""The shapes of the eight constraints about all rankings: which two rankings each compares, from Section 3 of the paper.

A shape is a pair of rankings with symbols for their values. Each constraint has a builder of one shape, all its shapes
within bounds, and longer ones at random for the search only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random

from diveval.axioms.specification.readings import Reading
from diveval.errors import UsageError
from diveval.exact.polynomials import Term, Truth

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
        for name, value in vars(self).items():
            if not isinstance(value, int) or value < 2:
                raise UsageError("out-of-range", f"bounds: {name} is a whole number of at least 2, got {value!r}")


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


def _swap(rows: list[Row], i: int, j: int) -> list[Row]:
    """The ranking with the documents at ranks i and j exchanged."""
    out = list(rows)
    out[i - 1], out[j - 1] = out[j - 1], out[i - 1]
    return out


# --- Pri, Eq. 1 -----------------------------------------------------------------------------------------------------


def pri(n: int, i: int, j: int, reading: Reading) -> Case:
    def build(v: Values) -> Pair:
        rows = _single(v, n)
        premises = [*_limits(_columns(rows), reading), rows[i - 1][0] < rows[j - 1][0]]
        return Pair(_swap(rows, i, j), rows, [ONE], premises, pool=rows)

    fillers = tuple(f"r{x}" for x in range(1, n + 1) if x not in (i, j))
    return Case("Pri", f"swap ranks {i} and {j}: the more relevant document moves up", n, 1, _names(n), build, fillers)


def pri_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(2, bounds.longest + 1):
        for i in range(1, n):
            for j in range(i + 1, n + 1) if reading.swap == "any" else [i + 1]:
                yield pri(n, i, j, reading)


# --- Deep, Eq. 2 ----------------------------------------------------------------------------------------------------


def deep(n: int, i: int, j: int, reading: Reading) -> Case:
    """j ≥ i + 2: with j = i + 1 the premise r(d_i) = r(d_j) < r(d_{i+1}) contradicts itself."""
    fixed = {i: "x", i + 1: "y", j: "x", j + 1: "y"}
    fillers = tuple(f"r{rank}" for rank in range(1, n + 1) if rank not in fixed)

    def build(v: Values) -> Pair:
        rows = [[v[fixed.get(rank, f"r{rank}")]] for rank in range(1, n + 1)]
        premises = [*_limits(_columns(rows), reading), v["x"] < v["y"]]
        return Pair(_swap(rows, i, i + 1), _swap(rows, j, j + 1), [ONE], premises, pool=rows)

    label = f"the same swap at ranks {i}, {i + 1} and at ranks {j}, {j + 1}: the upper one must gain more"
    return Case("Deep", label, n, 1, ("x", "y", *fillers), build, fillers)


def deep_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(4, max(bounds.longest, 5) + 1):
        for i in range(1, n - 2):
            for j in range(i + 2, n):
                yield deep(n, i, j, reading)


# --- Conf, Eq. 5 ----------------------------------------------------------------------------------------------------


def conf(n: int, reading: Reading) -> Case:
    def build(v: Values) -> Pair:
        rows = _single(v, n)
        return Pair(rows, [*rows, [ZERO]], [ONE], _limits(_columns(rows), reading), pool=rows)

    return Case("Conf", "a non-relevant document is added at the end", n + 1, 1, _names(n), build, _names(n))


def conf_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(0 if reading.empty_ranking else 1, bounds.longest):
        yield conf(n, reading)


# --- AspDiv, Eq. 6 --------------------------------------------------------------------------------------------------


def _weight_names(aspects: int) -> tuple[str, ...]:
    return tuple(f"w{t}" for t in range(1, aspects))


def _weights(v: Values, aspects: int) -> tuple[Row, list[Truth]]:
    """Positive weights that sum to 1, the last one implied."""
    given = [v[name] for name in _weight_names(aspects)]
    weights = [*given, ONE - sum(given, ZERO)]
    return weights, [w > 0 for w in weights] if given else []


def aspdiv(n: int, i: int, aspects: int, reading: Reading) -> Case:
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


def aspdiv_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(1, max(bounds.aspects - 1, 2) + 1):
        for n in range(1, max(bounds.longest + 1 - 2 * (aspects - 1), 2)):
            for i in range(1, n + 1) if reading.documents_behind else [n]:
                yield aspdiv(n, i, aspects, reading)


# --- Red, Eq. 7 -----------------------------------------------------------------------------------------------------

T, OTHER = 0, 1  # the columns of t and t'


def _one_aspect(value: Term, t: int | None, aspects: int) -> Row:
    """A document about one aspect, or none: there is no aspect overlap."""
    return [value if t == column else ZERO for column in range(aspects)]


def red(prefix: tuple[int | None, ...], aspects: int, reading: Reading) -> Case:
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


def red_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(2, bounds.aspects + 1):
        for n in range(1, bounds.longest + 2 - aspects):
            for prefix in product((*range(aspects), None), repeat=n):
                if prefix.count(T) > prefix.count(OTHER):
                    yield red(prefix, aspects, reading)


# --- MRed, Eq. 8 ----------------------------------------------------------------------------------------------------


def mred(n: int, reading: Reading) -> Case:
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


def mred_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for n in range(0 if reading.empty_prefix else 1, bounds.longest):
        yield mred(n, reading)


# --- Sat, Eq. 9 -----------------------------------------------------------------------------------------------------


def _sat(before: tuple[int, ...], aspects: int, reading: Reading) -> Case:
    """`saturation="one"` puts r_max = 1; else r_max is a symbol that the caller may choose."""
    n = len(before) + 1
    names = _names(n - 1)

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


def sat_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(1, max(bounds.aspects - 1, 2) + 1):
        for n in range(1, max(bounds.longest - 2 * max(aspects - 2, 0), 2)):
            for before in product(range(aspects), repeat=n - 1):
                yield _sat(before, aspects, reading)


# --- AspRel, Eq. 10 -------------------------------------------------------------------------------------------------


def asprel(before: tuple[int | None, ...], behind: tuple[int | None, ...], aspects: int) -> Case:
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


def _about(aspects: int, reading: Reading) -> tuple[list[int | None], list[int | None]]:
    """What the documents before and behind may be about: another aspect than t and t', or nothing."""
    third: list[int | None] = [*range(2, aspects)] or [None]
    return third, [*range(aspects)] if reading.elsewhere else third


def asprel_shapes(reading: Reading, bounds: Bounds) -> Iterator[Case]:
    for aspects in range(2, bounds.aspects + 1):
        third, behind = _about(aspects, reading)
        for n in range(1, bounds.longest + 1 - (aspects - 2)):
            for i in range(1, n + 1):
                for before in product(third, repeat=i - 1):
                    for after in product(behind, repeat=n - i):
                        yield asprel(before, after, aspects)


# --- longer cases, for the search only ------------------------------------------------------------------------------


def _places(source: Random, least: int, apart: int) -> tuple[int, int, int]:
    """A length of 5 to 16 and two ranks at least so far apart, the lower one often near the end."""
    n = source.randrange(max(5, least), 17)
    j = n - source.randrange(0, 3) if source.random() < 0.5 else source.randrange(1 + apart, n + 1)
    return n, source.randrange(1, j - apart + 1), j


def pri_longer(source: Random, reading: Reading) -> Case:
    n, i, j = _places(source, 5, 1)
    return pri(n, j - 1 if reading.swap == "contiguous" else i, j, reading)


def deep_longer(source: Random, reading: Reading) -> Case:
    n, i, j = _places(source, 6, 3)
    return deep(n, i, j - 1, reading)


def aspdiv_longer(source: Random, reading: Reading) -> Case:
    n, i, _ = _places(source, 5, 1)
    return aspdiv(n, i if reading.documents_behind else n, source.randrange(1, 5), reading)


def red_longer(source: Random, reading: Reading) -> Case:
    more, aspects = source.randrange(2, 8), source.randrange(2, 5)
    about: list[int | None] = [*[T] * more, *[OTHER] * source.randrange(0, more)]
    about += [source.choice([None, *range(2, aspects)]) for _ in range(source.randrange(0, 3))]
    source.shuffle(about)
    return red(tuple(about), aspects, reading)


def sat_longer(source: Random, reading: Reading) -> Case:
    aspects = source.randrange(1, 5)
    return _sat(tuple(source.randrange(aspects) for _ in range(source.randrange(4, 16))), aspects, reading)


def asprel_longer(source: Random, reading: Reading) -> Case:
    aspects = source.randrange(2, 5)
    third, behind = _about(aspects, reading)
    before = tuple(source.choice(third) for _ in range(source.randrange(0, 8)))
    return asprel(before, tuple(source.choice(behind) for _ in range(source.randrange(2, 6))), aspects)
