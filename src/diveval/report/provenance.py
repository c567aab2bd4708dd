"""How a report was made: the command, the versions, the rules that were in force, and fingerprints of the files."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from diveval import __version__, tables
from diveval.options import Options
from diveval.scoring import orders
from diveval.views.study import Study

LIBRARIES = ("numpy", "scipy", "z3-solver")
BLOCK = 1 << 20


def provenance(study: Study, *, command: Sequence[str], files: Sequence[str]) -> dict[str, Any]:
    """Facts to show, fingerprints of `files`, notes of the reading, and the numbers as CSV and LaTeX."""
    found = [{"path": path, **fingerprint(path)} for path in files if Path(path).is_file()]
    facts = [
        ("Command", shlex.join(command)),
        ("Versions", ", ".join([f"diveval {__version__}", f"Python {platform.python_version()}", *_versions()])),
        *_rules(study),
    ]
    return {
        "facts": [[name, text] for name, text in facts],
        "files": found,
        "notes": list(study.notes),
        "csv": tables.csv_text(study.scores, per_topic=False),
        "latex": tables.latex_text(study.scores),
    }


def fingerprint(path: str | Path) -> dict[str, Any]:
    """Size and SHA-256 of a file as it is on the disk, optionally compressed."""
    digest, size = hashlib.sha256(), 0
    with Path(path).open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            size += len(block)
    return {"bytes": size, "sha256": digest.hexdigest()}


def _versions() -> list[str]:
    out = []
    for library in LIBRARIES:
        try:
            out.append(f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            out.append(f"{library} not installed")
    return out


_MISSING = {
    "worst": "scored like lists of non-relevant documents (other tools’ names: their own rule)",
    "zero": "scored 0",
    "skip": "left out of the run’s mean",
}


def _rules(study: Study) -> list[tuple[str, str]]:
    options: Options = study.options
    rule = options.relevance
    used = " and ".join(f"by {order.by}, equal scores by {order.ties}" for order in orders(study.metrics, options))
    gmax = {"file": "the highest grade of the file", "per-aspect": "the highest grade of each topic and aspect"}
    weighted = any(topic.weights is not None for topic in study.judgments.topics.values())
    return [
        ("Order of runs", used),
        ("Missing topics", _MISSING[options.missing_topics]),
        ("Empty topics", options.empty_topics or "scored like others (other tools’ names: their own rule)"),
        ("Relevance", f"{rule.gain} gain, gmax is {gmax.get(str(rule.gmax), rule.gmax)}"),
        ("Weights", ("given" if weighted else "uniform") + (", renormalised" if rule.renormalise else ", as they are")),
        ("Aspects without a relevant document", "left out" if rule.drop_empty_aspects else "kept"),
        ("Documents twice in a ranking", options.duplicates or "an error, unless the format allows them"),
        ("Effort", "the same for every document" if options.efforts is None else "by document, from a file"),
    ]
