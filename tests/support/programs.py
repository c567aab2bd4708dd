"""Imports programs of the repository that are not part of a package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from support.present import present


def load(path: Path, name: str | None = None) -> ModuleType:
    """Import the program at a path and register it in sys.modules, where its dataclasses look for it."""
    spec = present(importlib.util.spec_from_file_location(name or path.stem, path))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    present(spec.loader).exec_module(module)
    return module
