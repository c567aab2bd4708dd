"""Receiving submissions: bytes go to the store, an event to the record; then a verdict and a receipt."""

from __future__ import annotations

import datetime
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

from diveval.errors import InputError, UsageError, shown
from diveval.files import reading
from diveval.reading import run_name
from diveval.reading.lines import steady
from diveval.tracks import disk
from diveval.tracks.folder import RECEIVED, Info, Rules, Track
from diveval.tracks.record import canonical, now, sha256
from diveval.tracks.submission_verdicts import is_late, record_verdict, repair, same_bytes, twins, verdict_of
from diveval.validation.rules import FileVerdict, Statement

# The parts of the configuration that verdicts depend on. A change of them applies from the next submission on, and is
# recorded with it if there was no decision: otherwise the verdict could not be computed again.
ADMISSION = ("config", "admission", "topics", "documents")
SETTLED = 2.0  # seconds a file in the inbox keeps its size before it is taken
_META = (".yml", ".yaml")


@dataclass(frozen=True)
class Offer:
    """A file and its description; None: from the file name, or the default."""

    path: Path
    team: str | None = None
    name: str | None = None
    type: str | None = None
    priority: int | None = None
    meta: Path | None = None
    inbox: bool = False


@dataclass(frozen=True)
class Receipt:
    """The answer to a team. `seq` and `hash` are those of the newest event about the submission."""

    submission: str
    verdict: FileVerdict
    late: bool
    seq: int
    hash: str
    again: bool = False  # the same bytes were submitted before; nothing was added
    feedback: str | None = None
    notes: tuple[str, ...] = ()  # for the organiser only

    def as_json(self) -> dict[str, Any]:
        return {
            "submission": self.submission,
            "file": self.verdict.file,
            "team": self.verdict.declared.team,
            "verdict": self.verdict.verdict,
            "late": self.late,
            "seq": self.seq,
            "hash": self.hash,
            "again": self.again,
            **({"feedback": self.feedback} if self.feedback is not None else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def read_bytes(path: Path) -> bytes:
    """A file that does not change while it is read."""
    with steady(path), reading(path):
        if path.is_dir():
            raise InputError("is a folder; name the files in it", source=str(path))
        return path.read_bytes()


def details(rules: Rules, offer: Offer) -> tuple[str | None, str, str, int]:
    """Team, name, type and priority: as stated, else as the file name says, else the default."""
    match = re.fullmatch(rules.config["submission.file_name"], offer.path.name)
    named = match.groupdict() if match else {}
    types = rules.config["submission.types"]
    kind = offer.type or (named.get("type") if named.get("type") in types else None) or types[0]
    if kind not in types:
        raise UsageError(f"type is one of {', '.join(types)}, got {shown(kind)}")
    priority = offer.priority
    if priority is None:
        priority = int(named["priority"]) if (named.get("priority") or "").isdecimal() else 1
    if priority < 0:
        raise UsageError(f"priority is a whole number of at least 0, got {priority}")
    return offer.team or named.get("team"), offer.name or run_name(offer.path.name), kind, priority


def check(rules: Rules, offer: Offer) -> tuple[FileVerdict, bytes, bytes | None]:
    """The verdict on a file, without the rules that need the record."""
    team, name, kind, _ = details(rules, offer)
    data, meta = read_bytes(offer.path), read_bytes(offer.meta) if offer.meta else None
    return rules.validate(data, offer.path.name, Statement(name, team, kind, meta)), data, meta


def add(
    track: Track, offers: Sequence[Offer], *, received: datetime.datetime | None = None, wait: float = 30.0
) -> list[Receipt]:
    """Take files one by one; each ends with a verdict before the next begins."""
    for offer in offers:
        team = details(track.rules, offer)[0]
        if team is None:
            raise UsageError(f"{offer.path}: the team is not in the file name; name it with --team")
        track.team(team)
    return [_add(track, offer, received, wait) for offer in offers]


def _add(track: Track, offer: Offer, received: datetime.datetime | None, wait: float) -> Receipt:
    arrived = (received or now()).replace(microsecond=0)
    verdict, data, meta = check(track.rules, offer)
    team_id, name, kind, priority = details(track.rules, offer)
    team = track.team(team_id or "")
    _store(track, data)
    if meta is not None:
        _store(track, meta)
    keyed, file = track.secret.team(team.id), track.secret.sum("run", data)
    with track.writing(wait):
        repair(track)
        state = track.state
        before = same_bytes(track, state, keyed, file, inbox=offer.inbox)
        if before is not None:
            seq, verdict = before.verdict_seq, verdict_of(track, before)
            return Receipt(before.id, verdict, before.late, seq, track.record.hashes[seq], again=True)
        submission = state.next_submission
        adopted = track.record_config(f"in force from {submission}", names=ADMISSION)
        summed = sha256(meta) if meta is not None else ""
        info = Info(team.id, name, offer.path.name, sha256(data), kind, priority, summed, verdict.ranking)
        disk.write(track.path(f"{RECEIVED}/{submission}.json"), info.as_bytes(), mode=0o600)
        more = {"meta": track.secret.sum("meta", meta)} if meta is not None else {}
        track.add(
            "received",
            at=arrived,
            submission=submission,
            team=keyed,
            role=team.role,
            file=file,
            bytes=len(data),
            late=is_late(track.config, arrived),
            type=kind,
            priority=priority,
            **more,
        )
        given = track.state.submissions[submission]
        final = verdict_of(track, given, track.rules)
        record_verdict(track, submission, final)
        notes = [f"{submission} ranks as {other} does" for other in twins(track, state, given, info.ranking)]
        if adopted:
            notes.append(f"{', '.join(adopted)} changed since the record: recorded, in force from {submission}")
        seq = track.state.submissions[submission].verdict_seq
        feedback = _feedback(track, submission) if final.verdict != "rejected" else None
        receipt = Receipt(submission, final, given.late, seq, track.record.hashes[seq])
        return replace(receipt, feedback=feedback, notes=tuple(notes))


def _store(track: Track, data: bytes) -> None:
    """Store bytes under their SHA-256, read-only; the same bytes are stored once.

    This happens before the event that names them: a kill in between leaves a file that no event names, which is harmless,
    while an event without its bytes could never be verified.
    """
    target = track.path(f"store/{sha256(data)}")
    if not target.exists():
        disk.write(target, data, mode=0o444)


# --- the inbox --------------------------------------------------------------------------------------------------------


def inbox(track: Track) -> tuple[list[Offer], list[str]]:
    """The files in `inbox/<team>/` that are complete, and messages about those left for the next time."""
    offers, left = [], []
    folders = sorted(path for path in track.path("inbox").glob("*") if path.is_dir())
    for folder in folders:
        if folder.name not in track.teams:
            left.append(f"inbox/{folder.name}: no team has this id; rename the folder, or add the team to teams.toml")
            continue
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
        runs = [path for path in files if path.suffix not in _META and not path.name.endswith(".part")]
        sizes = {path: path.stat().st_size for path in runs}
        newest = max((max(path.stat().st_mtime, path.stat().st_ctime) for path in runs), default=0.0)
        time.sleep(max(0.0, min(SETTLED, newest + SETTLED - time.time())))
        for path in runs:
            if path.stat().st_size != sizes[path]:
                left.append(f"inbox/{folder.name}/{path.name}: still growing; it is taken next time")
                continue
            offers.append(Offer(path, folder.name, meta=_beside(path), inbox=True))
    return offers, left


def _beside(path: Path) -> Path | None:
    """The metadata file of a run: its name, or its name without ending, followed by .yml or .yaml."""
    candidates = [path.with_name(stem + ending) for stem in (path.name, run_name(path.name)) for ending in _META]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


# --- feedback while a track is open -----------------------------------------------------------------------------------


def _feedback(track: Track, submission: str) -> str | None:
    """The best score reported to the team so far, on open topics; None before the first.

    A rounded score is reported only when it beats the best one reported before: A. Blum, M. Hardt. The Ladder: A
    Reliable Leaderboard for Machine Learning Competitions. ICML 2015.
    """
    state, config = track.state, track.config
    given = state.submissions[submission]
    if config["feedback.mode"] != "ladder":
        return None
    path = track.path(f"private/feedback/{given.team}.json")
    reports: list[dict[str, str]] = json.loads(path.read_bytes()) if path.exists() else []
    best = reports[-1]["value"] if reports else None
    if state.judged is None or given.late or len(reports) >= config["feedback.max_reports"]:
        return best
    from diveval.tracks.scorings import compute, truth_of  # loads everything needed for scoring

    truth = truth_of(track, state.judged, config)
    scoring = compute(track, truth, config, [given])
    if scoring.scores is None or not truth.open_topics:
        return best
    mean = float(scoring.scores.select(topics=truth.open_topics, metrics=[config.official]).means[0, 0])
    step = Decimal(repr(config["feedback.step"]))
    value = (Decimal(repr(mean)) / step).quantize(Decimal(1), ROUND_HALF_EVEN) * step
    if best is not None and config.sign * (value - Decimal(best)) < step:
        return best
    reports.append({"submission": submission, "value": str(value)})
    disk.write(path, canonical(reports) + b"\n", mode=0o600)
    track.add("feedback", submission=submission, sum=track.secret.sum("feedback", str(value).encode()))
    return str(value)
