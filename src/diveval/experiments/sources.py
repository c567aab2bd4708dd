"""The collection of an experiment: judgments and runs from files, from a folder, or synthetic; and
a randomly perturbed one, written in TREC formats, so that any tool can score the paper's scenarios.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run, TopicRun
from diveval.collection.scenarios import regrade, reweight, truncate
from diveval.datasets import synthesize
from diveval.errors import InputError, UsageError, count_of, quote, warn
from diveval.metrics.names import as_metrics
from diveval.reading import read_judgments
from diveval.scoring.evaluate import rank_all
from diveval.scoring.scorer import RankingsByOrder
from diveval.settings import Options, OrderRule
from diveval.system.files import write_atomically
from diveval.writing import file_names, judgments_content, runs_content, weights_text

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


IDENTITY = "qrels.txt contains relevance between 0 and 1, not grades: read it with --gain identity"


@dataclass(frozen=True)
class Scenario:
    """What is drawn at random: relevance, aspect weights, lengths of rankings (`longest` None: up to the own length)."""

    seed: int
    grades: bool = False
    weights: bool = False
    lengths: bool = False
    longest: int | None = None

    def __post_init__(self) -> None:
        if not (self.grades or self.weights or self.lengths):
            raise UsageError("missing-argument", "nothing to simulate: ask for --grades, --weights or --truncate")

    @property
    def steps(self) -> list[str]:
        """In words, one text for each thing that is drawn."""
        longest = "n" if self.longest is None else str(self.longest)
        return [
            *(["relevance r' = rand(0..r) for every judgment"] if self.grades else []),
            *(["random aspect weights that sum to 1 for every topic"] if self.weights else []),
            *([f"each ranking cut at rand(0..{longest})"] if self.lengths else []),
        ]


def simulate(
    judgments: Judgments, runs: Sequence[Run], scenario: Scenario, folder: str | Path, *, options: Options | None = None
) -> tuple[list[Path], str]:
    """Write qrels.txt, weights.txt (where there are weights), runs/*.run and README.txt; the options that read them.

    Numbers are full doubles: scores computed from the files are those of the scenario to the last bit. Regraded
    judgments contain relevance and are read with `--gain identity`. A list cut to length 0 is an answer, but a run file
    cannot express that: it is read with `--missing-topics zero`.
    """
    chosen = options or Options()
    order = chosen.order_for()
    names = file_names(runs)
    if scenario.grades:
        judgments = regrade(judgments, scenario.seed, rule=chosen.relevance)
    if scenario.weights:
        judgments = reweight(judgments, scenario.seed)
    contents = {"qrels.txt": judgments_content(judgments, "trec").content}
    weighted = bool(judgments.aspect_weights())
    if weighted:
        contents["weights.txt"] = weights_text(judgments)
    for name, run in zip(names, runs, strict=True):
        cut = truncate(run, scenario.seed, longest=scenario.longest, order=order) if scenario.lengths else run
        if not any(listed.documents for listed in cut.topics.values()):
            warn("empty-run", f"{name}: no document is left, so no file is written for it")
            continue
        made = runs_content([cut], "trec", order=order)
        for loss in made.losses:
            warn("information-lost", f"{name}: lost: {loss}")
        contents[f"runs/{name}.run"] = made.content
    reading = _reading(scenario, chosen.order, weighted=weighted)
    contents["README.txt"] = _readme(scenario, reading)
    base = _make_folder(folder)
    return [write_atomically(base / name, content) for name, content in contents.items()], reading


def _make_folder(folder: str | Path) -> Path:
    base = Path(folder)
    try:
        (base / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("cannot-write", f"{base}: cannot be created: {error.strerror or error}") from error
    if others := sorted(path.name for path in (base / "runs").iterdir()):
        raise UsageError(
            "folder-not-empty", f"{base / 'runs'} contains {quote(others[0])} already", hint="give another folder"
        )
    return base


def _reading(scenario: Scenario, order: OrderRule | None, *, weighted: bool) -> str:
    """The options that reading the files needs."""
    return "".join(
        [
            " --weights weights.txt" if weighted else "",
            " --gain identity" if scenario.grades else "",
            " --missing-topics zero" if scenario.lengths else "",
            f" --order {order.by} --ties {order.ties}" if order else "",
        ]
    )


def _readme(scenario: Scenario, reading: str) -> str:
    steps = "".join(f"  {step}\n" for step in scenario.steps)
    grades = f"{IDENTITY}.\n" if scenario.grades else "qrels.txt contains the original grades.\n"
    command = f"diveval evaluate qrels.txt runs/*.run{reading}"
    return f"A simulated collection, seed {scenario.seed}:\n{steps}{grades}Score it, from this folder: {command}\n"
