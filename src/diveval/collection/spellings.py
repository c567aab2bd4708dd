"""Ids that differ only in how they are spelled: what a join counts as different, and people seldom mean so."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import numpy as np

from diveval.collection.columns import Names
from diveval.errors import count_of, preview, quote, warn

IGNORED = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d"))  # characters without width


def warn_about_alike(kind: str, names: Names | Iterable[str], source: str = "") -> None:
    """Warn about ids of one kind, such as users, that differ only in spelling."""
    alike = find_alike(names if isinstance(names, Names) else Names.of(dict.fromkeys(names)))
    if alike:
        shown = preview([" and ".join(map(quote, group)) for group in alike], 3)
        place = f"{source}: " if source else ""
        warn(
            "ids-alike",
            f"{place}{count_of(len(alike), f'group of {kind}', f'groups of {kind}')} with ids that differ only in case,"
            f" blanks, leading zeros or a final .0 count as different: {shown}",
        )


def find_alike(names: Names) -> list[list[str]]:
    """Groups of names that differ only in case, blanks, leading zeros, a final .0 or invisible characters."""
    if not _may_be_alike(names):
        return []
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(normalise(name), []).append(name)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def _may_be_alike(names: Names) -> bool:
    """Whether any name has a sign that `normalise` changes, found without a str for each."""
    text, offsets = names.text, names.offsets
    if not text.isascii() or text != text.lower() or re.search(rb"[\s.]", text):
        return True
    signs = np.frombuffer(text, dtype=np.uint8)
    first = np.zeros(len(signs) + 1, dtype=bool)
    first[offsets] = True  # of a name, and the end
    digit = np.r_[(signs >= ord("0")) & (signs <= ord("9")), False]
    leading = np.r_[signs == ord("0"), False] & (first | ~np.r_[False, digit[:-1]])
    return bool((leading[:-1] & digit[1:] & ~first[1:]).any())


def normalise(name: str) -> str:
    """An id without what people and programs change by accident."""
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name).translate(IGNORED)
    plain = re.sub(r"(?<=\d)\.0+$", "", " ".join(plain.casefold().split()))
    return re.sub(r"(?<!\d)0+(?=\d)", "", plain)
