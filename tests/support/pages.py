"""What browser tests of the report and of the studio wait for."""

from __future__ import annotations

from typing import Any

PATIENCE = 120_000  # milliseconds: a busy machine is no failure


def settled(page: Any) -> Any:
    """Wait until nothing is under way or planned: every change was answered, drawn and written to the address."""
    page.wait_for_selector("body:not([aria-busy=true])", state="attached", timeout=PATIENCE)
    return page


def address_of(page: Any) -> str:
    """The address as the page has it now; the one that Playwright knows may be a moment older."""
    found: str = settled(page).evaluate("() => location.href")
    return found
