"""Markdown helpers for the generated pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mathml import as_latex


def escaped(text: str) -> str:
    """Plain text escaped for Markdown; `code` remains code."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") and len(p) > 1 else re.sub(r"([\\*_\[\]<>|#`])", r"\\\1", p) for p in pieces)


def code(text: str) -> str:
    """Text as inline code, also inside a table."""
    return "`" + text.replace("|", "∣").replace("`", "'") + "`"


def fence(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.rstrip()}\n```\n"


def formula(text: str) -> str:
    """A formula of the catalogue, typeset on a line of its own."""
    return "```{math}\n" + as_latex(text) + "\n```\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
