"""Names that people would mix up: equal but for case, accents, invisible characters, or letters of another script."""

from __future__ import annotations

import unicodedata

# Letters of other scripts, casefolded, that look like Latin ones in either case (after Unicode's confusables, UTS 39).
_SCRIPTS = str.maketrans(
    "авекмнорстухіјѕԁһԛԝӏ" + "αβεζηικμνορτυχ" + "ıøłđ",
    "abekmhopctyxijsdhqwl" + "abezhikmnoptyx" + "iold",
)
_SHAPES = str.maketrans("I1|0", "lllO")


def fold_name(name: str) -> str:
    """What two names have in common that differ by case, accents, width, blanks, invisible characters, or script only."""
    if not name.isascii():
        decomposed = unicodedata.normalize("NFKD", name)
        plain = "".join(c for c in decomposed if unicodedata.category(c) not in ("Mn", "Cf"))
        name = plain.casefold().translate(_SCRIPTS)
    return " ".join(name.casefold().split())


def look_of(name: str) -> tuple[str, str]:
    """Two names are mixed up if they have one of these in common: folded, or as in a table, where I, l and 1 look the same."""
    return fold_name(name), unicodedata.normalize("NFKC", name).translate(_SHAPES) + "\0"
