"""YAML as platforms read it: block style, every text in double quotes, so that no time is taken for a number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def dump(value: dict[str, Any]) -> str:
    """A table as a YAML document."""
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    for head, inner in (
        ((f"{_key(key)}:", item) for key, item in value.items())
        if isinstance(value, dict)
        else (("-", item) for item in value)
    ):
        if not isinstance(inner, (dict, list)) or not inner:
            yield f"{head} {json.dumps(inner, ensure_ascii=False)}"
            continue
        nested = list(_lines(inner))
        if head == "-":
            yield f"- {nested[0]}"
            yield from (f"  {line}" for line in nested[1:])
        else:
            yield head
            yield from (f"  {line}" for line in nested)


def _key(key: str) -> str:
    return key if key.replace("_", "").isalnum() and key.isascii() else json.dumps(key, ensure_ascii=False)
