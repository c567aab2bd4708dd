"""Verdicts on disk, by all they depend on: metric, constraint, reading, bounds and the code that decided them."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path

from diveval.axioms.constraints import Bounds
from diveval.axioms.readings import Reading
from diveval.axioms.subjects import Subject
from diveval.axioms.verdicts import Verdict
from diveval.errors import UsageError
from diveval.files import cache_folder, write_atomically


@cache
def version() -> str:
    """A digest of the sources of the engine and of the metrics: another version decides again."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*here.glob("*.py"), *(here.parent / "metrics").glob("*.py")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def key(subject: Subject, axiom: str, reading: Reading, bounds: Bounds) -> str | None:
    """The name a verdict is kept under; None for what has no text to be known by, such as a function in memory."""
    if not isinstance(subject.source, str):
        return None
    parts = [subject.source, repr(subject.formula), axiom, reading.as_dict(), repr(bounds), version()]
    written = re.search(r"^(.*\.py):[^:]+$", subject.source)
    if written:
        # A person's function is what its file says today.
        parts[1] = hashlib.sha256(Path(written[1]).read_bytes()).hexdigest()
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def folder() -> Path:
    return cache_folder() / "axioms"


def load(name: str) -> Verdict | None:
    """A verdict kept before; None if there is none, or if the file is not what was written."""
    try:
        kept = json.loads((folder() / f"{name}.json").read_bytes())
        text = json.dumps(kept["verdict"], sort_keys=True)
        if kept["key"] != name or kept["sum"] != _sum(text):
            return None
        return Verdict.from_dict(kept["verdict"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def store(name: str, verdict: Verdict) -> None:
    """Keep a verdict, except one that more time might change. A folder that cannot be written is no error."""
    if verdict.verdict == "unknown":
        return
    shape = verdict.as_dict()
    kept = {"key": name, "sum": _sum(json.dumps(shape, sort_keys=True)), "verdict": shape}
    try:
        folder().mkdir(parents=True, exist_ok=True)
        write_atomically(folder() / f"{name}.json", json.dumps(kept))
    except (OSError, UsageError):
        return


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
