"""A comparison of systems as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diveval.errors import printable
from diveval.table_text import aligned

if TYPE_CHECKING:
    from diveval.stats.comparison import Comparison, ComparisonRow


def text(result: Comparison) -> str:
    """The runs with their letters, then the pairs."""
    from diveval.stats.tests import TESTS

    test = TESTS[result.test]
    corrected = "simultaneous" if test.simultaneous else f"correction {result.correction}"
    resampled = f", {result.resamples:,} resamples, seed {result.seed}" if test.resampled else ""
    lines = [f"{result.metric}: test {result.test}, {corrected}{resampled}", ""]
    name = f"<{max(len('against'), *(len(printable(run.run)) for run in result.runs))}"  # one width in both tables
    held = result.runs[0].topics is not None
    runs = [["run", *(["topics"] if held else []), "mean", "letters" if result.baseline is None else ""]]
    runs += [[r.run, *([r.topics or ""] if held else []), _number(r.mean), r.letters or ""] for r in result.runs]
    lines += aligned(runs, [name, *([">"] if held else []), ">8", "<"])
    pairs = [["run", "against", "difference", f"{result.confidence:.0%} interval", "effect", "p adj. ", ""]]
    pairs += [_row(row) for row in result.rows]
    lines += ["", *aligned(pairs, [name, name, ">10", ">18", ">7", ">8", "<"])]
    lines += ["", "* significant; effect is Cohen's d_z."]
    return "\n".join(lines) + "\n"


def _row(row: ComparisonRow) -> list[str]:
    span = "" if row.low is None or row.high is None else f"[{row.low:+.4f}, {row.high:+.4f}]"
    star = "*" if row.significant else " "
    difference = "none" if row.difference is None else f"{row.difference:+.4f}"
    p = "none" if row.p_adjusted is None else "<.0001" if row.p_adjusted < 0.0001 else f"{row.p_adjusted:.4f}"
    return [row.run, row.other, difference, span, _number(row.effect, 2), p + star, row.note or ""]


def _number(value: float | None, digits: int = 4) -> str:
    return "none" if value is None else f"{value:.{digits}f}"
