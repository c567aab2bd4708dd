"""Labels of judges and their values: support of nuggets, importance, citations, rubric verdicts.

An unknown label counts 0. `Words` counts unknown labels while a file is read and reports them once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from diveval.errors import InputError, UsageError, preview, quote, warn

# A nugget's or citation's label as a grade: full support 2, partial 1, none 0, so that a linear gain gives 1, ½ and 0.
SUPPORT: Mapping[str, float] = {
    word: grade
    for grade, words in {
        2.0: "support full full_support supports supported fully_supported fully_supports fully fs",
        1.0: "partial_support partial partially partially_supported partially_supports partly_supported ps",
        0.0: "not_support none no_support not_supported unsupported not_supports does_not_support ns",
    }.items()
    for word in words.split()
}
Label = TypeVar("Label", int, float)
FAILED = frozenset({"failed", "fail"})  # the judge gave no label: counts 0, and the residual has the possible gain
IMPORTANCE: Mapping[str, float] = {"vital": 1.0, "okay": 0.5}
# A citation's support: 2 full, 1 partial, 0 none, −1 not judged.
CITATION: Mapping[str, int] = {
    "2": 2,
    "1": 1,
    "0": 0,
    "-1": -1,
    **{word: int(grade) for word, grade in SUPPORT.items()},
}
VERDICT: Mapping[str, float] = {"satisfied": 1.0, "partially_satisfied": 0.5, "not_satisfied": 0.0}


def plain(word: Any) -> str:
    """A label in lower case, with underscores for blanks and hyphens."""
    return "_".join(str(word).strip().lower().replace("-", " ").split()) if isinstance(word, str) else ""


@dataclass(frozen=True)
class Share:
    """A label whose value is known: the share of a nugget that is supported, such as the mean of several judges."""

    value: float


WORD_OF: Mapping[float, str] = {1.0: "support", 0.5: "partial_support", 0.0: "not_support"}


def label_of_share(value: float) -> str | Share:
    """The label for a share between 0 and 1: a word if there is one, which tools' own rules know too."""
    return WORD_OF.get(value) or Share(value)


def canonical(label: Any) -> Any:
    """A known label as the word that tools write, which read labels exactly; any other label as it is."""
    if isinstance(label, Share):
        return label
    if is_failed(label):
        return plain(label)
    grade = support_grade(label)
    return label if grade is None else WORD_OF[grade / 2.0]


def name_label(label: Any) -> Any:
    """A nugget's label as a word where it is true or false; a number, whose scale is unknown, is an error."""
    if isinstance(label, bool) or plain(label) in ("true", "false"):
        return "support" if label is True or plain(label) == "true" else "not_support"
    if as_number(label) is not None:
        raise InputError(
            "ambiguous-label",
            f"a label is a word or true or false, got the number {label}, whose scale is unknown",
            hint=f"write support, partial_support or not_support, or say what it means: labels={{{label!r}: …}}, --labels {label}=…",
        )
    return label


def as_number(label: Any) -> float | None:
    """The number that a label is, also as text; None for anything else."""
    if isinstance(label, bool) or not isinstance(label, (int, float, str)):
        return None
    try:
        value = float(label)
    except ValueError:
        return None
    return value if value == value else None


def support_grade(label: Any) -> float | None:
    """The grade of a nugget's label; None if the label is unknown or the judge failed to give one."""
    if isinstance(label, Share):
        return 2.0 * label.value
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
    if isinstance(label, bool) or plain(label) in ("true", "false"):
        return 2 if label is True or plain(label) == "true" else 0
    if isinstance(label, (int, float)):
        return int(label) if label in (2, 1, 0, -1) else None
    number = as_number(label)
    if number is not None:
        return int(number) if number in (2, 1, 0, -1) else None
    return CITATION.get(plain(label))


# How an unknown word is treated, if it does not count 0.
MEANING: Mapping[str, str] = {
    "support labels": "taken as not judged",
    "judgment types": "left out",
    "judged documents": "as their sentence does not cite them, left out",
}


HINTS: Mapping[str, str] = {
    "labels": "say what they mean: labels={'ja': 1, 'nein': 0}, --labels ja=1,nein=0",
    "support labels": "say what they mean: labels={'ja': 1, 'nein': 0}, --labels ja=1,nein=0",
}


NEGATIVE = frozenset({"no", "false", "none"})  # no support wherever the caller says what labels mean


class LabelValues:
    """What the caller's own labels mean: a share between 0 and 1, or one of the known words."""

    def __init__(self, given: Mapping[Any, Any] | None = None) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise UsageError("wrong-type", f"labels maps your labels to shares, got {quote(given)}")
        self.shares = {_key_of(label): self._share(label, value) for label, value in (given or {}).items()}
        if self.shares:
            self.shares = {**dict.fromkeys(NEGATIVE, 0.0), **self.shares}

    @staticmethod
    def _share(label: Any, value: Any) -> float:
        number = as_number(value)
        if isinstance(value, bool) or (number is None and plain(value) in SUPPORT):
            grade = support_grade(value)
            number = None if grade is None else grade / 2.0
        if number is None or not 0.0 <= number <= 1.0:
            fault = f"labels maps a label to a share between 0 and 1, or to a known word, got {quote(value)} for {quote(label)}"
            raise UsageError("invalid-argument", fault)
        return number

    def share(self, label: Any) -> float | None:
        """The share that a label means; None if the caller does not say."""
        return self.shares.get(_key_of(label)) if self.shares else None


def _key_of(label: Any) -> str:
    """A label such that 1, 1.0 and "1" are the same, and true and "True"."""
    number = as_number(label)
    if isinstance(label, bool):
        return str(label).lower()
    return plain(label) if number is None else f"{number:g}"


class Words:
    """The unknown words of one file, by kind."""

    def __init__(self, source: str, values: LabelValues | None = None) -> None:
        self.source = source
        self.values = values or LabelValues()
        self.counts: dict[str, Counter[str]] = {}
        self.seen: Counter[str] = Counter()  # known and unknown words, by kind
        self.numbers: set[int] = set()  # support of citations that was written as a number

    def label(self, label: Any) -> Any:
        """A nugget's label as a known word or share where it has a meaning; an unknown one is counted."""
        share = self.values.share(label)
        named = name_label(label) if share is None else label_of_share(share)
        self.seen["labels"] += 1
        if support_grade(named) is None and not is_failed(named):
            self.count("labels", named)
        return named

    def importance(self, value: Any) -> Any:
        """A nugget's importance as tools write it where it is known; an unknown one is counted."""
        if importance_weight(value) is None:
            self.count("importances", value)
        return plain(value) if plain(value) in IMPORTANCE else value

    def verdict(self, label: Any) -> Any:
        """A criterion's verdict as a known word where it has a meaning; an unknown one is counted."""
        share = self.values.share(label)
        if share is None and isinstance(label, bool):
            share = float(label)
        if share is None and as_number(label) is not None:
            fault = f"a verdict is a word or true or false, got the number {label}"
            raise InputError("ambiguous-label", fault, hint="write satisfied, partially_satisfied or not_satisfied")
        words = {value: word for word, value in VERDICT.items()}
        if share is not None and share not in words:
            raise InputError("invalid-argument", f"a verdict is 1, 0.5 or 0, but labels says {share:g}")
        named = label if share is None else words[share]
        self.seen["verdicts"] += 1
        if plain(named) not in VERDICT:
            self.count("verdicts", named)
        return named

    def support(self, label: Any) -> int:
        """A citation's support: 2, 1, 0 or −1; an unknown label is not judged, and counted."""
        share = self.values.share(label)
        if share is not None and share not in WORD_OF:
            raise InputError("invalid-argument", f"support of a citation is 1, 0.5 or 0, but labels says {share:g}")
        value = citation_support(label) if share is None else int(2 * share)
        self.seen["support labels"] += 1
        if value is not None and share is None and as_number(label) is not None:
            self.numbers.add(value)
        if value is None and as_number(label) is not None:
            fault = f"support of a citation is 2, 1, 0 or -1 (not judged), got the number {label}"
            hint = f"say what it means: labels={{{label!r}: …}}, --labels {label}=…"
            raise InputError("ambiguous-label", fault, hint=hint)
        if value is None:
            self.count("support labels", label)
            return -1
        return value

    def count(self, kind: str, word: Any) -> None:
        """One more occurrence of a word."""
        self.counts.setdefault(kind, Counter())[
            quote(word) if isinstance(word, str) else json.dumps(word, default=str)[:60]
        ] += 1

    def report(self, most: float = 1.0) -> None:
        """One warning for the whole file; an error if every word of a kind is unknown, or more than the share `most`."""
        if 1 in self.numbers and 2 not in self.numbers:
            warn(
                "ambiguous-label",
                f"{self.source}: citations have support 1 and never 2: 1 is partial support and counts ½; where the judge"
                " says yes or no, write true and false",
            )
        for kind, words in self.counts.items():
            number = self.seen[kind]
            if words.total() == number or words.total() > most * number > 0:
                share = "all" if words.total() == number else f"{words.total():,} of"
                raise InputError(
                    "unknown-label",
                    f"{share} {number:,} {kind} are unknown: "
                    + preview([f"{word} ({number}×)" for word, number in words.most_common()]),
                    hint=HINTS.get(kind, ""),
                    source=self.source,
                )
        if not self.counts:
            return
        parts = []
        for kind, words in self.counts.items():
            listed = preview([f"{word} ({number}×)" for word, number in words.most_common()], 8)
            parts.append(f"{sum(words.values())} unknown {kind}, {MEANING.get(kind, 'counted as 0')}: {listed}")
        warn("unknown-label", f"{self.source}: {'; '.join(parts)}")


def most_frequent(labels: Iterable[Label]) -> list[Label]:
    """The label that most judges gave; several where they were given equally often, the lowest first."""
    counts = Counter(labels)
    most = max(counts.values())
    return sorted(label for label, count in counts.items() if count == most)
