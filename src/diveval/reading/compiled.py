"""The door to the compiled scanner: there or not there, and what it reads for the plain readers beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from diveval import ahead, scanner
from diveval.judgments import Judgments, Members
from diveval.machine import state
from diveval.reading.lines import open_unpacked, source_name
from diveval.reading.parquet import is_parquet


def scanner_for(path: str | Path) -> Any | None:
    """The compiled scanner, if it may try this file: the plain reader must be able to read it again from the start."""
    if str(path) == "-" or state(path) is None or is_parquet(path):
        return None
    return scanner.load()


def trec_judgments(path: str | Path) -> Judgments | None:
    """Judgments of four columns in the ordinary shape; None where the plain reader has to read or to complain."""
    compiled = scanner_for(path)
    if compiled is None:
        return None
    under_way = ahead.current()
    found = None if under_way is None else under_way.judgments(str(path))
    if found is None:
        with open_unpacked(path) as stream:
            found = compiled.judgments(scanner.random_key(), stream.read())
    if found is None:
        return None
    names, starts, aspects, documents, grades = found
    return Judgments.from_groups(
        names, np.frombuffer(starts, dtype=np.int64), _members(aspects), _members(documents),
        np.frombuffer(grades, dtype=np.float64), source=source_name(path),
    )  # fmt: skip


def _members(found: tuple[bytes, bytes, bytes]) -> Members:
    starts, codes, places = found
    return (
        np.frombuffer(starts, dtype=np.int64),
        np.frombuffer(codes, dtype=np.int32),
        np.frombuffer(places, dtype=np.int32),
    )
