"""The layout of the studio's views."""

from __future__ import annotations

from typing import Any

from support.pages import PHONE, settled
from support.studio_page import go, ready

VIEWS = [
    "verdict",
    "leaderboard",
    "bump",
    "topics",
    "inspector",
    "metrics",
    "axioms",
    "parameters",
    "judging",
    "whatif",
    "playground",
]


def test_no_view_is_wider_than_the_window(page: Any, watched: Any, served: Any) -> None:
    """On a phone and on a desktop screen no view is wider than the window."""
    phone = ready(watched.open(served.address, viewport=PHONE))
    for view in VIEWS:
        for window in (page, phone):
            go(window, view)
            width = settled(window).evaluate("() => document.documentElement.scrollWidth")
            assert width <= window.viewport_size["width"], view
