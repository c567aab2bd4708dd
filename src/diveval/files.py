"""Writing files so that a reader finds the old one or the new one, whole, and never a third thing."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from diveval.errors import UsageError


def write_atomically(path: str | Path, content: str | bytes) -> Path:
    """Write beside the target, flush to disk, then rename over it."""
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:80]}.", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes private files; a result should have the mode any new file would get.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(target)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
    return target


def cache_folder() -> Path:
    """Where downloads and verdicts are kept: $DIVEVAL_CACHE, else diveval in $XDG_CACHE_HOME, else ~/.cache/diveval."""
    if chosen := os.environ.get("DIVEVAL_CACHE"):
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rules say that a relative path there is to be ignored.
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".cache") / "diveval"
