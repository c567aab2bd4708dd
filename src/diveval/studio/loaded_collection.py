"""A collection in memory: files are read once and columns of scores cached, so that a step of a slider scores one column."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from diveval.collection.judgments import Judgments
from diveval.collection.rankings import Rankings
from diveval.datasets import make_collection
from diveval.errors import UsageError, quote, suggestion
from diveval.metrics import Metric, parse
from diveval.reading.source import Source
from diveval.reading.texts import Texts, read_texts
from diveval.results.scores import Scores
from diveval.scoring.evaluate import load_judgments, rank_all
from diveval.scoring.scorer import Scorer, orders, setup_of_runs
from diveval.setting_table import Duplicates, RunDuplicates
from diveval.settings import Options, OrderRule
from diveval.stats.pairwise import DEFAULT
from diveval.stats.tests import Significance
from diveval.studio.known_files import KnownFile
from diveval.studio.limits import Limits, TooMuchError, remember
from diveval.system.progress import Progress, silent
from diveval.views.board import MetricQuality, absent
from diveval.views.shared import topic_texts
from diveval.views.walks import Walker

LAID_OUT = 2  # options for which judgments and rankings are kept as arrays
RECENT = 6  # runs whose documents' names are kept
ANY = parse("P")  # rank_all takes metrics, but only their order matters here
Counted = tuple[NDArray[np.float64], NDArray[np.bool_]]  # run × topic: values, and which count


@dataclass(frozen=True)
class Sources:
    """The files of a collection."""

    judgments: KnownFile
    runs: tuple[KnownFile, ...]
    weights: KnownFile | None = None
    name: str = ""
    topics: KnownFile | None = None
    docs: KnownFile | None = None

    def check(self) -> None:
        """Refuse files that changed since they were named."""
        for known in (self.judgments, *self.runs, self.weights, self.topics, self.docs):
            if known is not None:
                known.check()

    @property
    def weighting(self) -> Source | None:
        """The aspects' weights as readers read them."""
        return None if self.weights is None else self.weights.source

    def roles(self) -> dict[str, int | list[int] | None]:
        """The numbers of the files by what they are; 0 is a file of the built-in collection."""
        numbers = {"judgments": self.judgments, "weights": self.weights, "topics": self.topics, "docs": self.docs}
        named = {role: None if known is None else known.number for role, known in numbers.items()}
        return {**named, "runs": [known.number for known in self.runs]}


class CollectionShape(TypedDict):
    """The contents of a collection."""

    id: str
    name: str
    runs: list[str]
    topics: list[str]
    aspects: Annotated[int, "of the topic with most"]
    highest_grade: float
    files: Annotated[dict[str, int | list[int] | None], "the numbers of its files, by what they are"]
    absent: Annotated[dict[str, list[str]], "by run, the judged topics it returned nothing for"]
    texts: Annotated[dict[str, Any], "by topic: query, description and aspects"]


class WalkShape(TypedDict):
    """What holds for every topic, the topic, and each run (null where it returned nothing).

    Numbers are whole, in 1/unit, 1/fine and 1/share.
    """

    about: dict[str, Any]
    topic: dict[str, Any]
    runs: list[dict[str, Any] | None]


def builtin(folder: Path) -> Sources:
    """The built-in synthetic collection, written into the folder of uploads."""
    made = make_collection(folder / "builtin", topics=50, systems=30, depth=200)

    def know(path: Path) -> KnownFile:
        return KnownFile.of(0, path, path.name, uploaded=False)

    runs = tuple(know(path) for path in sorted((made / "runs").glob("*.run")))
    weights, topics = know(made / "weights.txt"), know(made / "topics.xml")
    return Sources(know(made / "qrels.txt"), runs, weights, "the built-in collection", topics)


class LoadedCollection:
    """One loaded collection. Scores are cached by metric and options.

    Several jobs may use it at once. The lock guards the caches only: files are read and scores computed outside it, so a
    long computation blocks no other job; at worst two jobs compute the same column.
    """

    def __init__(
        self, sources: Sources, judgments: Judgments, limits: Limits, duplicates: Duplicates = "error"
    ) -> None:
        self.id = secrets.token_hex(5)
        self._duplicates = duplicates
        self._others: dict[Duplicates, LoadedCollection] = {}  # by another rule for documents judged twice
        self.sources, self.judgments, self.texts = sources, judgments, Texts()
        self._limits = limits
        self._rankings: dict[tuple[OrderRule, RunDuplicates | None], list[Rankings]] = {}
        self._named: OrderedDict[tuple[str, OrderRule, RunDuplicates | None], Rankings] = OrderedDict()
        self._columns: OrderedDict[tuple[str, Options], Counted] = OrderedDict()
        self._scorers: OrderedDict[Options, Scorer] = OrderedDict()
        self._qualities: OrderedDict[tuple[tuple[str, ...], Options, Significance], MetricQuality] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, sources: Sources, options: Options, limits: Limits, step: Progress) -> LoadedCollection:
        """Read everything under the usual order."""
        step("judgments", 0, 1 + len(sources.runs))
        sources.check()
        judgments = load_judgments(sources.judgments.source, options, sources.weighting)
        loaded = cls(sources, judgments, limits, options.judgment_duplicates)
        loaded.judgments.relevance(options.relevance)  # report invalid grades and weights now, not at the first score
        loaded._rank(options.order_for(), options, step)
        loaded.texts = loaded._read_texts()
        return loaded

    def under(self, options: Options, step: Progress) -> LoadedCollection:
        """The collection with its judgments read by the options' rule for documents judged twice."""
        rule = options.judgment_duplicates
        if rule == self._duplicates:
            return self
        other = self._others.get(rule) or LoadedCollection.load(self.sources, options, self._limits, step)
        other.id = self.id
        with self._lock:
            return self._others.setdefault(rule, other)

    def _read_texts(self) -> Texts:
        """Texts of topics and of judged documents; unjudged documents are shown by id."""
        topics, docs = (None if known is None else known.source for known in (self.sources.topics, self.sources.docs))
        wanted = {document for topic in self.judgments.topics.values() for document in topic.documents} if docs else ()
        texts = read_texts(topics, docs, wanted=wanted)
        if len(texts.documents) > self._limits.texts:
            raise TooMuchError(
                "too-much-work",
                f"--docs has texts of more than {self._limits.texts} judged documents",
                hint="give fewer",
            )
        return texts

    @property
    def any_rankings(self) -> list[Rankings]:
        """The runs under some order: which topics they have is the same under each."""
        return next(iter(self._rankings.values()))

    @property
    def runs(self) -> list[str]:
        return [rankings.name for rankings in self.any_rankings]

    @property
    def topics(self) -> list[str]:
        return list(self.judgments.topics)

    def shape(self) -> CollectionShape:
        """What the page shows about the collection."""
        return {
            "id": self.id,
            "name": self.sources.name or self.sources.judgments.name,
            "runs": self.runs,
            "topics": self.topics,
            "aspects": max(len(topic.aspects) for topic in self.judgments.topics.values()),
            "highest_grade": self.judgments.highest,
            "files": self.sources.roles(),
            "absent": absent(self.any_rankings, self.topics),
            "texts": topic_texts(self.texts, self.topics),
        }

    # --- rankings ---------------------------------------------------------------------------------------------------

    def _rank(self, order: OrderRule, options: Options, step: Progress) -> list[Rankings]:
        """All runs under one order, each file read on its own so that progress shows and a cancel takes effect."""
        key = (order, options.duplicates)
        if key in self._rankings:
            return self._rankings[key]
        listed = []
        for done, known in enumerate(self.sources.runs):
            step(known.name, 1 + done, 1 + len(self.sources.runs))
            listed.append(self._read(known, order, options, documents=False))
        with self._lock:
            return self._rankings.setdefault(key, _number_runs(listed))

    def _read(self, known: KnownFile, order: OrderRule, options: Options, *, documents: bool) -> Rankings:
        known.check()
        reading = replace(options, order=order)
        ((ranked,),) = rank_all(self.judgments, [known.source], [ANY], reading, keep_documents=documents).values()
        return ranked

    def rankings(
        self, metrics: Sequence[Metric], options: Options, step: Progress = silent
    ) -> Mapping[OrderRule, Sequence[Rankings]]:
        """Under every order the metrics ask for."""
        return {order: self._rank(order, options, step) for order in orders(metrics, options)}

    def with_documents(self, run: str, order: OrderRule, options: Options) -> Rankings:
        """One run with the ids of all its documents, read from its file: ids of all runs would not fit into memory."""
        self.check_run(run)
        key = (run, order, options.duplicates)
        rankings = self._named.get(key)
        if rankings is None:
            known = self.sources.runs[self.runs.index(run)]
            rankings = replace(self._read(known, order, options, documents=True), name=run)
        with self._lock:
            return remember(self._named, key, rankings, RECENT)

    # --- scores -----------------------------------------------------------------------------------------------------

    def scores(self, metrics: Sequence[Metric], options: Options, step: Progress = silent) -> Scores:
        """The table for these metrics, from cached columns where there are any."""
        self.check_size(metrics)
        kept = {metric.name: self._recall(metric, options) for metric in metrics}
        columns = {name: column for name, column in kept.items() if column is not None}
        missing = [metric for metric in metrics if metric.name not in columns]
        step("scores", 0, max(len(missing), 1))
        # A few metrics at a time: metrics of a portion share work, and a cancel takes effect between two portions.
        portion = 8
        for begin in range(0, len(missing), portion):
            part = missing[begin : begin + portion]
            step(part[0].name, begin, len(missing))
            table = self._scorer(options).of(part).score(self.rankings(part, options, step))
            for m, metric in enumerate(part):
                columns[metric.name] = self._keep(
                    metric, options, (table.values[:, m].copy(), table.counted[:, m].copy())
                )
        wanted = [columns[metric.name] for metric in metrics]
        listed = next(iter(self.rankings(metrics, options, step).values()))
        ranked = {run.name: run.columns(self.judgments) for run in listed}
        return Scores.of(
            np.stack([values for values, _ in wanted], axis=1),
            runs=self.runs,
            topics=self.topics,
            metrics=[metric.name for metric in metrics],
            counted=np.stack([counted for _, counted in wanted], axis=1),
            best=[metric.best for metric in metrics],
            setup=setup_of_runs(self.judgments, ranked, metrics, options),
        )

    def quality(
        self, metrics: Sequence[Metric], options: Options, step: Progress = silent, how: Significance = DEFAULT
    ) -> MetricQuality:
        """Agreement, unanimity and power of these metrics: two views of the page ask for them."""
        key = (tuple(metric.name for metric in metrics), options, how)
        with self._lock:
            known = self._qualities.get(key)
        found = known or MetricQuality.of(self.scores(metrics, options, step), step, how)
        with self._lock:
            return remember(self._qualities, key, found, LAID_OUT)

    def check_size(self, metrics: Sequence[Metric]) -> None:
        """Refuse metrics whose table would be too large."""
        self._limits.check_cells(len(self.runs), len(self.topics), len(metrics))

    def _scorer(self, options: Options) -> Scorer:
        """Judgments and rankings as arrays, built once: the next step of a slider only scores."""
        with self._lock:
            scorer = self._scorers.get(options) or Scorer(self.judgments, (), options)
            return remember(self._scorers, options, scorer, LAID_OUT)

    def _recall(self, metric: Metric, options: Options) -> Counted | None:
        with self._lock:
            column = self._columns.get((metric.name, options))
            if column is not None:
                self._columns.move_to_end((metric.name, options))
            return column

    def _keep(self, metric: Metric, options: Options, column: Counted) -> Counted:
        most = max(16, 2 * self._limits.cells // (len(self.runs) * len(self.topics)))
        with self._lock:
            return remember(self._columns, (metric.name, options), column, min(most, 2000))

    # --- rankings to look at ------------------------------------------------------------------------------------------

    def walk(
        self,
        topic: str,
        runs: Sequence[str],
        explained: Metric,
        metrics: Sequence[Metric],
        options: Options,
        depth: int,
    ) -> WalkShape:
        """Some runs on one topic, rank by rank, in the shape the report has."""
        self.check_topic(topic)
        for run in runs:
            self.check_run(run)
        rankings = {
            order: [self.with_documents(run, order, options) for run in runs]
            for order in orders([explained, *metrics], options)
        }
        walker = Walker(self.judgments, rankings, explained, metrics, options, self.texts, depth)
        shown_topic = walker.topic(topic)
        return {"about": walker.about(), "runs": shown_topic.pop("runs"), "topic": shown_topic}

    # --- names ------------------------------------------------------------------------------------------------------

    def check_run(self, run: str) -> None:
        if run not in self.runs:
            raise UsageError("unknown-run", f"no run is called {quote(run)}", hint=suggestion(run, self.runs))

    def check_topic(self, topic: str) -> None:
        if topic not in self.judgments.topics:
            raise UsageError("unknown-topic", f"no topic is called {quote(topic)}", hint=suggestion(topic, self.topics))


def _number_runs(listed: list[Rankings]) -> list[Rankings]:
    """Distinguish runs with the same name by number: the path of an upload means nothing to the user."""
    seen: dict[str, int] = {}
    out = []
    for rankings in listed:
        seen[rankings.name] = count = seen.get(rankings.name, 0) + 1
        out.append(rankings if count == 1 else replace(rankings, name=f"{rankings.name}#{count}"))
    return out
