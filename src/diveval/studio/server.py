"""Starting and ending the studio: a loopback port, an address with a token, and nothing left behind at the end.

Connections cannot lock the owner out: idle ones are closed, and those with the token have priority. A connection that
has not brought the token may be silent for a few seconds only. When too many are open, the oldest without the token is
closed to make room, so a new one is always let in.
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
ROUND = 1.0  # seconds between two looks
PATIENCE = 75.0  # seconds that a connection which brought the token may be silent between two requests


def bind(port: int) -> socket.socket:
    """A listening place on this machine only; port 0 takes any that is free."""
    # The protocol is named: without it asyncio does not take the socket for TCP and leaves small packets to wait for an
    # acknowledgement, 40 ms for each answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise UsageError(f"port {port} cannot be used: {error.strerror}; choose another with --port") from error
    return listener


def make_server(studio: Studio, *, port: int, token: str) -> uvicorn.Server:
    """A server for a studio, with connections that are watched."""
    crowd = Crowd(studio.limits)
    app = make_app(studio, port=port, token=token, trust=crowd.trust)
    # Nothing in flight may hold up the exit, and the server's own words about that are noise.
    config = uvicorn.Config(
        app,
        http=crowd.protocol(),
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
    """A closed terminal ends the studio as Ctrl-C does, so that uploads do not stay behind."""

    def end(*_: object) -> None:
        server.should_exit = True

    if hasattr(signal, "SIGHUP") and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGHUP, end)


class Crowd:
    """The open connections of one server."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._members: dict[Connection, None] = {}  # in the order of their coming
        self._watching: asyncio.Task[None] | None = None

    def protocol(self) -> type[asyncio.Protocol]:
        """The class that uvicorn makes a connection of."""
        return type("CrowdedConnection", (Connection,), {"crowd": self})

    def enter(self, connection: Connection) -> None:
        """Let one in; beyond the limit the oldest without the token goes, else this one."""
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
    """uvicorn's connection, with an eye on the clock."""

    crowd: Crowd
    trusted = False
    heard = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.heard = time.monotonic()
        self.crowd.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.crowd.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # Bytes are a sign of life only with the token: a stranger could send a request byte by byte for ever.
        if self.trusted:
            self.heard = time.monotonic()
        super().data_received(data)

    def on_response_complete(self) -> None:
        self.heard = time.monotonic()
        super().on_response_complete()

    def overdue(self, now: float, limits: Limits) -> bool:
        """Has it been silent for too long, between requests or within one?"""
        silent = now - self.heard
        if self.cycle is not None and not self.cycle.response_complete:  # a request is under way
            return bool(self.cycle.more_body) and silent > (limits.stalled if self.trusted else limits.idle)
        return silent > (PATIENCE if self.trusted else limits.idle)

    def end(self) -> None:
        """Close it now, whatever it waits for."""
        self.crowd.leave(self)
        self.transport.abort()
