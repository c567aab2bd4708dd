"""The compiled scanner, if it was built; this module does not need numpy."""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import Any

PLAIN_VARIABLE = "DIVEVAL_PLAIN_READER"  # set to 1, everything is read by the plain readers
SCAN_OK, SCAN_INTERLEAVED = 0, 2  # ScanStatus in csrc/core.h
_LAYOUT = 5  # LAYOUT in csrc/_scanner.c
_KEY_BYTES = 40  # KEY_WORDS in csrc/core.h


def load() -> Any | None:
    """The compiled scanner, unless it is not there or not wanted."""
    return None if os.environ.get(PLAIN_VARIABLE) == "1" else module()


def keep_memory() -> None:
    """For a process that evaluates once and ends: memory that was freed is used again and not given back."""
    compiled = load()
    if compiled is not None:
        compiled.keep_memory()


def described() -> str:
    """Which reader is in use, for `--version` and `--timing`."""
    if os.environ.get(PLAIN_VARIABLE) == "1":
        return f"plain reader, as {PLAIN_VARIABLE}=1 asks"
    if module() is not None:
        return "compiled scanner"
    return "plain reader: no compiled scanner of this version was found, large files are read many times slower"


@cache
def module() -> Any | None:
    """The compiled scanner, if there was a compiler to make it."""
    try:
        found = importlib.import_module("diveval._scanner")
        if getattr(found, "LAYOUT", 1) != _LAYOUT:
            raise ImportError("it was built from other sources; build it again")
    except ImportError as error:
        import logging

        logging.getLogger("diveval").debug("the compiled scanner is not there (%s): files are read in Python", error)
        return None
    return found


def random_key() -> bytes:
    """A secret for the scanner's tables, so that nobody can write a file that crowds them."""
    return os.urandom(_KEY_BYTES)
