"""Convert docstrings, written with Markdown's backticks and free indentation, to reStructuredText."""

from __future__ import annotations

import re


def as_restructured_text(lines: list[str]) -> list[str]:
    """Text as paragraphs with `code` marked and `Args:` as fields; other indented or prompted lines keep their layout."""
    out: list[str] = []
    for block in _blocks(lines):
        if block[0] == "Args:":
            out += [*_fields(block[1:]), ""]
        elif any(line.startswith((" ", ">>>")) for line in block):
            out += ["::", "", *("    " + line for line in block), ""]
        else:
            out += [_inline(line) for line in block] + [""]
    return out


def _fields(lines: list[str]) -> list[str]:
    """`name: meaning` as a field, its further lines as the rest of the field."""
    first = len(lines[0]) - len(lines[0].lstrip())
    fields = []
    for line in lines:
        name, colon, meaning = line.strip().partition(": ")
        starts = line[first] != " " and colon
        fields.append(f":param {name}: {_inline(meaning)}" if starts else "    " + _inline(line.strip()))
    return fields


def _blocks(lines: list[str]) -> list[list[str]]:
    """Paragraphs, separated by blank lines."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _inline(line: str) -> str:
    """`code` as literals, with reStructuredText's special characters escaped elsewhere."""
    pieces = re.split(r"`+([^`]+)`+", line)
    return "".join(f"``{piece}``" if i % 2 else re.sub(r"([*|_\\`])", r"\\\1", piece) for i, piece in enumerate(pieces))
