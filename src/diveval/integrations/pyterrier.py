"""PyTerrier: `pt.diveval.RBU(p=.9, e=.05) @ 20` in `pt.Experiment`, through the entry point `pyterrier.modules`.

PyTerrier loads that entry point while it is being imported, so nothing here may ever raise: this file imports nothing
that can fail, and what fails later is told when somebody uses it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Unavailable:
    """Stands where the metrics would, and says on first use why they are not there."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what inspection and pickling ask of everything
            raise AttributeError(name)
        raise RuntimeError(f"diveval's metrics could not be loaded: {self._error}") from self._error


def load() -> Any:
    """What PyTerrier shows as `pt.diveval`: the measures by name, known to ir_measures from now on."""
    try:
        return import_module("diveval.integrations.ir_measures")
    except Exception as error:  # noqa: BLE001 - PyTerrier must start; the reason is told when diveval is asked for
        return Unavailable(error)
