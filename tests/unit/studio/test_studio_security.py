"""Nobody in: foreign hosts, foreign pages, requests without the token, paths, oversized bodies and packed bombs."""

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
    """A name that was rebound to this machine (DNS rebinding) gets nothing, not even the page."""
    answer = loaded.get(path, headers={"host": host})
    assert answer.status_code == 421 and "collection" not in answer.text


def test_both_names_of_this_machine_are_known(loaded: Any) -> None:
    """127.0.0.1 and localhost with the port, in any case of letters."""
    for host in ("127.0.0.1:8765", "localhost:8765", "LocalHost:8765"):
        assert loaded.get("/api/session", headers={"host": host}).status_code == 200


def test_two_hosts_are_none(loaded: Any) -> None:
    """A request that names two hosts is refused, whichever they are."""
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
    assert answer.status_code == 403 and answer.json() == {"error": "requests from other pages are refused"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_that_another_page_caused_is_refused(loaded: Any, site: str) -> None:
    """Also where the browser says so without an Origin; another port of this machine is `same-site`."""
    assert loaded.get("/api/session", headers={"sec-fetch-site": site}).status_code == 403


def test_our_own_page_is_served(loaded: Any) -> None:
    """What the page itself sends passes."""
    sent = {"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-origin"}
    assert loaded.get("/api/session", headers=sent).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"), [*DATA, ("POST", "/api/files?name=x"), ("POST", "/api/collection"), ("POST", "/api/playground")]
)
@pytest.mark.parametrize("token", [None, "", "wrong", "a-token-for-test", "a-token-for-tests "])
def test_without_the_token_nothing_is_told(loaded: Any, method: Any, path: Any, token: Any) -> None:
    """Every address of the API wants this start's token."""
    answer = loaded.request(method, path, token=token, content=b"{}")
    assert answer.status_code == 401 and list(answer.json()) == ["error"]


def test_a_cookie_or_a_query_is_no_token(loaded: Any) -> None:
    """The token counts in its header only, where no other page can put it."""
    answer = loaded.get(
        "/api/session?token=a-token-for-tests", token=None, headers={"cookie": "token=a-token-for-tests"}
    )
    assert answer.status_code == 401


@pytest.mark.parametrize("path", ["/", "/main.js", "/studio.css", "/nothing", "/api/session", "/api/nothing"])
@pytest.mark.parametrize("token", [None, "a-token-for-tests"])
def test_every_answer_carries_the_headers(loaded: Any, path: str, token: Any) -> None:
    """Policy, no sniffing, no framing, no referrer, no sharing: on pages, answers and refusals."""
    answer = loaded.get(path, token=token)
    for name, value in HEADERS:
        assert answer.headers[name.decode()] == value.decode()
    assert "set-cookie" not in answer.headers and "access-control-allow-origin" not in answer.headers


def test_the_policy_lets_no_foreign_or_inline_script_run() -> None:
    """Scripts and styles from this machine only, nothing inline, no eval, no frames."""
    assert "unsafe" not in POLICY and "script-src 'self'" in POLICY and "default-src 'none'" in POLICY
    assert "frame-ancestors 'none'" in POLICY and "*" not in POLICY


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(loaded: Any) -> None:
    """What the policy forbids is not there; no address of another host is."""
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
def test_no_address_leads_out(loaded: Any, path: Any) -> None:
    """Only the page's own files have addresses."""
    answer = loaded.get(path)
    assert answer.status_code in (404, 405)
    assert "root:" not in answer.text and "def " not in answer.text


def test_raw_paths_lead_nowhere_either(loaded: Any) -> None:
    """A path that no client library has tidied up."""
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
def test_an_upload_lies_in_its_own_private_folder(fresh: Any, name: Any) -> None:
    """Whatever it is called, it is kept below the studio's folder, which only its owner can enter."""
    answer = fresh.upload(urllib.parse.quote(name, safe=""), b"1 0 d 1\n")
    assert answer.status_code == 201, answer.text
    folder = fresh.studio.store.folder
    (kept,) = [path for path in folder.rglob("*") if path.is_file()]
    assert kept.parent.parent == folder and kept.name == answer.json()["name"] == safe_name(name)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 == stat.S_IMODE(kept.parent.stat().st_mode)


def test_a_metric_from_outside_is_never_loaded_as_code(loaded: Any, tmp_path: Path) -> None:
    """`file.py:name` runs a file; over the API it is just a name nobody has."""
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
    """They are their owner's."""
    answer = loaded.request("DELETE", "/api/files/1")
    assert answer.status_code == 400 and Path(files["judgments"]).exists()


# --- sizes ------------------------------------------------------------------------------------------------------------


def test_an_oversized_request_is_refused_before_it_is_read(loaded: Any) -> None:
    """A length that is said is believed when it is too large."""
    answer = loaded.request("POST", "/api/scores", content=b" " * (1024 * 1024 + 1))
    assert answer.status_code == 413


def test_an_oversized_request_without_a_length_is_cut_off(client_of: Any) -> None:
    """Without a length the bytes are counted as they come."""
    client = client_of(Studio(limits=Limits(body=1000, upload=2000)))
    taken = []

    async def endless() -> AsyncIterator[bytes]:
        for i in range(100):
            taken.append(i)
            yield b"x" * 500

    for path, limit in (("/api/scores", 1000), ("/api/files?name=x", 2000)):
        taken.clear()
        answer = client.request("POST", path, content=endless())
        assert answer.status_code == 413 and str(limit) in answer.json()["error"]
    assert not list(client.studio.store.folder.iterdir())


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999999", "0x10"])
def test_a_false_length_is_refused(loaded: Any, length: str) -> None:
    """A length is a plain number."""
    answer = loaded.request("POST", "/api/scores", content=b"{}", headers={"content-length": length})
    assert answer.status_code == 413


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(client_of: Any) -> None:
    """A packed bomb is unpacked only to the limit, and not kept."""
    client = client_of(Studio(limits=Limits(unpacked=5_000_000)))
    answer = client.upload("bomb.gz", gzip.compress(b"0" * 50_000_000))
    assert answer.status_code == 413 and "once unpacked" in answer.json()["error"]
    assert not list(client.studio.store.folder.iterdir())


def test_many_lines_files_and_bytes_are_refused(client_of: Any) -> None:
    """Rows, number of files and their sum have limits that are said."""
    client = client_of(Studio(limits=Limits(rows=10, files=2, uploads=60)))
    assert client.upload("rows", b"1\n" * 11).status_code == 413
    assert client.upload("a", b"x" * 30).status_code == 201
    assert client.upload("b", b"x" * 40).status_code == 413
    assert client.upload("b", b"x" * 10).status_code == 201
    answer = client.upload("c", b"x")
    assert answer.status_code == 413 and "at most 2 files" in answer.json()["error"]


def test_a_broken_pack_is_told_and_not_kept(fresh: Any) -> None:
    """A truncated gzip file is refused in one line without a path."""
    answer = fresh.upload("cut.gz", gzip.compress(b"1 0 d 1\n" * 5000)[:60])
    assert answer.status_code == 400 and str(fresh.studio.store.folder) not in answer.json()["error"]
    assert not list(fresh.studio.store.folder.iterdir())


def test_too_many_scores_at_once_are_refused(small_files: Any, client_of: Any) -> None:
    """Runs × topics × metrics has a limit that is said."""
    client = client_of(Studio(small_files, limits=Limits(cells=3)))
    client.job("/api/collection", {"given": True, "options": {"duplicates": "first"}})
    assert client.post("/api/scores", {"metrics": ["P@5"], "options": {"duplicates": "first"}}).status_code == 200
    answer = client.post("/api/scores", {"metrics": ["P@5", "AP"], "options": {"duplicates": "first"}})
    assert answer.status_code == 413 and "more than 3 scores" in answer.json()["error"]


def test_hostile_ids_come_back_as_they_are(client_of: Any, tmp_path: Path) -> None:
    """Ids with script, quotes or control characters are data: JSON, never markup."""
    evil = "<script>alert(1)</script>&\"'"
    qrels, run = tmp_path / "qrels.txt", tmp_path / "<img src=x>.run"
    qrels.write_text(f"{evil} a d1 1\n{evil} b {evil} 1\n")
    run.write_text(f"{evil} Q0 {evil} 1 9 r\n")
    client = client_of(Studio([qrels, run]))
    assert client.job("/api/collection", {"given": True})["result"]["topics"] == [evil]
    answer = client.post("/api/ranking", {"run": "<img src=x>", "topic": evil})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["documents"][0]["document"] == evil


# --- beginning and end ------------------------------------------------------------------------------------------------


def test_only_this_machine_can_connect() -> None:
    """The studio binds the loopback address, and nothing asks it for another."""
    with bind(0) as listener:
        assert listener.getsockname()[0] == LOOPBACK == "127.0.0.1"


def test_nothing_is_left_behind() -> None:
    """Closing removes the folder with all uploads."""
    studio = Studio()
    studio.store.keep("x", b"1 0 d 1\n")
    studio.close()
    assert not studio.store.folder.exists()


def test_web_sockets_are_not_spoken(loaded: Any) -> None:
    """Anything but HTTP is left unanswered."""
    asyncio.run(loaded.app({"type": "websocket", "path": "/api/session", "headers": []}, None, None))
