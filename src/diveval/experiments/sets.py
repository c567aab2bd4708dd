"""The sets of metrics the paper compares, built the way its text lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from diveval.defaults import USUAL
from diveval.errors import UsageError, suggestion
from diveval.printouts import ndeval_columns

CUTOFFS = (10, 20, 50, 100, 1000)
PATIENCE = (0.8, 0.9, 0.99)
ALPHAS = (0.1, 0.25, 0.5, 0.75)
EFFORTS = (0, 0.001, 0.05, 0.1, 0.5)


def paper() -> list[str]:
    """Experiment 1: AP, RR, P@k, ERR@k, DCG@k and their IA, S-Recall@k, RBP, NRBP, α-DCG@k, EU and RBU.

    Normalised forms (nDCG, α-nDCG) are left out as in the paper: they order the outputs of a topic alike.
    """
    return [
        *("AP", "RR", "AP_IA", "RR_IA"),
        *(f"{name}@{k}" for name in ("P", "ERR", "DCG", "P_IA", "ERR_IA", "DCG_IA") for k in CUTOFFS),
        *(f"StRecall@{k}" for k in CUTOFFS),
        *(f"RBP(p={p})" for p in PATIENCE),
        *(f"NRBP(p={p},alpha={alpha})" for p in PATIENCE for alpha in ALPHAS),
        *(f"alpha_DCG(alpha={alpha})@{k}" for alpha in ALPHAS for k in CUTOFFS),
        *(f"EU(alpha={alpha},e={e})" for alpha in ALPHAS for e in EFFORTS),
        *rbu(),
    ]


def official() -> list[str]:
    """Experiment 3: what ndeval prints, the Web track's official scores, and RBU."""
    return [*ndeval_columns(), *rbu()]


def official_at_20(*, efforts: Iterable[float] = EFFORTS) -> list[str]:
    """Experiment 3 with 20 visible documents: of ndeval's scores those at 20, and RBU@20."""
    return [*(name for name in ndeval_columns() if name.endswith("@20")), *rbu("@20", efforts=efforts)]


def dynamic_domain() -> list[str]:
    """Experiment 4: the scores of the Dynamic Domain track of 2015 that the paper prints, and RBU."""
    return [
        "cubetest.CT(year=2015)@10",
        "cubetest.ACT(year=2015)@10",
        "dd.ERR(mean=arithmetic)",
        "dd.ERR(mean=harmonic)",
        "dd.P_at_recall",
        "dd.mP_at_recall",
        "RR@10",
        *rbu(),
    ]


def usual() -> list[str]:
    """One usual variant of each family: a set small enough for pictures."""
    return list(USUAL)


def rbu(cutoff: str = "", *, efforts: Iterable[float] = EFFORTS) -> list[str]:
    """RBU over the paper's p and e."""
    return [f"RBU(p={p},e={e}){cutoff}" for p in PATIENCE for e in efforts]


SETS: dict[str, Callable[[], list[str]]] = {
    "paper": paper,
    "official": official,
    "dynamic-domain": dynamic_domain,
    "usual": usual,
}


def metric_set(name: str) -> list[str]:
    """The metrics of a set by its name."""
    if name not in SETS:
        raise UsageError(f"no set of metrics is called {name!r}; {suggestion(name, SETS)}")
    return SETS[name]()
