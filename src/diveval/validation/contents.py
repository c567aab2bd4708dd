"""From the bytes of a submission to the text of one run: compression, archives, encoding (rules F01 to F05).

Only the standard library unpacks here, so that a verdict does not depend on the extras that are installed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import IO

from diveval.errors import few, shown
from diveval.reading.lines import BOM, compression
from diveval.validation.rules import Findings

MOST_RATIO = 200  # text of this field compresses 4 to 20 times
UNSUSPECTED = 1 << 20  # bytes; below this a ratio says nothing
_BROKEN = (
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    RuntimeError,
    ValueError,
)
_PIECE = 1 << 20
_AGAIN = "pack the file again"


class _Refused(Exception):
    """The text cannot be reached; the finding is already noted."""


def text_of(data: bytes, findings: Findings) -> bytes | None:
    """The text of the one run in the bytes, without byte order mark; None where there is no way to it."""
    try:
        text = _archived(_unpacked(data, len(data), findings), len(data), findings)
    except _Refused:
        return None
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        findings.add("F03", "is UTF-16", "convert it to UTF-8 (for example with iconv -f utf-16 -t utf-8)")
        return None
    if text.startswith(BOM):
        findings.add("F03", "begins with a byte order mark", "save it without one", severity="warning")
        text = text[len(BOM) :]
    if text and not text.endswith(b"\n"):
        findings.add(
            "F05", "the last line has no end: was the upload cut?", "compare it with the file you sent", last=True
        )
    return text


def _unpacked(data: bytes, size: int, findings: Findings) -> bytes:
    kind = compression(data[:6])
    if kind is None:
        if len(data) > findings.admission.max_bytes:
            raise _too_large(findings)
        return data
    if kind == "zstd":
        findings.add("F02", "is compressed with zstd", "send gzip, bzip2, xz, zip or plain text")
        raise _Refused
    raw = io.BytesIO(data)
    opened: IO[bytes] = {"gzip": _gzip, "bzip2": bz2.BZ2File, "xz": lzma.LZMAFile}[kind](raw)  # type: ignore[operator]
    return _limited(opened, size, findings)


def _gzip(raw: IO[bytes]) -> IO[bytes]:
    return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]


def _limited(stream: IO[bytes], size: int, findings: Findings) -> bytes:
    """The unpacked bytes, as long as they stay within the limits."""
    most, ratio = findings.admission.max_bytes, max(MOST_RATIO * size, UNSUSPECTED)
    pieces, length = [], 0
    try:
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            length += len(piece)
            if length > most:
                raise _too_large(findings)
            if length > ratio:
                findings.add("F02", f"unpacks to more than {MOST_RATIO} times its size", "send the text itself")
                raise _Refused
    except _BROKEN as error:
        raise _broken(error, findings) from error
    return b"".join(pieces)


def _too_large(findings: Findings) -> _Refused:
    findings.add("F02", f"unpacks to more than {findings.admission.max_bytes} bytes", "send fewer documents per topic")
    return _Refused()


def _broken(error: BaseException, findings: Findings) -> _Refused:
    findings.add("F02", f"the packed data is broken or cut short ({shown(error)})", _AGAIN)
    return _Refused()


def _archived(data: bytes, size: int, findings: Findings) -> bytes:
    """The one file of a zip or tar archive; other data as it is."""
    try:
        if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                name = _only([i.filename for i in archive.infolist() if not i.is_dir()], findings)
                with archive.open(name) as stream:
                    return _unpacked(_limited(stream, size, findings), size, findings)
        if data[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(data)) as archive_tar:
                members = {member.name: member for member in archive_tar.getmembers() if not member.isdir()}
                name = _only(members, findings)
                stream_tar = archive_tar.extractfile(members[name]) if members[name].isfile() else None
                if stream_tar is None:
                    findings.add("F04", f"{shown(name)} is not a plain file", "put the run itself into the archive")
                    raise _Refused
                return _unpacked(_limited(stream_tar, size, findings), size, findings)
    except _BROKEN as error:
        raise _broken(error, findings) from error
    return data


def _only(names: Iterable[str], findings: Findings) -> str:
    """The name of the one run file; what macOS adds, and dot files, do not count."""
    all_names = list(names)
    unsafe = [name for name in all_names if _is_unsafe(name)]
    if unsafe:
        findings.add("F04", f"the archive holds the name {shown(unsafe[0])}", "use relative names without ..")
        raise _Refused
    counted = [n for n in all_names if not any(p.startswith(".") or p == "__MACOSX" for p in PurePosixPath(n).parts)]
    if len(counted) != 1:
        listed = f" ({few(counted)})" if counted else ""
        findings.add("F04", f"expected one run file, got {len(counted)}{listed}", "send one run at a time")
        raise _Refused
    return counted[0]


def _is_unsafe(name: str) -> bool:
    bare = name.replace("\\", "/")
    return bare.startswith("/") or ".." in bare.split("/") or bare[1:2] == ":"
