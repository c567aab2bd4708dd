"""`diveval.panel`: several judges without a reference."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.cli import main
from diveval.judging.panel import Panel
from support.judged import Labels, codes_of_warnings, make_labels, make_runs, quietly, spoil
from support.refusals import refuses

TRUTH = make_labels(30)
JUDGES = [spoil(TRUTH, 0.3, seed=s) for s in range(3)]
RUNS = make_runs(list(TRUTH))
METRIC = "ERR_IA@5"


def _panel(judges: list[Labels] = JUDGES, runs: Any = RUNS, **more: Any) -> Panel:
    return quietly(lambda: diveval.panel(judges, runs, METRIC, resamples=200, **more))


def test_labels_of_the_panel_are_votes_and_means() -> None:
    """Majority (the lowest of equally frequent labels) and mean of every item, counted in plain Python."""
    result = _panel()
    majority, mean = result.pool_labels("majority"), result.pool_labels("mean")
    for t, by in TRUTH.items():
        for a, of in by.items():
            for d in of:
                given = [judge[t][a][d] for judge in JUDGES]
                counts = Counter(given)
                assert majority[t][a][d] == min(x for x in given if counts[x] == max(counts.values()))
                assert mean[t][a][d] == pytest.approx(statistics.fmean(given))


def test_disputed_items_are_those_with_different_labels() -> None:
    """Every item with two labels or more, the largest variance first."""
    result = _panel()
    variances = {
        (t, a, d): statistics.pvariance([judge[t][a][d] for judge in JUDGES])
        for t, by in TRUTH.items()
        for a, of in by.items()
        for d in of
    }
    assert {one.item for one in result.disputed} == {item for item, v in variances.items() if v > 0}
    listed = [variances[one.item] for one in result.disputed]
    assert listed == pytest.approx(sorted(listed, reverse=True))


def test_rows_follow_the_scores_under_each_judge() -> None:
    """Differences, signs and counts of significance are those of `evaluate` and `compare` under each judge."""
    scores = [diveval.evaluate(judge, RUNS, METRIC) for judge in JUDGES]
    compared = [{frozenset((r.run, r.other)): r.significant for r in s.compare(METRIC).rows} for s in scores]
    for row in _panel().rows:
        each = [s[row.run, METRIC] - s[row.other, METRIC] for s in scores]
        assert row.difference == pytest.approx(statistics.fmean(each), abs=1e-12)
        assert row.every_judge == (len({np.sign(d) for d in each}) == 1 and each[0] != 0)
        assert row.significant_judges == sum(of[frozenset((row.run, row.other))] for of in compared)
        assert row.low <= row.difference <= row.high


def test_judges_who_differ_widen_the_interval() -> None:
    """The interval over judges and topics is wider where judges disagree about the systems than where they do not."""
    same = _panel([TRUTH, TRUTH, TRUTH]).rows
    biased = spoil(TRUTH, 1.0, seed=9)
    apart = _panel([TRUTH, biased, TRUTH]).rows
    assert sum(r.high - r.low for r in apart) / sum(r.high - r.low for r in same) > 1


def test_without_runs_and_with_faults() -> None:
    """Labels alone give no rows; one judge is refused; few judges are warned of."""
    assert _panel(runs=None).rows == ()
    with refuses("missing-argument"):
        diveval.panel([TRUTH], RUNS)
    with codes_of_warnings() as codes:
        diveval.panel(JUDGES, RUNS, METRIC, resamples=100)
    assert "few-judges" in codes


def test_the_command_writes_the_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`judges --no-reference` prints the rows, and writes the majority as judgments that can be read again."""
    files = []
    for i, judge in enumerate(JUDGES):
        rows = [f"{t} {a} {d} {g:g}\n" for t, by in judge.items() for a, of in by.items() for d, g in of.items()]
        (tmp_path / f"j{i}.txt").write_text("".join(rows))
        files.append(str(tmp_path / f"j{i}.txt"))
    for name, ranked in RUNS.items():
        lines = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t, docs in ranked.items() for i, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    words = [*files[:2], *(str(tmp_path / f"{name}.run") for name in RUNS), "--model", files[2], "-m", METRIC]
    out = str(tmp_path / "majority.txt")
    assert main(["judges", *words, "--no-reference", "--majority", out, "-f", "json", "--resamples", "200"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert len(shape["rows"]) == 3 and len(shape["agreement"]) == 3
    assert {t: diveval.read_judgments(out)[t] for t in TRUTH} == _panel().pool_labels()
    assert main(["judges", *words, "--majority", out]) == 2
    assert main(["judges", *words, "--no-reference", "--prices", "1", "2"]) == 2
    assert main(["judges", *words, "--no-reference"]) == 0
