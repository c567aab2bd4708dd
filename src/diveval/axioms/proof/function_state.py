"""What a user's metric can remember between calls: every binding reachable from it, compared before and after some calls.

A metric that counts its calls repeats itself until it does not, so that no number of equal values shows that it has no
state. New entries of a dictionary or set are allowed: a cache makes them. Everything else that changes is a state.
"""

from __future__ import annotations

import functools
import random
import sys
import types
from collections import deque
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

SCALARS = (int, float, complex, str, bytes, type(None), Fraction, range, slice)
MOST = 5000  # objects looked at
OTHERS = (str(Path(sys.base_prefix)), str(Path(sys.prefix)), str(Path(__file__).parents[2]))


def describe_state(root: Any) -> dict[str, str]:
    """Each changeable place that is reachable from an object, and what is there now."""
    out: dict[str, str] = {}
    seen: set[int] = set()
    waiting = deque([("the metric", root)])
    while waiting and len(seen) < MOST:
        path, item = waiting.popleft()
        text = _value(item)
        if text is not None:
            out[path] = text
        if not isinstance(item, SCALARS) and id(item) not in seen:
            seen.add(id(item))
            waiting.extend((f"{path}{step}", part) for step, part in _parts(item))
    return out


def find_change(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The first place whose value is another now, or nothing."""
    return next((path for path, value in before.items() if after.get(path, value) != value), "")


def _value(item: Any) -> str | None:
    """What an object holds itself, as text; None where its parts say all."""
    if isinstance(item, (*SCALARS, bytearray)):
        return repr(item)
    if isinstance(item, np.ndarray):
        return repr(item.tolist())
    if isinstance(item, (list, deque)):
        return str(len(item))
    if isinstance(item, types.GeneratorType):
        return repr(
            None if item.gi_frame is None else (item.gi_frame.f_lasti, sorted(map(repr, item.gi_frame.f_locals)))
        )
    if isinstance(item, random.Random):
        return str(hash(item.getstate()))
    if isinstance(item, np.random.Generator):
        return repr(item.bit_generator.state)
    if hasattr(type(item), "__next__"):
        return f"{item!r} {getattr(item, '__length_hint__', lambda: '')()}"
    return None


def _parts(item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, (list, tuple, deque)):
        yield from ((f"[{i}]", part) for i, part in enumerate(item))
    elif isinstance(item, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in list(item.items()))
    elif isinstance(item, types.FunctionType):
        yield from _function_parts(item)
    elif isinstance(item, types.MethodType):
        yield from ((".__self__", item.__self__), (".__func__", item.__func__))
    elif isinstance(item, functools.partial):
        yield from ((".func", item.func), (".args", item.args), (".keywords", item.keywords))
    elif isinstance(item, type):
        if _is_users(sys.modules.get(item.__module__)):
            yield from ((f".{name}", part) for name, part in vars(item).items() if name[:2] != "__" or callable(part))
    elif not isinstance(item, (types.ModuleType, types.CodeType, types.BuiltinFunctionType)):
        yield from _object_parts(item)


def _object_parts(item: Any) -> Iterator[tuple[str, Any]]:
    yield from ((f".{name}", part) for name, part in list(getattr(item, "__dict__", {}).items()))
    slots = (name for kind in type(item).__mro__ for name in getattr(kind, "__slots__", ()))
    yield from ((f".{name}", getattr(item, name)) for name in slots if hasattr(item, name))
    if hasattr(item, "__wrapped__"):  # functools.cache
        yield ".__wrapped__", item.__wrapped__
    yield ".__class__", type(item)


def _function_parts(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    if not _is_users(sys.modules.get(function.__module__ or ""), function.__code__.co_filename):
        return
    yield ".__dict__", function.__dict__
    yield ".__defaults__", function.__defaults__
    yield ".__kwdefaults__", function.__kwdefaults__
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield f":{name}", cell.cell_contents
        except ValueError:  # still empty
            continue
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    yield from ((f":{name}", function.__globals__[name]) for name in sorted(names) if name in function.__globals__)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _is_users(module: types.ModuleType | None, file: str | None = None) -> bool:
    """Whether code is neither Python's, nor a library's, nor diveval's."""
    place = file or getattr(module, "__file__", None)
    if place is None:
        return module is None or module.__name__ == "__main__"
    return not str(place).startswith((*OTHERS, "<frozen"))
