"""Access to the studio: only from this machine, from its own page, with the token of this start.

Other pages in the same browser can reach a local port. The guard refuses a foreign Host (DNS rebinding), a foreign
Origin or Sec-Fetch-Site (cross-site requests), an API request without the token, and a body that is too large. The
page gets the token from the fragment of its address, which browsers never send, and sends it in a header, which no
other page can set. A cookie would be sent with requests of other pages, and to servers on other ports.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from diveval.studio.limits import Limits, TooMuchError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

Trust = Callable[[Any], None]  # is called with the address of a connection that brought the token

API = "/api/"
UPLOADS = "/api/files"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


class Guard:
    """Checks every request before the application gets it."""

    def __init__(self, app: App, *, port: int, token: str, limits: Limits, trust: Trust | None = None) -> None:
        self._app, self._limits, self._trust = app, limits, trust
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._authorization = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, _with_headers(send))
        # Web sockets are not supported: returning without an answer closes them.

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await refuse(send, *refusal)
            return
        await self._app(scope, _bound(receive, self._limit(scope)), send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and reason with which a request is refused, or None."""
        hosts = _all(scope, b"host")
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self._hosts:
            return 421, "this studio answers to 127.0.0.1 and localhost only"
        if any(origin.decode("latin-1") not in self._origins for origin in _all(scope, b"origin")):
            return 403, "requests from other pages are refused"
        if not scope["path"].startswith(API):
            return None
        if any(site not in (b"same-origin", b"none") for site in _all(scope, b"sec-fetch-site")):
            return 403, "requests from other pages are refused"
        given = _all(scope, b"authorization")
        if len(given) != 1 or not hmac.compare_digest(given[0], self._authorization):
            return 401, "open the address that `diveval studio` printed: it carries this start's token"
        if self._trust is not None:
            self._trust(scope.get("client"))
        return self._length_refusal(scope)

    def _length_refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Refuse a declared length that is too large before the body is read; `_bound` counts the actual bytes."""
        limit = self._limit(scope)
        for length in _all(scope, b"content-length"):
            if not length.isdigit() or int(length) > limit:
                return 413, f"the request is larger than {limit} bytes"
        return None

    def _limit(self, scope: Scope) -> int:
        return self._limits.upload if scope["path"] == UPLOADS else self._limits.body


def _all(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key.lower() == name]


def _bound(receive: Receive, limit: int) -> Receive:
    taken = 0

    async def count() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > limit:
            raise TooMuchError("too-much-work", f"the request is larger than {limit} bytes")
        return message

    return count


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message.get("headers", [])}
            extra = [header for header in HEADERS if header[0] not in own]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return sending


async def refuse(send: Send, status: int, why: str) -> None:
    """One line of JSON, the shape of every error."""
    body = json.dumps({"error": why}, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
