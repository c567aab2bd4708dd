"""Checks of a page for people who use a keyboard or a screen reader."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

MOST_STOPS = 60  # presses of the Tab key before the content

RUN_AXE = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], preload: false });
  return violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)}`));
}"""
# What the Tab key reaches before an element: visible, not disabled, not taken out of the order, one of a group of radios.
STOPS = """(content) => {
  const start = document.querySelector(content);
  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
  return all.filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }) &&
    start.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING).length;
}"""
# Pictures with a meaning whose numbers are in no table beside them.
BARE = """() => [...document.querySelectorAll("svg[role=img]")].filter((picture) => {
  const near = picture.closest("figure, .panel, .play-curve, .duel, section, main");
  return picture.checkVisibility() && !near.querySelector("table, details.behind");
}).map((picture) => picture.getAttribute("aria-label"))"""


@cache
def _axe() -> str | None:
    made = subprocess.run(
        [Path(__file__).parents[2] / "scripts" / "axe"], capture_output=True, text=True, check=False, timeout=120
    )
    return Path(made.stdout.strip()).read_text(encoding="utf-8") if made.returncode == 0 else None


def find_violations(page: Any) -> list[str]:
    """What axe-core finds on the page as it is, and charts without a table."""
    script = _axe()
    if script is None:
        pytest.skip("axe-core cannot be fetched with npm")
    page.evaluate(script)
    found: list[str] = page.evaluate(RUN_AXE)
    return found + [f"chart without a table: {label}" for label in page.evaluate(BARE)]


def count_stops(page: Any, content: str) -> int:
    """How many times the Tab key is pressed before it reaches the content."""
    stops: int = page.evaluate(STOPS, content)
    return stops
