"""A verdict on an axiom as a page needs it, with its evidence."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

ANSWERS = ("verdict", "paper", "agrees", "evidence", "region", "proof", "note", "parameters", "uncut")
EXAMPLE = ("label", "weights", "setting", "cutoff", "strict", "scores", "decimals")


def shown_cell(cell: dict[str, Any]) -> dict[str, Any]:
    """Relevance as text and as a number, which decides how large it is drawn; other fields as the engine has them."""
    out = {key: cell[key] for key in ANSWERS if cell.get(key) is not None}
    example = cell.get("counterexample")
    if example:
        out["example"] = {key: example[key] for key in EXAMPLE}
        for side in ("better", "worse"):
            out["example"][side] = [[[r, float(Fraction(r))] for r in row] for row in example[side]]
    return out
