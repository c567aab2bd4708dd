"""The events of a record: which kinds there are, which fields they have, and what they may refer to.

A chain of hashes shows that no line was changed, and not that its lines make sense: anyone can write a well-chained record.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_SUM, _OPTIONAL_SUM = re.compile(r"[0-9a-f]{64}"), re.compile(r"([0-9a-f]{64})?")


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_time(value: Any) -> bool:
    try:
        return _TIME.fullmatch(value) is not None and bool(datetime.datetime.fromisoformat(value[:-1]))
    except (TypeError, ValueError):
        return False


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


_hash, _maybe, _id, _scoring = (
    _matches(_SUM.pattern),
    _matches(_OPTIONAL_SUM.pattern),
    _matches(r"S\d{4,}"),
    _matches(r"R\d{4,}"),
)
_is_task = _matches(r"[a-z0-9][a-z0-9-]{0,31}(/[a-z0-9][a-z0-9-]{0,31})?")
_about = {"submission": _id, "reason": _is_text}
_FIELDS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "opened": {"track": _is_text, "spec": _is_count, "config": _hash, "topics": _hash},
    "config": {
        "section": _matches("config|admission|scoring|ranking|topics|documents|metrics"),
        "sum": _matches("[0-9a-f]{16}|[0-9a-f]{64}"),
        "reason": _is_text,
    },
    "received": {
        "submission": _id,
        "team": _matches(r"t-[0-9a-f]{12}"),
        "role": _matches("participant|baseline|organiser"),
        "file": _hash,
        "bytes": _is_count,
        "late": _is_flag,
        "type": _is_text,
        "priority": _is_count,
    },
    "verdict": {
        "submission": _id,
        "verdict": _matches("accepted|warned|rejected"),
        "errors": _is_count,
        "warnings": _is_count,
        "sum": _hash,
    },
    "superseded": {"submission": _id, "newer": _id},
    "withdrawn": _about,
    "restored": _about,
    "excluded": _about,
    "late-accepted": _about,
    "judged": {"qrels": _hash, "weights": _maybe, "held_back": _maybe, "reason": _is_text},
    "scored": {
        "scoring": _scoring,
        "judged": _is_count,
        "scoring_rules": _hash,
        "submissions": _is_names,
        "failed": _is_names,
        "scores": _hash,
        "versions": lambda value: isinstance(value, dict) and all(isinstance(v, str) for v in value.values()),
        "probe": _is_text,
    },
    "ranked": {"scoring": _scoring, "leaderboard": _hash},
    "feedback": {"submission": _id, "sum": _hash},
    "released": {"scoring": _scoring, "leaderboard": _hash},
    "pooled": {
        "depth": _is_count,
        "by": _matches("depth|effect"),
        "submissions": _is_names,
        "topics": _is_count,
        "documents": _is_count,
        "sum": _hash,
    },
    "labelled": {"assessor": _matches(r"a-[0-9a-f]{12}"), "labels": _is_count, "sum": _hash},
    "noted": {"text": _is_text},
    "repaired": {"bytes": _is_count, "sum": _hash},
}


_OPTIONAL: dict[str, dict[str, Callable[[Any], bool]]] = {
    "opened": dict.fromkeys(("admission", "scoring", "ranking", "documents"), _hash),
    "received": {"meta": _hash},
    "verdict": {"rules": _is_count},
    "withdrawn": {"erased": _is_flag},
    "judged": {"efforts": _maybe},
    "scored": {"teams": _hash},
    "ranked": {"ranking_rules": _hash},
    "released": {"reason": _is_text},
}
_OF_ALL = ("seq", "at", "by", "event", "prev", "task")
_OF_THE_TRACK = ("opened", "noted", "repaired")


def is_of_task(kind: str, section: object) -> bool:
    """Whether an event is about a task; `track.toml` as a file is that of all tasks."""
    return kind not in _OF_THE_TRACK and (kind, section) != ("config", "config")


class Grammar:
    """Checks events one after the other, each against those before it, which must be of the same task."""

    def __init__(self) -> None:
        self.opened = False
        self.submissions: dict[str, str] = {}  # their tasks, by id
        self.scorings: dict[str, str] = {}
        self.ranked: dict[str, str] = {}  # leaderboards, by scoring
        self.judged: dict[int, str] = {}

    def find_fault(self, event: dict[str, Any]) -> str:
        """What is wrong with the next event; empty where nothing is."""
        kind = event.get("event")
        if not isinstance(kind, str) or kind not in _FIELDS:
            return "its kind is unknown to this version"
        if not _is_time(event.get("at")) or not _is_text(event.get("by")):
            return "it has no time or no author"
        needed, optional = _FIELDS[kind], _OPTIONAL.get(kind, {})
        for name in (*needed, *(name for name in event if name not in needed and name not in _OF_ALL)):
            holds = needed.get(name) or optional.get(name)
            if holds is None or not holds(event.get(name)):
                return f"{kind} needs another {name}" if holds else f"{kind} has no {name}"
        if kind != "repaired" and self.opened == (kind == "opened"):
            return "a record has one event opened, and it is the first"
        self.opened |= kind == "opened"
        if "task" in event and not (is_of_task(kind, event.get("section")) and _is_task(event["task"])):
            return f"{kind} is of no task, or its task has no valid name"
        return self._find_wrong_reference(kind, event, event.get("task", ""))

    def _find_wrong_reference(self, kind: str, event: dict[str, Any], task: str) -> str:
        if kind == "received":
            if event["submission"] != f"S{len(self.submissions) + 1:04d}":
                return "submissions are numbered in their order"
            self.submissions[event["submission"]] = task
        named = {event[name] for name in ("submission", "newer") if name in event}
        if kind == "scored":
            if event["scoring"] != f"R{len(self.scorings) + 1:04d}":
                return "scorings are numbered in their order"
            if self.judged.get(event["judged"]) != task:
                return "it refers to judgments that no event records"
            named |= {*event["submissions"], *event["failed"]}
            self.scorings[event["scoring"]] = task
        if kind == "pooled":
            named |= {*event["submissions"]}
        if any(self.submissions.get(name) != task for name in named):
            return "it refers to a submission that was not received"
        if kind in ("ranked", "released") and self.scorings.get(event["scoring"]) != task:
            return "it refers to a scoring that no event records"
        if kind == "released" and self.ranked.get(event["scoring"]) != event["leaderboard"]:
            return "it releases a leaderboard that no event records"
        if kind == "ranked" and self.ranked.setdefault(event["scoring"], event["leaderboard"]) != event["leaderboard"]:
            return "it ranks a scoring in another way than before"
        if kind == "judged":
            self.judged[event["seq"]] = task
        return ""
