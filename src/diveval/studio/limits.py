"""Limits on requests, so that a faulty page cannot exhaust the machine."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

from diveval.errors import DivevalError

K = TypeVar("K")
V = TypeVar("V")
MEGABYTE = 1024 * 1024


class TooMuchError(DivevalError):
    """A request beyond a limit; the message names the limit."""


@dataclass(frozen=True)
class Limits:
    """Bounds on uploads, requests and jobs; files of the command line are not limited."""

    body: int = MEGABYTE  # bytes of a JSON request
    upload: int = 64 * MEGABYTE  # bytes of one uploaded file
    uploads: int = 512 * MEGABYTE  # bytes of all of them
    files: int = 300
    unpacked: int = 512 * MEGABYTE  # bytes of an uploaded file once unpacked
    rows: int = 5_000_000  # lines of an uploaded file, rows of a parquet file
    metrics: int = 200  # of one request
    cells: int = 4_000_000  # runs × topics × metrics of one request
    documents: int = 60  # of a ranking in the playground, on the bench included
    aspects: int = 12
    depth: int = 200  # ranks shown by the inspector
    seconds: float = 120.0  # of one job
    request_seconds: float = 30.0  # of the work for one request that waits for its answer
    jobs: int = 8  # under way at once; others wait
    waiting: int = 400  # requests under way or waiting
    collections: int = 4  # in memory at once; beyond that the least recently used one is dropped
    connections: int = 256  # open at once; beyond that idle ones without the token are closed
    idle: float = 10.0  # seconds that a connection without the token may be silent
    stalled: float = 30.0  # seconds that a request may bring nothing
    texts: int = 200_000  # documents whose text is kept

    def check_cells(self, runs: int, topics: int, metrics: int) -> None:
        """Refuse a table that is too large."""
        if runs * topics * metrics > self.cells:
            raise TooMuchError(
                "too-much-work",
                f"{runs} runs × {topics} topics × {metrics} metrics are more than {self.cells} scores at once",
                hint="ask for fewer metrics, or use `diveval evaluate`",
            )


def remember(kept: OrderedDict[K, V], key: K, value: V, most: int) -> V:
    """Store a value as the most recently used; beyond `most`, drop the least recently used ones."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)
    return value
