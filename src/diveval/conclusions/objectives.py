"""The difference of two systems, whose sign is to be decided: a sum of minima of polynomials, exact and in doubles.

`Objective` has the exact polynomials of one pair. `Lead` computes the difference from coefficients of every system in
doubles with proved error bounds, which are computed once for all pairs; exact polynomials are built only if doubles do
not decide a sign. `Numeric` bounds either over cells of a box, including rounding errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.exact.logs import Interval, bounds, is_log, log_as_float
from diveval.exact.polynomials import Poly
from diveval.metrics.algebra import Array

Key = tuple[tuple[str, ...], tuple[tuple[str, Fraction], ...]]
# Coefficients as doubles (system, group, member, monomial), bounds of their errors, members that a group lacks, powers.
Arrays = tuple[Array, Array, NDArray[np.bool_], NDArray[np.int64]]
NOTHING: Interval = (Fraction(0), Fraction(0))
DIGITS = (30, 60, 120, 240)
UNIT = 2.0**-52
KEPT = 32  # points whose exact values are cached


@dataclass(frozen=True)
class Objective:
    """Σ over groups of the smallest member of the group: a group is a topic, its members the variants of its score.

    Each value is known up to `radius`, which is 0 if all is rational or a polynomial in logarithms. Otherwise `exact`
    gives the same sum with a symbol for each rounded number: if it vanishes, the value is exactly 0.
    """

    groups: Sequence[Sequence[Poly]]
    radius: Fraction = Fraction(0)
    exact: Callable[[], Poly] | None = None

    def at(self, point: Mapping[str, Fraction]) -> tuple[Interval, tuple[int, ...]]:
        """An enclosure of the value at a point, tight enough for its sign unless it is 0, and the members chosen."""
        values = [[member.at(point) for member in group] for group in self.groups]
        for digits in DIGITS:
            low = high = Fraction(0)
            chosen = []
            for group in values:
                ends = [bounds(value.terms, digits) for value in group]
                best = min(range(len(ends)), key=lambda i: ends[i])
                chosen.append(best)
                low, high = low + ends[best][0], high + min(end for _, end in ends)
            if self.radius == 0 and low <= 0 <= high and low != high:
                # A sum of logarithms can be exactly 0, symbol by symbol, which no enclosure of numbers can show.
                total = Poly({})
                for group, i in zip(values, chosen, strict=True):
                    total = total + group[i]
                if not total.terms:
                    return NOTHING, tuple(chosen)
            if low > self.radius or high < -self.radius or low == high:
                break
        near = self.radius and -self.radius <= high and low <= self.radius
        if near and self.exact is not None and not self.exact().at(point).terms:
            return NOTHING, tuple(chosen)
        return (low - self.radius, high + self.radius), tuple(chosen)

    @property
    def single(self) -> bool:
        """Whether this is a single polynomial."""
        return len(self.groups) == 1 and len(self.groups[0]) == 1

    def numeric(self, names: Sequence[str], fixed: Mapping[str, Fraction]) -> Numeric:
        """The objective in doubles, by power of the names, at fixed values of the other symbols."""
        gathered = [[_floats(member.at(fixed), names) for member in group] for group in self.groups]
        monomials: dict[tuple[int, ...], int] = {}
        for exponents in (e for group in gathered for member in group for e in member):
            monomials.setdefault(exponents, len(monomials))
        shape = (len(gathered), max(map(len, gathered)), max(len(monomials), 1))
        coefficients, errors = np.zeros(shape), np.zeros(shape)
        absent = np.ones(shape[:2], dtype=bool)
        for g, group in enumerate(gathered):
            for c, member in enumerate(group):
                absent[g, c] = False
                for exponents, (value, error) in member.items():
                    coefficients[g, c, monomials[exponents]] = value
                    errors[g, c, monomials[exponents]] = error
        return Numeric(coefficients, errors, absent, _powers(monomials, names), self.radius)


def _floats(poly: Poly, names: Sequence[str]) -> dict[tuple[int, ...], tuple[float, float]]:
    """Coefficients by exponents of the named symbols, as doubles with error bounds; logarithms are evaluated."""
    place = {name: k for k, name in enumerate(names)}
    out: dict[tuple[int, ...], tuple[float, float]] = {}
    for monomial, coefficient in poly.terms.items():
        exponents, value = [0] * len(names), float(coefficient)
        factors = 1
        for name, power in monomial:
            if name in place:
                exponents[place[name]] = power
            else:
                value *= log_as_float(name) ** power
                factors += power
        so_far, error = out.get(tuple(exponents), (0.0, 0.0))
        error += (abs(value) * 8 * factors + abs(so_far)) * UNIT + 1e-300
        out[tuple(exponents)] = (so_far + value, error)
    return out


def _powers(monomials: Iterable[tuple[int, ...]], names: Sequence[str]) -> NDArray[np.int64]:
    """Exponents (monomial, name); the constant monomial if there is no other."""
    rows = list(monomials) or [(0,) * len(names)]
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(names))


class Numeric:
    """The objective in doubles, with bounds of the rounding errors.

    Symbols are non-negative, so a polynomial is bounded on a cell by its positive coefficients (`raising`) at one end
    and its negative ones (`lowering`) at the other.
    """

    def __init__(
        self, coefficients: Array, errors: Array, absent: NDArray[np.bool_], powers: NDArray[np.int64], radius: Fraction
    ) -> None:
        """Coefficients and their errors are (group, member, monomial), powers (monomial, name)."""
        self.coefficients, self.errors, self.absent, self.powers = coefficients, errors, absent, powers
        self.rounding = (len(powers) + 64) * 4 * UNIT
        self.radius = up(radius)
        raising, lowering, size = np.maximum(coefficients, 0.0), np.maximum(-coefficients, 0.0), np.abs(coefficients)
        slack = size * self.rounding + errors * (1 + self.rounding)
        self._rows = np.stack([raising, lowering, slack, coefficients])
        # The exponents of the polynomials and of their slopes, and the factors of the slopes.
        lowered = [np.maximum(powers - (np.arange(powers.shape[1]) == k), 0) for k in range(powers.shape[1])]
        self._exponents = np.stack([powers, *lowered])
        self._factors = np.concatenate([np.ones((1, len(powers))), powers.T.astype(np.float64)])

    def enclose(self, at: Sequence[Fraction]) -> tuple[float, float, tuple[int, ...]]:
        """Bounds of the value at a point, and the members that are smallest there in doubles."""
        ends = np.array([[down(x) for x in at], [up(x) for x in at]])
        sums = self._sums(np.prod(ends[:, np.newaxis, :] ** self.powers, axis=2), self._rows[:3])
        slack = sums[2, 1]
        value = np.stack([sums[0, 0] - sums[1, 1] - slack, sums[0, 1] - sums[1, 0] + slack])
        value = np.where(self.absent, np.inf, value)
        least = value.min(axis=2)
        room = np.abs(least).sum(axis=1) * (least.shape[1] + 2) * 2 * UNIT
        low, high = least.sum(axis=1).tolist()
        return (
            low - float(room[0]) - self.radius,
            high + float(room[1]) + self.radius,
            tuple(value[1].argmin(axis=1).tolist()),
        )

    def cells(self, cells: Sequence[tuple[Any, Any]]) -> tuple[Array, Array, tuple[list[Array], list[Array]]]:
        """For each cell: a lower bound of the objective, its value in the middle, and the bounds of its slopes."""
        low = np.array([[down(x) for x in a] for a, _ in cells])
        high = np.array([[up(x) for x in b] for _, b in cells])
        middle = (low + high) / 2
        half = (high - low) / 2 * (1 + 8 * UNIT)
        ends = np.stack([low, high])
        # By end, polynomial or slope, cell, and monomial.
        monomials = np.prod(ends[:, np.newaxis, :, np.newaxis, :] ** self._exponents[:, np.newaxis], axis=4)
        monomials = monomials * self._factors[:, np.newaxis]
        sums = self._sums(monomials, self._rows[:3])
        (rising_low, rising_high), (falling_low, falling_high), (_, slack) = sums
        least, most = rising_low - falling_high - slack, rising_high - falling_low + slack
        centre = self._sums(np.prod(middle[:, np.newaxis, :] ** self.powers, axis=2), self._rows[3:])[0]
        spread = np.zeros_like(centre)
        for k in range(low.shape[1]):
            spread += half[:, k, np.newaxis, np.newaxis] * np.maximum(np.abs(least[k + 1]), np.abs(most[k + 1]))
        names = range(1, low.shape[1] + 1)
        first, last = ([side[k].reshape(len(cells), -1)[:, 0] for k in names] for side in (least, most))
        best = np.maximum(least[0], centre - spread * (1 + 8 * UNIT) - slack[0])
        best = np.where(self.absent, np.inf, best)
        centre = np.where(self.absent, np.inf, centre)
        groups = len(self.absent)
        total = best.min(axis=2).sum(axis=1)
        wobble = np.abs(best.min(axis=2)).sum(axis=1) * groups * 2 * UNIT
        return total - wobble - self.radius, centre.min(axis=2).sum(axis=1), (first, last)

    def _sums(self, monomials: Array, rows: Array) -> Array:
        """Σ coefficient · monomial for some of `_rows`."""
        return np.asarray(np.einsum("...m,rgcm->r...gc", monomials, rows))


def down(x: Fraction) -> float:
    """A double no larger."""
    value = float(x)
    return value if Fraction(value) <= x else float(np.nextafter(value, -np.inf))


def up(x: Fraction) -> float:
    """A double no smaller."""
    value = float(x)
    return value if Fraction(value) >= x else float(np.nextafter(value, np.inf))


class Systems:
    """Every system's polynomials by group; the members of a group are mixtures of its parts by the rows of `mixing`.

    Args:
        polys: [system][group], in the symbols of the ranges and, if members are mixed, of the parts.
        parts: by group, the symbols whose coefficients are mixed (the weights of a topic); terms without any of them
            count fully in every member.
        mixing: by group, an exact row for each member: how much of each part it has.
        shares: [system][group], the weight of a group in the system's mean.
    """

    def __init__(
        self,
        polys: Sequence[Sequence[Poly]],
        parts: Sequence[Sequence[str]],
        mixing: list[list[tuple[Fraction, ...]]],
        shares: Sequence[Sequence[Fraction]],
    ) -> None:
        self.polys, self.parts, self.mixing, self.shares = polys, parts, mixing, shares
        self.symbols = {n for row in polys for poly in row for n in poly.symbols if not is_log(n)} - {
            n for names in parts for n in names
        }
        self._arrays: dict[Key, Arrays] = {}
        self._values: dict[tuple[int, tuple[tuple[str, Fraction], ...]], list[list[Poly]]] = {}
        self._powers: dict[tuple[tuple[str, Fraction], ...], dict[tuple[str, int], Fraction]] = {}
        self._integers: dict[tuple[int, tuple[tuple[str, Fraction], ...]], tuple[list[list[int]], int] | None] = {}

    def arrays(self, names: Sequence[str], fixed: Mapping[str, Fraction]) -> Arrays:
        """Coefficients of all systems by power of the names, at fixed values of the other symbols."""
        key = (tuple(names), tuple(sorted(fixed.items())))
        if key not in self._arrays:
            self._arrays[key] = self._make_arrays(names, fixed)
        return self._arrays[key]

    def _make_arrays(self, names: Sequence[str], fixed: Mapping[str, Fraction]) -> Arrays:
        place = {name: k for k, name in enumerate(names)}
        powers: dict[tuple[int, ...], int] = {}
        values_of = {name: float(x) for name, x in fixed.items()}
        groups = len(self.parts)
        entries: list[tuple[int, int, int, int, float, int]] = []
        for s, row in enumerate(self.polys):
            for g, poly in enumerate(row):
                part_of = {name: i for i, name in enumerate(self.parts[g])}
                share = float(self.shares[s][g])
                for monomial, coefficient in poly.terms.items():
                    exponents, part = [0] * len(names), len(part_of)
                    value, factors = float(coefficient) * share, 2
                    for name, power in monomial:
                        if name in place:
                            exponents[place[name]] = power
                        elif name in part_of:
                            part = part_of[name]  # the power is 1: corners are only used for metrics linear in them
                        elif name in values_of:
                            value *= values_of[name] ** power
                            factors += power + 1
                        else:
                            value *= log_as_float(name) ** power
                            factors += power + 1
                    m = powers.setdefault(tuple(exponents), len(powers))
                    entries.append((s, g, part, m, value, factors))
        parts = max((len(names) for names in self.parts), default=0) + 1
        shape = (len(self.polys), groups, parts, max(len(powers), 1))
        exact, off = np.zeros(shape), np.zeros(shape)
        if entries:
            system, group, part_at, monomial_at, values, factor = (np.array(c) for c in zip(*entries, strict=True))
            whole = np.array([len(names) for names in self.parts])[group] == part_at
            place_of = (system, group, np.where(whole, parts - 1, part_at), monomial_at)
            np.add.at(exact, place_of, values)
            # Each factor is rounded, and so is each addition to a cell: at most as many as the cell has entries.
            np.add.at(off, place_of, np.abs(values) * (8.0 * factor) * UNIT + 1e-300)
            count, sizes = np.zeros(shape), np.zeros(shape)
            np.add.at(count, place_of, 1.0)
            np.add.at(sizes, place_of, np.abs(values))
            off += count * sizes * 2 * UNIT
        members = max((len(rows) for rows in self.mixing), default=1)
        mix = np.zeros((groups, members, parts))
        absent = np.ones((groups, members), dtype=bool)
        for g, rows in enumerate(self.mixing):
            for i, amounts in enumerate(rows):
                mix[g, i, : len(amounts)] = [float(x) for x in amounts]
                mix[g, i, parts - 1] = 1.0
                absent[g, i] = False
        coefficients = np.einsum("gip,sgpm->sgim", mix, exact)
        sizes = np.einsum("gip,sgpm->sgim", mix, np.abs(exact))
        errors = np.einsum("gip,sgpm->sgim", mix, off) * (1 + 1e-9) + sizes * (4 * (parts + 2)) * UNIT
        return coefficients, errors, absent, _powers(powers, names)

    def values(self, system: int, point: Mapping[str, Fraction]) -> list[list[Poly]]:
        """The exact value of each member of each group at a point."""
        key = (system, tuple(sorted(point.items())))
        if key not in self._values:
            if len(self._values) >= KEPT * len(self.polys):
                self._values.clear()
                self._powers.clear()
            out, powers = [], self._powers.setdefault(key[1], {})
            for g, poly in enumerate(self.polys[system]):
                value = poly.at(point, powers) * Poly.constant(self.shares[system][g])
                out.append(_mix(value, self.parts[g], self.mixing[g]))
            self._values[key] = out
        return self._values[key]

    def integers(self, system: int, point: Mapping[str, Fraction]) -> tuple[list[list[int]], int] | None:
        """The same over one denominator, which makes sums cheap; None where logarithms occur."""
        key = (system, tuple(sorted(point.items())))
        if key not in self._integers:
            if len(self._integers) >= KEPT * len(self.polys):
                self._integers.clear()
            values = [[member.value for member in group] for group in self.values(system, point)]
            numbers = [[x for x in group if x is not None] for group in values]
            known = sum(map(len, numbers)) == sum(map(len, values))
            whole = math.lcm(*(x.denominator for group in numbers for x in group)) if known else 0
            self._integers[key] = (
                ([[x.numerator * (whole // x.denominator) for x in group] for group in numbers], whole)
                if known
                else None
            )
        return self._integers[key]


@dataclass(frozen=True)
class Lead:
    """Mean of system a minus that of b, at the member of each group that is worst for a."""

    systems: Systems
    a: int
    b: int
    exactly: Callable[[], Objective]  # the same from the polynomials of the pair
    radius: Fraction = Fraction(0)

    def numeric(self, names: Sequence[str], fixed: Mapping[str, Fraction]) -> Numeric:
        """In doubles."""
        coefficients, off, absent, powers = self.systems.arrays(names, fixed)
        first, second = coefficients[self.a], coefficients[self.b]
        errors = off[self.a] + off[self.b] + (np.abs(first) + np.abs(second)) * 2 * UNIT
        return Numeric(first - second, errors, absent, powers, self.radius)

    @property
    def single(self) -> bool:
        """Whether it is one polynomial."""
        return len(self.systems.parts) == 1 and len(self.systems.mixing[0]) == 1

    def at(self, point: Mapping[str, Fraction]) -> tuple[Interval, tuple[int, ...]]:
        """An enclosure of the value at a point, tight enough for its sign unless it is 0, and the members chosen."""
        if self.radius:  # only the exact polynomials can show a tie
            return self.exactly().at(point)
        ours, theirs = self.systems.integers(self.a, point), self.systems.integers(self.b, point)
        if ours is not None and theirs is not None:
            return _sum_least(*ours, *theirs)
        first, second = self.systems.values(self.a, point), self.systems.values(self.b, point)
        groups = [[x - y for x, y in zip(xs, ys, strict=True)] for xs, ys in zip(first, second, strict=True)]
        return Objective(groups, self.radius).at({})


def _mix(value: Poly, parts: Sequence[str], mixing: Sequence[tuple[Fraction, ...]]) -> list[Poly]:
    """The value of each member, a row of how much of each part it has."""
    own = [value.terms.get(((part, 1),)) for part in parts]
    constant = value.terms.get(())
    if len(value.terms) > sum(term is not None for term in (constant, *own)):  # with logarithms, or powers of parts
        return [value.at(dict(zip(parts, row, strict=True))) for row in mixing]
    held = [(i, term) for i, term in enumerate(own) if term is not None]
    return [Poly.constant(sum((row[i] * term for i, term in held), Fraction(constant or 0))) for row in mixing]


def _sum_least(
    first: list[list[int]], of_first: int, second: list[list[int]], of_second: int
) -> tuple[Interval, tuple[int, ...]]:
    """Σ over groups of the least difference of two members, exactly, and the members; numerators and denominators."""
    whole = math.lcm(of_first, of_second)
    up_first, up_second = whole // of_first, whole // of_second
    total, chosen = 0, []
    for xs, ys in zip(first, second, strict=True):
        gaps = [x * up_first - y * up_second for x, y in zip(xs, ys, strict=True)]
        least = min(gaps)
        total += least
        chosen.append(gaps.index(least))
    value = Fraction(total, whole)
    return (value, value), tuple(chosen)
