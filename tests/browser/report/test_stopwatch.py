"""What a reader with two minutes has seen: six facts, and the screen on which each of them appears."""

from __future__ import annotations

from typing import Any

import pytest

from support.pages import cleared

# What it says, and where it stands: a selector and words that it must contain, beside a name of the collection.
FACTS = {
    "best system": "#systems-in-short p:nth-of-type(1)",
    "metric to trust": "#verdict-h",
    "why": "#why-metric",
    "what contradicts": "#against li, #against p",
    "how sure": "#systems-in-short a[data-view=conclusions]",
    "what next": "#next li code",
}
SEEN = """(selectors) => Object.fromEntries(Object.entries(selectors).map(([fact, selector]) => {
  const found = document.querySelector(selector);
  if (!found || !found.textContent.trim()) return [fact, null];
  const box = found.getBoundingClientRect();
  return [fact, box.width > 0 && box.left < innerWidth ? Math.floor((box.bottom + scrollY) / innerHeight) + 1 : null];
}))"""


@pytest.mark.parametrize("size", [(1400, 900), (400, 900)])
def test_six_facts_are_on_the_first_two_screens(report: Any, size: tuple[int, int]) -> None:
    """Best system, metric to trust, why, what contradicts, how sure and what next are on the first or second screen."""
    page = cleared(report, {"width": size[0], "height": size[1]})
    screens = page.evaluate(SEEN, FACTS)
    assert all(screen is not None and screen <= 2 for screen in screens.values()), screens
