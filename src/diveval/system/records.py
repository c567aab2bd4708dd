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
_FIRST_USES = ("__init__", "__dataclass_fields__", "__dataclass_params__", "__match_args__")
_CHANGES = ("__setattr__", "__delattr__")  # of frozen classes


class _FirstUse:
    """Stands for a member that the standard decorator makes; the first use of any of them completes the class."""

    def __init__(self, name: str, complete: Callable[[], None]) -> None:
        self._name, self._complete = name, complete

    def __get__(self, instance: object, owner: type) -> Any:
        self._complete()
        return getattr(owner if instance is None else instance, self._name)


def _postpone(cls: Any, *, frozen: bool, eq: bool, shows: bool) -> Any:
    own = dict(cls.__dict__)
    waiting = [name for name in (*_FIRST_USES, *(_CHANGES if frozen else ())) if name not in own]

    def complete() -> None:
        with _completing:  # several threads may be the first
            if not isinstance(cls.__dict__.get("__dataclass_fields__"), _FirstUse):
                return
            for name in {*waiting} & {"__match_args__", *_CHANGES}:  # what the standard library does not overwrite
                delattr(cls, name)
            dataclasses.dataclass(frozen=frozen, init=False, eq=False, repr=False)(cls)
            parameters = cls.__dataclass_params__
            parameters.init, parameters.eq, parameters.repr = True, eq, shows
            if "__init__" in waiting:  # last, and never absent: other threads make objects of this class meanwhile
                cls.__init__ = _compile_init(cls, frozen=frozen)

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
    for name in waiting:
        setattr(cls, name, _FirstUse(name, complete))
    if any(isinstance(value, dataclasses.Field) and value.default is not dataclasses.MISSING for value in own.values()):
        complete()  # the class itself shows the defaults of its fields
    return cls


class _Factory:
    """Stands in a signature for a default that is made for each object."""

    def __repr__(self) -> str:
        return "<factory>"


def _compile_init(cls: Any, *, frozen: bool) -> Callable[..., None]:
    """`__init__` with a parameter for each field."""
    fields, factory = dataclasses.fields(cls), _Factory()
    default: Any
    known: dict[str, Any] = {"_set": object.__setattr__, "_factory": factory}
    places: dict[bool, list[str]] = {False: [], True: []}  # parameters that are given by name alone, and the others
    body = []
    for field in fields:
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"], default = field.default_factory, factory
            value = f"_make_{name}() if {name} is _factory else {name}" if field.init else f"_make_{name}()"
        else:
            default = field.default
        if field.init:
            known[f"_default_{name}"] = default
            places[field.kw_only is True].append(name if default is dataclasses.MISSING else f"{name}=_default_{name}")
        if field.init or default is factory:
            body.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    named = ["*", *places[True]] if places[True] else []
    exec(f"def __init__({', '.join(['self', *places[False], *named])}):\n" + "\n".join(body or [" pass"]), known)  # noqa: S102 (as the standard library does)
    made: Any = known["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {**{field.name: field.type for field in fields if field.init}, "return": None}
    return made  # type: ignore[no-any-return]


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
