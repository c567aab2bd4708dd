"""The default metrics, one set for all commands; names only, so that importing it is fast.

RBU's p and e were chosen on the TREC Web tracks of 2009 to 2011 (docs/howto/effort.md): p = 0.9 is a reader who looks
at ten documents on average, and with e = 0.01 every one of the 64 runs has positive utility.
"""

from __future__ import annotations

RBU = "RBU(p=0.9,e=0.01)"

# One common variant of each family: few enough for a table and figures.
USUAL = (
    f"{RBU}@20",
    "alpha_nDCG@20",
    "ERR_IA@20",
    "Dsharp_nDCG@20",
    "StRecall@20",
    "EU(alpha=0.5,e=0.01)@20",
    "NRBP",
    "nDCG_IA@20",
    "AP_IA",
    "RR_IA",
    "P_IA@20",
    "ERR@20",
    "nDCG@20",
    "AP",
    "RR",
    "P@20",
)

HEADLINE = USUAL[:5]  # the columns of a table of scores
