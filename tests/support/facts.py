"""The facts of a message, whatever its wording: quoted text, numbers, positions, options, names."""

from __future__ import annotations

import re

_FACT = re.compile(
    r"'[^']*'"  # quoted input
    r"|`[^`]*`"  # a command or a format
    r"|--[\w-]+"  # an option
    r"|:\d+:"  # a line number
    r"|[\w./-]*\d[\w./-]*\w|\d"  # numbers, and names with numbers
    r"|\b[A-Z]\w*[A-Z]\w*\b"  # RBU, EvALL, JSON
)


def facts(text: str) -> list[str]:
    """The facts of an expected message."""
    return _FACT.findall(text)


def missing(message: str, expected: str) -> list[str]:
    """The facts of an expected message that a message lacks."""
    return [fact for fact in facts(expected) if fact not in message]
