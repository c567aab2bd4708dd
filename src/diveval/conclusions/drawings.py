"""Drawings of the surviving order of systems, and of the parameter ranges where the order of two systems changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from diveval.collection.inputs import RunsLike
from diveval.collection.judgments import Judgments
from diveval.conclusions.ranges import RangedMetric, Setting, as_ranged
from diveval.scoring.evaluate import rank_all
from diveval.scoring.scorer import score
from diveval.settings import Options
from diveval.system.files import write_atomically

if TYPE_CHECKING:
    from diveval.conclusions.results import Conclusion, Conclusions

WIDTH, ROW, BOX = 190, 64, 26


def reduce_order(edges: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The edges that do not follow from others by transitivity."""
    distinct = set(edges)
    below: dict[str, set[str]] = {}
    for a, b in distinct:
        below.setdefault(a, set()).add(b)
    return sorted((a, b) for a, b in distinct if not any(b in below.get(c, ()) for c in below[a] if c != b))


def layers(systems: Sequence[str], edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Systems by the length of the longest chain above them, each layer in the given order."""
    above: dict[str, set[str]] = {system: set() for system in systems}
    for a, b in edges:
        above[b].add(a)
    depth: dict[str, int] = {}
    while len(depth) < len(systems):
        ready = [s for s in systems if s not in depth and above[s] <= depth.keys()]
        if not ready:
            raise ValueError("the conclusions contradict each other: their order has a cycle")
        for system in ready:
            depth[system] = max((depth[a] + 1 for a in above[system]), default=0)
    return [[s for s in systems if depth[s] == d] for d in range(max(depth.values(), default=0) + 1)]


def svg(systems: Sequence[str], edges: Sequence[tuple[str, str]], title: str) -> str:
    """The drawing: better systems above, one line for each conclusion that does not follow from two others."""
    rows = layers(systems, edges)
    width = max(max(len(row) for row in rows) * WIDTH, 7 * len(title)) + 20
    place = {
        system: (width / 2 + (i - (len(row) - 1) / 2) * WIDTH, 60 + d * ROW)
        for d, row in enumerate(rows)
        for i, system in enumerate(row)
    }
    height = 60 + len(rows) * ROW
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<text x="10" y="22" font-size="14">{escape(title)}</text>',
    ]
    for a, b in reduce_order(edges):
        (x, y), (u, v) = place[a], place[b]
        # A line over several layers first goes straight down, so that it does not cross the boxes between.
        turn = v - ROW + BOX / 2
        middle, end = v - ROW / 2, v - BOX / 2
        curve = f"M{x:.1f} {y + BOX / 2} L{x:.1f} {turn} C{x:.1f} {middle} {u:.1f} {middle} {u:.1f} {end}"
        out.append(f'<path d="{curve}" fill="none" stroke="#6b7785"/>')
    for system, (x, y) in place.items():
        shown = system if len(system) <= 26 else system[:12] + "…" + system[-12:]
        out.append(
            f'<g><title>{escape(system)}</title><rect x="{x - WIDTH / 2 + 6:.1f}" y="{y - BOX / 2}"'
            f' width="{WIDTH - 12}" height="{BOX}" rx="4" fill="#f4f6f8" stroke="#1f2933"/>'
            f'<text x="{x:.1f}" y="{y + 4}" text-anchor="middle" fill="#1f2933">{escape(shown)}</text></g>'
        )
    return "\n".join([*out, "</svg>", ""])


STEPS = 48
SIDE, LEFT, TOP = 480, 70, 60
BETTER, WORSE = "#2b6cb0", "#dd8a2e"


def write_borders(
    judgments: Judgments, runs: RunsLike, result: Conclusions, options: Options, folder: str
) -> list[Path]:
    """One SVG per pair whose order the parameters change; the first two ranged parameters are the axes."""
    out = []
    for name in result.metrics:
        rows = [r for r in result.rows if r.metric == name and r.doubt == "parameters" and r.verdict == "flips"]
        metric = as_ranged(name)
        if not rows or not metric.ranges:
            continue
        metrics = [metric.at(setting) for setting in grid(metric)]
        rankings = rank_all(judgments, runs, metrics, options, keep_documents=False)
        means = score(judgments, rankings, metrics, options).means
        place = {system: i for i, system in enumerate(result.systems)}
        Path(folder).mkdir(parents=True, exist_ok=True)
        for row in rows:
            lead = means[place[row.better]] - means[place[row.worse]]
            path = Path(folder) / (re.sub(r"[^\w.-]+", "_", f"{row.better}-{row.worse}-{name}") + ".svg")
            out.append(write_atomically(path, draw_tree(metric, row, lead)))
    return out


def grid(metric: RangedMetric) -> list[Setting]:
    """Settings over the first two ranges, the others at their reference values."""
    axes = list(metric.ranges)[:2]
    steps = [Fraction(2 * i + 1, 2 * STEPS) for i in range(STEPS)]
    along = {name: [low + (high - low) * x for x in steps] for name, (low, high) in metric.ranges.items()}
    if len(axes) == 1:
        return [{axes[0]: x} for x in along[axes[0]]]
    first, second = axes
    return [{**metric.reference, first: x, second: y} for y in along[second] for x in along[first]]


def draw_tree(metric: RangedMetric, row: Conclusion, lead: Any) -> str:
    """The ranges as a square (or a strip), coloured by who leads, with the exact settings on both sides."""
    axes = list(metric.ranges)[:2]
    height = SIDE if len(axes) == 2 else 60
    step = SIDE / STEPS
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE + LEFT + 20} {height + TOP + 60}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(row.better)} against {escape(row.worse)}, {escape(metric.name)}</title>",
        f'<text x="{LEFT}" y="20" fill="{BETTER}">■ {escape(row.better)} leads</text>',
        f'<text x="{LEFT}" y="40" fill="{WORSE}">■ {escape(row.worse)} leads</text>',
    ]
    limit = float(np.abs(lead).max()) or 1.0
    for i, value in enumerate(np.asarray(lead).tolist()):
        row_up, column = divmod(i, STEPS)
        shade = 0.25 + 0.75 * min(abs(value) / limit, 1.0)
        tall = step if len(axes) == 2 else height
        top = TOP + (height - (row_up + 1) * step if len(axes) == 2 else 0)
        out.append(
            f'<rect x="{LEFT + column * step:.1f}" y="{top:.1f}" width="{step + 0.3:.1f}" height="{tall + 0.3:.1f}"'
            f' fill="{BETTER if value > 0 else WORSE}" fill-opacity="{shade:.2f}"/>'
        )
    for setting, colour in ((metric.reference, BETTER), (_witness(row, metric), WORSE)):
        x, y = (_share(metric, name, setting) for name in (axes[0], axes[-1]))
        down = TOP + (height * (1 - y) if len(axes) == 2 else height / 2)
        out.append(
            f'<circle cx="{LEFT + SIDE * x:.1f}" cy="{down:.1f}" r="5" fill="{colour}" stroke="#000">'
            f"<title>{escape(', '.join(f'{name}={float(v):g}' for name, v in setting.items()))}</title></circle>"
        )
    return "\n".join([*out, *_scales(metric, axes, height), "</svg>", ""])


def _witness(row: Conclusion, metric: RangedMetric) -> Setting:
    return {**metric.reference, **{name: Fraction(text) for name, text in row.details.get("setting", {}).items()}}


def _share(metric: RangedMetric, name: str, setting: Setting) -> float:
    low, high = metric.ranges[name]
    return float((setting[name] - low) / (high - low))


def _scales(metric: RangedMetric, axes: Sequence[str], height: float) -> list[str]:
    """The ends of the ranges, and the names of the parameters."""
    (low, high), below = metric.ranges[axes[0]], TOP + height + 18
    out = [
        f'<text x="{LEFT}" y="{below}">{float(low):g}</text>',
        f'<text x="{LEFT + SIDE}" y="{below}" text-anchor="end">{float(high):g}</text>',
        f'<text x="{LEFT + SIDE / 2}" y="{below + 14}" text-anchor="middle">{escape(axes[0])}</text>',
    ]
    if len(axes) == 2:
        low, high = metric.ranges[axes[1]]
        out += [
            f'<text x="{LEFT - 6}" y="{TOP + height}" text-anchor="end">{float(low):g}</text>',
            f'<text x="{LEFT - 6}" y="{TOP + 10}" text-anchor="end">{float(high):g}</text>',
            f'<text x="{LEFT - 30}" y="{TOP + height / 2}" text-anchor="end">{escape(axes[1])}</text>',
        ]
    return out
