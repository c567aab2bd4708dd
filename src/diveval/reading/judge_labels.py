"""Labels of judges and their values: support of nuggets, importance, citations, rubric verdicts.

An unknown label counts 0. `Words` counts unknown labels while a file is read and reports them once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from diveval.errors import InputError, preview, quote, warn

# A nugget's label as a grade: full support 2, partial 1, none 0, so that a linear gain gives 1, ½ and 0.
SUPPORT: Mapping[str, float] = {
    "support": 2.0,
    "full": 2.0,
    "full_support": 2.0,
    "partial_support": 1.0,
    "partial": 1.0,
    "not_support": 0.0,
    "none": 0.0,
    "no_support": 0.0,
}
FAILED = frozenset({"failed", "fail"})  # the judge gave no label: counts 0, and the residual has the possible gain
IMPORTANCE: Mapping[str, float] = {"vital": 1.0, "okay": 0.5}
# A citation's support: 2 full, 1 partial, 0 none, −1 not judged.
CITATION: Mapping[str, int] = {
    "2": 2,
    "1": 1,
    "0": 0,
    "-1": -1,
    "fs": 2,
    "ps": 1,
    "ns": 0,
    "full_support": 2,
    "partial_support": 1,
    "no_support": 0,
    "support": 2,
    "not_support": 0,
}
VERDICT: Mapping[str, float] = {"satisfied": 1.0, "partially_satisfied": 0.5, "not_satisfied": 0.0}


def plain(word: Any) -> str:
    """A label in lower case, with underscores for blanks and hyphens."""
    return "_".join(str(word).strip().lower().replace("-", " ").split()) if isinstance(word, str) else ""


def name_label(label: Any) -> Any:
    """A nugget's label as a word where it is true or false; a number, whose scale is unknown, is an error."""
    if isinstance(label, bool):
        return "support" if label else "not_support"
    if isinstance(label, int | float):
        fault = f"a label is a word or true or false, got the number {label}"
        raise InputError("ambiguous-label", fault, hint="write support, partial_support or not_support")
    return label


def support_grade(label: Any) -> float | None:
    """The grade of a nugget's label; None if the label is unknown or the judge failed to give one."""
    return SUPPORT.get(plain(name_label(label)))


def is_failed(label: Any) -> bool:
    """Whether the judge failed to give this label."""
    return plain(label) in FAILED


def importance_weight(importance: Any) -> float | None:
    """1 for vital, ½ for okay, a number itself, 1 if none is given; None for an unknown word."""
    if importance is None:
        return 1.0
    if isinstance(importance, (int, float)) and not isinstance(importance, bool):
        return float(importance) if 0 <= importance < float("inf") else None
    return IMPORTANCE.get(plain(importance))


def citation_support(label: Any) -> int | None:
    """2, 1, 0 or −1 (not judged), true 2 and false 0; None for anything else."""
    if isinstance(label, bool):
        return 2 if label else 0
    if isinstance(label, (int, float)):
        return int(label) if label in (2, 1, 0, -1) else None
    text = str(label).strip() if isinstance(label, str) else ""
    return CITATION.get(text, CITATION.get(plain(label)))


# How an unknown word is treated, if it does not count 0.
MEANING: Mapping[str, str] = {
    "support labels": "taken as not judged",
    "judgment types": "left out",
    "judged documents": "as their sentence does not cite them, left out",
}


class Words:
    """The unknown words of one file, by kind."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.counts: dict[str, Counter[str]] = {}
        self.seen: Counter[str] = Counter()  # known and unknown words, by kind
        self.numbers: set[int] = set()  # support of citations that was written as a number

    def count(self, kind: str, word: Any) -> None:
        """One more occurrence of a word."""
        self.counts.setdefault(kind, Counter())[quote(word) if isinstance(word, str) else json.dumps(word)[:60]] += 1

    def report(self) -> None:
        """One warning for the whole file; an error if every word of a kind is unknown."""
        if 1 in self.numbers and 2 not in self.numbers:
            warn(
                "ambiguous-label",
                f"{self.source}: citations have support 1 and never 2: 1 is partial support and counts ½; where the judge"
                " says yes or no, write true and false",
            )
        for kind, words in self.counts.items():
            if words.total() == self.seen[kind]:
                raise InputError(
                    "unknown-label",
                    f"all {words.total():,} {kind} are unknown: "
                    + preview([f"{word} ({number}×)" for word, number in words.most_common()]),
                    source=self.source,
                )
        if not self.counts:
            return
        parts = []
        for kind, words in self.counts.items():
            listed = preview([f"{word} ({number}×)" for word, number in words.most_common()], 8)
            parts.append(f"{sum(words.values())} unknown {kind}, {MEANING.get(kind, 'counted as 0')}: {listed}")
        warn("unknown-label", f"{self.source}: {'; '.join(parts)}")
