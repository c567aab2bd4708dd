"""Verdicts of submissions: computed from the stored bytes and the record, written as derived files."""

from __future__ import annotations

from diveval.tracks import disk
from diveval.tracks.admissions import verdict_of
from diveval.tracks.folder import Track
from diveval.tracks.record import Writer
from diveval.tracks.states import State
from diveval.validation import RULES_VERSION, FileVerdict


def write_verdict(track: Track, submission: str, verdict: FileVerdict) -> bytes:
    """Write the derived file."""
    data = track.verdict_json(submission, verdict)
    disk.write(track.path(f"verdicts/{submission}.json"), data, derived=True)
    return data


def record_verdict(track: Track, writer: Writer, submission: str, verdict: FileVerdict) -> None:
    """The event of a verdict, its file, and what it supersedes."""
    counts, data = verdict.counts(), track.verdict_json(submission, verdict)
    writer.add(
        "verdict",
        submission=submission,
        verdict=verdict.verdict,
        errors=counts["error"],
        warnings=counts["warning"],
        rules=RULES_VERSION,
        sum=track.secret.sum("verdict", data),
    )
    track.record = writer.record
    write_verdict(track, submission, verdict)
    supersede(track, writer)


def supersede(track: Track, writer: Writer) -> None:
    """Mark every accepted submission that a newer accepted one of the same team and name replaces."""
    newest: dict[tuple[str, str], str] = {}
    for submission in reversed(State.of(writer.record).submissions.values()):
        if not submission.accepted or submission.standing in ("withdrawn", "excluded"):
            continue
        key = (submission.team, track.info(submission).name)
        if key not in newest:
            newest[key] = submission.id
        elif submission.standing == "standing" and not _restored(writer, submission.id, newest[key]):
            writer.add("superseded", submission=submission.id, newer=newest[key])
    track.record = writer.record


def _restored(writer: Writer, submission: str, newer: str) -> bool:
    """An organiser brought it back after the newer one came: that decision stands."""
    received = next(e["seq"] for e in writer.record.events if e["event"] == "received" and e["submission"] == newer)
    return any(
        e["event"] == "restored" and e["submission"] == submission and e["seq"] > received for e in writer.record.events
    )


def repair(track: Track, writer: Writer) -> list[str]:
    """Finish what an interrupted command left: verdicts that are missing, and their files. Says what was done."""
    done = []
    for submission in State.of(writer.record).submissions.values():
        if not submission.verdict:
            rules = track.rules_at(len(writer.record.events))
            record_verdict(track, writer, submission.id, verdict_of(track, submission, rules))
            done.append(f"{submission.id}: its verdict was missing and is recorded now")
        elif not track.path(f"verdicts/{submission.id}.json").exists() and not submission.erased:
            write_verdict(track, submission.id, verdict_of(track, submission))
            done.append(f"{submission.id}: its verdict was written again")
    supersede(track, writer)
    return done
