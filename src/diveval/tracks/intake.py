"""What is known of a submitted file beside the public record, and what it is validated against."""

from __future__ import annotations

from dataclasses import dataclass, replace

from diveval.tracks.config import Config
from diveval.tracks.record import canonical
from diveval.validation import validate
from diveval.validation.declared import Documents, Topics
from diveval.validation.rules import Declaration, FileVerdict


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
