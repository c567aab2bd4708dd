"""Verdicts of submissions: computed from the stored bytes and the record, and written as derived files.

The rules that need the record are here: names (A01), dates (A02), limits (A03), repeated bytes (A04) and equal rankings
(X01).
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection
from dataclasses import replace

from diveval.errors import quote
from diveval.tracks import disk
from diveval.tracks.alike import fold_name
from diveval.tracks.config import Config
from diveval.tracks.folder import Track
from diveval.tracks.intake import Info, Rules
from diveval.tracks.record import State, Submission, expecting, utc
from diveval.validation.rules import RULES_VERSION, FileVerdict, Finding


def moment(text: str) -> datetime.datetime:
    """A time of the record or of the command line; one without an offset is refused, since it cannot be compared."""
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if time.tzinfo is None:
        raise ValueError(text)
    return time


def is_late(config: Config, arrived: datetime.datetime) -> bool:
    """After the close, or before the opening."""
    return not config["dates.opens"] <= arrived <= config.closing


def verdict_of(track: Track, submission: Submission, rules: Rules | None = None) -> FileVerdict:
    """The verdict as of the event that recorded it, computed again; `rules` for one that is not recorded yet."""
    info = track.info(submission)
    in_force = rules or track.rules_at(submission.verdict_seq if submission.verdict else len(track.record.events))
    verdict = in_force.validate(track.read_stored(info), info.file, track.read_statement(info))
    return with_record(track, in_force.config, submission, verdict)


def with_record(track: Track, config: Config, given: Submission, verdict: FileVerdict) -> FileVerdict:
    """The verdict on a file with the findings that need the record before the submission."""
    return replace(verdict, findings=(*verdict.findings, *_of_record(track, config, given, track.info(given))))


def recall_verdict(track: Track, submission: Submission) -> FileVerdict:
    """The verdict as recorded: read from its file if that has the recorded sum, else computed again.

    The sum covers every byte of the file, so reading it is as good as validating the run again, and much faster.
    """
    path = track.path(f"verdicts/{submission.id}.json")
    data = path.read_bytes() if path.is_file() else b""
    if track.secret.sum("verdict", data) != submission.verdict_sum:
        return verdict_of(track, submission)
    info = track.info(submission)
    with expecting("a verdict", str(path)):
        return FileVerdict.from_json(json.loads(data), track.read_statement(info), info.ranking)


def _of_record(track: Track, config: Config, given: Submission, info: Info) -> list[Finding]:
    """Findings of the rules that need the record before the submission."""
    before = track.state_before(given.seq).submissions.values()
    others = [(other, track.info(other)) for other in before if other.accepted]
    return [*_name(config, given, info, others), *_dates(config, given), *_limits(config, given, info, before, others)]


def _error(rule: str, message: str, fix: str) -> list[Finding]:
    return [Finding(rule, "error", message, fix)]


def _name(config: Config, given: Submission, info: Info, others: list[tuple[Submission, Info]]) -> list[Finding]:
    strict = config["spec"] > 1
    for other, other_info in others:
        if other_info.name != info.name:
            if strict and fold_name(other_info.name) == fold_name(info.name):
                what = f"the name {quote(info.name)} differs from one that is taken only by case or by letters that look alike"
                return _error("A01", what, "choose another name, or the same one")
            continue
        if other.team != given.team:
            return _error("A01", f"the name {quote(info.name)} is taken", "choose another name")
        if other.stands and config["submission.resubmit"] == "refuse":
            message = f"the name {quote(info.name)} is in already, as {other.id}"
            return _error("A01", message, "choose another name; this track does not replace runs")
    return []


def _dates(config: Config, given: Submission) -> list[Finding]:
    arrived, opens, closes = moment(given.at), config["dates.opens"], config["dates.closes"]
    if arrived < opens:
        return _error("A02", f"arrived before the opening at {utc(opens)}", "send it again then")
    if not given.late:
        return []
    message = "arrived after the release" if not is_late(config, arrived) else _delay(arrived, closes)
    if config["submission.late"] == "refuse":
        return _error("A02", message, "ask the organisers")
    return [Finding("A02", "note", message, "it is listed without a rank")]


def _delay(arrived: datetime.datetime, closes: datetime.datetime) -> str:
    hours, rest = divmod(int((arrived - closes).total_seconds()), 3600)
    return f"arrived {hours:02d}:{rest // 60:02d}:{rest % 60:02d} after the close"


def _limits(
    config: Config,
    given: Submission,
    info: Info,
    before: Collection[Submission],
    others: list[tuple[Submission, Info]],
) -> list[Finding]:
    """The number of runs, of which only accepted ones count, and the number per day, which rejected ones use up too."""
    most, daily = config["submission.max_runs_per_team"], config["submission.max_per_day"]
    if given.role != "participant":
        return []
    mine = [(other, other_info) for other, other_info in others if other.team == given.team]
    kept = sum(other.stands and other_info.name != info.name for other, other_info in mine)
    if most and kept >= most:
        return _error("A03", f"{kept} of {most} runs are in", "withdraw one first")
    day, all_count = given.at[:10], config["spec"] > 1
    sent = [other for other in before if other.team == given.team and (all_count or other.accepted)]
    today = sum(other.at[:10] == day for other in sent)
    if daily and today >= daily:
        return _error("A03", f"{today} of {daily} submissions of {day} (UTC) are in", "send it tomorrow")
    return []


def find_repeat(
    track: Track, state: State, given: Submission, info: Info, verdict: FileVerdict, *, inbox: bool
) -> Submission | None:
    """The earlier submission that this one repeats, so that nothing is added (A04).

    Bytes, names, type, priority and metadata are the same, and the answer would be the same. A file that is submitted by
    hand is taken again if the earlier one does not stand, or was rejected for its name, date or number. Files stay in the
    inbox, so from there a file is taken again only where it was refused for such a reason that no longer holds.
    """
    for other in reversed(state.submissions.values()):
        if (other.team, other.file) != (given.team, given.file) or not _describe_alike(track.info(other), info):
            continue
        if other.stands or not other.verdict:
            return other
        if other.accepted:  # superseded, withdrawn or excluded
            return other if inbox else None
        if verdict.verdict == "rejected":
            pure = tuple(f for f in recall_verdict(track, other).findings if not f.rule.startswith("A"))
            return other if pure == verdict.findings else None
        refused = any(finding.severity == "error" for finding in _of_record(track, track.config, given, info))
        return other if inbox and refused else None
    return None


def _describe_alike(one: Info, two: Info) -> bool:
    return all(getattr(one, name) == getattr(two, name) for name in ("name", "file", "type", "priority", "meta"))


def twins(track: Track, state: State, given: Submission, ranking: str) -> list[str]:
    """Submissions of other teams with the same rankings (X01); only organisers see them."""
    return [
        other.id
        for other in state.submissions.values()
        if ranking and other.team != given.team and other.id != given.id and track.info(other).ranking == ranking
    ]


# --- written and recorded ---------------------------------------------------------------------------------------------


def _write(track: Track, submission: str, data: bytes) -> None:
    disk.write(track.path(f"verdicts/{submission}.json"), data, derived=True)


def record_verdict(track: Track, submission: str, verdict: FileVerdict) -> None:
    """Record a verdict, write its file, and mark what it supersedes.

    In this order: a kill after the event leaves a missing file and unmarked submissions, which `repair` completes.
    """
    counts, data = verdict.counts(), track.verdict_json(submission, verdict)
    track.add(
        "verdict",
        submission=submission,
        verdict=verdict.verdict,
        errors=counts["error"],
        warnings=counts["warning"],
        rules=RULES_VERSION,
        sum=track.secret.sum("verdict", data),
    )
    _write(track, submission, data)
    supersede(track)


def _in_time(submission: Submission) -> bool:
    return not submission.late or submission.late_accepted


def supersede(track: Track) -> None:
    """Mark every accepted submission that a newer accepted one of the same team and name replaces.

    A late one replaces only late ones: otherwise a team could lose its ranked run by sending it once more.
    """
    newer: dict[tuple[str, str], list[Submission]] = {}
    for submission in reversed(track.state.submissions.values()):
        if not submission.accepted or submission.standing in ("withdrawn", "excluded"):
            continue
        later = newer.setdefault((submission.team, track.info(submission).name), [])
        by = next((other for other in later if _in_time(other) or not _in_time(submission)), None)
        later.append(submission)
        if by is not None and submission.standing == "standing" and not _restored(track, submission.id, by.id):
            track.add("superseded", submission=submission.id, newer=by.id)


def find_kept(track: Track, given: Submission) -> list[Submission]:
    """Submissions that a late one of their name does not replace."""
    if _in_time(given):
        return []
    name, others = track.info(given).name, track.state.submissions.values()
    mine = [other for other in others if other.stands and other.team == given.team and other.id != given.id]
    return [other for other in mine if _in_time(other) and track.info(other).name == name]


def find_rival(track: Track, given: Submission) -> Submission | None:
    """The submission that stands and replaces this one, or would be replaced by it: of one name at most one counts."""
    name = track.info(given).name
    for other in track.state.submissions.values():
        if not other.stands or other.team != given.team or other.id == given.id:
            continue
        newer, older = (other, given) if other.seq > given.seq else (given, other)
        if (_in_time(newer) or not _in_time(older)) and track.info(other).name == name:
            return other
    return None


def list_stranded(track: Track) -> list[Submission]:
    """Superseded submissions without a run of their name that stands, since what replaced them does not; the newest of each."""
    names: dict[tuple[str, str], Submission] = {}
    for given in track.state.submissions.values():
        if given.accepted and given.standing == "superseded" and find_rival(track, given) is None:
            names[given.team, track.info(given).name] = given
    return list(names.values())


def _restored(track: Track, submission: str, newer: str) -> bool:
    """Whether an organiser of version 2.0 restored it after the newer one arrived: then both stood."""
    if track.config["spec"] > 1:
        return False
    received = next(e["seq"] for e in track.record.where("received") if e["submission"] == newer)
    return any(e["submission"] == submission and e["seq"] > received for e in track.record.where("restored"))


def repair(track: Track) -> list[str]:
    """Complete what an interrupted command left: missing verdicts and their files. Returns what was done, in words."""
    done = []
    for submission in track.state.submissions.values():
        if not submission.verdict:
            rules = track.rules_at(len(track.record.events))
            record_verdict(track, submission.id, verdict_of(track, submission, rules))
            done.append(f"{submission.id}: its verdict was missing and is recorded now")
        elif not track.path(f"verdicts/{submission.id}.json").exists() and not submission.erased:
            _write(track, submission.id, track.verdict_json(submission.id, verdict_of(track, submission)))
            done.append(f"{submission.id}: its verdict was written again")
    supersede(track)
    return done
