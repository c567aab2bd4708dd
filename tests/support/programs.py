"""Programs of the repository that belong to no package, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from support.present import present


def load(path: Path, name: str | None = None) -> ModuleType:
    """The program at a path, imported under a name of its own: its dataclasses look their module up there."""
    spec = present(importlib.util.spec_from_file_location(name or path.stem, path))
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    present(spec.loader).exec_module(module)
    return module
