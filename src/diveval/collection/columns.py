"""Columnar storage: names as concatenated text, numbers with one offset per topic, and topics as views of both;
and the first rows of what they hold, for interpreters and notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from diveval.errors import printable
from diveval.system import scanner

IntArray = NDArray[np.int64]
Codes = NDArray[np.int32]
IndexArray = NDArray[np.signedinteger[Any]]  # in 32 bits where that is enough
Floats = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
V = TypeVar("V")
_MOST_VIEWS = 4096  # cached; beyond that the cache is cleared
_PICKED_AT_ONCE = 256


class Names(Sequence[str]):
    """Names as concatenated UTF-8 with one offset per name, as in Arrow; a str is created on access.

    A str from Python may contain a lone surrogate, which is not valid UTF-8: it is preserved, and matches no file.
    """

    def __init__(self, text: bytes, offsets: IntArray) -> None:
        self._encoded: tuple[bytes, IntArray] | None = (text, offsets)
        self._held: list[str] | None = None

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Names from Python strings, which are encoded only when `text` or `offsets` is needed."""
        made = cls.__new__(cls)
        made._encoded, made._held = None, list(names)
        return made

    def _both(self) -> tuple[bytes, IntArray]:
        if self._encoded is None:
            held: Sequence[str] | Sequence[bytes] = self._held or ()
            text = "".join(self._held or ()).encode("utf-8", "surrogatepass")
            if not text.isascii():  # a character may take several bytes
                held = [name.encode("utf-8", "surrogatepass") for name in self._held or ()]
            self._encoded = text, offsets_of(np.fromiter(map(len, held), dtype=np.int64, count=len(held)))
        return self._encoded

    @property
    def text(self) -> bytes:
        """All names, concatenated."""
        return self._both()[0]

    @property
    def offsets(self) -> IntArray:
        """Where each name starts in `text`, and where the last ends."""
        return self._both()[1]

    @classmethod
    def from_pair(cls, pair: tuple[bytes, bytes]) -> Names:
        """Names as the compiled scanner returns them."""
        return cls(pair[0], np.frombuffer(pair[1], dtype=np.int64))

    @property
    def pair(self) -> tuple[bytes, Memory]:
        """The names as the compiled scanner takes them."""
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
        # Most absent names are no substring of the text either: searching it is faster than building a dict of names.
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

    def equals(self, other: Names) -> bool:
        """Whether these are the same names in the same order, found without a str for each."""
        if self is other:
            return True
        return len(self) == len(other) and self.text == other.text and bool(np.array_equal(self.offsets, other.offsets))

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
        """The index of each name."""
        return {name: i for i, name in enumerate(self.tolist())}


class Picked(Sequence[str]):
    """The names of some codes, each created as a str on access: a list has a thousand names, a page shows twenty."""

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
    """Topics by name, each a view of columns that is created on access.

    `places`: the indices of the topics included, among those of the columns; all of them by default.
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
        """One topic by its index among the columns' topics, included or not."""
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


Memory = bytes | tuple[int, int, object]  # bytes, or an address, a size and the object that owns the memory


def raw(column: NDArray[Any]) -> Memory:
    """A column as the compiled scanner takes it: its address in memory."""
    whole = np.ascontiguousarray(column)
    return whole.__array_interface__["data"][0], whole.nbytes, whole


def offsets_of(sizes: Any) -> IntArray:
    """The start of each of several consecutive parts of these sizes, and the end of the last."""
    out = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=out[1:])
    return out


def owners(starts: IntArray) -> IntArray:
    """For each entry the part it belongs to."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def spans(starts: IntArray, sizes: NDArray[Any]) -> IntArray:
    """The indices start, start + 1, …, start + size − 1 of each part, concatenated."""
    if len(starts) and (starts[1:] == starts[:-1] + sizes[:-1]).all():  # the parts are adjacent: one span
        return np.arange(starts[0], starts[0] + sizes.sum())
    offsets = offsets_of(sizes)
    return np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])


def concatenate(parts: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    """Arrays concatenated; an empty array of this type if there are none."""
    return np.concatenate(parts).astype(kind, copy=False) if len(parts) else np.empty(0, dtype=kind)


def any_in(marks: BoolArray, starts: IntArray) -> BoolArray:
    """For each part, whether any of its entries is marked."""
    out = np.zeros(len(starts) - 1, dtype=bool)
    filled = np.flatnonzero(starts[1:] > starts[:-1])
    if len(filled) and marks.any():
        out[filled] = np.logical_or.reduceat(marks[: starts[-1]], starts[filled])
    return out


def take_parts(starts: IntArray, kept: IntArray) -> tuple[IntArray, IntArray | slice]:
    """Some of several consecutive parts: their offsets, and their entries, which are a slice if the parts are adjacent."""
    if len(kept) and (np.diff(kept) == 1).all():
        first, last = int(kept[0]), int(kept[-1]) + 1
        return starts[first : last + 1] - starts[first], slice(int(starts[first]), int(starts[last]))
    sizes = np.diff(starts)[kept]
    return offsets_of(sizes), spans(starts[:-1][kept], sizes)


def naturally(names: Iterable[str]) -> list[str]:
    """Sorted as people expect: numbers by value where all are numbers, else by text."""
    listed = list(names)
    if all(re.fullmatch(r"[0-9]{1,18}", name) for name in listed):
        return sorted(listed, key=lambda name: (int(name), name))
    return sorted(listed)


def columns_of(rows: Iterable[Sequence[Any]], width: int) -> list[list[Any]]:
    """Rows as columns; `zip(*rows)` needs several times as long, since it makes an iterator for each of a million rows."""
    listed = list(rows)
    return [[row[place] for row in listed] for place in range(width)]


def intern(texts: Sequence[str]) -> tuple[Names, Codes]:
    """Each text once, in the order of first appearance, and for every text its code."""
    place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    codes = np.fromiter(map(place.__getitem__, texts), dtype=np.int32, count=len(texts))
    return Names.of(place), codes


def without_unused(names: Names, codes: NDArray[Any]) -> tuple[Names, Codes]:
    """Only the names that some code has."""
    used = np.zeros(len(names), dtype=bool)
    used[codes] = True
    if used.all():
        return names, codes.astype(np.int32, copy=False)
    new = (np.cumsum(used) - 1).astype(np.int32)
    return names.take(np.flatnonzero(used)), new[codes]


def sort_positions(names: Names, *, natural: bool = False) -> Codes:
    """The position of each name among all of them in ascending or natural order."""
    compiled = scanner.load()
    if compiled is not None:
        return np.frombuffer(compiled.standing(names.pair, natural), dtype=np.int32)
    listed = names.tolist()
    place = {name: i for i, name in enumerate(naturally(listed) if natural else sorted(listed))}
    return np.fromiter((place[name] for name in listed), dtype=np.int32, count=len(listed))


def find_repeats(starts: IntArray, codes: Codes, count: int) -> BoolArray:
    """Which entries repeat a code that occurs earlier in the same part; codes are below `count`."""
    compiled = scanner.load()
    if compiled is not None:
        return np.frombuffer(compiled.repeated(raw(starts), raw(codes), count), dtype=np.bool_)
    keys = owners(starts) * max(count, 1) + codes
    order = np.argsort(keys, kind="stable")
    out = np.zeros(len(codes), dtype=bool)
    out[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    return out


MOST_ROWS = 10


def preview_rows(title: str, header: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """A title, the first rows with tabs between their cells, and how many more there are."""
    first = ["\t".join(printable(cell) for cell in row) for row in islice(rows, MOST_ROWS)]
    more = [f"… {count - len(first):,} more"] if count > len(first) else []
    return "\n".join([printable(title), "\t".join(header), *first, *more])


def preview_html(text: str) -> str:
    """The same for a notebook."""
    from html import escape  # slow to import

    return f"<pre>{escape(text)}</pre>"
