"""Families of metric variants: family and parameters from a metric's name, and labels for groups of variants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from diveval.metrics import MetricText

CUTOFF = "@"  # the name under which the cutoff is a parameter


def family(metric: str) -> str:
    """The family of a metric: its name before `(` or `@`; a text without them is a family of its own."""
    return MetricText.of(metric).name


def parameters(metric: str) -> tuple[tuple[str, str], ...]:
    """`RBU(p=0.99,e=0.05)@20` has p, e and the cutoff: sorted by name, values as they were written."""
    parts = MetricText.of(metric)
    pairs = [setting.partition("=") for setting in parts.settings]
    named = [(name.strip(), value.strip()) for name, _, value in pairs]
    return tuple(sorted([*named, *([(CUTOFF, parts.cutoff)] if parts.cutoff is not None else [])]))


def label(metrics: Sequence[str]) -> str:
    """Variants of one family the way the paper shows them: `RBU e={0.001,0.05}, p=0.99`, `DCG@{50,100}`.

    A group that is not a full grid of its parameters is shown as the fewest grids found, joined by `; `.
    """
    shapes: dict[tuple[str, ...], set[tuple[str, ...]]] = {}  # family and names of parameters → their values
    for metric in metrics:
        given = parameters(metric)
        cells = shapes.setdefault((family(metric), *(name for name, _ in given)), set())
        cells.add(tuple(value for _, value in given))
    parts = []
    for (name, *axes), cells in sorted(shapes.items(), key=lambda shape: (len(shape[0]), shape[0])):
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
            grids = _merge(grids, axis)
        tries.append(sorted(grids, key=lambda grid: [sorted(map(numeric, values)) for values in grid]))
    return min(tries, key=len)


def _merge(grids: Iterable[Grid], axis: int) -> list[Grid]:
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
