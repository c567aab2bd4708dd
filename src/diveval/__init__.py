"""diveval: how good is a diversified ranking, and which metric to trust.

>>> import diveval
>>> scores = diveval.evaluate("qrels.txt", ["a.run", "b.run"], ["RBU@20", "alpha_nDCG@20"])  # doctest: +SKIP
>>> print(scores)  # doctest: +SKIP
>>> scores.compare("alpha_nDCG@20", baseline="a")  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diveval import answers, axioms, datasets, meta, recommend
    from diveval.analysis.choose import choose
    from diveval.analysis.losses import losses
    from diveval.analysis.violations.count import violations
    from diveval.analysis.why import why
    from diveval.api import paper, prefer, stopping_ranks, tune_effort
    from diveval.collection.judgments import Judgments
    from diveval.collection.runs import Run
    from diveval.conclusions import conclude
    from diveval.errors import DivevalError, DivevalWarning, InputError, UsageError
    from diveval.evaluation import evaluate
    from diveval.judging.boards import board
    from diveval.judging.gates import gate
    from diveval.judging.judges import judges
    from diveval.judging.panel import panel
    from diveval.judging.planning import plan
    from diveval.judging.pool_audit import audit_pool
    from diveval.meta.unanimity import unanimity
    from diveval.metrics import Metric, Ranking, parse
    from diveval.metrics.objects import (
        ACT,
        AP,
        AP_IA,
        BPM,
        CT,
        DCG,
        DCG_IA,
        ERR,
        ERR_IA,
        EU,
        INSQ,
        INST,
        INST_IA,
        NERR8,
        NERR9,
        NERR10,
        NERR11,
        NRBP,
        P_IA,
        R_IA,
        RBP,
        RBP_IA,
        RBU,
        RR,
        RR_IA,
        SDCG,
        SRR,
        Accuracy,
        Bpref,
        Compat,
        D_nDCG,
        Dsharp_nDCG,
        IPrec,
        Judged,
        P,
        R,
        Rprec,
        SetAP,
        SetF,
        SetP,
        SetRelP,
        SourceCrowding,
        StRecall,
        Success,
        alpha_DCG,
        alpha_nDCG,
        alphabeta_nDCG,
        crux,
        cubetest,
        cwl,
        dCompat,
        dd,
        evall,
        freshstack,
        gdeval,
        infAP,
        ir_measures,
        iRBU,
        nDCG,
        nDCG_IA,
        ndeval,
        nRBU,
        ntcireval,
        trec_eval,
        trec_eval9,
    )
    from diveval.reading import read_efforts, read_judgments, read_run, read_weights
    from diveval.reading.groups import read_groups
    from diveval.reading.objects import as_judgments, as_run
    from diveval.report.contents import report
    from diveval.results.catalogue import metrics
    from diveval.results.scores import Scores
    from diveval.settings import Efforts, Options
    from diveval.stats import compare

__version__ = "3.0.0.dev0"

# Two packages share their names with functions. Python binds the name of a package when it is first imported, and never
# again: after that the name is free for the function, which `__getattr__` finds. Both packages import nothing.
for _package in ("metrics", "report"):
    importlib.import_module(f"diveval.{_package}")
    del globals()[_package]

# Public names and the modules that define them, imported on first use to keep `import diveval` fast. An empty module
# name means that the name is itself a package; the other public names are metrics.
_HOMES = {
    "DivevalError": "errors",
    "DivevalWarning": "errors",
    "InputError": "errors",
    "UsageError": "errors",
    "Judgments": "collection.judgments",
    "Metric": "metrics",
    "Ranking": "metrics",
    "parse": "metrics",
    "Run": "collection.runs",
    "Options": "settings",
    "Efforts": "settings",
    "Scores": "results.scores",
    "evaluate": "evaluation",
    "read_efforts": "reading",
    "read_groups": "reading.groups",
    "read_judgments": "reading",
    "read_run": "reading",
    "read_weights": "reading",
    "as_judgments": "reading.objects",
    "as_run": "reading.objects",
    "compare": "stats",
    "unanimity": "meta",
    "conclude": "conclusions",
    "choose": "analysis.choose",
    "audit_pool": "judging.pool_audit",
    "board": "judging.boards",
    "gate": "judging.gates",
    "judges": "judging.judges",
    "panel": "judging.panel",
    "plan": "judging.planning",
    "losses": "analysis.losses",
    "why": "analysis.why",
    "prefer": "api",
    "stopping_ranks": "api",
    "tune_effort": "api",
    "paper": "api",
    "metrics": "results.catalogue",
    "user_model": "results.user_model",
    "report": "report.contents",
    "violations": "analysis.violations.count",
    "answers": "",
    "axioms": "",
    "datasets": "",
    "meta": "",
    "recommend": "",
}

__all__ = [
    "ACT",
    "AP",
    "AP_IA",
    "BPM",
    "CT",
    "DCG",
    "DCG_IA",
    "ERR",
    "ERR_IA",
    "EU",
    "INSQ",
    "INST",
    "INST_IA",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NRBP",
    "P_IA",
    "RBP",
    "RBP_IA",
    "RBU",
    "RR",
    "RR_IA",
    "R_IA",
    "SDCG",
    "SRR",
    "Accuracy",
    "Bpref",
    "Compat",
    "D_nDCG",
    "DivevalError",
    "DivevalWarning",
    "Dsharp_nDCG",
    "Efforts",
    "IPrec",
    "InputError",
    "Judged",
    "Judgments",
    "Metric",
    "Options",
    "P",
    "R",
    "Ranking",
    "Rprec",
    "Run",
    "Scores",
    "SetAP",
    "SetF",
    "SetP",
    "SetRelP",
    "SourceCrowding",
    "StRecall",
    "Success",
    "UsageError",
    "alpha_DCG",
    "alpha_nDCG",
    "alphabeta_nDCG",
    "answers",
    "as_judgments",
    "as_run",
    "audit_pool",
    "axioms",
    "board",
    "choose",
    "compare",
    "conclude",
    "crux",
    "cubetest",
    "cwl",
    "dCompat",
    "datasets",
    "dd",
    "evall",
    "evaluate",
    "freshstack",
    "gate",
    "gdeval",
    "iRBU",
    "infAP",
    "ir_measures",
    "judges",
    "losses",
    "meta",
    "metrics",
    "nDCG",
    "nDCG_IA",
    "nRBU",
    "ndeval",
    "ntcireval",
    "panel",
    "paper",
    "parse",
    "plan",
    "prefer",
    "read_efforts",
    "read_groups",
    "read_judgments",
    "read_run",
    "read_weights",
    "recommend",
    "report",
    "stopping_ranks",
    "trec_eval",
    "trec_eval9",
    "tune_effort",
    "unanimity",
    "user_model",
    "violations",
    "why",
]


# Names of version 2 that go in 4.0: what each is called now.
_RENAMED = {"cutoff": "stopping_ranks", "effort": "tune_effort"}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        warnings.warn(f"diveval.{name} is now diveval.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
        home = importlib.import_module("diveval.api")
        return getattr(home, name, getattr(home, _RENAMED[name]))
    if name not in __all__:
        try:  # packages outside the public API, such as diveval.stats, can be accessed too
            return importlib.import_module(f"diveval.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"diveval.{name}":
                raise
        from diveval.errors import suggestion

        hint = "" if name.startswith("_") else f": {suggestion(name, __all__, 'dir(diveval) lists all names')}"
        raise AttributeError(f"module 'diveval' has no attribute {name!r}{hint}")
    place = _HOMES.get(name, "metrics.objects")
    home = importlib.import_module(f"diveval.{place or name}")
    value = getattr(home, name) if place else home
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
