"""The significance tests, each declared once: what it computes, what it is called, what it cites and where it misleads.

`compare`, the command line, track configurations and the methods paragraph all read this registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.stats import paired as on
from diveval.stats.fit import far_from_normal, many_ties
from diveval.stats.paired import Floats, Outcome, Paired


@dataclass(frozen=True)
class Sample:
    """What a test gets: the paired differences, and the complete table for tests that look at all systems at once."""

    paired: Paired
    table: Floats  # system × topic, over the topics that every system counts
    pairs: NDArray[np.intp]  # rows of `table`
    confidence: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class SignificanceTest:
    """One test. The fields after `decide` say what readers must know about it."""

    title: str  # as a methods section names it
    citation: str  # its key in publishing/references.bib
    decide: Callable[[Sample], Outcome]
    resampled: bool = False  # p is a share of resamples
    simultaneous: bool = False  # holds for all pairs at once, so nothing is corrected; uses topics common to all runs
    counts_signs: bool = False  # with n topics no p below 2/2^n can be reached
    needs_variance: bool = False
    misfit: Callable[[Paired], list[str]] = lambda paired: []


TESTS = {
    "t": SignificanceTest(
        "paired t-test",
        "smucker2007",
        lambda s: on.t_test(s.paired, s.confidence),
        needs_variance=True,
        misfit=far_from_normal,
    ),
    "randomization": SignificanceTest(
        "paired randomisation test",
        "smucker2007",
        lambda s: on.randomization(s.paired, s.confidence, s.resamples, s.seed),
        resampled=True,
        counts_signs=True,
    ),
    "bootstrap": SignificanceTest(
        "paired bootstrap test",
        "sakai2006",
        lambda s: on.bootstrap(s.paired, s.confidence, s.resamples, s.seed),
        resampled=True,
        needs_variance=True,
    ),
    "wilcoxon": SignificanceTest(
        "Wilcoxon signed-rank test",
        "smucker2007",
        lambda s: on.wilcoxon(s.paired, s.confidence),
        counts_signs=True,
        misfit=many_ties,
    ),
    "tukey": SignificanceTest(
        "Tukey's HSD by randomisation",
        "carterette2012",
        lambda s: on.tukey(s.table, s.pairs, s.confidence, s.resamples, s.seed),
        resampled=True,
        simultaneous=True,
    ),
}
