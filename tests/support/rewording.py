"""`DIVEVAL_REWORD=1 pytest …` finds tests that depend on wording or on an internal order.

It rewords every error, warning, help text and proof step, and reverses the premises of every step. Common words are
replaced; quoted text, options, numbers, names and file positions stay.
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from diveval import errors

OTHER = {
    "is": "happens to be",
    "are": "happen to be",
    "has": "contains",
    "have": "contain",
    "expected": "should be",
    "got": "what came was",
    "the": "this",
    "a": "one",
    "an": "one",
    "no": "not any",
    "needs": "requires",
    "need": "require",
    "must": "has to",
    "cannot": "can by no means",
    "occurs": "appears",
    "twice": "two times",
    "in": "within",
    "of": "belonging to",
    "with": "along with",
    "for": "regarding",
    "use": "take",
    "give": "supply",
    "and": "as well as",
    "or": "or else",
    "that": "which",
    "not": "never",
}
_KEPT = re.compile(
    r"""('(?:[^'\\]|\\.)*'|"[^"]*"|`[^`]*`|--[a-z-]+(?: \S+)?|\([^)]*\)|pip install \S+|\S*[/:.=@_]\S*)"""
)


def reworded(text: str) -> str:
    """The text with common words replaced."""
    parts = _KEPT.split(text)
    parts[::2] = [re.sub(r"\b[a-z]+\b", lambda word: OTHER.get(word[0], word[0]), part) for part in parts[::2]]
    return "".join(parts)


def _reword(kind: type[errors.DivevalError | errors.DivevalWarning]) -> None:
    original: Any = kind.__init__

    def init(self: Any, code: str, message: str, **named: Any) -> None:
        texts = {name: reworded(value) if name == "hint" else value for name, value in named.items()}
        original(self, code, reworded(message), **texts)

    kind.__init__ = init  # type: ignore[method-assign]


def _reword_help() -> None:
    original = argparse._ActionsContainer.add_argument

    def add_argument(self: Any, *names: Any, **settings: Any) -> Any:
        if settings.get("help") not in (None, argparse.SUPPRESS):
            settings["help"] = reworded(settings["help"])
        return original(self, *names, **settings)

    argparse._ActionsContainer.add_argument = add_argument  # type: ignore[method-assign]


def _reword_proofs() -> None:
    from diveval.axioms.proof.derivation import Derivation

    claim, induction = Derivation.claim, Derivation.induction

    def reversed_claim(self: Any, name: str, text: str, given: Any, conclude: Any) -> None:
        claim(self, name, reworded(text), list(given)[::-1], conclude)

    def reversed_induction(self: Any, name: str, text: str, *, given: Any = (), first: Any = (), **rest: Any) -> None:
        induction(self, name, reworded(text), given=list(given)[::-1], first=list(first)[::-1], **rest)

    Derivation.claim, Derivation.induction = reversed_claim, reversed_induction  # type: ignore[method-assign]


def reword_everything() -> None:
    """Reword everything that this process says from now on."""
    _reword(errors.DivevalError)
    _reword(errors.DivevalWarning)
    _reword_help()
    _reword_proofs()
