"""BibTeX for the metrics and tests that a table uses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from diveval.metrics.metric import Metric

_METRICS = {
    "RBU": "amigo2018rbu",
    "nRBU": "amigo2018rbu",
    "iRBU": "sakai2019",
    "alpha_nDCG": "clarke2008",
    "alpha_DCG": "clarke2008",
    "NRBP": "clarke2009",
    "StRecall": "zhai2003",
    "SRR": "zhai2003",
    "D_nDCG": "sakai2011",
    "Dsharp_nDCG": "sakai2011",
    "EU": "yang2009",
    "CT": "luo2013",
    "ACT": "luo2013",
    "RBP": "moffat2008",
    "DCG": "jarvelin2002",
    "nDCG": "jarvelin2002",
    "ERR": "chapelle2009",
}


def citations(metric: Metric) -> list[str]:
    """The keys of the papers that define a metric: an intent-aware one has two. Another tool's form cites the same."""
    name = metric.name if metric.entry is None else metric.entry.name.rpartition(".")[2]
    if name in _METRICS:
        return [_METRICS[name]]
    if not name.endswith("_IA"):
        return []
    inner = _METRICS.get(name.removesuffix("_IA"))
    return ["agrawal2009", inner] if inner else ["agrawal2009"]


@cache
def entries() -> dict[str, str]:
    """The BibTeX entries of references.bib by key."""
    text = files("diveval.publishing").joinpath("references.bib").read_text(encoding="utf-8")
    return {re.match(r"@\w+\{([^,]+),", entry)[1]: entry for entry in text.strip().split("\n\n")}  # type: ignore[index]


def bibliography(keys: Iterable[str]) -> str:
    """The BibTeX entries, each once, in the order of first use."""
    return "\n\n".join(entries()[key] for key in dict.fromkeys(keys)) + "\n"
