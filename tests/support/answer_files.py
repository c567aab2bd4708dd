"""Small files of nuggets, labels and answers."""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from diveval.errors import DivevalWarning

T = TypeVar("T")


def nugget(text: str, importance: str = "vital", label: str | None = None, **more: Any) -> dict[str, Any]:
    """A nugget as nuggetizer writes it, with a label if one is given."""
    return {"text": text, "importance": importance, **({} if label is None else {"assignment": label}), **more}


def write(path: Path, *records: Mapping[str, Any], form: str = "lines") -> Path:
    """Write records as JSON lines, as one array, or compressed with a byte-order mark and Windows line ends."""
    if form == "array":
        path.write_text(json.dumps(list(records), indent=1, ensure_ascii=False), encoding="utf-8")
    elif form == "packed":
        text = "\ufeff" + "\r\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\r\n\r\n"
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def quietly(function: Callable[..., T], *given: Any, **named: Any) -> tuple[T, list[str]]:
    """The result of a call, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DivevalWarning)
        result = function(*given, **named)
    return result, [str(warning.message) for warning in caught]
