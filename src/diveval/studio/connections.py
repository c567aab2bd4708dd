"""Connections that cannot lock the owner out: idle ones are closed, and those with the token have priority.

A connection that has not brought the token may be silent for a few seconds only. When too many are open, the oldest
without the token is closed to make room, so a new one is always let in.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from diveval.studio.limits import Limits

ROUND = 1.0  # seconds between two looks
PATIENCE = 75.0  # seconds that a connection which brought the token may be silent between two requests


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
