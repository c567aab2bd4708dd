"""The report for people who use a keyboard or a screen reader."""

from __future__ import annotations

from typing import Any

import pytest

from support.accessible import MOST_STOPS, count_stops, find_violations
from support.pages import PHONE, cleared, settled

from .test_looks import WIDE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_has_no_violation(report: Any, scheme: str) -> None:
    """axe finds nothing on a desktop screen, and every chart has a table."""
    page = cleared(report, WIDE)
    page.emulate_media(color_scheme=scheme)
    page.wait_for_selector(f"html[data-theme={scheme}]", state="attached")
    found = find_violations(settled(page))
    page.emulate_media(color_scheme="light")
    assert found == []


def test_few_stops_are_before_the_content(report: Any) -> None:
    """The Tab key reaches the content soon, also on a phone."""
    for size in (WIDE, PHONE):
        assert count_stops(cleared(report, size), "#main h1") <= MOST_STOPS
