"""A track folder opened for reading: configuration, teams, topics, secret, record, and the files they point to."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from diveval.errors import InputError, UsageError, quote, suggestion
from diveval.reading import run_name
from diveval.system.files import file_sum, reading
from diveval.tracks import disk
from diveval.tracks.config import SECTIONS, Config, Team, read_teams
from diveval.tracks.disk import UNDECIDED, TrackError
from diveval.tracks.events import is_of_task
from diveval.tracks.intake import Info, Rules
from diveval.tracks.offered import list_links, list_plain, read_below
from diveval.tracks.record import (
    SUMS,
    Event,
    Record,
    Secret,
    State,
    Submission,
    open_locked,
    sha256,
    with_event,
)
from diveval.validation.declared import Documents, Topics, documents_of, require_sorted
from diveval.validation.rules import Declaration, FileVerdict, json_bytes

# Files of judgments, with the labels of their sums.
JUDGMENT_FILES = {"qrels": "qrels", "weights": "weights", "held_back": "held-back", "efforts": "efforts"}
KEY_FILE = "private/secret"
CONFIGS, RECEIVED, KEPT = "data/configs", "private/received", "private/judged"


def explain_no_task(config: Config) -> UsageError:
    """The error of a command about one task that names none."""
    tasks = ", ".join(config.tasks)
    return UsageError("missing-task", "this track has several tasks", hint=f"name one with --task: {tasks}")


def explain_undecided(what: str, decision: str) -> TrackError:
    """The error of a command that first needs a decision."""
    return TrackError(
        "undecided-change", what, hint=f"run `diveval track decide {decision} --reason TEXT` first", exit_code=UNDECIDED
    )


class Track:
    """One track folder, or one task of it; files are read once and cached."""

    def __init__(self, folder: Path, task: str = "") -> None:
        self.folder, self.task = folder, task
        self._configs: dict[tuple[str, bytes], Config] = {}  # of earlier events, by name and content
        self._infos: dict[tuple[str, str], Info] = {}  # by id and content, which never change once recorded
        if not (folder / "track.toml").is_file():
            hint = "`diveval track init DIR` makes a track, --track DIR names one"
            raise UsageError("no-track", f"{folder}: no track.toml here", hint=hint)

    def path(self, name: str) -> Path:
        return self.folder / name

    def read(self, name: str) -> bytes:
        """The bytes of a file of the folder."""
        path = self.folder / name
        with reading(path):
            return path.read_bytes()

    @cached_property
    def config(self) -> Config:
        return Config.parse(self.read("track.toml"), str(self.path("track.toml")), self.task)

    def views(self) -> list[Track]:
        """The track as each of its tasks sees it; a track without tasks is its only one."""
        return [Track(self.folder, task) for task in self.config.tasks if not self.task] or [self]

    def place(self, name: str) -> str:
        """Where a task has files of its own kind: `private/pool` is `private/pool/TASK`."""
        stem, dot, ending = name.partition(".")
        return f"{stem}/{self.task}{dot}{ending}" if self.task else name

    def inbox(self, team: str) -> tuple[str, ...]:
        """The parts of the path of the folder that a team's files are put into."""
        return ("inbox", team, *filter(None, self.task.split("/")))

    @cached_property
    def teams(self) -> dict[str, Team]:
        return read_teams(self.read("teams.toml"), str(self.path("teams.toml")), strict=self.config["spec"] > 1)

    @cached_property
    def topics(self) -> Topics:
        name = self.config["data.topics"]
        return Topics.parse(self.read(name), str(self.path(name)))

    @cached_property
    def documents(self) -> Documents:
        return documents_of(self.config["data.documents"], self.path)

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.config, self.topics, self.documents)

    @cached_property
    def secret(self) -> Secret:
        text = self.read(self.secret_file).strip()
        try:
            key = bytes.fromhex(text.decode("ascii"))
        except ValueError:
            key = b""
        if len(key) != 32:
            raise InputError(
                "file-lost",
                "expected 32 bytes as 64 hex digits",
                hint="restore the file from a copy",
                source=str(self.path(self.secret_file)),
            )
        secret = Secret(key)
        return secret.of_task(self.task) if self.task and self.secret_file == KEY_FILE else secret

    @property
    def secret_file(self) -> str:
        """The file with the key: that of a task where a release published it, else that of the track."""
        own = self.place("private/secrets")
        return own if self.task and self.path(own).is_file() else KEY_FILE

    @cached_property
    def record(self) -> Record:
        return Record.read(self.path("record.jsonl"))

    @property
    def state(self) -> State:
        return State.of(self.record, self.task)

    def state_before(self, seq: int) -> State:
        """The state before an event."""
        return State.of(self.record.until(seq), self.task)

    def events(self, *kinds: str) -> list[Event]:
        """The events of some kinds about this task."""
        return [e for e in self.record.events if e["event"] in kinds and e.get("task", "") == self.task]

    @property
    def released(self) -> bool:
        return bool(self.state.released)

    @contextmanager
    def writing(self, wait: float) -> Iterator[None]:
        """Take the lock and read the record again; events may be added only inside this block."""
        self.require_safe_paths()
        with open_locked(self.folder, wait) as self.record:
            disk.remove_stale(self.folder)
            yield

    def require_safe_paths(self) -> None:
        """Refuse paths of the configuration that are, or lead by a link to, files of the track itself."""
        self.config.require_safe_paths()
        for fault in list_links(self.folder, self.config):
            raise InputError("unsafe-file", fault, source=str(self.path("track.toml")))

    def output(self, key: str) -> Path:
        """The folder that a key of the configuration names for writing; no part of it may be a link."""
        self.require_safe_paths()
        path = self.folder
        for part in Path(self.config[key]).parts:
            path = path / part
            if path.is_symlink():
                message = f"{key} leads through {quote(part)}, which is a link"
                raise InputError("unsafe-file", message, hint="name a folder", source=str(self.path("track.toml")))
        return path

    def add(self, kind: str, *, at: datetime.datetime | None = None, **fields: Any) -> Event:
        """Append one event to the record; every event but those about the whole track names its task."""
        if is_of_task(kind, fields.get("section")):
            if self.config.tasks and not self.task:
                raise explain_no_task(self.config)
            fields |= {"task": self.task} if self.task else {}
        self.record = with_event(self.path("record.jsonl"), self.record, kind, at, **fields)
        return self.record.events[-1]

    # --- sums of what the organiser edits ---------------------------------------------------------------------------

    def sums(self) -> dict[str, str]:
        """The sums of the configuration as it is now."""
        sums = {"config": self.config.sum} | {name: self.config.section(name) for name in SECTIONS}
        sums["topics"] = sha256(self.read(self.config["data.topics"]))
        if self.config.document_list:
            sums["documents"] = file_sum(self.path(self.config.document_list))
        return sums

    def sum_judgments(self) -> dict[str, str]:
        """The keyed sums of judgments, weights and held-back topics as they are now; empty where there is no file."""
        sums = {}
        for kind, label in JUDGMENT_FILES.items():
            name = self.config[f"data.{kind}"]
            sums[kind] = self.secret.sum(label, self.read(name)) if name else ""
        return {kind: value for kind, value in sums.items() if value or kind != "efforts"}

    def find_lost_tasks(self) -> list[str]:
        """Tasks with submissions that `track.toml` does not declare; empty text for a track that had no tasks."""
        declared = self.config.tasks or ("",)
        named = {event.get("task", "") for event in self.record.where("received")}
        return sorted(named.difference(declared))

    def list_undecided(self) -> list[tuple[str, str]]:
        """What differs from the record, with the decision that is due."""
        state, out = self.state, []
        changed = [name for name, value in self.sums().items() if state.sums.get(name) != value]
        if changed:
            sections = [name for name in changed if name != "config"] or ["track.toml"]
            out.append((f"{', '.join(sections)} changed since the record", "config"))
        if state.judged is not None:
            now = self.sum_judgments()
            different = [kind for kind in now if now[kind] != state.judged.get(kind, "")]
            if different:
                out.append((f"{', '.join(different)} changed since the record", "judged"))
        return out

    def require_decided(self) -> None:
        """Refuse to continue with files that differ from the record, or with paths that are not safe."""
        self.require_safe_paths()
        for what, decision in self.list_undecided():
            raise explain_undecided(what, decision)

    @property
    def judged(self) -> Event:
        """The newest event about judgments."""
        if self.state.judged is None:
            raise explain_undecided("no judgments are recorded", "judged")
        return self.state.judged

    def has_released(self, scoring: str) -> bool:
        """Whether an edition with this scoring is public."""
        return any(event["scoring"] == scoring for event in self.state.released)

    def hides(self, judged: Event) -> bool:
        """Whether some topics of these judgments are held back, and no released scoring used them."""
        public = {event["judged"] for event in self.state.scored if self.has_released(event["scoring"])}
        return bool(judged.get("held_back")) and judged["seq"] not in public

    def keep_config(self) -> None:
        """Copy the configuration and topics, so that earlier verdicts can be computed again after a change."""
        if self.config.document_list:
            require_sorted(self.path(self.config.document_list))
        topics = self.read(self.config["data.topics"])
        for data, ending in ((self.read("track.toml"), ".toml"), (topics, ".topics")):
            target = self.path(f"{CONFIGS}/{sha256(data)}{ending}")
            if not target.exists():
                disk.write(target, data)

    def record_config(self, reason: str, *, names: Collection[str] = SUMS) -> list[str]:
        """Add an event for each part of the configuration that differs from the record; returns the names of the parts."""
        if sha256(self.read("track.toml")) != self.config.sum:
            raise TrackError(
                "file-changed",
                f"{self.path('track.toml')} changed while the command ran",
                hint="run it again",
                exit_code=UNDECIDED,
            )
        if lost := self.find_lost_tasks():
            what = (
                f"{lost[0] or 'no task'}: submissions of it are in the record, so it must stay in track.toml as it is"
            )
            hint = "tasks are declared before their first submission, and keep their names"
            raise UsageError("unknown-task", what, hint=hint)
        state = self.state
        sums = {name: value for name, value in self.sums().items() if name in names}
        changed = {name: value for name, value in sums.items() if state.sums.get(name) != value}
        if changed:
            self.keep_config()
        for name, value in changed.items():
            self.add("config", section=name, sum=value, reason=reason)
        return list(changed)

    def keep_judged(self) -> None:
        """Copy the judgments under their sum, so that earlier scorings can be computed again after a change."""
        for kind, value in self.sum_judgments().items():
            target = self.path(f"{KEPT}/{value}")
            if value and not target.exists():
                disk.write(target, self.read(self.config[f"data.{kind}"]), mode=0o600)

    def find_judgments(self, event: Event, kind: str) -> Path | None:
        """The file of the judgments that a `judged` event names; None where it names none."""
        wanted = event.get(kind, "")
        if not wanted:
            return None
        kept, name = self.path(f"{KEPT}/{wanted}"), self.config[f"data.{kind}"]
        for path in (self.path(name) if name else kept, kept):
            if path.is_file() and self.secret.sum(JUDGMENT_FILES[kind], path.read_bytes()) == wanted:
                return path
        raise TrackError(
            "file-lost",
            f"{kind}: no file here has the sum of event {event['seq']}",
            hint="restore it from a copy",
            exit_code=UNDECIDED,
        )

    def config_at(self, seq: int) -> Config:
        """The configuration as it was when an event was written."""
        wanted = self.state_before(seq).sums.get("config", self.config.sum)
        if wanted == self.config.sum:
            return self.config
        name = f"{CONFIGS}/{wanted}.toml"
        key = (name, self.read(name))  # with its content: a changed file is parsed again
        if key not in self._configs:
            self._configs[key] = Config.parse(key[1], name, self.task)
        return self._configs[key]

    def rules_at(self, seq: int) -> Rules:
        """The rules of validation as they were when an event was written."""
        config, wanted = self.config_at(seq), self.state_before(seq).sums.get("topics", "")
        topics = self.read(self.config["data.topics"])
        if wanted and sha256(topics) != wanted:
            topics = self.read(f"{CONFIGS}/{wanted}.topics")
        return Rules(config, Topics.parse(topics, "topics"), documents_of(config["data.documents"], self.path))

    # --- submissions --------------------------------------------------------------------------------------------------

    def team(self, name: str) -> Team:
        if name not in self.teams:
            raise UsageError(
                "unknown-team", f"no team is called {quote(name)} in teams.toml", hint=suggestion(name, self.teams)
            )
        return self.teams[name]

    def team_of(self, keyed: str) -> str | None:
        """The id of a team from its keyed form."""
        return next((team for team in self.teams if self.secret.team(team) == keyed), None)

    def info(self, submission: Submission) -> Info:
        """Names of a submission; if their file in `private/received` is missing, from the file in the inbox."""
        key = (submission.id, submission.file)
        if key not in self._infos:
            self._infos[key] = self._info(submission)
        return self._infos[key]

    def _info(self, submission: Submission) -> Info:
        path = self.path(f"{RECEIVED}/{submission.id}.json")
        if path.is_file():
            return Info.parse(path.read_bytes(), str(path))
        team = self.team_of(submission.team)
        if team is None:
            message = f"no team has the key {submission.team} of {submission.id}"
            raise InputError("unknown-team", message, source=str(self.path("teams.toml")))
        for file in self._list_inbox(team):
            data = read_below(self.folder, (*self.inbox(team), file), self.config["submission.max_bytes"])
            if self.secret.sum("run", data) == submission.file:
                return Info(team, run_name(file), file, sha256(data), submission.type, submission.priority)
        raise InputError(
            "file-lost", f"the name of {submission.id} is lost", hint="restore the file from a copy", source=str(path)
        )

    def _list_inbox(self, team: str) -> list[str]:
        parts = self.inbox(team)
        return list(list_plain(self.folder, parts)[0]) if self.path("/".join(parts)).is_dir() else []

    def read_stored(self, info: Info, *, meta: bool = False) -> bytes:
        """The bytes of a submission, or of the metadata beside it, checked against their sum."""
        name = info.meta if meta else info.sha256
        data = self.read(f"store/{name}")
        if sha256(data) != name:
            what, hint = "has another SHA-256 than its name", "restore it from a copy"
            raise InputError("wrong-checksum", what, hint=hint, source=f"store/{name}")
        return data

    def read_statement(self, info: Info) -> Declaration:
        meta = self.read(f"store/{info.meta}") if info.meta else None
        return Declaration(info.name, info.team, info.type, meta)

    def verdict_json(self, submission: str, verdict: FileVerdict) -> bytes:
        return json_bytes(verdict.as_json(self.config.id, submission))

    def find(self, submission: str) -> Submission:
        given = self.state.submissions.get(submission)
        if given is None:
            raise UsageError(
                "unknown-submission", f"no submission is called {quote(submission)}", hint="ids are S0001 and so on"
            )
        return given
