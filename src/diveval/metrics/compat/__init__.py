"""Other tools' numbers under other tools' names, digit for digit."""

from __future__ import annotations

from diveval.metrics.compat.cubetest import CUBETEST
from diveval.metrics.compat.cwl import CWL
from diveval.metrics.compat.dynamic_domain import DYNAMIC_DOMAIN
from diveval.metrics.compat.evall import EVALL
from diveval.metrics.compat.gdeval import GDEVAL
from diveval.metrics.compat.ndeval import NDEVAL
from diveval.metrics.compat.ntcireval import NTCIREVAL
from diveval.metrics.compat.trec_eval import TREC_EVAL
from diveval.metrics.metric import Entry

TOOLS: list[Entry] = [
    *NDEVAL, *TREC_EVAL, *GDEVAL, *EVALL, *NTCIREVAL, *CUBETEST, *CWL, *DYNAMIC_DOMAIN,
]  # fmt: skip
