"""The record of a track: one event per line, canonical, numbered, chained to the line before; only ever appended to."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.errors import InputError
from diveval.tracks import disk
from diveval.tracks.errors import RecordBrokenError
from diveval.tracks.sums import ZERO, canonical, sha256

Event = dict[str, Any]


def utc(moment: datetime.datetime) -> str:
    """A moment as the record writes it."""
    return moment.astimezone(datetime.timezone.utc).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


@dataclass(frozen=True)
class Record:
    """The events up to the last line end, and the hash of every line."""

    events: tuple[Event, ...]
    hashes: tuple[str, ...]
    torn: bytes = b""  # what follows the last line end: a writer was stopped in the middle of a line

    @property
    def head(self) -> str:
        return self.hashes[-1] if self.hashes else ZERO

    @classmethod
    def parse(cls, data: bytes, source: str) -> Record:
        """Check every line against the line before."""
        *lines, torn = data.split(b"\n")
        events, hashes, previous = [], [], ZERO
        for number, line in enumerate(lines):
            where = f"{source}:{number + 1}: the record is broken:"
            try:
                event = json.loads(line, parse_float=_refused, parse_constant=_refused)
                same = canonical(event) == line
            except ValueError:
                raise RecordBrokenError(f"{where} expected an event in JSON; restore the line from a copy") from None
            if not isinstance(event, dict) or not same:
                raise RecordBrokenError(f"{where} the line is not canonical JSON; restore it from a copy")
            if event.get("seq") != number or event.get("prev") != previous:
                raise RecordBrokenError(f"{where} it does not follow the line before; restore the record from a copy")
            previous = sha256(line)
            events.append(event)
            hashes.append(previous)
        return cls(tuple(events), tuple(hashes), torn)

    @classmethod
    def read(cls, path: Path) -> Record:
        try:
            return cls.parse(path.read_bytes(), str(path))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", source=str(path)) from error

    def until(self, seq: int) -> Record:
        """The record before an event."""
        return Record(self.events[:seq], self.hashes[:seq])

    def last(self, *kinds: str) -> Event | None:
        """The newest event of some kinds."""
        return next((event for event in reversed(self.events) if event["event"] in kinds), None)

    def where(self, kind: str) -> list[Event]:
        return [event for event in self.events if event["event"] == kind]


@dataclass
class Writer:
    """The record under the lock: events are appended one by one, and are durable when `add` returns."""

    path: Path
    record: Record
    clock: Callable[[], datetime.datetime] = now
    added: list[Event] = field(default_factory=list)

    def add(self, kind: str, *, at: datetime.datetime | None = None, **fields: Any) -> Event:
        """Append one event."""
        event = {
            "seq": len(self.record.events),
            "at": utc(at or self.clock()),
            "by": f"diveval {__version__}",
            "event": kind,
            "prev": self.record.head,
            **fields,
        }
        line = canonical(event)
        disk.append(self.path, line + b"\n")
        self.record = Record((*self.record.events, event), (*self.record.hashes, sha256(line)))
        self.added.append(event)
        return event


@contextmanager
def writing(folder: Path, wait: float) -> Iterator[Writer]:
    """The record of a folder, locked; a line that was cut short is moved to `private/` first."""
    path = folder / "record.jsonl"
    with disk.locked(folder / "record.lock", wait):
        record = Record.read(path) if path.exists() else Record((), ())
        writer = Writer(path, Record(record.events, record.hashes))
        if record.torn:
            _repair(folder, writer, record.torn)
        yield writer


def _repair(folder: Path, writer: Writer, torn: bytes) -> None:
    size = writer.path.stat().st_size - len(torn)
    disk.write(folder / "private" / f"torn-{len(writer.record.events)}", torn, mode=0o600)
    disk.truncate(writer.path, size)
    writer.add("repaired", bytes=len(torn), sum=sha256(torn))


def _refused(text: str) -> float:
    raise ValueError(f"a record holds no {text}")
