"""Draw the ten constraints: two rankings each, with their scores by two metrics, computed by the library.

`python docs/generate_constraints.py` writes docs/images/constraints/*.svg, which are kept in the repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from diveval.metrics import parse

FOLDER = Path(__file__).resolve().parent / "images" / "constraints"
SEES = "RBU(p=0.8,e=0.05)"
CELL, ROW, TOP, LEFT, GAP = 46, 22, 40, 34, 74
INK, PALE, LINE = "#1f2933", "#6b7785", "#d5dbe1"
Rows = list[list[float]]


@dataclass(frozen=True)
class Picture:
    """A better and a worse ranking according to a constraint, and a metric that violates it."""

    name: str
    better: Rows
    worse: Rows
    blind: str
    weights: tuple[float, ...] = ()
    strict: bool = True

    @property
    def shares(self) -> tuple[float, ...]:
        aspects = len(self.better[0])
        return self.weights or tuple(1 / aspects for _ in range(aspects))

    def values(self, metric: str) -> tuple[float, float]:
        """The scores of the better and the worse ranking."""
        weights = list(self.shares)
        return parse(metric)(self.better, weights=weights), parse(metric)(self.worse, weights=weights)


PICTURES = [
    Picture("Pri", [[0.6], [0.2]], [[0.2], [0.6]], "P@2"),
    Picture("Deep", [[0.3], [0.1], [0.1], [0.3]], [[0.1], [0.3], [0.3], [0.1]], "P@4"),
    Picture("DeepTh", [[0.3]] + [[0.0]] * 5, [[0.0]] * 3 + [[0.3]] * 3, "DCG"),
    Picture("CloseTh", [[0.0], [0.0], [0.1], [0.1]], [[0.1], [0.0], [0.0], [0.0]], "ERR"),
    Picture("Conf", [[0.5]], [[0.5], [0.0]], "DCG"),
    Picture("AspDiv", [[0.4, 0.5]], [[0.3, 0.1]], "P_IA@1"),
    Picture("Red", [[0.4, 0.0], [0.0, 0.4]], [[0.4, 0.0], [0.4, 0.0]], "RBP_IA(p=0.8)"),
    Picture("MRed", [[0.5, 0.2], [0.0, 0.4]], [[0.5, 0.2], [0.4, 0.0]], "alpha_DCG"),
    Picture("Sat", [[1.0, 0.0]], [[1.0, 0.0], [0.5, 0.0]], "alpha_DCG", strict=False),
    Picture("AspRel", [[0.0, 0.4]], [[0.4, 0.0]], "alpha_DCG", weights=(0.3, 0.7)),
]


def drawn(picture: Picture) -> str:
    """The picture as SVG of a few kilobytes, with a white background so that it is readable in dark mode."""
    ranks, aspects = max(len(picture.better), len(picture.worse)), len(picture.better[0])
    width = max(2 * (LEFT + aspects * CELL) + GAP + 24, 330)
    must = "higher" if picture.strict else "at least as high"
    right = width - (LEFT + aspects * CELL) - 12
    height = TOP + ranks * ROW + 62
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' font-family="Helvetica, Arial, sans-serif" font-size="12" role="img">',
        f"<title>{picture.name}: the left ranking must score {must}</title>",
        f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff" stroke="{LINE}"/>',
        *_ranking(picture.better, picture.shares, 12),
        *_ranking(picture.worse, picture.shares, right),
        _text(width / 2, TOP + ranks * ROW / 2 + 5, ">" if picture.strict else "≥", size=20, anchor="middle"),
        *_scores(picture, SEES, TOP + ranks * ROW + 24, width),
        *_scores(picture, picture.blind, TOP + ranks * ROW + 46, width),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _ranking(rows: Rows, shares: tuple[float, ...], x: float) -> Iterator[str]:
    for t, share in enumerate(shares):
        label = "r" if len(shares) == 1 else f"{'tu'[t]} · {share:g}"
        yield _text(x + LEFT + (t + 0.5) * CELL, TOP - 10, label, anchor="middle", colour=PALE)
    for i, row in enumerate(rows):
        y = TOP + i * ROW
        yield _text(x + LEFT - 8, y + 15, str(i + 1), anchor="end", colour=PALE)
        for t, r in enumerate(row):
            left = x + LEFT + t * CELL
            yield (
                f'<rect x="{left + 1:g}" y="{y + 1:g}" width="{CELL - 2}" height="{ROW - 2}" rx="3"'
                f' fill="{_shade(r)}" stroke="{LINE}"/>'
            )
            ink = "#ffffff" if r >= 0.55 else INK
            yield _text(left + CELL / 2, y + 15, f"{r:g}" if r else "–", anchor="middle", colour=ink)


def _scores(picture: Picture, metric: str, y: float, width: float) -> Iterator[str]:
    better, worse = picture.values(metric)
    sign = "=" if abs(better - worse) < 1e-12 else ">" if better > worse else "<"
    yield _text(width / 2, y, f"{metric}:  {better:.4f} {sign} {worse:.4f}", anchor="middle")


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, colour: str = INK) -> str:
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{safe}</text>'


def _shade(r: float) -> str:
    """A colour from white to dark blue."""
    red, green, blue = (round(255 + (end - 255) * r) for end in (20, 82, 140))
    return f"#{red:02x}{green:02x}{blue:02x}"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in PICTURES:
        (FOLDER / f"{each.name}.svg").write_text(drawn(each), encoding="utf-8")
