"""`dataclass` as in the standard library, but a class is completed when it is first used, not when it is defined.

The standard decorator writes up to six methods of a class as text and compiles them. For the sixty classes that an
evaluation loads this took half as long as importing numpy, and most of them are never used. Here the methods that
compare, hash and show an object are closures over the names of its fields, and the standard decorator makes the rest as
soon as an object is made, or somebody asks for the fields.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from threading import RLock, get_ident
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 (exported)
else:

    def dataclass(*, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
        """Make a class a dataclass; the options are those of the standard library."""
        return lambda cls: _postpone(cls, frozen=frozen, eq=eq, shows=repr)


_completing = RLock()
_FIRST_USES = ("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__init__")


class _FirstUse:
    """Stands for a member that the standard decorator makes; the first use of any of them completes the class."""

    def __init__(self, name: str, complete: Callable[[], None]) -> None:
        self._name, self._complete = name, complete

    def __get__(self, instance: object, owner: type) -> Any:
        self._complete()
        return getattr(owner if instance is None else instance, self._name)


def _postpone(cls: Any, *, frozen: bool, eq: bool, shows: bool) -> Any:
    own = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    waiting = [name for name in _FIRST_USES if name not in own]

    def complete() -> None:
        with _completing:  # several threads may be the first
            if not isinstance(vars(cls).get("__dataclass_fields__"), _FirstUse):
                return
            # The standard decorator completes a copy, and no member of the class is ever absent: other threads use it.
            made: Any = type(cls)(cls.__name__, cls.__bases__, own)
            dataclasses.dataclass(frozen=frozen, eq=False, repr=False)(made)
            made.__dataclass_params__.eq, made.__dataclass_params__.repr = eq, shows
            for name in reversed(waiting):
                setattr(cls, name, vars(made)[name])

    for name, value in own.items():
        if isinstance(value, dataclasses.Field):  # the class shows the default itself
            if value.default is dataclasses.MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, value.default)
    if shows and "__repr__" not in own:
        cls.__repr__ = _show
    if eq:
        compared = _Values(cls, lambda field: field.compare)
        if "__eq__" not in own:
            cls.__eq__ = _equality_of(compared)
        # Python sets the hash of a class that defines equality alone to None: that is not a choice of the class.
        if own.get("__hash__") is None:
            differs = _Values(cls, lambda field: field.compare if field.hash is None else field.hash)
            cls.__hash__ = _hash_of(differs) if frozen else None
    if frozen:
        cls.__setattr__, cls.__delattr__ = (_refuse(cls, change) for change in ("assign to", "delete"))
    for name in waiting:
        setattr(cls, name, _FirstUse(name, complete))
    return cls


def _refuse(cls: Any, change: str) -> Callable[..., None]:
    """`__setattr__` or `__delattr__` of a frozen class; a subclass that is not frozen may have attributes of its own."""

    def refuse(self: Any, name: str, *value: Any) -> None:
        if type(self) is cls or name in cls.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot {change} field {name!r}")
        (super(cls, self).__setattr__ if value else super(cls, self).__delattr__)(name, *value)

    return refuse


class _Values:
    """The values of some fields of an object as one value, which is equal where all of them are."""

    def __init__(self, cls: type, chosen: Callable[[dataclasses.Field[Any]], bool | None]) -> None:
        self._cls, self._chosen = cls, chosen
        self.of: Callable[[Any], Any] = self._first

    def _first(self, item: Any) -> Any:
        names = [field.name for field in dataclasses.fields(self._cls) if self._chosen(field)]
        # A single value is in a tuple too: an array is then equal to itself, and hashed as with the standard library.
        single = attrgetter(*names) if names else lambda _: None
        self.of = (lambda item: (single(item),)) if len(names) == 1 else single
        return self.of(item)


def _equality_of(values: _Values) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values.of(self) == values.of(other)

    return __eq__


def _hash_of(values: _Values) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values.of(self))

    return __hash__


_showing: set[tuple[int, int]] = set()


def _show(self: Any) -> str:
    """`Name(field=value, …)`, and `...` where an object contains itself."""
    key = id(self), get_ident()
    if key in _showing:
        return "..."
    _showing.add(key)
    try:
        shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"
    finally:
        _showing.discard(key)
