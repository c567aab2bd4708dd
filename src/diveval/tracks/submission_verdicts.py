"""Verdicts of submissions: computed from the stored bytes and the record, and written as derived files.

The rules that need the record are here: names (A01), dates (A02), limits (A03), repeated bytes (A04) and equal rankings
(X01).
"""

from __future__ import annotations

import datetime
from dataclasses import replace

from diveval.errors import shown
from diveval.tracks import disk
from diveval.tracks.config import Config
from diveval.tracks.folder import Info, Rules, Track
from diveval.tracks.record import State, Submission, utc
from diveval.validation.rules import RULES_VERSION, FileVerdict, Finding


def moment(text: str) -> datetime.datetime:
    """A time of the record or of the command line; one without an offset is refused, since it cannot be compared."""
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if time.tzinfo is None:
        raise ValueError(text)
    return time


def is_late(config: Config, arrived: datetime.datetime) -> bool:
    """After the close, or before the opening."""
    grace = datetime.timedelta(minutes=config["dates.grace_minutes"])
    return not config["dates.opens"] <= arrived <= config["dates.closes"] + grace


def verdict_of(track: Track, submission: Submission, rules: Rules | None = None) -> FileVerdict:
    """The verdict as of the event that recorded it, computed again; `rules` for one that is not recorded yet."""
    info = track.info(submission)
    in_force = rules or track.rules_at(submission.verdict_seq if submission.verdict else len(track.record.events))
    verdict = in_force.validate(track.stored(info), info.file, track.declared(info))
    return replace(verdict, findings=(*verdict.findings, *_of_record(track, in_force.config, submission, info)))


def _of_record(track: Track, config: Config, given: Submission, info: Info) -> list[Finding]:
    """Findings of the rules that need the record before the submission."""
    before = State.of(track.record.until(given.seq))
    others = [(other, track.info(other)) for other in before.submissions.values() if other.accepted]
    mine = [(other, other_info) for other, other_info in others if other.team == given.team]
    return [*_name(config, given, info, others), *_dates(config, given), *_limits(config, given, info, mine)]


def _error(rule: str, message: str, fix: str) -> list[Finding]:
    return [Finding(rule, "error", message, fix)]


def _name(config: Config, given: Submission, info: Info, others: list[tuple[Submission, Info]]) -> list[Finding]:
    for other, other_info in others:
        if other_info.name != info.name:
            continue
        if other.team != given.team:
            return _error("A01", f"the name {shown(info.name)} is taken", "choose another name")
        if other.stands and config["submission.resubmit"] == "refuse":
            message = f"the name {shown(info.name)} is in already, as {other.id}"
            return _error("A01", message, "choose another name; this track does not replace runs")
    return []


def _dates(config: Config, given: Submission) -> list[Finding]:
    arrived, opens, closes = moment(given.at), config["dates.opens"], config["dates.closes"]
    if arrived < opens:
        return _error("A02", f"arrived before the opening at {utc(opens)}", "send it again then")
    if not given.late:
        return []
    hours, rest = divmod(int((arrived - closes).total_seconds()), 3600)
    message = f"arrived {hours:02d}:{rest // 60:02d}:{rest % 60:02d} after the close"
    if config["submission.late"] == "refuse":
        return _error("A02", message, "ask the organisers")
    return [Finding("A02", "note", message, "it is listed without a rank")]


def _limits(config: Config, given: Submission, info: Info, mine: list[tuple[Submission, Info]]) -> list[Finding]:
    most, daily = config["submission.max_runs_per_team"], config["submission.max_per_day"]
    if given.role != "participant":
        return []
    kept = sum(other.stands and other_info.name != info.name for other, other_info in mine)
    if most and kept >= most:
        return _error("A03", f"{kept} of {most} runs are in", "withdraw one first")
    day = given.at[:10]
    today = sum(other.at[:10] == day for other, _ in mine)
    if daily and today >= daily:
        return _error("A03", f"{today} of {daily} submissions of {day} (UTC) are in", "send it tomorrow")
    return []


def same_bytes(track: Track, state: State, team: str, file: str, *, inbox: bool) -> Submission | None:
    """The earlier submission of the same bytes because of which this one is not taken (A04).

    A file that is submitted by hand is taken again if the earlier one was superseded, withdrawn or excluded, or rejected
    for its name, date or number. Files stay in the inbox, so from there a file is never taken twice.
    """
    for other in reversed(state.submissions.values()):
        if (other.team, other.file) != (team, file):
            continue
        if inbox or other.stands or not other.verdict:
            return other
        if other.accepted:  # superseded, withdrawn or excluded
            return None
        findings = verdict_of(track, other).findings
        refused_by_record = any(f.rule.startswith("A") and f.severity == "error" for f in findings)
        return None if refused_by_record else other
    return None


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
    _supersede(track)


def _supersede(track: Track) -> None:
    """Mark every accepted submission that a newer accepted one of the same team and name replaces."""
    newest: dict[tuple[str, str], str] = {}
    for submission in reversed(track.state.submissions.values()):
        if not submission.accepted or submission.standing in ("withdrawn", "excluded"):
            continue
        key = (submission.team, track.info(submission).name)
        if key not in newest:
            newest[key] = submission.id
        elif submission.standing == "standing" and not _restored(track, submission.id, newest[key]):
            track.add("superseded", submission=submission.id, newer=newest[key])


def _restored(track: Track, submission: str, newer: str) -> bool:
    """Whether an organiser restored it after the newer one arrived: then it is not superseded again."""
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
    _supersede(track)
    return done
