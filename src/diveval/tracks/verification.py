"""Verification: compute everything that the record names again from the files, and compare item by item."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from diveval.errors import DivevalError, InputError
from diveval.results.scores import Scores
from diveval.system.files import file_sum
from diveval.tracks.assessment.labels import LABELS, check_kept
from diveval.tracks.assessment.pool import POOL
from diveval.tracks.disk import CHECKSUMS, read_checksums
from diveval.tracks.folder import JUDGMENT_FILES, RECEIVED, Track
from diveval.tracks.intake import Info
from diveval.tracks.leaderboard import board_of
from diveval.tracks.record import Event, Record, State, Submission, expecting
from diveval.tracks.scorings import read_scores, recompute
from diveval.tracks.submission_verdicts import verdict_of
from diveval.tracks.written import DIFFERS, SAME, Item, below, check_store, check_written, item
from diveval.validation.rules import json_bytes

EQUAL, ERASED, UNPUBLISHED = "equal to 1e-12", "erased", "not published"
TOLERANCE = 1e-12
NOT_AS_NAMED = "has another sum than its name"


def verify(folder: Path, head: str | None = None) -> tuple[dict[str, Any], list[Item]]:
    """Check a track folder, or its published data. A record with a broken chain raises an error."""
    record = Record.read(folder / "record.jsonl")
    check = _Verification(folder, record)
    check.run(head)
    opened = record.last("opened")
    return {"track": opened["track"] if opened else None, "record": record.place}, check.items


class _Verification:
    track: Track  # of one task after the other, once `track.toml` is known to be there
    state: State

    def __init__(self, folder: Path, record: Record) -> None:
        self.folder, self.record = folder, record
        self.items: list[Item] = []
        self.published = (folder / CHECKSUMS).exists()

    def add(self, what: str, result: str, why: str = "") -> None:
        self.items.append(item(what, result, why))

    def add_if(self, same: bool, what: str, why: str) -> None:
        """The same, or a difference with its reason."""
        self.add(what, SAME if same else DIFFERS, "" if same else why)

    def add_missing(self, what: str, why: str = "is missing") -> None:
        """A missing file is "not published" in published data, and a difference in a track folder."""
        self.add(what, UNPUBLISHED if self.published else DIFFERS, "" if self.published else why)

    def attempt(self, what: str, function: Callable[[], None]) -> None:
        """Run a check; an error becomes a difference, and verification continues."""
        try:
            function()
        except DivevalError as error:
            self.add(what, DIFFERS, str(error))

    def read_derived(self, name: str, label: str, recorded: str) -> bytes | None:
        """The bytes of a derived file, or None if it is missing; raises an error where they differ from the record."""
        data = self.track.read(name) if self.track.path(name).exists() else None
        if data is not None and self.track.secret.sum(label, data) != recorded:
            raise DivevalError("differs-from-record", "differs from the record")
        return data

    def run(self, head: str | None) -> None:
        self._chain(head)
        self._checksums()
        if not (self.folder / "track.toml").exists():
            self.add_missing("track.toml")
            return
        whole, tasks = Track(self.folder), tuple[str, ...]()
        with suppress(DivevalError):  # the first check of a task says what is wrong
            tasks = whole.config.tasks
            lost = whole.find_lost_tasks()
            self.add_if(
                not lost, "tasks", f"track.toml lacks {lost}, which submissions name"
            ) if tasks or lost else None
        checked = [Track(self.folder, task) for task in tasks or ("",) if self._check_task(task)]
        if checked:
            check_store(checked, self.record, self.items)
            check_written(whole, self.record, self.items)

    def _check_task(self, task: str) -> bool:
        """Check everything of one task; false where the files that the checks need are missing."""
        self.track, self.state = Track(self.folder, task), State.of(self.record, task)
        self.attempt("track.toml", self._config)
        if not self._readable():
            return False
        if not self.track.path(self.track.secret_file).exists():
            self.add_missing(self.track.secret_file)
            return False
        self.attempt(self.track.secret_file, self._secret)
        for submission in self.state.submissions.values():
            self._submission(submission)
        for event in self.track.events("judged"):
            self._check_judgments(event)
        for event in self.state.scored:
            scores, board = f"scores/{event['scoring']}/scores.csv", f"boards/{event['scoring']}.json"
            self.attempt(scores, partial(self._scores, event, scores))
            if event["scoring"] in self.state.ranked:
                self.attempt(board, partial(self._board, event, board))
        self._check_assessment()
        return True

    # --- record, sums of published files, configuration -----------------------------------------------------------

    def _chain(self, head: str | None) -> None:
        if torn := len(self.record.torn):
            self.add("record.jsonl", DIFFERS, f"its last line is torn ({torn} bytes); the next writer repairs it")
        else:
            self.add("record.jsonl", SAME, f"{len(self.record.events)} events, head {self.record.head}")
        if head is not None:
            present = head in self.record.hashes
            self.add_if(present, f"head {head[:64]}", "no line has this hash; the end of the record may be cut off")
        lock = self.folder / "record.lock"
        if lock.exists() and lock.stat().st_size:
            self.add("record.lock", DIFFERS, "is not empty")

    def _checksums(self) -> None:
        if not self.published:
            return
        listed = read_checksums(self.folder)
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
        names = {"config": "track.toml", "topics": self.track.config["data.topics"]}
        if self.published and not self.track.path(names["topics"]).exists():
            self.add_missing(names["topics"])
            return
        for name, value in self.track.sums().items():
            same = self.state.sums.get(name) == value
            self.add_if(
                same,
                names.get(name, f"track.toml: {self.track.task} {name}".replace(":  ", ": ")),
                "no decision records this change",
            )
        _ = self.track.topics

    def _readable(self) -> bool:
        """Whether the files that every other check needs can be read."""
        if self.published and not self.track.path(self.track.config["data.topics"]).exists():
            return False
        for name, read in (("teams.toml", lambda: self.track.teams), ("track.toml", lambda: self.track.topics)):
            try:
                read()
            except DivevalError as error:
                if not any(item["result"] == DIFFERS and str(error) in item.get("why", "") for item in self.items):
                    self.add(name, DIFFERS, str(error))
                return False
        return True

    def _secret(self) -> None:
        """The secret and the teams, which the record contains as keyed pseudonyms."""
        track, keys = self.track, {submission.team for submission in self.state.submissions.values()}
        unknown = {key for key in keys if track.team_of(key) is None}
        if keys and unknown == keys:
            self.add(self.track.secret_file, DIFFERS, "gives no team of the record; or teams.toml lacks the teams")
            return
        self.add(self.track.secret_file, SAME)
        wrong = [f"no team has the key {key}" for key in sorted(unknown)]
        for submission in self.state.submissions.values():
            team = track.team_of(submission.team)
            if team is not None and track.teams[team].role != submission.role:
                wrong.append(f"the role of {team} was {submission.role} at {submission.id}")
        last = self.state.scored[-1].get("teams") if self.state.scored else None
        if last is not None and last != track.secret.sum("teams", track.read("teams.toml")) and not self.published:
            wrong.append(f"the file changed since {self.state.scored[-1]['scoring']}")
        if self.published and wrong and all(text.startswith("no team") for text in wrong):
            self.add("teams.toml", UNPUBLISHED, f"{len(wrong)} teams")
        else:
            self.add_if(not wrong, "teams.toml", "; ".join(wrong[:3]))

    # --- submissions --------------------------------------------------------------------------------------------------

    def _submission(self, submission: Submission) -> None:
        if submission.erased:
            self.add(f"run of {submission.id}", ERASED)
            return
        try:
            info = self.track.info(submission)
        except InputError as error:
            if self.published:
                self.add(f"run of {submission.id}", UNPUBLISHED)
            else:
                self.add(f"{RECEIVED}/{submission.id}.json", DIFFERS, str(error))
            return
        self._run(submission, info)
        name = f"verdicts/{submission.id}.json"
        if not submission.verdict:
            self.add(name, DIFFERS, "there is no verdict yet; the next command that writes adds it")
        else:
            self.attempt(name, lambda: self._verdict(submission, info, name))

    def _run(self, submission: Submission, info: Info) -> None:
        track, what = self.track, f"store/{info.sha256}"
        path = track.path(what)
        if not path.is_file():
            self.add_missing(what, f"the run of {submission.id} is missing")
        else:
            data = path.read_bytes()
            same = track.secret.sum("run", data) == submission.file
            self.add_if(same, what, f"is not what {submission.id} was")
            if same and len(data) != self.record.events[submission.seq]["bytes"]:
                self.add(f"record.jsonl: {submission.id}", DIFFERS, f"the run has {len(data)} bytes")
        if info.meta and not track.path(f"store/{info.meta}").is_file():
            self.add_missing(f"store/{info.meta}", f"the metadata of {submission.id} is missing")
        elif info.meta and track.secret.sum("meta", track.read(f"store/{info.meta}")) != submission.meta:
            self.add(f"store/{info.meta}", DIFFERS, f"is not the metadata of {submission.id}")

    def _verdict(self, submission: Submission, info: Info, name: str) -> None:
        track = self.track
        data = self.read_derived(name, "verdict", submission.verdict_sum)
        unchecked = SAME if data is not None else UNPUBLISHED
        if not track.path(f"store/{info.sha256}").exists():
            self.add(name, unchecked, "the run is not published, so it was not computed again")
            return
        try:
            verdict = verdict_of(track, submission)
        except InputError:
            if not self.published or not self._lacks_names():
                raise
            self.add(name, unchecked, "not computed again: it depends on names that are not published")
            return
        note = f"{RECEIVED}/{submission.id}.json"
        kind, priority = submission.type, submission.priority
        noted = replace(info, sha256=verdict.sha256, type=kind, priority=priority, ranking=verdict.ranking)
        if track.path(note).exists() and track.read(note) != noted.as_bytes():
            self.add(note, DIFFERS, "differs from the record and the run")
        same = track.secret.sum("verdict", track.verdict_json(submission.id, verdict)) == submission.verdict_sum
        recorded, counts = self.record.events[submission.verdict_seq], verdict.counts()
        counted = [verdict.verdict, counts["error"], counts["warning"]]
        same = same and counted == [recorded[key] for key in ("verdict", "errors", "warnings")]
        self.add_if(same, name, "computed again, it differs")

    # --- judgments, scores, boards ------------------------------------------------------------------------------------

    def _check_judgments(self, event: Event) -> None:
        for kind in JUDGMENT_FILES:
            what = f"{kind} of event {event['seq']}"
            try:
                path = self.track.find_judgments(event, kind)
            except DivevalError as error:
                hidden = self.published and not self._shows_judgments(event, kind)
                self.add(what, UNPUBLISHED if hidden else DIFFERS, "" if hidden else str(error))
            else:
                if path is not None:
                    self.add(f"{path.relative_to(self.folder)} ({what})", SAME)

    def _shows_judgments(self, event: Event, kind: str) -> bool:
        """Whether published data should have these judgments: the newest, or those of a scoring that it has."""
        if not self.track.path(self.track.config[f"data.{kind}"] or "?").exists():
            return False
        if event == self.state.judged:
            return True
        used = (e["scoring"] for e in self.state.scored if e["judged"] == event["seq"])
        return any(self.track.path(f"scores/{name}/scores.csv").exists() for name in used)

    def _lacks_names(self) -> bool:
        """Whether some names that verdicts depend on are not published: those of a team, or of a withdrawn run."""
        given = [s for s in self.state.submissions.values() if s.accepted and not s.erased]
        return any(
            self.track.team_of(s.team) is None or not self.track.path(f"{RECEIVED}/{s.id}.json").exists() for s in given
        )

    def _computable(self, event: Event) -> bool:
        """Whether the judgments and all runs of a scoring are available."""
        try:
            self.track.find_judgments(self.record.events[event["judged"]], "qrels")
            for name in (*event["submissions"], *event["failed"]):
                info = self.track.info(self.state.submissions[name])
                if not self.track.path(f"store/{info.sha256}").exists():
                    return False
        except DivevalError:
            return not self.published
        return True

    def _absent(self, event: Event) -> str:
        """The result for a missing file of a scoring that cannot be computed again."""
        erased = any(self.state.submissions[s].erased for s in (*event["submissions"], *event["failed"]))
        return ERASED if erased else UNPUBLISHED

    def _scores(self, event: Event, name: str) -> None:
        track = self.track
        data = self.read_derived(name, "scores", event["scores"])
        if not self._computable(event):
            result = SAME if data is not None else self._absent(event)
            self.add(name, result, "not computed again: runs or judgments are missing")
            return
        again = recompute(track, event)
        failed = f"scores/{event['scoring']}/failed.json"
        if track.path(failed).exists() and track.read(failed) != json_bytes(dict(sorted(again.failed.items()))):
            self.add(failed, DIFFERS, "computed again, the reasons differ")
        if track.secret.sum("scores", again.csv()) == event["scores"]:
            self.add(name, SAME)
        elif data is None:
            self.add(name, DIFFERS, "is missing, and differs when computed again")
        elif _close(read_scores(data, name), again.scores):
            self.add(name, EQUAL)
        else:
            self.add(name, DIFFERS, "computed again, the values differ")

    def _board(self, event: Event, name: str) -> None:
        track, recorded = self.track, self.state.ranked[event["scoring"]]["leaderboard"]
        data = self.read_derived(name, "leaderboard", recorded)
        if not track.path(f"scores/{event['scoring']}/scores.csv").exists() and not self._computable(event):
            self.add(name, SAME if data is not None else self._absent(event), "not computed again")
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
        elif data is not None and self._is_close(name, data, board):
            self.add(name, EQUAL)
        else:
            self.add(name, DIFFERS, "computed again, it differs")

    def _is_close(self, name: str, data: bytes, board: Any) -> bool:
        with expecting("a leaderboard", name):
            return _same_decisions(json.loads(data), board)

    def _check_assessment(self) -> None:
        """The pool and the assessors' labels, which are never published."""
        if not self.track.events("pooled", "labelled"):
            return
        what = f"{self.track.place(POOL)}, {LABELS}"
        if self.published:
            self.add(what, UNPUBLISHED)
            return
        wrong = check_kept(self.track)
        for name, why in wrong:
            self.add(name, DIFFERS, why)
        if not wrong:
            self.add(what, SAME)


def _close(a: Scores | None, b: Scores | None) -> bool:
    """The same table except for the last bits."""
    if a is None or b is None:
        return a is b
    if (a.runs, a.metrics, set(a.topics)) != (b.runs, b.metrics, set(b.topics)):
        return False
    b = b.select(topics=a.topics)
    limit = TOLERANCE * np.maximum(1.0, np.abs(a.values))
    return bool((a.counted == b.counted).all() and (np.abs(a.values - b.values) <= limit)[a.counted].all())


def _same_decisions(a: Any, b: Any) -> bool:
    """The same board except for the last bits of its values: ranks and letters must be equal."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_decisions(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same_decisions(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= TOLERANCE * max(1.0, abs(a))
    return bool(a == b)
