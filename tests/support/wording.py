"""Tests of messages that do not depend on wording: a test gives an example, and any other wording of it passes.

A message passes if it has all facts of the example (quoted text, numbers, options, names with capitals or signs) and one
of its other words.
"""

from __future__ import annotations

import re

# Words without meaning of their own.
_COMMON = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "cannot",
        "could",
        "do",
        "does",
        "down",
        "each",
        "every",
        "expected",
        "for",
        "from",
        "get",
        "give",
        "given",
        "gives",
        "got",
        "had",
        "has",
        "have",
        "here",
        "how",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "last",
        "least",
        "left",
        "made",
        "may",
        "more",
        "most",
        "must",
        "need",
        "needed",
        "needs",
        "no",
        "none",
        "not",
        "now",
        "of",
        "off",
        "on",
        "one",
        "only",
        "or",
        "other",
        "out",
        "over",
        "own",
        "should",
        "so",
        "some",
        "such",
        "take",
        "taken",
        "takes",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "too",
        "two",
        "under",
        "up",
        "use",
        "used",
        "uses",
        "was",
        "way",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "will",
        "with",
        "without",
        "write",
        "written",
        "would",
        "you",
        "your",
    ]
)
_QUOTED = re.compile(r"'([^']*)'|`([^`]*)`|\"([^\"]*)\"")
_CLASS = re.compile(r"\\[dDwWsSbB]|\[\^?[^\]\\]*\][*+?]|\.[*+]\??|\(\?[:=!<]+|[\^$]|\{\d+(?:,\d*)?\}")


def wording(example: str) -> str:
    """A pattern for `match=` that any wording of the example matches; the example may be a pattern itself."""
    return "|".join(f"(?:{_one(part)})" for part in re.split(r"(?<!\\)\|", example))


def says(example: str, text: str) -> bool:
    """Whether a text is a wording of the example."""
    return re.search(wording(example), text) is not None


def _one(example: str) -> str:
    plain = re.sub(r"\\(.)", r"\1", _CLASS.sub(" ", example))
    facts = [next(filter(None, groups), "") for groups in _QUOTED.findall(plain)]
    words = []
    for token in _QUOTED.sub(" ", plain).replace("…", " ").split():
        bare = token.strip(",;:.?!()[]{}<>*+“”")
        if re.fullmatch(r"[a-z]+(?:[-'’][a-z]+)*", bare):
            words += [bare] if bare not in _COMMON else []
        elif bare:
            facts += [bare]
    needed = "".join(rf"(?=.*(?<!\d){f}(?!\d))" if f.isdigit() else f"(?=.*{re.escape(f)})" for f in facts if f)
    stems = "|".join(re.escape(word[: max(4, len(word) - 3)]) for word in words)
    assert needed or stems, f"{example!r} has no fact or word that another wording would keep"
    return rf"(?s:\A{needed}" + (rf"(?=.*(?i:{stems}))" if stems else "") + ")"
