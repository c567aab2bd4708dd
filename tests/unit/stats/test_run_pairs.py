"""Preferences between runs, against loops over users as the papers define them."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval.analysis.run_pairs import PREFERENCES
from diveval.cli import main
from support.refusals import refuses
from support.shared import times

Lists = dict[str, list[str]]


def _sign(first: list[str], second: list[str], relevant: set[str], wanted: int) -> int:
    """Which list shows `wanted` relevant documents first: 1, −1, or 0 where they are level or neither does."""
    effort = [
        next((n for n in range(len(one) + 1) if len(relevant & {*one[:n]}) == wanted), None) for one in (first, second)
    ]
    a, b = (10**6 if one is None else one for one in effort)
    return (a < b) - (a > b)


def _preference(name: str, first: list[str], second: list[str], relevant: set[str]) -> float:
    signs = [_sign(first, second, relevant, wanted) for wanted in range(1, len(relevant) + 1)]
    if name == "RPP":
        return sum(signs) / len(signs) if signs else 0.0
    ordered = signs if name == "lexiprecision" else signs[::-1]
    return next((sign for sign in ordered if sign), 0)


def _draw(seed: int, runs: int) -> tuple[dict[str, dict[str, int]], dict[str, Lists]]:
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(12)]
    judgments = {
        t: {d: int(rng.random() < share) for d in documents} for t, share in (("1", 0.3), ("2", 0.7), ("3", 0.0))
    }

    def listed() -> list[str]:
        return [str(d) for d in rng.permutation([*documents, "x", "y"])[: int(rng.integers(1, 14))]]

    return judgments, {f"run{r}": {t: listed() for t in judgments} for r in range(runs)}


@pytest.mark.parametrize("seed", range(times(10, 300)))
@pytest.mark.parametrize("runs", [2, 4])
def test_values_are_mean_preferences(seed: int, runs: int) -> None:
    """The mean over all runs of the preference by its definition; of two runs the difference is the preference itself."""
    judgments, listed = _draw(seed, runs)
    scores = diveval.prefer(judgments, listed)
    assert scores.metrics == tuple(PREFERENCES)
    for name, topic, run in product(PREFERENCES, judgments, listed):
        relevant = {d for d, grade in judgments[topic].items() if grade}
        expected = [_preference(name, listed[run][topic], other[topic], relevant) for other in listed.values()]
        assert scores.per_topic(run, name)[topic] == pytest.approx(sum(expected) / runs), (name, topic, run)
    if runs == 2:
        found = scores.per_topic("run0", "RPP")["1"] - scores.per_topic("run1", "RPP")["1"]
        relevant = {d for d, grade in judgments["1"].items() if grade}
        assert found == pytest.approx(_preference("RPP", listed["run0"]["1"], listed["run1"]["1"], relevant))


def test_they_differ_on_who_counts() -> None:
    """One list is better for who wants one document, the other for who wants two or all three."""
    judgments = {"1": {"a": 1, "b": 1, "c": 1}}
    runs = {"early": {"1": ["a", "x", "y", "z", "b", "c"]}, "late": {"1": ["x", "a", "b", "c"]}}
    scores = diveval.prefer(judgments, runs)
    found = {name: scores["early", name] - scores["late", name] for name in PREFERENCES}
    assert found == pytest.approx({"RPP": -1 / 3, "lexirecall": -1, "lexiprecision": 1})


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_a_missing_topic_is_an_empty_list_and_rel_sets_what_is_relevant() -> None:
    """A run that lacks a topic is not preferred on it; with rel=2 a document of grade 1 does not count."""
    judgments: Any = {"1": {"a": 1}, "2": {"a": 2, "b": 1}}
    runs = {"both": {"1": ["a"], "2": ["b", "x", "a"]}, "one": {"2": ["a"]}}
    assert diveval.prefer(judgments, runs, "lexiprecision").per_topic("both") == {"1": 0.5, "2": 0.5}
    assert diveval.prefer(judgments, runs, "RPP", rel=2).per_topic("both") == {"1": 0.0, "2": -0.5}


def test_what_is_refused() -> None:
    """An unknown preference, and a single run."""
    judgments, listed = _draw(0, 2)
    with refuses("invalid-choice", "lexirecal"):
        diveval.prefer(judgments, listed, "lexirecal")
    with refuses("too-few-runs", "1"):
        diveval.prefer(judgments, {"run0": listed["run0"]})


def test_the_command_prints_the_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`compare --preference` compares these values; with -m it is refused."""
    judgments, listed = _draw(1, 3)
    (tmp_path / "q").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in judgments.items() for d, g in of.items()))
    for run, lists in listed.items():
        rows = [f"{t} Q0 {d} {i} {-i} {run}\n" for t, one in lists.items() for i, d in enumerate(one, 1)]
        (tmp_path / run).write_text("".join(rows))
    paths = [str(tmp_path / name) for name in ("q", *listed)]
    assert main(["compare", *paths, "--preference", "lexirecall", "-f", "csv"]) == 0
    assert capsys.readouterr().out == diveval.compare(diveval.prefer(judgments, listed, "lexirecall")).to_csv()
    assert main(["compare", *paths, "--preference", "RPP", "-m", "AP"]) == 2
