"""ndeval's printouts on three years of TREC Web runs, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from diveval import evaluate
from diveval.printouts import ndeval_columns, ndeval_text
from diveval.reading import read_run

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
SETTINGS = {"ndeval": ndeval_columns(), "ndeval-alpha0.1-beta0.8": ndeval_columns(alpha=0.1, beta=0.8)}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("year", [2009, 2010, 2011])
def test_ndeval_printouts_are_reproduced_byte_for_byte(collection: Any, compared: Any, year: int, setting: Any) -> None:
    """Every run's whole CSV, 21 columns, each topic and the mean over all judged topics (ndeval -traditional -c)."""
    of = collection(year)
    scores = evaluate(of.diversity, of.runs, SETTINGS[setting])
    for run in of.runs:
        printed = (of.expected / setting / f"{run.name}.csv").read_text()
        assert ndeval_text(scores, run=run.name, topics=list(run.topics), runid=run.tag) == printed
        compared["ndeval"] += (len(printed.splitlines()) - 1) * 21


def test_without_c_the_mean_is_over_the_topics_in_both_files(collection: Any) -> None:
    """A run that lacks a topic is averaged over the 49 it has; with missing topics as 0 over all 50."""
    of = collection(2009)
    run = next(run for run in of.runs if run.name == "gdesa-repo-ppg")
    found = evaluate(of.diversity, run, "ndeval.alpha_nDCG@20", missing_topics="skip").means[0, 0]
    everywhere = evaluate(of.diversity, run, "ndeval.alpha_nDCG@20").means[0, 0]
    assert len(run.topics) == 49
    assert found * 49 == pytest.approx(everywhere * 50)


@pytest.mark.parametrize(
    ("name", "order"), [("dssa-indri-baseline", "rank"), ("reinfo-bert_reinfo", "score"), ("gdesa-repo-desa", "score")]
)
def test_runs_as_published_need_the_right_order(
    collection: Any, realdata: Path, name: str, order: Literal["rank", "score"]
) -> None:
    """Where rank and score disagree in a published file, the right order rule gives ndeval's numbers."""
    of = collection(2011)
    run = read_run(realdata / "web2011" / "runs-raw" / f"{name}.run.gz")
    scores = evaluate(of.diversity, run, ndeval_columns(), order=order)
    printed = (of.expected / "ndeval" / f"{name}.csv").read_text()
    assert ndeval_text(scores, run=run.name, topics=list(run.topics), runid=name) == printed


def test_the_wrong_order_gives_other_numbers(collection: Any, realdata: Any) -> None:
    """The file whose scores do not follow its ranks, read by score."""
    of = collection(2011)
    run = read_run(realdata / "web2011" / "runs-raw" / "reinfo-bert_reinfo.run.gz")
    by_rank = evaluate(of.diversity, run, "ndeval.alpha_nDCG@20", order="rank").means[0, 0]
    by_score = evaluate(of.diversity, run, "ndeval.alpha_nDCG@20", order="score").means[0, 0]
    assert abs(by_rank - by_score) > 0.01
