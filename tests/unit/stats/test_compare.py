"""Comparing systems: every test against scipy, a literal implementation or a published example."""

import csv
import io
import itertools
import json
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from diveval.errors import DivevalWarning
from diveval.results.scores import Scores
from diveval.stats import compare
from diveval.stats.paired import Paired, bootstrap_statistics, tukey_ranges, wilcoxon
from diveval.stats.pairwise import compare_pairs
from support.late import late
from support.refusals import has_facts, refuses, warns

stats = late("scipy.stats")

# Three systems on twenty topics, from Table 5.1 of T. Sakai's book on information access evaluation (2015).
SAKAI = np.array(
    [
        [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3, 0.5, 0.4, 0.0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1],
        [0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2],
        [0.0, 0.0, 0.2, 0.1, 0.3, 0.3, 0.1, 0.2, 0.4, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1, 0.5, 0.4, 0.3],
    ]
)
# Nine patients' depression scale before and after (Hollander and Wolfe, Nonparametric Statistical Methods, Table 3.1).
BEFORE = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
AFTER = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])


def table(values: Any, names: Any = "abcdefghij", counted: Any = None) -> Any:
    values = np.asarray(values, dtype=float)
    topics = [f"t{t:03}" for t in range(values.shape[1])]
    mask = None if counted is None else counted[:, None]
    return Scores.of(values[:, None], runs=list(names[: len(values)]), metrics=["m"], topics=topics, counted=mask)


def compare_quietly(*args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        return compare(*args, **options)


def normal(runs: int = 4, topics: int = 25, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(runs, topics)) + np.linspace(0.8, 0, runs)[:, None]


def test_t_gives_the_published_example() -> None:
    """Sakai's book: difference 0.0750, effect size 0.473, p = 0.048, margin of error 0.0742."""
    row = compare_quietly(table(SAKAI[:2]), test="t").rows[0]
    assert (row.run, row.other, row.topics) == ("a", "b", 20)
    assert row.difference == pytest.approx(0.0750, abs=1e-4)
    assert row.effect == pytest.approx(0.473, abs=1e-3)
    assert row.p == pytest.approx(0.048, abs=1e-3)
    assert (row.high - row.low) / 2 == pytest.approx(0.0742, abs=1e-4)
    assert row.significant


def test_t_equals_scipy() -> None:
    """p and the interval are those of scipy's paired t-test, for every pair."""
    values = normal()
    for row in compare_quietly(table(values), test="t", correction="none", confidence=0.9).rows:
        expected = stats.ttest_rel(values["abcd".index(row.run)], values["abcd".index(row.other)])
        assert row.p == pytest.approx(expected.pvalue, rel=1e-9)
        assert (row.low, row.high) == pytest.approx(tuple(expected.confidence_interval(0.9)), rel=1e-9)


def test_randomization_equals_scipy_when_exact() -> None:
    """With few topics all sign patterns are enumerated, as in scipy's permutation test."""
    values = np.round(normal(2, 11), 1)
    row = compare_quietly(table(values), test="randomization").rows[0]
    expected = stats.permutation_test(
        (values[0] - values[1],), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False
    )
    assert row.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_randomization_by_sampling_is_near_the_t_test() -> None:
    """On normal differences the sampled test and its interval agree with Student's."""
    values = normal(2, 60, seed=4)
    by_signs, by_t = (compare_quietly(table(values), test=test).rows[0] for test in ("randomization", "t"))
    assert by_signs.p == pytest.approx(by_t.p, abs=0.01)
    assert (by_signs.low, by_signs.high) == pytest.approx((by_t.low, by_t.high), abs=0.03)


def test_randomization_interval_is_the_inverted_test() -> None:
    """scipy's exact test accepts a shift just inside the interval and rejects one just outside."""
    values = normal(2, 10, seed=8)
    row = compare_quietly(table(values), test="randomization", confidence=0.9).rows[0]
    differences = values["ab".index(row.run)] - values["ab".index(row.other)]

    def p(shift: Any) -> Any:
        return stats.permutation_test(
            (differences - shift,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=False
        ).pvalue

    assert p(row.low + 1e-6) >= 0.1 > p(row.low - 1e-6)
    assert p(row.high - 1e-6) >= 0.1 > p(row.high + 1e-6)


def test_bootstrap_equals_a_literal_implementation() -> None:
    """Sakai's algorithm, resample by resample on the same draws, gives the same ASL."""
    differences = SAKAI[0] - SAKAI[1]
    paired = Paired.of(SAKAI[:1], SAKAI[1:2], np.ones((1, 20), dtype=bool))
    ((_, statistic, mean),) = bootstrap_statistics(paired, 300, seed=11)
    draws = np.random.default_rng(11).multinomial(20, np.full(20, 1 / 20), size=300)
    shifted = differences - differences.mean()
    for b in range(300):
        sample = np.repeat(shifted, draws[b])
        assert mean[0, b] == pytest.approx(abs(sample.mean()), abs=1e-12)
        assert statistic[0, b] == pytest.approx(abs(sample.mean()) / (sample.std(ddof=1) / np.sqrt(20)), rel=1e-9)
    observed = abs(differences.mean()) / (differences.std(ddof=1) / np.sqrt(20))
    row = compare_quietly(table(SAKAI[:2]), test="bootstrap", resamples=300, seed=11).rows[0]
    assert row.p == pytest.approx((1 + np.count_nonzero(statistic >= observed)) / 301)


def test_bootstrap_is_near_the_t_test() -> None:
    """On normal differences the bootstrap's p and interval agree with Student's."""
    values = normal(2, 80, seed=3)
    ours, by_t = (compare_quietly(table(values), test=test).rows[0] for test in ("bootstrap", "t"))
    assert ours.p == pytest.approx(by_t.p, abs=0.01)
    assert (ours.low, ours.high) == pytest.approx((by_t.low, by_t.high), abs=0.03)


def test_wilcoxon_gives_the_published_example() -> None:
    """Hollander and Wolfe's depression scores: p = 0.0391, interval 0.010 to 0.786."""
    outcome = wilcoxon(Paired.of(BEFORE[None], AFTER[None], np.ones((1, 9), dtype=bool)), np.array([0.05]))
    assert outcome.p[0] == pytest.approx(0.0390625)
    assert (outcome.low[0], outcome.high[0]) == pytest.approx((0.010, 0.786), abs=1e-3)


@pytest.mark.parametrize("topics", [12, 40, 90])
def test_wilcoxon_equals_scipy(topics: int) -> None:
    """p is scipy's, with few topics, with ties, and with many topics."""
    values = np.round(normal(3, topics, seed=topics), 2)
    for row in compare_quietly(table(values), test="wilcoxon").rows:
        a, b = values["abc".index(row.run)], values["abc".index(row.other)]
        assert row.p == pytest.approx(stats.wilcoxon(np.round(a - b, 10)).pvalue, rel=1e-9)
        assert row.low <= row.high


def test_tukey_of_two_systems_is_the_randomization_test() -> None:
    """With two systems, permuting within topics is the same as flipping signs."""
    values = normal(2, 12, seed=6)
    ours = compare_quietly(table(values), test="tukey", resamples=20_000).rows[0]
    exact = compare_quietly(table(values), test="randomization").rows[0]
    assert ours.p == pytest.approx(exact.p, abs=0.01)


def test_tukey_equals_the_full_enumeration() -> None:
    """Three systems on four topics: the sampled p is near that of all 6⁴ permutations."""
    values = normal(3, 4, seed=1)
    orders = list(itertools.permutations(range(3)))
    ranges = []
    for choice in itertools.product(orders, repeat=4):
        means = np.mean([values[list(order), t] for t, order in enumerate(choice)], axis=0)
        ranges.append(np.ptp(means))
    result = compare_quietly(table(values), test="tukey", resamples=20_000)
    for row in result.rows:
        exact = np.mean(np.array(ranges) >= abs(row.difference) - 1e-12)
        assert row.p == row.p_adjusted == pytest.approx(exact, abs=0.01)
    assert result.correction == "none"


def test_tukey_is_near_the_studentised_range() -> None:
    """On normal scores p is near that of the two-way analysis of variance."""
    values = normal(1, 80) + np.random.default_rng(9).normal(size=(5, 80))
    residual = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    error = np.sqrt((residual**2).sum() / (4 * 79) / 80)
    for row in compare_quietly(table(values), test="tukey").rows:
        expected = stats.studentized_range.sf(abs(row.difference) / error, 5, 4 * 79)
        assert row.p == pytest.approx(expected, abs=0.02)


def test_tukey_ranges_permute_within_topics_only() -> None:
    """Values stay in their topic: with one topic the range never changes."""
    assert np.ptp(tukey_ranges(np.array([[[1.0], [2.0], [5.0]]]), 100, seed=0)) == 0.0


@pytest.mark.parametrize("test", ["t", "randomization", "bootstrap", "wilcoxon", "sign", "tukey"])
def test_interval_and_p_agree(test: str) -> None:
    """The interval excludes 0 exactly if p is below α, for every test."""
    for seed in range(4):
        for row in compare_quietly(table(normal(4, 14, seed)), test=test, resamples=999, correction="none").rows:
            assert (row.p < 0.05) == (row.low > 0 or row.high < 0)


@pytest.mark.parametrize("test", ["t", "randomization", "bootstrap", "wilcoxon", "sign", "tukey"])
def test_identical_runs_have_p_1(test: str) -> None:
    """Without any difference p = 1 and effect 0, with a warning."""
    values = np.tile(np.random.default_rng(0).random(12), (2, 1))
    with warns("test-assumption", "1"):
        row = compare(table(values), test=test, resamples=200).rows[0]
    assert (row.difference, row.effect, row.p, row.p_adjusted, row.significant) == (0.0, 0.0, 1.0, 1.0, False)
    assert row.note


def test_float_noise_is_no_difference() -> None:
    """Runs that differ by rounding only are identical."""
    values = np.random.default_rng(0).random((1, 12))
    noisy = np.concatenate([values, values * (1 + 1e-15)])
    assert compare_quietly(table(noisy), test="wilcoxon").rows[0].p == 1.0


def test_a_constant_difference_is_a_warning() -> None:
    """A constant difference has no variance: the t-test gives p = 0, with a warning."""
    values = np.arange(12) / 16
    with warns("test-assumption"):
        row = compare(table([values + 0.25, values]), test="t").rows[0]
    assert (row.p, row.effect, row.low, row.high) == (0.0, None, 0.25, 0.25)


def test_baseline_compares_each_run_with_it() -> None:
    """With a baseline there is one row per other run, run minus baseline, and no letters."""
    values = normal(4, 25)
    result = compare_quietly(table(values), baseline="b")
    assert [(row.run, row.other) for row in result.rows] == [("a", "b"), ("c", "b"), ("d", "b")]
    assert result.rows[2].difference == pytest.approx((values[3] - values[1]).mean())
    assert {run.letters for run in result.runs} == {None}


def test_letters_follow_the_adjusted_p() -> None:
    """Runs share a letter exactly if their pair is not significant after correction."""
    result = compare_quietly(table(normal(6, 40, seed=2)))
    letters = {run.run: set(run.letters) for run in result.runs}
    assert any(row.significant for row in result.rows)
    assert any(not row.significant for row in result.rows)
    for row in result.rows:
        assert bool(letters[row.run] & letters[row.other]) == (not row.significant)


def test_too_many_letters_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """If too many letters would be needed there are none, with a warning."""
    monkeypatch.setattr(sys.modules["diveval.stats.pairwise"], "MOST", 1)
    with warns("test-assumption"):
        result = compare(table(normal(6, 40, seed=2)), test="tukey", resamples=500)
    assert {run.letters for run in result.runs} == {None}


def test_letters_with_numbers_are_not_shown() -> None:
    """Beyond 52 groups a letter would have a number: tables leave letters out, the records keep them."""
    values = [[place + noise for noise in normal(1, 8, seed=3)[0]] for place in range(60)]
    result = compare_quietly(table(values, [f"r{place}" for place in range(60)]))
    few = compare_quietly(table(values[:5]))
    assert {run.letters for run in result.runs} >= {"Z", "a1"} and not result.has_readable_letters
    assert few.has_readable_letters and " letters" in few.to_text() and "Letters" in few.to_latex()
    assert " letters" not in result.to_text() and "Letters" not in result.to_latex()


def test_corrections_are_applied_to_all_pairs() -> None:
    """Adjusted p-values are those of the chosen correction; `none` leaves them unchanged."""
    values = table(normal(5, 20))
    plain = compare_quietly(values, correction="none")
    assert all(row.p == row.p_adjusted for row in plain.rows)
    expected = stats.false_discovery_control([row.p for row in plain.rows])
    adjusted = [row.p_adjusted for row in compare_quietly(values, correction="bh").rows]
    assert adjusted == pytest.approx(expected.tolist())


def test_only_shared_topics_are_used() -> None:
    """A topic that one run lacks is left out of its pairs, and the warning gives the numbers that remain."""
    values, counted = normal(3, 20), np.ones((3, 20), dtype=bool)
    counted[2, 12:] = False
    with warns("test-assumption", "12", "20"):
        result = compare(table(values, counted=counted), test="t")
    row = next(row for row in result.rows if {row.run, row.other} == {"a", "c"})
    assert row.topics == 12
    assert row.p == pytest.approx(stats.ttest_rel(values[0, :12], values[2, :12]).pvalue)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_resampling_respects_missing_topics(test: str) -> None:
    """Values on topics that a pair does not share do not change its result."""
    values, counted = normal(3, 20), np.ones((3, 20), dtype=bool)
    counted[2, 12:] = False
    changed = values.copy()
    changed[2, 12:] = 99.0
    rows = [compare_quietly(table(v, counted=counted), test=test, resamples=500).rows for v in (values, changed)]
    assert rows[0] == rows[1]


def test_tukey_uses_complete_topics() -> None:
    """Tukey's test drops topics that some run lacks, with a warning."""
    values, counted = normal(3, 20), np.ones((3, 20), dtype=bool)
    counted[2, 12:] = False
    with warns("test-assumption", "12", "20"):
        result = compare(table(values, counted=counted), test="tukey", resamples=200)
    assert {row.topics for row in result.rows} == {12}


def test_a_pair_without_topics_is_not_tested() -> None:
    """With fewer than two shared topics there is no p and no difference; other pairs are tested."""
    values, counted = normal(3, 12), np.ones((3, 12), dtype=bool)
    counted[2, 1:] = False
    with warns("test-assumption", "2", "3"):
        result = compare(table(values, counted=counted))
    untested = [row for row in result.rows if "c" in (row.run, row.other)]
    assert all(row.p is None and row.difference is None and row.note for row in untested)
    assert [row["topics"] for row in json.loads(result.to_json())["rows"] if row["p"] is not None] == [12]


@pytest.mark.parametrize(
    ("test", "values", "facts"),
    [
        ("t", normal(2, 6), (6,)),
        ("wilcoxon", normal(2, 5), ("0.05", 6)),
        ("randomization", normal(2, 4), ("0.05", 6)),
        ("t", np.stack([np.r_[np.zeros(28), 9.0], np.linspace(0, 0.1, 29)]), ()),
        ("wilcoxon", np.stack([np.r_[np.zeros(20), np.arange(1, 11)], np.zeros(30)]), ()),
    ],
)
def test_an_unsuitable_test_is_a_warning(test: str, values: Any, facts: tuple[object, ...]) -> None:
    """If a test does not suit the data, a warning and a note give the reason."""
    with warns("test-assumption", *facts) as recorded:
        result = compare(table(values), test=test)
    assert len(recorded) == len(result.notes) and any(has_facts(note, *facts) for note in result.notes)


def test_too_few_resamples_for_the_correction_warns() -> None:
    """Ten comparisons cannot be significant with 100 resamples; the warning gives the number needed."""
    with warns("test-assumption", "100", "10", "200"):
        compare(table(normal(5, 20)), test="bootstrap", resamples=100)


def test_five_topics_have_no_exact_interval() -> None:
    """Five sign flips cannot exclude any shift at 95 %: there is no interval, and the row has a note."""
    row = compare_quietly(table(normal(2, 5)), test="randomization").rows[0]
    assert (row.low, row.high) == (None, None)
    assert has_facts(row.note or "", "0.05")


@pytest.mark.parametrize("test", ["t", "randomization", "bootstrap", "wilcoxon", "sign", "tukey"])
def test_the_order_of_runs_and_topics_does_not_matter(test: str) -> None:
    """A reordered table gives the same result."""
    scores = table(np.round(normal(4, 30), 2))
    shuffled = scores.select(runs=["c", "a", "d", "b"], topics=list(reversed(scores.topics)))
    options = {"test": test, "resamples": 300, "correction": "none"}
    assert compare_quietly(scores, **options) == compare_quietly(shuffled, **options)


def test_csv_and_json_have_the_same_values() -> None:
    """Both exports have every pair, with full doubles."""
    result = compare_quietly(table(normal(3, 20)))
    records = list(csv.DictReader(io.StringIO(result.to_csv())))
    parsed = json.loads(result.to_json())
    assert [float(row["p_adjusted"]) for row in records] == [row.p_adjusted for row in result.rows]
    assert [row["p_adjusted"] for row in parsed["rows"]] == [row.p_adjusted for row in result.rows]
    assert parsed["runs"][0]["letters"] == result.runs[0].letters
    assert "Carterette" in parsed["reference"]
    assert r"\toprule" in result.to_latex()


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({"test": "anova"}, ("invalid-choice", "anova")),
        ({"correction": "sidak", "test": "tukey"}, ("invalid-choice", "sidak")),
        ({"confidence": 1.0}, ("out-of-range", "0", "1")),
        ({"resamples": 10}, ("out-of-range", "100")),
        ({"baseline": "z"}, ("unknown-run", "z")),
        ({"metric": "n"}, ("unknown-metric", "n")),
    ],
)
def test_wrong_arguments_are_named(options: Any, refusal: tuple[str, ...]) -> None:
    """The error names the invalid argument and the allowed values."""
    with refuses(*refusal):
        compare(table(normal(2, 12)), **options)


def test_one_run_cannot_be_compared() -> None:
    """A single run is an error."""
    with refuses("too-few-runs"):
        compare(table(normal(1, 12)))


@pytest.mark.parametrize("runs", [2, 5])
def test_compared_pairs_are_the_rows_of_compare(runs: int) -> None:
    """The p-values used for conclusions are those of `compare`."""
    scores = table(np.random.default_rng(runs).random((runs, 12)))
    assert compare_pairs(scores) == compare_quietly(scores).rows


@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
@pytest.mark.parametrize("test", ["t", "randomization", "bootstrap", "wilcoxon", "sign", "tukey"])
def test_intervals_agree_with_the_stars(test: str, correction: str) -> None:
    """An interval excludes 0 exactly where the pair is significant, and contains its own estimate."""
    for seed in range(6):
        values = normal(5, 25, seed=seed) * 0.5 + np.arange(5)[:, None] * 0.12
        values = np.round(values, seed % 3 + 1) * (np.random.default_rng(seed).random((5, 25)) < 0.8)
        for row in compare_quietly(table(values), test=test, correction=correction, resamples=2000).rows:
            if row.low is None or row.high is None:
                assert not row.significant
                continue
            assert row.low <= row.estimate <= row.high
            assert (row.low > 0 or row.high < 0) == row.significant


def test_holm_levels_are_those_of_the_procedure() -> None:
    """By hand, with scipy: step down until a p is not below α/(m − j + 1); the interval is scipy's at that level."""
    values = normal(5, 20, seed=3) + np.arange(5)[:, None] * 0.3
    rows = compare_quietly(table(values)).rows
    tests = {row: stats.ttest_rel(values["abcde".index(row.run)], values["abcde".index(row.other)]) for row in rows}
    ordered = sorted(rows, key=lambda row: tests[row].pvalue)
    level, going = 1.0, True
    for j, row in enumerate(ordered):
        if going:  # the level at which the procedure stops is that of all pairs that remain
            level = 0.05 / (len(rows) - j)
            going = tests[row].pvalue < level
        assert row.significant == going
        assert (row.low, row.high) == pytest.approx(tuple(tests[row].confidence_interval(1 - level)), rel=1e-6)


def test_ranks_are_what_the_decisions_leave_open() -> None:
    """1 + the runs that are significantly better, up to all less those that are significantly worse."""
    result = compare_quietly(table(normal(4, 20, seed=1) + np.arange(4)[:, None]))
    for run in result.runs:
        above = sum(row.other == run.run and row.significant for row in result.rows)
        below = sum(row.run == run.run and row.significant for row in result.rows)
        assert run.ranks == (1 + above, len(result.runs) - below)


def test_no_normality_notes_with_many_topics() -> None:
    """From thirty topics on a mean is close to normal, whatever the differences are."""
    values = np.stack([np.r_[np.zeros(39), 9.0], np.linspace(0, 0.1, 40)])
    assert not any("normal" in note for note in compare(table(values)).notes)
