"""Any file as numbered lines: optionally compressed, from disk, standard input or a remote address, with any line ends.

A remote file (`s3://…`, `hf://…`, `https://…`) is downloaded once through fsspec to a temporary folder, so that every
reader and the compiled scanner can treat it as a local file; the folder is removed when the process ends. Messages name
the address, not the copy.
"""

from __future__ import annotations

import atexit
import bz2
import csv
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from diveval.errors import InputError, MissingExtraError, need, printable, shown

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::|://)")  # a single letter would be a Windows drive
# The libraries that fsspec needs for common storages; for others the error shows fsspec's own message.
LIBRARIES = {
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "adl", "az"), "adlfs"),
    **dict.fromkeys(("http", "https"), "aiohttp requests"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    "hf": "huggingface_hub",
}
P = TypeVar("P", bound="str | Path")
_copies: dict[str, str] = {}  # by address
_addresses: dict[str, str] = {}  # by copy
_lock = threading.Lock()


def is_remote(path: Any) -> bool:
    """Whether a path is a remote address."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def address_of(path: str | Path) -> str | None:
    """The address that a copy was downloaded from, None for any other file."""
    return _addresses.get(str(path))


def fetched(path: P) -> P | str:
    """The path of a local file; for an address, that of its copy, which is downloaded on first use."""
    if not is_remote(path):
        return path
    with _lock:  # files are read by several threads
        if path not in _copies:
            copy = _fetch(str(path))
            _copies[str(path)], _addresses[copy] = copy, str(path)
        return _copies[str(path)]


def _fetch(address: str) -> str:
    try:
        fsspec = need("fsspec", "remote")
    except MissingExtraError as error:
        raise InputError(f"is a remote file, and {error}", source=printable(address)) from error
    folder = Path(tempfile.mkdtemp(prefix="diveval-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / (address.rstrip("/").rpartition("/")[2].partition("?")[0] or "file")
    try:
        with fsspec.open(address, "rb") as stream, copy.open("wb") as target:
            shutil.copyfileobj(stream, target, 1 << 20)
    except ImportError as error:  # fsspec supports the scheme, but the library for it is missing
        libraries = LIBRARIES.get(address.partition(":")[0].lower())
        advice = f"pip install {libraries}" if libraries else printable(error)
        raise InputError(f"cannot be fetched yet: {advice}", source=printable(address)) from error
    except Exception as error:  # every storage has its own exception types
        reason = printable(error) or type(error).__name__
        raise InputError(f"cannot be fetched: {reason}", source=printable(address)) from error
    return str(copy)


# --- decompression ----------------------------------------------------------------------------------------------------


Lines = Iterable[tuple[int, str]]  # numbered from 1; blank lines and comments are left out
BOM = b"\xef\xbb\xbf"
LONGEST_LINE = 16 * 1024 * 1024  # bytes; no run or judgments have longer lines
# A file that decompresses to more bytes than the first, and to more times its size than the second, is treated as a
# decompression bomb: runs and judgments compress 4 to 20 times.
UNSUSPECTED, SUSPECT_RATIO = 64 << 20, 200
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def state(path: str | os.PathLike[str]) -> tuple[int, ...] | None:
    """Values that change when a regular file is written to; None for anything else, such as a pipe."""
    try:
        now = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns) if stat.S_ISREG(now.st_mode) else None


def compression(head: bytes) -> str | None:
    """How a file is compressed, detected from its first bytes, not from its name."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[IO[bytes]]:
    """The decompressed bytes of a file or of standard input (`-`); every failure is an `InputError`."""
    path = fetched(path)
    name = source_name(path)
    try:
        raw = _open_raw(path)
        with raw:
            buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw))
            yield _unpack(buffered, name)
    except _BROKEN as error:
        raise InputError(
            f"the compressed data is broken or truncated ({error}); download it again", source=name
        ) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=name) from error
    except Exception as error:  # by name, since zstandard and isal may not be installed
        if type(error).__name__ in ("ZstdError", "IsalError"):
            raise InputError(f"the compressed data is broken ({error}); download it again", source=name) from error
        raise


@contextmanager
def steady(path: str | Path) -> Iterator[None]:
    """Raise an error if a file changes while the block reads it: the block may see a mixture of old and new content."""
    before = state(path)
    try:
        yield
    except InputError as error:  # if the file is being written, that is the cause of a truncated line
        if state(path) == before:
            raise
        raise _changed(path) from error
    if state(path) != before:
        raise _changed(path)


def _changed(path: str | Path) -> InputError:
    return InputError("changed while it was read; wait until it is complete, and try again", source=source_name(path))


class _Limited(io.RawIOBase):
    """Decompressed bytes, limited to a multiple of the compressed size."""

    def __init__(self, unpacked: IO[bytes], packed: int, name: str) -> None:
        self._unpacked, self._name, self._left = unpacked, name, max(UNSUSPECTED, packed * SUSPECT_RATIO)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = int(cast(Any, self._unpacked).readinto(buffer))
        self._left -= count
        if self._left < 0:
            raise InputError(
                f"decompresses to more than {SUSPECT_RATIO} times its size; if that is intended, decompress it first",
                source=self._name,
            )
        return count


def source_name(path: str | Path) -> str:
    """The name of a file in messages."""
    return "<stdin>" if str(path) == "-" else printable(address_of(path) or path)


def _open_raw(path: str | Path) -> IO[bytes]:
    if str(path) == "-":
        if sys.stdin is None:  # Python was started with standard input closed
            raise InputError("cannot be read: standard input is closed", source="<stdin>")
        return sys.stdin.buffer
    if "\0" in str(path):
        raise InputError("cannot be read: a path cannot contain NUL", source=shown(path))
    if Path(path).is_dir():
        raise InputError("is a folder; name the files in it", source=source_name(path))
    return Path(path).open("rb")


def _unpack(stream: io.BufferedReader, name: str) -> IO[bytes]:
    kind = compression(stream.peek(6)[:6])
    if kind is None:
        return stream
    return io.BufferedReader(_Limited(_unpacked(stream, kind, name), _size(stream), name), 1 << 20)


def _size(stream: io.BufferedReader) -> int:
    """The size of the file; 0 for a pipe, which is then limited to `UNSUSPECTED` bytes."""
    try:
        return os.fstat(stream.fileno()).st_size
    except OSError:
        return 0


def _unpacked(stream: io.BufferedReader, kind: str, name: str) -> IO[bytes]:
    if kind == "gzip":
        try:
            return cast("IO[bytes]", need("isal.igzip", "fast").IGzipFile(fileobj=stream))
        except MissingExtraError:
            return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if kind == "bzip2":
        return cast("IO[bytes]", bz2.BZ2File(stream))
    if kind == "xz":
        return cast("IO[bytes]", lzma.LZMAFile(stream))
    try:
        zstandard = need("zstandard", "zstd")
    except MissingExtraError as error:
        raise InputError(f"is compressed with zstd, and {error}", source=name) from error
    reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return cast("IO[bytes]", reader)


def numbered_lines(path: str | Path, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """(line number from 1, text without line end) for every line that is not blank and not a `#` comment.

    `comments` False: lines that begin with `#` are not comments, as in CSV.
    """
    name = source_name(path)
    with open_unpacked(path) as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE + 1):
            number += 1
            if number == 1:
                line = _without_mark(line, name)
            if len(line) > LONGEST_LINE:
                raise InputError(f"a line of more than {LONGEST_LINE} bytes; is this text?", source=name, line=number)
            bare = line.strip()
            if not bare or (comments and bare.startswith(b"#")):
                continue
            try:
                yield number, line.rstrip(b"\r\n").decode("utf-8")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"byte {error.start + 1} is not UTF-8; convert the file (for example with iconv -t utf-8)",
                    source=name,
                    line=number,
                ) from None


def _without_mark(line: bytes, name: str) -> bytes:
    if line.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("is UTF-16; convert it to UTF-8 (for example with iconv -f utf-16 -t utf-8)", source=name)
    return line.removeprefix(BOM)


def fields_of(text: str) -> list[str]:
    """A line's fields separated by ASCII white space; any other character is part of an id."""
    return [field.decode() for field in text.encode().split()]


def split_line(text: str, count: int, names: str, source: str, line: int, *, more: bool = False) -> list[str]:
    """A line's fields, as many as the format has columns, or with `more` at least as many."""
    fields = fields_of(text)
    if len(fields) < count or (len(fields) > count and not more):
        raise InputError(f"expected {count} columns ({names}), got {len(fields)}", source=source, line=line)
    return fields


def number_of(text: str, what: str, source: str, line: int) -> float:
    """A finite number from its text, or an error."""
    try:
        # float() also accepts 1_000 and Arabic digits, which no other reader of these files does.
        value = float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        value = None
    if value is None or value - value != 0:
        raise InputError(f"expected {what}, a finite number, got {shown(text)}", source=source, line=line)
    return value


def fields(text: str, separator: str, source: str, line: int) -> list[str]:
    """The fields of one line of CSV or TSV."""
    try:
        return next(csv.reader([text], delimiter=separator), [])
    except csv.Error as error:  # a carriage return inside a field, or a field of more than 128 KB
        raise InputError(f"expected fields of CSV, got {shown(text)} ({error})", source=source, line=line) from None
