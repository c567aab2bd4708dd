"""Everything one start of the studio holds, and its answers: each takes a request's fields and gives plain data."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diveval import __version__, tables
from diveval.errors import DivevalError, UsageError, shown
from diveval.judgments import GAINS
from diveval.metrics import Metric
from diveval.options import EMPTY, MISSING, Options
from diveval.runs import ORDERS, RUN_DUPLICATES, TIES
from diveval.studio import analyses, fields
from diveval.studio.axioms import READINGS, Matrix
from diveval.studio.catalogue import Catalogue
from diveval.studio.collection import Collection, Sources, builtin
from diveval.studio.limits import Limits
from diveval.studio.playground import play
from diveval.studio.presets import SITUATIONS
from diveval.studio.store import Store
from diveval.studio.walk import DEFAULT, inspect
from diveval.studio.whatif import what_if
from diveval.studio.work import Job, Jobs, Step, Workers

DEFAULT_METRICS = ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20", "ERR_IA@20", "Dsharp_nDCG@20", "StRecall@20", "P@20"]
CHOICES: dict[str, tuple[str, ...]] = {
    "gain": GAINS, "order": ORDERS, "ties": TIES, "missing_topics": MISSING, "empty_topics": EMPTY,
    "empty_aspects": ("drop", "keep"), "duplicates": RUN_DUPLICATES,
}  # fmt: skip


class NotFoundError(DivevalError):
    """Something asked for by a name that nothing has."""


class Text(str):
    """JSON that is text already."""


class Studio:
    """Everything one start of the studio holds."""

    def __init__(
        self, files: Sequence[Path] = (), *, weights: Path | None = None, metrics: Sequence[Metric] = (),
        limits: Limits | None = None,
    ) -> None:  # fmt: skip
        self.limits = limits or Limits()
        self.store = Store([*files, *([weights] if weights else [])], self.limits)
        self.catalogue = Catalogue(metrics)
        self.metrics = [metric.name for metric in metrics] or DEFAULT_METRICS
        self.jobs = Jobs(self.limits)
        self.matrix = Matrix(self.limits)
        self.workers = Workers()
        self.collection: Collection | None = None
        known = list(self.store.files.values())
        last = known.pop() if weights else None
        self.given = Sources(known[0], tuple(known[1:]), last) if len(known) > 1 else None
        self._loading = threading.Lock()

    def close(self) -> None:
        self.jobs.cancel_all()
        self.store.close()

    # --- what requests have in common -------------------------------------------------------------------------------

    def loaded(self) -> Collection:
        if self.collection is None:
            raise UsageError("no collection is loaded; POST /api/collection loads one")
        return self.collection

    def options(self, body: Mapping[str, Any]) -> Options:
        """Reading options by the command line's words."""
        given = body.get("options", {})
        if not isinstance(given, Mapping):
            raise UsageError("options are an object")
        fields.only(given, *CHOICES, "gmax", "renormalise")
        chosen: dict[str, Any] = {
            name: fields.choice(given, name, words) for name, words in CHOICES.items() if given.get(name) is not None
        }
        if given.get("gmax") is not None:
            named = given["gmax"] in ("file", "per-aspect")
            chosen["gmax"] = given["gmax"] if named else fields.number(given["gmax"], "gmax", low=0, high=1000)
        return Options.of(renormalise=fields.flag(given, "renormalise", True), **chosen)

    def metrics_of(self, body: Mapping[str, Any]) -> list[Metric]:
        return self.catalogue.find_all(fields.texts(body, "metrics", most=self.limits.metrics))

    def metric_of(self, body: Mapping[str, Any], default: str | None = None) -> Metric:
        return self.catalogue.find(default if default and "metric" not in body else fields.text(body, "metric"))

    # --- the API's answers ------------------------------------------------------------------------------------------

    def session(self, body: Mapping[str, Any]) -> Any:
        return {
            "version": __version__, "metrics": self.metrics, "walk": DEFAULT, "given": self.given is not None,
            "collection": None if self.collection is None else self.collection.shape(),
            "limits": {name: getattr(self.limits, name) for name in ("upload", "documents", "aspects", "depth")},
            "choices": {name: list(choices) for name, choices in CHOICES.items()},
        }  # fmt: skip

    def metrics_shape(self, body: Mapping[str, Any]) -> Any:
        return self.catalogue.shape()

    def metric_shape(self, body: Mapping[str, Any]) -> Any:
        """A metric's text read: its canonical name, and its parameters for sliders."""
        fields.only(body, "text")
        metric = self.catalogue.find(fields.text(body, "text"))
        family = metric.name if metric.entry is None else metric.entry.name
        return {"name": metric.name, "family": family, "values": dict(metric.values), "cutoff": metric.cutoff}

    def files(self, body: Mapping[str, Any]) -> Any:
        return [known.shape() for known in self.store.files.values()]

    def remove_file(self, body: Mapping[str, Any]) -> Any:
        self.store.remove(body["id"])
        return {"removed": body["id"]}

    def scores(self, body: Mapping[str, Any]) -> Any:
        """Exactly what `diveval evaluate -f json` (or csv, latex) prints for the same metrics and options."""
        fields.only(body, "metrics", "options", "per_topic", "format")
        per_topic = fields.flag(body, "per_topic", False)
        form = fields.choice(body, "format", ("json", "csv", "latex"), "json")
        scores = self.loaded().scores(self.metrics_of(body), self.options(body))
        if form == "json":
            return Text(tables.json_text(scores, per_topic=per_topic))
        return {"text": tables.csv_text(scores, per_topic=per_topic) if form == "csv" else tables.latex_text(scores)}

    def ranking(self, body: Mapping[str, Any]) -> Any:
        fields.only(body, "run", "topic", "metric", "options", "depth")
        depth = fields.whole(body, "depth", low=1, high=self.limits.depth, default=50)
        run, topic = fields.text(body, "run"), fields.text(body, "topic")
        return inspect(self.loaded(), run, topic, self.metric_of(body, DEFAULT), self.options(body), depth=depth)

    def playground(self, body: Mapping[str, Any]) -> Any:
        return play(body, self.catalogue.find, self.limits)

    def presets(self, body: Mapping[str, Any]) -> Any:
        return [situation.shape() for situation in SITUATIONS]

    # --- long work --------------------------------------------------------------------------------------------------

    def load(self, body: Mapping[str, Any]) -> Any:
        """Start to load; the collection changes when it has been read in full."""
        fields.only(body, "builtin", "given", "judgments", "runs", "weights", "options")
        options = self.options(body)
        sources = None if fields.flag(body, "builtin", False) else self._sources(body)

        def work(step: Step) -> Any:
            with self._loading:
                step(0, 1, "files")
                found = sources or builtin(self.store.folder)
                self.collection = Collection.load(found, options, self.limits, step)
                return self.collection.shape()

        return self.jobs.start("collection", work, self.store.plain).shape()

    def _sources(self, body: Mapping[str, Any]) -> Sources:
        if fields.flag(body, "given", False):
            if self.given is None:
                raise UsageError("no files were given on the command line")
            return self.given
        runs = tuple(self.store.find(number) for number in fields.several(body, "runs", most=self.limits.files))
        if not runs:
            raise UsageError("runs: name at least one file")
        weights = None if body.get("weights") is None else self.store.find(body["weights"])
        return Sources(self.store.find(body.get("judgments")), runs, weights)

    def start_job(self, body: Mapping[str, Any]) -> Any:
        """Start a computation of any kind the views need."""
        kind = fields.choice(body, "kind", tuple(JOBS))
        names, work = JOBS[kind]
        fields.only(body, "kind", "options", *names)
        collection, options = self.loaded(), self.options(body)
        metrics = self.metrics_of(body) if "metrics" in names else [self.metric_of(body)]
        return self.jobs.start(
            kind, lambda step: work(collection, metrics, options, body, step), self.store.plain
        ).shape()

    def axioms(self, body: Mapping[str, Any]) -> Any:
        """Start to decide the matrix of constraints; it needs no collection."""
        fields.only(body, "metrics", "reading")
        metrics, reading = self.metrics_of(body), fields.choice(body, "reading", READINGS, READINGS[0])
        return self.jobs.start("axioms", lambda step: self.matrix.of(metrics, reading, step), self.store.plain).shape()

    def job(self, body: Mapping[str, Any]) -> Any:
        return self._job(body).shape()

    def cancel_job(self, body: Mapping[str, Any]) -> Any:
        job = self._job(body)
        job.cancel()
        return job.shape()

    def _job(self, body: Mapping[str, Any]) -> Job:
        found = self.jobs.find(str(body["id"]))
        if found is None:
            raise NotFoundError(f"no job is called {shown(body['id'])}")
        return found


JobWork = Callable[[Collection, list[Metric], Options, Mapping[str, Any], Step], dict[str, Any]]

# Kind → the fields it takes beside options, and its work.
JOBS: dict[str, tuple[tuple[str, ...], JobWork]] = {
    "prepare": (("metrics",), lambda c, m, o, _, step: {"orders": len(c.rankings(m, o, step))}),
    "leaderboard": (("metric",), lambda c, m, o, _, step: analyses.leaderboard(c, m[0], o, step)),
    "agreement": (("metrics",), lambda c, m, o, _, step: analyses.agreement_of(c, m, o, step)),
    "unanimity": (("metrics",), lambda c, m, o, _, step: analyses.unanimity_of(c, m, o, step)),
    "power": (("metrics",), lambda c, m, o, _, step: analyses.power_of(c, m, o, step)),
    "parameters": (("metric",), lambda c, m, o, _, step: analyses.parameters_of(c, m[0], o, step)),
    "whatif": (
        ("metrics", "edit", "run", "other", "depth"), lambda c, m, o, body, step: what_if(c, body, m, o, step),
    ),
}  # fmt: skip
