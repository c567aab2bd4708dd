"""Start and end of the studio: a loopback port, an address with a token, and the removal of all temporary files.

Connections of other programs cannot lock the user out. A connection that has not sent the token is closed after a few
silent seconds. When too many are open, the oldest one without the token is closed, so a new one is always accepted.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from diveval.errors import UsageError
from diveval.studio.app import make_app
from diveval.studio.limits import Limits
from diveval.studio.session import Studio

LOOPBACK = "127.0.0.1"
ROUND = 1.0  # seconds between two checks of all connections
PATIENCE = 75.0  # seconds that a connection which brought the token may be silent between two requests


def bind(port: int) -> socket.socket:
    """A socket on the loopback interface; port 0 takes any free port."""
    # Name the protocol: asyncio sets TCP_NODELAY only on sockets that say IPPROTO_TCP, and without it every small answer
    # waits 40 ms for an acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise UsageError(
            "port-in-use", f"port {port} cannot be used: {error.strerror}", hint="choose another with --port"
        ) from error
    return listener


def make_server(studio: Studio, *, port: int, token: str) -> uvicorn.Server:
    """A server for a studio that closes idle connections."""
    connections = Connections(studio.limits)
    app = make_app(studio, port=port, token=token, trust=connections.trust)
    # Requests in flight must not delay the exit, and uvicorn's messages about them are noise.
    config = uvicorn.Config(
        app,
        http=connections.protocol(),
        log_level="critical",
        access_log=False,
        timeout_graceful_shutdown=0,
        server_header=False,
        ws="none",
        timeout_keep_alive=75,
        h11_max_incomplete_event_size=65536,
        backlog=1024,
    )
    return uvicorn.Server(config)


def serve(studio: Studio, *, port: int, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until interrupted; `say` gets the address."""
    with contextlib.closing(studio), contextlib.closing(bind(port)) as listener:
        actual = listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        server = make_server(studio, port=actual, token=token)
        _end_with_terminal(server)
        address = f"http://{LOOPBACK}:{actual}/#token={token}"
        say(address)
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        server.run(sockets=[listener])


def _end_with_terminal(server: uvicorn.Server) -> None:
    """End on SIGHUP as on Ctrl-C: when the terminal is closed, uploads are still deleted."""

    def end(*_: object) -> None:
        server.should_exit = True

    if hasattr(signal, "SIGHUP") and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGHUP, end)


class Connections:
    """The open connections of one server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._members: dict[Connection, None] = {}  # oldest first
        self._watching: asyncio.Task[None] | None = None

    def protocol(self) -> type[asyncio.Protocol]:
        """The class of connections for uvicorn, which passes it no arguments of ours: a subclass holds the reference."""
        return type("WatchedConnection", (Connection,), {"registry": self})

    def enter(self, connection: Connection) -> None:
        """Accept a connection; beyond the limit, close the oldest one without the token, or else this one."""
        self._members[connection] = None
        if len(self._members) > self._limits.connections:
            strangers = (other for other in self._members if not other.trusted)
            next(strangers, connection).end()
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    def leave(self, connection: Connection) -> None:
        self._members.pop(connection, None)

    def trust(self, client: Any) -> None:
        """A request of this address brought the token."""
        for connection in self._members:
            if client is not None and connection.client == tuple(client):
                connection.trusted = True

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(ROUND)
            now = time.monotonic()
            for connection in list(self._members):
                if connection.overdue(now, self._limits):
                    connection.end()


class Connection(H11Protocol):
    """uvicorn's connection, which records when it last made progress."""

    registry: Connections
    trusted = False
    active = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.active = time.monotonic()
        self.registry.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.registry.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # Bytes count as progress only with the token: otherwise a request sent byte by byte would stay open for ever.
        if self.trusted:
            self.active = time.monotonic()
        super().data_received(data)

    def on_response_complete(self) -> None:
        self.active = time.monotonic()
        super().on_response_complete()

    def overdue(self, now: float, limits: Limits) -> bool:
        """Has it been silent for too long, between requests or within one?"""
        silent = now - self.active
        if self.cycle is not None and not self.cycle.response_complete:  # a request is under way
            return bool(self.cycle.more_body) and silent > (limits.stalled if self.trusted else limits.idle)
        return silent > (PATIENCE if self.trusted else limits.idle)

    def end(self) -> None:
        """Close it now, without finishing a request or answer."""
        self.registry.leave(self)
        self.transport.abort()
