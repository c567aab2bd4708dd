"""Defaults that several commands share: metrics, their parameters, significance tests. Importing it is fast.

RBU's p and e were chosen on the TREC Web tracks of 2009 to 2011 (docs/howto/effort.md): p = 0.9 is a reader who looks
at ten documents on average, and with e = 0.01 every one of the 64 runs has positive utility.
"""

from __future__ import annotations

from typing import Final

PATIENCE, EFFORT = 0.9, 0.01  # the meaning of `RBU` without parameters, everywhere
RBU = f"RBU(p={PATIENCE},e={EFFORT})"

P_RANGE, E_RANGE = (0.6, 0.99), (0.0, 0.1)  # what is plausible, for conclusions that must hold for every setting
RANGED = f"RBU(p={P_RANGE[0]:g}..{P_RANGE[1]:g},e={E_RANGE[0]:g}..{E_RANGE[1]:g})"

CUTOFF = 20  # ranks that are scored or counted where nothing else is said

# One common variant of each family: few enough for a table and figures. α-nDCG and ERR-IA are TREC's, with ndeval's rules,
# because these are the numbers of the literature; the graded forms are other metrics.
USUAL = (
    f"{RBU}@{CUTOFF}",
    f"ndeval.alpha_nDCG@{CUTOFF}",
    f"ndeval.ERR_IA@{CUTOFF}",
    f"Dsharp_nDCG@{CUTOFF}",
    f"StRecall@{CUTOFF}",
    f"EU(alpha=0.5,e={EFFORT})@{CUTOFF}",
    "ndeval.NRBP",
    f"nDCG_IA@{CUTOFF}",
    "AP_IA",
    "RR_IA",
    f"P_IA@{CUTOFF}",
    f"ERR@{CUTOFF}",
    f"nDCG@{CUTOFF}",
    "AP",
    "RR",
    f"P@{CUTOFF}",
)

HEADLINE = USUAL[:5]  # the columns of a table of scores

TOLERANCE = 1e-12  # relative to the scores: a smaller difference is rounding

TEST: Final = "t"  # do two runs differ? in every command
CORRECTION: Final = "holm"  # over all pairs that are compared by one metric
LEVEL, POWER = 0.05, 0.8  # of a test, and of a plan
CONFIDENCE = 1 - LEVEL
RESAMPLES = 10_000  # of a test that is reported
PREFERENCE_RESAMPLES = 2000  # of the topics on which people preferred something
QUICK_RESAMPLES = 1000  # of many tests, or of a bootstrap of unanimity
SEED = 0
