"""No view sticks out of its window."""

from __future__ import annotations

from typing import Any

from support.pages import PHONE, settled
from support.studio_page import go, ready

VIEWS = ["leaderboard", "bump", "topics", "inspector", "metrics", "axioms", "parameters", "whatif", "playground"]


def test_no_view_is_wider_than_the_window(page: Any, watched: Any, served: Any) -> None:
    """On a phone and on a desktop nothing sticks out; wide tables scroll in their own frame."""
    phone = ready(watched.open(served.address, viewport=PHONE))
    for view in VIEWS:
        for shown in (page, phone):
            go(shown, view)
            wide = settled(shown).evaluate("() => document.documentElement.scrollWidth")
            assert wide <= shown.viewport_size["width"], view
