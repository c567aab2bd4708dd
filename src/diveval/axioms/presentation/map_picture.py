"""The map of the axioms as a picture: a row per axiom, a column per maximal set and per minimal conflict."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from diveval.axioms.specification.constraints import AXIOMS

if TYPE_CHECKING:
    from diveval.axioms.presentation.consistency import AxiomMap

STEP, LEFT, TOP, GAP = 26, 84, 56, 30
HOLDS, CLASH, EMPTY, INK = "#0072b2", "#d55e00", "#dddddd", "#222222"


def draw(found: AxiomMap) -> str:
    """An SVG: filled circles are the axioms of a set that holds together, joined crosses are those of a conflict."""
    many = len(found.sets)
    width = LEFT + STEP * (many + len(found.conflicts)) + GAP + 40
    height = TOP + STEP * len(AXIOMS) + 24
    title = f"{found.compositions} compositions, {found.reading} reading"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}" role="img">',
        f"<title>{escape(title)}: {many} maximal sets, {len(found.conflicts)} minimal conflicts</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="16">{escape(title)}</text>',
        f'<text x="{LEFT}" y="38" fill="{HOLDS}">hold together</text>',
    ]
    start = LEFT + STEP * many + GAP
    if found.conflicts:
        parts.append(f'<text x="{start}" y="38" fill="{CLASH}">conflict</text>')
    for row, name in enumerate(AXIOMS):
        parts.append(f'<text x="{LEFT - 14}" y="{_y(row) + 4}" text-anchor="end">{name}</text>')
    for column, one in enumerate(found.sets):
        x = LEFT + STEP * column + 8
        for row, name in enumerate(AXIOMS):
            color = HOLDS if name in one.axioms else EMPTY
            parts.append(f'<circle cx="{x}" cy="{_y(row)}" r="7" fill="{color}"/>')
    for column, clash in enumerate(found.conflicts):
        x = start + STEP * column + 8
        rows = [row for row, name in enumerate(AXIOMS) if name in clash.axioms]
        dashed = ' stroke-dasharray="3 3"' if clash.undecided else ""
        parts.append(f'<path d="M{x} {_y(rows[0])}V{_y(rows[-1])}" stroke="{CLASH}" stroke-width="2"{dashed}/>')
        for row in range(len(AXIOMS)):
            y = _y(row)
            mark = f'<path d="M{x - 6} {y - 6}l12 12m0-12l-12 12" stroke="{CLASH}" stroke-width="3"/>'
            parts.append(mark if row in rows else f'<circle cx="{x}" cy="{y}" r="3" fill="{EMPTY}"/>')
        if clash.theorem:
            parts.append(f'<text x="{x}" y="{height - 8}" text-anchor="middle">{clash.theorem}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _y(row: int) -> int:
    return TOP + STEP * row
