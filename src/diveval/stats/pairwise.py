"""Comparison of systems on one metric, paired by topic and corrected for multiple comparisons."""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from diveval.argument_types import explain_types
from diveval.defaults import CONFIDENCE, CORRECTION, RESAMPLES, SEED, TEST
from diveval.errors import UsageError, suggestion, warn
from diveval.metrics.names import MetricLike
from diveval.results.scores import Scores
from diveval.results.statements import Statement
from diveval.stats.comparison import TOO_FEW, ComparedRun, Comparison, ComparisonRow
from diveval.stats.paired import Floats, Outcome, Paired
from diveval.stats.ranks import rank_sets
from diveval.stats.tests import CORRECTIONS, LEVELS, TESTS, Correction, Sample, Significance, misfits
from diveval.stats.ties import rank_means, require_resamples, require_scores, require_variances

DEFAULT = Significance()


@explain_types
def compare(
    scores: Scores,
    metric: MetricLike | None = None,
    *,
    baseline: str | None = None,
    test: str = TEST,
    correction: Correction = CORRECTION,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Comparison:
    """Compare the runs on one metric, every pair or each against a baseline, paired on the topics both count.

    The effect size is Cohen's d_z. An interval is that of the test at the level that the correction gives the pair (of
    the pseudomedian for wilcoxon), so that it excludes 0 exactly if the pair differs significantly; intervals are
    simultaneous only for tukey. It warns if the data do not meet a test's assumptions. The result does not depend on
    the order of runs or topics.

    Args:
        scores: scores per topic of two runs or more.
        metric: the metric to compare on (default: the first one of the scores).
        baseline: compare every run with this one instead of every pair.
        test: `t`, `randomization` (sign flips), `bootstrap` (Sakai 2006) `wilcoxon` or `sign`, which test each pair; or
            `tukey`, Tukey's HSD by randomisation over the topics that all runs count, which holds for all pairs at once.
        correction: of the p-values of all pairs together: `holm`, `bh` (Benjamini and Hochberg) or `none`; tukey needs
            none.
        confidence: level of the intervals; a pair is significant when its adjusted p is below 1 − confidence.
        resamples: how many resamples randomization, bootstrap and tukey draw.
        seed: seed of the resampling.
    """
    require_scores(scores, "compare")
    how = Significance(test, correction, confidence, resamples, seed)
    require_resamples("resamples", resamples, seed, topics=len(scores.topics))
    correction = how.correction
    table = _table(scores, metric)
    name, ranking = table.metrics[0], _ranking(table)
    pairs = _pairs(table.runs, ranking, baseline)
    rows, notes, tested = _rows(table, pairs, how)
    if len(tested.topics):
        comparisons = len(tested.topics) if correction != "none" else 1
        named = [{"run": row.run, "other": row.other} for row in rows if row.p is not None]
        notes = (*notes, *misfits(TESTS[test], tested, how.alpha, comparisons, resamples, named))
    names = [table.runs[r] for r in ranking]
    grouped = baseline is None and len(tested.topics) > 0
    shown, ranks = (_letters(names, rows), _ranks(names, rows, float(table.signs[0]))) if grouped else ({}, {})
    if grouped and not shown:
        notes = (*notes, Statement("no-letters", {"runs": len(names)}, tuple({"run": name} for name in names)))
    for note in notes:
        warn("test-assumption", f"{name}: {note}")
    means = [
        float(mean) if counted.any() else None for mean, counted in zip(table.means[:, 0], table.counted, strict=True)
    ]
    coverage = table.coverage() or (None,) * len(table.runs)
    judged = scores.setup.judged
    runs = tuple(
        ComparedRun(name, means[r], shown.get(name), coverage[r], judged.get(name), ranks.get(name))
        for r, name in zip(ranking, names, strict=True)
    )
    setup = how.add_to(scores.setup, len(tested.topics))
    told = tuple(note.text for note in notes)
    found = Comparison(name, test, correction, confidence, baseline, resamples, seed, runs, rows, told, setup=setup)
    return replace(found, statements=(*found.state(), *notes))


def _ranks(ranking: list[str], rows: tuple[ComparisonRow, ...], sign: float) -> dict[str, tuple[int, int]]:
    """The ranks that each run can have, given the pairs that differ; `sign` is −1 where low values are better."""
    place = {run: i for i, run in enumerate(ranking)}
    differ = [(place[row.run], place[row.other]) for row in rows if row.significant]
    better = [row.direction * sign < 0 for row in rows if row.significant]
    sets = rank_sets(
        len(ranking), [pair[::-1] if turned else pair for pair, turned in zip(differ, better, strict=True)]
    )
    return dict(zip(ranking, sets, strict=True))


def compare_pairs(scores: Scores, how: Significance = DEFAULT) -> tuple[ComparisonRow, ...]:
    """The rows of `compare` for every pair, without the slow check of the test's assumptions."""
    table = _table(scores, None)
    require_resamples("resamples", how.resamples, how.seed, topics=len(scores.topics))
    return _rows(table, _pairs(table.runs, _ranking(table), None), how)[0]


def _table(scores: Scores, metric: MetricLike | None) -> Scores:
    """One metric; runs and topics sorted by name, so that random draws do not depend on their order."""
    if len(scores.runs) < 2:
        raise UsageError("too-few-runs", f"at least two runs are needed to compare them, got {len(scores.runs)}")
    name = scores.metrics[0 if metric is None else scores.metric_index(metric)]
    table = scores.select(runs=sorted(scores.runs), topics=sorted(scores.topics), metrics=[name])
    require_variances(table)
    return table


def _ranking(table: Scores) -> list[int]:
    """The runs from the best mean down, ties by name, runs without a mean last."""
    ranks = rank_means(table, 0)
    return sorted(range(len(ranks)), key=lambda r: (-ranks[r], r))


def _pairs(runs: tuple[str, ...], ranking: list[int], baseline: str | None) -> NDArray[np.intp]:
    """Every pair, the better run first; with a baseline, every other run against it."""
    if baseline is None:
        return np.array([(a, b) for i, a in enumerate(ranking) for b in ranking[i + 1 :]])
    if baseline not in runs:
        raise UsageError("unknown-run", f"no scores for the baseline {baseline!r}", hint=suggestion(baseline, runs))
    base = runs.index(baseline)
    return np.array([(a, base) for a in ranking if a != base])


def _rows(
    table: Scores,
    pairs: NDArray[np.intp],
    how: Significance,
) -> tuple[tuple[ComparisonRow, ...], tuple[Statement, ...], Paired]:
    """Rows, notes and the pairs that were tested: those that share two topics or more; other rows have a note."""
    test = how.test
    values, counted = table.values[:, 0], table.counted[:, 0]
    complete: NDArray[np.bool_] = np.logical_and.reduce(counted, axis=0)
    if TESTS[test].simultaneous:
        counted = np.broadcast_to(complete, counted.shape)
    first, second = pairs.T
    paired = Paired.of(values[first], values[second], counted[first] & counted[second])
    rows = [
        ComparisonRow(table.runs[a], table.runs[b], None, None, None, None, None, None, False, int(n), TOO_FEW)
        for (a, b), n in zip(pairs, paired.topics, strict=True)
    ]
    usable = np.flatnonzero(paired.topics >= 2)
    notes = []
    if len(usable) < len(rows):
        shared = tuple({"run": row.run, "other": row.other, "topics": row.topics} for row in rows)
        notes.append(Statement("untested-pairs", {"pairs": len(rows) - len(usable), "of": len(rows)}, shared))
    if TESTS[test].simultaneous and not complete.all():
        facts = {"test": test, "topics": int(complete.sum()), "of": len(complete)}
        counts = zip(table.runs, table.counted[:, 0].sum(axis=1), strict=True)
        notes.append(
            Statement("topics-of-every-run", facts, tuple({"run": run, "topics": int(n)} for run, n in counts))
        )
    chosen = paired.take(usable)
    if len(usable):
        alpha = how.alpha
        outcome, levels = _decide(how, chosen, values[:, complete], pairs[usable])
        adjusted, mean, deviation = CORRECTIONS[how.correction](outcome.p), chosen.mean, chosen.deviation
        for k, i in enumerate(usable):
            effect, note = _effect(float(mean[k]), float(deviation[k]))
            low, high = (float(end[k]) if math.isfinite(end[k]) else None for end in (outcome.low, outcome.high))
            if low is None or high is None:
                note = f"too few topics or resamples for an interval at level {levels[k]:.2g}"
            rows[i] = replace(
                rows[i],
                difference=float(mean[k]),
                effect=effect,
                low=low,
                high=high,
                p=float(outcome.p[k]),
                p_adjusted=float(adjusted[k]),
                significant=bool(adjusted[k] < alpha),
                note=note,
                estimate=float(outcome.estimate[k]),
                level=float(levels[k]),
            )
    return tuple(rows), tuple(notes), chosen


def _decide(how: Significance, paired: Paired, table: Floats, pairs: NDArray[np.intp]) -> tuple[Outcome, Floats]:
    """The outcome for every pair with its interval at the level that the correction gives it, and these levels."""
    decide = TESTS[how.test].decide
    sample = Sample(paired, table, pairs, np.full(len(pairs), how.alpha), how.resamples, how.seed)
    outcome = decide(sample)
    levels = LEVELS[how.correction](outcome.p, how.alpha)
    if (levels != how.alpha).any():
        outcome = decide(replace(sample, level=levels))
    return outcome.without_noise(paired.noise), levels


def _effect(mean: float, deviation: float) -> tuple[float | None, str | None]:
    """Cohen's d_z, or why there is none."""
    if deviation:
        return mean / deviation, None
    if mean:
        return None, "a constant difference: no effect size"
    return 0.0, "identical scores"


def _letters(ranking: list[str], rows: tuple[ComparisonRow, ...]) -> dict[str, str]:
    """Significance letters by run, a for the best; nothing if there would be too many."""
    place = {run: i for i, run in enumerate(ranking)}
    different = [(place[row.run], place[row.other]) for row in rows if row.significant]
    return dict(zip(ranking, letters(len(ranking), different) or (), strict=False))


MOST = 500


SIGNS = string.ascii_lowercase + string.ascii_uppercase


@explain_types
def letters(count: int, different: Iterable[tuple[int, int]]) -> list[str] | None:
    """The letters of `count` systems, numbered from the best, given the pairs that differ significantly.

    A letter belongs to a largest set of systems of which no two differ: the columns that "insert and absorb" ends with,
    found without its intermediate ones. Their number can grow exponentially; beyond 500 the letters would be
    unreadable, and the result is None.
    H.-P. Piepho. An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons. Journal of Computational
    and Graphical Statistics, 2004.
    """
    everyone = (1 << count) - 1
    alike = [everyone ^ (1 << i) for i in range(count)]
    for i, j in different:
        alike[i] &= ~(1 << j)
        alike[j] &= ~(1 << i)
    columns = list(islice(_find_groups(alike, everyone), MOST + 1))
    if len(columns) > MOST:
        return None
    # The letter a belongs to the column of the best system, and so on downwards.
    ordered = sorted(columns, key=_members_of)
    out = [""] * count
    for c, column in enumerate(ordered):
        for i in _members_of(column):
            out[i] += _sign(c)
    return out


def _find_groups(alike: Sequence[int], everyone: int) -> Iterator[int]:
    """Every largest set of systems that are alike, as bits.

    A step has a set, the systems alike with all of it, and those of them whose sets are all found already. Sets without
    a pivot whose members are all alike with it could be extended by the pivot: they are not looked at.
    C. Bron, J. Kerbosch. Algorithm 457: Finding All Cliques of an Undirected Graph. CACM, 1973.
    """
    with_all = sum(1 << i for i, others in enumerate(alike) if others | 1 << i == everyone)
    waiting = [(with_all, everyone & ~with_all, 0)]
    while waiting:
        group, left, done = waiting.pop()
        if not left | done:
            yield group
            continue
        pivot = max(_members_of(left | done), key=lambda i: (alike[i] & left).bit_count())
        for i in _members_of(left & ~alike[pivot]):
            waiting.append((group | 1 << i, left & alike[i], done & alike[i]))
            left ^= 1 << i
            done |= 1 << i


def _members_of(column: int) -> list[int]:
    """The numbers of the bits that are set, ascending."""
    return [i for i, bit in enumerate(bin(column)[:1:-1]) if bit == "1"]


def _sign(number: int) -> str:
    """a … z, A … Z, then a1 … Z1, a2 …"""
    turn, place = divmod(number, len(SIGNS))
    return SIGNS[place] + (str(turn) if turn else "")
