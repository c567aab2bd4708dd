"""A real browser for the tests: Chromium as the system has it, with the network refused and every complaint kept."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.pages import DESK, PATIENCE

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-component-update",
    "--disable-quic",
    "--no-first-run",
    "--host-resolver-rules=MAP evil.example 127.0.0.1",  # a foreign name that leads to this machine
]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium, for as long as tests of this folder follow each other: its start costs more than most of them.

    It ends before any other test: while it runs, this thread has an event loop that they must not meet.
    """
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine (scripts/install-chromium installs it)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=QUIET, timeout=PATIENCE)
        yield chromium
        chromium.close()


class Watched:
    """Opens pages and remembers what they complained of or asked for."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._contexts: list[Any] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def open(self, address: str, **context: Any) -> Any:
        """A page at an address, in a context of its own."""
        held = self._browser.new_context(**{"viewport": DESK, **context})
        held.set_default_timeout(PATIENCE)
        self._contexts.append(held)
        page = held.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        return page

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def close(self) -> None:
        while self._contexts:
            self._contexts.pop().close()


@contextmanager
def watching(browser: Any) -> Iterator[Watched]:
    """Open pages with it; whatever a page complained of is an error."""
    held = Watched(browser)
    yield held
    held.close()
    assert held.complaints == []


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    """Pages of one test."""
    with watching(browser) as held:
        yield held


@pytest.fixture(scope="package")
def standing(browser: Any) -> Iterator[Watched]:
    """Pages that stay open: to open one costs a second of CPU, to clear it a tenth."""
    with watching(browser) as held:
        yield held


@pytest.fixture
def quiet(standing: Watched) -> Iterator[None]:
    """A test with a page that stays open answers for its own complaints."""
    yield
    complaints = standing.complaints.copy()
    standing.complaints.clear()
    assert complaints == []
