"""The report as one HTML file with its style, script and data, under a strict content security policy."""

from __future__ import annotations

import base64
import hashlib
import html
import zlib
from importlib.resources import files
from typing import Any

from diveval.views import assets
from diveval.views.walks import pack

ENTRY = "report.js"
# The parts that grow with runs × topics, runs × runs and metrics, and sentences with the rows that they follow from.
PACKED = ("values", "leaderboard", "conclusions", "headline", "judging", "titles", "axioms", "parameters", "made")
LARGE = 400_000  # characters from which these parts are compressed together


def page(data: dict[str, Any]) -> str:
    """The report as one HTML text.

    The policy allows the one script and the style by their hashes and nothing else: no network, no eval, no inline
    handlers. Data is JSON in which `<`, `>` and `&` are escaped, so no id can end its element; the script puts ids into
    the page as text only.
    """
    style, script = assets.text("style.css"), assets.script(ENTRY)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    parts = {
        "policy": html.escape(policy),
        "title": html.escape(data["title"]),
        "style": style,
        "data": embed(pack_large(data)),
        "script": script,
    }
    # Split the template instead of replacing one mark after the other: text like a mark inside a part is left alone.
    first, *rest = template().split("{{")
    return first + "".join(parts[name] + text for name, _, text in (piece.partition("}}") for piece in rest))


def pack_large(data: dict[str, Any]) -> dict[str, Any]:
    """The data with its large parts compressed, if together they are large; the page opens them before it is drawn."""
    parts = {name: data[name] for name in PACKED if name in data}
    if len(pack(parts)) < LARGE:
        return data
    return {**{name: value for name, value in data.items() if name not in parts}, "packed": deflate(parts)}


def deflate(value: Any) -> str:
    """Compressed JSON as text, about a seventh of its size; browsers decompress it without a library."""
    return base64.b64encode(zlib.compress(pack(value).encode(), 9)).decode()


def template() -> str:
    """The page without its parts."""
    return (files("diveval.report") / "assets" / "page.html").read_text(encoding="utf-8")


def embed(data: Any) -> str:
    """JSON for a script element: nothing in it can be taken for markup."""
    text = pack(data)
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
