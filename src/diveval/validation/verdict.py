"""A verdict: what was found in a submission, and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from diveval.validation.rules import RULES_VERSION, Finding

SCHEMA = "diveval.verdict/1"


@dataclass(frozen=True)
class Statement:
    """What a team states about its submission; None where nothing was stated."""

    name: str
    team: str | None = None
    type: str | None = None
    metadata: bytes | None = None  # of a YAML file beside the run


@dataclass(frozen=True)
class Facts:
    """What a file holds."""

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
    declared: Statement
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

    def with_findings(self, more: Sequence[Finding]) -> FileVerdict:
        """The same with findings that need the record of the track."""
        findings = (*self.findings, *more)
        return FileVerdict(self.file, self.size, self.sha256, self.declared, self.facts, findings, self.ranking)

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

    def lines(self) -> list[str]:
        """Every finding as one line for a person."""
        return [finding.text(self.file) for finding in self.findings]


def json_bytes(shape: object) -> bytes:
    """JSON as the files of a track have it: one blank of indentation, UTF-8, a line end."""
    return (json.dumps(shape, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
