"""The system's Chromium for the tests, which records requests, errors and warnings of pages."""

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
    "--host-resolver-rules=MAP evil.example 127.0.0.1",  # a foreign name that resolves to this machine
]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium for all tests of this folder: starting it takes longer than most of them.

    It ends before other tests start, since its event loop in this thread would break them.
    """
    program = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("Chromium is not installed (scripts/install-chromium installs it)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=QUIET, timeout=PATIENCE)
        yield chromium
        chromium.close()


class Watched:
    """Opens pages and records their requests, errors and warnings."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._contexts: list[Any] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def open(self, address: str, **context: Any) -> Any:
        """Open an address in a new context."""
        new = self._browser.new_context(**{"viewport": DESK, **context})
        new.set_default_timeout(PATIENCE)
        self._contexts.append(new)
        page = new.new_page()
        page.on("console", self._record)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        return page

    def _record(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def close(self) -> None:
        while self._contexts:
            self._contexts.pop().close()


@contextmanager
def watching(browser: Any) -> Iterator[Watched]:
    """Open pages; an error or warning of a page fails the test."""
    watched = Watched(browser)
    yield watched
    watched.close()
    assert watched.complaints == []


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    """Opens the pages of one test."""
    with watching(browser) as pages:
        yield pages


@pytest.fixture(scope="package")
def standing(browser: Any) -> Iterator[Watched]:
    """Opens pages that several tests share: opening a page takes a second of CPU time, resetting it a tenth."""
    with watching(browser) as pages:
        yield pages


@pytest.fixture
def quiet(standing: Watched) -> Iterator[None]:
    """Fails a test during which a shared page reports an error or warning."""
    yield
    complaints = standing.complaints.copy()
    standing.complaints.clear()
    assert complaints == []
