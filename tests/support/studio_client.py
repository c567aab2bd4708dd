"""A client of the studio's API that needs no network."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

from support.late import late_or_skip

httpx = late_or_skip("httpx", reason="the studio's tests need the extra `studio` and httpx")
late_or_skip("starlette", reason="the studio's tests need the extra `studio`")

from diveval.studio.app import make_app
from diveval.studio.session import Studio

PORT, TOKEN = 8765, "a-token-for-tests"


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
