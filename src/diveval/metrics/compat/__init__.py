"""Metrics of other tools under the tools' names, digit for digit, and the counterparts of ir_measures' measures."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from diveval.errors import UsageError, quote
from diveval.metrics.metric import Entry

# The prefix of a name, the module with the tool's rules, and its list of entries there.
TOOLS = {
    "ndeval": ("ndeval", "NDEVAL"),
    "trec_eval": ("trec_eval", "TREC_EVAL"),
    "trec_eval9": ("trec_eval", "TREC_EVAL_9"),
    "gdeval": ("gdeval", "GDEVAL"),
    "evall": ("evall", "EVALL"),
    "ntcireval": ("ntcireval_ad_hoc", "ALL_OF_NTCIREVAL"),
    "cubetest": ("dynamic_domain", "CUBETEST"),
    "cwl": ("cwl", "CWL"),
    "ir_measures": ("irm", "IR_MEASURES"),
    "dd": ("dynamic_domain", "DYNAMIC_DOMAIN"),
    "crux": ("rag", "CRUX"),
    "freshstack": ("rag", "FRESHSTACK"),
}


def entries_of(tool: str) -> Sequence[Entry]:
    """A tool's entries of the catalogue. Only this tool's module is loaded: all of them take half as long as numpy."""
    module, listed = TOOLS[tool]
    entries: Sequence[Entry] = getattr(importlib.import_module(f"{__name__}.{module}"), listed)
    return entries


# --- measures of ir_measures ------------------------------------------------------------------------------------------


# Diversity measures that ir_measures computes with pyndeval, and our names for them.
OF_PYNDEVAL = {
    "ERR_IA": "ndeval.ERR_IA",
    "nERR_IA": "ndeval.nERR_IA",
    "alpha_DCG": "ndeval.alpha_DCG",
    "alpha_nDCG": "ndeval.alpha_nDCG",
    "NRBP": "ndeval.NRBP",
    "nNRBP": "ndeval.nNRBP",
    "AP_IA": "ndeval.MAP_IA",
    "P_IA": "ndeval.P_IA",
    "StRecall": "ndeval.strec",
}
# Measures that it computes with trec_eval: our names without and with a cutoff.
_TREC_EVAL = {
    "AP": ("map", "map_cut_{}"),
    "P": ("", "P_{}"),
    "nDCG": ("ndcg", "ndcg_cut_{}"),
    "RR": ("recip_rank", ""),
    "R": ("", "recall_{}"),
    "Rprec": ("Rprec", ""),
    "Bpref": ("bpref", ""),
}


def is_measure(item: Any) -> bool:
    """Whether this is a measure of ir_measures, decided without importing the library."""
    return hasattr(item, "NAME") and isinstance(getattr(item, "params", None), Mapping)


def text_of_measure(measure: Any) -> str:
    """The text of the metric that gives ir_measures' number."""
    entry, params = getattr(measure, "entry", None), dict(measure.params)
    cutoff = params.pop("cutoff", None)
    settings = ",".join(f"{name}={value}" for name, value in params.items())
    setting = f"({settings})" if settings else ""
    if entry is not None:  # one of ours, registered there
        return f"{entry.name}{setting}" + ("" if cutoff is None else f"{entry.cutoff_mark}{cutoff}")
    name = str(measure.NAME)
    if name in OF_PYNDEVAL and set(params) <= {"alpha", "beta"}:
        return f"{OF_PYNDEVAL[name]}{setting}" + ("" if cutoff is None else f"@{cutoff}")
    if name in _TREC_EVAL and not params:
        plain, cut = _TREC_EVAL[name]
        spelt = plain if cutoff is None else cut.format(cutoff)
        if spelt:
            return f"trec_eval.{spelt}"
    raise UsageError(
        "unknown-metric",
        f"ir_measures' {quote(measure)} has no counterpart in diveval",
        hint="give a name of `diveval metrics`",
    )
