"""One file over HTTP: whole and right, or nothing."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diveval.datasets import transfer
from diveval.datasets.transfer import checked_address, fetch, matches
from diveval.errors import InputError, UsageError
from support.wording import wording

if TYPE_CHECKING:
    from .conftest import Server

DATA = bytes(range(256)) * 2000


def md5(data: bytes) -> str:
    """The sum of some bytes."""
    return hashlib.md5(data).hexdigest()


def test_a_good_download(server: Server, tmp_path: Path) -> None:
    """The file arrives under its name, progress is told, and nothing else is left."""
    told: list[tuple[str, int, int | None]] = []
    url = server.serve("file", DATA)
    fetch(url, tmp_path / "out", md5=md5(DATA), progress=lambda *what: told.append(what))
    assert (tmp_path / "out").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert told[-1] == ("out", len(DATA), len(DATA))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_a_wrong_sum_leaves_nothing(server: Server, tmp_path: Path) -> None:
    """A file that is not what it should be is refused in one line, and removed."""
    url = server.serve("file", DATA)
    with pytest.raises(InputError, match=f"{md5(DATA)}.*{'0' * 32}") as caught:
        fetch(url, tmp_path / "out", md5="0" * 32)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    assert len(server.requests) == 1


def test_a_wrong_sum_keeps_the_old_file(server: Server, tmp_path: Path) -> None:
    """What was there before stays as it was."""
    (tmp_path / "out").write_bytes(b"old")
    with pytest.raises(InputError):
        fetch(server.serve("file", DATA), tmp_path / "out", md5="0" * 32)
    assert (tmp_path / "out").read_bytes() == b"old"


@pytest.mark.parametrize("etag", ["", '"v1"'])
def test_a_cut_connection_goes_on_where_it_stopped(server: Server, tmp_path: Path, etag: str) -> None:
    """Two cuts in one transfer cost two more requests, each for the rest only."""
    url = server.serve("file", DATA, cuts=[100_000, 50_000], etag=etag)
    fetch(url, tmp_path / "out", md5=md5(DATA))
    assert (tmp_path / "out").read_bytes() == DATA
    assert server.ranges() == ["", "bytes=100000-", "bytes=150000-"]
    assert [headers.get("If-Range", "") for _, headers in server.requests] == ["", etag, etag]


def test_a_later_call_goes_on_where_an_earlier_one_gave_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part survives the process that began it."""
    monkeypatch.setattr(transfer, "ATTEMPTS", 1)
    url = server.serve("file", DATA, cuts=[100_000])
    with pytest.raises(
        InputError, match=wording(r"gave up after 1 attempts: .*100000 of 512000 bytes; what has come is kept")
    ):
        fetch(url, tmp_path / "out", md5=md5(DATA))
    assert not (tmp_path / "out").exists()
    fetch(url, tmp_path / "out", md5=md5(DATA))
    assert server.ranges() == ["", "bytes=100000-"]
    assert (tmp_path / "out").read_bytes() == DATA
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_server_without_ranges_begins_anew(server: Server, tmp_path: Path) -> None:
    """A server that ignores Range sends the whole file again, and that is what is kept."""
    url = server.serve("file", DATA, ranges=False, cuts=[100_000])
    fetch(url, tmp_path / "out", md5=md5(DATA))
    assert (tmp_path / "out").read_bytes() == DATA
    assert server.ranges() == ["", "bytes=100000-"]


def test_without_sum_or_version_nothing_is_resumed(server: Server, tmp_path: Path) -> None:
    """Bytes of two unknown versions are never joined: without a sum or a version the file is asked for anew."""
    url = server.serve("file", DATA, cuts=[100_000])
    fetch(url, tmp_path / "out")
    assert server.ranges() == ["", ""]
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_file_that_changed_meanwhile_is_fetched_whole(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of an old version is not completed with a new one: If-Range sees to it."""
    monkeypatch.setattr(transfer, "ATTEMPTS", 1)
    url = server.serve("file", DATA, cuts=[100_000], etag='"v1"')
    with pytest.raises(InputError):
        fetch(url, tmp_path / "out")
    fresh = bytes(reversed(DATA))
    server.serve("file", fresh, etag='"v2"')
    fetch(url, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == fresh


def test_a_stale_part_is_dropped_when_the_sum_says_so(server: Server, tmp_path: Path) -> None:
    """A beginning that was wrong costs a second, whole transfer, not the file."""
    url = server.serve("file", DATA)
    (tmp_path / "out.part").write_bytes(b"x" * 1000)
    (tmp_path / "out.part.from").write_text(f"{url}\n")
    fetch(url, tmp_path / "out", md5=md5(DATA))
    assert server.ranges() == ["bytes=1000-", ""]
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_part_longer_than_the_file_is_dropped(server: Server, tmp_path: Path) -> None:
    """HTTP 416 means that the part cannot be of this file."""
    url = server.serve("file", DATA)
    (tmp_path / "out.part").write_bytes(b"x" * (len(DATA) + 1))
    (tmp_path / "out.part.from").write_text(f"{url}\n")
    fetch(url, tmp_path / "out", md5=md5(DATA))
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_part_of_another_address_is_not_built_on(server: Server, tmp_path: Path) -> None:
    """A part is resumed only from where it came."""
    url = server.serve("file", DATA)
    (tmp_path / "out.part").write_bytes(DATA[:1000])
    (tmp_path / "out.part.from").write_text(f"{server.address}/other\n")
    fetch(url, tmp_path / "out", md5=md5(DATA))
    assert server.ranges() == [""]


def test_a_server_that_is_not_ready_is_asked_again(server: Server, tmp_path: Path) -> None:
    """503 and 429 pass; the file comes in the end."""
    fetch(server.serve("file", DATA, statuses=[503, 429]), tmp_path / "out", md5=md5(DATA))
    assert (tmp_path / "out").read_bytes() == DATA


def test_patience_ends(server: Server, tmp_path: Path) -> None:
    """A server that never gets ready is given up with its last answer, and nothing stays behind."""
    url = server.serve("file", DATA, statuses=[503] * 9)
    with pytest.raises(InputError, match=wording(r"gave up after 5 attempts: the server is not ready \(HTTP 503\)$")):
        fetch(url, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_said_at_once(server: Server, tmp_path: Path) -> None:
    """404 is final, and says what else can be done."""
    with pytest.raises(InputError, match=wording(r"/nothing: is not there any more \(HTTP 404\).*--from")):
        fetch(f"{server.address}/nothing", tmp_path / "out")
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_password_is_asked_for(server: Server, tmp_path: Path) -> None:
    """401 without a password names the variables to set; with a wrong one it says so; with the right one it works."""
    url = server.serve("file", DATA, password="Basic dXNlcjpzZWNyZXQ=")
    with pytest.raises(InputError, match=wording(r"asks for a password \(HTTP 401\): set DIVEVAL_TREC_USER")):
        fetch(url, tmp_path / "out")
    with pytest.raises(InputError, match=wording("refuses the user name and password")) as caught:
        fetch(url, tmp_path / "out", credentials=("user", "wrong"))
    assert "wrong" not in str(caught.value)
    fetch(url, tmp_path / "out", credentials=("user", "secret"))
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_redirect_on_the_loopback_is_followed(server: Server, tmp_path: Path) -> None:
    """A redirect within the rules leads to the file, and the password goes along on the same server only."""
    server.serve("file", DATA, password="Basic dTpw")
    url = server.serve("old", b"", redirect=f"{server.address}/file")
    fetch(url, tmp_path / "out", md5=md5(DATA), credentials=("u", "p"))
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_redirect_to_another_server_gets_no_password(server: Server, tmp_path: Path) -> None:
    """Credentials stay with the server they are for."""
    server.serve("file", DATA)
    other = server.address.replace("127.0.0.1", "localhost")
    url = server.serve("old", b"", redirect=f"{other}/file")
    fetch(url, tmp_path / "out", credentials=("u", "p"))
    assert ["Authorization" in headers for _, headers in server.requests] == [True, False]


@pytest.mark.parametrize("elsewhere", ["http://example.com/file", "ftp://127.0.0.1/file", "http://user:pw@127.0.0.1/"])
def test_a_redirect_out_of_the_rules_is_refused(server: Server, tmp_path: Path, elsewhere: str) -> None:
    """Plain http elsewhere, another scheme, or an address with a password in it: not followed."""
    url = server.serve("old", b"", redirect=elsewhere)
    with pytest.raises(InputError, match=wording(r"/old: redirects to .* is not https")):
        fetch(url, tmp_path / "out")
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "before", "fine"),
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
def test_which_addresses_are_allowed(url: str, before: str, fine: bool) -> None:
    """https anywhere, plain http on the loopback only, and never from https down to http."""
    if fine:
        assert checked_address(url, before=before) == url
    else:
        with pytest.raises(InputError):
            checked_address(url, before=before)


@pytest.mark.parametrize("silent", [False, True])
def test_a_file_that_is_too_large_is_stopped(server: Server, tmp_path: Path, silent: bool) -> None:
    """Whether the server says its size or not, no more than the limit is written, and none of it stays."""
    url = server.serve("file", DATA, silent=silent)
    with pytest.raises(InputError, match=str(len(DATA) - 1)):
        fetch(url, tmp_path / "out", limit=len(DATA) - 1)
    assert list(tmp_path.iterdir()) == []
    fetch(url, tmp_path / "out", limit=len(DATA))
    assert (tmp_path / "out").read_bytes() == DATA


def test_no_server_at_all(server: Server, tmp_path: Path) -> None:
    """A refused connection is tried again, then told in one line."""
    with pytest.raises(InputError, match=wording("gave up after 5 attempts: cannot be reached")) as caught:
        fetch("http://127.0.0.1:9/file", tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_two_downloads_of_one_file_do_not_mix(server: Server, tmp_path: Path) -> None:
    """While one download writes, another of the same file is turned away."""
    pytest.importorskip("fcntl")
    url = server.serve("file", DATA)

    def meanwhile(*_: object) -> None:
        with pytest.raises(UsageError, match=wording("another download")):
            fetch(url, tmp_path / "out")

    fetch(url, tmp_path / "out", md5=md5(DATA), progress=meanwhile)
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_packed_file_may_match_by_its_content(tmp_path: Path) -> None:
    """NIST's sums of runs are of the submission: a .gz matches by its own bytes or by what is in it."""
    packed = gzip.compress(DATA)
    path = tmp_path / "run.gz"
    path.write_bytes(packed)
    assert matches(path, md5(packed))
    assert matches(path, md5(DATA))
    assert not matches(path, md5(b"other"))
    path.write_bytes(packed[:-20])
    assert not matches(path, md5(DATA))
    path.write_bytes(packed[:30] + bytes(10) + packed[40:])
    assert not matches(path, md5(DATA))


def test_a_folder_that_cannot_be_written_is_said(server: Server, tmp_path: Path) -> None:
    """A file where the folder should be is the caller's to solve, in one line."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(UsageError, match="taken"):
        fetch(server.serve("file", DATA), tmp_path / "taken" / "out")
