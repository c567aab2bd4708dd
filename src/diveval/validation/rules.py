"""The rules for submissions, one row per rule; findings against them; the verdict that follows; and
the questions of a track about each run, answered in the metadata under `questionnaire`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from diveval.errors import printable

Severity = Literal["error", "warning", "note"]
Setting = Literal["reject", "warn", "allow"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
_SEVERITY: dict[str, Severity | None] = {"reject": "error", "warn": "warning", "allow": None}
RULES_VERSION = 1
SCHEMA = "diveval.verdict/1"


@dataclass(frozen=True)
class Rule:
    """One rule: `default` is its severity, unless `setting` names the key of `[submission]` that decides."""

    id: str
    text: str
    default: Severity
    setting: str = ""


RULES: dict[str, Rule] = {
    rule.id: rule
    for rule in (
        Rule("F01", "The file can be read and has a data line.", "error"),
        Rule("F02", "Compressed data is complete and does not unpack beyond the limit.", "error"),
        Rule("F03", "The text is UTF-8, without NUL bytes; a byte order mark is only a warning.", "error"),
        Rule("F04", "An archive contains exactly one file, under a relative name.", "error"),
        Rule("F05", "The last line has a line end.", "warning"),
        Rule("L01", "Every line has six columns between ASCII blanks: topic Q0 document rank score tag.", "error"),
        Rule("L02", "Column 2 is Q0.", "warning", "q0"),
        Rule("L03", "The rank is a whole number, 0 or more.", "error"),
        Rule("L04", "The score is a finite number.", "error"),
        Rule("L05", "A line that begins with # belongs to the metadata header.", "warning"),
        Rule("L06", "Ids contain no control characters and no non-ASCII blanks.", "error"),
        Rule("N01", "The tag matches the pattern of the track.", "error"),
        Rule("N02", "The file has one tag.", "error"),
        Rule("N03", "The tag is the name of the run.", "error"),
        Rule("N04", "The file name matches the pattern of the track.", "error"),
        Rule("T01", "Every topic has enough documents.", "error", "missing_topics"),
        Rule("T02", "Every topic is a topic of the track.", "error", "unknown_topics"),
        Rule("T03", "No topic has too many documents.", "error"),
        Rule("D01", "No document is in a topic twice.", "error", "duplicates"),
        Rule("D02", "Every document is in the collection.", "error", "unknown_documents"),
        Rule("S01", "The score does not rise with the rank.", "error", "rank_against_score"),
        Rule("S02", "No two documents of a topic have equal scores.", "warning", "equal_scores"),
        Rule("S03", "The ranks of a topic are 1 to n.", "warning"),
        Rule("S04", "The scores of a topic are not all equal.", "error", "constant_scores"),
        Rule("S05", "Neighbouring scores differ in single precision too.", "note"),
        Rule("M01", "Required metadata is present, and metadata can be parsed.", "error"),
        Rule("M02", "The required metadata fields are filled in.", "error"),
        Rule("M03", "Team, tag and type in the metadata are the declared ones.", "error"),
        Rule("A01", "The team is known and the name of the run is free.", "error"),
        Rule("A02", "The submission arrives within the dates of the track.", "note"),
        Rule("A03", "The team is within its limits.", "error"),
        Rule("A04", "The team has not sent the same bytes before.", "note"),
        Rule("X01", "The rankings differ from those of every other team (organisers only).", "note"),
    )
}
_PLACE = {rule: i for i, rule in enumerate(RULES)}


@dataclass(frozen=True)
class Admission:
    """What a track requires of a submission: the table `[submission]`, with the order rule for messages."""

    format: str = "trec"
    file_name: str = r"[A-Za-z0-9._-]{1,64}"
    tag: str = r"[A-Za-z0-9][A-Za-z0-9._-]{0,19}"
    tag_is_name: bool = True
    types: tuple[str, ...] = ("automatic", "manual")
    metadata: str = "optional"
    metadata_fields: tuple[str, ...] = ()
    max_documents: int = 1000
    min_documents: int = 1
    max_bytes: int = 268_435_456
    placeholder: str = ""
    missing_topics: Setting = "reject"
    unknown_topics: Setting = "reject"
    unknown_documents: Setting = "reject"
    duplicates: Setting = "reject"
    rank_against_score: Setting = "reject"
    constant_scores: Setting = "reject"
    equal_scores: Setting = "warn"
    q0: Setting = "warn"
    order: str = "score"
    ties: str = "docno-desc"
    questionnaire: tuple[tuple[str, str], ...] = ()

    def severity(self, rule: str) -> Severity | None:
        """The severity of a fault against the rule; None: it is allowed."""
        setting = RULES[rule].setting
        return _SEVERITY[getattr(self, setting)] if setting else RULES[rule].default


@dataclass(frozen=True)
class Finding:
    """One fault, or several of one kind, with its place where it has one.

    `message` and `fix` are part of the verdicts of a track, whose sums are recorded. Changing their wording, here and
    wherever findings are added, makes `diveval track verify` report a difference for every track with such a finding.
    """

    rule: str
    severity: Severity
    message: str
    fix: str
    count: int = 1
    line: int | None = None
    topic: str | None = None
    document: str | None = None

    def as_json(self) -> dict[str, object]:
        """The shape of `findings` in a verdict."""
        place = {"line": self.line, "topic": self.topic, "document": self.document}
        given = {key: value for key, value in place.items() if value is not None}
        head = {"rule": self.rule, "severity": self.severity, "count": self.count}
        return {**head, **given, "message": self.message, "fix": self.fix}

    def text(self, file: str) -> str:
        """One line of text: file, line, rule, message, and what to do."""
        where = printable(file) if self.line is None else f"{printable(file)}:{self.line}"
        return f"{where}: {self.rule} {self.message}; {self.fix}"


LISTED = 25  # places listed per rule; every fault is counted


@dataclass
class Findings:
    """Collects faults. Those of the file come first, then those of lines, then those of the whole run."""

    admission: Admission
    _kept: list[tuple[int, int, int, Finding]] = field(default_factory=list)
    _seen: dict[tuple[str, Severity], int] = field(default_factory=dict)
    _more: dict[tuple[str, Severity], Finding] = field(default_factory=dict)

    def add(
        self,
        rule: str,
        message: str,
        fix: str,
        *,
        line: int | None = None,
        topic: str | None = None,
        document: str | None = None,
        count: int = 1,
        severity: Severity | None = None,
        last: bool = False,
    ) -> None:
        """Count a fault, and keep it if it is among the first of its rule."""
        weight = severity or self.admission.severity(rule)
        if weight is None:
            return
        kind = (rule, weight)
        seen = self._seen[kind] = self._seen.get(kind, 0) + 1
        finding = Finding(rule, weight, message, fix, count, line, topic, document)
        if seen > LISTED:
            self._more[kind] = finding
            return
        phase = 1 if line is not None else 2 if last else 0
        self._kept.append((phase, line or 0, _PLACE[rule] if phase == 1 else 0, finding))

    def list_all(self) -> list[Finding]:
        """All faults in order; the count of those not listed follows the last listed one of its rule."""
        kept = list(self._kept)
        for (rule, severity), example in self._more.items():
            more = self._seen[rule, severity] - LISTED
            line = max(line for _, line, _, one in self._kept if (one.rule, one.severity) == (rule, severity))
            rest = Finding(rule, severity, f"and {more} more of this kind", example.fix, more)
            kept.append((1 if line else 2, line, _PLACE[rule], rest))
        return [finding for *_, finding in sorted(kept, key=lambda item: item[:3])]


# --- verdicts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Declaration:
    """What a team declares about its submission; None where it declares nothing."""

    name: str
    team: str | None = None
    type: str | None = None
    metadata: bytes | None = None  # of a YAML file beside the run


@dataclass(frozen=True)
class Facts:
    """The contents of a file in numbers."""

    lines: int = 0
    topics: int = 0
    least: int = 0
    most: int = 0
    tag: str = ""

    def as_json(self) -> dict[str, object]:
        documents = {"least": self.least, "most": self.most}
        return {"lines": self.lines, "topics": self.topics, "documents": documents, "tag": self.tag}


@dataclass(frozen=True)
class FileVerdict:
    """The findings about one file. `ranking` is a digest of the rankings in it, and is not published."""

    file: str
    size: int
    sha256: str
    declared: Declaration
    facts: Facts
    findings: tuple[Finding, ...]
    ranking: str = ""

    def counts(self) -> dict[str, int]:
        """Faults by severity."""
        totals = {"error": 0, "warning": 0, "note": 0}
        for finding in self.findings:
            totals[finding.severity] += finding.count
        return totals

    @property
    def verdict(self) -> str:
        counts = self.counts()
        return "rejected" if counts["error"] else "warned" if counts["warning"] else "accepted"

    def as_json(self, track: str, submission: str | None = None) -> dict[str, Any]:
        """The shape `diveval.verdict/1`."""
        return {
            "schema": SCHEMA,
            "track": track,
            "submission": submission,
            "team": self.declared.team,
            "name": self.declared.name,
            "file": {"name": self.file, "bytes": self.size, "sha256": self.sha256},
            "rules": RULES_VERSION,
            "verdict": self.verdict,
            "counts": self.counts(),
            "facts": self.facts.as_json(),
            "findings": [finding.as_json() for finding in self.findings],
        }

    @classmethod
    def from_json(cls, shape: dict[str, Any], declared: Declaration, ranking: str = "") -> FileVerdict:
        """The verdict from its JSON; what the team declared and the digest of the rankings are not in it."""
        file, counted = shape["file"], shape["facts"]
        documents = counted["documents"]
        facts = Facts(counted["lines"], counted["topics"], documents["least"], documents["most"], counted["tag"])
        findings = tuple(Finding(**finding) for finding in shape["findings"])
        return cls(file["name"], file["bytes"], file["sha256"], declared, facts, findings, ranking)

    def lines(self) -> list[str]:
        """Every finding as one line of text."""
        return [finding.text(self.file) for finding in self.findings]


def json_bytes(shape: object) -> bytes:
    """JSON in the format of a track's files: one blank of indentation, UTF-8, a line end."""
    return (json.dumps(shape, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


QUESTION_ID = re.compile(r"[a-z][a-z0-9_]{0,31}")
Questions = Sequence[tuple[str, str]]  # id, and the question with its choices: `Which GPU? | none | one | more`


def split_question(text: str) -> tuple[str, tuple[str, ...]]:
    """The question and its choices; without choices any answer is accepted."""
    question, *choices = (part.strip() for part in text.split("|"))
    return question, tuple(choices)


def find_answers(metadata: Mapping[str, Any]) -> dict[str, str]:
    """The answers in metadata as text; YAML reads yes and no as true and false."""
    given = metadata.get("questionnaire")
    if not isinstance(given, Mapping):
        return {}
    words = {True: "yes", False: "no"}
    return {str(k): words[v] if isinstance(v, bool) else str(v).strip() for k, v in given.items() if v is not None}


def template_of(questions: Questions) -> str:
    """A file of metadata for participants to fill in."""
    lines = [
        "# Fill in the answers and send this file with your run: the name of the run, followed by .yml",
        "questionnaire:",
    ]
    for name, text in questions:
        question, choices = split_question(text)
        lines += [f"  # {question}", *([f"  # one of: {', '.join(choices)}"] if choices else []), f"  {name}:"]
    return "\n".join(lines) + "\n"
