"""Imports slow libraries in the first test that uses them, since every worker collects every test file."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest


class _Library:
    """A module that is imported at the first access to an attribute."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest reads these attributes of every object in a test file.
        if attribute.startswith(("__", "_mock", "pytest")):
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


def late(name: str) -> Any:
    """A library that is imported at its first use."""
    return _Library(name)


def late_or_skip(name: str, reason: str | None = None) -> Any:
    """A library that is imported at its first use; the test file is skipped if it is not installed."""
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        pytest.skip(reason or f"{name} is not installed", allow_module_level=True)
    return late(name)
