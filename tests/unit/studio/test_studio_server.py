"""The studio as a process: a port, an address with a token, and an end that leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from asyncio import base_events
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.studio.server import bind
from support.refusals import is_refusal

pytestmark = pytest.mark.slow(seconds=0.4)  # together: `make check` leaves the file out

START = [sys.executable, "-c", "import sys; from diveval.cli import main; sys.exit(main())", "studio", "--no-browser"]


class Process:
    """`diveval studio` in its own process."""

    def __init__(self, *arguments: str, folder: Path) -> None:
        environment = {**os.environ, "TMPDIR": str(folder)}
        self.process = subprocess.Popen(
            [*START, "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.fullmatch(r"diveval studio: (http://127\.0\.0\.1:(\d+)/)#token=([\w-]+)\n", line)
        assert match, line + self.process.communicate()[1]
        self.address, self.port, self.token = match[1], int(match[2]), match[3]

    def get(self, path: str, token: str | None = None) -> Any:
        request = urllib.request.Request(self.address + path)
        if token:
            request.add_header("authorization", "Bearer " + token)
        return urllib.request.urlopen(request, timeout=10)

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; returns exit code and errors. A server that waited for its clients would never end here."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


def wait_for(process: Process) -> None:
    """Wait until the port answers."""
    for _ in range(200):
        try:
            process.get("")
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.02)
    raise AssertionError("the studio did not start")


def test_it_serves_until_interrupted(process: Any, tmp_path: Path) -> None:
    """The printed token is accepted; Ctrl-C ends it with 130, and its folder is removed."""
    wait_for(process)
    assert process.get("api/session", process.token).status == 200
    with pytest.raises(urllib.error.HTTPError, match="401"):
        process.get("api/session")
    assert len(list(tmp_path.glob("diveval-studio-*"))) == 1
    code, errors = process.end(signal.SIGINT)
    assert code == 130, errors
    assert len(errors.splitlines()) == 1
    assert not list(tmp_path.glob("diveval-studio-*"))


def test_it_ends_during_work(process: Any, tmp_path: Path) -> None:
    """Ctrl-C does not wait for a job, a request or an open connection."""
    wait_for(process)
    request = urllib.request.Request(
        process.address + "api/collection",
        data=b'{"builtin": true}',
        headers={"authorization": "Bearer " + process.token},
    )
    urllib.request.urlopen(request, timeout=10)
    with socket.create_connection(("127.0.0.1", process.port)) as unfinished:
        unfinished.sendall(b"POST /api/scores HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{")
        code, errors = process.end(signal.SIGINT)
    assert code == 130, errors
    assert "Traceback" not in errors
    assert not list(tmp_path.glob("diveval-studio-*"))


def test_sigterm_removes_the_folder(process: Any, tmp_path: Path) -> None:
    """After SIGTERM the folder is removed too."""
    wait_for(process)
    code, _ = process.end(signal.SIGTERM)
    assert code == -signal.SIGTERM
    assert not list(tmp_path.glob("diveval-studio-*"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, files: dict[str, Any]) -> Iterator[Process]:
    """A studio that several tests send requests to, and none ends."""
    arguments = map(str, [files["judgments"], *files["runs"]])
    started = Process(*arguments, folder=tmp_path_factory.mktemp("running"))
    yield started
    started.process.kill()
    started.process.communicate()


def test_only_the_loopback_address_listens(running: Process) -> None:
    """Other addresses of this machine do not answer."""
    wait_for(running)
    others = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {
        "127.0.0.1"
    }
    for address in others:
        if not address.startswith("127."):
            with pytest.raises(OSError, match=r"refused|unreachable|timed out"):
                socket.create_connection((address, running.port), timeout=1)


def test_six_hundred_idle_connections_do_not_lock_the_owner_out(running: Process) -> None:
    """Idle and incomplete connections are closed, and requests with the token are always answered."""
    wait_for(running)
    connections = []
    try:
        for number in range(600):
            connection = socket.create_connection(("127.0.0.1", running.port), timeout=10)
            if number % 2:
                connection.sendall(b"GET / HT")  # a request that never ends
            connections.append(connection)
            if number % 150 == 149:
                assert running.get("api/session", running.token).status == 200
        assert running.get("api/session", running.token).status == 200
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["only-qrels.txt"], ("missing-argument",)),
        (["--weights", "w"], ("option-not-applicable",)),
        (["--port", "70000"], ("out-of-range", "0", "65535")),
        (["no-such-qrels", "no-such-run"], ("cannot-read",)),
        (["-m", "XYZ"], ("unknown-metric", "XYZ")),
    ],
)
def test_invalid_arguments_are_a_one_line_error(
    arguments: list[str],
    refusal: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit code 2, one line, nothing on standard output, no folder left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main(["studio", "--no-browser", *arguments]) == 2
    captured = capsys.readouterr()
    assert is_refusal(captured.err, *refusal) and captured.err.count("\n") == 1 and captured.out == ""
    assert not list(tmp_path.iterdir())


def test_a_port_in_use_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the option to change the port, and no folder is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["studio", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    captured = capsys.readouterr()
    assert is_refusal(captured.err, "port-in-use", "--port") and captured.out == ""
    assert not list(tmp_path.iterdir())


def test_answers_do_not_wait_for_acknowledgements() -> None:
    """TCP_NODELAY is set; without it each small answer waits 40 ms."""
    with bind(0) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            base_events._set_nodelay(accepted)  # type: ignore[attr-defined]
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
