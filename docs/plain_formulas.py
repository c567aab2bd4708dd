"""Find formulas in plain notation, such as `Σ_i p^i r(i,t)`, in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

SCRIPT = r"(?:'|[²³]|\^(?:\{[^{}]*\}|\([^()]*\)|[A-Za-z]+|\d+)|_(?:\{[^{}]*\}|\([^()]*\)|max|min|AP|\w(?!\w)))*"
VARIABLE = r"(?<![A-Za-z'])√?[A-Za-zα-ωΔΣΠ](?![A-Za-z])"
NUMBER = r"(?<![\w.])\d+(?:\.\d+)?(?!\.?\d)(?![A-Za-z])"
PIECE = re.compile(
    rf"(?P<atom>(?:(?<![A-Za-z])(?:(?:log[₂2]?|max|min)(?![A-Za-z])|[a-z]{{2,}}(?=\())|{VARIABLE}|{NUMBER}){SCRIPT})|(?P<sign>[−+·/=<>≤≥≪→⇒⟹⇔…])"
    rf"|(?P<open>√?[(\[])|(?P<close>[)\]]{SCRIPT})|(?P<comma>,)|(?P<space>[ \n]+)|(?P<other>.)"
)
ONLY_FORMULAS_HAVE = re.compile(r"[_^ΣΠ₂√]|\blog\(|[a-zα-ω][²³]")
Piece = re.Match[str]


def formulas(text: str) -> list[tuple[int, int]]:
    """The start and end of every formula with a power, a subscript, a sum or a product; `n > 3` alone remains text."""
    spans = ((run[0].start(), run[-1].end()) for run in map(_trimmed, _runs(text)) if run)
    return [span for span in spans if ONLY_FORMULAS_HAVE.search(text[slice(*span)])]


def _runs(text: str) -> Iterator[list[Piece]]:
    """Sequences of pieces that can form a formula."""
    run: list[Piece] = []
    for piece in PIECE.finditer(text):
        if not _continues(run, piece):
            yield run
            run = []
        if piece.lastgroup != "other":
            run.append(piece)
    yield run


def _continues(run: list[Piece], piece: Piece) -> bool:
    kind = piece.lastgroup
    if kind in ("comma", "close"):
        return _depth(run) > 0
    if kind == "atom" and run and run[-1].lastgroup == "space":  # a factor, or a word of the sentence?
        before = next((p for p in reversed(run) if p.lastgroup != "space"), piece)
        called = piece.string[piece.end() : piece.end() + 1] == "("
        return (
            before.lastgroup in ("sign", "open", "comma")
            or before[0].startswith(("Σ", "Π", "log", "max", "min"))
            or called
            or bool(ONLY_FORMULAS_HAVE.search(piece[0]))
        )
    return kind != "other"


def _depth(run: list[Piece]) -> int:
    return sum((piece.lastgroup == "open") - (piece.lastgroup == "close") for piece in run)


def _trimmed(run: list[Piece]) -> list[Piece]:
    """Remove spaces, operators, articles and unmatched brackets at the ends."""
    while run and run[-1].lastgroup in ("space", "comma", "sign", "open"):
        run = run[:-1]
    while run and (
        run[0].lastgroup in ("space", "comma", "close") or (run[0].lastgroup == "sign" and run[0][0] != "−")
    ):
        run = run[1:]
    if len(run) > 2 and run[0][0] in ("a", "A") and run[1].lastgroup == "space" and run[2].lastgroup != "sign":
        return _trimmed(run[1:])
    if _depth(run) > 0:
        half = next(at for at in reversed(range(len(run))) if run[at].lastgroup == "open" and _depth(run[at:]) > 0)
        return _trimmed(run[:half] or run[1:])
    return run
