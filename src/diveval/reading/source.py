"""What a reader reads: a local file, standard input, a remote address or bytes in memory, under one name for messages.

`Source.open` is the only place where an input is opened and decompressed. It is opened once: whether it is parquet, its
format and its content are read from the same handle, which goes back to the start in between. A remote file (`s3://…`,
`hf://…`, `https://…`) is downloaded once per process through fsspec.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from diveval.errors import InputError, MissingExtraError, UsageError, need, preview, printable, quote
from diveval.reading.lines import LONGEST_LINE, number_lines
from diveval.reading.remote import PIECE, fetch, is_remote

# A file that decompresses to more bytes than the first, and to more times its size than the second, is treated as a
# decompression bomb: runs and judgments compress 4 to 20 times.
UNSUSPECTED, SUSPECT_RATIO = 64 << 20, 200
_PACKED = re.compile(r"\.(gz|bz2|xz|zst|zstd|zip)$")
_ENDING = re.compile(r"\.(run|runs|txt|trec|res|tsv|out|eval|csv|json|input)$")
_TEXT = re.compile(r"\.(run|runs|txt|trec|res|tsv|out|eval|csv|json|jsonl|qrels|xml)(\.(gz|bz2|xz|zst|zstd|zip))?$")
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}


def _broken() -> tuple[type[Exception], ...]:
    """The errors of broken compressed data; most runs never load these modules."""
    import gzip
    import lzma
    import zlib

    return EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile


@dataclass(frozen=True)
class Source:
    """Something to read.

    Args:
        name: what messages call it.
        place: a path, an address, or `-` for standard input.
        data: the bytes themselves; `place` is then only the name of a file that does not exist.
        label: the name of the run in it, if it is not that of the file.
    """

    name: str
    place: str
    data: bytes | None = None
    label: str | None = None

    @classmethod
    def of(cls, given: SourceLike) -> Source:
        """The source for a path or an address; a path with a `label` (`NAME=file` on the command line) keeps it."""
        if isinstance(given, Source):
            return given
        if not isinstance(given, (str, os.PathLike)):
            raise UsageError("wrong-type", f"expected the path of a file, got {type(given).__name__}")
        place = os.fspath(given)
        label = getattr(given, "label", None)
        return cls("<stdin>" if place == "-" else printable(place), place, label=label)

    @classmethod
    def from_bytes(cls, data: bytes, name: str) -> Source:
        """A file in memory, such as an upload or a member of an archive."""
        return cls(printable(name), name, data)

    @property
    def is_pipe(self) -> bool:
        """Whether it can be read only once."""
        return self.data is None and not is_remote(self.place) and self.state() is None

    @property
    def run_name(self) -> str:
        """The name of a run: its label, or that of its file without the endings for compression and format."""
        if self.label is not None:
            return printable(self.label)
        name = Path("stdin" if self.place == "-" else self.place).name
        if is_remote(self.place):
            name = name.partition("?")[0]
        bare = _ENDING.sub("", _PACKED.sub("", name)).removeprefix("input.")
        return printable(bare or name)

    @property
    def path(self) -> Path:
        """The local file; a remote one is downloaded first."""
        return Path(fetch(self.place) if is_remote(self.place) else self.place)

    def state(self) -> tuple[int, ...] | None:
        """Values that change when a regular file is written to; None for anything else, such as a pipe."""
        try:
            return _state_of(self.path.stat()) if self.data is None and self.place != "-" else None
        except (OSError, ValueError):
            return None

    def is_parquet(self) -> bool:
        """Whether it is parquet, for callers that do not read it now; a file named as text is not opened for that."""
        if self.place == "-" or _TEXT.search(self.place) or self.is_pipe:
            return False
        try:
            with self.open() as opened:
                return opened.is_parquet
        except InputError:  # the reader of the file reports the error
            return False

    def read_once(self) -> Source:
        """A source that can be read again: the content of a pipe in memory, anything else unchanged."""
        if not self.is_pipe:
            return self
        with self._open_raw() as raw:
            return Source(self.name, self.place, raw.read(), self.label)

    @contextmanager
    def open(self) -> Iterator[OpenSource]:
        """The open source; every failure to read or decompress it is an `InputError`, as is a change while it is read.

        An error that names no place gets that of the line being read (`OpenSource.placed`).
        """
        opened = None
        try:
            with self._open_raw() as raw:
                opened = OpenSource(self, raw)
                with opened.watch_changes():
                    yield opened
        except InputError as error:
            if opened is None or error.source:
                raise
            raise error.place(self.name, opened.line) from error
        except _broken() as error:
            message = f"the compressed data is broken or truncated ({error})"
            raise InputError("broken-compression", message, hint="download it again", source=self.name) from error
        except OSError as error:
            raise InputError("cannot-read", f"cannot be read: {error.strerror or error}", source=self.name) from error
        except (
            Exception
        ) as error:  # by name, since zstandard and isal may not be installed, and zipfile is imported late
            if type(error).__name__ not in ("ZstdError", "IsalError", "BadZipFile"):
                raise
            message = f"the compressed data is broken ({error})"
            raise InputError("broken-compression", message, hint="download it again", source=self.name) from error

    def _open_raw(self) -> IO[bytes]:
        if self.data is not None:
            return io.BytesIO(self.data)
        if self.place == "-":
            if sys.stdin is None:  # Python was started with standard input closed
                raise InputError("cannot-read", "cannot be read: standard input is closed", source=self.name)
            return sys.stdin.buffer
        if "\0" in self.place:
            raise InputError("cannot-read", "cannot be read: a path cannot contain NUL", source=quote(self.place))
        path = self.path
        if path.is_dir():
            raise InputError("is-a-folder", "is a folder", hint="name the files in it", source=self.name)
        return path.open("rb", buffering=0)


SourceLike: TypeAlias = "str | os.PathLike[str] | Source"
FILES = (str, Path, Source)  # the types of arguments that name a file


def is_named_as_file(name: str) -> bool:
    """Whether a name has a folder, or the ending of a file of text, records or a table."""
    return os.sep in name or bool(_TEXT.search(name)) or name.endswith((".parquet", ".inter", ".item"))


def source_name(given: SourceLike) -> str:
    """The name of a source in messages."""
    return Source.of(given).name


def read_lines(given: SourceLike, *, comments: bool = True) -> Iterator[tuple[int, str]]:
    """The numbered lines of a source that is read once, from start to end."""
    with Source.of(given).open() as opened:
        yield from opened.lines(comments=comments)


class OpenSource:
    """An open source: what it is, and its bytes from the start as often as they are asked for, unless it is a pipe."""

    def __init__(self, source: Source, raw: IO[bytes]) -> None:
        self.source, self.name, self._raw = source, source.name, raw
        self._buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast(Any, raw))
        self._begun = False
        self.line: int | None = None  # the one being read
        head = self._buffered.peek(6)[:6]
        self.compression = compression(head)
        # With white space after the magic bytes it is text with a topic named PAR1.
        self.is_parquet = head[:4] == b"PAR1" and head[4:5] not in (b" ", b"\t")

    @property
    def can_rewind(self) -> bool:
        """Whether it can be read from the start again."""
        return self.source.place != "-" and self._raw.seekable()

    @property
    def size(self) -> int:
        """Bytes before decompression; 0 for a pipe."""
        if self.source.data is not None:
            return len(self.source.data)
        with suppress(OSError):
            return os.fstat(self._raw.fileno()).st_size
        return 0

    def descriptor(self) -> int | None:
        """The descriptor of an uncompressed local file, at its start; None for anything else."""
        if self.compression or self.source.data is not None or not self.can_rewind:
            return None
        self._rewind()
        return self._raw.fileno()

    def seekable(self) -> IO[bytes]:
        """The bytes as they are, for readers that seek."""
        return self._rewind() if self.can_rewind else io.BytesIO(self._buffered.read())

    def stream(self) -> IO[bytes]:
        """The decompressed bytes from the start."""
        if self._begun:
            self._rewind()
        self._begun = True
        if self.compression is None:
            return self._buffered
        unpacked = _unpack(self._buffered, self.compression, self.name)
        return io.BufferedReader(_Limited(unpacked, self.size, self.name), PIECE)

    def lines(self, *, comments: bool = True) -> Iterator[tuple[int, str]]:
        """The numbered lines from the start; see `number_lines`."""
        return number_lines(self.stream(), self.name, comments=comments)

    def placed(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """The lines, one at a time; errors about one of them need not name it."""
        for number, text in lines:
            self.line = number
            yield number, text
        self.line = None

    def whole_lines(self) -> Iterator[bytes]:
        """The decompressed bytes in pieces of whole lines; a line that is too long for every reader is cut."""
        stream, rest = self.stream(), b""
        while piece := stream.read(PIECE):
            cut = piece.rfind(b"\n") + 1
            if cut or len(rest) > LONGEST_LINE:
                yield rest + piece[:cut]
                rest = b""
            rest += piece[cut:]
        yield rest

    def _rewind(self) -> IO[bytes]:
        # The scanner moves the descriptor past the buffer's back, so a new buffer takes the place of the old one.
        if self._buffered is not self._raw:
            self._buffered.detach()
        self._raw.seek(0)
        self._begun = True
        self._buffered = io.BufferedReader(cast(Any, self._raw))
        return self._buffered

    def _state(self) -> tuple[int, ...] | None:
        if self.source.data is not None or self.source.place == "-":
            return None
        return _state_of(os.fstat(self._raw.fileno()))

    @contextmanager
    def watch_changes(self) -> Iterator[None]:
        """Raise an error if the file changes while the block reads it: it may see a mixture of old and new content."""
        before = self._state()
        try:
            yield
        except InputError as error:  # if the file is being written, that is the cause of a truncated line
            if self._state() == before:
                raise
            raise self._change_error() from error
        if self._state() != before:
            raise self._change_error()

    def _change_error(self) -> InputError:
        hint = "wait until it is complete, and try again"
        return InputError("file-changed", "changed while it was read", hint=hint, source=self.name)


def _state_of(now: os.stat_result) -> tuple[int, ...] | None:
    return (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns) if stat.S_ISREG(now.st_mode) else None


# --- decompression ----------------------------------------------------------------------------------------------------


def compression(head: bytes) -> str | None:
    """How a file is compressed, detected from its first bytes, not from its name."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


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
            message = f"decompresses to more than {SUSPECT_RATIO} times its size"
            hint = "if that is intended, decompress it first"
            raise InputError("file-too-large", message, hint=hint, source=self._name)
        return count


def _unpack(stream: io.BufferedReader, kind: str, name: str) -> IO[bytes]:
    if kind == "gzip":
        try:
            return cast("IO[bytes]", need("isal.igzip", "fast").IGzipFile(fileobj=stream))
        except MissingExtraError:
            import gzip

            return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if kind == "bzip2":
        import bz2

        return cast("IO[bytes]", bz2.BZ2File(stream))
    if kind == "xz":
        import lzma

        return cast("IO[bytes]", lzma.LZMAFile(stream))
    if kind == "zip":
        return _only_member(stream, name)
    try:
        zstandard = need("zstandard", "zstd")
    except MissingExtraError as error:
        what = f"is compressed with zstd, and {error.message}"
        raise InputError("missing-extra", what, hint=error.hint, source=name) from error
    reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return cast("IO[bytes]", reader)


def _only_member(stream: io.BufferedReader, name: str) -> IO[bytes]:
    """The only file of a zip archive."""
    import zipfile

    archive = zipfile.ZipFile(stream if stream.seekable() else io.BytesIO(stream.read()))
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        listed = preview([member.filename for member in members])
        raise InputError("wrong-number-of-runs", f"is an archive of {len(members)} files ({listed})", source=name)
    if members[0].flag_bits & 1:
        raise InputError("cannot-read", "cannot be read: the archive is encrypted", source=name)
    return archive.open(members[0])


# --- remote files -----------------------------------------------------------------------------------------------------
