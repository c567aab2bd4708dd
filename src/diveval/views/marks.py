"""The marks of verdicts, one set for every picture; a word that is not here is shown as it is, beside `OTHER`."""

from __future__ import annotations

# verdict → mark, kind of colour, words
MARKS: dict[str, tuple[str, str, str]] = {
    "holds": ("●", "yes", "holds"),
    "fails": ("○", "no", "fails"),
    "region": ("◐", "part", "holds for some parameters"),
    "bounded": ("◕", "part", "holds up to the bound that was checked"),
    "vacuous": ("∅", "open", "holds because its premise never occurs"),
    "not-applicable": ("–", "open", "does not apply"),
    "unknown": ("?", "open", "is not decided"),
    "open": ("·", "open", "was not decided in time"),
}
OTHER = "◇"


def mark(verdict: str | None) -> str:
    """The mark of a verdict; None is a cell nobody decided."""
    return MARKS.get(verdict or "open", (OTHER, "", ""))[0]


def legend() -> dict[str, list[str]]:
    """The marks as plain data, for the page."""
    return {verdict: list(parts) for verdict, parts in MARKS.items()}
