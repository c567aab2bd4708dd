"""Huge cutoffs and parameters on the command line: memory and time follow the data, not the numbers asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import diveval
from diveval.cli import main
from support.refusals import is_refusal, refuses

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
JUDGMENTS = {"1": {"a": {"d1": 1, "d2": 0}}, "2": {"a": {"d1": 1}}}
RUNS = {"x": {"1": {"d1": 2.0, "u": 1.0}}, "y": {"1": {"d2": 2.0, "d1": 1.0}, "2": {"d1": 1.0}}}


@pytest.mark.parametrize("metric", ["nDCG", "RBU(p=0.9,e=0.01)", "alpha_nDCG(alpha=0.5)", "ERR_IA", "CT", "AP_IA"])
def test_a_huge_cutoff_costs_what_the_lists_cost(metric: str) -> None:
    """A run that lacks a topic scores the same at cutoffs of a thousand and a billion: no list is that long."""
    small, huge = (diveval.evaluate(JUDGMENTS, RUNS, f"{metric}@{k}") for k in (1000, 10**9))
    if "e=" not in metric:
        assert huge.values.tolist() == small.values.tolist()
    assert abs(huge.values - small.values).max() < 1e-12


@pytest.mark.parametrize("metric", ["EU(e=0.1)@1000000000", "RBU(p=1,e=0.1)@1000000000"])
def test_an_effort_without_a_closed_form_is_refused(metric: str) -> None:
    """A list of a billion missing documents whose effort has no closed form is refused, not allocated."""
    with refuses("out-of-range", str(10**9)):
        diveval.evaluate(JUDGMENTS, RUNS, metric)


def test_a_mean_of_huge_values_is_finite() -> None:
    """The mean of finite values is finite, even where their sum is not."""
    scores = diveval.evaluate(JUDGMENTS, RUNS, "RBU(p=0.99,e=1e308)@1")
    assert scores.values.min() < -sys.float_info.max / 2
    assert scores.means.min() >= scores.values.min() and scores.means.max() <= scores.values.max()


def test_a_report_of_huge_values_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the page cannot show is one error, and no page is written."""
    (tmp_path / "q").write_text("1 a d1 1\n2 a d1 1\n", encoding="utf-8")
    for name in "xy":
        (tmp_path / name).write_text(f"1 Q0 d1 1 2 {name}\n2 Q0 d2 1 1 {name}\n", encoding="utf-8")
    words = ["report", *(str(tmp_path / n) for n in "qxy"), "-m", "RBU(p=0.99,e=1e308)@1", "-o", str(tmp_path / "r")]
    assert main(words) == 2
    assert is_refusal(capsys.readouterr().err, "metric-failed")
    assert not (tmp_path / "r").exists()
