"""The order of systems that survives: a drawing in which a line leads from each system to those it certainly beats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

WIDTH, ROW, BOX = 190, 64, 26


def reduced(edges: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The edges that do not follow from others: a beats b directly, not through a third."""
    known = set(edges)
    below: dict[str, set[str]] = {}
    for a, b in known:
        below.setdefault(a, set()).add(b)
    return sorted((a, b) for a, b in known if not any(b in below.get(c, ()) for c in below[a] if c != b))


def layers(systems: Sequence[str], edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Systems by the length of the longest chain above them, each layer in the order they came."""
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
    for a, b in reduced(edges):
        (x, y), (u, v) = place[a], place[b]
        # A line over several layers goes straight down first, so that it does not run behind the boxes between.
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
