"""`track.toml` and `teams.toml`: every key with its type, default and meaning; unknown keys and wrong types are errors."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

from diveval.errors import DivevalError, InputError, UsageError, quote, suggestion
from diveval.metrics.names import MetricText, parse
from diveval.tracks.alike import look_of
from diveval.tracks.keys import ABSENT, KEYS, MOST_LABEL, REQUIRED, check_pattern, check_value
from diveval.tracks.record import section_sum, sha256
from diveval.tracks.tasks import flatten, split_tasks
from diveval.validation.rules import QUESTION_ID, Admission

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SPEC = 2  # what `init` writes; tracks of version 2.0 have 1 and keep its rules
SPECS = (1, SPEC)
DEFAULTS_OF_1 = {"ranking.test": "tukey"}
# What these names meant without parameters in version 2, so that folders made then keep their recorded values.
_EFFORT_OF_1 = {"p": "0.99", "e": "0.05"}
PARAMETERS_OF_1 = {"RBU": _EFFORT_OF_1, "nRBU": _EFFORT_OF_1, "EU": {"e": "0.05"}}
TRACK_ID = re.compile(r"[a-z0-9][a-z0-9-]{1,38}")
TEAM_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
ROLES = ("participant", "baseline", "organiser")
PATHS = ("data.topics", "data.qrels", "data.weights", "data.efforts", "data.held_back", "site.out", "export.out")
PUBLIC = ("data.topics", "data.documents")  # files that the kit contains, in part or whole
OWN = frozenset(
    [
        "data",
        "private",
        "inbox",
        "store",
        "verdicts",
        "scores",
        "boards",
        "track.toml",
        "teams.toml",
        "record.jsonl",
        "record.lock",
        ".gitignore",
        ".git",
    ]
)
PRIVATE_OWN = frozenset(
    ("private", name)
    for name in ("secret", "secrets", "received", "judged", "site", "pages", "feedback", "pool", "labels")
)
SECTIONS = {"admission": ("dates", "submission"), "scoring": ("scoring",), "ranking": ("ranking",)}


def _split(path: str) -> tuple[str, ...]:
    """The parts of a path as every file system may see it: either slash, any case, without `.` and what Windows drops."""
    return tuple(part.casefold().rstrip(". ") for part in re.split(r"[/\\]", path) if part.rstrip(". "))


def _is_inside(path: str) -> bool:
    """Whether a path of the configuration stays in the folder and has no sign that some file system leaves out."""
    parts = re.split(r"[/\\]", path)
    return path.isprintable() and not path.startswith(("/", "\\", "~")) and ".." not in parts and path[1:2] != ":"


def _read_toml(data: bytes, source: str) -> dict[str, Any]:
    try:
        return dict(tomllib.loads(data.decode("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError("cannot-parse", f"is not TOML: {error}", source=source) from None


@dataclass(frozen=True)
class Config:
    """A checked configuration, every key filled in."""

    tables: Mapping[str, Any]
    sum: str  # SHA-256 of the file
    source: str = "track.toml"
    task: str = ""  # TASK, PHASE or TASK/PHASE whose settings these are; empty: of the track
    family: tuple[Config, ...] = ()  # of all tasks; empty in a track without tasks

    @classmethod
    def parse(cls, data: bytes, source: str = "track.toml", task: str = "") -> Config:
        """Read and check a file: unknown keys, wrong types and invalid values are errors.

        The settings of a task are those of the track, with those that the task and its phase change.
        """
        family = _parse_family(data, source)
        chosen = next((config for config in family if config.task == task), None)
        if chosen is None:
            what, names = f"no task is called {quote(task)} in track.toml", [config.task for config in family[1:]]
            raise UsageError("unknown-task", what, hint=suggestion(task, names) or "tasks are [tasks.NAME] tables")
        return replace(chosen, family=family[1:])

    @classmethod
    def _parse_family(cls, data: bytes, source: str) -> tuple[Config, ...]:
        """The settings of the track, and those of each task."""
        whole, total = _read_toml(data, source), sha256(data)
        parts = list(split_tasks(whole, source)) if whole.get("spec") != 1 else []
        given: dict[str, Any] = {}
        flatten(whole, "", given, source)
        base = cls._fill(given, total, source, "")
        family = []
        for name, _, changed in parts:
            title = {"track.title": f"{base['track.title']}: {name}"}
            family.append(cls._fill({**given, **title, **changed}, total, f"{source}: {name}", name))
        base._check_family(family, {name: of for name, of, _ in parts})
        return base, *family

    @classmethod
    def _fill(cls, given: Mapping[str, Any], total: str, source: str, task: str) -> Config:
        tables: dict[str, Any] = {}
        for key in KEYS:
            default = DEFAULTS_OF_1.get(key.name, key.default) if given.get("spec") == 1 else key.default
            value = given.get(key.name, default)
            if value is REQUIRED:
                raise InputError("missing-key", f"the key {key.name} is missing: {key.meaning}", source=source)
            if value is not ABSENT:
                _put(tables, key.name, check_value(key, value, source))
        config = cls(tables, total, source, task)
        config._check()
        return config

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of tasks and phases that take submissions; empty in a track without tasks."""
        return tuple(config.task for config in self.family)

    def __getitem__(self, name: str) -> Any:
        value: Any = self.tables
        for part in name.split("."):
            value = value[part]
        return value

    def get(self, name: str) -> Any:
        """The value of an optional key, or None."""
        with suppress(KeyError):
            return self[name]

    def section(self, name: str) -> str:
        """The sum of a section, as the record has it."""
        return section_sum({table: self.tables[table] for table in SECTIONS[name]})

    @property
    def id(self) -> str:
        return str(self["track.id"])

    @property
    def closing(self) -> datetime.datetime:
        """The last moment at which a submission is in time."""
        closes: datetime.datetime = self["dates.closes"]
        return closes + datetime.timedelta(minutes=self["dates.grace_minutes"])

    @property
    def sign(self) -> int:
        """1 where a high value of the official metric is better, else −1."""
        return 1 if self["scoring.best"] == "high" else -1

    @property
    def document_list(self) -> str:
        """FILE of `list:FILE` in data.documents; empty where documents are declared otherwise."""
        kind, _, file = self["data.documents"].partition(":")
        return file if kind == "list" else ""

    @property
    def metrics(self) -> list[str]:
        """Canonical names of the metrics."""
        return [self._canonical(name) for name in self["scoring.metrics"]]

    @property
    def official(self) -> str:
        return self._canonical(self["scoring.official"])

    def _canonical(self, name: str) -> str:
        """The canonical name of a metric; in a folder of version 2, with the parameters its name implied then."""
        metric, given = parse(name), MetricText.of(name)
        old = PARAMETERS_OF_1.get(MetricText.of(metric.name).name, {}) if self["spec"] == 1 else {}
        written = {setting.partition("=")[0].strip() for setting in given.settings}
        implied = tuple(f"{key}={value}" for key, value in old.items() if key not in written)
        return parse(str(replace(given, settings=(*given.settings, *implied)))).name if implied else metric.name

    def label(self, metric: str) -> str:
        """The short name of a metric, given its canonical name."""
        for name, label in self["scoring.labels"].items():
            if self._canonical(name) == metric:
                return str(label)
        return next((str(name) for name in self["scoring.metrics"] if self._canonical(name) == metric), metric)

    @property
    def questionnaire(self) -> tuple[tuple[str, str], ...]:
        """The questions about each run, by their ids."""
        return tuple((self.get("submission.questionnaire") or {}).items())

    def admission(self) -> Admission:
        """The settings that validation takes."""
        table = self["submission"]
        fields = {name: table[name] for name in Admission.__dataclass_fields__ if name in table}
        fields.update(types=tuple(table["types"]), metadata_fields=tuple(table["metadata_fields"]))
        fields["questionnaire"] = self.questionnaire
        return Admission(**fields, order=self["scoring.order"], ties=self["scoring.ties"])

    def _check(self) -> None:
        """Checks that involve more than the type of one key."""
        self._require(self["spec"] in SPECS, f"spec is 1 or {SPEC} in this version, got {self['spec']}")
        self._require(TRACK_ID.fullmatch(self.id), f"track.id matches {TRACK_ID.pattern}, got {quote(self.id)}")
        self._require(self["dates.opens"] < self["dates.closes"], "dates.closes lies after dates.opens")
        self._require(0 < self["ranking.confidence"] < 1, "ranking.confidence lies between 0 and 1")
        self._require(self["feedback.step"] > 0, "feedback.step is above 0")
        self._require(self["submission.types"], "submission.types names at least one kind")
        self._check_questions()
        documents = self["data.documents"]
        self._require(
            re.fullmatch(r"(|(pattern|list|ir_datasets):.+)", documents),
            f"data.documents is empty, pattern:REGEX, list:FILE or ir_datasets:ID, got {quote(documents)}",
        )
        if documents.startswith("pattern:"):
            check_pattern("data.documents", documents.removeprefix("pattern:"), self.source)
        for name in PATHS:
            path = self[name]
            self._require(_is_inside(path), f"{name} is a path inside the folder, got {quote(path)}")
            named = _split(path) or (not path and name not in PUBLIC)
            self._require(named, f"{name} is the path of a file or folder, got {quote(path)}")
        self._check_metrics()

    def _check_questions(self) -> None:
        for name, text in self.questionnaire:
            good = QUESTION_ID.fullmatch(name) and text.isprintable() and all(p.strip() for p in text.split("|"))
            what = f"a question is id = 'text | choice | …' with an id that matches {QUESTION_ID.pattern}"
            self._require(good, f"submission.questionnaire: {what}, got {quote(name)} = {quote(text)}")
        asked = self.questionnaire and self["submission.metadata"] == "none"
        self._require(not asked, "submission.questionnaire is answered in metadata, and submission.metadata is none")

    def require_safe_paths(self) -> None:
        """Refuse paths with which a command would delete, overwrite or publish files of the track itself.

        Commands that write call this; `verify` does not, so that every track made by version 2.0 can be verified.
        """
        units = self.family or (self,)
        topics = [_split(unit["data.topics"]) for unit in units]
        public = [*topics, *(_split(unit.document_list) for unit in units)]
        hidden = [name for name in PATHS if name.startswith("data.") and name not in PUBLIC]
        private = [_split(unit[name]) for unit in units for name in hidden if unit[name]]
        written = {name: _split(self[name]) for name in ("site.out", "export.out")}
        for listed in (unit.document_list for unit in units):
            inside = _is_inside(listed) and bool(_split(listed) or not listed)
            self._require(inside, f"data.documents names a file inside the folder, got {quote(listed)}")
            twice = listed and _split(listed) in topics
            self._require(not twice, f"{listed} has the topics, of which the kit has only ids and queries")
        for name, path in written.items():
            odd = not path or re.search("[:~]", self[name])  # Windows has second names with these signs
            self._require(not odd, f"{name} is a folder of its own, got {quote(self[name])}")
            self._require(path[0] not in OWN, f"{name} is a folder of its own: {path[0]} is one of the track's")
            within = [other for other in [*public, *private] if other[: len(path)] == path]
            self._require(not within, f"{name} contains {'/'.join(within[0])}, which the track reads" if within else "")
        (site, export), depth = written.values(), min(map(len, written.values()))
        self._require(site[:depth] != export[:depth], "site.out and export.out do not contain each other")
        for path in filter(None, public):
            self._require(path[0] not in OWN - {"data"}, f"{'/'.join(path)} is published, and must not lie there")
            self._require(path not in private, f"{'/'.join(path)} is published and private at once")
        for path in private:
            kept = path[0] in OWN - {"data", "private"} or path[:2] in PRIVATE_OWN
            self._require(not kept, f"{'/'.join(path)} is a file that the track writes itself")

    def _check_family(self, family: Sequence[Config], task_of: Mapping[str, str | None]) -> None:
        """Phases of a task follow each other; tasks with the same judgments hold back the same topics."""
        for one, two in combinations(sorted(family, key=lambda config: config["dates.opens"]), 2):
            phases = task_of[one.task] is not None and task_of[one.task] == task_of[two.task]
            apart = not phases or one.closing < two["dates.opens"]
            self._require(apart, f"the phase {two.task} opens before {one.task} has closed, grace included")
            shared = one["data.qrels"] and _split(one["data.qrels"]) == _split(two["data.qrels"])
            alike = not shared or _split(one["data.held_back"]) == _split(two["data.held_back"])
            what = f"{one.task} and {two.task} have the same data.qrels, and must have the same data.held_back"
            self._require(alike, what)

    def _check_metrics(self) -> None:
        try:
            metrics, official = self.metrics, self.official
            labelled = {self._canonical(name): label for name, label in self["scoring.labels"].items()}
        except DivevalError as error:
            raise error.place(self.source) from None
        self._require(official in metrics, f"scoring.official is one of scoring.metrics, got {official}")
        self._require(len(set(metrics)) == len(metrics) > 0, "scoring.metrics names each metric once, and at least one")
        for name, label in labelled.items():
            self._require(name in metrics, f"scoring.labels names {name}, which is not in scoring.metrics")
            self._require(
                isinstance(label, str) and 0 < len(label) <= MOST_LABEL,
                f"the label of {name} is text of 1 to {MOST_LABEL} characters",
            )
        labels = [self.label(metric) for metric in metrics]
        self._require(len(set(labels)) == len(labels), "two metrics have the same label")

    def _require(self, holds: object, message: str) -> None:
        if not holds:
            raise InputError("wrong-value", message, source=self.source)


@lru_cache(maxsize=64)
def _parse_family(data: bytes, source: str) -> tuple[Config, ...]:
    """Parsed once per content, since commands look at every task of a track."""
    return Config._parse_family(data, source)


def _put(tables: dict[str, Any], dotted: str, value: Any) -> None:
    *path, last = dotted.split(".")
    for part in path:
        tables = tables.setdefault(part, {})
    tables[last] = value


@dataclass(frozen=True)
class Team:
    """One team of `teams.toml`; `anonymous` counts where `names.after_release` is team-choice."""

    id: str
    name: str
    contact: str = ""
    role: str = "participant"
    anonymous: bool = False


def read_teams(data: bytes, source: str, *, strict: bool = True) -> dict[str, Team]:
    """The teams of a `teams.toml` by their ids; `strict`: two whose names look alike are refused."""
    tables = _read_toml(data, source)
    rows = tables.pop("team", [])
    if tables or not isinstance(rows, list):
        raise InputError("unknown-option", "expected tables [[team]] and nothing else", source=source)
    teams, looks = dict[str, Team](), dict[str, Team]()
    for number, row in enumerate(rows, 1):
        team = _team(row, f"{source}: team {number}")
        if team.id in teams:
            raise InputError("duplicate-team", f"the team {quote(team.id)} occurs twice", source=source)
        for look in look_of(team.name) if strict else ():
            other = looks.setdefault(look, team)
            if other is not team:
                what = f"two teams have names that look alike: {quote(other.name)} ({other.id}), {quote(team.name)} ({team.id})"
                raise InputError("duplicate-team", what, hint="rename one", source=source)
        teams[team.id] = team
    return teams


def _team(row: Any, source: str) -> Team:
    kinds = {"id": str, "name": str, "contact": str, "role": str, "anonymous": bool}
    if not isinstance(row, dict) or set(row) - set(kinds):
        unknown = sorted(set(row) - set(kinds)) if isinstance(row, dict) else []
        if unknown:
            what, hint = f"unknown key {quote(unknown[0])}", suggestion(unknown[0], kinds)
            raise InputError("unknown-option", what, hint=hint, source=source)
        raise InputError("wrong-type", "expected a table with id and name", source=source)
    for name, kind in kinds.items():
        if name in row and not isinstance(row[name], kind):
            expected = "text" if kind is str else "true or false"
            raise InputError("wrong-type", f"{name}: expected {expected}, got {quote(row[name])}", source=source)
    if not row.get("name") or TEAM_ID.fullmatch(str(row.get("id", ""))) is None:
        message = f"expected a name and an id that matches {TEAM_ID.pattern}, got {quote(row.get('id'))}"
        raise InputError("wrong-value", message, source=source)
    if row.get("role", "participant") not in ROLES:
        raise InputError(
            "invalid-choice", f"role is one of {', '.join(ROLES)}, got {quote(row['role'])}", source=source
        )
    return Team(**row)
