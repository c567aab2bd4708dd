"""Starting and ending the studio: a loopback port, an address with a token, and nothing left behind at the end."""

from __future__ import annotations

import contextlib
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from diveval.errors import UsageError
from diveval.studio.app import make_app
from diveval.studio.connections import Crowd
from diveval.studio.session import Studio

LOOPBACK = "127.0.0.1"


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
