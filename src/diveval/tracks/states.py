"""The state of a track: a fold over its record, never stored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from diveval.tracks.record import Event, Record

SUMS = ("config", "admission", "scoring", "ranking", "topics", "documents")


@dataclass(frozen=True)
class Submission:
    """One submission as the record has it."""

    id: str
    seq: int
    at: str
    team: str  # keyed: t-…
    role: str
    file: str  # keyed
    bytes: int
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
        """Accepted, and neither replaced nor taken out."""
        return self.accepted and self.standing == "standing"


@dataclass
class State:
    """Everything the record says, as of its last event."""

    submissions: dict[str, Submission] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)  # of the configuration and its sections, topics, documents
    judged: Event | None = None
    scored: list[Event] = field(default_factory=list)
    ranked: dict[str, Event] = field(default_factory=dict)
    released: list[Event] = field(default_factory=list)
    changed: bool = False  # something happened since the last scoring that a new one would take up

    @classmethod
    def of(cls, record: Record) -> State:
        """The state after the last event. The newest are remembered: a writer asks after every event it adds."""
        known = _REMEMBERED.get(record.head)
        if known is not None:
            return known
        before = _REMEMBERED.get(record.hashes[-2]) if len(record.hashes) > 1 else None
        state = cls() if before is None else before._copy()
        for event in record.events if before is None else record.events[-1:]:
            state._take(event)
        while len(_REMEMBERED) >= MOST_REMEMBERED:
            del _REMEMBERED[next(iter(_REMEMBERED))]
        _REMEMBERED[record.head] = state
        return state

    def _copy(self) -> State:
        return State(
            dict(self.submissions),
            dict(self.sums),
            self.judged,
            list(self.scored),
            dict(self.ranked),
            list(self.released),
            self.changed,
        )

    @property
    def next_submission(self) -> str:
        return f"S{len(self.submissions) + 1:04d}"

    @property
    def next_scoring(self) -> str:
        return f"R{len(self.scored) + 1:04d}"

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
            fields = {
                name: event[name] for name in ("at", "seq", "team", "role", "file", "bytes", "late", "type", "priority")
            }
            self.submissions[event["submission"]] = Submission(
                event["submission"], meta=event.get("meta", ""), **fields
            )
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
            self._change(event["submission"], _changes(event))

    def _change(self, submission: str, changes: dict[str, Any]) -> None:
        self.submissions[submission] = replace(self.submissions[submission], **changes)
        self.changed = True


MOST_REMEMBERED = 16
_REMEMBERED: dict[str, State] = {}  # by the hash of the last event, which stands for all before it


def _changes(event: Event) -> dict[str, Any]:
    """What an event changes about its submission."""
    kind = event["event"]
    if kind == "verdict":
        return {
            "verdict": event["verdict"],
            "verdict_seq": event["seq"],
            "verdict_sum": event["sum"],
            "errors": event["errors"],
        }
    if kind == "superseded":
        return {"standing": "superseded", "newer": event["newer"]}
    if kind in ("withdrawn", "excluded"):
        return {"standing": kind, "reason": event["reason"], "erased": bool(event.get("erased"))}
    if kind == "restored":
        return {"standing": "standing", "reason": event["reason"]}
    if kind == "late-accepted":
        return {"late_accepted": True, "reason": event["reason"]}
    return {}
