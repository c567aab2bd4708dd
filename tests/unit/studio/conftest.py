"""A small collection on disk, and a studio that has loaded it, called without a network."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.late import late_or_skip

httpx = late_or_skip("httpx", reason="the studio's tests need the extra `studio` and httpx")
late_or_skip("starlette", reason="the studio's tests need the extra `studio`")

from diveval.datasets import make_collection
from diveval.studio.app import make_app
from diveval.studio.fields import record
from diveval.studio.limits import Limits
from diveval.studio.metric_forms import Catalogue
from diveval.studio.playground import play, request
from diveval.studio.session import Studio

PORT, TOKEN = 8765, "a-token-for-tests"


def play_request(body: dict[str, Any]) -> dict[str, Any]:
    """The answer of the playground."""
    return dict(play(record(request(Limits())).read(body, ""), Catalogue().find, Limits()))


_LOOPS = threading.local()


def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of this thread: creating one per request would take longer than the request."""
    if not hasattr(_LOOPS, "own"):
        _LOOPS.own = asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = _LOOPS.own
    return loop


class Client:
    """Sends requests as the page does; every part can be changed to imitate another client."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.app = make_app(studio, port=PORT, token=TOKEN)

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        headers: dict[str, str] | None = None,
        content: Any = None,
        token: str | None = TOKEN,
        base: str = f"http://127.0.0.1:{PORT}",
    ) -> Any:
        sent = {} if token is None else {"authorization": f"Bearer {token}"}
        if body is not None:
            content = json.dumps(body).encode()
        transport = httpx.ASGITransport(app=self.app)

        async def run() -> Any:
            async with httpx.AsyncClient(transport=transport, base_url=base, trust_env=False) as client:
                return await client.request(method, path, headers={**sent, **(headers or {})}, content=content)

        return _loop().run_until_complete(run())

    def get(self, path: str, **more: Any) -> Any:
        return self.request("GET", path, **more)

    def post(self, path: str, body: Any, **more: Any) -> Any:
        return self.request("POST", path, body=body, **more)

    def upload(self, name: str, content: bytes) -> Any:
        return self.request("POST", f"/api/files?name={name}", content=content)

    def job(self, path: str, body: Any) -> dict[str, Any]:
        """Start a job and wait until it ends."""
        started = self.post(path, body)
        assert started.status_code == 200, started.text
        state: dict[str, Any] = started.json()
        limit, pause = time.monotonic() + 30, 0.005
        while state["state"] == "running" and time.monotonic() < limit:
            time.sleep(pause)
            pause = min(1.5 * pause, 0.1)  # polling slows the job down
            state = self.get(f"/api/jobs/{state['id']}").json()
        return state


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Judgments, weights and five runs of a synthetic collection."""
    folder = make_collection(tmp_path_factory.mktemp("collection"), topics=6, systems=5, depth=30, seed=3)
    return {
        "judgments": folder / "qrels.txt",
        "weights": folder / "weights.txt",
        "runs": sorted((folder / "runs").glob("*.run")),
    }


@pytest.fixture(scope="session")
def loaded(files: dict[str, Any]) -> Iterator[Client]:
    """A studio with the collection; tests that use it leave it unchanged."""
    studio = Studio([files["judgments"], *files["runs"]], weights=files["weights"])
    client = Client(studio)
    assert client.job("/api/collection", {"given": True})["state"] == "done"
    yield client
    studio.close()


@pytest.fixture
def client_of() -> Iterator[Callable[[Studio], Client]]:
    """Makes a client for any studio, which is closed at the end."""
    studios: list[Studio] = []

    def make(studio: Studio) -> Client:
        studios.append(studio)
        return Client(studio)

    yield make
    for studio in studios:
        studio.close()


@pytest.fixture
def fresh() -> Iterator[Client]:
    """A studio started without files."""
    studio = Studio()
    yield Client(studio)
    studio.close()


@pytest.fixture
def small_files(tmp_path: Path) -> list[Path]:
    """Judgments and one run small enough to check manually; the run repeats a document."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "one.run"
    qrels.write_text("1 a d1 1\n1 a d2 1\n1 b d3 1\n1 b d9 0\n2 a d1 1\n2 b d2 1\n")
    run.write_text(
        "1 Q0 d1 1 9 r\n1 Q0 d1 2 8 r\n1 Q0 d2 3 7 r\n1 Q0 dx 4 6 r\n1 Q0 d3 5 5 r\n2 Q0 d9 1 3 r\n2 Q0 d2 2 2 r\n"
    )
    return [qrels, run]


@pytest.fixture
def process(tmp_path: Path, files: dict[str, Any]) -> Iterator[Any]:
    """`diveval studio` with the collection, in its own process."""
    from .test_studio_server import Process

    started = Process(str(files["judgments"]), *map(str, files["runs"]), folder=tmp_path)
    yield started
    started.process.kill()
    started.process.communicate()
