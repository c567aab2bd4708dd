"""What a terminal shows: its width, the characters that it has, and bold numbers."""

from __future__ import annotations

import os
import re
import sys


def encodable(text: str) -> bool:
    """Does the encoding of standard output have every character?"""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def embolden(text: str) -> str:
    """Numbers with a mark, in bold: a table's best values, and significant differences."""
    return re.sub(r"([<-]?[\d.,]*\d[*†‡])", "\x1b[1m\\1\x1b[0m", text)


def terminal_width() -> int:
    """The width of tables: $COLUMNS, else the terminal's, or 80 without a terminal."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns[:6]) > 0:
        return max(int(columns[:6]), 20)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
