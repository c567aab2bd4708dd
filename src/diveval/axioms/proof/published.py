"""What else is known about a cell: Table 1 of the paper, and the theorems in Coq. Neither influences a verdict.

The theorems come from the manifest that the proofs are checked with.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from diveval.axioms.proof.subjects import STRUCTURAL, SymbolicMetric
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import READINGS, Reading
from diveval.metrics.metric import Parameter
from diveval.metrics.names import MetricText, as_metric, find
from diveval.metrics.numbers import Number

# Pri Deep DeepTh CloseTh Conf | AspDiv Red MRed Sat AspRel
_PRINTED = {
    "P@k": "○○●●○ ○○○○○",
    "RR": "○○●○○ ○○○○○",
    "AP": "○○○●○ ○○○○○",
    "nDCG@k": "●●○●○ ○○○○○",
    "ERR@k": "●●●○○ ○○○○○",
    "RBP": "●●●●○ ○○○○○",
    "P-IA@k": "○○●●○ ○○○○●",
    "RR-IA@k": "○○●○○ ○○○●●",
    "AP-IA": "●●○●○ ○○○○●",
    "nDCG-IA@k": "●●○●○ ●○○○●",
    "ERR-IA@k": "●●●○○ ●●●●●",
    "RBP-IA": "●●●●○ ●○○○●",
    "S-Recall@k": "○○●○○ ○○○●○",
    "S-RR@100%": "○○●○○ ○○○●○",
    "NRBP": "●●●●○ ●●○○○",
    "D#-Measure@k": "●●○●○ ●○○○●",
    "alpha-nDCG@k": "●●●●○ ●●○○○",
    "EU": "●●●●● ●●○○●",
    "CT@k": "●●●○○ ●●○●●",
    "RBU@k": "●●●●● ●●●●●",
}
ROWS = tuple(_PRINTED)


@cache
def _by_entry() -> dict[str, str]:
    """The rows by the catalogue's names: `RBU` is the row RBU@k."""
    return {find(MetricText.of(row).name).name: signs.replace(" ", "") for row, signs in _PRINTED.items()}


def look_up_printed(entry: str, axiom: str) -> str:
    """What the table says of a metric of the catalogue: `holds`, `fails`, or nothing for what it does not list."""
    signs = _by_entry().get(entry, "")
    by_axiom = dict(zip(AXIOMS, signs, strict=False))  # its ten constraints come first; one added later is not in it
    return {"●": "holds", "○": "fails"}.get(by_axiom.get(axiom, ""), "")


@cache
def _theorems() -> dict[tuple[str, bool, str, str], tuple[str, str]]:
    """The verdict that is proved, and where, by the catalogue's name, whether it has a cutoff, axiom and reading."""
    out = {}
    text = files("diveval.axioms.specification").joinpath("manifest.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        metric = MetricText.of(row["metric"])
        cell = find(metric.name).name, metric.cutoff is not None, row["axiom"], row["reading"]
        out[cell] = row["verdict"], f"{row['theorem']} in proofs/{row['file']}"
    return out


def find_theorem(who: SymbolicMetric, axiom: Axiom, reading: Reading, verdict: str) -> str:
    """The theorem that proves a verdict, or nothing: for this metric, exactly this axiom and exactly this reading.

    Theorems are about all parameters inside their ranges, so a setting is covered as well, unless it is at the end of a
    range or has another form (RBU's `scale=evall`, a cube of another size).
    """
    if AXIOMS.get(axiom.name) is not axiom or READINGS.get(reading.name) != reading:
        return ""
    cut = who.cutoff is not None
    proved, theorem = _theorems().get((who.entry, cut, axiom.name, reading.name), ("", ""))
    if not theorem and cut and not reading.cutoff_binds and not axiom.threshold:
        # What holds of all rankings holds of those that fit the cutoff; what fails may need longer ones.
        proved, theorem = _theorems().get((who.entry, False, axiom.name, reading.name), ("", ""))
        proved, theorem = (proved, f"{theorem}, by {axiom.name.lower()}_within") if proved == "holds" else ("", "")
    if proved != verdict or not _covers(who):
        return ""
    # A region in k is not the region at one k.
    if axiom.threshold and isinstance(who.cutoff, int) and not reading.cutoff_binds:
        return ""
    return theorem


def _covers(who: SymbolicMetric) -> bool:
    source = who.source.strip().removesuffix("@k") if isinstance(who.source, str) else who.source
    metric = as_metric(source)
    if metric.entry is None:
        return False
    return all(p in who.free or _inside(p, metric.values[p.name]) for p in metric.entry.parameters)


def _inside(parameter: Parameter, value: Number) -> bool:
    if parameter.choices or parameter.name in STRUCTURAL:
        return bool(value == parameter.default)
    return bool(parameter.low < value < parameter.high)
