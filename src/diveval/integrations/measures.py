"""ir_measures' ad hoc measures as ours: which metric, which reading of the grades and which order give its numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from diveval.settings import OrderRule

# How grades are read: ("binary", level), ("scaled", lowest, highest), ("exponential",),
# or ("mapped", pairs of grade and gain).
Grades = tuple[Any, ...]
UNDEFINED = ("Accuracy",)  # no value for a topic without a relevant document in the list

TREC, BY_NAME, AS_GIVEN = OrderRule(), OrderRule("score", "docno-asc"), OrderRule("score", "file")


class Counterpart(NamedTuple):
    """The text of a metric, and how the judgments and the run are read for it."""

    text: str
    grades: Grades | None
    order: OrderRule


# Name in ir_measures: the measure of trec_eval without and with a cutoff, and whether it has a relevance level.
_TREC = {
    "P": ("", "P", True),
    "RR": ("recip_rank", "", True),
    "Rprec": ("Rprec", "", True),
    "AP": ("map", "map_cut", True),
    "nDCG": ("ndcg", "ndcg_cut", False),
    "R": ("", "recall", True),
    "Bpref": ("bpref", "", True),
    "NumQ": ("num_q", "", False),
    "NumRel": ("num_rel", "", True),
    "SetAP": ("set_map", "", True),
    "SetF": ("set_F", "", True),
    "SetR": ("set_recall", "", True),
    "Success": ("", "success", True),
    "infAP": ("infAP", "", True),
}
_CWL = {"BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11", "INST", "INSQ"}


def regrade(grades: NDArray[np.float64], how: Grades) -> NDArray[np.float64]:
    """Grades as a measure reads them."""
    if how[0] == "binary":
        return np.asarray(grades >= how[1], dtype=np.float64)
    if how[0] == "exponential":
        return np.where(grades > 0, 2.0**grades - 1.0, grades)
    if how[0] == "mapped":
        table = dict(how[1])
        return np.array([float(table.get(int(grade), grade)) for grade in grades])
    _, low, high = how
    return np.asarray((np.clip(np.maximum(grades, 0.0), low, high) - low) / (high - low))


def _value_of(measure: Any, name: str) -> Any:
    """A parameter's value, its default, or None if it has neither."""
    value = measure[name] if name in measure.SUPPORTED_PARAMS else None
    return value if isinstance(value, (bool, int, float, str, dict)) else None


def counterpart(measure: Any, place: str = "") -> Counterpart | None:
    """Our metric for an ad hoc measure of ir_measures; None if it is none, or no provider computes it so.

    `place`: the provider whose numbers are asked for, where several compute the measure; by default the one that
    ir_measures itself asks first.
    """
    name = str(measure.NAME)
    if place == "cwl_eval" and (name == "P" or (name in ("RR", "AP") and _value_of(measure, "cutoff") is None)):
        return Counterpart(f"cwl.{name}{_at(measure)}", ("binary", measure["rel"]), AS_GIVEN)
    if place == "gdeval" and name == "nDCG" and _value_of(measure, "cutoff") is not None:
        return Counterpart(f"gdeval.nDCG{_at(measure)}", None, TREC)
    if place == "ranx" and name == "SetP":
        measure = measure(relative=False)  # ranx does not know the parameter and computes the plain measure
    if place == "ranx" and (found := _of_trec_eval(measure, name)):
        exponential = name == "nDCG" and measure["dcg"] == "exp-log2"
        return found._replace(order=AS_GIVEN, grades=("exponential",) if exponential else found.grades)
    if name in _CWL:
        return _of_cwl(measure, name)
    if name == "RBP":
        rel = _value_of(measure, "rel")
        known = rel is not None and _value_of(measure, "cutoff") is None
        return Counterpart(f"cwl.RBP(theta={measure['p']})", ("binary", rel), AS_GIVEN) if known else None
    if name == "Compat":
        normalise = "yes" if measure["normalize"] else "no"
        return Counterpart(f"ir_measures.Compat(p={measure['p']},normalise={normalise})", None, BY_NAME)
    if name == "Accuracy":
        return Counterpart(f"ir_measures.Accuracy{_at(measure)}", ("binary", measure["rel"]), AS_GIVEN)
    if name == "Judged":
        return Counterpart(f"Judged{_at(measure)}", None, BY_NAME)
    if name == "ERR" or (name == "nDCG" and measure["dcg"] == "exp-log2"):
        if _value_of(measure, "cutoff") is not None and not _value_of(measure, "judged_only"):
            return Counterpart(f"gdeval.{name}{_at(measure)}", None, TREC)
        found = None if name == "ERR" else _of_trec_eval(measure, name)
        return found and found._replace(grades=("exponential",))
    return _of_trec_eval(measure, name)


def _at(measure: Any) -> str:
    cutoff = _value_of(measure, "cutoff")
    return "" if cutoff is None else f"@{cutoff}"


def _of_cwl(measure: Any, name: str) -> Counterpart | None:
    if _value_of(measure, "max_rel") is None:
        return None
    settings = ",".join(f"{key}={measure[key]}" for key in ("T", "p") if key in measure.SUPPORTED_PARAMS)
    text = f"cwl.{name}({settings}){_at(measure)}" if settings else f"cwl.{name}{_at(measure)}"
    return Counterpart(text, ("scaled", measure["min_rel"], measure["max_rel"]), AS_GIVEN)


def _of_trec_eval(measure: Any, name: str) -> Counterpart | None:
    level, cutoff, order = _value_of(measure, "rel"), _value_of(measure, "cutoff"), TREC
    if name == "NumRet":
        whole, levelled = ("num_ret", False) if level is None else ("num_rel_ret", True)
    elif name == "SetP":
        whole, levelled = ("set_relative_P" if measure["relative"] else "set_P"), True
    elif name == "IPrec":
        whole, levelled = "iprec_at_recall" if _value_of(measure, "recall") is not None else "", True
    elif name in _TREC:
        plain, cut, levelled = _TREC[name]
        whole = plain if cutoff is None else f"{cut}_{cutoff}" if cut else plain
    else:
        return None
    if not whole or (level is not None and level < 1):  # pytrec_eval refuses such a level
        return None
    settings = [f"level={level}"] if levelled and level is not None else []
    settings += ["judged_only=yes"] if _value_of(measure, "judged_only") else []
    settings += [f"beta={measure['beta']}"] if name == "SetF" else []
    settings += [f"recall={measure['recall']}"] if name == "IPrec" else []
    if name == "RR" and cutoff is not None:  # MS MARCO's, which orders equal scores by document id
        settings, order = [*settings, f"depth={cutoff}"], BY_NAME
    grades: Grades | None = None
    if name == "nDCG" and _value_of(measure, "gains"):
        grades = ("mapped", tuple(measure["gains"].items()))
    tool = "trec_eval9" if name == "IPrec" else "trec_eval"
    brackets = f"({','.join(settings)})" if settings else ""
    return Counterpart(f"{tool}.{whole}{brackets}", grades, order)
