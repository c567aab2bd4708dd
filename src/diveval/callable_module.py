"""Packages that are also functions: `diveval.report(…)` works, and so does `import diveval.report`."""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """A package that can be called: the call goes to a function of another module."""

    def __call__(self, *values: Any, **options: Any) -> Any:
        return self._function()(*values, **options)

    def _function(self) -> Any:
        home, name = self.__dict__["_calls"]
        return getattr(importlib.import_module(home), name)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._function())


def make_callable(package: str, home: str, name: str) -> None:
    """Make calling a package call the function `name` of the module `home`."""
    module = sys.modules[package]
    module.__dict__["_calls"] = (home, name)
    module.__class__ = _Callable
