"""Remote files: downloaded once per process, and removed when it ends."""

from __future__ import annotations

import atexit
import re
import threading
from pathlib import Path
from typing import Any

from diveval.errors import InputError, MissingExtraError, need, printable

PIECE = 1 << 20  # bytes read at once


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


_copies: dict[str, str] = {}  # by address


_lock = threading.Lock()


def is_remote(path: Any) -> bool:
    """Whether a path is a remote address."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def fetch(address: str) -> str:
    """The copy of a remote file, downloaded on first use and removed when the process ends."""
    with _lock:  # files are read by several threads
        if address not in _copies:
            _copies[address] = _download(address)
        return _copies[address]


def _download(address: str) -> str:
    import shutil
    import tempfile

    try:
        fsspec = need("fsspec", "remote")
    except MissingExtraError as error:
        what = f"is a remote file, and {error.message}"
        raise InputError("missing-extra", what, hint=error.hint, source=printable(address)) from error
    folder = Path(tempfile.mkdtemp(prefix="diveval-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / "copy"
    try:
        with fsspec.open(address, "rb") as stream, copy.open("wb") as target:
            shutil.copyfileobj(stream, target, PIECE)
    except ImportError as error:  # fsspec supports the scheme, but the library for it is missing
        libraries = LIBRARIES.get(address.partition(":")[0].lower())
        advice = f"pip install {libraries}" if libraries else printable(error)
        message = f"cannot be fetched yet: {advice}"
        raise InputError("download-failed", message, source=printable(address)) from error
    except Exception as error:  # every storage has its own exception types
        reason = printable(error) or type(error).__name__
        raise InputError("download-failed", f"cannot be fetched: {reason}", source=printable(address)) from error
    return str(copy)
