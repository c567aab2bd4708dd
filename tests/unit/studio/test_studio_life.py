"""The studio stays usable whatever a visitor does: long names, idle connections, work without end, other tabs."""

from __future__ import annotations

import asyncio
import json
import random
import string
import time
from pathlib import Path
from typing import Any

import pytest

from diveval.studio import app
from diveval.studio.limits import Limits
from diveval.studio.session import Studio
from support.shared import times

from .conftest import Client
from .test_studio_server import Process, wait_for

pytestmark = pytest.mark.slow(seconds=0.3)  # together: `make check` leaves the file out

REQUESTS = times(150, 2_000)
METRIC = "RBU(p=0.99,e=0.05)@20"


def test_an_upload_may_be_called_anything(fresh: Client) -> None:
    """A name beyond what file systems take is shortened, keeps its ending, and spoils no later upload."""
    for name in ("x" * 400 + ".run", "ü" * 300 + ".run.gz", "." * 300, "a/" * 200 + "b", "%F0%9F%93%84" * 200):
        found = fresh.upload(name, b"1 Q0 d1 1 1.0 r\n")
        assert found.status_code in (201, 400), (name, found.text)
    assert fresh.upload("plain.run", b"1 Q0 d1 1 1.0 r\n").status_code == 201
    names = [known["name"] for known in fresh.get("/api/files").json()]
    assert all(len(name.encode()) <= 255 for name in names)
    assert names[0].endswith(".run")


@pytest.mark.parametrize("name", ["9" * 5_000, "-1", "1.0", "١", "0x1", "", "%00", "1e400"])
def test_a_file_that_is_none_is_not_found(fresh: Client, name: str) -> None:
    """Whatever stands for its number, the answer is one line."""
    found = fresh.request("DELETE", f"/api/files/{name}")
    assert found.status_code in (400, 404, 405), found.text
    assert "error" in found.json()


def test_rows_of_parquet_are_counted(client_of: Any, tmp_path: Path) -> None:
    """Rows that no newline ends have the same limit, from the file's own footer."""
    arrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "many.parquet"
    parquet.write_table(arrow.table({"topic": ["1"] * 50_000, "docid": ["d"] * 50_000}), path)
    client = client_of(Studio(limits=Limits(rows=10_000)))
    found = client.upload("many.parquet", path.read_bytes())
    assert found.status_code == 413 and "10000 lines" in found.json()["error"]
    assert client.get("/api/files").json() == []


def test_a_request_that_computes_ends_at_its_limit(
    client_of: Any, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores that take too long are stopped, and the studio answers the next request."""
    studio = Studio([files["judgments"], *files["runs"]], limits=Limits(request_seconds=0.3))
    client = client_of(studio)
    client.job("/api/collection", {"given": True})
    collection = studio.loaded()
    original = collection.scores

    def endless(metrics: Any, options: Any, step: Any = None) -> Any:
        if any(metric.name.startswith("ERR") for metric in metrics):
            while True:  # takes no step: only the watch can end it
                time.sleep(0.01)
        return original(metrics, options)

    monkeypatch.setattr(collection, "scores", endless)
    found = client.post("/api/scores", {"metrics": ["ERR_IA@20"]})
    assert found.status_code == 413 and "0.3 s" in found.json()["error"]
    assert client.post("/api/scores", {"metrics": ["P@20"]}).status_code == 200


def test_a_request_that_computes_is_a_job_that_can_be_cancelled(client_of: Any, files: dict[str, Any]) -> None:
    """Who does not want to wait gets a job: its progress is listed, and Cancel ends it."""
    studio = Studio([files["judgments"], *files["runs"]])
    client = client_of(studio)
    client.job("/api/collection", {"given": True})

    def endless(metrics: Any, options: Any, step: Any) -> Any:
        for done in range(10**9):
            step(done, 10**9, "counting")
            time.sleep(0.002)

    studio.loaded().scores = endless  # type: ignore[method-assign,assignment]
    started = client.post("/api/scores", {"metrics": ["P@20"], "wait": 0})
    assert started.status_code == 202
    job = started.json()
    for _ in range(3000):
        (listed,) = client.get("/api/jobs").json()
        if listed["done"]:
            break
        time.sleep(0.01)
    assert (listed["id"], listed["state"], listed["what"]) == (job["id"], "running", "counting")
    assert listed["done"] > 0
    client.request("DELETE", f"/api/jobs/{job['id']}")
    for _ in range(3000):
        state = client.get(f"/api/jobs/{job['id']}").json()["state"]
        if state == "cancelled":
            break
        time.sleep(0.02)
    assert state == "cancelled"


def test_scores_that_are_fetched_later_have_the_same_shape(loaded: Client) -> None:
    """Whether one waits for them or takes them from their job."""
    body = {"metrics": ["P@20", "ERR_IA@20"], "per_topic": True}
    now = loaded.post("/api/scores", body).json()
    started = loaded.post("/api/scores", {**body, "wait": 0})
    if started.status_code == 202:
        for _ in range(500):
            state = loaded.get(f"/api/jobs/{started.json()['id']}").json()
            if state["state"] != "running":
                break
            time.sleep(0.01)
        assert state["result"] == now
    else:
        assert started.json() == now


def test_a_job_that_ends_while_its_number_is_given_brings_its_result(
    loaded: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time to wait is over and the work ends before the answer is written: the job's result is JSON, not text."""
    body = {"metrics": ["P@20"]}
    now = loaded.post("/api/scores", body).json()

    async def too_late(job: Any, request: Any, wait: float) -> bool:
        await asyncio.wrap_future(job.over)
        return False

    monkeypatch.setattr(app, "_finished", too_late)
    started = loaded.post("/api/scores", body)
    assert (started.status_code, started.json()["state"], started.json()["result"]) == (202, "done", now)


def test_requests_name_their_collection(client_of: Any, files: dict[str, Any]) -> None:
    """Other files in another tab change nothing for the first; when they push it out, it is told so with 410."""
    client = client_of(Studio([files["judgments"], *files["runs"]], limits=Limits(collections=2)))
    first = client.job("/api/collection", {"given": True})["result"]["id"]
    runs = [client.upload(f"r{i}.run", files["runs"][i].read_bytes()).json()["id"] for i in range(2)]
    qrels = client.upload("q.txt", files["judgments"].read_bytes()).json()["id"]
    second = client.job("/api/collection", {"judgments": qrels, "runs": runs[:1]})["result"]["id"]
    for name, count in ((first, len(files["runs"])), (second, 1)):
        found = client.post("/api/scores", {"collection": name, "metrics": ["P@20"]}).json()
        assert len(found["mean"]) == count
    client.post("/api/scores", {"collection": second, "metrics": ["P@20"]})
    client.job("/api/collection", {"judgments": qrels, "runs": runs})
    gone = client.post("/api/scores", {"collection": first, "metrics": ["P@20"]})
    assert gone.status_code == 410 and "load it again" in gone.json()["error"]
    assert client.post("/api/scores", {"collection": second, "metrics": ["P@20"]}).status_code == 200


@pytest.mark.skipif(not hasattr(__import__("signal"), "SIGHUP"), reason="no SIGHUP here")
def test_a_closed_terminal_leaves_nothing(process: Process, tmp_path: Path) -> None:
    """SIGHUP ends it as Ctrl-C does: uploads do not stay behind."""
    import signal
    import urllib.request

    wait_for(process)
    request = urllib.request.Request(
        process.address + "api/files?name=x.run",
        data=b"1 Q0 d 1 1 r\n",
        method="POST",
        headers={"authorization": "Bearer " + process.token},
    )
    assert urllib.request.urlopen(request, timeout=10).status == 201
    assert list(tmp_path.glob("diveval-studio-*"))
    process.end(signal.SIGHUP)
    assert not list(tmp_path.glob("diveval-studio-*"))


# --- two thousand random requests -------------------------------------------------------------------------------------


class Requests:
    """Requests as a fuzzer makes them: mostly of the right shape, with some part wrong."""

    def __init__(self, seed: int, files: dict[str, Any]) -> None:
        self.draw = random.Random(seed)
        self.runs, self.wild = [path.stem for path in files["runs"]], True

    def text(self) -> str:
        some = self.draw.choice([string.printable, "éα😀\x00\u202e", string.digits, "()@,=._", "<>&\"'"])
        return "".join(self.draw.choices(some, k=self.draw.choice([0, 1, 3, 20, 300])))

    def noise(self) -> Any:
        return self.draw.choice(
            [
                None,
                True,
                False,
                0,
                -1,
                1e308,
                -0.5,
                10**30,
                "",
                self.text(),
                [],
                {},
                [None],
                {"a": {}},
                [[[]]],
                [self.text()] * 3,
            ]
        )

    def one(self, *good: Any, bad: Any = None) -> Any:
        """One of the right values; in half of the requests, now and then another one."""
        if self.wild and self.draw.random() < 0.25:
            return self.draw.choice([self.noise(), self.text(), bad])
        return self.draw.choice(good)

    def metric(self) -> Any:
        known = ("P@20", METRIC, "alpha_nDCG(alpha=0.3)@5", "nRBU@3", "ERR_IA", "trec_eval.map", "StRecall@1", "CT@2")
        return self.one(*known, bad=self.draw.choice(["RBU(p=2)", "P@0", "P@99999999999999999999", "RBU(p=", "x.py:f"]))

    def fields(self) -> dict[str, Any]:
        draw, runs = self.draw, self.runs
        return {
            "metrics": [self.metric() for _ in range(draw.randint(1, 4))],
            "metric": self.metric(),
            "text": self.metric(),
            "options": self.one({}, {"gain": "linear"}, {"missing_topics": "skip"}, bad={self.text(): 1}),
            "per_topic": self.one(True, False),
            "format": self.one("json", "csv", "latex"),
            "wait": self.one(0, 1),
            "run": self.one(*runs),
            "runs": self.one(runs[:2], bad=[1, 2]),
            "other": self.one(*runs),
            "topic": self.one("101", "102"),
            "depth": self.one(1, 5, bad=draw.choice([0, -3, 10**9])),
            "kind": self.one("prepare", "leaderboard", "whatif", "whatif", bad="judged"),
            "edit": self.one("cut", "repeated", "redundant", "swap"),
            "collection": self.one(None),
            "given": self.one(True),
            "judgments": self.noise(),
            "weights": self.noise(),
            "add_to": self.noise(),
            "list": self.noise(),
            "ranking": self.noise(),
            "documents": self.one([[0.5, 1]]),
            "bench": self.noise(),
        }

    def next(self) -> tuple[str, str, bytes | None]:
        draw = self.draw
        self.wild = draw.random() < 0.5
        paths = {
            "/api/scores": ("metrics", "options", "per_topic", "format", "collection"),
            "/api/ranking": ("run", "topic", "metric", "options", "depth"),
            "/api/walk": ("runs", "topic", "metric", "metrics", "options", "depth"),
            "/api/metric": ("text",),
            "/api/jobs": draw.choice(
                [("kind", "metrics", "edit", "run", "other", "depth"), ("kind", "metric", "options")]
            ),
            "/api/playground": ("list", "weights", "metrics", "ranking", "documents", "bench"),
            "/api/collection": ("judgments", "runs", "weights", "add_to", "options"),
        }
        kind = draw.random()
        if kind < 0.75:
            path = draw.choice(list(paths))
            names = [name for name in paths[path] if not self.wild or draw.random() < 0.85]
            body = {
                name: value
                for name, value in self.fields().items()
                if name in names or (self.wild and draw.random() < 0.02)
            }
            return "POST", path, json.dumps(body).encode("utf-8", "surrogatepass")
        if kind < 0.85:
            return (
                "POST",
                draw.choice(list(paths)),
                draw.choice([b"", b"{", b"[1]", b"null", b"\xff\xfe", b"{" * 5000, self.text().encode()]),
            )
        if kind < 0.9:
            return (
                "POST",
                "/api/files?name=" + draw.choice(["a.run", "q.parquet", "x.gz", "%00", "a" * 900]),
                self.text().encode() or b"x",
            )
        method = draw.choice(["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS", "GET", "DELETE"])
        part = draw.choice(
            [
                "session",
                "metrics",
                "files",
                "files/1",
                "files/x",
                "jobs",
                "jobs/none",
                "collections/none",
                "presets",
                "openapi.json",
                "no",
            ]
        )
        return method, draw.choice(["/api/", "/api/", "/", "//", "/api//"]) + part, None


@pytest.mark.slow
def test_random_requests_meet_no_failure(client_of: Any, files: dict[str, Any]) -> None:
    """Every answer is below 500, every refusal is one line of JSON, and the studio still computes afterwards."""
    client = client_of(
        Studio([files["judgments"], *files["runs"]], limits=Limits(request_seconds=5, files=40, jobs=64))
    )
    client.job("/api/collection", {"given": True})
    requests = Requests(7, files)
    counts: dict[int, int] = {}
    for _ in range(REQUESTS):
        method, path, content = requests.next()
        found = client.request(method, path, content=content)
        counts[found.status_code] = counts.get(found.status_code, 0) + 1
        assert found.status_code < 500, (method, path, content, found.text)
        if found.status_code >= 400 and method != "HEAD":
            assert "\n" not in found.json()["error"].strip(), (method, path, content, found.text)
    client.studio.jobs.cancel_all()
    broken = [
        job for job in client.studio.jobs._jobs.values() if job.error is not None and "please report" in str(job.error)
    ]
    assert [(job.kind, str(job.error)) for job in broken] == []
    assert counts[200] > REQUESTS * 0.15 and counts[400] > REQUESTS * 0.25, counts
    known = client.job("/api/collection", {"given": True})["result"]["id"]
    assert client.post("/api/scores", {"collection": known, "metrics": ["P@20"]}).status_code == 200
