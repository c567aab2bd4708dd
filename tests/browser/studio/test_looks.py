"""No view sticks out of its window."""

from __future__ import annotations

from typing import Any

import pytest

from support.pages import settled
from support.studio_page import go, ready

VIEWS = ["leaderboard", "bump", "topics", "inspector", "metrics", "axioms", "parameters", "whatif", "playground"]


@pytest.mark.parametrize("width", [390, 1280])
def test_no_view_is_wider_than_the_window(watched: Any, served: Any, width: int) -> None:
    """On a phone and on a desktop nothing sticks out; wide tables scroll in their own frame."""
    page = ready(watched.open(served.address, viewport={"width": width, "height": 840}))
    for view in VIEWS:
        go(page, view)
        assert settled(page).evaluate("() => document.documentElement.scrollWidth") <= width, view
