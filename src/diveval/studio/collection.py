"""A collection in memory: files are read once and columns of scores kept, so that a slider costs one column."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from diveval.datasets import make_collection
from diveval.errors import UsageError, nearest, shown
from diveval.evaluation import load_judgments, rank_all
from diveval.judgments import Judgments
from diveval.metrics import Metric, parse
from diveval.options import Options
from diveval.rankings import Rankings, RunDuplicates
from diveval.runs import OrderRule
from diveval.scores import Scores
from diveval.scoring import orders, score
from diveval.studio.limits import Limits
from diveval.studio.store import KnownFile
from diveval.studio.work import Step, no_step

RECENT = 6  # runs whose documents' names are kept
ANY = parse("P")  # rankings are read for an order, not for a metric, but rank_all wants one
Column = tuple[NDArray[np.float64], NDArray[np.bool_]]  # run × topic: values, and which count


@dataclass(frozen=True)
class Sources:
    """The files of a collection."""

    judgments: KnownFile
    runs: tuple[KnownFile, ...]
    weights: KnownFile | None = None
    name: str = ""

    def check(self) -> None:
        for known in (self.judgments, *self.runs, *([self.weights] if self.weights else [])):
            known.check()


def builtin(folder: Path) -> Sources:
    """The collection that needs nobody's data, written where uploads live."""
    made = make_collection(folder / "builtin", topics=50, systems=30, depth=200)

    def known(path: Path) -> KnownFile:
        return KnownFile.of(0, path, path.name, uploaded=False)

    runs = tuple(known(path) for path in sorted((made / "runs").glob("*.run")))
    return Sources(known(made / "qrels.txt"), runs, known(made / "weights.txt"), "the built-in collection")


class Collection:
    """One loaded collection. Scores are asked for by metric and options; only what is new is computed."""

    def __init__(self, sources: Sources, judgments: Judgments, limits: Limits) -> None:
        self.sources, self.judgments = sources, judgments
        self._limits = limits
        self._rankings: dict[tuple[OrderRule, RunDuplicates | None], list[Rankings]] = {}
        self._named: OrderedDict[tuple[str, OrderRule, RunDuplicates | None], Rankings] = OrderedDict()
        self._columns: OrderedDict[tuple[str, Options], Column] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, sources: Sources, options: Options, limits: Limits, step: Step) -> Collection:
        """Read everything under the usual order."""
        step(0, 1 + len(sources.runs), "judgments")
        sources.check()
        weights = None if sources.weights is None else sources.weights.path
        loaded = cls(sources, load_judgments(sources.judgments.path, options, weights), limits)
        loaded.judgments.relevance(options.relevance)  # grades and weights that cannot be are said now, not later
        loaded._rank(options.order or OrderRule(), options, step)
        return loaded

    @property
    def runs(self) -> list[str]:
        (first, *_) = self._rankings.values()
        return [rankings.name for rankings in first]

    @property
    def topics(self) -> list[str]:
        return list(self.judgments.topics)

    def shape(self) -> dict[str, Any]:
        """What the page says about the collection."""
        return {
            "name": self.sources.name or self.sources.judgments.name, "runs": self.runs, "topics": self.topics,
            "aspects": max(len(topic.aspects) for topic in self.judgments.topics.values()),
            "highest_grade": self.judgments.highest,
        }  # fmt: skip

    # --- rankings ---------------------------------------------------------------------------------------------------

    def _rank(self, order: OrderRule, options: Options, step: Step) -> list[Rankings]:
        """All runs under one order, each file read on its own so that progress shows and a cancel is heard."""
        key = (order, options.duplicates)
        if key in self._rankings:
            return self._rankings[key]
        listed = []
        for done, known in enumerate(self.sources.runs):
            step(1 + done, 1 + len(self.sources.runs), known.name)
            listed.append(self._read(known, order, options, documents=False))
        with self._lock:
            return self._rankings.setdefault(key, _numbered(listed))

    def _read(self, known: KnownFile, order: OrderRule, options: Options, *, documents: bool) -> Rankings:
        known.check()
        reading = replace(options, order=order)
        ((ranked,),) = rank_all(self.judgments, [known.path], [ANY], reading, keep_documents=documents).values()
        return ranked

    def rankings(
        self, metrics: Sequence[Metric], options: Options, step: Step = no_step
    ) -> Mapping[OrderRule, Sequence[Rankings]]:
        """Under every order the metrics ask for."""
        return {order: self._rank(order, options, step) for order in orders(metrics, options)}

    def with_documents(self, run: str, order: OrderRule, options: Options) -> Rankings:
        """One run with every document's name, read for the occasion: names of all runs would fill the memory."""
        self.check_run(run)
        key = (run, order, options.duplicates)
        with self._lock:
            found = self._named.pop(key, None)
        if found is None:
            known = self.sources.runs[self.runs.index(run)]
            found = replace(self._read(known, order, options, documents=True), name=run)
        with self._lock:
            self._named[key] = found
            while len(self._named) > RECENT:
                self._named.popitem(last=False)
        return found

    # --- scores -----------------------------------------------------------------------------------------------------

    def scores(self, metrics: Sequence[Metric], options: Options, step: Step = no_step) -> Scores:
        """The table for these metrics, from kept columns where there are any."""
        self._limits.check_cells(len(self.runs), len(self.topics), len(metrics))
        missing = [metric for metric in metrics if self._kept(metric, options) is None]
        step(0, max(len(missing), 1), "scores")
        # A few metrics at a time: they share work within a portion, and a cancel is heard between two.
        portion = 8
        for begin in range(0, len(missing), portion):
            part = missing[begin : begin + portion]
            step(begin, len(missing), part[0].name)
            table = score(self.judgments, self.rankings(part, options, step), part, options)
            for m, metric in enumerate(part):
                self._keep(metric, options, (table.values[:, m].copy(), table.counted[:, m].copy()))
        columns = [self._kept(metric, options) or self._alone(metric, options) for metric in metrics]
        return Scores.of(
            np.stack([values for values, _ in columns], axis=1), runs=self.runs, topics=self.topics,
            metrics=[metric.name for metric in metrics], counted=np.stack([counted for _, counted in columns], axis=1),
        )  # fmt: skip

    def _alone(self, metric: Metric, options: Options) -> Column:
        """A column that was forgotten again before it could be used."""
        table = score(self.judgments, self.rankings([metric], options), [metric], options)
        return table.values[:, 0], table.counted[:, 0]

    def _kept(self, metric: Metric, options: Options) -> Column | None:
        with self._lock:
            found = self._columns.get((metric.name, options))
            if found is not None:
                self._columns.move_to_end((metric.name, options))
            return found

    def _keep(self, metric: Metric, options: Options, column: Column) -> None:
        most = max(16, 2 * self._limits.cells // (len(self.runs) * len(self.topics)))
        with self._lock:
            self._columns[metric.name, options] = column
            while len(self._columns) > min(most, 2000):
                self._columns.popitem(last=False)

    # --- names ------------------------------------------------------------------------------------------------------

    def check_run(self, run: str) -> None:
        if run not in self.runs:
            raise UsageError(f"no run is called {shown(run)}; nearest: {nearest(run, self.runs)}")

    def check_topic(self, topic: str) -> None:
        if topic not in self.judgments.topics:
            raise UsageError(f"no topic is called {shown(topic)}; nearest: {nearest(topic, self.topics)}")


def _numbered(listed: list[Rankings]) -> list[Rankings]:
    """Two files of one name are told apart by number: where an upload lies says nothing to its owner."""
    seen: dict[str, int] = {}
    out = []
    for rankings in listed:
        seen[rankings.name] = count = seen.get(rankings.name, 0) + 1
        out.append(rankings if count == 1 else replace(rankings, name=f"{rankings.name}#{count}"))
    return out
