"""Pages without scripts: elements whose text is always escaped, under a policy that allows their one style only."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from diveval import __version__
from diveval.errors import printable
from diveval.views import assets


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
        if child is None:
            continue
        if isinstance(child, Markup):
            parts.append(str(child))
        elif isinstance(child, (list, tuple)):
            parts.append(_inner(child))
        else:
            parts.append(escape(printable(str(child))))
    return "".join(parts)


def joined(*children: object) -> Markup:
    return Markup(_inner(children))


def link(text: object, target: str) -> Markup:
    return el("a", text, href=target)


def facts(rows: Iterable[tuple[str, object]]) -> Markup:
    """Names and values."""
    return el("dl", *(joined(el("dt", name), el("dd", value)) for name, value in rows))


def table(head: Sequence[object], rows: Iterable[Sequence[object]], *, numbers: Sequence[int] = ()) -> Markup:
    """A table that scrolls on small screens; `numbers` are the columns aligned to the right."""
    classes = dict.fromkeys(numbers, "n")
    top = el("tr", *(el("th", cell, scope="col", class_=classes.get(i)) for i, cell in enumerate(head)))
    body = [el("tr", *(el("td", cell, class_=classes.get(i)) for i, cell in enumerate(row))) for row in rows]
    return el("div", el("table", el("thead", top), el("tbody", *body), class_="plain"), class_="scroll")


def section(title: str, *children: object, id: str | None = None) -> Markup:
    return el("section", el("h2", title), *children, id=id)


@cache
def style() -> str:
    """The style of the report's views, and what only the site has."""
    return assets.text("style.css") + (files("diveval.tracks.site") / "site.css").read_text(encoding="utf-8")


@cache
def policy() -> str:
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def page(title: str, site: str, nav: Sequence[tuple[str, str]], *content: object, up: str = "") -> bytes:
    """A whole page; `up` leads from its folder to the root of the site."""
    links = [link(text, up + target) for text, target in nav]
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{escape(policy())}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        Markup(f'<meta name="generator" content="diveval {escape(__version__)}">'),
        el("title", title if title == site else f"{title} · {site}"),
        Markup(f"<style>{style()}</style>"),
    )
    navigation = el("nav", *links, aria_label="Pages")
    body = joined(
        el("a", "Skip to the content", class_="skip", href="#main"),
        el("header", el("div", el("strong", site, class_="name"), navigation, class_="wrap bar"), class_="top"),
        el("main", el("h1", title), *content, class_="wrap", id="main"),
    )
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'.encode()
