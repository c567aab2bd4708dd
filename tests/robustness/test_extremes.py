"""Huge cutoffs and parameters on the command line: memory and time follow the data, not the numbers asked for."""

from __future__ import annotations

import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval import recommend
from diveval.cli import main
from diveval.errors import DivevalError
from diveval.metrics.metric import Entry
from diveval.metrics.names import entries
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


PARAMETERS = [
    "1e308",
    "1e-308",
    "1e-320",
    "-1e308",
    "nan",
    "inf",
    "1e400",
    "0." + "3" * 4000,
    "1/3",
    "1/" + "7" * 3000,
    "1e5",
    "-0",
    "1e-17",
]
CUTOFFS = ["1000000000000", "9" * 30, "100000", "1", "0"]
MAY_BE_UNDEFINED = {"ir_measures.Accuracy"}  # NaN where a list has no pair of a relevant and another document


def extreme_texts(name: str, entry: Entry) -> Iterator[str]:
    """A metric with each of its parameters, and its cutoff, beyond what anybody means."""
    for parameter in entry.parameters:
        for value in PARAMETERS:
            yield f"{name}({parameter.name}={value}){'@5' if entry.cutoffs else ''}"
    if entry.cutoffs:
        yield from (f"{name}@{cutoff}" for cutoff in CUTOFFS)


@contextmanager
def at_most(seconds: int, gigabytes: int) -> Iterator[None]:
    """Limits of this process: a MemoryError beyond the address space, a TimeoutError after the time."""

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft, used = resource.getrlimit(resource.RLIMIT_AS)[0], int(Path("/proc/self/statm").read_text().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + gigabytes * 2**30, hard))
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGALRM, before)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are set as Linux has them")
@pytest.mark.parametrize("tool", sorted({name.rpartition(".")[0] for name in entries()}))
def test_no_parameter_or_cutoff_costs_more_than_the_data(tool: str) -> None:
    """Whatever the numbers, a metric has a finite value or one error, in seconds and without gigabytes."""
    for name, entry in entries().items():
        if name.rpartition(".")[0] != tool:
            continue
        for text in extreme_texts(name, entry):
            try:
                with at_most(20, 1), np.errstate(all="raise", under="ignore"):
                    scores = diveval.evaluate(JUDGMENTS, RUNS, text)
            except DivevalError as error:
                assert error.code not in ("", "internal-error") and len(str(error)) < 600, text
                continue
            assert np.isfinite(scores.values[scores.counted]).all() or name in MAY_BE_UNDEFINED, text


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are set as Linux has them")
def test_neither_do_those_of_recommenders() -> None:
    """The same for the metrics of recommendation lists."""
    ratings: Any = {"1": {"i1": 5, "i2": 1}, "2": {"i1": 5}, "3": {"i3": 5}}
    lists: Any = {"A": {"1": {"i1": 2.0, "i3": 1.0}, "2": {"i2": 1.0}, "3": {"i3": 1.0}}}
    genres, history = {"i1": ["x"], "i2": ["y"], "i3": ["x", "y"]}, {"1": {"i3": 5}, "2": {"i2": 4}, "3": {"i1": 1}}
    for name, entry in recommend.entries().items():
        for text in extreme_texts(name, entry):
            try:
                with at_most(20, 1):
                    scores = recommend.evaluate(ratings, lists, [text], aspects=genres, history=history)
            except DivevalError as error:
                assert error.code not in ("", "internal-error") and len(str(error)) < 600, text
                continue
            assert np.isfinite(scores.values[scores.counted]).all() or name in MAY_BE_UNDEFINED, text


BEYOND = [
    "RBU@100000",
    "RBU(p=1/3,e=1/7)@1000000000000",
    "RBU(e=1e308)@20",
    "RBU(e=1e-308)@20",
    "NRBP(p=1/3)",
    "RBU(p=0.1..0.999999,e=0..1e308)@100000",
    "RBP(p=0.5..0.9999999999999999)@100000",
    "RBU(p=1e-300..1,e=1e-300..1)@20",
    "RBU(p=0.6..0.99,e=0..0.1)@1000000000000",
]
QUESTIONS: dict[str, Callable[[str], Any]] = {
    "conclude": lambda m: diveval.conclude(JUDGMENTS, RUNS, m),
    "labels": lambda m: diveval.conclude(JUDGMENTS, RUNS, m, unjudged="any"),
    "weights": lambda m: diveval.conclude(JUDGMENTS, RUNS, m, any_weights=True),
    "board": lambda m: diveval.board(JUDGMENTS, RUNS, m),
    "stopping": lambda m: diveval.stopping_ranks(JUDGMENTS, RUNS, m),
    "violations": lambda m: diveval.violations(JUDGMENTS, RUNS, m, depth=10**12 if "e=1e-308" in m else 20),
    "why": lambda m: diveval.why(JUDGMENTS, {"x": RUNS["x"]}, {"y": RUNS["y"]}, [m, "P@5"], axioms=False),
    "losses": lambda m: diveval.losses(JUDGMENTS, {"x": RUNS["x"]}, {"y": RUNS["y"]}, m),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are set as Linux has them")
@pytest.mark.parametrize("metric", BEYOND)
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_question_about_such_a_metric_costs_more(question: str, metric: str) -> None:
    """Conclusions, stopping ranks, violations and reasons answer, or refuse with a code, in seconds and little memory."""
    with at_most(20, 1):
        try:
            QUESTIONS[question](metric)
        except DivevalError as error:
            assert error.code not in ("", "internal-error")
