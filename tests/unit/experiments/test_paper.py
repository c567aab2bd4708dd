"""The paper's experiments on a small collection, and the tables of their results."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from typing import Any

import numpy as np
import pytest

from diveval.experiments import experiment_1, experiment_2, experiment_3, experiment_4, table2, table3
from diveval.experiments.reproduction import TableColumn, group_variants, text
from diveval.meta import unanimity
from diveval.results.scores import Scores

QUICK = partial(unanimity, bootstrap=50)


def column(*tables: Any, metrics: Any = ("RBU(p=0.8,e=0)", "RBU(p=0.9,e=0)", "P@5", "AP")) -> Any:
    """A column measured on plain tables, metric × run, one table per seed."""
    results = []
    for table in tables:
        values = np.array(table, dtype=float).T[:, :, None]
        runs = [f"r{i}" for i in range(len(values))]
        results.append(unanimity(Scores.of(values, runs=runs, metrics=metrics, topics=["1"]), bootstrap=0))
    return TableColumn("table2", "official", "Official", "here", tuple(results))


def test_variants_that_differ_under_one_seed_are_not_grouped() -> None:
    """Two RBUs that agree under the first seed only share a row for that seed alone."""
    first = [[3, 2, 1], [3, 2, 1], [3, 2, 1], [3, 2, 1]]
    second = [[3, 2, 1], [3, 2, 2], [3, 2, 1], [3, 2, 1]]
    assert ("RBU(p=0.8,e=0)", "RBU(p=0.9,e=0)") in group_variants([column(first)])
    apart = group_variants([column(first, second)])
    assert ("RBU(p=0.8,e=0)",) in apart and ("RBU(p=0.9,e=0)",) in apart


def test_means_over_seeds_and_their_extremes() -> None:
    """mu is the mean over seeds, least and most are the extremes, and a range spans the variants."""
    agree = [[3, 2, 1], [3, 2, 1], [3, 2, 1], [3, 2, 1]]
    constant = [[3, 2, 1], [3, 2, 1], [3, 2, 1], [1, 1, 1]]
    two = column(agree, constant)
    single = two.measure(["AP"])
    assert (single.mu_low, single.mu_high, single.least, single.most) == (0.5, 0.5, 0.0, 1.0)
    both = two.measure(["AP", "P@5"])
    assert (both.mu_low, both.mu_high) == (0.5, 1.0) and both.label == "AP, P@5"
    assert (single.low, single.high) == (None, None)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_unanimity_without_unanimous_pairs_is_undefined() -> None:
    """If no pair is unanimous there is no value, and the table is still made."""
    undefined = column([[3, 2, 1], [1, 2, 3], [2, 3, 1], [1, 3, 2]])
    cell = undefined.measure(["AP"])
    assert cell.mu_low is None and cell.most is None
    assert len(undefined.best()) == 3


def test_experiment_1_is_the_unanimity_of_the_runs(small: Any) -> None:
    """109 metrics, every pair of systems on every topic, the same each time."""
    result = experiment_1(small, count=QUICK)
    assert len(result.rows) == 109 and {row.pairs for row in result.rows} == {8 * 6 * 5}
    assert experiment_1(small, count=QUICK) == result


def test_experiment_2_depends_on_the_seed_and_the_cut_only(small: Any) -> None:
    """The same seed gives the same values; another seed or another cut gives different ones."""
    count = partial(unanimity, bootstrap=0)
    first = experiment_2(small, seed=1, count=count)
    assert experiment_2(small, seed=1, count=count) == first
    assert experiment_2(small, seed=2, count=count) != first
    assert experiment_2(small, seed=1, longest=10, count=count) != first


def test_experiments_3_and_4_measure_the_official_metrics(small: Any, small_rounds: Any) -> None:
    """21 metrics of ndeval and 15 RBUs; 7 of Dynamic Domain and 15 RBUs, on sessions in rounds of five."""
    assert len(experiment_3(small, count=QUICK).rows) == 36
    assert len(experiment_4(small_rounds, count=QUICK).rows) == 22
    assert small_rounds.in_rounds and not small.in_rounds
    rounds = next(iter(small_rounds.runs[0].topics.values())).iterations
    assert rounds.tolist() == [i // 5 for i in range(len(rounds))]


def test_experiments_can_leave_families_out(small: Any) -> None:
    """The option is recorded in the result and changes values."""
    alone = experiment_1(small, count=partial(unanimity, bootstrap=0, leave_family_out=True))
    assert alone.leave_family_out
    assert [row.unanimous for row in alone.rows] != [row.unanimous for row in experiment_1(small, count=QUICK).rows]


@pytest.fixture(scope="module")
def second(small: Any) -> Any:
    """Table 2 with two seeds."""
    return table2([small], seeds=range(2), count=QUICK, all_variants=True)


def test_table_2_shows_the_values_of_the_paper(second: Any) -> None:
    """Every printed row, the best of 16 families, all variants once; CSV has the documented columns."""
    rows = list(csv.DictReader(io.StringIO(second.to_csv())))
    assert list(rows[0]) == [
        "collection",
        "column",
        "rows",
        "variants",
        "paper_low",
        "paper_high",
        "mu_low",
        "mu_high",
        "low",
        "high",
        "least",
        "most",
        "seeds",
    ]
    kinds = [(row["column"], row["rows"]) for row in rows]
    assert kinds.count(("official", "printed")) == 19 and kinds.count(("simulated-50", "best")) == 16
    first = rows[0]
    assert (first["paper_low"], first["variants"]) == ("0.8024", "RBU e={0.001,0.05,0.1,0.5}, p=0.99")
    assert float(first["low"]) <= float(first["mu_low"]) <= float(first["mu_high"]) <= float(first["high"])
    assert {row["seeds"] for row in rows if row["column"] == "simulated"} == {"2"}
    records = json.loads(second.to_json())["rows"]
    every = [m for r in records if (r["column"], r["rows"]) == ("simulated", "all") for m in r["metrics"]]
    assert len(every) == len(set(every)) == 109


def test_every_format_states_the_limits_of_the_comparison(second: Any) -> None:
    """The paper's runs differ from these, and a synthetic collection is described as such."""
    for format in ("table", "md", "latex"):
        shown = " ".join(text(second, format).replace("%", " ").split())
        assert "30 official ad hoc runs of TREC Web 2014" in shown
        assert "no real system or judgment is in it" in shown
    assert "| 0.8024 | " in text(second, "md") and r"\toprule" in text(second, "latex")
    assert max(map(len, text(second, "table", width=100).splitlines())) <= 110


def test_table_3_chooses_the_experiment_by_collection(small: Any, small_rounds: Any) -> None:
    """Rankings go to experiment 3, rounds to experiment 4, and no collection is generated where both are given."""
    steps: list[str] = []
    result = table3([small_rounds, small], count=QUICK, progress=lambda what, done, total: steps.append(what))
    assert [c.key for c in result.columns_measured] == ["official", "at-20", "at-20-without-effort", "dynamic-domain"]
    assert steps == ["synthetic: official metrics", "synthetic Dynamic Domain: Dynamic Domain"]
    assert "Dynamic Domain's shape" in text(result, "table")
