"""A small file server on the loopback address that can be set to fail in various ways."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from diveval.datasets import transfer


@dataclass
class Served:
    """One file of the server, and how it behaves."""

    data: bytes
    cuts: list[int] = field(default_factory=list)  # bytes after which a connection is dropped, one per request
    statuses: list[int] = field(default_factory=list)  # error statuses to answer first, one per request
    password: str = ""  # the Authorization header it requires
    redirect: str = ""
    silent: bool = False  # sends no Content-Length


@dataclass
class Server:
    """The running server: its files by path, and every request it received."""

    address: str
    files: dict[str, Served] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def serve(self, path: str, data: bytes, **behaviour: object) -> str:
        """Serve these bytes at this path; returns the address of the file."""
        self.files[path] = Served(data, **behaviour)  # type: ignore[arg-type]
        return f"{self.address}/{path}"


class Handler(BaseHTTPRequestHandler):
    """Answers requests for `Served` files, each according to its settings."""

    state: Server

    def log_message(self, format: str, *args: object) -> None:
        """Do not log."""

    def do_GET(self) -> None:
        """Answer one request according to the settings of the file."""
        headers = dict(self.headers.items())
        self.state.requests.append((self.path, headers))
        file = self.state.files.get(self.path.lstrip("/"))
        if file is None:
            self.send_error(404)
        elif file.statuses:
            self.send_error(file.statuses.pop(0))
        elif file.redirect:
            self.send_response(302)
            self.send_header("Location", file.redirect)
            self.end_headers()
        elif file.password and headers.get("Authorization") != file.password:
            self.send_error(401)
        else:
            self._send(file)

    def _send(self, file: Served) -> None:
        self.send_response(200)
        if not file.silent:
            self.send_header("Content-Length", str(len(file.data)))
        self.end_headers()
        self.wfile.write(file.data[: file.cuts.pop(0)] if file.cuts else file.data)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server for one test; retries do not pause."""
    monkeypatch.setattr(transfer, "PAUSE", 0.0)
    monkeypatch.setattr(transfer, "TIMEOUT", 5.0)
    handler = type("Bound", (Handler,), {})
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    running = Server(f"http://127.0.0.1:{httpd.server_port}")
    handler.state = running  # type: ignore[attr-defined]
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    httpd.shutdown()
    httpd.server_close()
    thread.join()
