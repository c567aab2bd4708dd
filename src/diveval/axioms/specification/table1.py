"""Table 1 of the paper as data: ● is `holds`, ○ is `fails`. Nothing here is used to decide anything."""

from __future__ import annotations

from functools import cache

from diveval.axioms.specification.constraints import AXIOMS
from diveval.metrics.names import MetricText, find

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


def printed(entry: str, axiom: str) -> str:
    """What the table says of a metric of the catalogue: `holds`, `fails`, or nothing for what it does not list."""
    signs = _by_entry().get(entry, "")
    by_axiom = dict(zip(AXIOMS, signs, strict=False))  # its ten constraints come first; one added later is not in it
    return {"●": "holds", "○": "fails"}.get(by_axiom.get(axiom, ""), "")
