"""Situations of the axioms in rankings: how they are found, scored and reported."""

from __future__ import annotations

import csv
import io
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diveval
from diveval.analysis.violations import SITUATIONS, violations
from diveval.cli import main
from support.present import present
from support.refusals import refuses

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
METRICS = ["RBU(p=0.9,e=0.05)@5", "alpha_DCG@5", "ERR_IA", "StRecall@3", "P@5", "CT@5"]


def dominates(high: np.ndarray, low: np.ndarray) -> bool:
    return bool((high >= low).all() and (high > low).any())


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_swaps_agree_with_a_simple_loop(data: Any) -> None:
    """Situations are all pairs whose lower document is better; violations are swaps that `evaluate` does not reward."""
    documents = [f"d{i}" for i in range(6)]
    grades = st.dictionaries(st.sampled_from(documents), st.integers(0, 3), min_size=1)
    judgments = {"1": {aspect: data.draw(grades) for aspect in ("a", "b")}}
    ranking = data.draw(st.permutations(documents))
    metric = data.draw(st.sampled_from(METRICS))
    table = diveval.as_judgments(judgments).relevance(diveval.settings.Options().relevance)["1"]
    column = {table.documents[i]: c for i, c in enumerate(table.place) if c >= 0}
    vectors = [table.relevance[:, column[d]] if d in column else np.zeros(len(table.aspects)) for d in ranking]
    before = diveval.evaluate(judgments, {"1": ranking}, metric).means[0, 0]
    situations = failed = 0
    for i, j in itertools.combinations(range(len(ranking)), 2):
        if dominates(vectors[j], vectors[i]):
            swapped = list(ranking)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            after = diveval.evaluate(judgments, {"1": swapped}, metric).means[0, 0]
            situations += 1
            failed += not after - before > 1e-12 * max(abs(after), abs(before))
    row = violations(judgments, {"1": ranking}, metric, axioms=["Pri"]).rows[0]
    assert (row.found, row.unrewarded) == (situations, failed)


def test_gains_below_rounding_are_distinguished_from_ties() -> None:
    """RBU and ERR-IA reward a swap after fourteen good documents although it gains less than one part in 10¹²; the swap
    is a tie for P-IA, even where adding three thirds differs in the last digit."""
    good = [f"d{i:02}" for i in range(14)]
    ranking = [*good, "low", "high"]
    grades = {**dict.fromkeys(good, 3), "low": 1, "high": 2}
    judgments = {"1": dict.fromkeys(("a", "b", "c"), grades)}
    metrics = ["RBU@16", "ERR_IA@16", "P_IA@16", "alpha_DCG@16", "alphabeta_nDCG(beta=1)@16"]
    counted = violations(judgments, {"1": ranking}, metrics, axioms=["Pri"])
    for row in (row for row in counted.rows if row.axiom == "Pri"):
        assert (row.found, row.punished) == (1, 0)
        assert row.unrewarded == (1 if row.metric.startswith("P_IA") else 0), row.metric
    rewarded = diveval.evaluate(judgments, {"1": [*good, "high", "low"]}, "ERR_IA@16").means[0, 0]
    before = diveval.evaluate(judgments, {"1": ranking}, "ERR_IA@16").means[0, 0]
    assert abs(rewarded - before) < 1e-12 * before  # doubles alone cannot distinguish them


def test_only_metrics_with_effort_reward_cutting_the_tail() -> None:
    """Two non-relevant documents at the end: RBU rewards their removal, metrics without effort do not."""
    counted = violations({"1": {"a": {"d": 1}}}, {"1": ["d", "x", "y"]}, ["RBU@20", "ERR_IA@20"], axioms=["Conf"])
    assert [(row.situations, row.violations, row.rank) for row in counted.rows] == [(1, 0, None), (1, 1, 2)]


def test_a_better_document_a_redundant_one_and_a_heavier_aspect() -> None:
    """AspDiv inserts a document of the judgments, Red and MRed one about the other aspect; AspRel needs weights."""
    judgments = {"1": {"a": {"d1": 1, "d2": 1, "d5": 2}, "b": {"d3": 1}}}
    counted = violations(judgments, {"1": ["d1", "d2"]}, "RBU@20", axioms=["AspDiv", "Red", "MRed", "AspRel"])
    assert {row.axiom: row.found for row in counted.rows} == {"AspDiv": 2, "Red": 1, "MRed": 1, "AspRel": 0}
    assert all(row.unrewarded == 0 for row in counted.rows)
    truth = diveval.as_judgments(judgments).with_weights({("1", "a"): 0.2, ("1", "b"): 0.8})
    weighted = violations(truth, {"1": ["d1", "d2"]}, ["RBU@20", "P@20"], axioms=["AspRel"])
    assert [(row.found, row.unrewarded) for row in weighted.rows] == [(1, 0), (1, 1)]


def test_a_satisfied_aspect_and_two_swaps_of_one_kind() -> None:
    """With binary gain Sat removes a second document about a satisfied aspect; Deep compares one swap at two depths."""
    options = diveval.settings.Options.of(gain="binary")
    judgments = {"1": {"a": {"d1": 1, "d2": 1}}}
    satisfied = violations(judgments, {"1": ["d1", "d2"]}, ["RBU@20", "P@20"], axioms=["Sat"], options=options)
    assert [(row.found, row.unrewarded) for row in satisfied.rows] == [(1, 0), (1, 1)]
    deep = violations(judgments, {"1": ["x", "d1", "y", "d2"]}, ["RBU@20", "P@20"], axioms=["Deep"])
    assert [(row.found, row.unrewarded) for row in deep.rows] == [(1, 0), (1, 1)]


def test_a_punished_improvement_can_reverse_the_order_of_systems() -> None:
    """α-DCG punishes moving a document of low grade up; with that improvement the first run falls behind the second."""
    judgments = {"1": {"a": {"low": 1, "high": 3}}}
    runs = {"first": {"1": ["x", "high", "low"]}, "second": {"1": ["y", "z", "high", "low"]}}
    row = violations(judgments, runs, "alpha_DCG(alpha=0.9)@4", axioms=["Pri"]).rows[0]
    assert row.punished and row.run == "first" and (row.rank, row.other_rank) == (1, 3)
    assert (row.document, row.other_document) == ("x", "low")
    assert present(row.after) < present(row.before)
    assert (row.demoted, row.places, row.demoted_run) == (1, 1, "first")


def test_a_missing_topic_has_no_situations() -> None:
    """A topic that the run lacks adds no situation."""
    judgments = {"1": {"a": {"d": 1}}, "2": {"a": {"d": 1}}}
    counted = violations(judgments, {"1": ["x", "d"]}, "RBU@20")
    assert counted.cell(counted.rows[0].metric, "Pri").found == 1


def test_unsupported_arguments_are_refused() -> None:
    """Axioms without situations, unknown axioms, other tools' metrics, depth 0 and efforts raise a UsageError."""
    judgments, run = {"1": {"a": {"d": 1}}}, {"1": ["d"]}
    with refuses("axiom-not-applicable"):
        violations(judgments, run, "RBU", axioms=["DeepTh"])
    with refuses("unknown-axiom"):
        violations(judgments, run, "RBU", axioms=["Priority of nothing"])
    with refuses("metric-of-another-tool"):
        violations(judgments, run, "ndeval.MAP_IA")
    with refuses("out-of-range"):
        violations(judgments, run, "RBU", depth=0)
    with refuses("option-not-applicable"):
        violations(
            judgments, run, "RBU", options=diveval.settings.Options(efforts=diveval.settings.Efforts({"d": 1.0}))
        )


def test_the_command_prints_all_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints CSV with a fixed header, JSON and a table; --axiom and --depth restrict the search."""
    (tmp_path / "q").write_text("1 a d1 1\n1 b d2 2\n")
    (tmp_path / "r").write_text("1 Q0 x 1 3 r\n1 Q0 d1 2 2 r\n1 Q0 y 3 1 r\n")
    files = [str(tmp_path / "q"), str(tmp_path / "r")]
    assert main(["violations", *files, "-f", "csv", "-m", "P@20"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == [
        "metric",
        "axiom",
        "situations",
        "violations",
        "share",
        "found",
        "unrewarded",
        "topic",
        "run",
        "rank",
    ]
    assert [row["axiom"] for row in rows] == list(SITUATIONS)
    assert main(["violations", *files, "-f", "json", "--axiom", "Pri", "--depth", "2"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert shape["depth"] == 2 and {row["axiom"] for row in shape["rows"]} == {"Pri"}
    assert main(["violations", *files]) == 0
    assert "RBU@20" in capsys.readouterr().out
    assert main(["violations", *files, "--axiom", "CloseTh"]) == 2


def test_a_function_can_be_the_metric() -> None:
    """Violations of a plain function of a ranking are counted."""

    def upside_down(ranking: Any) -> Any:
        return -sum(float(max(row)) / (i + 1) for i, row in enumerate(ranking.relevance))

    row = violations({"1": {"a": {"d": 1}}}, {"1": ["x", "d"]}, upside_down, axioms=["Pri"]).rows[0]
    assert (row.found, row.unrewarded, row.punished) == (1, 1, 1)


def test_default_metrics_that_options_do_not_reach_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --rel, which ndeval ignores, its columns are left out of the defaults, and a warning names them."""
    (tmp_path / "q").write_text("1 a d1 2\n1 b d2 1\n")
    (tmp_path / "r").write_text("1 Q0 d1 1 2 x\n1 Q0 d2 2 1 x\n")
    assert main(["violations", str(tmp_path / "q"), str(tmp_path / "r"), "--rel", "2", "-f", "csv"]) == 0
    printed = capsys.readouterr()
    assert "[metrics-left-out]" in printed.err and "ndeval.alpha_nDCG@20" in printed.err
    assert "ndeval." not in printed.out
