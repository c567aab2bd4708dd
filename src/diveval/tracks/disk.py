"""All writes to a track folder, in an order that can be repaired: a process killed between any two leaves a usable track.

Nothing else in `tracks` may write files. `step` is called before each change; tests replace it to stop the process at
every point and check that the next command repairs the folder.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from diveval.errors import DivevalError, UsageError

MARKER, CHECKSUMS = ".diveval", "SHA256SUMS"  # in every folder that is written as a whole
STALE = 3600.0  # seconds after which a temporary file belongs to no running command
WRITTEN = (
    "store",
    "verdicts",
    "boards",
    "private",
    "private/received",
    "private/judged",
    "private/feedback",
    "private/labels",
    "data/configs",
)
POLL = 0.02  # seconds between two attempts to get the lock
# Exit codes: the hash chain of the record is broken; a file or section of the configuration changed without a decision;
# another process is writing.
BROKEN, UNDECIDED, LOCKED = 3, 4, 5


class TrackError(DivevalError):
    """An error of a track, with an exit code of its own."""

    def __init__(self, code: str, message: str, *, hint: str = "", exit_code: int = 2) -> None:
        super().__init__(code, message, hint=hint)
        self.exit_code = exit_code


@contextlib.contextmanager
def _changing(path: Path, what: str = "written") -> Iterator[None]:
    """Turn an OSError into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise UsageError("cannot-write", f"{path}: cannot be {what}: {error.strerror or error}") from error


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


def write_folder(target: Path, files: Mapping[str, bytes], track: str, *, trusted: bool = False) -> None:
    """A folder of files, written beside the old one and renamed over it; what the tool did not write stays.

    The marker in the folder names the track that wrote it, and SHA256SUMS beside it lists what was written. A file of
    anyone else is kept; if it has the name of a file to be written, nothing is. `trusted`: the folder is the track's own.
    """
    with _changing(target):
        _require_no_link(target)
        marked = {**files, MARKER: json.dumps({"schema": "diveval.folder/1", "track": track}).encode() + b"\n"}
        marked[CHECKSUMS] = checksums({name: data for name, data in marked.items() if name != CHECKSUMS})
        _recover(target)
        foreign = set() if trusted else _find_foreign(target, track)
        clash = sorted(name for name in foreign if name in marked or any(n.startswith(f"{name}/") for n in marked))
        if clash:
            message = f"{target}: {clash[0]} is there and was not written by this track"
            raise UsageError("folder-not-empty", message, hint="move it away, or name another folder in track.toml")
        _swap(target, marked, foreign)


def _swap(target: Path, files: Mapping[str, bytes], foreign: Collection[str]) -> None:
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
        for place, folders, names in os.walk(target):
            if not folders and not names:
                (fresh / Path(place).relative_to(target)).mkdir(parents=True, exist_ok=True)
        for name in sorted(foreign):
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(target / name, fresh / name, follow_symlinks=False)
        step(f"rename {target.name}")
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    finally:
        _recover(target)
        for left in (fresh, old):
            shutil.rmtree(left, ignore_errors=True)
        _remove_stale_folders(target)


def _recover(target: Path) -> None:
    """Put the old folder back if the process ended between the two renames: it may hold files of others."""
    olds = sorted(target.parent.glob(f".{glob.escape(target.name)}.*.old"))
    if olds and not target.exists():
        olds[-1].rename(target)


def _remove_stale_folders(target: Path) -> None:
    """Remove what killed commands left beside a folder: unfinished ones, and the old one behind the new one."""
    mine = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]{{8}}\.(part|old)")
    for path in target.parent.glob(f".{glob.escape(target.name)}.*"):
        old = time.time() - path.lstat().st_mtime > STALE
        if mine.fullmatch(path.name) and old and target.exists() and path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)


def _require_no_link(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError("not-a-folder", f"{target}: is a link or a file", hint="name a folder in track.toml")


def _find_foreign(target: Path, track: str) -> set[str]:
    """The files in a folder that this track did not write."""
    present = {path.relative_to(target).as_posix(): path for path in _walk(target)} if target.exists() else {}
    odd = [name for name, path in present.items() if not path.is_symlink() and not path.is_file()]
    if odd:
        raise UsageError("folder-not-empty", f"{target}: {min(odd)} is no regular file and cannot be kept")
    listed = read_checksums(target) or {}
    if not _is_marked(target, track) and not _is_of_version_2(target, listed, present):
        return set(present)
    return set(present) - set(listed) - {CHECKSUMS}


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if Path(place, name).is_symlink()]
        yield from (Path(place, name) for name in (*names, *links))


def _is_marked(target: Path, track: str) -> bool:
    path = target / MARKER
    try:
        return not path.is_symlink() and json.loads(path.read_bytes())["track"] == track
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False


def _is_of_version_2(target: Path, listed: Mapping[str, str], present: Mapping[str, Path]) -> bool:
    """Version 2.0 wrote no marker. Its folders are known by a file that only they have, and all files have their sums."""
    if not {"record.html", "kit.zip", "codabench.zip", "evalai.zip", "truths/rules.json"} & set(listed):
        return False
    return all(name in present and _sum(present[name].read_bytes()) == digest for name, digest in listed.items())


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def checksums(files: Mapping[str, bytes]) -> bytes:
    """The list that `sha256sum -c` reads."""
    return "".join(f"{_sum(data)}  {name}\n" for name, data in sorted(files.items())).encode()


def read_checksums(folder: Path) -> dict[str, str] | None:
    """The sums in SHA256SUMS by file name; None where a line of the file is anything else."""
    path = folder / CHECKSUMS
    data = path.read_bytes() if path.is_file() else b"?"
    lines = data.decode("utf-8", "replace").split("\n")
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines[:-1])}
    same = "".join(f"{digest}  {name}\n" for name, digest in listed.items()).encode() == data
    return listed if same else None


def remove_stale(folder: Path) -> None:
    """Remove temporary files that killed commands left in the folders of a track, once they are an hour old."""
    for place in (folder, *(folder / name for name in WRITTEN)):
        for path in place.glob(".*.part"):
            if path.is_file() and not path.is_symlink() and time.time() - path.stat().st_mtime > STALE:
                remove(path)


@contextlib.contextmanager
def lock(path: Path, wait: float) -> Iterator[None]:
    """The operating system's lock on a file; the system releases it when the process ends, even if it is killed."""
    with _changing(path, "opened"):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + wait
    try:
        while not _take(handle):
            if time.monotonic() >= deadline:
                raise TrackError(
                    "folder-locked",
                    f"{path}: another process has been writing for {wait:g} s",
                    hint="run the command again, or wait longer with --wait SECONDS",
                    exit_code=LOCKED,
                )
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
