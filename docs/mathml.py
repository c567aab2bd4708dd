"""Formulas as MathML, made when the site is built: browsers typeset it themselves, so no page needs the network."""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert

GREEK = {"α": r"\alpha ", "β": r"\beta ", "λ": r"\lambda ", "Σ": r"\sum ", "Π": r"\prod ", "∞": r"\infty "}
SIGNS = {
    "·": r"\cdot ",
    "≤": r"\le ",
    "≥": r"\ge ",
    "−": "-",
    "♯": r"\sharp ",
    "#": r"\sharp ",
    "|": r"\vert ",
    "{": r"\{",
    "}": r"\}",
    "∈": r"\in ",
    "→": r"\to ",
    "≪": r"\ll ",
}
FUNCTIONS = {"min": r"\min ", "max": r"\max ", "log2": r"\log_2 ", "log": r"\log "}
BLOCK = "overflow-x: auto; overflow-y: hidden; padding: 0.4em 0"
TOKEN = re.compile(
    r"(?P<script>[_^])(?:\{(?P<braced>[^{}]*)\}|(?P<called>\w\([^()]*\))|\((?P<round>[^()]*)\)|(?P<single>\w))"
    r"|(?P<function>(?:min|max|log2?)\b)|(?P<words>(?:[A-Za-z]-)?[A-Za-z]{2,}(?:[- ](?!(?:min|max|log2?)\b)[A-Za-z]{2,})*)"
    r"|(?P<space>\s+)|(?P<other>.)"
)


def as_latex(formula: str) -> str:
    """The one-line notation of the catalogue (`Σ_i p^(i−1) r(i,t)`) in LaTeX."""
    return "".join(_latex(match) for match in TOKEN.finditer(formula))


def _latex(match: re.Match[str]) -> str:
    if match["script"]:
        inner = next(text for text in match.group("braced", "called", "round", "single") if text is not None)
        return f"{match['script']}{{{as_latex(inner)}}}"
    if match["function"]:
        return FUNCTIONS[match["function"]]
    if match["words"]:
        return rf"\text{{{match['words']}}}"
    if match["space"]:
        return r"\, "
    return GREEK.get(match["other"], SIGNS.get(match["other"], match["other"]))


def _inline(translator: Any, node: Any) -> None:
    from docutils import nodes

    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: Any) -> None:
    from docutils import nodes

    translator.body.append(f'<div style="{BLOCK}">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}
