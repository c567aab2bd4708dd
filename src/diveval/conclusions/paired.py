"""The difference of two systems from what is kept of each: coefficients in doubles with proved errors, made once for
all pairs. Exact polynomials of a pair are made only where doubles leave a sign open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.arithmetic.logs import enclosure, is_log
from diveval.axioms.arithmetic.polynomials import Poly
from diveval.conclusions.numeric import UNIT, Numeric
from diveval.conclusions.signs import Interval, Objective

Array = NDArray[np.float64]
Key = tuple[tuple[str, ...], tuple[tuple[str, Fraction], ...]]


class Systems:
    """Every system's polynomials, group by group; a group has the members that the rows of `mixing` make of its parts.

    Args:
        polys: [system][group], in the symbols of the ranges and, where members are mixed, of the parts.
        parts: by group, the symbols whose coefficients are mixed (the weights of a topic); what has none of them counts
            fully in every member.
        mixing: by group, an exact row for each member: how much of each part it has.
        shares: [system][group], what a group is in the system's mean.
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
        self._arrays: dict[Key, _Arrays] = {}
        self._values: dict[tuple[int, tuple[tuple[str, Fraction], ...]], list[list[Poly]]] = {}

    def arrays(self, names: Sequence[str], fixed: Mapping[str, Fraction]) -> _Arrays:
        """Coefficients of all systems by power of the names, at the fixed values of other symbols."""
        key = (tuple(names), tuple(sorted(fixed.items())))
        if key not in self._arrays:
            self._arrays[key] = _Arrays(self, names, fixed)
        return self._arrays[key]

    def values(self, system: int, point: Mapping[str, Fraction]) -> list[list[Poly]]:
        """What each member of each group is at a point, exactly."""
        key = (system, tuple(sorted(point.items())))
        if key not in self._values:
            if len(self._values) >= KEPT * len(self.polys):
                self._values.clear()
            out = []
            for g, poly in enumerate(self.polys[system]):
                share = self.shares[system][g]
                there = poly.at(point)
                there = Poly({m: c * share for m, c in there.terms.items()})
                named = self.parts[g]
                out.append([there.at(dict(zip(named, row, strict=True))) for row in self.mixing[g]])
            self._values[key] = out
        return self._values[key]


KEPT = 32  # points whose exact values are kept


class _Arrays:
    """(system, group, member, monomial): coefficients as doubles, and bounds on their errors."""

    def __init__(self, of: Systems, names: Sequence[str], fixed: Mapping[str, Fraction]) -> None:
        place = {name: k for k, name in enumerate(names)}
        powers: dict[tuple[int, ...], int] = {}
        known = {name: float(x) for name, x in fixed.items()}
        groups = len(of.parts)
        entries: list[tuple[int, int, int, int, float, int]] = []
        for s, row in enumerate(of.polys):
            for g, poly in enumerate(row):
                part_of = {name: i for i, name in enumerate(of.parts[g])}
                share = float(of.shares[s][g])
                for monomial, coefficient in poly.terms.items():
                    exponents, part = [0] * len(names), len(part_of)
                    value, factors = float(coefficient) * share, 2
                    for name, power in monomial:
                        if name in place:
                            exponents[place[name]] = power
                        elif name in part_of:
                            part = part_of[name]  # linear: corners decide only of what is
                        else:
                            value *= (known[name] if name in known else float(enclosure(int(name[1:]))[0])) ** power
                            factors += power + 1
                    m = powers.setdefault(tuple(exponents), len(powers))
                    entries.append((s, g, part, m, value, factors))
        parts = max((len(names) for names in of.parts), default=0) + 1
        shape = (len(of.polys), groups, parts, max(len(powers), 1))
        exact, off = np.zeros(shape), np.zeros(shape)
        if entries:
            system, group, part_at, monomial_at, values, factor = (np.array(c) for c in zip(*entries, strict=True))
            whole = np.array([len(names) for names in of.parts])[group] == part_at
            place_of = (system, group, np.where(whole, parts - 1, part_at), monomial_at)
            np.add.at(exact, place_of, values)
            # Each factor is rounded; so is each sum of what falls on one place, at most as many as there are entries.
            np.add.at(off, place_of, np.abs(values) * (8.0 * factor) * UNIT + 1e-300)
            count, sizes = np.zeros(shape), np.zeros(shape)
            np.add.at(count, place_of, 1.0)
            np.add.at(sizes, place_of, np.abs(values))
            off += count * sizes * 2 * UNIT
        members = max((len(rows) for rows in of.mixing), default=1)
        mix = np.zeros((groups, members, parts))
        self.absent = np.ones((groups, members), dtype=bool)
        for g, rows in enumerate(of.mixing):
            for i, amounts in enumerate(rows):
                mix[g, i, : len(amounts)] = [float(x) for x in amounts]
                mix[g, i, parts - 1] = 1.0
                self.absent[g, i] = False
        self.coefficients = np.einsum("gip,sgpm->sgim", mix, exact)
        sizes = np.einsum("gip,sgpm->sgim", mix, np.abs(exact))
        self.errors = np.einsum("gip,sgpm->sgim", mix, off) * (1 + 1e-9) + sizes * (4 * (parts + 2)) * UNIT
        self.powers = np.array(list(powers) or [(0,) * len(names)], dtype=np.int64).reshape(shape[3], len(names))


@dataclass(frozen=True)
class Paired:
    """Mean of system a less that of b, at the member of each group that is worst for a."""

    systems: Systems
    a: int
    b: int
    exactly: Callable[[], Objective]  # the same from the polynomials of the pair
    radius: Fraction = Fraction(0)

    def numeric(self, names: Sequence[str], fixed: Mapping[str, Fraction]) -> Numeric:
        """In doubles."""
        held = self.systems.arrays(names, fixed)
        first, second = held.coefficients[self.a], held.coefficients[self.b]
        errors = held.errors[self.a] + held.errors[self.b] + (np.abs(first) + np.abs(second)) * 2 * UNIT
        return Numeric(first - second, errors, held.absent, held.powers, self.radius)

    @property
    def single(self) -> bool:
        return len(self.systems.parts) == 1 and len(self.systems.mixing[0]) == 1

    def at(self, point: Mapping[str, Fraction]) -> tuple[Interval, tuple[int, ...]]:
        """An enclosure of the value at a point, tight enough for its sign unless it is 0, and the members chosen."""
        if self.radius:  # the exact polynomials know how to tell a tie
            return self.exactly().at(point)
        first, second = self.systems.values(self.a, point), self.systems.values(self.b, point)
        groups = [[x - y for x, y in zip(xs, ys, strict=True)] for xs, ys in zip(first, second, strict=True)]
        return Objective(groups, self.radius).at({})
