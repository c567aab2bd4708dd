"""Fetching one file over HTTPS: verified and written atomically, or not at all.

Plain http is accepted for loopback addresses only, and never after https. An interrupted transfer starts again. The sum
is checked before the file gets its name.
"""

from __future__ import annotations

import base64
import bz2
import contextlib
import gzip
import hashlib
import http.client
import ipaddress
import socket
import ssl
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, cast
from urllib.parse import urlsplit

from diveval.errors import InputError, UsageError, count_of, quote
from diveval.system.files import replacing
from diveval.system.progress import Progress

Report = Callable[[int, int], None]  # the bytes received, and in total (0: the server did not say)

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
    """Download `url` to `target`, checked against `md5` if given; an interrupted transfer starts again."""
    with _writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as part:
        report = None if progress is None else partial(progress, target.name)
        _persist(url, part, limit, credentials, report)
        if md5 and not matches(part, md5):
            what = f"its MD5 sum is {md5_of(part)}, expected {md5}"
            raise WrongSumError("wrong-checksum", what, hint="nothing was kept", source=url)


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


def check_address(url: str, *, before: str = "") -> str:
    """Refuse an address that is neither https nor loopback, or that leaves https behind after a redirect."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        raise InputError("not-an-address", "is not an address", source=quote(url)) from error
    plain = parts.scheme == "http" and _is_loopback(host) and not before.startswith("https:")
    if not host or parts.username or parts.password or not (parts.scheme == "https" or plain):
        reason = f"redirects to {quote(url)}, which" if before else "this address"
        raise InputError(
            "not-an-address", f"{reason} is not https (plain http is for loopback only)", source=before or quote(url)
        )
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
        check_address(newurl, before=req.full_url)
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        password = req.unredirected_hdrs.get("Authorization")
        if following and password and urlsplit(newurl)[:2] == urlsplit(req.full_url)[:2]:
            following.add_unredirected_header("Authorization", password)
        return following


def _persist(url: str, part: Path, limit: int, credentials: Credentials | None, report: Report | None) -> None:
    """Transfer in several attempts."""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            with contextlib.closing(_open(url, credentials)) as response, _writing(part), part.open("wb") as stream:
                _copy(response, stream, limit, url, report)
            return
        except _Interrupted as interruption:
            reason = interruption
    raise InputError("download-failed", f"gave up after {count_of(ATTEMPTS, 'attempt')}: {reason}", source=url)


def _copy(response: http.client.HTTPResponse, stream: IO[bytes], limit: int, url: str, report: Report | None) -> None:
    """Write the whole response, of at most `limit` bytes."""
    length = response.headers.get("Content-Length", "")
    total = int(length) if length.isdigit() else None
    if total is not None and total > limit:
        raise InputError("file-too-large", f"has {total} bytes, expected at most {limit}", source=url)
    done = 0
    while block := _read(response):
        done += len(block)
        if done > limit:
            raise InputError("file-too-large", f"is larger than the expected {limit} bytes", source=url)
        stream.write(block)
        if report:
            report(done, total or 0)
    if total is not None and done < total:
        raise _Interrupted(f"the connection was cut after {done} of {total} bytes")


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        return response.read(BLOCK)
    except http.client.IncompleteRead as error:
        return error.partial
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(f"the connection was cut ({error})") from error


def _open(url: str, credentials: Credentials | None) -> http.client.HTTPResponse:
    """Request the file, and turn every failure into an error message."""
    request = urllib.request.Request(check_address(url), headers={"User-Agent": "diveval"})  # noqa: S310
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
            raise _refusal(error.code, url, bool(credentials)) from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError):
            raise InputError("download-failed", f"cannot be reached: {reason}", source=url) from error
        raise _Interrupted(f"cannot be reached: {reason}") from error


def _refusal(code: int, url: str, had_password: bool) -> Exception:
    """The error for an HTTP status."""
    if code in (401, 403):
        given = "refuses the user name and password it was given" if had_password else "asks for a password"
        return InputError("password-needed", f"the server {given} (HTTP {code}): {PASSWORD_HELP}", source=url)
    if code in (404, 410):
        return InputError(
            "download-failed",
            f"does not exist any more (HTTP {code})",
            hint="if you have the file, put it in a folder and use --from",
            source=url,
        )
    if code == 429 or code >= 500:
        return _Interrupted(f"the server is not ready (HTTP {code})")
    return InputError("download-failed", f"the server answers with HTTP {code}", source=url)


@contextlib.contextmanager
def _writing(part: Path) -> Iterator[None]:
    """Turn an OSError of the disk into one line; those of the network are handled in `_open` and `_read`."""
    try:
        yield
    except OSError as error:
        raise UsageError("cannot-write", f"{part}: cannot be written: {error.strerror or error}") from error


def _md5(stream: BinaryIO, limit: int | None = None) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    seen = 0
    while block := stream.read(BLOCK):
        seen += len(block)
        if limit is not None and seen > limit:
            raise ValueError("too large when unpacked")
        digest.update(block)
    return digest.hexdigest()
