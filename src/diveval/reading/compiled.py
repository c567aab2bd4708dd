"""The door to the compiled scanner: there or not there, and what it reads for the plain readers beside it."""

from __future__ import annotations

import importlib
import os
import stat
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from diveval.judgments import Judgments, Members
from diveval.reading.lines import open_unpacked, source_name
from diveval.reading.parquet import is_parquet

PLAIN_VARIABLE = "DIVEVAL_PLAIN_READER"  # set to 1, everything is read by the plain readers
_KEY_BYTES = 40  # KEY_WORDS in csrc/core.h


@cache
def _module() -> Any | None:
    try:
        return importlib.import_module("diveval.reading._scanner")
    except ImportError as error:
        import logging

        logging.getLogger("diveval").debug("the compiled scanner is not there (%s): files are read in Python", error)
        return None


def scanner_for(path: str | Path) -> Any | None:
    """The compiled scanner, if it may try this file: the plain reader must be able to read it again from the start."""
    if str(path) == "-" or os.environ.get(PLAIN_VARIABLE) == "1":
        return None
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return _module() if regular and not is_parquet(path) else None


def random_key() -> bytes:
    """A secret for the scanner's tables, so that nobody can write a file that crowds them."""
    return os.urandom(_KEY_BYTES)


def trec_judgments(path: str | Path) -> Judgments | None:
    """Judgments of four columns in the ordinary shape; None where the plain reader has to read or to complain."""
    scanner = scanner_for(path)
    if scanner is None:
        return None
    with open_unpacked(path) as stream:
        found = scanner.judgments(random_key(), stream.read())
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
