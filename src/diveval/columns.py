"""Columns: names kept once as text end to end, numbers with one offset per topic, and topics as views of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from diveval import scanner

Whole = NDArray[np.int64]
Codes = NDArray[np.int32]
Places = NDArray[np.signedinteger[Any]]  # in 32 bits where that is enough
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
V = TypeVar("V")
_MOST_VIEWS = 4096  # kept once made; more of them, and they are made again when asked for
_PICKED_AT_ONCE = 256


class Names(Sequence[str]):
    """Names as UTF-8 end to end with one offset per name, as Arrow keeps them; a str is made when it is asked for.

    A name from Python may hold half a surrogate pair, which UTF-8 has no place for: it is kept, and matches no file.
    """

    def __init__(self, text: bytes, offsets: Whole) -> None:
        self._encoded: tuple[bytes, Whole] | None = (text, offsets)
        self._held: list[str] | None = None

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Names from Python's own text, which is encoded when somebody needs it so."""
        made = cls.__new__(cls)
        made._encoded, made._held = None, list(names)
        return made

    def _both(self) -> tuple[bytes, Whole]:
        if self._encoded is None:
            held: Sequence[str] | Sequence[bytes] = self._held or ()
            text = "".join(self._held or ()).encode("utf-8", "surrogatepass")
            if not text.isascii():  # a character may take several bytes
                held = [name.encode("utf-8", "surrogatepass") for name in self._held or ()]
            self._encoded = text, offsets_of(np.fromiter(map(len, held), dtype=np.int64, count=len(held)))
        return self._encoded

    @property
    def text(self) -> bytes:
        """All names, one after the other."""
        return self._both()[0]

    @property
    def offsets(self) -> Whole:
        """Where each name starts in `text`, and where the last ends."""
        return self._both()[1]

    @classmethod
    def from_pair(cls, pair: tuple[bytes, bytes]) -> Names:
        """What the compiled scanner hands out."""
        return cls(pair[0], np.frombuffer(pair[1], dtype=np.int64))

    @property
    def pair(self) -> tuple[bytes, Memory]:
        """What the compiled scanner takes."""
        return self.text, raw(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self._held is None else len(self._held)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        i = at % len(self)
        if self._held is not None:
            return self._held[i]
        return self.text[self.offsets[i] : self.offsets[i + 1]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        # Most names that are not there are not even part of the text: that is faster than a table of all names.
        return name.encode("utf-8", "surrogatepass") in self.text and name in self.by_name

    def tolist(self) -> list[str]:
        """Every name as a str."""
        if self._held is not None:
            return self._held
        bounds, text = self.offsets.tolist(), self.text
        if text.isascii():  # one decoding for all
            whole = text.decode("ascii")
            return [whole[a:b] for a, b in pairwise(bounds)]
        return [text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(bounds)]

    def at(self, codes: NDArray[Any]) -> list[str]:
        """The names of some codes."""
        if self._held is not None:
            return [self._held[code] for code in codes.tolist()]
        starts, ends = self.offsets[codes].tolist(), self.offsets[1:][codes].tolist()
        low, high = min(starts, default=0), max(ends, default=0)
        text = self.text[low:high] if high - low <= 4 * (sum(ends) - sum(starts)) else b""
        if text and text.isascii():  # names that lie together: one decoding for all
            whole = text.decode("ascii")
            return [whole[a - low : b - low] for a, b in zip(starts, ends, strict=True)]
        text = self.text
        return [text[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=True)]

    def take(self, codes: NDArray[Any]) -> Names:
        """The names of some codes, as names."""
        if len(codes) == len(self) and (np.diff(codes) == 1).all():  # all of them, as they are
            return self
        sizes = np.diff(self.offsets)[codes]
        offsets = offsets_of(sizes)
        where = np.repeat(self.offsets[:-1][codes] - offsets[:-1], sizes) + np.arange(offsets[-1])
        return Names(np.frombuffer(self.text, dtype=np.uint8)[where].tobytes(), offsets)

    @cached_property
    def by_name(self) -> dict[str, int]:
        """Where each name stands."""
        return {name: i for i, name in enumerate(self.tolist())}


class Picked(Sequence[str]):
    """The names of some codes, each made into a str when it is asked for: a list has a thousand, a page shows twenty."""

    def __init__(self, names: Names, codes: NDArray[Any]) -> None:
        self._names, self._codes = names, codes

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Picked: ...
    def __getitem__(self, at: int | slice) -> str | Picked:
        if isinstance(at, slice):
            return Picked(self._names, self._codes[at])
        return self._names[int(self._codes[at])]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none either

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _PICKED_AT_ONCE):
            yield from self._names.at(self._codes[start : start + _PICKED_AT_ONCE])


class Views(Mapping[str, V], Generic[V]):
    """Topics by name, each a view of columns that is made when it is asked for.

    `places`: which of the columns' topics are there; all of them by default.
    """

    def __init__(
        self, columns: Any, names: Names, make: Callable[[int], V], places: NDArray[Any] | None = None
    ) -> None:
        self.columns, self._names, self._make, self._places = columns, names, make, places
        self._made: dict[str, V] = {}

    @cached_property
    def _present(self) -> set[int] | None:
        return None if self._places is None else set(self._places.tolist())

    def __getitem__(self, name: str) -> V:
        made = self._made.get(name)
        if made is None:
            i = self._names.by_name[name]
            if self._present is not None and i not in self._present:
                raise KeyError(name)
            if len(self._made) >= _MOST_VIEWS:
                self._made.clear()
            made = self._made[name] = self._make(i)
        return made

    def at(self, i: int) -> V:
        """One topic by its place among the columns' topics, there or not."""
        return self[self._names[i]] if self._present is None or i in self._present else self._make(i)

    def __iter__(self) -> Iterator[str]:
        names = self._names.tolist()
        return iter(names if self._places is None else [names[i] for i in self._places.tolist()])

    def __len__(self) -> int:
        return len(self._names) if self._places is None else len(self._places)

    def __contains__(self, name: object) -> bool:
        if name not in self._names:
            return False
        i = self._names.by_name.get(name)  # type: ignore[call-overload]
        return i is not None and (self._present is None or i in self._present)


Memory = bytes | tuple[int, int, object]  # address, size, and whoever keeps it there


def raw(column: NDArray[Any]) -> Memory:
    """A column as the compiled scanner takes it: where it lies in memory."""
    whole = np.ascontiguousarray(column)
    return whole.__array_interface__["data"][0], whole.nbytes, whole


def offsets_of(sizes: Any) -> Whole:
    """Where parts of these sizes start, one after the other, and where the last ends."""
    out = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=out[1:])
    return out


def owners(starts: Whole) -> Whole:
    """For each entry the part it belongs to."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def spans(starts: Whole, sizes: NDArray[Any]) -> Whole:
    """The places start, start + 1, …, start + size − 1 of each part, one part after the other."""
    if len(starts) and (starts[1:] == starts[:-1] + sizes[:-1]).all():  # neighbours: one span
        return np.arange(starts[0], starts[0] + sizes.sum())
    offsets = offsets_of(sizes)
    return np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])


def joined(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    """Arrays end to end; an empty array of this kind where there are none."""
    return np.concatenate(parts).astype(kind, copy=False) if len(parts) else np.empty(0, dtype=kind)


def any_in(marks: Marks, starts: Whole) -> Marks:
    """For each part, whether any of its entries is marked."""
    counts = np.concatenate([[0], np.cumsum(marks)])
    return np.asarray(counts[starts[1:]] > counts[starts[:-1]])


def naturally(names: Iterable[str]) -> list[str]:
    """Sorted as people expect: numbers by value where all are numbers, else by text."""
    listed = list(names)
    if all(re.fullmatch(r"[0-9]{1,18}", name) for name in listed):
        return sorted(listed, key=lambda name: (int(name), name))
    return sorted(listed)


def interned(texts: Sequence[str]) -> tuple[Names, Codes]:
    """Each text once, in the order of first appearance, and for every text its code."""
    place: dict[str, int] = {}
    codes = np.fromiter((place.setdefault(text, len(place)) for text in texts), dtype=np.int32, count=len(texts))
    return Names.of(place), codes


def without_unused(names: Names, codes: NDArray[Any]) -> tuple[Names, Codes]:
    """Only the names that some code has."""
    used = np.zeros(len(names), dtype=bool)
    used[codes] = True
    if used.all():
        return names, codes.astype(np.int32, copy=False)
    new = (np.cumsum(used) - 1).astype(np.int32)
    return names.take(np.flatnonzero(used)), new[codes]


def standing(names: Names, *, natural: bool = False) -> Codes:
    """Where each name stands among all in ascending order, or in natural order."""
    compiled = scanner.load()
    if compiled is not None:
        return np.frombuffer(compiled.standing(names.pair, natural), dtype=np.int32)
    listed = names.tolist()
    place = {name: i for i, name in enumerate(naturally(listed) if natural else sorted(listed))}
    return np.fromiter((place[name] for name in listed), dtype=np.int32, count=len(listed))


def repeated(starts: Whole, codes: Codes, count: int) -> Marks:
    """Which codes, of `count` there are, stood above in their part already."""
    compiled = scanner.load()
    if compiled is not None:
        return np.frombuffer(compiled.repeated(raw(starts), raw(codes), count), dtype=np.bool_)
    keys = owners(starts) * max(count, 1) + codes
    order = np.argsort(keys, kind="stable")
    out = np.zeros(len(codes), dtype=bool)
    out[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return out
