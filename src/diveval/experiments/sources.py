"""The collection of an experiment: judgments and runs from files, from a folder, or synthetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.collection.scenarios import truncate
from diveval.datasets import synthesize
from diveval.errors import InputError, UsageError, count_of
from diveval.metrics.names import as_metrics
from diveval.reading import read_judgments
from diveval.scoring.evaluate import rank_all
from diveval.scoring.scorer import RankingsByOrder
from diveval.settings import Options, OrderRule

JUDGMENT_FILES = ("qrels.txt", "qrels.txt.gz", "qrels.diversity.txt", "qrels.diversity.txt.gz")
ROUND = 5  # documents a Dynamic Domain system shows at a time
LONGEST_SESSION = 50


@dataclass(frozen=True)
class Collection:
    """Judgments and runs under one name; `origin` says in plain words where they come from."""

    name: str
    judgments: Judgments
    runs: Sequence[Any]  # Runs, or paths of run files
    origin: str
    options: Options = field(default_factory=Options)

    @property
    def in_rounds(self) -> bool:
        """Whether it is a Dynamic Domain collection, whose runs come in rounds."""
        return self.judgments.format == "dynamic-domain"

    @cached_property
    def rankings(self) -> RankingsByOrder:
        """The rankings of the runs, computed once for all experiments."""
        return rank_all(self.judgments, self.runs, as_metrics("RBU"), self.options, keep_documents=False)

    @property
    def described(self) -> str:
        """One line for the readers of a table."""
        sizes = f"{count_of(len(self.judgments), 'topic')}, {count_of(len(self.runs), 'run')}"
        return f"{self.name}: {sizes}, {self.origin}"


def from_files(
    qrels: str | Path, runs: Iterable[str | Path], *, weights: str | Path | None = None, name: str | None = None
) -> Collection:
    """A collection from its files."""
    paths = [str(path) for path in runs]
    if len(paths) < 2:
        raise UsageError("too-few-runs", f"an experiment compares runs: give at least two, got {len(paths)}")
    return _collection(name or str(qrels), read_judgments(qrels, weights=weights), paths, "read from files")


def from_folder(folder: str | Path) -> Collection:
    """A collection from a folder with qrels.txt and runs/, as `diveval data get` and `diveval data make` leave it.

    A weights.txt beside them counts.
    """
    base = Path(folder)
    qrels = next((base / name for name in JUDGMENT_FILES if (base / name).is_file()), None)
    if qrels is None:
        raise InputError(
            "missing-files", f"contains no judgments, none of {', '.join(JUDGMENT_FILES)}", source=str(base)
        )
    runs = sorted(path for path in (base / "runs").glob("*") if path.is_file() and not path.name.startswith("."))
    if not runs:
        remedy = "`diveval data get NAME --runs` downloads official ones"
        raise InputError("missing-files", "contains no runs", hint=remedy, source=str(base / "runs"))
    weights = base / "weights.txt"
    return from_files(qrels, runs, weights=weights if weights.is_file() else None, name=base.resolve().name)


def synthetic(*, topics: int = 40, systems: int = 24, depth: int = 1000, seed: int = 1) -> Collection:
    """The synthetic collection of `diveval data make`, in memory."""
    judgments, runs = _make_collection(topics, systems, depth, seed)
    return _collection("synthetic", judgments, runs, f"made from seed {seed}: no real system or judgment is in it")


def synthetic_dynamic_domain(*, topics: int = 40, systems: int = 24, seed: int = 1) -> Collection:
    """A Dynamic Domain collection made from the synthetic one.

    Every relevant judgment is one rated passage. A system decides when to stop, so each list is cut at
    rand(0..50), and is shown five documents a round.
    """
    judgments, runs = _make_collection(topics, systems, LONGEST_SESSION, seed)
    rated = Judgments.from_rows(
        (row for row in judgments.rows() if row[3] > 0), repeats=True, format="dynamic-domain", source="synthetic"
    )
    sessions = [_in_rounds(truncate(run, seed, longest=LONGEST_SESSION)) for run in runs]
    origin = f"made from seed {seed} in Dynamic Domain's shape: no real system or judgment is in it"
    return _collection("synthetic Dynamic Domain", rated, sessions, origin)


def _collection(name: str, judgments: Judgments, runs: Sequence[Any], origin: str) -> Collection:
    """The Dynamic Domain scorer reads a run in the order of its file, so all metrics compared with it do the same."""
    options = Options(order=OrderRule("file")) if judgments.format == "dynamic-domain" else Options()
    return Collection(name, judgments, runs, origin, options)


def _make_collection(topics: int, systems: int, depth: int, seed: int) -> tuple[Judgments, list[Run]]:
    made = synthesize(topics=topics, systems=systems, depth=depth, seed=seed)
    weights = {(topic, aspect): w for topic, given in made.weights.items() for aspect, w in given.items()}
    judgments = Judgments.from_rows(made.judgments(), weights=weights, source="synthetic")
    lists = {name: made.run(name) for name in made.rankings}
    runs = [
        Run.from_rows(((t, document, score) for t, listed in run.items() for document, score in listed), name=name)
        for name, run in lists.items()
    ]
    return judgments, runs


def _in_rounds(run: Run) -> Run:
    topics = {
        topic: TopicRun(listed.documents, listed.scores, None, np.arange(len(listed.documents)) // ROUND)
        for topic, listed in run.topics.items()
    }
    return Run(run.name, topics, run.source, "dynamic-domain", run.tag)
