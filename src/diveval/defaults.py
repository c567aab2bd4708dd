"""Defaults that several commands share: metrics, their parameters, significance tests. Importing it is fast.

RBU's p and e were chosen on the TREC Web tracks of 2009 to 2011 (docs/howto/effort.md): p = 0.9 is a reader who looks
at ten documents on average, and with e = 0.01 every one of the 64 runs has positive utility.
"""

from __future__ import annotations

from typing import Final

PATIENCE, EFFORT = 0.9, 0.01  # the meaning of `RBU` without parameters, everywhere
RBU = f"RBU(p={PATIENCE},e={EFFORT})"

# One common variant of each family: few enough for a table and figures. α-nDCG and ERR-IA are TREC's, with ndeval's rules,
# because these are the numbers of the literature; the graded forms are other metrics.
USUAL = (
    f"{RBU}@20",
    "ndeval.alpha_nDCG@20",
    "ndeval.ERR_IA@20",
    "Dsharp_nDCG@20",
    "StRecall@20",
    f"EU(alpha=0.5,e={EFFORT})@20",
    "ndeval.NRBP",
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

TEST: Final = "t"  # do two runs differ? in every command
CORRECTION: Final = "holm"  # over all pairs that are compared by one metric
CONFIDENCE = 0.95
RESAMPLES = 10_000  # of a test that is reported
QUICK_RESAMPLES = 1000  # of many tests, or of a bootstrap of unanimity
SEED = 0
