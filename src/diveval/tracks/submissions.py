"""Receiving submissions: bytes go to the store, an event to the record; then a verdict and a receipt."""

from __future__ import annotations

import datetime
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

from diveval.errors import InputError, UsageError, quote
from diveval.reading import run_name
from diveval.tracks import disk
from diveval.tracks.folder import RECEIVED, Track
from diveval.tracks.intake import Info, Rules
from diveval.tracks.offered import (
    MOST_METADATA,
    list_plain,
    read_below,
    read_named,
    refuse_large,
    refuse_own,
)
from diveval.tracks.record import Submission, canonical, expecting, now, sha256, utc
from diveval.tracks.submission_verdicts import (
    find_kept,
    find_repeat,
    is_late,
    recall_verdict,
    record_verdict,
    repair,
    twins,
    with_record,
)
from diveval.validation.rules import Declaration, Facts, FileVerdict, Finding

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
    replaces: tuple[str, ...] = ()  # submissions that it supersedes
    kept: tuple[str, ...] = ()  # submissions of its name that it does not supersede, because it is late

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
            **({"replaces": list(self.replaces)} if self.replaces else {}),
            **({"kept": list(self.kept)} if self.kept else {}),
        }


def details(rules: Rules, offer: Offer) -> tuple[str | None, str, str, int]:
    """Team, name, type and priority: as stated, else as the file name says, else the default."""
    match = re.fullmatch(rules.config["submission.file_name"], offer.path.name)
    named = match.groupdict() if match else {}
    types = rules.config["submission.types"]
    kind = offer.type or (named.get("type") if named.get("type") in types else None) or types[0]
    if kind not in types:
        raise UsageError("invalid-choice", f"type is one of {', '.join(types)}, got {quote(kind)}")
    priority = offer.priority
    if priority is None:
        priority = int(named["priority"]) if (named.get("priority") or "").isdecimal() else 1
    if priority < 0:
        raise UsageError("out-of-range", f"priority is a whole number of at least 0, got {priority}")
    return offer.team or named.get("team"), offer.name or run_name(offer.path.name), kind, priority


def _read(offer: Offer, most: int, track: Track | None) -> bytes:
    """The bytes of an offered file; without a track, as participants validate it."""
    if offer.inbox and track is not None:
        return read_below(track.folder, offer.path.relative_to(track.folder).parts, most)
    if track is not None:
        refuse_own(track.folder, offer.path, details(track.rules, offer)[0])
    return read_named(offer.path, most)


def check(rules: Rules, offer: Offer, track: Track | None = None) -> tuple[FileVerdict, bytes, bytes | None]:
    """The verdict on a file, without the rules that need the record."""
    team, name, kind, _ = details(rules, offer)
    most = rules.config["submission.max_bytes"]
    beside = None if offer.meta is None else replace(offer, path=offer.meta)
    meta = _read(beside, MOST_METADATA, track) if beside else None
    declared = Declaration(name, team, kind, meta)
    try:
        data = _read(offer, most, track)
    except InputError as error:
        if error.code != "file-too-large" or track is not None:
            raise
        finding = Finding("F02", "error", f"has more than {most} bytes", "send fewer documents per topic")
        return FileVerdict(offer.path.name, most + 1, "", declared, Facts(), (finding,)), b"", meta
    return rules.validate(data, offer.path.name, declared), data, meta


def add(
    track: Track, offers: Sequence[Offer], *, received: datetime.datetime | None = None, wait: float = 30.0
) -> list[Receipt]:
    """Take files one by one; each ends with a verdict before the next begins.

    What can be refused without reading is refused before the first is taken, so that no receipt is lost to a later error.
    """
    most = track.config["submission.max_bytes"]
    for offer in offers:
        team = details(track.rules, offer)[0]
        if team is None:
            raise UsageError(
                "missing-argument", f"{offer.path}: the team is not in the file name", hint="name it with --team"
            )
        track.team(team)
        for path, limit in ((offer.path, most), (offer.meta, MOST_METADATA)):
            if path is not None and not offer.inbox:
                refuse_own(track.folder, path, team)
                refuse_large(path.stat().st_size if path.is_file() else 0, limit, str(path))
    return [_add(track, offer, received, wait) for offer in offers]


def _add(track: Track, offer: Offer, received: datetime.datetime | None, wait: float) -> Receipt:
    arrived = (received or now()).replace(microsecond=0)
    _refuse_beyond_limit(track, offer)
    verdict, data, meta = check(track.rules, offer, track)
    team_id, name, kind, priority = details(track.rules, offer)
    team = track.team(team_id or "")
    summed, secret = sha256(meta) if meta is not None else "", track.secret
    info = Info(team.id, name, offer.path.name, sha256(data), kind, priority, summed, verdict.ranking)
    with track.writing(wait):
        repair(track)
        state = track.state
        given = Submission(
            state.next_submission,
            len(track.record.events),
            utc(arrived),
            secret.team(team.id),
            team.role,
            secret.sum("run", data),
            # Whoever sends a run after the release has seen the judgments, whatever time the organisers enter.
            is_late(track.config, arrived) or _is_public(track),
            kind,
            priority,
            secret.sum("meta", meta) if meta is not None else "",
        )
        before = find_repeat(track, state, given, info, verdict, inbox=offer.inbox)
        if before is not None:
            seq = before.verdict_seq
            return Receipt(
                before.id, recall_verdict(track, before), before.late, seq, track.record.hashes[seq], again=True
            )
        for content in (data, meta):
            if content is not None:
                _store(track, content)
        adopted = track.record_config(f"in force from {given.id}", names=ADMISSION)
        disk.write(track.path(f"{RECEIVED}/{given.id}.json"), info.as_bytes(), mode=0o600)
        return _record(track, given, verdict, arrived, len(data), adopted)


def _refuse_beyond_limit(track: Track, offer: Offer) -> None:
    """Refuse a file with which the store would keep more of its team than the track allows, before it is read."""
    most, keyed = (
        track.config.get("submission.max_bytes_per_team"),
        track.secret.team(details(track.rules, offer)[0] or ""),
    )
    if most is None:
        return
    infos = [track.info(other) for other in track.state.submissions.values() if other.team == keyed]
    kept = {total for info in infos for total in (info.sha256, info.meta) if total}
    paths = (*(track.path(f"store/{total}") for total in kept), offer.path, offer.meta)
    size = sum(path.lstat().st_size for path in paths if path is not None and path.exists())
    if size > most and sha256(_read(offer, track.config["submission.max_bytes"], track)) not in kept:
        what = f"with it the files of its team have {size} bytes, at most {most} are kept"
        raise InputError("file-too-large", what, hint="see submission.max_bytes_per_team", source=str(offer.path))


def _is_public(track: Track) -> bool:
    """Whether a release has published judgments of this task: its own, or that of a task that shares them."""
    if track.released or not track.config.tasks:
        return track.released
    from diveval.tracks.sharing import find_sharing

    return bool(find_sharing(track, released=True))


def _record(
    track: Track, given: Submission, verdict: FileVerdict, arrived: datetime.datetime, size: int, adopted: list[str]
) -> Receipt:
    """Record a submission whose bytes are stored, and its verdict."""
    state = track.state
    names = ("team", "role", "file", "late", "type", "priority", *(["meta"] if given.meta else []))
    fields = {name: getattr(given, name) for name in names}
    track.add("received", at=arrived, submission=given.id, bytes=size, **fields)
    given = track.state.submissions[given.id]
    final = with_record(track, track.config, given, verdict)
    record_verdict(track, given.id, final)
    notes = [f"{given.id} ranks as {other} does" for other in twins(track, state, given, verdict.ranking)]
    if adopted:
        notes.append(f"{', '.join(adopted)} changed since the record: recorded, in force from {given.id}")
    submissions = track.state.submissions
    replaced = tuple(other.id for other in submissions.values() if other.newer == given.id)
    kept = tuple(other.id for other in find_kept(track, given)) if final.verdict != "rejected" else ()
    seq = submissions[given.id].verdict_seq
    feedback = _feedback(track, given.id) if final.verdict != "rejected" else None
    receipt = Receipt(given.id, final, given.late, seq, track.record.hashes[seq], replaces=replaced, kept=kept)
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


@dataclass
class Taken:
    """What `add --inbox` did: receipts, what waits for the next time, and what is refused as it stands."""

    receipts: list[Receipt] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def take_inbox(track: Track, *, received: datetime.datetime | None = None, wait: float = 30.0) -> Taken:
    """Take every complete file in `inbox/<team>/`; one that cannot be taken does not stop the others."""
    taken = Taken()
    for view, offer in _list_inbox(track, taken):
        try:
            taken.receipts += add(view, [offer], received=received, wait=wait)
        except InputError as error:
            taken.refused.append(str(error))
    return taken


def _list_inbox(track: Track, taken: Taken) -> list[tuple[Track, Offer]]:
    """The files in `inbox/<team>/`, or its folder of a task, that are complete; others are noted in `taken`."""
    if not track.path("inbox").exists():
        return []
    offers = []
    views = track.views()
    for entry in sorted(track.path("inbox").iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            taken.refused.append(f"inbox/{quote(entry.name)}: is a link; put the files themselves there")
        elif entry.is_dir() and entry.name not in track.teams:
            name = quote(entry.name)
            taken.left.append(f"inbox/{name}: no team has this id; rename the folder, or add the team to teams.toml")
        elif not entry.is_dir():
            taken.left.append(f"inbox/{quote(entry.name)}: lies in no folder of a team; move it into inbox/<team>/")
        else:
            _note_others(track, entry, taken)
            offers += [(view, offer) for view in views for offer in _list_team(view, entry.name, taken)]
    return offers


def _note_others(track: Track, folder: Path, taken: Taken) -> None:
    """In a track with tasks: what a team has put elsewhere than into the folder of one."""
    tasks, known = track.config.tasks, {part for task in track.config.tasks for part in (task, task.partition("/")[0])}
    for path in sorted((*folder.glob("*"), *folder.glob("*/*"))) if tasks else ():
        name = path.relative_to(folder).as_posix()
        if name in known or path.name.startswith(".") or name.rpartition("/")[0] not in known - set(tasks) | {""}:
            continue
        taken.left.append(f"inbox/{folder.name}/{quote(name)}: names no task; tasks are {', '.join(tasks)}")


def _list_team(track: Track, team: str, taken: Taken) -> list[Offer]:
    parts = track.inbox(team)
    folder = track.path("/".join(parts))
    if track.task and not folder.is_dir():
        return []
    try:
        files, refused = list_plain(track.folder, parts)
    except InputError as error:
        taken.refused.append(str(error))
        return []
    taken.refused += [str(error) for error in refused]
    runs = [name for name in files if not name.endswith((*_META, ".part"))]
    newest = max((max(files[name].st_mtime, files[name].st_ctime) for name in runs), default=0.0)
    time.sleep(max(0.0, min(SETTLED, newest + SETTLED - time.time())))
    unsafe = {Path(error.source or "").name for error in refused}
    offers = []
    for name in runs:
        path, beside = folder / name, name_metadata(name)
        if (folder / name).lstat().st_size != files[name].st_size:
            taken.left.append(f"{'/'.join(parts)}/{quote(name)}: still growing; it is taken next time")
        elif not unsafe.intersection(beside):
            meta = next((folder / other for other in beside if other in files), None)
            offers.append(Offer(path, team, meta=meta, inbox=True))
    return offers


def name_metadata(run: str) -> list[str]:
    """How the metadata file of a run may be called: its name, or its name without ending, followed by .yml or .yaml."""
    return [stem + ending for stem in (run, run_name(run)) for ending in _META]


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
    with expecting("a list of reports", str(path)):
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
