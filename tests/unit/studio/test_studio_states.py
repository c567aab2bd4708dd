"""Any sequence of actions: every answer is a result or a one-line error, never a 500."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

pytest.importorskip("httpx")
pytest.importorskip("starlette")

from diveval.studio.jobs import JOBS
from diveval.studio.limits import Limits
from diveval.studio.session import Studio
from diveval.studio.work import BrokenError
from support.shared import times
from support.studio_client import Client

pytestmark = pytest.mark.slow(seconds=1.0)  # together: `make check` leaves the file out

CONTENTS = [
    b"1 a d1 1\n1 b d2 2\n2 a d1 1\n",
    b"1 Q0 d1 1 9 r\n1 Q0 d2 2 8 r\n",
    b"1 Q0 d2 1 9 s\n2 Q0 d1 2 8 s\n",
    b"1 a 0.5\n1 b 0.5\n",
    b"junk",
    b"\xff\xfe",
    b"1 Q0 d1 1 nan r\n",
    b"\n",
    b"1 Q0 d1 1 9 r\n1 Q0 d1 2 8 r\n",
]
METRICS = ["RBU@5", "P@5", "ndeval.ERR_IA@20", "AP", "EU", "nonsense", "RBU(p=7)"]
number = st.integers(0, 9)
metrics = st.lists(st.sampled_from(METRICS), max_size=3)
options = st.dictionaries(
    st.sampled_from(["order", "gain", "duplicates", "ties", "x"]),
    st.sampled_from(["score", "file", "binary", "first", "blank", 3]),
    max_size=2,
)


class Visitor(RuleBasedStateMachine):
    """Uploads, removes, loads, scores and cancels, with valid and invalid arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.client = Client(Studio(limits=Limits(files=8, jobs=4)))
        self.jobs = ["none"]
        self.statuses: list[int] = []

    def send(self, method: str, path: str, body: object = None, content: bytes | None = None) -> dict[str, Any]:
        answer = self.client.request(method, path, body=body, content=content)
        self.statuses.append(answer.status_code)
        value = answer.json()
        assert answer.status_code < 400 or ("code" in value and "\n" not in value["error"])
        return value if isinstance(value, dict) else {}

    @rule(content=st.sampled_from(CONTENTS))
    def upload(self, content: bytes) -> None:
        self.send("POST", "/api/files?name=f.txt", content=content)

    @rule(which=number)
    def remove(self, which: int) -> None:
        self.send("DELETE", f"/api/files/{which}")

    @rule(judgments=number, runs=st.lists(number, max_size=2), weights=st.none() | number, chosen=options)
    def load(self, judgments: int, runs: list[int], weights: int | None, chosen: dict[str, Any]) -> None:
        started = self.send(
            "POST", "/api/collection", {"judgments": judgments, "runs": runs, "weights": weights, "options": chosen}
        )
        if "id" in started:
            self.jobs.append(started["id"])
            while self.send("GET", f"/api/jobs/{started['id']}").get("state") == "running":
                pass

    @rule(requested=metrics, chosen=options, per_topic=st.booleans())
    def score(self, requested: list[str], chosen: dict[str, Any], per_topic: bool) -> None:
        self.send("POST", "/api/scores", {"metrics": requested, "options": chosen, "per_topic": per_topic})

    @rule(
        run=st.sampled_from(["f", "f#2", "g"]), topic=st.sampled_from(["1", "2", "3"]), metric=st.sampled_from(METRICS)
    )
    def walk(self, run: str, topic: str, metric: str) -> None:
        self.send("POST", "/api/ranking", {"run": run, "topic": topic, "metric": metric})

    @rule(
        kind=st.sampled_from([*JOBS, "other"]),
        requested=metrics,
        metric=st.sampled_from(METRICS),
        edit=st.sampled_from(["cut", "swap", "redundant"]),
        model=st.one_of(st.none(), number),
        gate=st.sampled_from([(None, None), ("f", 0.1), ("h", 0.1), ("f", None)]),
    )
    def start(
        self, kind: str, requested: list[str], metric: str, edit: str, model: int | None, gate: tuple[Any, Any]
    ) -> None:
        names = JOBS.get(kind, ((), None))[0]
        every = {"metrics": requested, "metric": metric, "edit": edit, "run": "f", "other": "f#2", "depth": 2}
        every |= {"p": [0.8, 0.9], "e": [0.0, 0.05], "weights": None}
        every |= {"model": model, "baseline": gate[0], "margin": gate[1]}
        started = self.send("POST", "/api/jobs", {"kind": kind, **{name: every[name] for name in names}})
        self.jobs.append(started.get("id", "none"))

    @rule(which=number, method=st.sampled_from(["GET", "DELETE"]))
    def job(self, which: int, method: str) -> None:
        self.send(method, f"/api/jobs/{self.jobs[which % len(self.jobs)]}")

    @rule()
    def look(self) -> None:
        self.send("GET", "/api/session")

    @invariant()
    def no_internal_error(self) -> None:
        assert all(status < 500 for status in self.statuses)
        assert not any(isinstance(job.error, BrokenError) for job in self.client.studio.jobs._jobs.values())

    def teardown(self) -> None:
        folder = self.client.studio.store.folder
        self.no_internal_error()
        self.client.studio.close()
        assert not folder.exists()


TestVisitor = Visitor.TestCase
TestVisitor.settings = settings(max_examples=times(8, 25), stateful_step_count=20, deadline=None)
