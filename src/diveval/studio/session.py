"""The state of a running studio, and its answers: each takes a request's checked fields and returns plain data."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

from diveval import __version__, tables
from diveval.defaults import HEADLINE, RBU
from diveval.errors import DivevalError, UsageError, shown
from diveval.judgments import GAINS
from diveval.metrics import Metric
from diveval.options import EMPTY, MISSING
from diveval.runs import ORDERS, RUN_DUPLICATES, TIES
from diveval.studio.inspector import RankingShape, inspect
from diveval.studio.jobs import JOBS, Body, LiveMatrix
from diveval.studio.known_files import ROLES, FileShape, Role, Store
from diveval.studio.limits import Limits
from diveval.studio.loaded_collection import CollectionShape, LoadedCollection, Sources, WalkShape, builtin
from diveval.studio.metric_forms import Catalogue, CatalogueRowShape, MetricShape
from diveval.studio.playground import SITUATIONS, PlayShape, SituationShape, play
from diveval.studio.work import Job, Jobs, JobShape, Workers
from diveval.views.axiom_matrix import legend
from diveval.views.shared import Step

CHOICES: dict[str, tuple[str, ...]] = {
    "gain": GAINS,
    "order": ORDERS,
    "ties": TIES,
    "missing_topics": MISSING,
    "empty_topics": EMPTY,
    "empty_aspects": ("drop", "keep"),
    "duplicates": RUN_DUPLICATES,
}


class NotFoundError(DivevalError):
    """There is nothing under the name asked for."""


class GoneError(DivevalError):
    """The collection was dropped to make room for others."""


class SessionShape(TypedDict):
    """The state of this start of the studio."""

    version: str
    metrics: list[str]
    walk: Annotated[str, "the metric whose curve is drawn where none is chosen"]
    given: Annotated[bool, "whether the command line gave files"]
    collection: CollectionShape | None
    marks: Annotated[dict[str, list[str]], "verdict → mark, kind, words"]
    roles: list[Role]
    limits: dict[str, float]
    choices: Annotated[dict[str, list[str]], "option → the words it takes"]


class MeansShape(TypedDict):
    """Means of runs."""

    runs: list[str]
    metrics: list[str]
    topics: list[str]
    mean: Annotated[dict[str, dict[str, float | None]], "run → metric → value"]


class ScoresShape(MeansShape, total=False):
    """Scores as `diveval evaluate -f json` prints them."""

    per_topic: Annotated[dict[str, dict[str, dict[str, float | None]]], "run → metric → topic → value"]
    notes: list[str]


class PrintedShape(TypedDict):
    """Scores as csv or latex, as the command prints them."""

    text: str


class RemovedShape(TypedDict):
    """The number of the file that was removed."""

    removed: int


class Studio:
    """The state of a running studio.

    Requests are answered by several threads. `_lock` guards the collections. `_loading` lets one collection load at a
    time: the built-in one is always written to the same folder, and a load can take all the memory there is.
    """

    def __init__(
        self,
        files: Sequence[Path] = (),
        *,
        weights: Path | None = None,
        topics: Path | None = None,
        docs: Path | None = None,
        metrics: Sequence[Metric] = (),
        limits: Limits | None = None,
    ) -> None:
        self.limits = limits or Limits()
        more: dict[Role, Path | None] = {"weights": weights, "topics": topics, "docs": docs}
        named = {role: path for role, path in more.items() if path is not None}
        self.store = Store([*files, *named.values()], self.limits)
        self.catalogue = Catalogue(metrics)
        self.metrics = [metric.name for metric in metrics] or list(HEADLINE)
        self.jobs = Jobs(self.limits, self.store.plain)
        self.matrix = LiveMatrix(self.limits)
        self.workers = Workers(2)  # for answers without a job; jobs have their own threads
        self.collections: OrderedDict[str, LoadedCollection] = OrderedDict()  # most recently used last
        self.given = self._given(len(files), list(named))
        self._gone: set[str] = set()
        self._lock = threading.Lock()
        self._loading = threading.Lock()

    def _given(self, files: int, roles: list[Role]) -> Sources | None:
        """The files of the command line with their roles."""
        if files < 2:
            return None
        ranked: list[Role] = ["run"] * (files - 1)
        for number, role in enumerate(["judgments", *ranked, *roles], 1):
            self.store.assign(number, role)
        judgments, *runs = (self.store.files[number] for number in range(1, files + 1))
        rest: dict[str, Any] = {role: self.store.files[files + 1 + i] for i, role in enumerate(roles)}
        return Sources(judgments, tuple(runs), **rest)

    def close(self) -> None:
        self.jobs.cancel_all()
        self.store.close()

    # --- what requests have in common -------------------------------------------------------------------------------

    def loaded(self, name: str | None = None) -> LoadedCollection:
        """The collection of a name, or without a name the one used last."""
        with self._lock:
            if name is None and not self.collections:
                raise UsageError("no collection is loaded; POST /api/collection loads one")
            if name is None:
                return next(reversed(self.collections.values()))
            if name not in self.collections:
                if name in self._gone:
                    raise GoneError("this collection has been replaced by others; load it again, or reload the page")
                raise NotFoundError(f"no collection is called {shown(name)}; reload the page")
            self.collections.move_to_end(name)
            return self.collections[name]

    def hold(self, collection: LoadedCollection) -> None:
        """Keep a collection; beyond the limit, drop the least recently used one."""
        with self._lock:
            self.collections[collection.id] = collection
            while len(self.collections) > self.limits.collections:
                self._gone.add(self.collections.popitem(last=False)[0])

    def metrics_of(self, body: Body) -> list[Metric]:
        return self.catalogue.find_all(body["metrics"])

    # --- the API's answers ------------------------------------------------------------------------------------------

    def session(self, body: Body) -> SessionShape:
        return {
            "version": __version__,
            "metrics": self.metrics,
            "walk": RBU,
            "given": self.given is not None,
            "collection": self.loaded().shape() if self.collections else None,
            "marks": legend(),
            "roles": list(ROLES),
            "limits": {name: getattr(self.limits, name) for name in ("upload", "documents", "aspects", "depth")},
            "choices": {name: list(choices) for name, choices in CHOICES.items()},
        }

    def metrics_shape(self, body: Body) -> list[CatalogueRowShape]:
        return self.catalogue.shape()

    def metric_shape(self, body: Body) -> MetricShape:
        return self.catalogue.read(body["text"], body["family"], body["values"], body["cutoff"])

    def files(self, body: Body) -> list[FileShape]:
        return [known.shape() for known in self.store.files.values()]

    def upload(self, body: Body) -> FileShape:
        if not body["content"]:
            raise UsageError(f"{shown(body['name'])} is empty")
        return self.store.keep(body["name"], body["content"]).shape()

    def remove_file(self, body: Body) -> RemovedShape:
        self.store.remove(body["id"])
        return {"removed": body["id"]}

    def collection_shape(self, body: Body) -> CollectionShape:
        return self.loaded(body["id"]).shape()

    def scores(self, body: Body, step: Step) -> bytes | PrintedShape:
        """As the command prints them; JSON as bytes, which are sent unchanged."""
        per_topic = body["per_topic"]
        scores = self.loaded(body["collection"]).scores(self.metrics_of(body), body["options"], step)
        if body["format"] == "json":
            return tables.json_text(scores, per_topic=per_topic).encode()
        csv = body["format"] == "csv"
        return {"text": tables.csv_text(scores, per_topic=per_topic) if csv else tables.latex_text(scores)}

    def ranking(self, body: Body, step: Step) -> RankingShape:
        collection, metric = self.loaded(body["collection"]), self.catalogue.find(body["metric"])
        return inspect(collection, body["run"], body["topic"], metric, body["options"], depth=body["depth"])

    def walk(self, body: Body, step: Step) -> WalkShape:
        metrics, explained = self.metrics_of(body), self.catalogue.find(body["metric"])
        collection = self.loaded(body["collection"])
        return collection.walk(body["topic"], body["runs"], explained, metrics, body["options"], body["depth"])

    def playground(self, body: Body, step: Step) -> PlayShape:
        return play(body, self.catalogue.find, self.limits, step)

    def presets(self, body: Body) -> list[SituationShape]:
        return SITUATIONS

    # --- long work --------------------------------------------------------------------------------------------------

    def load(self, body: Body) -> JobShape:
        """Start to load a collection; the page switches to it when it has been read in full."""
        sources = None if body["builtin"] else self._sources(body)

        def work(step: Step) -> CollectionShape:
            with self._loading:
                step(0, 1, "files")
                collection = LoadedCollection.load(
                    sources or builtin(self.store.folder), body["options"], self.limits, step
                )
                self.hold(collection)
                return collection.shape()

        return self.jobs.start("collection", work).shape()

    def _sources(self, body: Body) -> Sources:
        if body["given"]:
            if self.given is None:
                raise UsageError("no files were given on the command line")
            return self.given
        runs = tuple(self.store.find(number) for number in body["runs"])
        named = [role for role in ("weights", "topics", "docs") if body[role] is not None]
        more: dict[str, Any] = {role: self.store.find(body[role]) for role in named}
        if body["add_to"] is not None:
            current = self.loaded(body["add_to"]).sources
            judgments = current.judgments if body["judgments"] is None else self.store.find(body["judgments"])
            return replace(current, judgments=judgments, runs=(*current.runs, *runs), **more)
        if not runs:
            raise UsageError("runs: name at least one file")
        return Sources(self.store.find(body["judgments"]), runs, **more)

    def start_job(self, body: Body) -> JobShape:
        """Start one of the computations of `JOBS`."""
        kind = body["kind"]
        _, work = JOBS[kind]
        collection, options = self.loaded(body["collection"]), body["options"]
        metrics = self.metrics_of(body) if "metrics" in body else [self.catalogue.find(body["metric"])]
        return self.jobs.start(kind, lambda step: work(collection, metrics, options, body, step)).shape()

    def axioms(self, body: Body) -> JobShape:
        """Start to decide the matrix of axioms; it needs no collection."""
        metrics, reading = self.metrics_of(body), body["reading"]
        return self.jobs.start("axioms", lambda step: self.matrix.of(metrics, reading, step)).shape()

    def open_jobs(self, body: Body) -> list[JobShape]:
        return [job.shape() for job in self.jobs.open()]

    def job(self, body: Body) -> JobShape:
        return self._job(body).shape()

    def cancel_job(self, body: Body) -> JobShape:
        job = self._job(body)
        job.cancel()
        return job.shape()

    def _job(self, body: Body) -> Job:
        job = self.jobs.find(body["id"])
        if job is None:
            raise NotFoundError(f"no job is called {shown(body['id'])}")
        return job
