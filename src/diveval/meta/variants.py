"""Families of metric variants: what a metric's name says about its family and parameters, and how a group is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from diveval.metrics import MetricText

CUTOFF = "@"  # the cutoff is one more parameter, and this its name


@dataclass(frozen=True)
class Variant:
    """A metric's name taken apart: `RBU(p=0.99,e=0.05)@20` is RBU with p, e and the cutoff."""

    family: str
    parameters: tuple[tuple[str, str], ...]  # sorted by name; values as they were written

    @classmethod
    def of(cls, metric: str) -> Variant:
        """Any metric's name; a text without parentheses or @ is a family of its own."""
        parts = MetricText.of(metric)
        pairs = [setting.partition("=") for setting in parts.settings]
        parameters = [(name.strip(), value.strip()) for name, _, value in pairs]
        if parts.cutoff is not None:
            parameters.append((CUTOFF, parts.cutoff))
        return cls(parts.name, tuple(sorted(parameters)))


def family(metric: str) -> str:
    """The family of a metric: its name before `(` or `@`."""
    return Variant.of(metric).family


def label(metrics: Sequence[str]) -> str:
    """Variants of one family the way the paper shows them: `RBU e={0.001,0.05}, p=0.99`, `DCG@{50,100}`.

    A group that is not a full grid of its parameters is shown as the fewest grids found, joined by `; `.
    """
    variants = [Variant.of(metric) for metric in metrics]
    shapes: dict[tuple[str, ...], list[Variant]] = {}
    for variant in variants:
        shapes.setdefault((variant.family, *(name for name, _ in variant.parameters)), []).append(variant)
    parts = []
    for (name, *axes), members in sorted(shapes.items(), key=lambda shape: (len(shape[0]), shape[0])):
        cells = {tuple(value for _, value in variant.parameters) for variant in members}
        parts += [_grid_label(name, axes, grid) for grid in _grids(cells, len(axes))]
    return "; ".join(parts)


Grid = tuple[frozenset[str], ...]


def _grids(cells: set[tuple[str, ...]], axes: int) -> list[Grid]:
    """Cover the cells by full grids: merge along one axis after the other, and keep the best order of axes."""
    singles = [tuple(frozenset([value]) for value in cell) for cell in cells]
    tries = []
    for order in permutations(range(axes)):
        grids: list[Grid] = singles
        for axis in order:
            grids = _merged(grids, axis)
        tries.append(sorted(grids, key=lambda grid: [sorted(map(numeric, values)) for values in grid]))
    return min(tries, key=len)


def _merged(grids: Iterable[Grid], axis: int) -> list[Grid]:
    """Unite the grids that differ along one axis only."""
    union: dict[Grid, frozenset[str]] = {}
    for grid in grids:
        others = grid[:axis] + grid[axis + 1 :]
        union[others] = union.get(others, frozenset()) | grid[axis]
    return [(*others[:axis], values, *others[axis:]) for others, values in union.items()]


def _grid_label(name: str, axes: Sequence[str], grid: Grid) -> str:
    shown = {axis: _set_label(values) for axis, values in zip(axes, grid, strict=True)}
    cutoff = f"@{shown.pop(CUTOFF)}" if CUTOFF in shown else ""
    parameters = ", ".join(f"{axis}={values}" for axis, values in shown.items())
    return f"{name}{cutoff} {parameters}".rstrip()


def _set_label(values: frozenset[str]) -> str:
    ordered = sorted(values, key=numeric)
    return ordered[0] if len(ordered) == 1 else "{" + ",".join(ordered) + "}"


def numeric(text: str) -> tuple[float, str]:
    """Sort numbers as numbers, and other words after them."""
    try:
        return float(text), text
    except ValueError:
        return float("inf"), text
