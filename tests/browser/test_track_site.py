"""The site of a track in a real browser, without scripts and network: on wide and narrow screens, and printed."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from support.accessible import MOST_STOPS, count_stops, find_violations
from support.pages import PATIENCE
from support.tracks import filled, track

PAGES = ("index.html", "rules.html", "topics.html", "history.html", "record.html", "team/alpha.html", "run/S0002.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The site of a released track."""
    place = filled(tmp_path_factory.mktemp("track"))
    for words in (
        ("score", place),
        ("rank", place),
        ("decide", "release", "--track", place, "--reason", "done"),
        ("site", place),
    ):
        track(*words)
    return place / "site"


def test_pages_fit_the_screen_without_scripts_and_network(browser: Any, site: Any) -> None:
    """No page is wider than the screen, and the browser reports no violation of the policy."""
    context = browser.new_context(java_script_enabled=False, offline=True)
    context.set_default_timeout(PATIENCE)
    with contextlib.closing(context):
        page = context.new_page()
        messages: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        for name in PAGES:
            page.goto((site / name).as_uri())
            for width in (1400, 400):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
                assert page.locator("h1").is_visible()
            assert messages == [], name
        page.goto((site / "index.html").as_uri())
        assert page.locator("#board tbody tr").count() == 3
        assert page.locator("#board svg .point").count() == 6


def test_pages_print(browser: Any, site: Any) -> None:
    """The index prints as a PDF of one to four pages."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto((site / "index.html").as_uri())
    data = page.pdf(format="A4")
    page.close()
    assert data.startswith(b"%PDF")
    assert 1 <= data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") <= 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_violation(watched: Any, site: Any, scheme: str) -> None:
    """axe finds nothing on any page, in both themes, and the Tab key reaches the content soon."""
    page = watched.open((site / PAGES[0]).as_uri(), color_scheme=scheme)
    for name in PAGES:
        page.goto((site / name).as_uri())
        assert find_violations(page) == [], name
        assert count_stops(page, "h1") <= MOST_STOPS
