"""Every address of the API, declared once: its fields check requests and, with the types of answers, make the document.

`python -m diveval.studio.endpoints` prints the document.
"""

from __future__ import annotations

import json
from typing import Any

from diveval.options import Options
from diveval.studio import playground
from diveval.studio.analyses import HIGHEST, WEIGHTS
from diveval.studio.collection import CollectionShape, WalkShape
from diveval.studio.fields import (
    Ends,
    Field,
    Kinds,
    Listed,
    Optional,
    Record,
    Schema,
    Values,
    choice,
    either,
    file_number,
    flag,
    number,
    text,
    whole,
)
from diveval.studio.limits import Limits
from diveval.studio.live_matrix import READINGS
from diveval.studio.metric_forms import CatalogueRowShape, MetricShape
from diveval.studio.openapi import Endpoint, document
from diveval.studio.playground import PlayShape
from diveval.studio.presets import SituationShape
from diveval.studio.session import (
    CHOICES,
    JOBS,
    PrintedShape,
    RemovedShape,
    ScoresShape,
    SessionShape,
    Studio,
)
from diveval.studio.store import FileShape
from diveval.studio.walk import DEFAULT, RankingShape
from diveval.studio.whatif import EDITS
from diveval.studio.work import JobShape

OPTIONS = Optional(
    Record(
        {name: Optional(choice(words)) for name, words in CHOICES.items()}
        | {
            "gmax": Optional(either(number(0, 1000), choice(("file", "per-aspect")))),
            "renormalise": Optional(flag(), True),
        },
        "Options",
        "as the command line's options; what is missing takes its default",
        lambda values: Options.of(**{name: value for name, value in values.items() if value is not None}),
    ),
    {},
)
COLLECTION = Optional(text(40, about="by the id that loading it gave; without one, the one used last"))
METRIC = Optional(text(about="the metric with effort that the curve shows"), DEFAULT)
FORMATS = ("json", "csv", "latex")


def endpoints(limits: Limits) -> list[Endpoint]:
    """All of them, with the bounds of these limits."""
    metrics = Listed(text(), limits.metrics, about="metrics by name, such as RBU(p=0.99,e=0.05)@20")
    depth = Optional(whole(1, limits.depth), 50)
    id_ = {"id": text(about="as given by the answer that named it")}
    waiting = "seconds to wait for the answer; beyond them it is 202 with the job, whose result GET /api/jobs/{id} has"

    def computed(path: str, answer: Any, summary: str, returns: Any, fields: dict[str, Field]) -> Endpoint:
        wait = Optional(number(0, limits.seconds, about=waiting), limits.seconds)
        return Endpoint("POST", path, answer, summary, returns, Record({**fields, "wait": wait}), wait=wait)

    return [
        Endpoint("GET", "/api/session", Studio.session, "What this start of the studio holds", SessionShape),
        Endpoint(
            "GET",
            "/api/metrics",
            Studio.metrics_shape,
            "The catalogue, as `diveval metrics -f json`, with bounds for sliders",
            list[CatalogueRowShape],
        ),
        Endpoint(
            "POST",
            "/api/metric",
            Studio.metric_shape,
            "Read a metric's text, or write one from its family, values and cutoff",
            MetricShape,
            Record(
                {
                    "text": Optional(text()),
                    "family": Optional(text()),
                    "values": Optional(Values(either(number(-1e300, 1e300), text(40)), most=20), {}),
                    "cutoff": Optional(whole(1, 10**9)),
                },
                about="a text, or a family with the values of its parameters (the others take their defaults)",
            ),
        ),
        Endpoint("GET", "/api/files", Studio.files, "Files of the command line and uploads", list[FileShape]),
        Endpoint(
            "POST",
            "/api/files",
            Studio.upload,
            "Upload a file; the body is its bytes. It is kept in a private folder until the studio ends",
            FileShape,
            address={"name": text(least=1, about="the file's name")},
            takes_bytes=True,
            status=201,
        ),
        Endpoint(
            "DELETE",
            "/api/files/{id}",
            Studio.remove_file,
            "Forget an upload",
            RemovedShape,
            address={"id": file_number(in_address=True)},
        ),
        Endpoint(
            "GET",
            "/api/collections/{id}",
            Studio.collection_shape,
            "What a collection holds; 410 when it was replaced since",
            CollectionShape,
            address=id_,
        ),
        Endpoint(
            "POST",
            "/api/collection",
            Studio.load,
            "Load a collection, as a job whose result is its shape",
            JobShape,
            Record(
                {
                    "builtin": Optional(flag(), False),
                    "given": Optional(flag(), False),
                    "add_to": Optional(text(40, about="the id of a collection to which the files are added")),
                    "judgments": Optional(file_number()),
                    "runs": Optional(Listed(file_number(), limits.files), []),
                    **dict.fromkeys(("weights", "topics", "docs"), Optional(file_number())),
                    "options": OPTIONS,
                },
                about="builtin, or given (the command line's files), or numbers of files",
            ),
        ),
        computed(
            "/api/scores",
            Studio.scores,
            "Scores, exactly as `diveval evaluate` prints them in the same format",
            ScoresShape | PrintedShape,
            {
                "collection": COLLECTION,
                "metrics": metrics,
                "options": OPTIONS,
                "per_topic": Optional(flag(), False),
                "format": Optional(choice(FORMATS), FORMATS[0]),
            },
        ),
        computed(
            "/api/ranking",
            Studio.ranking,
            "One run on one topic, rank by rank, with the curve of gain, effort and utility",
            RankingShape,
            {
                "collection": COLLECTION,
                "run": text(),
                "topic": text(),
                "metric": METRIC,
                "options": OPTIONS,
                "depth": depth,
            },
        ),
        computed(
            "/api/walk",
            Studio.walk,
            "Runs side by side on one topic, rank by rank, with what each document added to each metric",
            WalkShape,
            {
                "collection": COLLECTION,
                "runs": Listed(text(), 4),
                "topic": text(),
                "metric": METRIC,
                "metrics": metrics,
                "options": OPTIONS,
                "depth": depth,
            },
        ),
        computed(
            "/api/playground",
            Studio.playground,
            "Every metric's value for one or two small rankings",
            PlayShape,
            playground.request(limits),
        ),
        Endpoint(
            "GET",
            "/api/presets",
            Studio.presets,
            "The ten constraints as situations: before, after, and what the score must do",
            list[SituationShape],
        ),
        Endpoint(
            "POST",
            "/api/axioms",
            Studio.axioms,
            "Decide the ten constraints for metrics, as a job; each cell has the shape of a verdict's JSON, and a"
            " counterexample as a situation",
            JobShape,
            Record({"metrics": metrics, "reading": Optional(choice(READINGS), READINGS[0])}),
        ),
        Endpoint("GET", "/api/jobs", Studio.open_jobs, "What is under way, and how far it is", list[JobShape]),
        Endpoint("POST", "/api/jobs", Studio.start_job, "Start long work of some kind", JobShape, _jobs(metrics)),
        Endpoint(
            "GET",
            "/api/jobs/{id}",
            Studio.job,
            "How far a job is, and its result when done",
            JobShape,
            address=id_,
        ),
        Endpoint("DELETE", "/api/jobs/{id}", Studio.cancel_job, "Cancel a job at its next step", JobShape, address=id_),
        Endpoint("GET", "/api/openapi.json", _described, "This description", dict[str, Any]),
    ]


def _jobs(metrics: Field) -> Kinds:
    """The kinds of long work, each with the fields it names."""
    known: dict[str, Field] = {
        "metric": text(),
        "metrics": metrics,
        "edit": choice(EDITS),
        "run": text(),
        "other": Optional(text(about="the run to swap with")),
        "depth": Optional(whole(0, 100_000), 10),
        "weights": Optional(choice(tuple(WEIGHTS))),
        **{name: Optional(Ends(high)) for name, high in HIGHEST.items()},
    }
    common: dict[str, Field] = {"collection": COLLECTION, "options": OPTIONS}
    return Kinds({kind: Record(common | {name: known[name] for name in names}) for kind, (names, _) in JOBS.items()})


def _described(studio: Studio, body: Any) -> Schema:
    return document(endpoints(studio.limits))


if __name__ == "__main__":
    print(json.dumps(document(endpoints(Limits())), indent=1))
