"""One file that opens anywhere: the page, its style, its scripts, Vega and the data, under a strict content policy."""

from __future__ import annotations

import base64
import hashlib
import html
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from diveval.errors import DivevalError, need
from diveval.report.inspector import packed

SCRIPTS = (
    "base.js", "theme.js", "leaderboard.js", "topics.js", "inspector.js", "sections.js", "axioms.js", "main.js",
)  # fmt: skip
BUNDLE = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"


def page(data: dict[str, Any], *, vega: str | None = None) -> str:
    """The report as one HTML text.

    The policy allows the two scripts and the style by their hashes and nothing else: no network, no eval (Vega's own
    interpreter runs the charts' expressions), no inline handlers. Data is JSON in which `<`, `>` and `&` are escaped,
    so no id can end its element; the scripts put ids into the page as text only.
    """
    style, script, engine = asset("style.css"), "\n".join(asset(name) for name in SCRIPTS), vega or vega_script()
    policy = "; ".join([
        "default-src 'none'",
        f"script-src {_hash(engine)} {_hash(script)}",
        f"style-src {_hash(style)}",
        "img-src data:", "base-uri 'none'", "form-action 'none'",
    ])  # fmt: skip
    parts = {
        "policy": html.escape(policy), "title": html.escape(data["title"]), "style": style,
        "data": embedded(data), "vega": engine, "script": script,
    }  # fmt: skip
    # Pieces between the marks, so that no mark inside a part is ever filled.
    first, *rest = asset("page.html").split("{{")
    return first + "".join(parts[name] + text for name, _, text in (piece.partition("}}") for piece in rest))


def asset(name: str) -> str:
    """A file of this room's `assets`."""
    return (files("diveval.report") / "assets" / name).read_text(encoding="utf-8")


def embedded(data: Any) -> str:
    """JSON for a script element: nothing in it can be taken for markup."""
    text = packed(data)
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


# --- Vega -------------------------------------------------------------------------------------------------------------


@cache
def _begun() -> Callable[[], str]:
    """Start to bundle Vega in another process: it takes seconds in which this one can read and compute."""
    need("vl_convert", "report")
    process = subprocess.Popen([sys.executable, "-c", BUNDLE], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @cache
    def finish() -> str:
        script, trouble = process.communicate()
        if process.returncode:
            last = trouble.decode(errors="replace").strip().rpartition("\n")[2]
            raise DivevalError(f"Vega's script could not be bundled by vl-convert: {last}")
        return script.decode()

    return finish


def begin_vega() -> None:
    """Have Vega's script made while other work goes on; `vega_script` waits for it."""
    _begun()


def vega_script() -> str:
    """Vega, Vega-Lite and Vega-Embed (with Vega's expression interpreter) as one script, from vl-convert."""
    script = _begun()()
    if "</script" in script.lower() or "<!--" in script:
        raise DivevalError("Vega's script holds text that would end its element; please report this")
    return script
