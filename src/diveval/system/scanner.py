"""Loading of the compiled scanner, which is optional; this module does not import numpy."""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import Any

PLAIN_VARIABLE = "DIVEVAL_PLAIN_READER"  # 1: do not use the compiled scanner
SCAN_OK, SCAN_INTERLEAVED = 0, 2  # ScanStatus in csrc/core.h
_LAYOUT = 5  # LAYOUT in csrc/_scanner.c
_KEY_BYTES = 40  # KEY_WORDS in csrc/core.h


def load() -> Any | None:
    """The compiled scanner; None if it was not built or is switched off."""
    return None if os.environ.get(PLAIN_VARIABLE) == "1" else module()


def keep_memory() -> None:
    """Make the allocator reuse freed memory instead of returning it: faster for a process that evaluates once."""
    compiled = load()
    if compiled is not None:
        compiled.keep_memory()


def describe() -> str:
    """Which reader is in use, for `--version` and `--timing`."""
    if os.environ.get(PLAIN_VARIABLE) == "1":
        return f"plain reader ({PLAIN_VARIABLE}=1)"
    if module() is not None:
        return "compiled scanner"
    return "plain reader: no compiled scanner of this version was found, large files are read many times slower"


@cache
def module() -> Any | None:
    """The compiled scanner; None if it was not built."""
    try:
        compiled = importlib.import_module("diveval._scanner")
        if getattr(compiled, "LAYOUT", 1) != _LAYOUT:
            raise ImportError("it was built from other sources; build it again")
    except ImportError as error:
        import logging

        logging.getLogger("diveval").debug("no compiled scanner (%s): files are read in Python", error)
        return None
    return compiled


def random_key() -> bytes:
    """A random key for the scanner's hash tables, so that no file can be crafted to cause collisions."""
    return os.urandom(_KEY_BYTES)
