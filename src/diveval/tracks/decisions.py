"""Decisions of the organisers: one event each, with a reason that the site shows."""

from __future__ import annotations

from typing import Any

from diveval.errors import UsageError, preview, quote
from diveval.tracks import disk
from diveval.tracks.folder import Track
from diveval.tracks.leaderboard import board_of, scoring_event
from diveval.tracks.record import Event, Submission, now, utc
from diveval.tracks.scorings import fingerprint_of, truth_of
from diveval.tracks.sharing import find_sharing, find_unequal_holding
from diveval.tracks.submission_verdicts import find_rival, record_verdict, repair, supersede, verdict_of
from diveval.validation.rules import json_bytes

ABOUT_SUBMISSIONS = {
    "withdraw": "withdrawn",
    "restore": "restored",
    "exclude": "excluded",
    "accept-late": "late-accepted",
}


def decide(
    track: Track,
    kind: str,
    submission: str | None = None,
    *,
    reason: str,
    erase: bool = False,
    revalidate: bool = False,
    wait: float = 30.0,
) -> list[Event]:
    """Record a decision; an empty list where there was nothing to decide."""
    if not reason.strip() or "\0" in reason:
        raise UsageError("missing-argument", "a decision needs a reason: --reason TEXT", hint="the site shows it")
    if submission is not None and not track.task:
        track = _view_of(track, submission)
    if kind == "config" and track.config.tasks and not track.task:
        made = [decide(view, kind, reason=reason, revalidate=revalidate, wait=wait) for view in track.views()]
        return [event for events in made for event in events]
    with track.writing(wait):
        repair(track)
        start = len(track.record.events)
        if kind in ABOUT_SUBMISSIONS:
            if submission is None:
                raise UsageError("missing-argument", f"decide {kind} is about a submission: name it, such as S0001")
            _submission(track, kind, submission, reason, erase)
        elif submission is not None:
            raise UsageError(
                "option-not-applicable", f"decide {kind} is not about a submission, got {quote(submission)}"
            )
        elif kind == "judged":
            _judge(track, reason)
        elif kind == "config":
            _config(track, reason, revalidate)
        elif kind == "release":
            _release(track, reason)
        else:
            track.add("noted", text=reason)
        return list(track.record.events[start:])


def _view_of(track: Track, submission: str) -> Track:
    """The track as the task of a submission sees it."""
    received = (event for event in track.record.where("received") if event["submission"] == submission)
    task = next((event.get("task", "") for event in received), "")
    return Track(track.folder, task) if task else track


def _judge(track: Track, reason: str) -> None:
    sums = track.sum_judgments()
    if not sums["qrels"]:
        raise UsageError(
            "missing-key", "data.qrels is empty in track.toml", hint="name the file of judgments there first"
        )
    if found := find_unequal_holding(track):
        other, topics = found
        message = f"{track.task} and {other.task} share judgments of topics that one of them holds back: {preview(sorted(topics))}"
        raise UsageError("wrong-value", message, hint="hold them back in both, or in neither")
    state = track.state
    if state.judged is not None and all(state.judged.get(kind, "") == value for kind, value in sums.items()):
        return
    track.keep_judged()
    truth_of(track, {"seq": len(track.record.events), **sums}, track.config)  # unreadable files are not recorded
    track.add("judged", reason=reason, **sums)  # type: ignore[arg-type]


def _config(track: Track, reason: str, revalidate: bool) -> None:
    state = track.state
    _ = track.topics, track.teams, track.documents  # unreadable files are not recorded
    track.record_config(reason)
    fingerprint, changed = fingerprint_of(track, state)
    if changed:
        track.add("config", section="metrics", sum=fingerprint, reason=reason)
    # Every submission is validated by the current rules; verdicts that stay the same get no event.
    for submission in track.state.submissions.values() if revalidate else ():
        if submission.erased:
            continue
        verdict = verdict_of(track, submission, track.rules)
        data = track.verdict_json(submission.id, verdict)
        if track.secret.sum("verdict", data) != submission.verdict_sum:
            record_verdict(track, submission.id, verdict)


def _submission(track: Track, kind: str, name: str, reason: str, erase: bool) -> None:
    given = track.find(name)
    _require_sensible(kind, given)
    rival = find_rival(track, given) if kind == "restore" and given.accepted else None
    if rival is not None:
        what = f"{rival.id} of the same team and name stands, and two runs of one name cannot both count"
        raise UsageError("duplicate-run", what, hint=f"withdraw or exclude {rival.id} first")
    if erase and kind != "withdraw":
        raise UsageError("option-not-applicable", "--erase goes with withdraw")
    erased: dict[str, Any] = {"erased": True} if erase else {}
    track.add(ABOUT_SUBMISSIONS[kind], submission=name, reason=reason, **erased)
    if erase:
        info = track.info(given)
        views = [Track(track.folder, task) for task in track.config.tasks] or [track]
        others = [view.info(s) for view in views for s in view.state.submissions.values() if not s.erased]
        kept = {total for other in others for total in (other.sha256, other.meta)}
        for total in {info.sha256, info.meta} - kept - {""}:  # others may have sent the same bytes
            disk.remove(track.path(f"store/{total}"))
        disk.remove(track.path(f"verdicts/{given.id}.json"))  # a verdict quotes the run
    supersede(track)  # a late run that counts now replaces the earlier one of its name


def _require_sensible(kind: str, given: Submission) -> None:
    out = given.standing in ("withdrawn", "excluded")
    if kind in ("withdraw", "exclude") and out:
        raise UsageError("already-done", f"{given.id} is {given.standing} already")
    if kind == "restore" and given.standing == "standing":
        raise UsageError("already-done", f"{given.id} stands already")
    if kind == "restore" and given.erased:
        raise UsageError(
            "submission-not-accepted",
            f"{given.id} is erased and its bytes are deleted",
            hint="the team can submit it again",
        )
    if kind == "accept-late" and (not given.late or given.late_accepted):
        raise UsageError("already-done", f"{given.id} is {'accepted already' if given.late else 'not late'}")


def _release(track: Track, reason: str) -> None:
    track.require_decided()
    state = track.state
    event = scoring_event(state, None)
    ranked = state.ranked.get(event["scoring"])
    if state.changed:
        raise UsageError(
            "scoring-outdated", f"something changed since {event['scoring']}", hint="score and rank again first"
        )
    if ranked is None:
        raise UsageError(
            "step-not-done", f"{event['scoring']} is not ranked yet", hint="run `diveval track rank` first"
        )
    if state.released and state.released[-1]["scoring"] == event["scoring"]:
        raise UsageError("already-done", f"{event['scoring']} is released already")
    closes = track.config.closing
    if now() <= closes:
        raise UsageError(
            "too-early",
            f"the track is open until {utc(closes)}: a release would publish the judgments to those who still submit",
            hint="wait, or change dates.closes with `diveval track decide config`",
        )
    for other in find_sharing(track):
        if now() <= other.config.closing:
            raise UsageError(
                "too-early",
                f"{other.task} is open until {utc(other.config.closing)}, and a release of {track.task} would publish its"
                " judgments or the subtopics of its topics",
                hint="wait, or change its dates.closes with `diveval track decide config`",
            )
    earliest = track.config.get("dates.releases")
    if earliest is not None and now() < earliest:
        raise UsageError("too-early", f"dates.releases is {utc(earliest)}: no release before that")
    if track.secret.sum("leaderboard", json_bytes(board_of(track, event))) != ranked["leaderboard"]:
        message = f"the leaderboard of {event['scoring']} differs from the recorded one"
        raise UsageError("differs-from-record", message, hint="see `diveval track verify`")
    track.add("released", scoring=event["scoring"], leaderboard=ranked["leaderboard"], reason=reason)
