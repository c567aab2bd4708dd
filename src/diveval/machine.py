"""The number of cores, and whether a file has changed. Nothing is loaded for it."""

from __future__ import annotations

import os
import stat


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def state(path: str | os.PathLike[str]) -> tuple[int, ...] | None:
    """What tells one content of a regular file from the next; None for what has no content of its own, like a pipe."""
    try:
        now = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns) if stat.S_ISREG(now.st_mode) else None
