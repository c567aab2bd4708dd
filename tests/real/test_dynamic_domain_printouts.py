"""The Cube Test and session DCG of TREC Dynamic Domain 2016, as printed."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from diveval import evaluate
from diveval.reading import read_judgments, read_run

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture(scope="module")
def dd2016(realdata: Any) -> Any:
    """Judgments of passages, a run in rounds, and the folder of expected output."""
    folder = realdata / "dd2016"
    return read_judgments(folder / "qrels.txt.gz"), read_run(folder / "sample.run"), folder / "expected"


@pytest.mark.parametrize("rounds", [1, 5, 10, 50])
def test_the_cube_test_of_2016_is_reproduced_digit_for_digit(dd2016: Any, compared: Any, rounds: int) -> None:
    """CT and ACT of each topic and their means are the same to ten digits."""
    judgments, run, expected = dd2016
    names = [f"cubetest.CT(year=2016)@{rounds}", f"cubetest.ACT(year=2016)@{rounds}"]
    _compare(evaluate(judgments, run, names), expected / f"cubetest-2016.{rounds}.csv", 10)
    compared["Cube Test"] += 2 * 52


def test_session_dcg_is_reproduced_digit_for_digit(dd2016: Any, compared: Any) -> None:
    """nSDCG of each topic and its mean are the same to five digits."""
    judgments, run, expected = dd2016
    _compare(evaluate(judgments, run, "dd.nSDCG"), expected / "snDCG.5.csv", 5)
    compared["session DCG"] += 52


def _compare(scores: Any, printed: Any, digits: Any) -> None:
    with printed.open(newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    run = scores.runs[0]
    assert len(rows) == 52
    for _, topic, *values in rows:
        for name, value in zip(scores.metrics, values, strict=True):
            ours = scores.mean()[run][name] if topic in ("all", "amean") else scores.per_topic(run, name)[topic]
            assert f"{ours:.{digits}f}" == value, (topic, name)
