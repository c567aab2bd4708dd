"""Waiting and resetting for browser tests of the report and the studio."""

from __future__ import annotations

from typing import Any

PATIENCE = 120_000  # milliseconds, so that a busy machine does not fail a test
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 400, "height": 844}


def settled(page: Any) -> Any:
    """Wait until every change is answered, drawn and written to the address."""
    page.wait_for_selector("body:not([aria-busy=true])", state="attached", timeout=PATIENCE)
    return page


# An address that names only the first view, different each time so that the page notices the change.
CLEAR = """() => new Promise((done) => {
  for (const open of document.querySelectorAll('details[open]:not(#settings)')) open.open = false;
  document.activeElement.blur();
  const agreed = () => {
    document.querySelector('#asked .yes')?.click(); // the studio follows an address from outside after a click
    setTimeout(done);
  };
  addEventListener('hashchange', agreed, { once: true });
  location.hash = `#leaderboard&cleared=${performance.now()}`;
})"""


def cleared(page: Any, size: dict[str, int] = DESK) -> Any:
    """Reset a shared page to its initial state: all choices are in the address, so an address without them is enough."""
    if page.viewport_size != size:
        page.set_viewport_size(size)
    settled(page).evaluate(CLEAR)
    settled(page).evaluate("() => scrollTo({ top: 0, behavior: 'instant' })")
    return page


def address_of(page: Any) -> str:
    """The current address of the page; Playwright's copy may be out of date."""
    address: str = settled(page).evaluate("() => location.href")
    return address
