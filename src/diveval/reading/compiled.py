"""Files as columns by the compiled scanner: what it reads for the plain readers beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from diveval import scanner
from diveval.columns import Codes, Names
from diveval.judgments import JudgmentRows
from diveval.machine import state
from diveval.reading.lines import open_unpacked
from diveval.runs import RunRows

_PIECE = 1 << 20  # bytes of lines handed on at once


def scanner_for(path: str | Path) -> Any | None:
    """The compiled scanner, if it may try this file: the plain reader must be able to read it again from the start."""
    return None if str(path) == "-" or state(path) is None else scanner.load()


def trec_judgments(path: str | Path) -> JudgmentRows | None:
    """Judgments of four columns in the ordinary shape; None where the plain reader has to read or to complain."""
    found = _table(path, runs=False)
    if found is None:
        return None
    (topics, topic), (aspects, aspect), (documents, document) = map(_names, found[:3])
    grades = np.frombuffer(found[3], dtype=np.float64)
    return JudgmentRows(topics, aspects, documents, topic, aspect, document, grades)


def trec_run(path: str | Path) -> tuple[RunRows, str] | None:
    """A run of six columns in the ordinary shape, with its tag; None likewise."""
    found = _table(path, runs=True)
    if found is None:
        return None
    (topics, topic), _, (documents, document) = map(_names, found[:3])
    scores, ranks = np.frombuffer(found[3], dtype=np.float64), np.frombuffer(found[4], dtype=np.int64)
    return RunRows(topics, documents, topic, document, scores, ranks), str(found[5])


def _names(found: tuple[tuple[bytes, bytes], bytes]) -> tuple[Names, Codes]:
    return Names.from_pair(found[0]), np.frombuffer(found[1], dtype=np.int32)


def _table(path: str | Path, *, runs: bool) -> Any | None:
    compiled = scanner_for(path)
    if compiled is None:
        return None
    table, rest = compiled.table(scanner.random_key(), runs), b""
    with open_unpacked(path) as stream:
        while piece := stream.read(_PIECE):
            cut = piece.rfind(b"\n") + 1
            if compiled.table_feed(table, rest + piece[:cut]) != scanner.SCAN_OK:
                return None
            rest = piece[cut:]
    if compiled.table_feed(table, rest) != scanner.SCAN_OK:
        return None
    found = compiled.table_finish(table)
    return found if found[3] else None
