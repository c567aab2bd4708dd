"""Table 1 of the paper as data: ● is `holds`, ○ is `fails`. Nothing here is used to decide anything."""

from __future__ import annotations

from diveval.axioms.constraints import AXIOMS

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


def printed(metric: str, axiom: str) -> str:
    """What the table says of a row and a constraint: `holds`, `fails`, or nothing for what it does not list."""
    row = _PRINTED.get(metric, "").replace(" ", "")
    if not row:
        return ""
    return "holds" if row[list(AXIOMS).index(axiom)] == "●" else "fails"
