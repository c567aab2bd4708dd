"""The record of a track: an append-only file with one event per line, numbered and chained by hashes; the sums in it; and
the state of the track, which is computed from the record and never stored.

A line is canonical JSON, so that it has one possible hash. It contains no names and no scores, only keyed sums of them:
the record is public from the first day.
"""

from __future__ import annotations

import csv
import datetime
import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from diveval import __version__
from diveval.errors import DivevalError, InputError
from diveval.system.files import reading
from diveval.tracks import disk
from diveval.tracks.disk import BROKEN, TrackError
from diveval.tracks.events import Grammar, is_of_task

Event = dict[str, Any]

ZERO = "0" * 64
SUMS = ("config", "admission", "scoring", "ranking", "topics", "documents")
MOST_REMEMBERED = 64  # states


def canonical(value: Any) -> bytes:
    """Keys sorted, no blanks, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


@contextmanager
def expecting(what: str, source: str) -> Iterator[None]:
    """Turn what reading a file of another shape fails with into one error: that its sum is right does not say what it is."""
    try:
        yield
    except DivevalError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, csv.Error) as error:
        raise InputError(
            "cannot-parse", f"is not {what}: {error}", hint="restore it from a copy", source=source
        ) from None


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def section_sum(tables: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of some tables, defaults filled in, floats as their repr, times in ISO form."""
    return sha256(canonical(_plain(tables)))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return repr(value)
    return value.isoformat() if isinstance(value, datetime.datetime) else value


@dataclass(frozen=True)
class Secret:
    """The key of HMACs of private content: a plain hash of a short list of topics could be inverted by guessing."""

    key: bytes

    def sum(self, label: str, data: bytes) -> str:
        """HMAC-SHA256(secret, label ‖ 0x00 ‖ bytes); the label says what is summed: run, meta, verdict, qrels, …"""
        return hmac.new(self.key, label.encode() + b"\0" + data, hashlib.sha256).hexdigest()

    def of_task(self, task: str) -> Secret:
        """The key of a task: a release publishes it, and must not open the sums of other tasks."""
        return Secret(hmac.new(self.key, b"task\0" + task.encode(), hashlib.sha256).digest())

    def team(self, team: str) -> str:
        """A team's pseudonym in the record."""
        return "t-" + self.sum("team", team.encode())[:12]


# --- events -----------------------------------------------------------------------------------------------------------


def utc(moment: datetime.datetime) -> str:
    """A time as the record writes it."""
    return moment.astimezone(datetime.timezone.utc).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


@dataclass(frozen=True)
class Record:
    """The events up to the last line end, and the hash of every line."""

    events: tuple[Event, ...]
    hashes: tuple[str, ...]
    torn: bytes = b""  # bytes after the last line end: a writer was killed in the middle of a line

    @property
    def head(self) -> str:
        return self.hashes[-1] if self.hashes else ZERO

    @property
    def place(self) -> dict[str, Any]:
        """Number and hash of the newest event, for JSON answers."""
        return {"seq": len(self.events) - 1, "hash": self.head}

    @classmethod
    def parse(cls, data: bytes, source: str) -> Record:
        """Check every line against the line before."""
        *lines, torn = data.split(b"\n")
        events, hashes, previous, grammar = [], [], ZERO, Grammar()
        for number, line in enumerate(lines):
            try:
                event = json.loads(line, parse_float=_refuse, parse_constant=_refuse)
                same = canonical(event) == line
            except (ValueError, RecursionError):
                raise _explain_broken(source, number, "expected an event in JSON") from None
            if not isinstance(event, dict) or not same:
                raise _explain_broken(source, number, "the line is not canonical JSON")
            if event.get("seq") != number or event.get("prev") != previous:
                raise _explain_broken(source, number, "it does not follow the line before")
            if fault := grammar.find_fault(event):
                raise _explain_broken(source, number, fault)
            previous = sha256(line)
            events.append(event)
            hashes.append(previous)
        return cls(tuple(events), tuple(hashes), torn)

    @classmethod
    def read(cls, path: Path) -> Record:
        with reading(path):
            return cls.parse(path.read_bytes(), str(path))

    def until(self, seq: int) -> Record:
        """The record before an event."""
        return Record(self.events[:seq], self.hashes[:seq])

    def last(self, *kinds: str) -> Event | None:
        """The newest event of some kinds."""
        return next((event for event in reversed(self.events) if event["event"] in kinds), None)

    def where(self, kind: str) -> list[Event]:
        return [event for event in self.events if event["event"] == kind]


def with_event(path: Path, record: Record, kind: str, at: datetime.datetime | None = None, **fields: Any) -> Record:
    """The record with one more event, which has been appended to the file and flushed when this returns."""
    event = {
        "seq": len(record.events),
        "at": utc(at or now()),
        "by": f"diveval {__version__}",
        "event": kind,
        "prev": record.head,
        **fields,
    }
    line = canonical(event)
    disk.append(path, line + b"\n")
    return Record((*record.events, event), (*record.hashes, sha256(line)))


@contextmanager
def open_locked(folder: Path, wait: float) -> Iterator[Record]:
    """The record of a folder under its lock.

    An incomplete last line is first copied to `private/` and then cut off, in this order: a kill between the two leaves
    the line in both places, and the next writer repeats both steps.
    """
    path = folder / "record.jsonl"
    with disk.lock(folder / "record.lock", wait):
        record = Record.read(path) if path.exists() else Record((), ())
        if torn := record.torn:
            size = path.stat().st_size - len(torn)
            disk.write(folder / "private" / f"torn-{len(record.events)}", torn, mode=0o600)
            disk.truncate(path, size)
            record = with_event(path, record, "repaired", bytes=len(torn), sum=sha256(torn))
        yield record


def _explain_broken(source: str, number: int, what: str) -> TrackError:
    return TrackError(
        "record-broken",
        f"{source}:{number + 1}: the record is broken: {what}",
        hint="restore it from a copy",
        exit_code=BROKEN,
    )


def _refuse(text: str) -> float:
    raise ValueError(f"a record contains no {text}")


# --- the state --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Submission:
    """One submission, from the events about it."""

    id: str
    seq: int
    at: str
    team: str  # keyed: t-…
    role: str
    file: str  # keyed
    late: bool
    type: str
    priority: int
    meta: str = ""  # keyed, of metadata beside the run
    verdict: str = ""  # accepted, warned, rejected; empty while there is none
    verdict_seq: int = -1
    verdict_sum: str = ""
    errors: int = 0
    standing: str = "standing"  # standing, superseded, withdrawn, excluded
    reason: str = ""
    newer: str = ""
    late_accepted: bool = False
    erased: bool = False

    @property
    def accepted(self) -> bool:
        return self.verdict in ("accepted", "warned")

    @property
    def stands(self) -> bool:
        """Accepted, and neither superseded, withdrawn nor excluded."""
        return self.accepted and self.standing == "standing"


@dataclass
class State:
    """The state of the track after the last event of a record."""

    submissions: dict[str, Submission] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)  # of the configuration and its sections, topics, documents
    judged: Event | None = None
    scored: list[Event] = field(default_factory=list)
    ranked: dict[str, Event] = field(default_factory=dict)
    released: list[Event] = field(default_factory=list)
    changed: bool = False  # a new scoring could differ from the last one
    received: int = 0  # submissions and scorings of all tasks, since these share their numbers
    scorings: int = 0

    @classmethod
    def of(cls, record: Record, task: str = "") -> State:
        """The state of a task after the last event.

        The last few states are cached by the hash of their last event, since commands ask for the state after every event
        they add. A state is built from the one before by copying its containers one level deep: `_take` may therefore
        replace the items of a container, and must not change an item in place.
        """
        cached = _REMEMBERED.get((record.head, task))
        if cached is not None:
            return cached
        before = _REMEMBERED.get((record.hashes[-2], task)) if len(record.hashes) > 1 else None
        state = cls(**{name: copy(value) for name, value in vars(before).items()}) if before else cls()
        for event in record.events[-1:] if before else record.events:
            state.received += event["event"] == "received"
            state.scorings += event["event"] == "scored"
            if event.get("task", "") == task or not is_of_task(event["event"], event.get("section")):
                state._take(event)
        while len(_REMEMBERED) >= MOST_REMEMBERED:
            del _REMEMBERED[next(iter(_REMEMBERED))]
        _REMEMBERED[record.head, task] = state
        return state

    @property
    def next_submission(self) -> str:
        return f"S{self.received + 1:04d}"

    @property
    def next_scoring(self) -> str:
        return f"R{self.scorings + 1:04d}"

    def standing(self) -> list[Submission]:
        return [submission for submission in self.submissions.values() if submission.stands]

    def _take(self, event: Event) -> None:
        kind = event["event"]
        if kind == "opened":
            self.sums = {name: event[name] for name in SUMS if name in event}
        elif kind == "config":
            self.sums[event["section"]] = event["sum"]
            self.changed |= event["section"] in ("scoring", "ranking", "metrics")
        elif kind == "received":
            names = ("at", "seq", "team", "role", "file", "late", "type", "priority", "meta")
            fields = {name: event[name] for name in names if name in event}
            self.submissions[event["submission"]] = Submission(event["submission"], **fields)
        elif kind == "judged":
            self.judged, self.changed = event, True
        elif kind == "scored":
            self.scored.append(event)
            self.changed = False
        elif kind == "ranked":
            self.ranked[event["scoring"]] = event
        elif kind == "released":
            self.released.append(event)
        elif "submission" in event and kind != "feedback":
            name = event["submission"]
            self.submissions[name] = replace(self.submissions[name], **_changes(event))
            self.changed = True


_REMEMBERED: dict[tuple[str, str], State] = {}  # by the hash of the last event, which depends on all events before it


def _changes(event: Event) -> dict[str, Any]:
    """What an event changes about its submission."""
    kind = event["event"]
    if kind == "verdict":
        fields = {"verdict": "verdict", "verdict_seq": "seq", "verdict_sum": "sum", "errors": "errors"}
        return {name: event[key] for name, key in fields.items()}
    if kind == "superseded":
        return {"standing": "superseded", "newer": event["newer"]}
    if kind in ("withdrawn", "excluded"):
        return {"standing": kind, "reason": event["reason"], "erased": bool(event.get("erased"))}
    if kind == "restored":
        return {"standing": "standing", "reason": event["reason"]}
    if kind == "late-accepted":
        return {"late_accepted": True, "reason": event["reason"]}
    return {}
