"""Every key of `track.toml` with its type, default and meaning."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from diveval.defaults import CONFIDENCE, CORRECTION, RESAMPLES, SEED, TEST
from diveval.errors import InputError, UsageError, quote
from diveval.reading.formats import RUN_FORMATS
from diveval.setting_table import TABLE, Setting
from diveval.stats.tests import CORRECTIONS, TESTS
from diveval.validation.rules import SETTINGS, Admission

REQUIRED: Any = object()
ABSENT: Any = object()  # optional, and without a default
MOST_LABEL = 36


@dataclass(frozen=True)
class Key:
    """One key of `track.toml`: its type, its default, its meaning."""

    name: str
    kind: str  # str, int, bool, float, time, list, table, regex, setting
    default: Any
    meaning: str
    choices: tuple[str, ...] = ()
    low: float | None = None


def _choice(name: str, default: str, choices: tuple[str, ...], meaning: str) -> Key:
    return Key(name, "str", default, meaning, choices)


# A track fixes the order of runs for all metrics. A key that is absent stays out of the sums in the record, and so must
# every key that a later version adds: with a default it would change the sums of existing tracks.
_TRACK_DEFAULTS = {
    "order": "score",
    "ties": "docno-desc",
    "empty_topics": "score",
    **dict.fromkeys(("judgment_duplicates", "judged_only"), ABSENT),
}


def _scoring(setting: Setting) -> Key:
    """An option of `evaluate` as a key of `[scoring]`."""
    default = _TRACK_DEFAULTS.get(setting.name, ABSENT if setting.default is None else setting.default)
    return Key(f"scoring.{setting.name}", "setting", default, setting.help, () if setting.kind else setting.words)


_FILE_NAME, _TAG = Admission.file_name, Admission.tag
KEYS: tuple[Key, ...] = (
    Key("spec", "int", REQUIRED, "version of this format"),
    Key("track.id", "str", REQUIRED, "id of the track: a-z, 0-9 and -"),
    Key("track.title", "str", REQUIRED, "title of the track"),
    Key("track.contact", "str", REQUIRED, "contact address for participants"),
    Key("track.url", "str", "", "home page"),
    Key("track.licence", "str", "", "licence of what is published"),
    Key("dates.opens", "time", REQUIRED, "submissions are accepted from here, with an offset such as Z"),
    Key("dates.closes", "time", REQUIRED, "and until here"),
    Key("dates.releases", "time", ABSENT, "no release before this"),
    Key("dates.grace_minutes", "int", 0, "minutes after the close that still count", low=0),
    Key("data.topics", "str", REQUIRED, "ids, JSON lines or TREC topics; decides which topics a run must have"),
    Key("data.documents", "str", "", "nothing (not checked), pattern:REGEX, list:FILE or ir_datasets:ID"),
    Key("data.qrels", "str", "", "judgments; may stay empty until there are any"),
    Key("data.weights", "str", "", "aspect weights"),
    Key("data.efforts", "str", "", "effort of each document"),
    Key("data.held_back", "str", "", "ids of topics whose judgments stay secret until release, one per line"),
    _choice("submission.format", "trec", tuple(RUN_FORMATS), "format of runs"),
    Key("submission.file_name", "regex", _FILE_NAME, "file names; groups team, priority and type are used"),
    Key("submission.tag", "regex", _TAG, "tags in the last column"),
    Key("submission.tag_is_name", "bool", True, "the tag is the name of the run"),
    Key("submission.types", "list", ["automatic", "manual"], "kinds of runs"),
    _choice("submission.metadata", "optional", ("none", "optional", "required"), "metadata of runs (ir_metadata)"),
    Key("submission.metadata_fields", "list", [], "fields that must be filled in, such as method.automatic"),
    Key("submission.max_runs_per_team", "int", 5, "0: no limit; only accepted submissions count", low=0),
    Key("submission.max_per_day", "int", 0, "per team; 0: no limit", low=0),
    Key("submission.max_documents", "int", 1000, "per topic", low=1),
    Key("submission.min_documents", "int", 1, "per topic", low=1),
    Key("submission.max_bytes", "int", 268_435_456, "of a file, unpacked", low=1),
    Key("submission.max_bytes_per_team", "int", ABSENT, "of all its files as sent, rejected ones too", low=1),
    Key("submission.placeholder", "str", "", "a document id that means: nothing found"),
    _choice("submission.resubmit", "replace", ("replace", "refuse"), "the same name again"),
    _choice("submission.late", "list", ("list", "refuse"), "late submissions are listed without a rank, or refused"),
    _choice("submission.missing_topics", "reject", SETTINGS, "a topic without documents"),
    _choice("submission.unknown_topics", "reject", SETTINGS, "a topic that is not in data.topics"),
    _choice("submission.unknown_documents", "reject", SETTINGS, "a document that is not in data.documents"),
    _choice("submission.duplicates", "reject", SETTINGS, "a document twice in a topic"),
    _choice("submission.rank_against_score", "reject", SETTINGS, "scores that rise with the rank"),
    _choice("submission.equal_scores", "warn", SETTINGS, "equal scores in a topic"),
    _choice("submission.constant_scores", "reject", SETTINGS, "all scores of a topic equal"),
    _choice("submission.q0", "warn", SETTINGS, "a second column that is not Q0"),
    Key("submission.questionnaire", "table", ABSENT, "questions that the metadata answers: id = 'text | choice | …'"),
    Key("scoring.metrics", "list", REQUIRED, "metrics to compute"),
    Key("scoring.official", "str", REQUIRED, "one of them: the metric that ranks"),
    _choice("scoring.best", "high", ("high", "low"), "which end of the official metric is better"),
    *(_scoring(setting) for setting in TABLE.values() if setting.tracks),
    Key("scoring.digits", "int", 4, "digits shown", low=0),
    Key("scoring.labels", "table", {}, "short names of metrics, at most 36 characters"),
    _choice("ranking.ranks", "significance", ("significance", "score"), "what decides a rank"),
    _choice("ranking.per_team", "primary", ("primary", "all", "last", "best"), "which runs of a team are ranked"),
    _choice("ranking.test", TEST, tuple(TESTS), "significance test, as in compare"),
    _choice("ranking.correction", CORRECTION, tuple(CORRECTIONS), "of p-values, as in compare"),
    Key("ranking.confidence", "float", CONFIDENCE, "of intervals and tests", low=0),
    Key("ranking.resamples", "int", RESAMPLES, "of resampling tests", low=100),
    Key("ranking.seed", "int", SEED, "of resampling tests", low=0),
    Key("ranking.rank_baselines", "bool", False, "baselines get a rank"),
    Key("ranking.rank_manual", "bool", True, "manual runs get a rank"),
    _choice("names.before_release", "pseudonym", ("pseudonym", "public"), "names of teams before release"),
    _choice("names.after_release", "public", ("public", "team-choice"), "and after it"),
    _choice("feedback.mode", "none", ("none", "ladder"), "whether teams learn a rounded score on open topics"),
    Key("feedback.step", "float", 0.01, "scores are rounded to this", low=0),
    Key("feedback.max_reports", "int", 10, "per team", low=0),
    Key("site.out", "str", "site", "folder of the site"),
    _choice("site.per_topic", "after-release", ("after-release", "never"), "scores per topic on the site"),
    _choice("site.judgments", "after-release", ("after-release", "never"), "judgments in the data of the site"),
    _choice("site.runs", "after-release", ("after-release", "never"), "submitted runs in the data of the site"),
    Key("site.report", "bool", False, "add the page that `diveval report` makes (needs its extra)"),
    Key("export.image", "str", "", "container image with diveval, for the platforms"),
    Key("export.out", "str", "export", "folder of the exports"),
    Key("export.codabench.max_submissions_per_day", "int", 2, "on Codabench", low=1),
    _choice(
        "export.codabench.submission_rule",
        "Force_Last",
        ("Add", "Add_And_Delete", "Add_And_Delete_Multiple", "Force_Last", "Force_Latest_Multiple", "Force_Best"),
        "of the leaderboard on Codabench",
    ),
    Key("export.evalai.remote", "bool", True, "evaluate on a worker of your own (EvalAI's have Python 3.9 at most)"),
    Key("export.tira.dataset", "str", "", "id of the dataset on TIRA; ends in -test or -training"),
    Key("export.tira.baseline_link", "str", "", "address of a baseline for TIRA"),
)
BY_NAME = {key.name: key for key in KEYS}
TABLES = {name.rpartition(".")[0] for name in BY_NAME if "." in name} | {"export"}
OF_THE_TRACK = frozenset(("spec", "track.id", "site.out", "export.out"))  # what a task or phase cannot change


_EXPECTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("text", lambda v: isinstance(v, str)),
    "regex": ("a regular expression", lambda v: isinstance(v, str)),
    "int": ("a whole number", lambda v: isinstance(v, int) and not isinstance(v, bool)),
    "bool": ("true or false", lambda v: isinstance(v, bool)),
    "float": ("a number", lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)),
    "time": (
        "a date and time with an offset, such as 2026-03-01T00:00:00Z",
        lambda v: isinstance(v, datetime.datetime) and v.tzinfo is not None,
    ),
    "list": ("a list of texts", lambda v: isinstance(v, list) and all(isinstance(x, str) for x in v)),
    "table": ("a table of texts", lambda v: isinstance(v, dict) and all(isinstance(x, str) for x in v.values())),
}


def check_value(key: Key, value: Any, source: str) -> Any:
    """A value of a key, or an error where it has another type or is out of range."""
    if key.kind == "setting":
        try:
            return TABLE[key.name.removeprefix("scoring.")].check(value, key.name)
        except UsageError as error:
            raise InputError(error.code, error.message, source=source) from None
    expected, holds = _EXPECTED[key.kind]
    if not holds(value):
        raise InputError("wrong-type", f"{key.name}: expected {expected}, got {quote(value)}", source=source)
    if key.choices and value not in key.choices:
        raise InputError(
            "invalid-choice", f"{key.name}: expected one of {', '.join(key.choices)}, got {quote(value)}", source=source
        )
    if key.low is not None and value < key.low:
        raise InputError("out-of-range", f"{key.name}: expected {key.low:g} or more, got {value}", source=source)
    if key.kind == "regex":
        check_pattern(key.name, value, source)
    return float(value) if key.kind == "float" else value


def check_pattern(name: str, pattern: str, source: str) -> None:
    """Refuse what is not a regular expression."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise InputError("wrong-value", f"{name} is not a regular expression: {error}", source=source) from None
