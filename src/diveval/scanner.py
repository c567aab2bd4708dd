"""The compiled scanner, there or not there; nothing here needs numpy."""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import Any

PLAIN_VARIABLE = "DIVEVAL_PLAIN_READER"  # set to 1, everything is read by the plain readers
SCAN_OK, SCAN_INTERLEAVED = 0, 2  # ScanStatus in csrc/core.h
_KEY_BYTES = 40  # KEY_WORDS in csrc/core.h


def load() -> Any | None:
    """The compiled scanner, unless it is not there or not wanted."""
    return None if os.environ.get(PLAIN_VARIABLE) == "1" else module()


@cache
def module() -> Any | None:
    """The compiled scanner, if there was a compiler to make it."""
    try:
        return importlib.import_module("diveval._scanner")
    except ImportError as error:
        import logging

        logging.getLogger("diveval").debug("the compiled scanner is not there (%s): files are read in Python", error)
        return None


def random_key() -> bytes:
    """A secret for the scanner's tables, so that nobody can write a file that crowds them."""
    return os.urandom(_KEY_BYTES)
