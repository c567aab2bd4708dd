"""Access control: other hosts and pages, requests without the token, paths, oversized bodies and compression bombs."""

from __future__ import annotations

import asyncio
import gzip
import stat
import urllib.parse
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from diveval.studio.app import page_files
from diveval.studio.known_files import safe_name
from diveval.studio.limits import Limits
from diveval.studio.security import HEADERS, POLICY
from diveval.studio.server import LOOPBACK, bind
from diveval.studio.session import Studio
from support.refusals import has_facts

DATA = [
    ("GET", "/api/session"),
    ("GET", "/api/files"),
    ("GET", "/api/openapi.json"),
    ("POST", "/api/scores"),
    ("POST", "/api/jobs"),
    ("DELETE", "/api/jobs/x"),
]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8765",
        "127.0.0.1",
        "127.0.0.1:80",
        "localhost.evil.example:8765",
        "[::1]:8765",
        "0.0.0.0:8765",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/session", "/main.js"])
def test_another_host_is_refused(loaded: Any, host: str, path: str) -> None:
    """A host name rebound to this machine (DNS rebinding) gets nothing, not even the page."""
    answer = loaded.get(path, headers={"host": host})
    assert answer.status_code == 421 and "collection" not in answer.text


def test_both_names_of_this_machine_are_accepted(loaded: Any) -> None:
    """127.0.0.1 and localhost with the port are accepted, in upper and lower case."""
    for host in ("127.0.0.1:8765", "localhost:8765", "LocalHost:8765"):
        assert loaded.get("/api/session", headers={"host": host}).status_code == 200


def test_two_host_headers_are_refused(loaded: Any) -> None:
    """A request with two Host headers is refused."""
    statuses = []

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    headers = [(b"host", b"127.0.0.1:8765"), (b"host", b"evil.example")]
    asyncio.run(loaded.app({"type": "http", "method": "GET", "path": "/", "headers": headers}, None, send))
    assert statuses[0] == 421


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://127.0.0.1:9999",
        "http://localhost",
        "null",
        "https://127.0.0.1:8765",
        "http://127.0.0.1:8765.evil.example",
    ],
)
@pytest.mark.parametrize(("method", "path"), DATA)
def test_another_page_is_refused_even_with_the_token(loaded: Any, origin: str, method: Any, path: Any) -> None:
    """Cross-site requests are refused by their Origin."""
    answer = loaded.request(method, path, headers={"origin": origin}, body={})
    assert answer.status_code == 403 and list(answer.json()) == ["error"]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_cross_site_request_without_an_origin_is_refused(loaded: Any, site: str) -> None:
    """Sec-Fetch-Site is enough; another port of this machine is `same-site`."""
    assert loaded.get("/api/session", headers={"sec-fetch-site": site}).status_code == 403


def test_the_own_page_is_accepted(loaded: Any) -> None:
    """The headers that the page itself sends are accepted."""
    sent = {"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-origin"}
    assert loaded.get("/api/session", headers=sent).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"), [*DATA, ("POST", "/api/files?name=x"), ("POST", "/api/collection"), ("POST", "/api/playground")]
)
@pytest.mark.parametrize("token", [None, "", "wrong", "a-token-for-test", "a-token-for-tests "])
def test_without_the_token_every_request_is_refused(loaded: Any, method: Any, path: Any, token: Any) -> None:
    """Every address of the API requires the token of this start."""
    answer = loaded.request(method, path, token=token, content=b"{}")
    assert answer.status_code == 401 and list(answer.json()) == ["error"]


def test_the_token_is_read_from_its_header_only(loaded: Any) -> None:
    """A cookie or a query parameter, which another page could set, is not accepted."""
    answer = loaded.get(
        "/api/session?token=a-token-for-tests", token=None, headers={"cookie": "token=a-token-for-tests"}
    )
    assert answer.status_code == 401


@pytest.mark.parametrize("path", ["/", "/main.js", "/studio.css", "/nothing", "/api/session", "/api/nothing"])
@pytest.mark.parametrize("token", [None, "a-token-for-tests"])
def test_every_answer_has_the_security_headers(loaded: Any, path: str, token: Any) -> None:
    """Pages, answers and errors have them, no cookie, and no permission for other origins."""
    answer = loaded.get(path, token=token)
    for name, value in HEADERS:
        assert answer.headers[name.decode()] == value.decode()
    assert "set-cookie" not in answer.headers and "access-control-allow-origin" not in answer.headers


def test_the_policy_allows_own_scripts_only() -> None:
    """Scripts and styles from this machine only, nothing inline, no eval, no frames."""
    assert "unsafe" not in POLICY and "script-src 'self'" in POLICY and "default-src 'none'" in POLICY
    assert "frame-ancestors 'none'" in POLICY and "*" not in POLICY


def test_the_page_has_no_inline_or_remote_content(loaded: Any) -> None:
    """The page contains nothing that the policy forbids and no address of another host."""
    page = loaded.get("/").text
    assert "<script>" not in page and "<style" not in page and "onclick" not in page and "://" not in page
    for name in page_files():
        text = loaded.get("/" + name).text
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text and "document.write" not in text
        assert "eval(" not in text and "new Function" not in text


TRAVERSALS = [
    "/../pyproject.toml",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/static/../openapi.json",
    "/....//....//etc/passwd",
    "/..\\..\\etc\\passwd",
    "/%5c..%5c..",
    "/etc/passwd",
    "//etc/passwd",
    "/openapi.json",
    "/__init__.py",
    "/main.js/../../session.py",
    "/main.js%00.html",
    "/api/files/../../etc/passwd",
    "/api/files/..%2f1",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_paths_cannot_leave_the_page_files(loaded: Any, path: Any) -> None:
    """Only the files of the page have addresses."""
    answer = loaded.get(path)
    assert answer.status_code in (404, 405)
    assert "root:" not in answer.text and "def " not in answer.text


def test_raw_paths_cannot_leave_the_page_files(loaded: Any) -> None:
    """The same for paths that no client library has normalised."""
    for path in ("/../../../../etc/passwd", "/..", "/.", "/%2e%2e", "/static/../../session.py"):
        sent: list[Any] = []

        async def send(message: Any, sent: list[Any] = sent) -> None:
            sent.append(message)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "scheme": "http",
            "http_version": "1.1",
            "headers": [(b"host", b"127.0.0.1:8765")],
            "client": None,
            "server": None,
        }
        asyncio.run(loaded.app(scope, receive, send))
        assert sent[0]["status"] == 404


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../../x", "..", ".", "a/../../b", "c:\\x\\y", "\x00", "x\ny", "~/.ssh/id", "💥" * 200, ".bashrc"],
)
def test_an_upload_is_stored_in_a_private_folder(fresh: Any, name: Any) -> None:
    """Whatever its name, it is below the studio's folder, which only the user can enter."""
    answer = fresh.upload(urllib.parse.quote(name, safe=""), b"1 0 d 1\n")
    assert answer.status_code == 201, answer.text
    folder = fresh.studio.store.folder
    (stored,) = [path for path in folder.rglob("*") if path.is_file()]
    assert stored.parent.parent == folder and stored.name == answer.json()["name"] == safe_name(name)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 == stat.S_IMODE(stored.parent.stat().st_mode)


def test_a_metric_in_a_request_is_never_loaded_as_code(loaded: Any, tmp_path: Path) -> None:
    """`file.py:name` is loaded from the command line only; over the API it is an unknown name."""
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\ndef m(r): return 0\n")
    for path, body in (
        ("/api/metric", {"text": f"{trap}:m"}),
        ("/api/scores", {"metrics": [f"{trap}:m"]}),
        ("/api/jobs", {"kind": "leaderboard", "metric": f"{trap}:m"}),
    ):
        answer = loaded.post(path, body)
        assert answer.status_code == 400 and "diveval metrics" in answer.json()["error"]
    assert not (tmp_path / "sprung").exists()


def test_files_of_the_command_line_cannot_be_removed(loaded: Any, files: Any) -> None:
    """Only uploads can be removed."""
    answer = loaded.request("DELETE", "/api/files/1")
    assert answer.status_code == 400 and Path(files["judgments"]).exists()


# --- sizes ------------------------------------------------------------------------------------------------------------


def test_an_oversized_request_is_refused_before_it_is_read(loaded: Any) -> None:
    """A declared length above the limit is refused."""
    answer = loaded.request("POST", "/api/scores", content=b" " * (1024 * 1024 + 1))
    assert answer.status_code == 413


def test_an_oversized_request_without_a_length_is_cut_off(client_of: Any) -> None:
    """Without a length the bytes are counted as they arrive."""
    client = client_of(Studio(limits=Limits(body=1000, upload=2000)))
    sent = []

    async def endless() -> AsyncIterator[bytes]:
        for i in range(100):
            sent.append(i)
            yield b"x" * 500

    for path, limit in (("/api/scores", 1000), ("/api/files?name=x", 2000)):
        sent.clear()
        answer = client.request("POST", path, content=endless())
        assert answer.status_code == 413 and str(limit) in answer.json()["error"]
    assert not list(client.studio.store.folder.iterdir())


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999999", "0x10"])
def test_an_invalid_length_is_refused(loaded: Any, length: str) -> None:
    """A length must be a plain number within the limit."""
    answer = loaded.request("POST", "/api/scores", content=b"{}", headers={"content-length": length})
    assert answer.status_code == 413


def test_a_compression_bomb_is_refused(client_of: Any) -> None:
    """It is decompressed only up to the limit, and not kept."""
    client = client_of(Studio(limits=Limits(unpacked=5_000_000)))
    answer = client.upload("bomb.gz", gzip.compress(b"0" * 50_000_000))
    assert (answer.status_code, answer.json()["code"]) == (413, "file-too-large")
    assert not list(client.studio.store.folder.iterdir())


def test_many_lines_files_and_bytes_are_refused(client_of: Any) -> None:
    """Rows, number of files and their total size have limits."""
    client = client_of(Studio(limits=Limits(rows=10, files=2, uploads=60)))
    assert client.upload("rows", b"1\n" * 11).status_code == 413
    assert client.upload("a", b"x" * 30).status_code == 201
    assert client.upload("b", b"x" * 40).status_code == 413
    assert client.upload("b", b"x" * 10).status_code == 201
    answer = client.upload("c", b"x")
    assert (
        answer.status_code == 413
        and answer.json()["code"] == "too-much-work"
        and has_facts(answer.json()["error"], "2")
    )


def test_a_truncated_file_is_refused(fresh: Any) -> None:
    """A truncated gzip file is an error without a path, and is not kept."""
    answer = fresh.upload("cut.gz", gzip.compress(b"1 0 d 1\n" * 5000)[:60])
    assert answer.status_code == 400 and str(fresh.studio.store.folder) not in answer.json()["error"]
    assert not list(fresh.studio.store.folder.iterdir())


def test_too_many_scores_at_once_are_refused(small_files: Any, client_of: Any) -> None:
    """Runs × topics × metrics has a limit, which the error gives."""
    client = client_of(Studio(small_files, limits=Limits(cells=3)))
    client.job("/api/collection", {"given": True, "options": {"duplicates": "first"}})
    assert client.post("/api/scores", {"metrics": ["P@5"], "options": {"duplicates": "first"}}).status_code == 200
    answer = client.post("/api/scores", {"metrics": ["P@5", "AP"], "options": {"duplicates": "first"}})
    assert (
        answer.status_code == 413
        and answer.json()["code"] == "too-much-work"
        and has_facts(answer.json()["error"], "3")
    )


def test_hostile_ids_are_returned_as_data(client_of: Any, tmp_path: Path) -> None:
    """Ids with script, quotes or control characters are JSON strings, never markup."""
    evil = "<script>alert(1)</script>&\"'"
    qrels, run = tmp_path / "qrels.txt", tmp_path / "<img src=x>.run"
    qrels.write_text(f"{evil} a d1 1\n{evil} b {evil} 1\n")
    run.write_text(f"{evil} Q0 {evil} 1 9 r\n")
    client = client_of(Studio([qrels, run]))
    assert client.job("/api/collection", {"given": True})["result"]["topics"] == [evil]
    answer = client.post("/api/ranking", {"run": "<img src=x>", "topic": evil})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["documents"][0]["document"] == evil


# --- start and end ----------------------------------------------------------------------------------------------------


def test_only_this_machine_can_connect() -> None:
    """The studio binds the loopback address only."""
    with bind(0) as listener:
        assert listener.getsockname()[0] == LOOPBACK == "127.0.0.1"


def test_closing_removes_the_uploads() -> None:
    """Closing removes the folder with all uploads."""
    studio = Studio()
    studio.store.keep("x", b"1 0 d 1\n")
    studio.close()
    assert not studio.store.folder.exists()


def test_web_sockets_are_not_answered(loaded: Any) -> None:
    """Anything but HTTP is ignored."""
    asyncio.run(loaded.app({"type": "websocket", "path": "/api/session", "headers": []}, None, None))
