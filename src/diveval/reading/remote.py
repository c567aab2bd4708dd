"""Files elsewhere (`s3://…`, `hf://…`, `https://…`): fetched once through fsspec, then read like any other file.

A file is copied to a temporary folder, so that every reader and the compiled scanner work on it as on a file of this
machine; the folder is removed when the process ends. Messages name the address, not the copy.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any, TypeVar

from diveval.errors import InputError, MissingExtraError, need, printable

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
