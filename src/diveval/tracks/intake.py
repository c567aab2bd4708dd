"""What is known of a submitted file beside the public record, and what it is validated against."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from diveval.tracks.config import Config
from diveval.tracks.record import canonical, expecting
from diveval.validation import validate
from diveval.validation.declared import Documents, Topics
from diveval.validation.rules import Declaration, FileVerdict

_SUM = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Info:
    """The names and files of a submission, which the public record must not contain."""

    team: str
    name: str
    file: str
    sha256: str
    type: str
    priority: int
    meta: str = ""  # SHA-256 of the metadata file in the store
    ranking: str = ""  # digest of the rankings

    @classmethod
    def parse(cls, data: bytes, source: str) -> Info:
        """Read the description of a submission; its sums are part of paths, so that they must be sums."""
        with expecting("a valid description of a submission", source):
            info = cls(**json.loads(data))
            texts = (info.team, info.name, info.file, info.sha256, info.type, info.meta, info.ranking)
            if not all(isinstance(text, str) for text in texts) or not isinstance(info.priority, int):
                raise TypeError("a value has another type")
            if not _SUM.fullmatch(info.sha256) or not _SUM.fullmatch(info.meta or info.sha256):
                raise ValueError("a sum is none")
        return info

    def as_bytes(self) -> bytes:
        return canonical(vars(self)) + b"\n"


@dataclass(frozen=True)
class Rules:
    """What a file is validated against; a kit contains all of it."""

    config: Config
    topics: Topics
    documents: Documents
    named: bool = True  # False where a platform renames files: then names of files and runs are not checked

    def validate(self, data: bytes, file: str, declared: Declaration) -> FileVerdict:
        admission = self.config.admission()
        if not self.named:
            admission = replace(admission, file_name=r"(?s).*", tag_is_name=False)
        return validate(data, file, admission, self.topics, self.documents, declared)
