"""Files that others put where the track takes them: read only if they are what they seem.

Whoever may write into `inbox/<team>/` could put a link there, and the track would copy the file behind it into the store
and publish it at release. So nothing here follows a link, waits for a pipe, or reads more than the track accepts.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from diveval.errors import InputError, quote
from diveval.reading.source import Source
from diveval.tracks.config import OWN, PATHS, PRIVATE_OWN, PUBLIC, Config

# Folders in which the track keeps nothing of its own; a second name in the inbox is refused there, and stops no command.
NOT_KEPT = frozenset(("data", "inbox", ".git"))
MOST_METADATA = 1 << 22  # bytes of a metadata file
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_BY_HANDLE = sys.platform != "win32" and os.open in os.supports_dir_fd


def _unsafe_error(name: str, why: str) -> InputError:
    return InputError("unsafe-file", why, hint="put a copy of the file itself there", source=name)


def refuse_large(size: int, most: int, name: str) -> None:
    """Refuse a file by its size, before it is read."""
    if size > most:
        raise InputError("file-too-large", f"has {size} bytes, at most {most} are accepted", source=name)


def require_plain(found: os.stat_result, name: str) -> None:
    """Refuse what is not a regular file with one name: a second name may be that of a private file."""
    if stat.S_ISLNK(found.st_mode):
        raise _unsafe_error(name, "is a link")
    if not stat.S_ISREG(found.st_mode):
        raise _unsafe_error(name, "is not a regular file")
    if found.st_nlink != 1:
        raise _unsafe_error(name, f"has {found.st_nlink} names (hard links)")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise _unsafe_error(quote(name), "has a name that is not UTF-8") from None


@contextmanager
def _open_below(root: Path, parts: Sequence[str]) -> Iterator[int]:
    """An open file below a folder, reached without following a link on the way."""
    handles = []
    try:
        if _BY_HANDLE:
            handles.append(os.open(root, os.O_RDONLY | os.O_DIRECTORY))
            for part in parts[:-1]:
                handles.append(os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=handles[-1]))
            handles.append(os.open(parts[-1], _FLAGS, dir_fd=handles[-1]))
        else:
            _refuse_links(root, parts)
            handles.append(os.open(root.joinpath(*parts), _FLAGS))
        yield handles[-1]
    finally:
        for handle in handles:
            os.close(handle)


def _refuse_links(root: Path, parts: Sequence[str]) -> None:
    for n in range(1, len(parts) + 1):
        if root.joinpath(*parts[:n]).is_symlink():
            raise _unsafe_error("/".join(parts), "is a link, or lies behind one")


def read_below(root: Path, parts: Sequence[str], most: int) -> bytes:
    """The bytes of a regular file below a folder: no link on the way, at most `most` bytes, unchanged while it is read."""
    name = "/".join(parts)
    try:
        with _open_below(root, parts) as handle:
            before = os.fstat(handle)
            require_plain(before, name)
            refuse_large(before.st_size, most, name)
            data = _read(handle, most)
            after = os.fstat(handle)
    except OSError as error:
        raise _unsafe_error(name, f"cannot be read as a plain file: {error.strerror or error}") from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or len(data) != after.st_size:
        raise InputError("file-changed", "changed while it was read", source=name)
    return data


def _read(handle: int, most: int) -> bytes:
    pieces, left = [], most + 1
    while left > 0 and (piece := os.read(handle, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def list_plain(root: Path, parts: Sequence[str]) -> tuple[dict[str, os.stat_result], list[InputError]]:
    """The regular files of a folder below `root` by name, and an error for every other entry; hidden ones are left out."""
    files, refused = dict[str, os.stat_result](), []
    folder = root.joinpath(*parts)
    _refuse_links(root, parts)
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.startswith("."):
                continue
            found = entry.stat(follow_symlinks=False)
            try:
                require_plain(found, "/".join([*parts, entry.name]))
            except InputError as error:
                refused.append(error)
            else:
                files[entry.name] = found
    return files, refused


def list_links(folder: Path, config: Config) -> Iterator[str]:
    """What a link, or a second name, would publish: a private file as topics or documents, or inputs below an output."""
    root = folder.resolve()
    public = [name for name in (config["data.topics"], config.document_list) if name]
    hidden = [config[name] for name in PATHS if name.startswith("data.") and name not in PUBLIC and config[name]]
    for name in filter(None, public):
        path = folder / name
        real = path.resolve()
        if real.is_relative_to(root) and real.relative_to(root).parts[0] in OWN - {"data"}:
            yield f"{name} is published, and leads to {real.relative_to(root)}"
        found = path.stat() if path.is_file() else None
        others = [folder / other for other in hidden]
        if found is not None and found.st_nlink > 1:
            others += [other for own in OWN - NOT_KEPT for other in (folder / own).rglob("*")]
        for other in others:
            if found is not None and other.is_file() and os.path.samestat(other.stat(), found):
                yield f"{name} is published, and is the same file as {other.relative_to(folder)}"
    for name in hidden:  # a release publishes these too
        real = (folder / name).resolve()
        parts = real.relative_to(root).parts if real.is_relative_to(root) else ()
        if parts and (parts[0] in OWN - {"data", "private"} or parts[:2] in PRIVATE_OWN):
            yield f"{name} leads to {'/'.join(parts)}, which the track writes itself"
        elif real.is_file() and real.stat().st_nlink > 1:
            kept = [path for own in OWN - {*NOT_KEPT, "private"} for path in (root / own, *(root / own).rglob("*"))]
            kept += [path for own in PRIVATE_OWN for path in (root.joinpath(*own), *root.joinpath(*own).rglob("*"))]
            for other in kept:
                if other.is_file() and other.samefile(real):
                    yield f"{name} is the same file as {other.relative_to(root)}, which the track writes itself"
    documents, topics = folder / config.document_list, folder / config["data.topics"]
    if config.document_list and documents.is_file() and topics.is_file() and documents.samefile(topics):
        yield f"{config.document_list} is the same file as {config['data.topics']}, of which the kit has only ids and queries"
    for key in ("site.out", "export.out"):
        out = (folder / config[key]).resolve()
        for name in (*public, *hidden):
            if (folder / name).resolve().is_relative_to(out):
                yield f"{name} leads into {config[key]}, which {key} names for writing"


def read_named(path: Path, most: int) -> bytes:
    """A file that the command line names; pipes are read up to the limit."""
    with Source.of(path).open() as opened:
        if path.is_file():
            refuse_large(path.stat().st_size, most, str(path))
        data = opened.seekable().read(most + 1)
    refuse_large(len(data), most, str(path))
    return data


def refuse_own(folder: Path, path: Path, team: str | None) -> None:
    """Refuse a file that is, or links to, one that the track keeps: only the team's own folder of the inbox is open to it.

    An organiser may name files by a pattern, and one of them may be a link that a participant made.
    """
    root, real = folder.resolve(), path.resolve()
    if real.is_relative_to(root) and real.relative_to(root).parts[:2] != ("inbox", team):
        raise _unsafe_error(str(path), f"is a file of the track, {real.relative_to(root)}")
    found = path.stat() if path.is_file() else None
    if found is None or found.st_nlink == 1:
        return
    for own in root.rglob("*"):
        if own.is_file() and own.samefile(path) and own != real:
            raise _unsafe_error(str(path), f"is another name of a file of the track, {own.relative_to(root)}")
