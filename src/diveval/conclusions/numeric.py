"""A sum of minima of polynomials in doubles over cells of a box, with bounds on what rounding may have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.axioms.arithmetic.logs import enclosure
from diveval.axioms.arithmetic.polynomials import Poly

Array = NDArray[np.float64]
UNIT = 2.0**-52


class Numeric:
    """The objective in doubles, with bounds on what rounding may have done."""

    def __init__(
        self, coefficients: Array, errors: Array, absent: NDArray[np.bool_], powers: NDArray[np.int64], radius: Fraction
    ) -> None:
        """Coefficients and their errors are (group, member, monomial), powers (monomial, name)."""
        self.coefficients, self.errors, self.absent, self.powers = coefficients, errors, absent, powers
        self.rounding = (len(powers) + 64) * 4 * UNIT
        self.radius = up(radius)
        self.raising = np.maximum(coefficients, 0.0)
        self.lowering = np.maximum(-coefficients, 0.0)
        self.size = np.abs(coefficients)

    @classmethod
    def of(
        cls,
        polys: Sequence[Sequence[Poly]],
        names: Sequence[str],
        fixed: Mapping[str, Fraction],
        radius: Fraction,
    ) -> Numeric:
        """From polynomials, group by group, at the fixed values of other symbols."""
        members = max(len(group) for group in polys)
        monomials: dict[tuple[int, ...], int] = {}
        gathered = [[_floats(member.at(fixed), names) for member in group] for group in polys]
        for group in gathered:
            for member in group:
                for exponents in member:
                    monomials.setdefault(exponents, len(monomials))
        shape = (len(polys), members, max(len(monomials), 1))
        coefficients, errors = np.zeros(shape), np.zeros(shape)
        absent = np.ones(shape[:2], dtype=bool)
        for g, group in enumerate(gathered):
            for c, member in enumerate(group):
                absent[g, c] = False
                for exponents, (value, error) in member.items():
                    coefficients[g, c, monomials[exponents]] = value
                    errors[g, c, monomials[exponents]] = error
        powers = np.array(list(monomials) or [(0,) * len(names)], dtype=np.int64).reshape(shape[2], len(names))
        return cls(coefficients, errors, absent, powers, radius)

    def enclose(self, at: Sequence[Fraction]) -> tuple[float, float, tuple[int, ...]]:
        """Bounds of the value at a point, and the members that are smallest there as far as doubles tell."""
        low = self._monomials(np.array([[down(x) for x in at]]))
        high = self._monomials(np.array([[up(x) for x in at]]))
        slack = self._slack(high)
        ends = []
        for less, more, sign in ((low, high, -1.0), (high, low, 1.0)):
            value = self._dot(less, self.raising) - self._dot(more, self.lowering) + sign * slack
            value = np.where(self.absent, np.inf, value)[0]
            least = value.min(axis=1)
            total = float(least.sum()) + sign * float(np.abs(least).sum()) * (len(least) + 2) * 2 * UNIT
            ends.append(total + sign * self.radius)
        return ends[0], ends[1], tuple(int(i) for i in value.argmin(axis=1))

    def cells(self, cells: Sequence[tuple[Any, Any]]) -> tuple[Array, Array, tuple[list[Array], list[Array]]]:
        """For each cell: a lower bound of the objective, its value in the middle, and the bounds of its slopes."""
        low = np.array([[down(x) for x in a] for a, _ in cells])
        high = np.array([[up(x) for x in b] for _, b in cells])
        middle = (low + high) / 2
        half = (high - low) / 2 * (1 + 8 * UNIT)
        at_low, at_high, at_middle = (self._monomials(x) for x in (low, high, middle))
        slack = self._slack(at_high)
        first = self._dot(at_low, self.raising) - self._dot(at_high, self.lowering) - slack
        centre = self._dot(at_middle, self.coefficients)
        spread = np.zeros_like(centre)
        slopes: tuple[list[Array], list[Array]] = ([], [])
        for k in range(low.shape[1]):
            factor = self.powers[:, k].astype(np.float64)
            steep, shallow = self._slope(high, k) * factor, self._slope(low, k) * factor
            extra = self._slack(steep)
            least = self._dot(shallow, self.raising) - self._dot(steep, self.lowering) - extra
            most = self._dot(steep, self.raising) - self._dot(shallow, self.lowering) + extra
            spread += half[:, k, np.newaxis, np.newaxis] * np.maximum(np.abs(least), np.abs(most))
            slopes[0].append(least.reshape(len(cells), -1)[:, 0])
            slopes[1].append(most.reshape(len(cells), -1)[:, 0])
        best = np.maximum(first, centre - spread * (1 + 8 * UNIT) - slack)
        best = np.where(self.absent, np.inf, best)
        centre = np.where(self.absent, np.inf, centre)
        groups = len(self.absent)
        total = best.min(axis=2).sum(axis=1)
        wobble = np.abs(best.min(axis=2)).sum(axis=1) * groups * 2 * UNIT
        return total - wobble - self.radius, centre.min(axis=2).sum(axis=1), slopes

    def _monomials(self, x: Array) -> Array:
        return np.asarray(np.prod(x[:, np.newaxis, :] ** self.powers, axis=2))

    def _slope(self, x: Array, k: int) -> Array:
        lowered = self.powers.copy()
        lowered[:, k] = np.maximum(lowered[:, k] - 1, 0)
        return np.asarray(np.prod(x[:, np.newaxis, :] ** lowered, axis=2))

    def _dot(self, monomials: Array, coefficients: Array) -> Array:
        return np.asarray(np.einsum("nm,gcm->ngc", monomials, coefficients))

    def _slack(self, monomials: Array) -> Array:
        return self._dot(monomials, self.size * self.rounding + self.errors * (1 + self.rounding))


def _floats(poly: Poly, names: Sequence[str]) -> dict[tuple[int, ...], tuple[float, float]]:
    """Coefficients by exponents of the curved symbols, as doubles with their error; logarithms go into them."""
    place = {name: k for k, name in enumerate(names)}
    out: dict[tuple[int, ...], tuple[float, float]] = {}
    for monomial, coefficient in poly.terms.items():
        exponents, value = [0] * len(names), float(coefficient)
        factors = 1
        for name, power in monomial:
            if name in place:
                exponents[place[name]] = power
            else:
                value *= float(enclosure(int(name[1:]))[0]) ** power
                factors += power
        known, error = out.get(tuple(exponents), (0.0, 0.0))
        error += (abs(value) * 8 * factors + abs(known)) * UNIT + 1e-300
        out[tuple(exponents)] = (known + value, error)
    return out


def down(x: Fraction) -> float:
    """A double no larger."""
    value = float(x)
    return value if Fraction(value) <= x else float(np.nextafter(value, -np.inf))


def up(x: Fraction) -> float:
    """A double no smaller."""
    value = float(x)
    return value if Fraction(value) >= x else float(np.nextafter(value, np.inf))
