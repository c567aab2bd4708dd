"""Other tools' numbers under other tools' names, digit for digit."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from diveval.metrics.metric import Entry

# What stands before the dot of a name: the module that keeps the tool's rules, and its list there.
TOOLS = {
    "ndeval": ("ndeval", "NDEVAL"),
    "trec_eval": ("trec_eval", "TREC_EVAL"),
    "gdeval": ("gdeval", "GDEVAL"),
    "evall": ("evall", "EVALL"),
    "ntcireval": ("ntcireval", "NTCIREVAL"),
    "cubetest": ("cubetest", "CUBETEST"),
    "cwl": ("cwl", "CWL"),
    "dd": ("dynamic_domain", "DYNAMIC_DOMAIN"),
    "crux": ("crux", "CRUX"),
    "freshstack": ("freshstack", "FRESHSTACK"),
}


def entries_of(tool: str) -> Sequence[Entry]:
    """A tool's rows of the catalogue. Only the tool that is asked for is loaded: eight would cost half of numpy."""
    module, listed = TOOLS[tool]
    entries: Sequence[Entry] = getattr(importlib.import_module(f"{__name__}.{module}"), listed)
    return entries
