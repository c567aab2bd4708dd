"""The studio stays usable whatever clients do: long names, idle connections, endless work, several tabs."""

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
from diveval.studio.work import BrokenError
from support.refusals import has_facts
from support.shared import times
from support.studio_client import Client

from .test_studio_server import Process, wait_for

pytestmark = pytest.mark.slow(seconds=0.3)  # together: `make check` leaves the file out

REQUESTS = times(150, 2_000)
METRIC = "RBU(p=0.99,e=0.05)@20"


def test_an_upload_may_have_any_name(fresh: Client) -> None:
    """A name too long for file systems is shortened, keeps its extension, and does not affect later uploads."""
    for name in ("x" * 400 + ".run", "ü" * 300 + ".run.gz", "." * 300, "a/" * 200 + "b", "%F0%9F%93%84" * 200):
        answer = fresh.upload(name, b"1 Q0 d1 1 1.0 r\n")
        assert answer.status_code in (201, 400), (name, answer.text)
    assert fresh.upload("plain.run", b"1 Q0 d1 1 1.0 r\n").status_code == 201
    names = [file["name"] for file in fresh.get("/api/files").json()]
    assert all(len(name.encode()) <= 255 for name in names)
    assert names[0].endswith(".run")


@pytest.mark.parametrize("name", ["9" * 5_000, "-1", "1.0", "١", "0x1", "", "%00", "1e400"])
def test_an_invalid_file_number_is_an_error(fresh: Client, name: str) -> None:
    """Whatever is given as the number, the answer is an error."""
    answer = fresh.request("DELETE", f"/api/files/{name}")
    assert answer.status_code in (400, 404, 405), answer.text
    assert "error" in answer.json()


def test_rows_of_parquet_are_counted(client_of: Any, tmp_path: Path) -> None:
    """Parquet rows have the same limit, read from the footer of the file."""
    arrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "many.parquet"
    parquet.write_table(arrow.table({"topic": ["1"] * 50_000, "docid": ["d"] * 50_000}), path)
    client = client_of(Studio(limits=Limits(rows=10_000)))
    answer = client.upload("many.parquet", path.read_bytes())
    assert (
        answer.status_code == 413
        and answer.json()["code"] == "file-too-large"
        and has_facts(answer.json()["error"], "10000")
    )
    assert client.get("/api/files").json() == []


def test_a_request_has_a_time_limit(client_of: Any, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that take too long are stopped, and the next request is answered."""
    studio = Studio([files["judgments"], *files["runs"]], limits=Limits(request_seconds=0.3))
    client = client_of(studio)
    client.job("/api/collection", {"given": True})
    collection = studio.open_collection()
    original = collection.scores

    def endless(metrics: Any, options: Any, step: Any = None) -> Any:
        if any(metric.name.startswith("ERR") for metric in metrics):
            while True:  # reports no step, so only the watchdog can end it
                time.sleep(0.01)
        return original(metrics, options)

    monkeypatch.setattr(collection, "scores", endless)
    answer = client.post("/api/scores", {"metrics": ["ERR_IA@20"]})
    assert answer.status_code == 413 and "0.3 s" in answer.json()["error"]
    assert client.post("/api/scores", {"metrics": ["P@20"]}).status_code == 200


def test_a_request_can_become_a_job_and_be_cancelled(client_of: Any, files: dict[str, Any]) -> None:
    """With `wait` 0 the answer is a job; its progress is listed, and it can be cancelled."""
    studio = Studio([files["judgments"], *files["runs"]])
    client = client_of(studio)
    client.job("/api/collection", {"given": True})

    def endless(metrics: Any, options: Any, step: Any) -> Any:
        for done in range(10**9):
            step("counting", done, 10**9)
            time.sleep(0.002)

    studio.open_collection().scores = endless  # type: ignore[method-assign,assignment]
    started = client.post("/api/scores", {"metrics": ["P@20"], "wait": 0})
    assert started.status_code == 202
    job = started.json()
    for _ in range(3000):
        (entry,) = client.get("/api/jobs").json()
        if entry["done"]:
            break
        time.sleep(0.01)
    assert (entry["id"], entry["state"], entry["what"]) == (job["id"], "running", "counting")
    assert entry["done"] > 0
    client.request("DELETE", f"/api/jobs/{job['id']}")
    for _ in range(3000):
        state = client.get(f"/api/jobs/{job['id']}").json()["state"]
        if state == "cancelled":
            break
        time.sleep(0.02)
    assert state == "cancelled"


def test_a_job_has_the_result_of_the_request(loaded: Client) -> None:
    """The result of the job equals the direct answer."""
    body = {"metrics": ["P@20", "ERR_IA@20"], "per_topic": True}
    direct = loaded.post("/api/scores", body).json()
    started = loaded.post("/api/scores", {**body, "wait": 0})
    if started.status_code == 202:
        for _ in range(500):
            state = loaded.get(f"/api/jobs/{started.json()['id']}").json()
            if state["state"] != "running":
                break
            time.sleep(0.01)
        assert state["result"] == direct
    else:
        assert started.json() == direct


def test_a_job_that_ends_while_it_is_announced_has_its_result(loaded: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the work ends just after the waiting time, the result in the answer is JSON, not text."""
    body = {"metrics": ["P@20"]}
    direct = loaded.post("/api/scores", body).json()

    async def too_late(job: Any, request: Any, wait: float) -> bool:
        await asyncio.wrap_future(job.over)
        return False

    monkeypatch.setattr(app, "_finished", too_late)
    started = loaded.post("/api/scores", body)
    assert (started.status_code, started.json()["state"], started.json()["result"]) == (202, "done", direct)


def test_requests_refer_to_their_collection(client_of: Any, files: dict[str, Any]) -> None:
    """Collections of several tabs are independent; one that was evicted is answered with 410."""
    client = client_of(Studio([files["judgments"], *files["runs"]], limits=Limits(collections=2)))
    first = client.job("/api/collection", {"given": True})["result"]["id"]
    runs = [client.upload(f"r{i}.run", files["runs"][i].read_bytes()).json()["id"] for i in range(2)]
    qrels = client.upload("q.txt", files["judgments"].read_bytes()).json()["id"]
    second = client.job("/api/collection", {"judgments": qrels, "runs": runs[:1]})["result"]["id"]
    for name, count in ((first, len(files["runs"])), (second, 1)):
        scores = client.post("/api/scores", {"collection": name, "metrics": ["P@20"]}).json()
        assert len(scores["mean"]) == count
    client.post("/api/scores", {"collection": second, "metrics": ["P@20"]})
    client.job("/api/collection", {"judgments": qrels, "runs": runs})
    gone = client.post("/api/scores", {"collection": first, "metrics": ["P@20"]})
    assert gone.status_code == 410 and gone.json()["code"] == "collection-replaced"
    assert client.post("/api/scores", {"collection": second, "metrics": ["P@20"]}).status_code == 200


@pytest.mark.skipif(not hasattr(__import__("signal"), "SIGHUP"), reason="no SIGHUP here")
def test_closing_the_terminal_removes_uploads(process: Process, tmp_path: Path) -> None:
    """SIGHUP ends the studio as Ctrl-C does, and removes its folder."""
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


# --- random requests --------------------------------------------------------------------------------------------------


class Requests:
    """Random requests: mostly of the right form, with some part wrong."""

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
        """One of the valid values; in half of the requests, sometimes another one."""
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
def test_random_requests_never_fail(client_of: Any, files: dict[str, Any]) -> None:
    """Every status is below 500, every error is one line of JSON, and the studio still computes afterwards."""
    client = client_of(
        Studio([files["judgments"], *files["runs"]], limits=Limits(request_seconds=5, files=40, jobs=64))
    )
    client.job("/api/collection", {"given": True})
    requests = Requests(7, files)
    counts: dict[int, int] = {}
    for _ in range(REQUESTS):
        method, path, content = requests.next()
        answer = client.request(method, path, content=content)
        counts[answer.status_code] = counts.get(answer.status_code, 0) + 1
        assert answer.status_code < 500, (method, path, content, answer.text)
        if answer.status_code >= 400 and method != "HEAD":
            assert "\n" not in answer.json()["error"].strip(), (method, path, content, answer.text)
    client.studio.jobs.cancel_all()
    broken = [job for job in client.studio.jobs._jobs.values() if isinstance(job.error, BrokenError)]
    assert [(job.kind, str(job.error)) for job in broken] == []
    assert counts[200] > REQUESTS * 0.15 and counts[400] > REQUESTS * 0.25, counts
    collection = client.job("/api/collection", {"given": True})["result"]["id"]
    assert client.post("/api/scores", {"collection": collection, "metrics": ["P@20"]}).status_code == 200
