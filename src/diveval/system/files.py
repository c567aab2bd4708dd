"""Files: atomic writes (a pipe or a device is written to directly), errors of reading in one line, and sums."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from diveval.errors import InputError, UsageError, printable


def write_atomically(path: str | Path, content: str | bytes | Iterable[str]) -> Path:
    """Write a file so that a reader sees the old content or the new one, never a part of it.

    Text, whole or in parts, is written as UTF-8; a lone surrogate, which UTF-8 cannot represent, is escaped.
    """
    parts = [content] if isinstance(content, (str, bytes)) else content
    with replacing(path) as scratch, _name_errors(Path(path)), scratch.open("wb") as stream:
        for part in parts:
            stream.write(part.encode("utf-8", "backslashreplace") if isinstance(part, str) else part)
    return Path(path)


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary file that replaces `path` when the block ends without an error.

    The temporary file is created beside the target, flushed to disk and renamed over it. A symbolic link stays and its
    target is replaced; mode and owner of an existing file are kept. Devices, pipes, sockets and open descriptors
    (`/dev/stdout`) cannot be replaced: they are written to.
    """
    import tempfile

    if not isinstance(path, (str, os.PathLike)):
        raise UsageError("wrong-type", f"a file is written to a path, got {printable(repr(path))}")
    target = Path(path)
    with _name_errors(target):
        stream = _is_stream(target)
        _refuse_planted_links(target)
        place = target if stream else Path(os.path.realpath(target))
        if not stream:
            _require_writable(place)
        # Only the first twenty characters of the name, since file systems limit the length of a name in bytes.
        folder = None if stream else place.parent
        handle, name = tempfile.mkstemp(prefix=f".{place.name[:20]}.", suffix=".tmp", dir=folder)
        os.close(handle)
    scratch = Path(name)
    try:
        yield scratch
        with _name_errors(target):
            if stream:
                _copy_into(scratch, target)
            else:
                _rename(scratch, place)
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


@contextlib.contextmanager
def _name_errors(target: Path) -> Iterator[None]:
    """Turn system errors into one-line errors that name the target."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise UsageError("cannot-write", f"{printable(target)}: cannot be written: {reason}") from error


def _is_stream(target: Path) -> bool:
    """Whether the target is a device, a pipe, a socket, or a path that stands for an open descriptor."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise UsageError("cannot-write", f"{printable(target)}: cannot be written: it is a folder", hint="name a file")
    return not stat.S_ISREG(mode) or _open_descriptor(target) is not None


def _open_descriptor(target: Path) -> int | None:
    """The descriptor of this process that `/dev/stdout`, `/dev/fd/N` or a link to one of them stands for."""
    link = target
    for _ in range(40):  # as many links as the system follows
        if os.path.realpath(link.parent) == f"/proc/{os.getpid()}/fd" and link.name.isdecimal():
            return int(link.name)
        if not link.is_symlink():
            return None
        link = link.parent / link.readlink()
    return None


def _refuse_planted_links(target: Path) -> None:
    """Refuse a path through a link that another user put into a folder that others can write to.

    Whoever can write there, as in /tmp, can plant a link whose target this user would replace.
    """
    if sys.platform == "win32":
        return
    path = Path(os.path.abspath(target))  # noqa: PTH100 - Path.resolve would follow the links
    for part in (path, *path.parents):
        if not part.is_symlink() or part.lstat().st_uid in (0, os.geteuid()):
            continue
        if part.parent.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise UsageError(
                "cannot-write",
                f"{printable(target)}: cannot be written: {printable(part)} is another user's link in a folder that others"
                " can write to",
                hint="choose another file or folder",
            )


def _require_writable(place: Path) -> None:
    """Refuse to replace a read-only file: renaming alone would only check the permissions of its folder."""
    if place.exists() and not os.access(place, os.W_OK):
        raise UsageError("cannot-write", f"{printable(place)}: cannot be written: Permission denied")


def _copy_into(scratch: Path, target: Path) -> None:
    import shutil

    if stat.S_ISSOCK(target.stat().st_mode):
        import socket  # takes milliseconds to import

        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(target))
            connection.sendall(scratch.read_bytes())
        return
    descriptor = _open_descriptor(target)
    # An open descriptor is duplicated, not opened again: a second open would start at its own offset in the file, and
    # later writes through the first would overwrite this one. A device is neither created nor truncated.
    sink_of = os.open(target, os.O_WRONLY | os.O_APPEND) if descriptor is None else os.dup(descriptor)
    with scratch.open("rb") as source, os.fdopen(sink_of, "wb") as sink:
        shutil.copyfileobj(source, sink)


def _rename(scratch: Path, place: Path) -> None:
    import shutil

    with scratch.open("rb") as stream:
        os.fsync(stream.fileno())
    old = place.stat() if place.exists() else None
    if old is None:
        # mkstemp creates private files; the result should have the mode of any new file.
        mask = os.umask(0)
        os.umask(mask)
        scratch.chmod(0o666 & ~mask)
    else:
        new = scratch.stat()
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            try:
                os.chown(scratch, old.st_uid, old.st_gid)
            except PermissionError:
                # A file that another user owns and we may write to: writing into it keeps the owner.
                with scratch.open("rb") as source, place.open("r+b") as sink:
                    shutil.copyfileobj(source, sink)
                    sink.truncate()
                return
        scratch.chmod(stat.S_IMODE(old.st_mode))
    scratch.replace(place)


def cache_folder() -> Path:
    """Where downloads and verdicts are kept: $DIVEVAL_CACHE, else diveval in $XDG_CACHE_HOME, else ~/.cache/diveval."""
    if chosen := os.environ.get("DIVEVAL_CACHE"):
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rules say that a relative path there is to be ignored.
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".cache") / "diveval"


def trusted(folder: Path) -> bool:
    """Whether only this user and root can change what is in a folder: what others can write, they can forge.

    In a folder above it, whoever can write could put another in its place; where only owners rename (as in /tmp), the
    folder itself is safe.
    """
    if sys.platform == "win32":
        return True
    mine, others = (0, os.geteuid()), stat.S_IWGRP | stat.S_IWOTH
    try:
        path = Path(os.path.abspath(folder))  # noqa: PTH100 - the links on the way are looked at, too
        for part in (path, *path.parents):
            if part.is_symlink() and part.lstat().st_uid not in mine:
                return False
            above = part.parent.stat().st_mode
            if above & stat.S_IWOTH and not above & stat.S_ISVTX:
                return False
        held = folder.stat()
    except OSError:
        return False
    return held.st_uid in mine and not held.st_mode & others


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn an OSError while a file is read into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError("cannot-read", f"cannot be read: {error.strerror or error}", source=str(path)) from error


def file_sum(path: Path) -> str:
    """SHA-256 of a file of any size."""
    import hashlib

    digest = hashlib.sha256()
    with reading(path), path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
