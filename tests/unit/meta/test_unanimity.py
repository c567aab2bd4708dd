"""Metric Unanimity: the paper's example, undefined cases, intervals, groups and exports."""

import csv
import io
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diveval.meta import unanimity
from diveval.results.scores import Scores
from support.present import present
from support.refusals import refuses, warns


def scores(values: Any, metrics: Any = None, counted: Any = None, topics: Any = None) -> Any:
    """From metric × run (one topic) or metric × run × topic."""
    table = np.asarray(values, dtype=float)
    table = (table if table.ndim == 3 else table[:, :, None]).transpose(1, 0, 2)
    return Scores.of(
        table,
        runs=[f"r{r}" for r in range(table.shape[0])],
        metrics=metrics or [f"m{m + 1}" for m in range(table.shape[1])],
        topics=topics or [f"t{t:03}" for t in range(table.shape[2])],
        counted=counted,
    )


PAPER = [[1, 0.5, 0.2], [0.8, 0.3, 0.4], [1, 0.2, 0.5]]


def test_the_example_of_the_paper() -> None:
    """Three metrics, three systems: MU(m1) = log2(4/3) = 0.415."""
    row = unanimity(scores(PAPER))["m1"]
    assert row.mu == pytest.approx(math.log2(4 / 3), abs=1e-15)
    assert round(present(row.mu), 3) == 0.415
    assert (row.pairs, row.unanimous) == (6, 3)


def test_one_topic_has_no_interval() -> None:
    """One topic cannot be resampled, and the row has a note."""
    row = unanimity(scores(PAPER))["m1"]
    assert (row.low, row.high) == (None, None)
    assert row.note


def test_a_constant_metric_scores_zero() -> None:
    """It ties every pair, and each tie counts half."""
    assert unanimity(scores([*PAPER, [7, 7, 7]]))["m4"].mu == 0.0


def test_without_a_unanimous_pair_it_is_undefined() -> None:
    """Two metrics that contradict each other leave the third without a unanimous pair."""
    with warns("undefined-value", "m1", "2"):
        row = unanimity(scores([[1, 2, 3], [3, 2, 1], [1, 2, 3]]))["m3"]
    assert (row.mu, row.unanimous) == (None, 0)
    assert row.note


def test_contradicting_every_unanimous_pair_is_undefined() -> None:
    """log 0 is minus infinity: the value is None, with a warning."""
    with warns("undefined-value"):
        result = unanimity(scores([[1, 2, 3], [3, 2, 1]]))
    assert [row.mu for row in result.rows] == [None, None]
    assert json.loads(result.to_json())["rows"][0]["mu"] is None


def test_without_a_shared_topic_it_is_undefined() -> None:
    """Runs that share no topic make no pairs."""
    counted = np.zeros((2, 2, 2), dtype=bool)
    counted[0, :, 0] = counted[1, :, 1] = True
    with warns("undefined-value"):
        result = unanimity(scores(np.ones((2, 2, 2)), counted=counted))
    assert [(row.mu, row.pairs) for row in result.rows] == [(None, 0), (None, 0)]
    assert result.topics == 0


def test_a_topic_one_metric_does_not_count_is_left_out() -> None:
    """All metrics use the same pairs: an output that does not count for one metric makes no pair."""
    values = np.random.default_rng(0).random((3, 4, 5))
    counted = np.ones((4, 3, 5), dtype=bool)
    counted[2, 1, 3] = False
    expected = unanimity(scores(values, counted=counted), bootstrap=0)
    assert expected.rows[0].pairs == 4 * 12 + 6
    values[:, 2, 3] = 1e9  # an uncounted value has no effect
    assert unanimity(scores(values, counted=counted), bootstrap=0).rows == expected.rows


def test_the_own_family_is_left_out_on_request() -> None:
    """With leave_family_out a metric is compared with metrics of other families only."""
    quality = [[3, 2, 1], [3, 2, 1], [1, 2, 3]]
    table = scores(quality, metrics=["A(p=1)", "A(p=2)", "B"])
    with warns("undefined-value"):  # B contradicts A(p=2), so no pair is unanimous for A(p=1)
        assert unanimity(table)["A(p=1)"].mu is None
    with warns("undefined-value"):
        alone = unanimity(table, leave_family_out=True)
    assert alone["A(p=1)"].unanimous == 3
    assert alone["A(p=1)"].note
    assert alone.leave_family_out


def test_leaving_out_the_only_family_is_undefined() -> None:
    """Leaving the family out of a set of one family leaves no metric to compare with."""
    table = scores(PAPER, metrics=["A(p=1)", "A(p=2)", "A(p=3)"])
    with warns("undefined-value"):
        result = unanimity(table, leave_family_out=True)
    assert [(row.mu, row.unanimous) for row in result.rows] == [(None, 0)] * 3


def test_float_noise_is_a_tie() -> None:
    """Values that differ in the last bits are tied, unless the tolerance is 0."""
    rng = np.random.default_rng(2)
    clean = rng.integers(1, 5, (4, 6, 7)) / 7
    noisy = clean * (1 + rng.uniform(-3e-15, 3e-15, clean.shape))
    assert unanimity(scores(noisy), bootstrap=0).rows == unanimity(scores(clean), bootstrap=0).rows
    exact = unanimity(scores(noisy), bootstrap=0, tolerance=0)
    assert exact.rows != unanimity(scores(clean), bootstrap=0).rows


def related(topics: int = 40, seed: int = 0) -> Any:
    """Metrics that follow one quality, each with its own noise."""
    rng = np.random.default_rng(seed)
    quality, noise = rng.random((1, 8, topics)), rng.random((4, 8, topics))
    return np.round(quality + 0.3 * noise, 2)


def test_interval_is_the_percentiles_of_resampled_topics() -> None:
    """The interval equals the one from scoring each resample of the topics separately."""
    values = related(12)
    result = unanimity(scores(values), bootstrap=60, seed=5, confidence=0.8)
    draws = np.random.default_rng(5).multinomial(12, np.full(12, 1 / 12), size=60)
    resampled = [present(unanimity(scores(np.repeat(values, draw, axis=2)), bootstrap=0)["m1"].mu) for draw in draws]
    row = result["m1"]
    assert row.low == pytest.approx(np.quantile(resampled, 0.1, method="lower"), abs=1e-12)
    assert row.high == pytest.approx(np.quantile(resampled, 0.9, method="higher"), abs=1e-12)
    assert present(row.low) < present(row.mu) < present(row.high)


def test_interval_with_minus_infinity_has_no_lower_end() -> None:
    """If some resamples contradict every unanimous pair, the lower end is missing and the row has a note."""
    values = np.array([[[1, 2], [2, 1]], [[1, 1], [2, 2]]])  # the metrics agree on topic 0, contradict on topic 1
    row = unanimity(scores(values), bootstrap=200)["m1"]
    assert row.low is None
    assert row.high == 1.0
    assert row.note


def test_the_interval_depends_on_the_seed_and_not_on_the_order() -> None:
    """The same seed gives the same interval for any order of topics, runs and metrics."""
    table = scores(related())
    shuffled = table.select(
        runs=table.runs[::-1], metrics=["m3", "m1", "m4", "m2"], topics=sorted(table.topics, key=lambda t: t[::-1])
    )
    first, reordered = unanimity(table, seed=3), unanimity(shuffled, seed=3)
    assert {row.metric: row for row in first.rows} == {row.metric: row for row in reordered.rows}
    assert first.rows != unanimity(table, seed=4).rows


def test_the_block_size_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting in small blocks gives the same counts as one block."""
    table = scores(related(9), metrics=["A@1", "A@2", "B", "C"])
    in_one_block = [unanimity(table, leave_family_out=out) for out in (False, True)]
    monkeypatch.setattr(sys.modules["diveval.meta.unanimity"], "BUDGET", 64)
    assert [unanimity(table, leave_family_out=out) for out in (False, True)] == in_one_block


def test_more_than_256_runs() -> None:
    """With 300 runs the ranks take two bytes, and nothing overflows."""
    ramp = np.arange(300.0)
    result = unanimity(scores(np.stack([ramp, ramp * 2])), bootstrap=0)
    assert [(row.mu, row.pairs, row.unanimous) for row in result.rows] == [(1.0, 89_700, 44_850)] * 2


def test_groups_show_the_best_of_each_family() -> None:
    """Variants that share a value are one group, and `best` keeps the highest group of each family."""
    good, bad = [4, 3, 2, 1], [4, 3, 1, 2]
    names = ["RBU(p=0.99,e=0.001)", "RBU(p=0.99,e=0.05)", "RBU(p=0.8,e=0)", "P@10"]
    result = unanimity(scores([good, good, bad, good], metrics=names))
    labels = [group.label for group in result.grouped(best=False)]
    assert sorted(labels) == ["P@10", "RBU e=0, p=0.8", "RBU e={0.001,0.05}, p=0.99"]
    best = result.grouped()
    assert [group.family for group in best] == ["P", "RBU"]
    assert best[1].metrics == ("RBU(p=0.99,e=0.001)", "RBU(p=0.99,e=0.05)")
    assert result.as_dict()["groups"][0]["mu"] == best[0].mu


def test_exports() -> None:
    """CSV has the documented header and full doubles, JSON the settings, LaTeX a table."""
    result = unanimity(scores(related()))
    text = result.to_csv()
    assert text.splitlines()[0] == "metric,mu,low,high,pairs,unanimous"
    assert [float(row["mu"]) for row in csv.DictReader(io.StringIO(text))] == [row.mu for row in result.rows]
    parsed = json.loads(result.to_json())
    assert parsed["confidence"] == 0.95
    assert "SIGIR 2018" in parsed["reference"]
    assert result.to_latex().startswith(r"\begin{tabular}{lrrrrr}")


def test_exports_write_files(tmp_path: Path) -> None:
    """With a path the text is both written and returned."""
    result = unanimity(scores(related()))
    assert result.to_csv(tmp_path / "mu.csv") == (tmp_path / "mu.csv").read_text()
    assert result.to_json(tmp_path / "mu.json") == (tmp_path / "mu.json").read_text()


@pytest.mark.parametrize(
    ("values", "options", "refusal"),
    [
        ([[1, 2]], {}, ("wrong-number-of-metrics", "1")),
        ([[1], [2]], {}, ("too-few-runs",)),
        (PAPER, {"bootstrap": -1}, ("out-of-range", "0")),
        (PAPER, {"confidence": 0}, ("out-of-range", "0", "1")),
        (PAPER, {"tolerance": -1.0}, ("out-of-range", "0")),
        (PAPER, {"tolerance": float("nan")}, ("out-of-range", "0")),
    ],
)
def test_wrong_arguments_are_named(values: Any, options: Any, refusal: tuple[str, ...]) -> None:
    """The error names the invalid argument and the allowed values."""
    with refuses(*refusal):
        unanimity(scores(values), **options)


def test_an_infinite_score_is_an_error() -> None:
    """The error names the metric and the topic."""
    with refuses("not-a-number", "m1", "t000"):
        unanimity(scores([[1, np.inf], [2, 3]]))


def test_unknown_metric_is_a_key_error() -> None:
    """Indexing the result by an unknown metric raises a KeyError that names it."""
    with pytest.raises(KeyError, match="m9"):
        unanimity(scores(PAPER))["m9"]


def test_unanimity_needs_numpy_only() -> None:
    """Importing and running it loads neither scipy nor altair."""
    program = (
        "import sys, numpy as np\n"
        "from diveval.results.scores import Scores\n"
        "from diveval.meta import unanimity\n"
        "s = Scores.of(np.eye(3)[:, :, None], runs='abc', metrics='xyz', topics='t')\n"
        "unanimity(s, bootstrap=5)\n"
        "print([name for name in ('scipy', 'altair', 'pandas') if name in sys.modules])\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
