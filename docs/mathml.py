"""Convert formulas to MathML when the site is built; browsers typeset it without loading a library.

Formulas between dollar signs are LaTeX. Those in the plain notation of verdicts, tables and docstrings are found in the
text of a page, outside code and titles, and typeset as well.
"""

from __future__ import annotations

import re
from typing import Any

from latex2mathml.converter import convert
from plain_formulas import formulas

GREEK = {
    "α": r"\alpha ",
    "β": r"\beta ",
    "λ": r"\lambda ",
    "ν": r"\nu ",
    "τ": r"\tau ",
    "ε": r"\varepsilon ",
    "Δ": r"\Delta ",
    "Σ": r"\sum ",
    "Π": r"\prod ",
    "∞": r"\infty ",
}
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
    "∃": r"\exists ",
    "∀": r"\forall ",
    "→": r"\to ",
    "≪": r"\ll ",
    "⇒": r"\Rightarrow ",
    "⟹": r"\Longrightarrow ",
    "⇔": r"\Leftrightarrow ",
    "↔": r"\leftrightarrow ",
    "…": r"\dots ",
    "²": "^{2}",
    "³": "^{3}",
    "₂": "_{2}",
    "'": r"\text{′}",  # fonts without mathematics raise a prime already: as a superscript it would be raised twice
}
FUNCTIONS = {"min": r"\min ", "max": r"\max ", "log2": r"\log_2 ", "log": r"\log "}
BLOCK = "overflow-x: auto; overflow-y: hidden; padding: 0.4em 0"
TOKEN = re.compile(
    r"(?P<script>[_^])(?:\{(?P<braced>[^{}]*)\}|(?P<called>\w\([^()]*\))|\((?P<round>[^()]*)\)|(?P<word>[A-Za-z]{2,}|\d+)|(?P<single>\w))"
    r"|(?P<function>(?:min|max|log2?)(?![A-Za-z0-9]))|(?P<words>(?:[A-Za-z]-)?[A-Za-z]{2,}(?:[- ](?!(?:min|max|log2?)\b)[A-Za-z]{2,})*)"
    r"|√(?:\((?P<under>[^()]*)\)|(?P<root>\w))|(?P<space>\s+)|(?P<other>.)"
)


def as_latex(formula: str) -> str:
    """The one-line notation of the catalogue (`Σ_i p^(i−1) r(i,t)`) in LaTeX."""
    return "".join(_latex(match) for match in TOKEN.finditer(formula))


def _latex(match: re.Match[str]) -> str:
    if match["script"]:
        inner = next(text for text in match.group("braced", "called", "round", "word", "single") if text is not None)
        return f"{match['script']}{{{as_latex(inner)}}}"
    if under_root := match["under"] or match["root"]:
        return rf"\sqrt{{{as_latex(under_root)}}}"
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

    translator.body.append(f'<div tabindex="0" style="{BLOCK}">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def typeset(document: Any) -> None:
    """Replace the formulas in plain notation of a page by math nodes."""
    from docutils import nodes
    from sphinx.addnodes import desc_signature

    as_they_are = (
        nodes.literal,
        nodes.literal_block,
        nodes.math,
        nodes.math_block,
        nodes.title,
        nodes.raw,
        desc_signature,
    )
    for node in list(document.findall(nodes.Text)):
        text = node.astext()
        spans = [] if _inside(node, as_they_are) else formulas(text)
        if spans:
            parts, end = [], 0
            for start, stop in spans:
                latex = as_latex(text[start:stop])
                parts += [nodes.Text(text[end:start]), nodes.math(latex, latex)]
                end = stop
            node.parent.replace(node, [*parts, nodes.Text(text[end:])])


def _inside(node: Any, kinds: tuple[type, ...]) -> bool:
    while node is not None and not isinstance(node, kinds):
        node = node.parent
    return node is not None


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-resolved", lambda _, document, __: typeset(document))
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True}
