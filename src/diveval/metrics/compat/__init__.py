"""Other tools' numbers under other tools' names, digit for digit."""

from __future__ import annotations

from diveval.metrics.metric import Entry

TOOLS: list[Entry] = []
