"""Fetching one file over HTTPS: verified and written atomically, or not at all.

Plain http is accepted for loopback addresses only, and never after https. An interrupted transfer continues where it
stopped. The sum is checked before the file gets its name.
"""

from __future__ import annotations

import base64
import bz2
import contextlib
import gzip
import hashlib
import http.client
import ipaddress
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, cast
from urllib.parse import urlsplit

from diveval.errors import InputError, UsageError, count_of, shown

Progress = Callable[[str, int, "int | None"], None]
"""Called with a file's name, the bytes received, and the bytes in total (None if the server did not send that)."""

Credentials = tuple[str, str]

ATTEMPTS = 5
PAUSE = 0.5  # seconds before the second attempt; doubled each time
TIMEOUT = 30.0  # seconds without a byte
SIZE_LIMIT = 256 << 20
UNPACKED_LIMIT = 4 << 30
BLOCK = 1 << 16
PASSWORD_HELP = (
    "set DIVEVAL_TREC_USER and DIVEVAL_TREC_PASSWORD to what NIST gave you (https://trec.nist.gov/results.html)"  # noqa: S105
)


class WrongSumError(InputError):
    """A complete file with another sum than expected."""


class _Interrupted(Exception):
    """The transfer stopped for a reason that may be temporary."""


def fetch(
    url: str,
    target: Path,
    *,
    md5: str = "",
    limit: int = SIZE_LIMIT,
    credentials: Credentials | None = None,
    progress: Progress | None = None,
) -> None:
    """Download `url` to `target`, checked against `md5` if given.

    The bytes of an interrupted transfer stay in `target`.part, and the next call continues from there.
    """
    part = target.with_name(target.name + ".part")
    with _locked(part), _writing(part):
        resumed = _persist(url, part, bool(md5), limit, credentials, progress)
        if md5 and resumed and not matches(part, md5):
            # The first part may be of an older version of the file: download it again from the start.
            _discard(part)
            _persist(url, part, True, limit, credentials, progress)
        if md5 and not matches(part, md5):
            actual = md5_of(part)
            _discard(part)
            raise WrongSumError(f"its MD5 sum is {actual}, expected {md5}; nothing was kept", source=url)
        part.replace(target)
        _discard(part)


def md5_of(path: Path) -> str:
    """The MD5 sum of a file's bytes."""
    with path.open("rb") as stream:
        return _md5(stream)


def matches(path: Path, md5: str) -> bool:
    """Whether a file, or the file compressed in it, has the sum: NIST's sums are of the runs before compression."""
    if md5_of(path) == md5:
        return True
    with path.open("rb") as stream:
        start = stream.read(3)
    if not start.startswith((b"\x1f\x8b", b"BZh")):
        return False
    unpack = bz2.open if start == b"BZh" else gzip.open
    try:
        with unpack(path, "rb") as stream:
            return _md5(cast(BinaryIO, stream), UNPACKED_LIMIT) == md5
    except (OSError, EOFError, ValueError, zlib.error):
        return False


def checked_address(url: str, *, before: str = "") -> str:
    """Refuse an address that is neither https nor loopback, or that leaves https behind after a redirect."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        raise InputError("is not an address", source=shown(url)) from error
    plain = parts.scheme == "http" and _is_loopback(host) and not before.startswith("https:")
    if not host or parts.username or parts.password or not (parts.scheme == "https" or plain):
        reason = f"redirects to {shown(url)}, which" if before else "this address"
        raise InputError(f"{reason} is not https (plain http is for loopback only)", source=before or shown(url))
    return url


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _CarefulRedirects(urllib.request.HTTPRedirectHandler):
    """Follow redirects to allowed addresses only, and send the password only to the server it is for."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        checked_address(newurl, before=req.full_url)
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        password = req.unredirected_hdrs.get("Authorization")
        if following and password and urlsplit(newurl)[:2] == urlsplit(req.full_url)[:2]:
            following.add_unredirected_header("Authorization", password)
        return following


def _persist(
    url: str,
    part: Path,
    verifiable: bool,
    limit: int,
    credentials: Credentials | None,
    progress: Progress | None,
) -> bool:
    """Transfer in several attempts; returns whether bytes of an earlier transfer were kept."""
    resumed = False
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            start = _kept(url, part, verifiable)
            resumed |= _receive(url, part, start, limit, credentials, progress)
            return resumed
        except _Interrupted as interruption:
            reason = interruption
    kept = "; the bytes received are kept, and the next call continues from there" if part.stat().st_size else ""
    raise InputError(f"gave up after {count_of(ATTEMPTS, 'attempt')}: {reason}{kept}", source=url)


def _receive(
    url: str,
    part: Path,
    start: int,
    limit: int,
    credentials: Credentials | None,
    progress: Progress | None,
) -> bool:
    """One attempt, from byte `start` on. True if the server continued from there, False if it started again."""
    with contextlib.closing(_open(url, part, start, credentials)) as response:
        if response.status != 206:
            start = 0
        elif not re.match(rf"bytes {start}-", response.headers.get("Content-Range", "")):
            _discard(part)
            raise _Interrupted("the server sent another part than requested")
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdigit() else None
        if total is not None and total > limit:
            _discard(part)
            raise InputError(f"has {total} bytes, expected at most {limit}", source=url)
        _remember(url, part, response)
        done = _copy(response, part, start, limit, url, total, progress)
        if total is not None and done < total:
            raise _Interrupted(f"the connection was cut after {done} of {total} bytes")
    return start > 0


def _copy(
    response: http.client.HTTPResponse,
    part: Path,
    start: int,
    limit: int,
    url: str,
    total: int | None,
    progress: Progress | None,
) -> int:
    """Append the response, at most `limit` bytes in all; returns the size of the file."""
    done = start
    name = part.name.removesuffix(".part")
    with part.open("r+b") as stream:
        stream.seek(start)
        stream.truncate()
        while block := _read(response):
            done += len(block)
            if done > limit:
                stream.truncate(0)
                raise InputError(f"is larger than the expected {limit} bytes", source=url)
            stream.write(block)
            if progress:
                progress(name, done, total)
        stream.flush()
        os.fsync(stream.fileno())
    return done


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(BLOCK)
    except http.client.IncompleteRead as error:
        return error.partial
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(f"the connection was cut ({error})") from error


def _open(url: str, part: Path, start: int, credentials: Credentials | None) -> http.client.HTTPResponse:
    """Request the file from byte `start` on, and turn every failure into an error message."""
    request = urllib.request.Request(checked_address(url), headers={"User-Agent": "diveval"})  # noqa: S310
    if start:
        request.add_header("Range", f"bytes={start}-")
        if version := _version(url, part):
            request.add_header("If-Range", version)
    if credentials:
        token = base64.b64encode(":".join(credentials).encode("utf-8")).decode("ascii")
        request.add_unredirected_header("Authorization", f"Basic {token}")
    handlers: list[urllib.request.BaseHandler] = [_CarefulRedirects()]
    if _is_loopback(urlsplit(url).hostname or ""):
        handlers.append(urllib.request.ProxyHandler({}))
    try:
        return cast(http.client.HTTPResponse, urllib.request.build_opener(*handlers).open(request, timeout=TIMEOUT))
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(error.code, url, part, bool(credentials)) from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError):
            raise InputError(f"cannot be reached: {reason}", source=url) from error
        raise _Interrupted(f"cannot be reached: {reason}") from error


def _refusal(code: int, url: str, part: Path, had_password: bool) -> Exception:
    """The error for an HTTP status."""
    if code in (401, 403):
        given = "refuses the user name and password it was given" if had_password else "asks for a password"
        return InputError(f"the server {given} (HTTP {code}): {PASSWORD_HELP}", source=url)
    if code in (404, 410):
        return InputError(
            f"does not exist any more (HTTP {code}); if you have the file, put it in a folder and use --from",
            source=url,
        )
    if code == 416:
        _discard(part)
        return _Interrupted("the file on the server is shorter than the part received before")
    if code == 429 or code >= 500:
        return _Interrupted(f"the server is not ready (HTTP {code})")
    return InputError(f"the server answers with HTTP {code}", source=url)


def _kept(url: str, part: Path, verifiable: bool) -> int:
    """The bytes of an earlier transfer to continue from: all, if the version is recorded or a sum will be checked."""
    source, _, _ = _notes(part).partition("\n")
    usable = source == url and (verifiable or bool(_version(url, part)))
    return part.stat().st_size if usable else 0


def _remember(url: str, part: Path, response: http.client.HTTPResponse) -> None:
    """Record the version of the file (ETag or date), for the server to compare when the transfer continues."""
    tag = response.headers.get("ETag", "")
    version = tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")
    _notes_path(part).write_text(f"{url}\n{version}", encoding="utf-8")


def _version(url: str, part: Path) -> str:
    source, _, version = _notes(part).partition("\n")
    return version if source == url else ""


def _notes(part: Path) -> str:
    try:
        return _notes_path(part).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _notes_path(part: Path) -> Path:
    return part.with_name(part.name + ".from")


def _discard(part: Path) -> None:
    """Empty the part and delete its record; the file stays, since the lock is on it."""
    with contextlib.suppress(FileNotFoundError):
        os.truncate(part, 0)
    _notes_path(part).unlink(missing_ok=True)


@contextlib.contextmanager
def _writing(part: Path) -> Iterator[None]:
    """Turn an OSError of the disk into one line; those of the network are handled in `_open` and `_read`."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{part}: cannot be written: {error.strerror or error}") from error


@contextlib.contextmanager
def _locked(part: Path) -> Iterator[None]:
    """Keep two downloads from writing the same part; an empty part is not left behind."""
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        handle = part.open("ab")
    except OSError as error:
        raise UsageError(f"{part}: cannot be written: {error.strerror or error}") from error
    with handle:
        if not _lock(handle):
            raise UsageError(f"{part} is being written by another download; wait for it to end")
        try:
            yield
        finally:
            with contextlib.suppress(FileNotFoundError):
                if part.stat().st_size == 0:
                    part.unlink()
                    _notes_path(part).unlink(missing_ok=True)


def _lock(handle: BinaryIO) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows has no such locks; the sums still find a file mixed from two downloads
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _md5(stream: BinaryIO, limit: int | None = None) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    seen = 0
    while block := stream.read(BLOCK):
        seen += len(block)
        if limit is not None and seen > limit:
            raise ValueError("too large when unpacked")
        digest.update(block)
    return digest.hexdigest()
