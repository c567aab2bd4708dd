"""Tests on paired differences, for many pairs of systems at once with the same resampled topics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from diveval.errors import need
from diveval.stats.intervals import draw_with_replacement
from diveval.stats.ties import dense_ranks, noise_of, without_noise

Floats = NDArray[np.float64]
# Sums of squares keep half the digits of a double, so statistics divided by a deviation are tied within this relative
# distance.
STUDENTISED = 1e-9
AT_ONCE = 2_560_000  # resamples × pairs in memory: about 20 MB


@dataclass(frozen=True)
class Paired:
    """Differences of pairs of systems, pair × topic; 0 if the pair does not share the topic."""

    differences: Floats
    shared: NDArray[np.bool_]
    noise: Floats  # per pair: the possible rounding error of a difference or of a mean of differences

    @classmethod
    def of(cls, a: Floats, b: Floats, shared: NDArray[np.bool_]) -> Paired:
        """From two pair × topic tables; differences within float noise become 0."""
        noise = noise_of(np.where(shared, np.maximum(np.abs(a), np.abs(b)), 0.0), axis=1)
        return cls(without_noise(np.where(shared, a - b, 0.0), noise[:, None]), shared, noise)

    def take(self, pairs: slice | NDArray[np.intp]) -> Paired:
        """Some of the pairs."""
        return Paired(self.differences[pairs], self.shared[pairs], self.noise[pairs])

    @property
    def topics(self) -> NDArray[np.intp]:
        """How many topics each pair shares."""
        count: NDArray[np.intp] = np.count_nonzero(self.shared, axis=1)
        return count

    @property
    def mean(self) -> Floats:
        """The mean difference of each pair; every pair must share a topic."""
        return without_noise(self.differences.sum(axis=1) / self.topics, self.noise)

    @property
    def deviation(self) -> Floats:
        """The standard deviation of the differences (n − 1), 0 if they are equal up to noise."""
        n = self.topics
        centred = np.where(self.shared, self.differences - self.mean[:, None], 0.0)
        spread = np.sqrt((centred**2).sum(axis=1) / np.maximum(n - 1, 1))
        return without_noise(spread, self.noise)

    @property
    def error(self) -> Floats:
        """The standard error of the mean difference."""
        error: Floats = self.deviation / np.sqrt(self.topics)
        return error

    @property
    def studentised(self) -> Floats:
        """|t|: the mean difference over its error."""
        return np.abs(_ratio(self.mean, self.error))

    @property
    def studentised_noise(self) -> Floats:
        """The possible rounding error of |t|, from the mean and from its error."""
        t, mean, error = self.studentised, np.abs(self.mean), self.error
        usual = (mean > 0) & (error > 0)
        relative = STUDENTISED + self.noise * (1 / np.where(usual, mean, 1.0) + 1 / np.where(usual, error, 1.0))
        return np.where(usual, np.where(usual, t, 0.0) * relative, 0.0)


@dataclass(frozen=True)
class Outcome:
    """p, the estimate and both ends of its interval for each pair; an end that does not exist is infinite."""

    p: Floats
    estimate: Floats
    low: Floats
    high: Floats

    def without_noise(self, noise: Floats) -> Outcome:
        """The same with ends within noise of 0 set to 0: an interval and its p must agree about 0."""
        return Outcome(self.p, self.estimate, without_noise(self.low, noise), without_noise(self.high, noise))


def t_test(paired: Paired, level: float | Floats) -> Outcome:
    """Student's paired t-test and its interval: mean ± t(1 − α/2, n − 1) · s/√n, α the level of each pair."""
    special = need("scipy.special", "meta")
    n, mean = paired.topics, paired.mean
    p = 2 * special.stdtr(n - 1, -paired.studentised)
    margin = -special.stdtrit(n - 1, level / 2) * paired.error
    return Outcome(p, mean, mean - margin, mean + margin)


def randomization(paired: Paired, level: Floats, resamples: int, seed: int) -> Outcome:
    """Fisher's randomisation test: under H0 both signs of every topic's difference are equally likely.

    The statistic is |Σ differences|. All sign patterns are tried when there are no more than `resamples`; otherwise
    p = (1 + as extreme) / (1 + resamples), which is never 0 (Phipson and Smyth, 2010). The interval is every δ that the
    test does not reject. A pattern is as extreme as the observed one exactly when δ lies between the mean of the flipped
    topics and that of the others, so the ends are order statistics of these means (after Hartigan's typical values,
    1969), and the interval excludes 0 exactly when p is below the level.
    """
    topics = paired.shared.shape[1]
    exact = topics < 60 and 2**topics <= resamples
    if exact:
        flipped = (np.arange(2**topics)[:, None] >> np.arange(topics) & 1).astype(np.float64)
    else:
        flipped = np.random.default_rng(seed).integers(0, 2, (resamples, topics), dtype=np.int8).astype(np.float64)
    drawn = 0 if exact else 1  # the observed pattern is one of all patterns, but is not among drawn ones
    step = max(1, AT_ONCE // len(flipped))
    parts = [slice(i, i + step) for i in range(0, len(paired.shared), step)]
    outcomes = [_flip(paired.take(part), flipped, level[part], drawn) for part in parts]
    p, low, high = (np.concatenate(ends) for ends in zip(*outcomes, strict=True))
    return Outcome(p, paired.mean, low, high)


def _flip(paired: Paired, flipped: Floats, level: Floats, drawn: int) -> tuple[Floats, Floats, Floats]:
    total = paired.differences.sum(axis=1, keepdims=True)
    noise = (paired.noise * paired.topics)[:, None]
    sums = paired.differences @ flipped.T
    sizes = paired.shared.astype(np.float64) @ flipped.T
    extreme = np.abs(total - 2 * sums) >= np.abs(total) - noise
    patterns = len(flipped)
    p = (np.count_nonzero(extreme, axis=1) + drawn) / (patterns + drawn)
    rest = paired.topics[:, None] - sizes
    # A pattern that flips no topic or all of them is extreme for every δ.
    divided = (sizes > 0) & (rest > 0)
    means = [part / np.where(divided, size, 1.0) for part, size in ((sums, sizes), (total - sums, rest))]
    below = np.sort(np.where(divided, np.minimum(*means), -np.inf), axis=1)
    above = -np.sort(-np.where(divided, np.maximum(*means), np.inf), axis=1)
    # As few extreme patterns as leave p at the level: the ends are where there are that many.
    needed = np.ceil(level * (patterns + drawn) - drawn - 1e-9).astype(int)
    place, bounded = np.clip(needed - 1, 0, patterns - 1), needed >= 1
    pairs, mean = np.arange(len(total)), paired.mean
    low = np.where(bounded, np.minimum(below[pairs, place], mean), -np.inf)
    high = np.where(bounded, np.maximum(above[pairs, place], mean), np.inf)
    return p, low, high


def bootstrap(paired: Paired, level: Floats, resamples: int, seed: int) -> Outcome:
    """The paired bootstrap test with a studentised statistic (Sakai 2006), and its interval.

    ASL = share of resamples of the centred differences with |t*| ≥ |t|; p = (1 + those) / (1 + resamples). The interval
    is the symmetric bootstrap-t one, mean ± q · s/√n with q from the same |t*|, so both always agree.
    """
    observed, error, noise = paired.studentised, paired.error, paired.studentised_noise
    p, margin = np.empty(len(observed)), np.empty(len(observed))
    for pairs, statistic, _ in bootstrap_statistics(paired, resamples, seed):
        p[pairs], critical = upper_tail(statistic, observed[pairs], noise[pairs], level[pairs])
        # A constant difference has no error and needs no margin, however large the critical value.
        margin[pairs] = np.multiply(critical, error[pairs], out=np.zeros(len(pairs)), where=error[pairs] > 0)
    return Outcome(p, paired.mean, paired.mean - margin, paired.mean + margin)


def bootstrap_statistics(
    paired: Paired, resamples: int, seed: int
) -> Iterator[tuple[NDArray[np.intp], Floats, Floats]]:
    """Chunks of pairs with |t*| and |mean*| of every resample under H0, pair × resample.

    Pairs that share the same topics get the same draws, whatever other pairs there are.
    """
    patterns, which = np.unique(paired.shared, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        n = int(pattern.sum())
        draws = draw_with_replacement(n, resamples, seed).T
        members = np.flatnonzero(which.ravel() == k)
        step = max(1, AT_ONCE // resamples)
        for start in range(0, len(members), step):
            pairs = members[start : start + step]
            differences = paired.differences[pairs][:, pattern]
            noise = paired.noise[pairs][:, None]
            centred = without_noise(differences - differences.mean(axis=1, keepdims=True), noise)
            mean = centred @ draws / n
            squares = centred**2 @ draws
            variance = np.maximum(squares - n * mean**2, 0.0) / (n - 1)
            scale = np.abs(centred).max(axis=1, keepdims=True)
            variance[variance <= (1e-7 * scale) ** 2] = 0.0  # rounding noise of the subtraction above
            mean = without_noise(mean, noise)
            yield pairs, np.abs(_ratio(mean, np.sqrt(variance / n))), np.abs(mean)


def tukey(table: Floats, pairs: NDArray[np.intp], alpha: float, resamples: int, seed: int) -> Outcome:
    """Tukey's HSD by randomisation (Carterette 2012): p of a pair is the share of permutations, within topics, whose
    largest difference between any two systems reaches the pair's. All pairs share one null distribution, so p-values
    and intervals hold simultaneously. `table` is system × topic, complete.
    """
    means = table.mean(axis=1)
    noise = noise_of(table)
    difference = without_noise(means[pairs[:, 0]] - means[pairs[:, 1]], noise)
    ranges = tukey_ranges(table[None], resamples, seed)
    p, critical = upper_tail(ranges, np.abs(difference), noise, alpha)
    return Outcome(p, difference, difference - critical, difference + critical)


def tukey_ranges(tables: Floats, resamples: int, seed: int) -> Floats:
    """The largest difference of means under random permutations within topics, metric × resample.

    `tables` is metric × system × topic; all metrics use the same permutations.
    """
    metrics, systems, topics = tables.shape
    rng = np.random.default_rng(seed)
    ranges = np.empty((metrics, resamples))
    step = max(1, (1 << 21) // (systems * topics))
    identity = np.arange(systems)[None, :, None]
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        order = rng.permuted(np.broadcast_to(identity, (count, systems, topics)), axis=1)
        for m, table in enumerate(tables):
            means = table[order, np.arange(topics)].mean(axis=2)
            ranges[m, start : start + count] = np.ptp(means, axis=1)
    return ranges


def upper_tail(null: Floats, observed: Floats, noise: Floats, alpha: float | Floats) -> tuple[Floats, Floats]:
    """p = (1 + null values at least as large) / (1 + resamples), and the critical value for p < α.

    `null` has one row of resamples per observed value, or one row for all of them; null values within `noise` below the
    observed value count as equally large. α is one level for all rows, or one for each.
    """
    resamples = null.shape[1]
    least = observed - noise
    p = (1 + np.count_nonzero(null >= least[:, None], axis=1)) / (1 + resamples)
    spare = np.broadcast_to(np.ceil(np.asarray(alpha) * (resamples + 1) - 1e-9).astype(int) - 2, len(null))
    place = resamples - 1 - np.maximum(spare, 0)
    ordered = np.partition(null, np.unique(place), axis=1)
    return p, np.where(spare >= 0, ordered[np.arange(len(null)), place], np.inf)


def wilcoxon(paired: Paired, level: Floats) -> Outcome:
    """Wilcoxon's signed-rank test, and the pseudomedian of Hodges and Lehmann with its interval.

    The pseudomedian is the median of all means of two differences. Test and interval drop differences of 0. The
    interval is exact for differences without ties; where ties make the test's own p disagree with it about 0, the end
    beside 0 follows the test.
    """
    stats = need("scipy.stats", "meta")
    p, estimate, low, high = (np.zeros(len(paired.shared)) for _ in range(4))
    for i, (row, shared, noise) in enumerate(zip(paired.differences, paired.shared, paired.noise, strict=True)):
        differences = row[shared]
        # Only signs and the order of sizes matter; ranks with a tolerance keep ties despite noise.
        signed = np.sign(differences) * (1 + dense_ranks(np.abs(differences), noise=noise))
        p[i] = stats.wilcoxon(signed).pvalue if signed.any() else 1.0
        if signed.any():
            kept = differences[differences != 0]
            estimate[i], low[i], high[i] = _hodges_lehmann(kept, noise, level[i], rejected=p[i] < level[i])
    return Outcome(p, estimate, low, high)


def sign(paired: Paired, level: Floats) -> Outcome:
    """The sign test: only which system is better on a topic counts, so that it needs no interval scale.

    Differences of 0 are dropped. The estimate is the median of the others, its interval the one of order statistics.
    """
    binomial = need("scipy.special", "meta").bdtr
    p, estimate, low, high = (np.zeros(len(paired.shared)) for _ in range(4))
    for i, (row, shared) in enumerate(zip(paired.differences, paired.shared, strict=True)):
        kept = np.sort(row[shared & (row != 0)])
        n, below = len(kept), int((kept < 0).sum())
        p[i] = min(1.0, 2 * binomial(min(below, n - below), n, 0.5)) if n else 1.0
        if n:
            spare = int(np.searchsorted(binomial(np.arange(n // 2), n, 0.5), level[i] / 2, side="right")) - 1
            estimate[i] = np.median(kept)
            low[i], high[i] = (kept[spare], kept[-1 - spare]) if spare >= 0 else (-math.inf, math.inf)
        if p[i] >= level[i]:
            low[i], high[i] = min(low[i], 0.0), max(high[i], 0.0)
    return Outcome(p, estimate, low, high)


def _hodges_lehmann(differences: Floats, noise: float, level: float, *, rejected: bool) -> tuple[float, float, float]:
    """The pseudomedian and its interval, which contains 0 unless the test rejected it."""
    first, second = np.triu_indices(len(differences))
    walsh = np.sort(without_noise((differences[first] + differences[second]) / 2, noise))
    middle, spare = float(np.median(walsh)), _signed_rank_quantile(len(differences), level / 2)
    if not rejected:
        low, high = (walsh[spare], walsh[-1 - spare]) if spare >= 0 else (-math.inf, math.inf)
        return middle, min(float(low), 0.0), max(float(high), 0.0)
    same_side = walsh[np.sign(walsh) == np.sign(middle)]
    spare = min(max(spare, 0), (len(walsh) - 1) // 2)
    low, high = (np.clip(walsh[at], same_side[0], same_side[-1]) for at in (spare, -1 - spare))
    return middle, float(low), float(high)


def _signed_rank_quantile(n: int, tail: float) -> int:
    """The largest w with P(W ≤ w) ≤ tail for Wilcoxon's W under H0, or −1; exact up to 50 topics, then normal."""
    if n > 50:
        normal = float(need("scipy.special", "meta").ndtri(tail))
        return math.floor(n * (n + 1) / 4 + normal * math.sqrt(n * (n + 1) * (2 * n + 1) / 24) - 0.5)
    ways = [1]
    for rank in range(1, n + 1):
        longer = ways + [0] * rank
        for total, count in enumerate(ways):
            longer[total + rank] += count
        ways = longer
    below, w = 0, -1
    while below + ways[w + 1] <= tail * 2**n:
        w += 1
        below += ways[w]
    return w


def _ratio(above: Floats, below: Floats) -> Floats:
    """above / below, with 0/0 = 0 (no difference is no evidence) and x/0 infinite (a constant difference)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above == 0, 0.0, above / below)
