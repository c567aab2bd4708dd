"""What browser tests of the report and of the studio wait for."""

from __future__ import annotations

from typing import Any

PATIENCE = 120_000  # milliseconds: a busy machine is no failure
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 400, "height": 844}


def settled(page: Any) -> Any:
    """Wait until nothing is under way or planned: every change was answered, drawn and written to the address."""
    page.wait_for_selector("body:not([aria-busy=true])", state="attached", timeout=PATIENCE)
    return page


# An address that names the first view and nothing else, new each time, so that the page follows it.
CLEAR = """() => new Promise((done) => {
  for (const open of document.querySelectorAll('details[open]:not(#settings)')) open.open = false;
  document.activeElement.blur();
  addEventListener('hashchange', done, { once: true });
  location.hash = `#leaderboard&cleared=${performance.now()}`;
})"""


def cleared(page: Any, size: dict[str, int] = DESK) -> Any:
    """Take a page that tests share back to how it comes up: every choice is in the address, so a bare one undoes all."""
    if page.viewport_size != size:
        page.set_viewport_size(size)
    settled(page).evaluate(CLEAR)
    settled(page).evaluate("() => scrollTo({ top: 0, behavior: 'instant' })")
    return page


def address_of(page: Any) -> str:
    """The address as the page has it now; the one that Playwright knows may be a moment older."""
    found: str = settled(page).evaluate("() => location.href")
    return found
