"""Starting and ending the studio: a loopback port, an address with a token, and nothing left when it is over."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from diveval.errors import UsageError
from diveval.studio.app import make_app
from diveval.studio.session import Studio

LOOPBACK = "127.0.0.1"


def bind(port: int) -> socket.socket:
    """A listening place on this machine only; port 0 takes any that is free."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except OSError as error:
        listener.close()
        raise UsageError(f"port {port} cannot be used: {error.strerror}; choose another with --port") from error
    return listener


def serve(studio: Studio, *, port: int, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until interrupted; `say` is told the address."""
    with contextlib.closing(studio), contextlib.closing(bind(port)) as listener:
        actual = listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        app = make_app(studio, port=actual, token=token)
        # Nothing in flight may hold up the exit, and the server's own words about that are noise.
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, timeout_graceful_shutdown=0, server_header=False, ws="none",
            limit_concurrency=512, timeout_keep_alive=75, h11_max_incomplete_event_size=65536,
        )  # fmt: skip
        address = f"http://{LOOPBACK}:{actual}/#token={token}"
        say(address)
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        uvicorn.Server(config).run(sockets=[listener])
