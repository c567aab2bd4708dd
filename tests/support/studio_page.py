"""The studio served on a port of its own for browser tests, and helpers that read its page."""

from __future__ import annotations

import threading
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from diveval.studio.server import bind, make_server
from diveval.studio.session import Studio
from support.pages import PATIENCE

TOKEN = "a-token-for-the-browser"
HOSTILE = "<img/src=x/onerror=hacked=1>"
RBU = "RBU(p=0.99,e=0.05)@20"
METRICS = [RBU, "alpha_nDCG(alpha=0.5)@20", "ERR_IA@20", "P@20"]


class Served:
    """A studio on a port of its own, in a thread."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.listener = bind(0)
        self.port = self.listener.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.address = f"{self.origin}/#token={TOKEN}"
        self._server = make_server(studio, port=self.port, token=TOKEN)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self.listener]}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self.listener.close()


def shown(number: float) -> str:
    """Four digits as JavaScript writes them, with halves rounded away from zero."""
    return str(Decimal(number).quantize(Decimal("0.0001"), ROUND_HALF_UP))


def ready(page: Any) -> Any:
    """Wait until the page is complete; an address with a state is agreed to."""
    page.wait_for_selector("html[data-ready=yes], html[data-asked]", state="attached", timeout=PATIENCE)
    if page.locator("#asked").count():
        agree(page)
    page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=PATIENCE)
    return page


def agree(page: Any) -> None:
    """Follow an address that the page has not written itself."""
    page.click("#asked .yes")


def go(page: Any, view: str) -> None:
    page.click(f"#views a[data-view={view}]")


def column(page: Any, metric: str) -> dict[str, str]:
    """A leaderboard's column as shown, from top to bottom."""
    page.wait_for_selector(f"#board td[data-metric='{metric}']")
    # In one call, since a board that is being redrawn has rows without values and rows that will be removed.
    complete = """metric => {
        const rows = [...document.querySelectorAll("#board tbody tr[data-run]")];
        const cells = rows.map(row => [row.dataset.run, row.querySelector(`td[data-metric="${CSS.escape(metric)}"] .value`)]);
        return cells.length && cells.every(([, cell]) => cell) && Object.fromEntries(cells.map(([run, cell]) => [run, cell.innerText]));
    }"""
    values: dict[str, str] = page.wait_for_function(complete, arg=metric).json_value()
    return values


def means_of(scores: Any, metric: str) -> dict[str, str]:
    """The library's means, best first, formatted as on the page."""
    mean = scores.mean()
    best = sorted(mean, key=lambda run: (-mean[run][metric], run))
    return {run: shown(mean[run][metric]) for run in best}


def refused(page: Any, watched: Any) -> None:
    """Wait for the console message of the one refused request, which may arrive late, and ignore it."""
    for _ in range(100):
        if watched.complaints:
            break
        page.wait_for_timeout(50)
    assert ["400" in complaint for complaint in watched.complaints] == [True]
    watched.complaints.clear()
