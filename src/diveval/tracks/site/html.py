"""HTML without scripts: elements whose text is always escaped, a content security policy that allows one style sheet, and
small drawings in the style of the report.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from html import escape
from importlib.resources import files

import numpy as np

from diveval import __version__
from diveval.errors import printable
from diveval.views import assets

WIDTH, HEIGHT = 84, 9


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def el(tag: str, *children: object, **attributes: str | float | None) -> Markup:
    """An element; `class_` and `data_x` stand for `class` and `data-x`, attributes that are None are left out."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(printable(str(value)))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{tag}{named}>{_inner(children)}</{tag}>")


def _inner(children: Iterable[object]) -> str:
    parts = []
    for child in children:
        if isinstance(child, (list, tuple)):
            parts.append(_inner(child))
        elif child is not None:
            parts.append(str(child) if isinstance(child, Markup) else escape(printable(str(child))))
    return "".join(parts)


def join(*children: object) -> Markup:
    return Markup(_inner(children))


def link(text: object, target: str) -> Markup:
    return el("a", text, href=target)


def facts(rows: Iterable[tuple[str, object]]) -> Markup:
    """Names and values."""
    return el("dl", *(join(el("dt", name), el("dd", value)) for name, value in rows))


def table(head: Sequence[object], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()) -> Markup:
    """A table that scrolls on small screens; `numbers` are the columns aligned to the right."""
    classes = dict.fromkeys(numbers, "n")
    columns = (
        el("th", cell, scope="col", class_=classes.get(i)) if cell != "" else el("td") for i, cell in enumerate(head)
    )
    top = el("tr", *columns)
    body = [el("tr", *(el("td", cell, class_=classes.get(i)) for i, cell in enumerate(row))) for row in rows]
    return el("div", el("table", el("thead", top), el("tbody", *body), class_="plain"), class_="scroll")


def section(title: str, *children: object, id: str | None = None) -> Markup:
    return el("section", el("h2", title), *children, id=id)


@cache
def style() -> str:
    """The style of the report's views, and what only the site has; dark where the reader's system is."""
    views = assets.text("style.css")
    dark = re.search(r':root\[data-theme="dark"\] (\{[^}]*\})', views)
    assert dark is not None  # a test of the site looks at both colours in a browser
    own = (files("diveval.tracks.site") / "site.css").read_text(encoding="utf-8")
    return f"{views}@media screen and (prefers-color-scheme: dark) {{ :root {dark[1]} }}\n{own}"


@cache
def policy() -> str:
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def page(title: str, site: str, nav: Sequence[tuple[str, str]], *content: object, up: str = "") -> bytes:
    """A whole page; `up` leads from its folder to the root of the site."""
    links = [link(text, up + target) for text, target in nav]
    head = join(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{escape(policy())}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        Markup(f'<meta name="generator" content="diveval {escape(__version__)}">'),
        el("title", title if title == site else f"{title} · {site}"),
        Markup(f"<style>{style()}</style>"),
    )
    navigation = el("nav", *links, aria_label="Pages")
    body = join(
        el("a", "Skip to the content", class_="skip", href="#main"),
        el("header", el("div", el("strong", site, class_="name"), navigation, class_="wrap bar"), class_="top"),
        el("main", el("h1", title), *content, class_="wrap", id="main"),
    )
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'.encode()


# --- drawings ---------------------------------------------------------------------------------------------------------


def _scale(values: Sequence[float], width: int) -> Callable[[float], str]:
    """From values to pixels, with room for a mark at both ends."""
    low, high = min(values), max(values)
    factor = (width - 8) / (high - low) if high > low else 0.0
    offset = (4 - low * factor) if factor else width / 2
    return lambda value: f"{value * factor + offset:.1f}"


def mean_mark(mean: float, ends: tuple[float, float] | None, around: Sequence[float]) -> Markup:
    """The mean as a dot on its interval; zero is a dashed line where it is in sight."""
    at, marks = _scale(around, WIDTH), []
    if min(around) < 0 < max(around):
        marks.append(el("line", class_="zero", x1=at(0), x2=at(0), y1=0, y2=HEIGHT))
    if ends is not None:
        marks.append(el("line", class_="range", x1=at(ends[0]), x2=at(ends[1]), y1=4.5, y2=4.5))
    marks.append(el("circle", class_="point", cx=at(mean), cy=4.5, r=3))
    return el("svg", *marks, viewBox=f"0 0 {WIDTH} {HEIGHT}", width=WIDTH, height=HEIGHT, aria_hidden="true")


def strip(values: Sequence[float], own: float | None, around: Sequence[float], width: int = 160) -> Markup:
    """All systems on one topic as dots, their median as a stroke, one of them highlighted."""
    ends = (min(around), max(around))
    marks = [_dots(tuple(values), ends, width)]
    if own is not None:
        marks.append(el("circle", class_="own", cx=_scale(ends, width)(own), cy=7, r=3.5))
    return el("svg", *marks, viewBox=f"0 0 {width} 14", width=width, height=14, class_="strip", aria_hidden="true")


@lru_cache(maxsize=1024)
def _dots(values: tuple[float, ...], ends: tuple[float, float], width: int) -> Markup:
    """What the drawings of all runs on one topic have in common."""
    at = _scale(ends, width)
    middle = at(float(np.median(values)))
    return join(
        el("line", x1=0, x2=width, y1=7, y2=7),
        *(el("circle", cx=at(value), cy=7, r=3) for value in values),
        el("line", class_="median", x1=middle, x2=middle, y1=1, y2=13),
    )


def heat_class(value: float, low: float, high: float) -> str:
    """One of ten strengths; two colours where values lie on both sides of zero, as in the report."""
    if low < 0 < high:
        reach = max(-low, high)
        step = min(9, int(10 * abs(value) / reach))
        return f"{'b' if value < 0 and step else 'h'}{step}"
    if high <= 0:
        step = min(9, int(10 * (high - value) / (high - low))) if high > low else 0
        return f"{'b' if step else 'h'}{step}"
    return f"h{min(9, max(0, int(10 * (value - low) / (high - low)))) if high > low else 0}"
