"""Correlation of context metrics with answer metrics: τ-b as in scipy, intervals by resampling, and errors."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.cli import main
from diveval.meta import prediction
from diveval.meta.prediction import _signs, _taus
from diveval.results.scores import Scores
from support.present import present
from support.refusals import refuses

RNG = np.random.default_rng(5)


def table(values: Any, metrics: Any, *, runs: Any = None, counted: Any = None) -> Any:
    """Scores from run × metric × topic."""
    return Scores.of(
        np.asarray(values, dtype=float),
        runs=runs or [f"s{r}" for r in range(len(values))],
        metrics=metrics,
        topics=[f"q{t}" for t in range(np.shape(values)[2])],
        counted=counted,
    )


def test_tau_follows_the_relation_of_context_and_answer() -> None:
    """τ is near 1 for answers that follow the context, near −1 for the opposite, around 0 for noise."""
    context = RNG.random((12, 1, 60)) * 0.3 + np.linspace(0, 1, 12)[:, None, None]
    answers = np.concatenate([context + 0.02 * RNG.random(context.shape), -context, RNG.random(context.shape)], axis=1)
    same, opposite, noise = prediction(
        table(context, ["c"]), table(answers, ["same", "opposite", "noise"]), resamples=300
    ).rows
    assert present(same.tau) > 0.95 and present(same.low) > 0.9
    assert opposite.tau == -1.0 and present(opposite.high) < -0.85
    assert present(noise.low_systems) < 0 < present(noise.high_systems)
    assert present(same.tau_queries) > 0.8 and abs(present(noise.tau_queries)) < 0.1
    assert present(same.low_systems) <= present(same.low) + 0.05
    assert (same.systems, same.queries) == (12, 60)


def test_the_same_seed_gives_the_same_numbers() -> None:
    """Resampling is reproducible, and another seed leaves τ unchanged."""
    one, two = table(RNG.random((5, 2, 9)), ["a", "b"]), table(RNG.random((5, 1, 9)), ["x"])
    first = prediction(one, two, resamples=50, seed=3)
    assert first == prediction(one, two, resamples=50, seed=3)
    other = prediction(one, two, resamples=50, seed=4)
    assert [row.tau for row in first.rows] == [row.tau for row in other.rows]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=3, max_size=9))
def test_resampled_systems_are_repeated_systems(systems: Any) -> None:
    """τ-b with repeat counts equals scipy's τ-b of the list with the repetitions written out."""
    stats = pytest.importorskip("scipy.stats")
    first, second, times = (np.array(column, dtype=float) for column in zip(*systems, strict=True))
    upper = np.triu_indices(len(systems), 1)
    one = np.ones((1, 1))
    ours, theirs = (_signs(v[:, None, None], np.ones((len(systems), 1, 1)), one)[0] for v in (first, second))
    tau = _taus(ours, theirs, (times[upper[0]] * times[upper[1]])[None, :])[0]
    repeated = [np.repeat(column, times.astype(int)) for column in (first, second)]
    expected = stats.kendalltau(*repeated).statistic if len(repeated[0]) > 1 else float("nan")
    assert tau == pytest.approx(expected, nan_ok=True)


def test_queries_that_do_not_count_are_left_out() -> None:
    """A mean is over the queries that count for the run and the metric."""
    values = np.array([[[1.0, 0.0]], [[0.5, 9.0]], [[0.1, 9.0]]])
    counted = np.array([[[True, True]], [[True, False]], [[True, False]]])
    result = prediction(
        table(values, ["c"], counted=counted), table([[[3, 3]], [[2, 2]], [[1, 1]]], ["a"]), resamples=5
    )
    assert result.rows[0].tau == pytest.approx(0.816496580927726)  # the first two are tied


@pytest.mark.parametrize(
    ("runs", "refusal"), [(["a", "b", "x"], ("too-few-runs", "2")), (["x", "y", "z"], ("too-few-runs", "0"))]
)
def test_too_few_common_systems_are_an_error(runs: list[str], refusal: tuple[str, ...]) -> None:
    """The error gives the number of systems that both tables have."""
    one, two = table(RNG.random((3, 1, 2)), ["m"], runs=["a", "b", "c"]), table(RNG.random((3, 1, 2)), ["n"], runs=runs)
    with refuses(*refusal):
        prediction(one, two)


def test_meta_with_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Contexts as QRELS RUN …, answers by --answers: one row per pair of metrics, alone or with other analyses."""
    rows, labels, runs = [], [], []
    for s in range(4):
        path = tmp_path / f"s{s}.tsv"
        path.write_text("".join(f"q{q}\tp{q}{d}\n" for q in range(6) for d in range(s + 1)))
        runs.append(str(path))
    for q in range(6):
        rows += [{"query": f"q{q}", "nugget": str(n), "support": [f"p{q}{n}"]} for n in range(4)]
        for s in range(4):
            assignments = ["support" if n <= s and (n + q) % 3 else "not_support" for n in range(4)]
            labels.append(
                {
                    "qid": f"q{q}",
                    "run_id": f"s{s}",
                    "nuggets": [
                        {"text": str(n), "importance": "vital", "assignment": x} for n, x in enumerate(assignments)
                    ],
                }
            )
    (tmp_path / "judged.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)))
    arguments = [
        "meta",
        str(tmp_path / "judged.jsonl"),
        *runs,
        "-m",
        "StRecall@4",
        "-m",
        "alpha_nDCG@4",
        "--resamples",
        "50",
        "--answers",
        str(tmp_path / "labels.jsonl"),
        "--answer-metric",
        "Coverage",
    ]
    assert main([*arguments, "-o", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "prediction.csv").open() as stream:
        written = list(csv.DictReader(stream))
    assert [(row["context_metric"].split("(")[0], row["answer_metric"]) for row in written] == [
        ("StRecall@4", "Coverage"),
        ("alpha_nDCG", "Coverage"),
    ]
    assert float(written[0]["tau"]) == 1.0
    assert (tmp_path / "out" / "prediction.svg").exists() and not (tmp_path / "out" / "unanimity.csv").exists()
    assert main([*arguments, "--with", "strictness", "-o", str(tmp_path / "both")]) == 0
    assert (tmp_path / "both" / "strictness.csv").exists()
    capsys.readouterr()
    assert (
        main(["meta", str(tmp_path / "judged.jsonl"), *runs, "--answer-metric", "Coverage", "-o", str(tmp_path / "no")])
        == 2
    )
