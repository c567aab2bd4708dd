"""How much one visitor may ask for: a page that runs away must not take the machine with it."""

from __future__ import annotations

from dataclasses import dataclass

from diveval.errors import DivevalError

MEGABYTE = 1024 * 1024


class TooMuchError(DivevalError):
    """A request beyond a limit; the message says the limit."""


@dataclass(frozen=True)
class Limits:
    """Files given on the command line are their owner's; uploads, requests and jobs are bounded."""

    body: int = MEGABYTE  # bytes of a JSON request
    upload: int = 64 * MEGABYTE  # bytes of one uploaded file
    uploads: int = 512 * MEGABYTE  # bytes of all of them
    files: int = 300
    unpacked: int = 512 * MEGABYTE  # bytes of an uploaded file once unpacked
    rows: int = 5_000_000  # lines of an uploaded file
    metrics: int = 200  # of one request
    cells: int = 4_000_000  # runs × topics × metrics of one request
    documents: int = 60  # of a ranking in the playground, on the bench included
    aspects: int = 12
    depth: int = 200  # ranks shown by the inspector
    seconds: float = 120.0  # of one job
    jobs: int = 8  # under way at once

    def check_cells(self, runs: int, topics: int, metrics: int) -> None:
        """Refuse a table that is too large."""
        if runs * topics * metrics > self.cells:
            raise TooMuchError(
                f"{runs} runs × {topics} topics × {metrics} metrics are more than {self.cells} scores at once;"
                " ask for fewer metrics, or use `diveval evaluate`"
            )
