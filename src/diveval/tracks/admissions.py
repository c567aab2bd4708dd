"""The verdict on a submission, with the rules that need the record: team and name, dates, limits, repeated bytes
(A01 to A04), equal rankings (X01). Whether bytes were sent before depends on the verdict on the earlier ones."""

from __future__ import annotations

import datetime

from diveval.errors import shown
from diveval.tracks.config import Config
from diveval.tracks.folder import Info, Rules, Track
from diveval.tracks.record import utc
from diveval.tracks.states import State, Submission
from diveval.validation import FileVerdict, Finding


def moment(text: str) -> datetime.datetime:
    """A time of the record, or of the command line; without an offset it cannot be compared."""
    found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if found.tzinfo is None:
        raise ValueError(text)
    return found


def is_late(config: Config, arrived: datetime.datetime) -> bool:
    """After the close, or before the opening."""
    grace = datetime.timedelta(minutes=config["dates.grace_minutes"])
    return not config["dates.opens"] <= arrived <= config["dates.closes"] + grace


def verdict_of(track: Track, submission: Submission, rules: Rules | None = None) -> FileVerdict:
    """The verdict as of the event that recorded it, computed anew; `rules` where it is not recorded yet."""
    info = track.info(submission)
    in_force = rules or track.rules_at(submission.verdict_seq if submission.verdict else len(track.record.events))
    verdict = in_force.validate(track.stored(info), info.file, track.declared(info))
    before = State.of(track.record.until(submission.seq))
    return verdict.with_findings(admission_findings(track, in_force.config, before, submission, info))


def admission_findings(track: Track, config: Config, before: State, given: Submission, info: Info) -> list[Finding]:
    """What the record before a submission says against it."""
    others = [(other, track.info(other)) for other in before.submissions.values() if other.accepted]
    mine = [(other, known) for other, known in others if other.team == given.team]
    found = _name(config, given, info, others)
    found += _dates(config, given)
    found += _limits(config, given, info, [pair for pair in mine if pair[0].stands], mine)
    return found


def _error(rule: str, message: str, fix: str) -> Finding:
    return Finding(rule, "error", message, fix)


def _name(config: Config, given: Submission, info: Info, others: list[tuple[Submission, Info]]) -> list[Finding]:
    for other, known in others:
        if known.name != info.name:
            continue
        if other.team != given.team:
            return [_error("A01", f"the name {shown(info.name)} is taken", "choose another name")]
        if other.stands and config["submission.resubmit"] == "refuse":
            message = f"the name {shown(info.name)} is in already, as {other.id}"
            return [_error("A01", message, "choose another name; this track does not replace runs")]
    return []


def _dates(config: Config, given: Submission) -> list[Finding]:
    arrived, opens, closes = moment(given.at), config["dates.opens"], config["dates.closes"]
    if arrived < opens:
        return [_error("A02", f"arrived before the opening at {utc(opens)}", "send it again then")]
    if not given.late:
        return []
    after = arrived - closes
    hours, rest = divmod(int(after.total_seconds()), 3600)
    message = f"arrived {hours:02d}:{rest // 60:02d}:{rest % 60:02d} after the close"
    if config["submission.late"] == "refuse":
        return [_error("A02", message, "ask the organisers")]
    return [Finding("A02", "note", message, "it is listed without a rank")]


def _limits(
    config: Config,
    given: Submission,
    info: Info,
    standing: list[tuple[Submission, Info]],
    all_mine: list[tuple[Submission, Info]],
) -> list[Finding]:
    most, daily = config["submission.max_runs_per_team"], config["submission.max_per_day"]
    if given.role != "participant":
        return []
    kept = sum(known.name != info.name for _, known in standing)
    if most and kept >= most:
        return [_error("A03", f"{kept} of {most} runs are in", "withdraw one first")]
    today = sum(other.at[:10] == given.at[:10] for other, _ in all_mine)
    if daily and today >= daily:
        return [_error("A03", f"{today} of {daily} submissions of {given.at[:10]} (UTC) are in", "send it tomorrow")]
    return []


def same_bytes(track: Track, state: State, team: str, file: str, *, inbox: bool) -> Submission | None:
    """The earlier submission of the same bytes that makes this one superfluous (A04).

    Sent by hand, a file counts again if its predecessor was taken out, or was refused for its name, date or number.
    In the inbox files stay, so that one which was ever taken is not taken again.
    """
    for other in reversed(state.submissions.values()):
        if (other.team, other.file) != (team, file):
            continue
        if inbox or other.stands or not other.verdict:
            return other
        if other.accepted:  # superseded, withdrawn or excluded
            return None
        return None if _refused_by_record(track, other) else other
    return None


def _refused_by_record(track: Track, other: Submission) -> bool:
    verdict = verdict_of(track, other)
    return any(found.rule.startswith("A") and found.severity == "error" for found in verdict.findings)


def twins(track: Track, state: State, given: Submission, ranking: str) -> list[str]:
    """Submissions of other teams that rank the same documents alike (X01), for the organiser's eyes."""
    return [
        other.id
        for other in state.submissions.values()
        if ranking and other.team != given.team and other.id != given.id and track.info(other).ranking == ranking
    ]
