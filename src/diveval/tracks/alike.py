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
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if unicodedata.category(c) not in ("Mn", "Cf"))
    return " ".join(plain.casefold().translate(_SCRIPTS).split())


def look_alike(one: str, two: str) -> bool:
    """Whether two names would be mixed up in a table, where I, l, 1 and |, or 0 and O, look the same."""
    shapes = (unicodedata.normalize("NFKC", name).translate(_SHAPES) for name in (one, two))
    return fold_name(one) == fold_name(two) or len(set(shapes)) == 1
