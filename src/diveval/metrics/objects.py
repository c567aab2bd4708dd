"""The metrics of the catalogue as objects: `RBU(p=0.9) @ 20`, `nDCG @ 10`, `ndeval.alpha_nDCG @ 20`.

Each equals the metric that its text names, and can be given wherever a metric is asked for.
"""

# ruff: noqa: N816 (the names are those of the literature)
from __future__ import annotations

from diveval.metrics.compat import entries_of
from diveval.metrics.metric import Entry, Metric
from diveval.metrics.names import find, parse


class ToolMetrics:
    """The metrics under another tool's name; one that needs a cutoff gets it by `@`. The tool's rules are loaded late."""

    def __init__(self, tool: str) -> None:
        self._tool = tool

    def __getattr__(self, name: str) -> Metric | Entry:
        for entry in () if name.startswith("_") else entries_of(self._tool):
            if entry.name == f"{self._tool}.{name}":
                return entry if entry.cutoffs == "needed" else entry.metric({}, None)
        raise AttributeError(f"{self._tool} has no metric {name!r}; there are {', '.join(dir(self))}")

    def __dir__(self) -> list[str]:
        return [entry.name.partition(".")[2] for entry in entries_of(self._tool)]

    def __repr__(self) -> str:
        return f"<metrics of {self._tool}: {', '.join(dir(self))}>"


ACT = parse("ACT")
AP = parse("AP")
AP_IA = parse("AP_IA")
CT = parse("CT")
DCG = parse("DCG")
DCG_IA = parse("DCG_IA")
D_nDCG = parse("D_nDCG")
Dsharp_nDCG = parse("Dsharp_nDCG")
ERR = parse("ERR")
ERR_IA = parse("ERR_IA")
EU = parse("EU")
Judged = parse("Judged")
NRBP = parse("NRBP")
P = parse("P")
P_IA = parse("P_IA")
RBP = parse("RBP")
RBP_IA = parse("RBP_IA")
RBU = parse("RBU")
RR = parse("RR")
RR_IA = parse("RR_IA")
SRR = parse("SRR")
StRecall = parse("StRecall")
alpha_DCG = parse("alpha_DCG")
alpha_nDCG = parse("alpha_nDCG")
alphabeta_nDCG = parse("alphabeta_nDCG")
iRBU = parse("iRBU")
nDCG = parse("nDCG")
nDCG_IA = parse("nDCG_IA")
nRBU = parse("nRBU")

crux = ToolMetrics("crux")
cubetest = ToolMetrics("cubetest")
cwl = ToolMetrics("cwl")
dd = ToolMetrics("dd")
evall = ToolMetrics("evall")
freshstack = ToolMetrics("freshstack")
gdeval = ToolMetrics("gdeval")
ir_measures = ToolMetrics("ir_measures")
ndeval = ToolMetrics("ndeval")
ntcireval = ToolMetrics("ntcireval")
trec_eval = ToolMetrics("trec_eval")
trec_eval9 = ToolMetrics("trec_eval9")

# Measures whose rules are loaded when they are asked for.
CLASSICS = frozenset(
    (
        "Accuracy",
        "BPM",
        "Bpref",
        "Compat",
        "INSQ",
        "INST",
        "INST_IA",
        "IPrec",
        "NERR10",
        "NERR11",
        "NERR8",
        "NERR9",
        "R",
        "R_IA",
        "Rprec",
        "SDCG",
        "SetAP",
        "SetF",
        "SetP",
        "SetRelP",
        "SourceCrowding",
        "Success",
        "dCompat",
        "infAP",
    )
)


def __getattr__(name: str) -> Metric | Entry:
    if name not in CLASSICS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    entry = find(name)
    return entry if entry.cutoffs == "needed" else entry.metric({}, None)
