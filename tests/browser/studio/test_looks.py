"""No view sticks out of its window; and the pictures of the documentation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diveval.studio.session import Studio
from support.studio_page import Served, go, ready

PICTURES = os.environ.get("DIVEVAL_PICTURES")  # a folder: keep what `test_pictures` draws


VIEWS = ["leaderboard", "topics", "inspector", "metrics", "axioms", "parameters", "whatif", "playground"]


@pytest.mark.parametrize("width", [390, 1280])
def test_no_view_is_wider_than_the_window(watched, served, width):
    """On a phone and on a desktop nothing sticks out; wide tables scroll in their own frame."""
    page = ready(watched.open(served.address, viewport={"width": width, "height": 840}))
    for view in VIEWS:
        go(page, view)
        page.wait_for_timeout(250)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width, view


PICTURED = [
    ("leaderboard", "light", 1280), ("topics", "dark", 1280), ("inspector", "light", 1280), ("metrics", "dark", 1280),
    ("axioms", "light", 1280), ("whatif", "dark", 1280), ("playground", "light", 1280), ("playground", "dark", 390),
]  # fmt: skip


@pytest.mark.skipif(not PICTURES, reason="DIVEVAL_PICTURES names the folder for the documentation's pictures")
def test_pictures(watched):
    """One picture of each view of the built-in collection, for the documentation."""
    held = Served(Studio())
    try:
        for view, theme, width in PICTURED:
            page = ready(watched.open(held.address, viewport={"width": width, "height": 820}, color_scheme=theme))
            go(page, view)
            if view == "axioms":
                page.click("[data-cell='ERR_IA@20/CloseTh']")
            if view == "playground" and width > 1000:
                page.select_option("#preset", "MRed")
            page.wait_for_timeout(2500)
            page.screenshot(path=Path(str(PICTURES)) / f"studio-{view}{'-phone' if width < 500 else ''}.png")
    finally:
        held.close()
