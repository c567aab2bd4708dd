"""From the bytes of a submission to the text of one run: compression, archives, encoding (rules F01 to F05).

Only the standard library is used for decompression, so that a verdict does not depend on the installed extras.
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

from diveval.errors import preview, quote
from diveval.reading.lines import BOM
from diveval.reading.source import compression
from diveval.validation.rules import Findings

MOST_RATIO = 200  # runs compress 4 to 20 times; a larger ratio is a decompression bomb
UNSUSPECTED = 1 << 20  # bytes up to which any ratio is allowed
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


class _Refused(Exception):
    """The text cannot be decompressed or extracted: rule, message and what to do."""


def text_of(data: bytes, findings: Findings) -> bytes | None:
    """The text of the single run in the bytes, without byte order mark; None if it cannot be decompressed or extracted."""
    most, size = findings.admission.max_bytes, len(data)
    try:
        text = _extract(_decompress(data, most, size), most, size)
    except _Refused as refused:
        findings.add(*refused.args)
        return None
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        findings.add("F03", "is UTF-16", "convert it to UTF-8 (for example with iconv -f utf-16 -t utf-8)")
        return None
    if text.startswith(BOM):
        findings.add("F03", "begins with a byte order mark", "save it without one", severity="warning")
        text = text[len(BOM) :]
    if text and not text.endswith(b"\n"):
        fix = "compare it with the file you sent"
        findings.add("F05", "the last line has no end: was the upload cut?", fix, last=True)
    return text


def _decompress(data: bytes, most: int, size: int) -> bytes:
    """Decompressed data of at most `most` bytes; `size` is the size of the submitted file."""
    kind, raw = compression(data[:6]), io.BytesIO(data)
    if kind in (None, "zip"):
        if len(data) > most:
            raise _too_large(most)
        return data
    if kind == "zstd":
        raise _Refused("F02", "is compressed with zstd", "send gzip, bzip2, xz, zip or plain text")
    openers = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
    return _limit(openers[kind](raw), most, size)  # type: ignore[operator]


def _limit(stream: IO[bytes], most: int, size: int) -> bytes:
    """The decompressed bytes; refused if they exceed the limits."""
    pieces, length = [], 0
    try:
        while piece := stream.read(_PIECE):
            pieces.append(piece)
            length += len(piece)
            if length > most:
                raise _too_large(most)
            if length > max(MOST_RATIO * size, UNSUSPECTED):
                raise _Refused("F02", f"unpacks to more than {MOST_RATIO} times its size", "send the text itself")
    except _BROKEN as error:
        raise _error_of_broken(error) from error
    return b"".join(pieces)


def _too_large(most: int) -> _Refused:
    return _Refused("F02", f"unpacks to more than {most} bytes", "send fewer documents per topic")


def _error_of_broken(error: BaseException) -> _Refused:
    return _Refused("F02", f"the packed data is broken or cut short ({quote(error)})", "pack the file again")


def _extract(data: bytes, most: int, size: int) -> bytes:
    """The single file of a zip or tar archive; other data is returned unchanged."""
    try:
        if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                name = _only(i.filename for i in archive.infolist() if not i.is_dir())
                with archive.open(name) as stream:
                    return _decompress(_limit(stream, most, size), most, size)
        if data[257:262] == b"ustar":
            with tarfile.open(fileobj=io.BytesIO(data)) as archive_tar:
                members = {member.name: member for member in archive_tar.getmembers() if not member.isdir()}
                name = _only(members)
                stream_tar = archive_tar.extractfile(members[name]) if members[name].isfile() else None
                if stream_tar is None:
                    raise _Refused("F04", f"{quote(name)} is not a plain file", "put the run itself into the archive")
                return _decompress(_limit(stream_tar, most, size), most, size)
    except _BROKEN as error:
        raise _error_of_broken(error) from error
    return data


def _only(names: Iterable[str]) -> str:
    """The name of the single run file; hidden files and those that macOS adds are ignored."""
    all_names = list(names)
    for name in all_names:
        bare = name.replace("\\", "/")
        if bare.startswith("/") or ".." in bare.split("/") or bare[1:2] == ":":
            raise _Refused("F04", f"the archive holds the name {quote(name)}", "use relative names without ..")
    counted = [n for n in all_names if not any(p.startswith(".") or p == "__MACOSX" for p in PurePosixPath(n).parts)]
    if len(counted) != 1:
        listed = f" ({preview(counted)})" if counted else ""
        raise _Refused("F04", f"expected one run file, got {len(counted)}{listed}", "send one run at a time")
    return counted[0]
