"""The files that stand for runs: a folder is the files in it, a pattern such as `runs/*.gz` the files it matches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from diveval.errors import UsageError
from diveval.reading.remote import is_remote


def expand_runs(given: Iterable[Any]) -> list[Any]:
    """Runs in any form, with every folder and pattern replaced by its files; a run with a name of its own is one file."""
    return [file for item in given for file in (_files_of(item) if _is_path(item) else [item])]


def _is_path(item: Any) -> bool:
    """Whether this may be a folder or a pattern: neither standard input nor an address."""
    if not isinstance(item, str | os.PathLike) or hasattr(item, "label"):
        return False
    return os.fspath(item) != "-" and not is_remote(os.fspath(item))


def _files_of(item: str | os.PathLike[str]) -> list[Any]:
    import glob

    path = Path(item)
    try:
        if path.is_dir():
            return _files_in(path)
        if path.exists():  # a name may contain the signs of a pattern
            return [item]
    except (OSError, ValueError):  # its reader reports the error
        return [item]
    text = os.fspath(item)
    return (sorted(glob.glob(text)) if glob.has_magic(text) else []) or [item]  # noqa: PTH207 (a pattern may be absolute)


def _files_in(folder: Path) -> list[str]:
    """The files of a folder by name, without hidden ones and without those of its subfolders."""
    files = sorted(str(path) for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    if not files:
        raise UsageError("empty-folder", f"{folder}: contains no file", hint="name run files, or a folder of them")
    return files
