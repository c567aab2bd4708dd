"""The first rows of judgments and runs, for interpreters and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from diveval.errors import printable

MOST_ROWS = 10


def preview_rows(title: str, header: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """A title, the first rows with tabs between their cells, and how many more there are."""
    first = ["\t".join(printable(cell) for cell in row) for row in islice(rows, MOST_ROWS)]
    more = [f"… {count - len(first):,} more"] if count > len(first) else []
    return "\n".join([printable(title), "\t".join(header), *first, *more])


def preview_html(text: str) -> str:
    """The same for a notebook."""
    from html import escape  # slow to import

    return f"<pre>{escape(text)}</pre>"
