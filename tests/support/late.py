"""Libraries that take long to import, imported by the first test that calls them: every worker collects every file."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest


class _Library:
    """A module in all but the time of its import."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest asks everything in a test file for these, to find tests and patches among them.
        if attribute.startswith(("__", "_mock", "pytest")):
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


def late(name: str) -> Any:
    """A library that is imported when something of it is first used."""
    return _Library(name)


def late_or_skip(name: str, reason: str | None = None) -> Any:
    """The same; where it is not installed, the file that asks for it is skipped."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip(reason or f"{name} is not installed", allow_module_level=True)
    return late(name)
