"""The significance tests, each declared once with its name, reference and assumptions, and the corrections for multiple
comparisons.

`compare`, the command line, track configurations and the methods paragraph all read these two registries.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.defaults import CONFIDENCE, CORRECTION, RESAMPLES, SEED, TEST
from diveval.errors import UsageError, count_of
from diveval.results.setup import Setup
from diveval.results.statements import Statement, words
from diveval.stats import paired as on
from diveval.stats.paired import Floats, Outcome, Paired
from diveval.stats.power import shapiro_wilk
from diveval.stats.ties import require_fraction

FEW_TOPICS = 10
SHAPIRO_LEVEL = 0.01
MANY_TOPICS = 30  # from here the mean of the differences is close enough to normal, whatever the differences are
MANY_TIES = 0.5
PValues = Sequence[float] | Floats
Correction = Literal["holm", "bh", "none"]
Concern = tuple[str, NDArray[np.bool_], dict[str, Any]]  # kind of statement, the pairs it is about, further facts


@dataclass(frozen=True)
class Sample:
    """The input of a test: the paired differences, and the complete table for tests of all systems at once."""

    paired: Paired
    table: Floats  # system × topic, over the topics that every system counts
    pairs: NDArray[np.intp]  # rows of `table`
    level: Floats  # α of each pair's interval
    resamples: int
    seed: int


@dataclass(frozen=True)
class SignificanceTest:
    """One test. The fields after `decide` are properties that users of its p-values must know."""

    title: str  # as a methods section names it
    citation: str  # its key in publishing/references.bib
    decide: Callable[[Sample], Outcome]
    resampled: bool = False  # p is a share of resamples
    simultaneous: bool = False  # holds for all pairs at once and needs no correction; uses topics common to all runs
    counts_signs: bool = False  # p is at least 2/2^n with n topics
    needs_variance: bool = False
    estimates: str = "difference"  # what the interval is of, if not of the mean difference
    misfit: Callable[[Paired], Concern] | None = None


def _far_from_normal(paired: Paired) -> Concern:
    """Few differences that are too far from normal for a t-test."""
    far = np.zeros(len(paired.shared), dtype=bool)
    for i in np.flatnonzero((paired.topics >= 3) & (paired.topics < MANY_TOPICS) & (paired.deviation > 0)):
        far[i] = shapiro_wilk(paired.differences[i, paired.shared[i]]) < SHAPIRO_LEVEL
    return "far-from-normal", far, {"level": SHAPIRO_LEVEL}


def _many_ties(paired: Paired) -> Concern:
    """Pairs with many ties, which a signed-rank test drops."""
    zeros = np.count_nonzero(paired.shared & (paired.differences == 0), axis=1) / paired.topics
    return "many-ties", (zeros > MANY_TIES) & (zeros < 1), {}


TESTS = {
    "t": SignificanceTest(
        "paired t-test",
        "smucker2007",
        lambda s: on.t_test(s.paired, s.level),
        needs_variance=True,
        misfit=_far_from_normal,
    ),
    "randomization": SignificanceTest(
        "paired randomisation test",
        "smucker2007",
        lambda s: on.randomization(s.paired, s.level, s.resamples, s.seed),
        resampled=True,
        counts_signs=True,
    ),
    "bootstrap": SignificanceTest(
        "paired bootstrap test",
        "sakai2006",
        lambda s: on.bootstrap(s.paired, s.level, s.resamples, s.seed),
        resampled=True,
        needs_variance=True,
    ),
    "wilcoxon": SignificanceTest(
        "Wilcoxon signed-rank test",
        "smucker2007",
        lambda s: on.wilcoxon(s.paired, s.level),
        counts_signs=True,
        misfit=_many_ties,
        estimates="pseudomedian",
    ),
    "sign": SignificanceTest(
        "sign test",
        "smucker2007",
        lambda s: on.sign(s.paired, s.level),
        counts_signs=True,
        misfit=_many_ties,
        estimates="median",
    ),
    "tukey": SignificanceTest(
        "Tukey's HSD by randomisation",
        "carterette2012",
        lambda s: on.tukey(s.table, s.pairs, float(s.level[0]), s.resamples, s.seed),
        resampled=True,
        simultaneous=True,
    ),
}


@dataclass(frozen=True)
class Significance:
    """How it is decided which pairs of runs differ: the default of every command, unless its options say otherwise.

    Args:
        test: `t`, `randomization`, `bootstrap`, `wilcoxon`, `sign` or `tukey`, as in `diveval.compare`.
        correction: `holm`, `bh` or `none`; tukey needs none.
        confidence: an adjusted p below 1 − confidence is significant.
        resamples: how many resamples randomization, bootstrap and tukey draw.
        seed: seed of the resampling.
    """

    test: str = TEST
    correction: Correction = CORRECTION
    confidence: float = CONFIDENCE
    resamples: int = RESAMPLES
    seed: int = SEED

    def __post_init__(self) -> None:
        require_fraction("confidence", self.confidence)
        if self.test not in TESTS:
            raise UsageError("invalid-choice", f"no test {self.test!r}", hint=f"choose one of {', '.join(TESTS)}")
        if self.correction not in CORRECTIONS:
            raise UsageError(
                "invalid-choice",
                f"no correction {self.correction!r}",
                hint=f"choose one of {', '.join(CORRECTIONS)}",
            )
        if TESTS[self.test].simultaneous:
            object.__setattr__(self, "correction", "none")

    @property
    def alpha(self) -> float:
        """An adjusted p below it is significant."""
        return alpha_of(self.confidence)

    def add_to(self, scored: Setup, family: int) -> Setup:
        """A setup with the test of `family` pairs."""
        drawn = (self.resamples, self.seed) if TESTS[self.test].resampled else (None, None)
        return replace(
            scored,
            test=self.test,
            correction=self.correction,
            confidence=self.confidence,
            family=family,
            resamples=drawn[0],
            seed=drawn[1],
        )


def misfits(
    test: SignificanceTest,
    paired: Paired,
    alpha: float,
    comparisons: int,
    resamples: int,
    names: Sequence[Mapping[str, Any]],
) -> list[Statement]:
    """What limits these p-values, of which `comparisons` are corrected together; `names` are the pairs, as evidence."""
    least, most = int(paired.topics.min()), int(paired.topics.max())
    shared = tuple({**name, "topics": int(n)} for name, n in zip(names, paired.topics, strict=True))
    notes = []
    if least < most:
        notes.append(Statement("uneven-topics", {"least": least, "most": most}, shared))
    needed = math.floor(math.log2(2 / alpha)) + 1  # 2/2^n < α: the smallest p of n signs
    if test.counts_signs and least < needed:
        facts = {"topics": least, "test": test.title, "alpha": alpha, "needed": needed}
        notes.append(Statement("too-few-for-signs", facts, shared))
    elif least < FEW_TOPICS:
        notes.append(Statement("few-topics", {"topics": least}, shared))
    same: NDArray[np.bool_] = np.all(paired.differences == 0, axis=1)
    concerns: list[Concern] = [("identical-scores", same, {})]
    if test.needs_variance:
        concerns.append(("constant-differences", (paired.deviation == 0) & ~same, {"test": test.title}))
    if test.misfit is not None:
        concerns.append(test.misfit(paired))
    for kind, chosen, more in concerns:
        if chosen.any():
            rows = tuple(name for name, yes in zip(names, chosen, strict=True) if yes)
            notes.append(Statement(kind, {"pairs": len(rows), "of": len(chosen), **more}, rows))
    # A resampled p is at least 1/(resamples + 1), and the correction multiplies it by the number of comparisons.
    if test.resampled and not test.simultaneous and comparisons / (resamples + 1) >= alpha:
        facts = {"resamples": resamples, "comparisons": comparisons, "enough": math.ceil(comparisons / alpha)}
        notes.append(Statement("few-resamples", facts, shared))
    return notes


@words("uneven-topics")
def _word_uneven(least: int, most: int) -> str:
    return f"pairs are compared on the topics both runs count: between {least} and {most} of them"


@words("too-few-for-signs")
def _word_signs(topics: int, test: str, alpha: float, needed: int) -> str:
    return f"{count_of(topics, 'topic')}: the {test} cannot reach p < {alpha:.3g} with fewer than {needed}"


@words("few-topics")
def _word_few(topics: int) -> str:
    return f"only {count_of(topics, 'topic')}: any test has little power, and intervals are rough"


def _have(pairs: int) -> str:
    return "has" if pairs == 1 else "have"


@words("identical-scores")
def _word_identical(pairs: int, of: int) -> str:
    return f"{pairs} of {of} pairs {_have(pairs)} identical scores on every topic: there is nothing to test"


@words("constant-differences")
def _word_constant(pairs: int, of: int, test: str) -> str:
    return f"{pairs} of {of} pairs {'differs' if pairs == 1 else 'differ'} by a constant: the {test} has no variance to work with"


@words("far-from-normal")
def _word_normal(pairs: int, of: int, level: float) -> str:
    advice = "the randomization test does not need normality"
    return f"{pairs} of {of} pairs {_have(pairs)} differences far from normal (Shapiro-Wilk p < {level}): {advice}"


@words("many-ties")
def _word_ties(pairs: int, of: int) -> str:
    dropped = "Wilcoxon's test and the sign test drop those topics"
    return f"{pairs} of {of} pairs {'is' if pairs == 1 else 'are'} tied on more than half of the topics: {dropped}"


@words("few-resamples")
def _word_resamples(resamples: int, comparisons: int, enough: int) -> str:
    return f"{resamples} resamples are too few to correct {comparisons} comparisons: use {enough} or more"


@explain_types
def holm(p: PValues) -> Floats:
    """Holm's step-down adjustment, which controls the chance of any false discovery.

    With p sorted ascending: adjusted(i) = max over j ≤ i of min(1, (n − j + 1) · p(j)).
    S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics, 1979.
    """
    values = check_only(p)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * values[order]))
    return adjusted


@explain_types
def benjamini_hochberg(p: PValues) -> Floats:
    """Benjamini and Hochberg's step-up adjustment, which controls the share of false discoveries.

    With p sorted ascending: adjusted(i) = min over j ≥ i of min(1, n / j · p(j)).
    Y. Benjamini, Y. Hochberg. Controlling the False Discovery Rate. Journal of the Royal Statistical Society B, 1995.
    """
    values = check_only(p)
    order = np.argsort(values, kind="stable")[::-1]
    factors = len(values) / np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(factors * values[order]))
    return adjusted


def check_only(p: PValues) -> Floats:
    """The p-values unchanged, after a check that they are in [0, 1]."""
    values = np.array(p, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError("out-of-range", "p-values must lie between 0 and 1")
    return values


def holm_levels(p: Floats, alpha: float) -> Floats:
    """The level at which Holm's procedure decided each pair: α/(m − j + 1) for the j-th rejection of m, α/(m − R) for
    the pairs that remain after R rejections. An interval at this level excludes 0 exactly for the rejected pairs."""
    m, rejected = len(p), holm(p) < alpha
    levels = np.full(m, alpha / max(m - int(rejected.sum()), 1))
    order = [i for i in np.argsort(p, kind="stable") if rejected[i]]
    levels[order] = alpha / (m - np.arange(len(order)))
    return levels


def benjamini_hochberg_levels(p: Floats, alpha: float) -> Floats:
    """Rα/m for R rejections of m, as in Benjamini and Yekutieli's intervals for selected parameters (JASA 2005)."""
    rejected = int((benjamini_hochberg(p) < alpha).sum())
    return np.full(len(p), alpha * max(rejected, 1) / max(len(p), 1))


def uncorrected_levels(p: Floats, alpha: float) -> Floats:
    """α for every pair."""
    return np.full(len(p), alpha)


# The level of each pair's interval, so that intervals and adjusted p-values agree about 0.
LEVELS = {"holm": holm_levels, "bh": benjamini_hochberg_levels, "none": uncorrected_levels}
CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg, "none": check_only}
UNTESTED = "no pair tested"  # since no two runs share two topics
_CORRECTED = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}


def describe_test(setup: Setup) -> str:
    """The test of a setup in words: its correction, the comparisons corrected together, and its level."""
    if setup.test is None or setup.correction is None or setup.confidence is None:
        return "not tested"
    if setup.family == 0:
        return UNTESTED
    test, family = TESTS[setup.test], count_of(setup.family or 0, "comparison")
    corrected = f"{_CORRECTED[setup.correction]} over" if setup.correction in _CORRECTED else "no correction for"
    if test.simultaneous:
        corrected = "simultaneous for"
    return f"{test.title}, {corrected} {family}, p < {alpha_of(setup.confidence):.3g}"


def alpha_of(confidence: float) -> float:
    """1 − confidence: in doubles 1 − 0.95 is above 0.05, and p = 0.05 must not be significant."""
    return round(1 - confidence, 12)
