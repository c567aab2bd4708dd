"""Measures of ir_measures as metrics: each becomes the tool's metric that ir_measures computes under its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diveval.errors import UsageError, shown

# What ir_measures hands to pyndeval, and the parameters both have.
_NDEVAL = {
    "ERR_IA": "ERR_IA",
    "nERR_IA": "nERR_IA",
    "alpha_DCG": "alpha_DCG",
    "alpha_nDCG": "alpha_nDCG",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "AP_IA": "MAP_IA",
    "P_IA": "P_IA",
    "StRecall": "strec",
}
# What it hands to trec_eval, without and with a cutoff.
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
    """A measure object of ir_measures, known without importing it."""
    return hasattr(item, "NAME") and isinstance(getattr(item, "params", None), Mapping)


def text_of_measure(measure: Any) -> str:
    """The text of the metric that gives ir_measures' number."""
    entry, params = getattr(measure, "entry", None), dict(measure.params)
    cutoff = params.pop("cutoff", None)
    said = ",".join(f"{name}={value}" for name, value in params.items())
    setting = f"({said})" if said else ""
    if entry is not None:  # one of ours, registered there
        return f"{entry.name}{setting}" + ("" if cutoff is None else f"{entry.cutoff_mark}{cutoff}")
    name = str(measure.NAME)
    if name in _NDEVAL and set(params) <= {"alpha", "beta"}:
        return f"ndeval.{_NDEVAL[name]}{setting}" + ("" if cutoff is None else f"@{cutoff}")
    if name in _TREC_EVAL and not params:
        plain, cut = _TREC_EVAL[name]
        spelt = plain if cutoff is None else cut.format(cutoff)
        if spelt:
            return f"trec_eval.{spelt}"
    raise UsageError(f"ir_measures' {shown(measure)} has no counterpart in diveval; give a name of `diveval metrics`")
