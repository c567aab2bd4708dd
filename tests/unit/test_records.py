"""`diveval.system.records.dataclass` makes the classes that the standard library makes, whichever use comes first."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from diveval.system import records

Decorator = Callable[..., Any]


def _make(dataclass: Decorator) -> dict[str, Any]:
    """Some classes, by either decorator."""

    @dataclass(frozen=True)
    class Point:
        """Two numbers."""

        x: int
        y: int = 2
        kind: ClassVar[str] = "point"

    @dataclass(frozen=True)
    class Labelled(Point):
        """With more fields."""

        label: str = dataclasses.field(default="none", compare=False)
        tags: list[str] = dataclasses.field(default_factory=list, repr=False, hash=False, kw_only=True)

    @dataclass()
    class Open:
        """Can be changed, and therefore has no hash."""

        value: Any = None

    @dataclass(frozen=True, eq=False)
    class Identical:
        """Equal to itself alone."""

        value: Any

    @dataclass(frozen=True, repr=False)
    class Own:
        """Has methods of its own, and a check."""

        value: Any

        def __post_init__(self) -> None:
            if self.value == "bad":
                raise ValueError("bad")

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 7

    @dataclass(frozen=True)
    class Empty:
        """Without fields."""

    return {cls.__name__: cls for cls in (Point, Labelled, Open, Identical, Own, Empty)}


OBJECTS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Point", (1,), {}),
    ("Point", (1, 3), {}),
    ("Labelled", (1, 2, "a"), {"tags": ["t"]}),
    ("Labelled", (1, 2, "b"), {"tags": ["t"]}),
    ("Open", (1,), {}),
    ("Identical", (1,), {}),
    ("Own", (1,), {}),
    ("Empty", (), {}),
]


def _outcome(use: Callable[[], Any]) -> Any:
    """What a use gives: its value, or the type of its error."""
    try:
        return use()
    except Exception as error:  # noqa: BLE001 (any error is compared with the standard library's)
        return type(error)


USES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "repr": lambda cls, one, other: repr(one).split(".")[-1],
    "equal": lambda cls, one, other: (one == other, one != other, one == 1),
    "hash": lambda cls, one, other: hash(one) == hash(other),
    "has hash": lambda cls, one, other: cls.__hash__ is None,
    "set": lambda cls, one, other: setattr(one, "x", 1),
    "set another": lambda cls, one, other: setattr(one, "another", 1),
    "delete": lambda cls, one, other: delattr(one, "value"),
    "fields": lambda cls, one, other: [(f.name, f.type, f.compare, f.kw_only) for f in dataclasses.fields(cls)],
    "is one": lambda cls, one, other: (dataclasses.is_dataclass(cls), dataclasses.is_dataclass(one)),
    "as a dict": lambda cls, one, other: dataclasses.asdict(one),
    "signature": lambda cls, one, other: str(inspect.signature(cls)),
    "replace": lambda cls, one, other: dataclasses.replace(one, y=5).y,
    "match": lambda cls, one, other: cls.__match_args__,
    "default": lambda cls, one, other: (cls.y, cls.label),
    "copy": lambda cls, one, other: copy.copy(one) == one,
    "too many": lambda cls, one, other: cls(1, 2, 3, 4, 5, 6),
    "parameters": lambda cls, one, other: repr(cls.__dataclass_params__).replace(", match_args=True", ""),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("made", OBJECTS, ids=lambda made: f"{made[0]}{made[1]}" if isinstance(made, tuple) else "")
def test_a_class_does_what_the_standard_ones_do(use: str, made: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
    """Every use of a new class, as its first one, has the outcome of the standard library's class."""
    name, given, named = made
    outcomes = []
    for decorator in (records.dataclass, dataclasses.dataclass):
        cls = _make(decorator)[name]
        other = _make(decorator)["Point"](1)

        def run(cls: Any = cls, other: Any = other) -> Any:
            one = cls(*given, **named)
            second = cls(*given, **named) if name == "Identical" else copy.copy(one)
            return USES[use](cls, one, second if use in ("equal", "hash") else other)

        outcomes.append(_outcome(run))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("use", ["fields", "is one", "signature", "match", "default", "has hash"])
def test_a_class_is_complete_without_an_object(use: str) -> None:
    """What is asked of the class itself, before any object exists, has the standard answer too."""
    for name in ("Point", "Labelled", "Open", "Empty"):
        ours, theirs = (_make(made)[name] for made in (records.dataclass, dataclasses.dataclass))

        def ask(cls: Any) -> Callable[[], Any]:
            return lambda: dataclasses.is_dataclass(cls) if use == "is one" else USES[use](cls, None, None)

        assert _outcome(ask(ours)) == _outcome(ask(theirs))


def test_inheritance_is_checked() -> None:
    """A frozen class and one that can be changed do not inherit from each other, and standard classes may inherit."""
    ours = _make(records.dataclass)

    deeper = type("Deeper", (ours["Point"],), {"__doc__": "One more.", "__annotations__": {"z": "int"}, "z": 3})
    further: Any = dataclasses.dataclass(frozen=True)(deeper)(1)  # type: ignore[misc]
    assert further.x == 1 and dataclasses.fields(further)[-1].name == "z"
    mixed: Any = records.dataclass()(type("Mixed", (ours["Point"],), {"__doc__": "Not frozen."}))
    with pytest.raises(TypeError):
        mixed(1)


def test_an_array_equals_itself() -> None:
    """A single field is compared as in a tuple: by identity first, so an array is no error."""
    cls = _make(records.dataclass)["Open"]
    array = np.arange(3)
    assert cls(array) == cls(array)


def test_an_object_that_contains_itself_is_shown() -> None:
    """Its repr ends."""
    one = _make(records.dataclass)["Open"]()
    one.value = [one]
    assert repr(one).endswith("Open(value=[...])")


def test_a_failed_check_is_an_error() -> None:
    """`__post_init__` runs."""
    with pytest.raises(ValueError, match="bad"):
        _make(records.dataclass)["Own"]("bad")


def test_many_threads_may_be_the_first() -> None:
    """All of them make an object of the same new class."""
    sys.setswitchinterval(1e-6)
    for _ in range(50):
        cls = _make(records.dataclass)["Labelled"]
        barrier, made = threading.Barrier(8), list[Any]()

        def use(cls: Any = cls, barrier: Any = barrier, made: Any = made) -> None:
            barrier.wait()
            made.append(cls(1))

        threads = [threading.Thread(target=use) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 8 and len({id(one.tags) for one in made}) == 8 and all(one == made[0] for one in made)
    sys.setswitchinterval(0.005)


def test_objects_travel_between_processes() -> None:
    """An object that a new process unpickles is compared, hashed and protected there before any is made."""
    from diveval.settings import Efforts

    sent = pickle.dumps(Efforts({"d": 2.0}))
    script = """
import pickle, sys
sent = sys.stdin.buffer.read()
one, other = pickle.loads(sent), pickle.loads(sent)
assert one == other and repr(one) == repr(other)
try:
    one.default = 3
except AttributeError:
    print("protected", one.of("d"))
"""
    done = subprocess.run([sys.executable, "-c", script], input=sent, capture_output=True, check=True)
    assert done.stdout.decode().split() == ["protected", "2.0"]
