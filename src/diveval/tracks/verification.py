"""Verification: everything the record names is computed again from published files, and each item gets a result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from diveval.errors import DivevalError, InputError
from diveval.scores import Scores
from diveval.tracks.admissions import verdict_of
from diveval.tracks.folder import CONFIGS, JUDGMENT_FILES, KEPT, LABELS, RECEIVED, Info, Track
from diveval.tracks.ranking import board_of
from diveval.tracks.record import Event, Record
from diveval.tracks.scoring import read_scores, recompute
from diveval.tracks.states import State, Submission
from diveval.tracks.sums import sha256
from diveval.tracks.written import CHECKSUMS, DIFFERS, SAME, Item, below, check_written, item, sums_of
from diveval.validation import json_bytes
from diveval.validation.collection import file_sum

EQUAL, ERASED, UNPUBLISHED, ORPHAN = "equal to 1e-12", "erased", "not published", "orphan"
TOLERANCE = 1e-12


def verify(folder: Path, head: str | None = None) -> tuple[dict[str, Any], list[Item]]:
    """Check a track folder or the published data of one. A record whose chain is broken is an error of its own."""
    record = Record.read(folder / "record.jsonl")
    check = _Verification(folder, record)
    check.run(head)
    opened = record.last("opened")
    shape = {
        "track": opened["track"] if opened else None,
        "record": {"seq": len(record.events) - 1, "hash": record.head},
    }
    return shape, check.items


class _Verification:
    def __init__(self, folder: Path, record: Record) -> None:
        self.folder, self.record, self.state = folder, record, State.of(record)
        self.items: list[Item] = []
        self.published = (folder / CHECKSUMS).exists()
        self.track: Track | None = None

    def add(self, what: str, result: str, why: str = "") -> None:
        self.items.append(item(what, result, why))

    def attempt(self, what: str, function: Callable[[], None]) -> None:
        """Run a check; what cannot be read is a difference with its message, not an end."""
        try:
            function()
        except DivevalError as error:
            self.add(what, DIFFERS, str(error))

    def run(self, head: str | None) -> None:
        self._chain(head)
        self._checksums()
        if not (self.folder / "track.toml").exists():
            self.add("track.toml", UNPUBLISHED if self.published else DIFFERS, "" if self.published else "is missing")
            return
        self.track = Track(self.folder)
        self.attempt("track.toml", self._config)
        if not self._readable():
            return
        if not (self.folder / "private/secret").exists():
            self.add(
                "private/secret", UNPUBLISHED if self.published else DIFFERS, "" if self.published else "is missing"
            )
            return
        self.attempt("private/secret", self._secret)
        for submission in self.state.submissions.values():
            self._submission(submission)
        for event in self.record.where("judged"):
            self._judged(event)
        for event in self.state.scored:
            self.attempt(f"scores/{event['scoring']}/scores.csv", lambda event=event: self._scores(event))  # type: ignore[misc]
            if event["scoring"] in self.state.ranked:
                self.attempt(f"boards/{event['scoring']}.json", lambda event=event: self._board(event))  # type: ignore[misc]
        self._kept()
        check_written(self._open(), self.record, self.items)

    # --- record, sums of published files, configuration -----------------------------------------------------------

    def _chain(self, head: str | None) -> None:
        if self.record.torn:
            self.add(
                "record.jsonl",
                DIFFERS,
                f"its last line is torn ({len(self.record.torn)} bytes); the next writer repairs it",
            )
        else:
            self.add("record.jsonl", SAME, f"{len(self.record.events)} events, head {self.record.head}")
        if head is not None:
            known = head in self.record.hashes
            self.add(
                f"head {head[:64]}",
                SAME if known else DIFFERS,
                "" if known else "no line has this hash: was the end cut off?",
            )
        lock = self.folder / "record.lock"
        if lock.exists() and lock.stat().st_size:
            self.add("record.lock", DIFFERS, "is not empty")

    def _checksums(self) -> None:
        if not self.published:
            return
        listed = sums_of(self.folder)
        if listed is None:
            self.add(CHECKSUMS, DIFFERS, "is not a list of sums")
            return
        for name, digest in sorted(listed.items()):
            path = self.folder / name
            if not path.is_file():
                self.add(name, DIFFERS, f"is listed in {CHECKSUMS} and missing")
            elif file_sum(path) != digest:
                self.add(name, DIFFERS, f"does not have the sum in {CHECKSUMS}")
        for name in sorted(below(self.folder) - set(listed) - {CHECKSUMS}):
            self.add(name, DIFFERS, f"is not listed in {CHECKSUMS}")

    def _config(self) -> None:
        track = self._open()
        for name, value in track.sums().items():
            what = {"config": "track.toml", "topics": track.config["data.topics"]}.get(name, f"track.toml: {name}")
            same = self.state.sums.get(name) == value
            self.add(what, SAME if same else DIFFERS, "" if same else "no decision records this change")
        _ = track.topics

    def _readable(self) -> bool:
        """Whether the files that everything else needs can be read at all."""
        track = self._open()
        for name, read in (("teams.toml", lambda: track.teams), ("track.toml", lambda: track.topics)):
            try:
                read()
            except DivevalError as error:
                if not any(item["result"] == DIFFERS and str(error) in item.get("why", "") for item in self.items):
                    self.add(name, DIFFERS, str(error))
                return False
        return True

    def _open(self) -> Track:
        assert self.track is not None
        return self.track

    def _secret(self) -> None:
        """The secret and the teams, which the record knows by their keys."""
        track = self._open()
        keys = {submission.team for submission in self.state.submissions.values()}
        unknown = {key for key in keys if track.team_of(key) is None}
        if keys and unknown == keys:
            self.add("private/secret", DIFFERS, "no team of the record is known under it; or teams.toml lost its teams")
            return
        self.add("private/secret", SAME)
        self._teams(unknown)

    def _teams(self, unknown: set[str]) -> None:
        track = self._open()
        wrong = [f"no team has the key {key}" for key in sorted(unknown)]
        for submission in self.state.submissions.values():
            team = track.team_of(submission.team)
            if team is not None and track.teams.by_id[team].role != submission.role:
                wrong.append(f"the role of {team} was {submission.role} at {submission.id}")
        last = self.state.scored[-1].get("teams") if self.state.scored else None
        if last is not None and last != track.secret.sum("teams", track.read("teams.toml")) and not self.published:
            wrong.append(f"the file changed since {self.state.scored[-1]['scoring']}")
        if self.published and wrong and all(text.startswith("no team") for text in wrong):
            self.add("teams.toml", UNPUBLISHED, f"{len(wrong)} teams")
        else:
            self.add("teams.toml", DIFFERS if wrong else SAME, "; ".join(wrong[:3]))

    # --- submissions --------------------------------------------------------------------------------------------------

    def _submission(self, submission: Submission) -> None:
        if submission.erased:
            self.add(f"run of {submission.id}", ERASED)
            return
        track = self._open()
        try:
            info = track.info(submission)
        except InputError as error:
            if self.published:
                self.add(f"run of {submission.id}", UNPUBLISHED)
            else:
                self.add(f"{RECEIVED}/{submission.id}.json", DIFFERS, str(error))
            return
        self._run(submission, info)
        name = f"verdicts/{submission.id}.json"
        if not submission.verdict:
            self.add(name, DIFFERS, "there is no verdict yet; the next command that writes makes it")
        else:
            self.attempt(name, lambda: self._verdict(submission, info, name))

    def _run(self, submission: Submission, info: Info) -> None:
        track, what = self._open(), f"store/{info.sha256}"
        path = track.path(what)
        if not path.is_file():
            self.add(
                what,
                UNPUBLISHED if self.published else DIFFERS,
                "" if self.published else f"the run of {submission.id} is missing",
            )
        elif track.secret.sum("run", path.read_bytes()) != submission.file:
            self.add(what, DIFFERS, f"is not what {submission.id} was")
        else:
            self.add(what, SAME)
        if info.meta and track.secret.sum("meta", track.read(f"store/{info.meta}")) != submission.meta:
            self.add(f"store/{info.meta}", DIFFERS, f"is not the metadata of {submission.id}")

    def _verdict(self, submission: Submission, info: Info, name: str) -> None:
        track = self._open()
        path = track.path(name)
        data = path.read_bytes() if path.exists() else None
        if data is not None and track.secret.sum("verdict", data) != submission.verdict_sum:
            self.add(name, DIFFERS, "is not what the record says")
            return
        if not track.path(f"store/{info.sha256}").exists():
            self.add(
                name,
                SAME if data is not None else UNPUBLISHED,
                "the run is not published, so it was not computed again",
            )
            return
        try:
            verdict = verdict_of(track, submission)
        except InputError:
            if not self.published or not any(track.team_of(s.team) is None for s in self.state.submissions.values()):
                raise
            why = "not computed again: some teams are not published, and names are held against all of them"
            self.add(name, SAME if data is not None else UNPUBLISHED, why)
            return
        note = f"{RECEIVED}/{submission.id}.json"
        noted = Info(
            info.team,
            info.name,
            info.file,
            verdict.sha256,
            submission.type,
            submission.priority,
            info.meta,
            verdict.ranking,
        )
        if track.path(note).exists() and track.read(note) != noted.as_bytes():
            self.add(note, DIFFERS, "is not what the record and the run say")
        same = track.secret.sum("verdict", track.verdict_json(submission.id, verdict)) == submission.verdict_sum
        self.add(name, SAME if same else DIFFERS, "" if same else "computed again, it is another")

    # --- judgments, scores, boards ------------------------------------------------------------------------------------

    def _judged(self, event: Event) -> None:
        track = self._open()
        for kind in JUDGMENT_FILES:
            if not event.get(kind):
                continue
            what = f"{kind} of event {event['seq']}"
            try:
                path = track.judged_path(event, kind)
            except DivevalError as error:
                hidden = self.published and not track.path(track.config[f"data.{kind}"] or "?").exists()
                self.add(what, UNPUBLISHED if hidden else DIFFERS, "" if hidden else str(error))
            else:
                assert path is not None
                self.add(f"{path.relative_to(self.folder)} ({what})", SAME)

    def _computable(self, event: Event) -> bool:
        """Are the judgments and all the runs of a scoring here?"""
        track = self._open()
        try:
            track.judged_path(self.record.events[event["judged"]], "qrels")
            for name in (*event["submissions"], *event["failed"]):
                info = track.info(self.state.submissions[name])
                if not track.path(f"store/{info.sha256}").exists():
                    return False
        except DivevalError:
            return not self.published
        return True

    def _scores(self, event: Event) -> None:
        track, name = self._open(), f"scores/{event['scoring']}/scores.csv"
        data = track.read(name) if track.path(name).exists() else None
        if data is not None and track.secret.sum("scores", data) != event["scores"]:
            self.add(name, DIFFERS, "is not what the record says")
            return
        if not self._computable(event):
            erased = any(self.state.submissions[s].erased for s in (*event["submissions"], *event["failed"]))
            absent = ERASED if erased else UNPUBLISHED
            self.add(name, SAME if data is not None else absent, "not computed again: runs or judgments are not here")
            return
        again = recompute(track, event)
        failed = track.path(f"scores/{event['scoring']}/failed.json")
        if failed.exists() and failed.read_bytes() != json_bytes(dict(sorted(again.failed.items()))):
            self.add(f"scores/{event['scoring']}/failed.json", DIFFERS, "computed again, the reasons are others")
        if track.secret.sum("scores", again.csv()) == event["scores"]:
            self.add(name, SAME)
        elif data is not None and _close(read_scores(data, name), again.scores):
            self.add(name, EQUAL)
        else:
            self.add(
                name,
                DIFFERS,
                "computed again, the values are others" if data is not None else "is missing, and comes out otherwise",
            )

    def _board(self, event: Event) -> None:
        track, name = self._open(), f"boards/{event['scoring']}.json"
        recorded = self.state.ranked[event["scoring"]]["leaderboard"]
        data = track.read(name) if track.path(name).exists() else None
        if data is not None and track.secret.sum("leaderboard", data) != recorded:
            self.add(name, DIFFERS, "is not what the record says")
            return
        if not track.path(f"scores/{event['scoring']}/scores.csv").exists() and not self._computable(event):
            erased = any(self.state.submissions[s].erased for s in (*event["submissions"], *event["failed"]))
            self.add(name, SAME if data is not None else ERASED if erased else UNPUBLISHED, "not computed again")
            return
        try:
            board = board_of(track, event)
        except InputError:
            if not self.published:
                raise
            self.add(name, UNPUBLISHED if data is None else SAME, "not computed again: some teams are not published")
            return
        if track.secret.sum("leaderboard", json_bytes(board)) == recorded:
            self.add(name, SAME)
        elif data is not None and _same_decisions(json.loads(data), board):
            self.add(name, EQUAL)
        else:
            self.add(name, DIFFERS, "computed again, it is another")

    # --- what is kept beside ------------------------------------------------------------------------------------------

    def _kept(self) -> None:
        track = self._open()
        known = set()
        for submission in self.state.submissions.values():
            try:
                info = track.info(submission)
            except DivevalError:
                continue
            known |= {info.sha256, info.meta}
        for path in _files(track.path("store")):
            if sha256(path.read_bytes()) != path.name:
                if path.name not in known:
                    self.add(f"store/{path.name}", DIFFERS, "does not have the content its name says")
            elif path.name not in known:
                self.add(f"store/{path.name}", ORPHAN, "no event names it; an interrupted command left it")
        for path in _files(track.path(CONFIGS)):
            if sha256(path.read_bytes()) != path.stem:
                self.add(f"{CONFIGS}/{path.name}", DIFFERS, "does not have the content its name says")
        for path in _files(track.path(KEPT)):
            if path.name not in {track.secret.sum(label, path.read_bytes()) for label in LABELS.values()}:
                self.add(f"{KEPT}/{path.name}", DIFFERS, "does not have the content its name says")
        torn = {event["sum"] for event in self.record.where("repaired")}
        for path in sorted(self.folder.glob("private/torn-*")):
            if sha256(path.read_bytes()) not in torn:
                self.add(f"private/{path.name}", DIFFERS, "no event names it")
        self._feedback()

    def _feedback(self) -> None:
        track = self._open()
        told = {(event["submission"], event["sum"]) for event in self.record.where("feedback")}
        for path in _files(track.path("private/feedback")):
            try:
                rows = json.loads(path.read_bytes())
                right = all(
                    (row["submission"], track.secret.sum("feedback", row["value"].encode())) in told for row in rows
                )
            except (ValueError, KeyError, TypeError):
                right = False
            if not right:
                self.add(f"private/feedback/{path.name}", DIFFERS, "is not what the record says was told")


def _files(folder: Path) -> Iterable[Path]:
    return sorted(path for path in folder.glob("*") if path.is_file() and not path.name.startswith("."))


def _close(a: Scores | None, b: Scores | None) -> bool:
    """The same table but for the last bits."""
    if a is None or b is None:
        return a is b
    if (a.runs, a.metrics, set(a.topics)) != (b.runs, b.metrics, set(b.topics)):
        return False
    b = b.select(topics=a.topics)
    limit = TOLERANCE * np.maximum(1.0, np.abs(a.values))
    return bool((a.counted == b.counted).all() and (np.abs(a.values - b.values) <= limit)[a.counted].all())


def _same_decisions(a: Any, b: Any) -> bool:
    """The same board but for the last bits of its values: ranks and letters are compared as decisions."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_decisions(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same_decisions(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= TOLERANCE * max(1.0, abs(a))
    return bool(a == b)
