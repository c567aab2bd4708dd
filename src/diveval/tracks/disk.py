"""All writes to a track folder, in an order that can be repaired: a process killed between any two leaves a usable track.

Nothing else in `tracks` may write files. `step` is called before each change; tests replace it to stop the process at
every point and check that the next command repairs the folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from diveval.errors import DivevalError, UsageError

POLL = 0.02  # seconds between two attempts to get the lock
# Exit codes: the hash chain of the record is broken; a file or section of the configuration changed without a decision;
# another process is writing.
BROKEN, UNDECIDED, LOCKED = 3, 4, 5


class TrackError(DivevalError):
    """An error of a track; `code` is the exit code of the command."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@contextlib.contextmanager
def _changing(path: Path, what: str = "written") -> Iterator[None]:
    """Turn an OSError into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: cannot be {what}: {error.strerror or error}") from error


def step(what: str) -> None:
    """Called before every change of the disk."""


def write(path: Path, data: bytes, *, mode: int = 0o644, derived: bool = False) -> None:
    """Write a temporary file, flush it to disk, rename it: a reader finds the old file or the new one.

    A `derived` file can be computed again, so the command does not wait until it is on disk.
    """
    with _changing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=f".{path.name[:60]}.", suffix=".part", dir=path.parent)
        try:
            step(f"write {path.name}")
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                if not derived:
                    os.fsync(stream.fileno())
            Path(part).chmod(mode)
            step(f"rename {path.name}")
            Path(part).replace(path)
        finally:
            with contextlib.suppress(OSError):
                Path(part).unlink()
        if not derived and sys.platform != "win32":  # make the rename durable too; Windows cannot open a folder
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def append(path: Path, line: bytes) -> None:
    """One write at the end of the file, flushed to disk."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        step(f"append {path.name}")
        emit(handle, line)
        os.fsync(handle)
    finally:
        os.close(handle)
    step(f"appended {path.name}")


def emit(handle: int, data: bytes) -> None:
    """Write all bytes in one call; on a full disk part of a line remains, which the next writer repairs."""
    written = os.write(handle, data)
    if written < len(data):
        raise OSError(28, "no space left for the whole line")


def truncate(path: Path, size: int) -> None:
    """Cut a file to a size, flushed to disk."""
    step(f"truncate {path.name}")
    with path.open("r+b") as stream:
        stream.truncate(size)
        stream.flush()
        os.fsync(stream.fileno())


def remove(path: Path) -> None:
    """Remove a file, which may be read-only or missing."""
    step(f"remove {path.name}")
    path.unlink(missing_ok=True)


def write_folder(target: Path, files: Mapping[str, bytes]) -> None:
    """A folder of files, written beside the old one and renamed over it."""
    with _changing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
        old = fresh.with_suffix(".old")
        try:
            fresh.chmod(0o755)
            for name, data in sorted(files.items()):
                path = fresh / name
                path.parent.mkdir(parents=True, exist_ok=True)
                step(f"write {name}")
                path.write_bytes(data)
            step(f"rename {target.name}")
            if target.exists():
                target.rename(old)
            fresh.rename(target)
        finally:
            for left in (fresh, old):
                shutil.rmtree(left, ignore_errors=True)


@contextlib.contextmanager
def locked(path: Path, wait: float) -> Iterator[None]:
    """The operating system's lock on a file; the system releases it when the process ends, even if it is killed."""
    with _changing(path, "opened"):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + wait
    try:
        while not _take(handle):
            if time.monotonic() >= deadline:
                message = f"{path}: another process has been writing for {wait:g} s; run the command again"
                raise TrackError(f"{message}, or wait longer with --wait SECONDS", LOCKED)
            time.sleep(POLL)
        yield
    finally:
        os.close(handle)  # also releases the lock


def _take(handle: int) -> bool:
    """Try to get the lock on an open file."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
