"""The state of a running studio, and its answers: each takes a request's checked fields and returns plain data."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, cast

from diveval import __version__
from diveval.axioms.proof.scheduler import Scheduler
from diveval.defaults import HEADLINE, RBU
from diveval.errors import DivevalError, UsageError, quote
from diveval.metrics import Metric
from diveval.setting_table import SETTINGS, Setting
from diveval.stats.pairwise import DEFAULT
from diveval.stats.tests import Significance
from diveval.studio.constraint_jobs import decide_axioms
from diveval.studio.inspector import RankingShape, inspect
from diveval.studio.jobs import JOBS, Body
from diveval.studio.known_files import ROLES, FileShape, Role, Store
from diveval.studio.limits import Limits
from diveval.studio.loaded_collection import CollectionShape, LoadedCollection, Sources, WalkShape, builtin
from diveval.studio.metric_forms import Catalogue, CatalogueRowShape, MetricShape
from diveval.studio.playground import SITUATIONS, PlayShape, SituationShape, play
from diveval.studio.work import Job, Jobs, JobShape, Workers
from diveval.system.progress import Progress
from diveval.views.axiom_matrix import legend

REMEMBERED = 2000  # verdicts about axioms; every step of a slider makes a new metric
FORM = tuple(setting for setting in SETTINGS if setting.label)


def _form(setting: Setting) -> SettingShape:
    shape = {name: getattr(setting, name) for name in SettingShape.__annotations__}
    return cast("SettingShape", shape | {"words": list(setting.words)})


class NotFoundError(DivevalError):
    """There is nothing under the name asked for."""


class GoneError(DivevalError):
    """The collection was dropped to make room for others."""


class SettingShape(TypedDict):
    """An option of requests."""

    name: str
    label: str
    help: str
    words: Annotated[list[str], "texts that it takes"]
    kind: Annotated[Literal["", "number", "bool"], "what it takes besides"]
    default: str | bool | None
    usual: Annotated[str, "what happens without it, where the default is null"]


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
    settings: Annotated[list[SettingShape], "the options of requests, for a form"]


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
    setup: Annotated[dict[str, Any], "how the scores were computed: judgments, gain and order by metric, judged shares"]


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
        how: Significance = DEFAULT,
        limits: Limits | None = None,
    ) -> None:
        self.limits, self.how = limits or Limits(), how
        more: dict[Role, Path | None] = {"weights": weights, "topics": topics, "docs": docs}
        named = {role: path for role, path in more.items() if path is not None}
        self.store = Store([*files, *named.values()], self.limits)
        self.catalogue = Catalogue(metrics)
        self.metrics = [metric.name for metric in metrics] or list(HEADLINE)
        self.jobs = Jobs(self.limits)
        self.verdicts = Scheduler(remember=REMEMBERED, tolerant=True)
        self.workers = Workers(2)  # for answers without a job; jobs have their own threads
        self.collections: OrderedDict[str, LoadedCollection] = OrderedDict()  # most recently used last
        self.given = self._command_line(len(files), list(named))
        self._gone: set[str] = set()
        self._lock = threading.Lock()
        self._loading = threading.Lock()

    def _command_line(self, files: int, roles: list[Role]) -> Sources | None:
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

    def open_collection(self, name: str | None = None) -> LoadedCollection:
        """The collection of a name, or without a name the one used last."""
        with self._lock:
            if name is None and not self.collections:
                raise UsageError("no-collection", "no collection is loaded", hint="POST /api/collection loads one")
            if name is None:
                return next(reversed(self.collections.values()))
            if name not in self.collections:
                if name in self._gone:
                    raise GoneError(
                        "collection-replaced",
                        "this collection has been replaced by others",
                        hint="load it again, or reload the page",
                    )
                raise NotFoundError(
                    "unknown-collection", f"no collection is called {quote(name)}", hint="reload the page"
                )
            self.collections.move_to_end(name)
            return self.collections[name]

    def hold(self, collection: LoadedCollection) -> None:
        """Keep a collection; beyond the limit, drop the least recently used one."""
        with self._lock:
            self.collections[collection.id] = collection
            while len(self.collections) > self.limits.collections:
                self._gone.add(self.collections.popitem(last=False)[0])

    def collection_of(self, body: Body, step: Progress) -> LoadedCollection:
        """The collection that a request names, with judgments read by the request's options."""
        return self.open_collection(body["collection"]).under(body["options"], step)

    def metrics_of(self, body: Body) -> list[Metric]:
        return self.catalogue.find_all(body["metrics"])

    # --- the API's answers ------------------------------------------------------------------------------------------

    def session(self, body: Body) -> SessionShape:
        return {
            "version": __version__,
            "metrics": self.metrics,
            "walk": RBU,
            "given": self.given is not None,
            "collection": self.open_collection().shape() if self.collections else None,
            "marks": legend(),
            "roles": list(ROLES),
            "limits": {name: getattr(self.limits, name) for name in ("upload", "documents", "aspects", "depth")},
            "settings": [_form(setting) for setting in FORM],
        }

    def metrics_shape(self, body: Body) -> list[CatalogueRowShape]:
        return self.catalogue.shape()

    def metric_shape(self, body: Body) -> MetricShape:
        return self.catalogue.read(body["text"], body["family"], body["values"], body["cutoff"])

    def files(self, body: Body) -> list[FileShape]:
        return [known.shape() for known in self.store.files.values()]

    def upload(self, body: Body) -> FileShape:
        if not body["content"]:
            raise UsageError("empty-input", f"{quote(body['name'])} is empty")
        return self.store.keep(body["name"], body["content"]).shape()

    def remove_file(self, body: Body) -> RemovedShape:
        self.store.remove(body["id"])
        return {"removed": body["id"]}

    def collection_shape(self, body: Body) -> CollectionShape:
        return self.open_collection(body["id"]).shape()

    def scores(self, body: Body, step: Progress) -> bytes | PrintedShape:
        """As the command prints them; JSON as bytes, which are sent unchanged."""
        per_topic = body["per_topic"]
        scores = self.collection_of(body, step).scores(self.metrics_of(body), body["options"], step)
        if body["format"] == "json":
            return scores.to_json(per_topic=per_topic).encode()
        csv = body["format"] == "csv"
        return {"text": scores.to_csv(per_topic=per_topic) if csv else scores.to_latex()}

    def ranking(self, body: Body, step: Progress) -> RankingShape:
        collection, metric = self.collection_of(body, step), self.catalogue.find(body["metric"])
        return inspect(collection, body["run"], body["topic"], metric, body["options"], depth=body["depth"])

    def walk(self, body: Body, step: Progress) -> WalkShape:
        metrics, explained = self.metrics_of(body), self.catalogue.find(body["metric"])
        collection = self.collection_of(body, step)
        return collection.walk(body["topic"], body["runs"], explained, metrics, body["options"], body["depth"])

    def playground(self, body: Body, step: Progress) -> PlayShape:
        return play(body, self.catalogue.find, self.limits, step)

    def presets(self, body: Body) -> list[SituationShape]:
        return SITUATIONS

    # --- long work --------------------------------------------------------------------------------------------------

    def load(self, body: Body) -> JobShape:
        """Start to load a collection; the page switches to it when it has been read in full."""
        sources = None if body["builtin"] else self._sources(body)

        def work(step: Progress) -> CollectionShape:
            with self._loading:
                step("files", 0, 1)
                collection = LoadedCollection.load(
                    sources or builtin(self.store.folder), body["options"], self.limits, step
                )
                self.hold(collection)
                return collection.shape()

        return self.jobs.start("collection", work).shape()

    def _sources(self, body: Body) -> Sources:
        if body["given"]:
            if self.given is None:
                raise UsageError("no-collection", "no files were given on the command line")
            return self.given
        runs = tuple(self.store.find(number) for number in body["runs"])
        named = [role for role in ("weights", "topics", "docs") if body[role] is not None]
        more: dict[str, Any] = {role: self.store.find(body[role]) for role in named}
        if body["add_to"] is not None:
            current = self.open_collection(body["add_to"]).sources
            judgments = current.judgments if body["judgments"] is None else self.store.find(body["judgments"])
            return replace(current, judgments=judgments, runs=(*current.runs, *runs), **more)
        if not runs:
            raise UsageError("no-run", "runs: name at least one file")
        return Sources(self.store.find(body["judgments"]), runs, **more)

    def start_job(self, body: Body) -> JobShape:
        """Start one of the computations of `JOBS`."""
        kind = body["kind"]
        _, work = JOBS[kind]
        self.open_collection(body["collection"])  # a name that does not exist is an error now, not in the job
        options = body["options"]
        metrics = self.metrics_of(body) if "metrics" in body else []
        if "metric" in body:
            metrics = [self.catalogue.find(body["metric"])]
        if body.get("model") is not None:
            body = {**body, "model": self.store.find(body["model"])}
        body = {**body, "how": self.how, "scheduler": self.verdicts}

        def act(step: Progress) -> Any:
            return work(self.collection_of(body, step), metrics, options, body, step)

        return self.jobs.start(kind, act).shape()

    def axioms(self, body: Body) -> JobShape:
        """Start to decide the matrix of axioms; it needs no collection."""
        metrics, reading = self.metrics_of(body), body["reading"]
        return self.jobs.start(
            "axioms", lambda step: decide_axioms(self.verdicts, metrics, reading, self.limits, step)
        ).shape()

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
            raise NotFoundError("unknown-resource", f"no job is called {quote(body['id'])}")
        return job
