"""Stored baselines: the scores of a run with what they were scored with, so that only comparable runs are compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from diveval.collection.judgments import Judgments
from diveval.errors import InputError
from diveval.results.protocol import json_text
from diveval.results.scores import Scores
from diveval.results.setup import Setup
from diveval.system.files import write_atomically

KIND = "diveval_baseline"
LARGEST = 1 << 30  # bytes
COMPARED = {"metrics": "metrics or their settings", "missing_topics": "missing topics", "empty_topics": "empty topics"}
COMPARED |= {"weights": "aspect weights", "options": "options"}


@dataclass(frozen=True)
class StoredBaseline:
    """The content of a stored baseline."""

    run: str
    topics: list[str]
    metrics: list[str]
    best: list[Any]
    values: list[list[float]]  # metric × topic
    counted: list[list[bool]]
    judgments: str  # digest
    setup: dict[str, Any]

    def scores(self) -> Scores:
        """The scores as a table of one run."""
        return Scores.of(
            np.array([self.values], dtype=np.float64).reshape(1, len(self.metrics), len(self.topics)),
            runs=[self.run],
            metrics=self.metrics,
            topics=self.topics,
            counted=np.array([self.counted], dtype=bool).reshape(1, len(self.metrics), len(self.topics)),
            best=self.best,
        )

    def list_differences(self, setup: Setup, digest: str, metrics: Sequence[str]) -> list[str]:
        """What differs from another evaluation, in words; empty if the scores are comparable."""
        now = json.loads(json.dumps(setup.as_dict()))
        out = ["judgments"] if digest != self.judgments else []
        out += [text for name, text in COMPARED.items() if now.get(name) != self.setup.get(name)]
        if list(metrics) != self.metrics and COMPARED["metrics"] not in out:
            out.append(COMPARED["metrics"])
        return out


def digest_of(judgments: Judgments) -> str:
    """A digest of all judgments and weights, whatever their order and the name of their file."""
    lines = [f"{t}\t{a}\t{d}\t{g!r}" for t, a, d, g in judgments.rows()]
    lines += [f"{t}\t{a}\t{w!r}" for (t, a), w in judgments.aspect_weights().items()]
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "surrogatepass")).hexdigest()


def store_baseline(path: str | PathLike[str], scores: Scores, digest: str) -> None:
    """Write the scores of one run with their setup."""
    values = np.where(scores.counted[0], scores.values[0], 0.0)
    shape = {
        KIND: 1,
        "run": scores.runs[0],
        "topics": list(scores.topics),
        "metrics": list(scores.metrics),
        "best": list(scores.best),
        "values": values.tolist(),
        "counted": scores.counted[0].tolist(),
        "judgments": digest,
        "setup": scores.setup.as_dict(),
    }
    write_atomically(Path(path), json_text(shape))


def read_stored(baseline: object) -> StoredBaseline | None:
    """The stored baseline in a file, or None if this is anything else, such as a run."""
    if not isinstance(baseline, str | PathLike) or not Path(baseline).is_file():
        return None
    with Path(baseline).open("rb") as file:
        if KIND.encode() not in file.read(64):
            return None
        file.seek(0)
        data = file.read(LARGEST)
    try:
        shape = json.loads(data)
        if shape.pop(KIND) != 1:
            raise InputError("wrong-value", "is a baseline of another version of diveval", source=str(baseline))
        stored = StoredBaseline(**shape)
        stored.scores()
    except (ValueError, TypeError, KeyError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("cannot-parse", f"is not a stored baseline: {error}", source=str(baseline)) from error
    return stored
