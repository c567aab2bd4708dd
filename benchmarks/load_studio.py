"""`make load`: fifty clients use the studio at once, without pauses; no request may fail and memory may not grow.

The studio runs in a process of its own, as a user starts it, with the built-in collection or with the files given. Each
client does what the page does, in random order: open it, request scores, move sliders, inspect rankings, use the
playground, export, upload and remove files, start jobs. Jobs that are refused because of the limit are counted. The
measurement starts after a warm-up, in which the studio's caches reach their limits.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import psutil

METRICS = ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20", "ERR_IA@20", "Dsharp_nDCG@20", "StRecall@20", "P@20"]
START = [sys.executable, "-m", "diveval", "studio", "--no-browser", "--port", "0"]
WARM = 90.0  # seconds of warm-up: the results of 64 jobs are cached, and that many take this long
PAUSE = 10.0  # seconds without requests before memory is measured for the last time
FLAT = 0.05  # allowed growth, as a share of the memory after the warm-up


@dataclass
class Tally:
    """Latencies and errors of the requests."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    waited: int = 0

    @property
    def all(self) -> list[float]:
        return sorted(second for seconds in self.seconds.values() for second in seconds)


class Client:
    """One simulated user."""

    def __init__(
        self, http: httpx.AsyncClient, tally: Tally, draws: random.Random, names: dict[str, list[str]]
    ) -> None:
        self._http, self._tally, self._draws, self._names = http, tally, draws, names

    async def send(self, what: str, method: str, path: str, *, fine: tuple[int, ...] = (200,), **more: Any) -> Any:
        """Send and measure one request; a status that is not in `fine` counts as an error."""
        began = time.perf_counter()
        try:
            answer = await self._http.request(method, path, **more)
        except httpx.HTTPError as error:
            self._tally.errors[f"{what}: {type(error).__name__}"] += 1
            return None
        self._tally.seconds.setdefault(what, []).append(time.perf_counter() - began)
        if answer.status_code not in fine:
            self._tally.errors[f"{what}: {answer.status_code} {answer.text[:80]}"] += 1
            return None
        return answer

    async def page(self) -> None:
        for path in ("/", "/main.js", "/studio.css", "/api/session", "/api/metrics"):
            await self.send("page", "GET", path)

    async def scores(self) -> None:
        body = {"metrics": METRICS, "per_topic": self._draws.random() < 0.3, "options": self.options()}
        await self.send("scores", "POST", "/api/scores", json=body)

    async def slider(self) -> None:
        for _ in range(5):
            p, e = self._draws.randint(50, 99) / 100, self._draws.choice([0, 0.01, 0.05, 0.1])
            await self.send("slider", "POST", "/api/scores", json={"metrics": [f"RBU(p={p},e={e})@20"]})

    async def inspector(self) -> None:
        body = {"run": self._draws.choice(self._names["runs"]), "topic": self._draws.choice(self._names["topics"])}
        await self.send("inspector", "POST", "/api/ranking", json={**body, "options": self.options()})

    async def playground(self) -> None:
        rows = [[round(self._draws.random(), 2) for _ in range(2)] for _ in range(10)]
        await self.send("presets", "GET", "/api/presets")
        body = {"metrics": METRICS, "rankings": [{"weights": [0.5, 0.5], "relevance": rows}]}
        await self.send("playground", "POST", "/api/playground", json=body)

    async def export(self) -> None:
        for form in ("csv", "latex"):
            await self.send(
                "export", "POST", "/api/scores", json={"metrics": METRICS, "format": form, "per_topic": form == "csv"}
            )

    async def upload(self) -> None:
        lines = "".join(
            f"{t} Q0 d{self._draws.randrange(10**6)} {i} {-i} r\n" for t in range(1, 51) for i in range(100)
        )
        kept = await self.send("upload", "POST", "/api/files?name=mine.run", content=lines.encode(), fine=(201,))
        if kept is not None:
            await self.send("remove", "DELETE", f"/api/files/{kept.json()['id']}")

    async def job(self) -> None:
        """Start a job and wait for its end, or cancel it."""
        kind = self._draws.choice(["leaderboard", "judged", "whatif"])
        body: dict[str, Any] = {"kind": kind}
        body |= {"metric": self._draws.choice(METRICS)} if kind == "leaderboard" else {"metrics": METRICS}
        body |= {"edit": "cut", "run": self._draws.choice(self._names["runs"])} if kind == "whatif" else {}
        answer = await self.send("job", "POST", "/api/jobs", json=body, fine=(200, 413))
        if answer is None:
            return
        if answer.status_code == 413:
            self._tally.waited += 1
            return
        state = answer.json()
        if self._draws.random() < 0.2:
            await self.send("cancel", "DELETE", f"/api/jobs/{state['id']}")
        while state["state"] == "running":
            await asyncio.sleep(0.2)
            answer = await self.send("progress", "GET", f"/api/jobs/{state['id']}")
            if answer is None:
                return
            state = answer.json()
        if state["state"] == "failed":
            self._tally.errors[f"{kind}: {state['error']}"] += 1

    def options(self) -> dict[str, Any]:
        return self._draws.choice([{}, {}, {}, {"gain": "linear"}, {"order": "file"}, {"gmax": 4}])

    async def use(self, until: float) -> None:
        """Random actions, by weight, until the given time."""
        weights: dict[Callable[[], Awaitable[None]], int] = {
            self.page: 1,
            self.scores: 4,
            self.slider: 6,
            self.inspector: 6,
            self.playground: 3,
            self.export: 1,
            self.upload: 1,
            self.job: 1,
        }
        while time.monotonic() < until:
            (chosen,) = self._draws.choices(list(weights), list(weights.values()))
            await chosen()


@contextmanager
def studio(files: list[str]) -> Iterator[tuple[psutil.Process, str, str]]:
    """Run `diveval studio` in a process; yields the process, its address and its token."""
    process = subprocess.Popen([*START, *files], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"(http://[\d.:]+)/#token=(\S+)", process.stdout.readline())
        assert found, "the studio did not start"
        yield psutil.Process(process.pid), found[1], found[2]
    finally:
        process.terminate()
        process.wait()


def megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss) / 2**20


async def use(
    http: httpx.AsyncClient, clients: int, seconds: float, tally: Tally, names: dict[str, list[str]], seed: str
) -> None:
    """Run `clients` clients at once for `seconds` seconds."""
    until = time.monotonic() + seconds
    users = [Client(http, tally, random.Random(f"{seed} {number}"), names) for number in range(clients)]
    await asyncio.gather(*(user.use(until) for user in users))


async def run(clients: int, warm: float, seconds: float, pause: float, files: list[str]) -> dict[str, Any]:
    """Run the warm-up and the measurement; returns the measurements."""
    with studio(files) as (process, address, token):
        limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
        async with httpx.AsyncClient(
            base_url=address, headers={"authorization": f"Bearer {token}"}, timeout=60, limits=limits, trust_env=False
        ) as http:
            memory = {"start": megabytes(process)}
            state = (await http.post("/api/collection", json={"given" if files else "builtin": True})).json()
            while state["state"] == "running":
                await asyncio.sleep(0.1)
                state = (await http.get(f"/api/jobs/{state['id']}")).json()
            memory["loaded"] = megabytes(process)
            await use(http, clients, warm, Tally(), state["result"], "warm")
            memory["warm"] = megabytes(process)
            tally, began = Tally(), time.monotonic()
            load = asyncio.ensure_future(use(http, clients, seconds, tally, state["result"], "measured"))
            for part in range(1, 5):
                await asyncio.sleep(max(0.0, began + seconds * part / 4 - time.monotonic()))
                memory[f"{part}/4"] = megabytes(process)
            await load
            took = time.monotonic() - began
            await asyncio.sleep(pause)
            memory["after a pause"] = megabytes(process)
    return {
        "clients": clients,
        "seconds": took,
        "requests": len(tally.all),
        "errors": dict(tally.errors),
        "jobs asked to wait": tally.waited,
        "memory": memory,
        "latency": {what: _latency(sorted(s)) for what, s in sorted({**tally.seconds, "all": tally.all}.items())},
    }


def _latency(ordered: list[float]) -> dict[str, float]:
    shares = {"median": 0.5, "p95": 0.95, "p99": 0.99}
    return {"count": len(ordered)} | {
        name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in shares.items()
    }


def _print(found: dict[str, Any]) -> None:
    print(
        f"{found['clients']} clients, {found['seconds']:.0f} s: {found['requests']} requests, "
        f"{found['requests'] / found['seconds']:.0f} per second, {sum(found['errors'].values())} errors, "
        f"{found['jobs asked to wait']} jobs asked to wait"
    )
    for what, count in found["errors"].items():
        print(f"  error: {what}: {count} times")
    print(f"{'milliseconds':12} {'count':>7} {'median':>7} {'p95':>7} {'p99':>7}")
    for what, row in found["latency"].items():
        print(
            f"{what:12} {row['count']:7} " + " ".join(f"{1000 * row[name]:7.0f}" for name in ("median", "p95", "p99"))
        )
    print("memory, MB: " + ", ".join(f"{when} {value:.0f}" for when, value in found["memory"].items()))


def main() -> int:
    """Measure and print; the exit code is 1 if a request failed or memory grew."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="judgments and runs (default: the built-in collection)")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--warm", type=float, default=WARM, help="seconds of warm-up")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--pause", type=float, default=PAUSE)
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON, without a verdict")
    arguments = parser.parse_args()
    asked = arguments.clients, arguments.warm, arguments.seconds, arguments.pause
    found = asyncio.run(run(*asked, arguments.files))
    if arguments.json:
        print(json.dumps(found))
        return 0
    _print(found)
    warm, end = found["memory"]["warm"], found["memory"]["4/4"]
    flat = end <= warm * (1 + FLAT)
    print(f"memory from the beginning to the end: {(end - warm) / warm:+.1%}, {'flat' if flat else 'NOT FLAT'}")
    return 0 if flat and not found["errors"] else 1


if __name__ == "__main__":
    sys.exit(main())
