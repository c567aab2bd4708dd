"""The studio for people who use a keyboard or a screen reader."""

from __future__ import annotations

from typing import Any

import pytest

from support.accessible import MOST_STOPS, count_stops, find_violations
from support.pages import settled
from support.studio_page import go

from .test_looks import VIEWS


@pytest.mark.parametrize("view", [*VIEWS, "conclusions"])
def test_no_view_has_a_violation(page: Any, view: str) -> None:
    """axe finds nothing, every chart has a table, and the Tab key reaches the view soon."""
    go(page, view)
    settled(page)
    if view == "playground":
        page.select_option("#preset", "MRed")
        settled(page)
    assert find_violations(page) == []
    assert count_stops(page, "#view h2") <= MOST_STOPS


def test_the_dialog_of_files_has_no_violation(page: Any, collection: Any) -> None:
    """With files in it; the Tab key stays in the dialog."""
    page.set_input_files("#pick", [str(collection["judgments"]), str(collection["runs"][1])])
    page.wait_for_selector("#import[open]")
    found = find_violations(page)
    page.click("#import .quiet:has-text('Cancel')")
    assert found == []
