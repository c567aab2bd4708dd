"""PyTerrier: `pt.diveval.RBU(p=.9, e=.05) @ 20` in `pt.Experiment`, through the entry point `pyterrier.modules`.

PyTerrier loads that entry point while it is imported, so nothing here may raise: this module imports nothing that can
fail, and later errors are raised on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Unavailable:
    """A placeholder for the metrics that raises the reason for their absence on first use."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # inspection and pickling access these on every object
            raise AttributeError(name)
        raise RuntimeError(f"diveval's metrics could not be loaded: {self._error}") from self._error


def load() -> Any:
    """The module that PyTerrier exposes as `pt.diveval`: the measures by name, registered with ir_measures."""
    try:
        return import_module("diveval.integrations.ir_measures")
    except Exception as error:  # noqa: BLE001 - PyTerrier must start; the error is raised when diveval is used
        return Unavailable(error)
