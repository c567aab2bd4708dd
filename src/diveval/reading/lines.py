"""Any file as numbered lines: optionally compressed, from disk, standard input or elsewhere, with any line ends.

A file elsewhere (`s3://…`, `hf://…`, `https://…`) is fetched once through fsspec and copied to a temporary folder, so that
every reader and the compiled scanner work on it as on a file of this machine; the folder is removed when the process
ends. Messages name the address, not the copy.
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

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::|://)")  # one letter would be a drive
# What fsspec needs for the storages most in use; for others its own message has to do.
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
    """Is a path an address?"""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def address_of(path: str | Path) -> str | None:
    """The address a copy was fetched from, None for any other file."""
    return _addresses.get(str(path))


def fetched(path: P) -> P | str:
    """A file of this machine as it is; of an address the copy, fetched the first time it is asked for."""
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
        raise InputError(f"is not on this machine, and {error}", source=printable(address)) from error
    folder = Path(tempfile.mkdtemp(prefix="diveval-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / (address.rstrip("/").rpartition("/")[2].partition("?")[0] or "file")
    try:
        with fsspec.open(address, "rb") as stream, copy.open("wb") as target:
            shutil.copyfileobj(stream, target, 1 << 20)
    except ImportError as error:  # fsspec knows the scheme, but the library that speaks it is missing
        libraries = LIBRARIES.get(address.partition(":")[0].lower())
        advice = f"pip install {libraries}" if libraries else printable(error)
        raise InputError(f"cannot be fetched yet: {advice}", source=printable(address)) from error
    except Exception as error:  # every storage has errors of its own: of names, rights, networks
        said = printable(error) or type(error).__name__
        raise InputError(f"cannot be fetched: {said}", source=printable(address)) from error
    return str(copy)


# --- open files, unpacked ---------------------------------------------------------------------------------------------


Lines = Iterable[tuple[int, str]]  # numbered from 1; blank lines and comments are left out
BOM = b"\xef\xbb\xbf"
LONGEST_LINE = 16 * 1024 * 1024  # a line beyond this is not a line of a run or of judgments
# What unpacks to more than this, and to so many times its size, is a bomb: text of this field packs 4 to 20 times.
UNSUSPECTED, SUSPECT_RATIO = 64 << 20, 200
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def state(path: str | os.PathLike[str]) -> tuple[int, ...] | None:
    """What tells one content of a regular file from the next; None for what has no content of its own, like a pipe."""
    try:
        now = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns) if stat.S_ISREG(now.st_mode) else None


def compression(head: bytes) -> str | None:
    """How a file is packed, from its first bytes: a name may lie, the bytes do not."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of a file or of standard input (`-`), unpacked; every failure is one clear line."""
    path = fetched(path)
    name = source_name(path)
    try:
        raw = _open_raw(path)
        with raw:
            buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw))
            yield _unpack(buffered, name)
    except _BROKEN as error:
        raise InputError(f"the packed data is broken or cut short ({error}); fetch it again", source=name) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=name) from error
    except Exception as error:  # the errors of zstandard and isal are known only where the libraries are
        if type(error).__name__ in ("ZstdError", "IsalError"):
            raise InputError(f"the packed data is broken ({error}); fetch it again", source=name) from error
        raise


@contextmanager
def steady(path: str | Path) -> Iterator[None]:
    """Refuse a file that changes while the block reads it: part of the old and part of the new is neither."""
    before = state(path)
    try:
        yield
    except InputError as error:  # a line cut in two is not what is wrong with a file that is being written
        if state(path) == before:
            raise
        raise _changed(path) from error
    if state(path) != before:
        raise _changed(path)


def _changed(path: str | Path) -> InputError:
    return InputError("changed while it was read; wait until it is whole, and read it again", source=source_name(path))


class _Watched(io.RawIOBase):
    """Unpacked bytes on their way, counted against the size of the pack."""

    def __init__(self, unpacked: IO[bytes], packed: int, name: str) -> None:
        self._unpacked, self._name, self._left = unpacked, name, max(UNSUSPECTED, packed * SUSPECT_RATIO)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = int(cast(Any, self._unpacked).readinto(buffer))
        self._left -= count
        if self._left < 0:
            raise InputError(
                f"unpacks to more than {SUSPECT_RATIO} times its size; if that is meant, unpack it first",
                source=self._name,
            )
        return count


def source_name(path: str | Path) -> str:
    """What messages call a file."""
    return "<stdin>" if str(path) == "-" else printable(address_of(path) or path)


def _open_raw(path: str | Path) -> IO[bytes]:
    if str(path) == "-":
        if sys.stdin is None:  # as Python starts with it closed
            raise InputError("cannot be read: standard input is closed", source="<stdin>")
        return sys.stdin.buffer
    if "\0" in str(path):
        raise InputError("cannot be read: a path holds no NUL", source=shown(path))
    if Path(path).is_dir():
        raise InputError("is a folder; name the files in it", source=source_name(path))
    return Path(path).open("rb")


def _unpack(stream: io.BufferedReader, name: str) -> IO[bytes]:
    kind = compression(stream.peek(6)[:6])
    if kind is None:
        return stream
    return io.BufferedReader(_Watched(_unpacked(stream, kind, name), _size(stream), name), 1 << 20)


def _size(stream: io.BufferedReader) -> int:
    """Bytes on the disk; 0 for a pipe, which may then bring only what is not suspect by itself."""
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
        raise InputError(f"is packed with zstd, and {error}", source=name) from error
    reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return cast("IO[bytes]", reader)


def numbered_lines(path: str | Path, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """(line number from 1, text without its end) for every line that is not blank and not a `#` comment.

    `comments` False: a line that begins with `#` is a line like any other, as in CSV.
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
    """A line's fields between runs of ASCII white space; any other character belongs to an id."""
    return [field.decode() for field in text.encode().split()]


def split_line(text: str, count: int, names: str, source: str, line: int, *, more: bool = False) -> list[str]:
    """A line's fields, as many as the format has columns, or with `more` at least as many."""
    fields = fields_of(text)
    if len(fields) < count or (len(fields) > count and not more):
        raise InputError(f"expected {count} columns ({names}), got {len(fields)}", source=source, line=line)
    return fields


def number_of(text: str, what: str, source: str, line: int) -> float:
    """A finite number from its text, or one clear line."""
    try:
        # float() also takes 1_000 and Arabic digits, which no other reader of these files does.
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
