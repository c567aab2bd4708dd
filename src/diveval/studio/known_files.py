"""The files of a studio: those of the command line, and uploads in a private folder that is removed at the end.

Requests refer to files by number and never by path, so no request can reach another file. What a file is (judgments, a
run, weights, topics or documents) is guessed from its first lines; its name decides only ties.
"""

from __future__ import annotations

import atexit
import json
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, TypedDict, get_args

from diveval.errors import DivevalError, InputError, UsageError, need, quote
from diveval.reading.formats import is_number, judgment_format, run_format
from diveval.reading.lines import fields_of
from diveval.reading.parquet import decoded_bytes, valid_parquet
from diveval.reading.source import OpenSource, Source
from diveval.studio.limits import Limits, TooMuchError

CHUNK = 1024 * 1024
LONGEST_NAME = 120  # bytes
Role = Literal["judgments", "run", "weights", "topics", "docs"]
ROLES: tuple[Role, ...] = get_args(Role)
SAMPLE = 40
HINTS: dict[Role, str] = {
    "weights": r"weight|iprob",
    "judgments": r"qrel|judg|rel[_-]",
    "topics": r"topic|quer",
    "docs": r"docs|corpus",
}


class FileShape(TypedDict):
    """A file of the command line or an upload."""

    id: int
    name: str
    size: int
    uploaded: bool
    role: Annotated[Role, "what it seems to be, from its first lines"]


@dataclass(frozen=True)
class KnownFile:
    """A file with its number; `size` and `changed` show whether it is still the one that was given."""

    number: int
    path: Path
    name: str
    size: int
    changed: int
    uploaded: bool
    role: Role = field(default="run", compare=False)  # what it seems to be

    @classmethod
    def of(cls, number: int, path: Path, name: str, *, uploaded: bool) -> KnownFile:
        try:
            state = path.stat()
        except OSError as error:
            raise InputError("cannot-read", f"cannot be read: {error.strerror or error}", source=name) from error
        return cls(number, path, name, state.st_size, state.st_mtime_ns, uploaded)

    @property
    def source(self) -> Source:
        """What readers read: uploads under their own names."""
        return Source(self.name, str(self.path))

    def check(self) -> None:
        """Refuse a changed file: rankings are read again for a new order, and would mix two versions of a collection."""
        now = KnownFile.of(self.number, self.path, self.name, uploaded=self.uploaded)
        if now != self:
            raise InputError(
                "file-changed", "changed since the studio started", hint="start it again", source=self.name
            )

    def shape(self) -> FileShape:
        return {"id": self.number, "name": self.name, "size": self.size, "uploaded": self.uploaded, "role": self.role}


class Store:
    """All files known to this start."""

    def __init__(self, given: Sequence[Path], limits: Limits) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._next = 1
        self.files: dict[int, KnownFile] = {}
        for path in given:
            self._add(path.absolute(), str(path), uploaded=False)
        # mkdtemp makes a private folder. It comes last: an error above about a missing file leaves no folder behind.
        self.folder = Path(tempfile.mkdtemp(prefix="diveval-studio-"))
        # A job that was still writing when the studio closed may have created the folder again: remove it at exit too.
        atexit.register(self.close)

    def _add(self, path: Path, name: str, *, uploaded: bool) -> KnownFile:
        known = replace(KnownFile.of(self._next, path, name, uploaded=uploaded), role=guess(Source(name, str(path))))
        self.files[known.number] = known
        self._next += 1
        return known

    def assign(self, number: int, role: Role) -> None:
        """Set the role of a file of the command line, which is known and not guessed."""
        self.files[number] = replace(self.files[number], role=role)

    def find(self, number: int) -> KnownFile:
        """A file by its number."""
        if number not in self.files:
            raise UsageError(
                "unknown-resource", f"no file has the number {quote(number)}", hint="GET /api/files lists them"
            )
        return self.files[number]

    def keep(self, name: str, content: bytes) -> KnownFile:
        """Store an upload under the last part of its name, in a folder of its own."""
        plain = safe_name(name)
        with self._lock:
            uploads = [known for known in self.files.values() if known.uploaded]
            if len(uploads) >= self._limits.files:
                raise TooMuchError(
                    "too-much-work", f"at most {self._limits.files} files can be uploaded", hint="remove some"
                )
            if sum(known.size for known in uploads) + len(content) > self._limits.uploads:
                raise TooMuchError(
                    "too-much-work", f"all uploads together may have {self._limits.uploads} bytes", hint="remove some"
                )
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            path = folder / plain
            try:
                path.write_bytes(content)
                self._measure(Source(plain, str(path)))
                return self._add(path, plain, uploaded=True)
            except OSError as error:
                shutil.rmtree(folder, ignore_errors=True)
                raise UsageError("cannot-write", f"{quote(name)} cannot be kept: {error.strerror or error}") from error
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def _measure(self, source: Source) -> None:
        """Check the unpacked size: a small compressed file can contain a huge one, which readers load into memory."""
        size = rows = 0
        with source.open() as opened:
            if opened.is_parquet:
                self._measure_parquet(opened)
                return
            stream = opened.stream()
            while chunk := stream.read(CHUNK):
                size, rows = size + len(chunk), rows + chunk.count(b"\n")
                self._check_size(source.name, size, rows)

    def _measure_parquet(self, opened: OpenSource) -> None:
        """The same for parquet, from its footer and dictionaries: readers do not read more than it declares."""
        with valid_parquet(opened.name):
            stream = opened.seekable()
            about = need("pyarrow.parquet", "arrow").ParquetFile(stream).metadata
            self._check_size(opened.name, 0, about.num_rows)
            size = decoded_bytes(about, stream, self._limits.unpacked)
        self._check_size(opened.name, size, about.num_rows)

    def _check_size(self, name: str, size: int, rows: int) -> None:
        if size > self._limits.unpacked or rows > self._limits.rows:
            raise TooMuchError(
                "file-too-large",
                f"{name}: more than {self._limits.unpacked} bytes or {self._limits.rows} lines once unpacked",
                hint="give large files on the command line",
            )

    def remove(self, number: int) -> None:
        """Forget an upload; files of the command line stay."""
        known = self.find(number)
        if not known.uploaded:
            raise UsageError("file-in-use", f"{known.name} was given on the command line and stays")
        with self._lock:
            del self.files[number]
            shutil.rmtree(known.path.parent)

    def close(self) -> None:
        """Delete all uploads."""
        shutil.rmtree(self.folder, ignore_errors=True)


def safe_name(name: str) -> str:
    """The last part of a path with unsafe characters replaced; never empty or hidden."""
    last = re.split(r"[/\\]", name)[-1]
    plain = re.sub(r"[^\w.+=@,-]", "_", last).lstrip(".")
    # File systems limit names in bytes (255), and a character has up to four. Keep the suffix: it names the compression.
    stem, dot, ending = plain.rpartition(".")
    if len(plain.encode()) > LONGEST_NAME and 0 < len(ending.encode()) < 12:
        stem = stem.encode()[: LONGEST_NAME - len(ending.encode()) - 1].decode(errors="ignore")
        plain = stem + dot + ending
    return plain.encode()[:LONGEST_NAME].decode(errors="ignore") or "upload"


# --- what a file is ---------------------------------------------------------------------------------------------------


def guess(source: Source) -> Role:
    """One of `ROLES`; a file that fits none counts as a run, and the reader of runs reports what is wrong with it."""
    name = source.name
    try:
        with source.open() as opened:
            if opened.is_parquet:
                return _parquet(opened, name)
            lines = [text for _, text in islice(opened.lines(), SAMPLE)]
    except DivevalError:
        return _by_name(name)
    return _by_lines(lines, name) if lines else _by_name(name)


def _by_name(name: str) -> Role:
    return next((role for role, hint in HINTS.items() if re.search(hint, name, re.IGNORECASE)), "run")


def _by_lines(lines: list[str], name: str) -> Role:
    start = lines[0].lstrip()
    rows = [fields_of(line) for line in lines]
    width = len(rows[0])
    # An id may start with `<` too: lines with the columns of a run or of judgments are not markup.
    table = width > 2 and all(len(row) == width and is_number(row[-1 if width < 6 else 4]) for row in rows)
    if start.startswith("<") and not table:
        return "topics"
    if start.startswith("{"):
        return _json(start)
    if width == 3 and all(len(row) == 3 and is_number(row[2]) for row in rows):
        return "weights"
    if width >= 6 and all(len(row) == width for row in rows) and is_number(rows[0][4]):
        return "run"
    if width in (4, 5) and _fits(judgment_format, lines) and not (width == 4 and _is_round(rows)):
        return "judgments"
    if "\t" in lines[0] and not is_number(lines[0].split("\t")[-1]) and (width > 2 or lines[0].count("\t") > 1):
        return "docs" if _by_name(name) == "docs" or lines[0].count("\t") > 2 else "topics"
    return "run" if _fits(run_format, lines) else _by_name(name)


def _is_round(rows: list[list[str]]) -> bool:
    """Dynamic Domain runs have four columns too: topic, round, document, score with a point."""
    return all(len(row) == 4 and row[1].isdigit() and "." in row[3] and is_number(row[3]) for row in rows)


def _json(line: str) -> Role:
    try:
        keys = set(json.loads(line))
    except (ValueError, RecursionError, TypeError):
        return "judgments"
    if keys & {"nugget", "nugget_id", "criterion", "support", "passages", "importance"}:
        return "judgments"
    return "docs" if keys & {"docid", "doc_id", "docno", "snippet", "url", "abstract", "contents"} else "topics"


def _parquet(opened: OpenSource, name: str) -> Role:
    try:
        from pyarrow import parquet

        names = {column.lower() for column in parquet.read_schema(opened.seekable()).names}
    except Exception:  # noqa: BLE001 - guess from the name; the file is refused when it is read
        return _by_name(name)
    if names & {"aspect", "subtopic", "grade", "relevance", "rel"}:
        return "judgments"
    return "run" if names & {"score", "rank", "run"} else _by_name(name)


def _fits(decide: Callable[[list[str]], object], lines: list[str]) -> bool:
    try:
        decide(lines)
    except DivevalError:
        return False
    return True
