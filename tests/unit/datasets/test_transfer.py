"""Download of one file over HTTP: complete and verified, or nothing."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diveval.datasets import transfer
from diveval.datasets.transfer import check_address, fetch, matches
from diveval.errors import InputError
from support.refusals import refuses

if TYPE_CHECKING:
    from .conftest import Server

DATA = bytes(range(256)) * 2000


def md5(data: bytes) -> str:
    """The MD5 checksum of some bytes."""
    return hashlib.md5(data).hexdigest()


def test_a_download_is_complete(server: Server, tmp_path: Path) -> None:
    """The file has its name, progress is reported up to its size, and no other file is left."""
    reports: list[tuple[str, int, int | None]] = []
    url = server.serve("file", DATA)
    fetch(url, tmp_path / "out", md5=md5(DATA), progress=lambda *report: reports.append(report))
    assert (tmp_path / "out").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert reports[-1] == ("out", len(DATA), len(DATA))
    assert [done for _, done, _ in reports] == sorted(done for _, done, _ in reports)


def test_a_wrong_checksum_leaves_nothing(server: Server, tmp_path: Path) -> None:
    """A file with a wrong checksum is a one-line error, and is deleted."""
    url = server.serve("file", DATA)
    with refuses("wrong-checksum", md5(DATA), "0" * 32) as caught:
        fetch(url, tmp_path / "out", md5="0" * 32)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    assert len(server.requests) == 1


def test_a_wrong_checksum_keeps_the_old_file(server: Server, tmp_path: Path) -> None:
    """A file that existed before is unchanged."""
    (tmp_path / "out").write_bytes(b"old")
    with refuses("wrong-checksum"):
        fetch(server.serve("file", DATA), tmp_path / "out", md5="0" * 32)
    assert (tmp_path / "out").read_bytes() == b"old"


def test_a_dropped_connection_starts_again(server: Server, tmp_path: Path) -> None:
    """Two dropped connections cost two more requests for the whole file: parts of two versions are never joined."""
    url = server.serve("file", DATA, cuts=[100_000, 50_000])
    fetch(url, tmp_path / "out", md5=md5(DATA))
    assert (tmp_path / "out").read_bytes() == DATA
    assert len(server.requests) == 3 and not any("Range" in headers for _, headers in server.requests)


def test_an_interrupted_download_leaves_nothing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last attempt there is neither the file nor a part of it, and the error says how far it came."""
    monkeypatch.setattr(transfer, "ATTEMPTS", 1)
    url = server.serve("file", DATA, cuts=[100_000])
    with pytest.raises(InputError) as caught:
        fetch(url, tmp_path / "out", md5=md5(DATA))
    assert caught.value.code == "download-failed" and "100000 of 512000" in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_ready_is_retried(server: Server, tmp_path: Path) -> None:
    """After 503 and 429 the request is repeated."""
    fetch(server.serve("file", DATA, statuses=[503, 429]), tmp_path / "out", md5=md5(DATA))
    assert (tmp_path / "out").read_bytes() == DATA


def test_retries_are_limited(server: Server, tmp_path: Path) -> None:
    """After five attempts the error gives the last status, and no file is left."""
    url = server.serve("file", DATA, statuses=[503] * 9)
    with refuses("download-failed", "5", "HTTP", "503"):
        fetch(url, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_not_retried(server: Server, tmp_path: Path) -> None:
    """404 is final, and the error names the alternative."""
    with refuses("download-failed", "HTTP", "404", "--from"):
        fetch(f"{server.address}/nothing", tmp_path / "out")
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_password_is_required(server: Server, tmp_path: Path) -> None:
    """Without a password the error names the variables to set; a wrong one is an error that does not print it."""
    url = server.serve("file", DATA, password="Basic dXNlcjpzZWNyZXQ=")
    with refuses("password-needed", "HTTP", "401", "DIVEVAL_TREC_USER"):
        fetch(url, tmp_path / "out")
    with refuses("password-needed") as caught:
        fetch(url, tmp_path / "out", credentials=("user", "wrong"))
    assert "wrong" not in str(caught.value)
    fetch(url, tmp_path / "out", credentials=("user", "secret"))
    assert (tmp_path / "out").read_bytes() == DATA


def test_an_allowed_redirect_is_followed(server: Server, tmp_path: Path) -> None:
    """A redirect on the same server leads to the file, and the password is sent along."""
    server.serve("file", DATA, password="Basic dTpw")
    url = server.serve("old", b"", redirect=f"{server.address}/file")
    fetch(url, tmp_path / "out", md5=md5(DATA), credentials=("u", "p"))
    assert (tmp_path / "out").read_bytes() == DATA


def test_the_password_is_not_sent_to_another_server(server: Server, tmp_path: Path) -> None:
    """A redirect to another server is followed without credentials."""
    server.serve("file", DATA)
    other = server.address.replace("127.0.0.1", "localhost")
    url = server.serve("old", b"", redirect=f"{other}/file")
    fetch(url, tmp_path / "out", credentials=("u", "p"))
    assert ["Authorization" in headers for _, headers in server.requests] == [True, False]


@pytest.mark.parametrize("target", ["http://example.com/file", "ftp://127.0.0.1/file", "http://user:pw@127.0.0.1/"])
def test_a_forbidden_redirect_is_refused(server: Server, tmp_path: Path, target: str) -> None:
    """Plain http elsewhere, another scheme and an address with a password are not followed."""
    url = server.serve("old", b"", redirect=target)
    with refuses("not-an-address"):
        fetch(url, tmp_path / "out")
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "before", "allowed"),
    [
        ("https://trec.nist.gov/data", "", True),
        ("https://trec.nist.gov/data", "http://127.0.0.1/x", True),
        ("http://127.0.0.1:80/x", "", True),
        ("http://[::1]/x", "", True),
        ("http://localhost/x", "http://127.0.0.1/x", True),
        ("http://localhost/x", "https://trec.nist.gov/data", False),
        ("http://trec.nist.gov/data", "", False),
        ("http://127.0.0.1.example.com/", "", False),
        ("http://10.0.0.1/", "", False),
        ("file:///etc/passwd", "", False),
        ("https://user@trec.nist.gov/", "", False),
        ("https://[oops/", "", False),
        ("", "", False),
    ],
)
def test_which_addresses_are_allowed(url: str, before: str, allowed: bool) -> None:
    """https anywhere, plain http on the loopback only, and never from https to http."""
    if allowed:
        assert check_address(url, before=before) == url
    else:
        with refuses("not-an-address"):
            check_address(url, before=before)


@pytest.mark.parametrize("silent", [False, True])
def test_a_file_over_the_limit_is_an_error(server: Server, tmp_path: Path, silent: bool) -> None:
    """Whether or not the server sends the size, a file over the limit is an error and is deleted."""
    url = server.serve("file", DATA, silent=silent)
    with refuses("file-too-large", len(DATA) - 1):
        fetch(url, tmp_path / "out", limit=len(DATA) - 1)
    assert list(tmp_path.iterdir()) == []
    fetch(url, tmp_path / "out", limit=len(DATA))
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_refused_connection_is_a_one_line_error(server: Server, tmp_path: Path) -> None:
    """A refused connection is retried, then a one-line error."""
    with refuses("download-failed", "5") as caught:
        fetch("http://127.0.0.1:9/file", tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_two_downloads_of_one_file_do_not_mix(server: Server, tmp_path: Path) -> None:
    """A download that starts while another writes the same file has its own bytes; the last one to end is kept."""
    url = server.serve("file", DATA)
    fetch(url, tmp_path / "out", md5=md5(DATA), progress=lambda *_: fetch(url, tmp_path / "out", md5=md5(DATA)))
    assert (tmp_path / "out").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_compressed_file_may_match_by_its_content(tmp_path: Path) -> None:
    """NIST's checksums of runs are of the submission: a .gz file matches by its bytes or by its content."""
    compressed = gzip.compress(DATA)
    path = tmp_path / "run.gz"
    path.write_bytes(compressed)
    assert matches(path, md5(compressed))
    assert matches(path, md5(DATA))
    assert not matches(path, md5(b"other"))
    path.write_bytes(compressed[:-20])
    assert not matches(path, md5(DATA))
    path.write_bytes(compressed[:30] + bytes(10) + compressed[40:])
    assert not matches(path, md5(DATA))


def test_a_folder_that_cannot_be_written_is_an_error(server: Server, tmp_path: Path) -> None:
    """A file in place of the folder is an error that names it."""
    (tmp_path / "taken").write_text("")
    with refuses("cannot-write"):
        fetch(server.serve("file", DATA), tmp_path / "taken" / "out")
