"""The output of ndeval on three years of TREC Web runs, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from diveval import evaluate
from diveval.reading import read_run
from diveval.results.printouts import ndeval_columns, ndeval_text

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
SETTINGS = {"ndeval": ndeval_columns(), "ndeval-alpha0.1-beta0.8": ndeval_columns(alpha=0.1, beta=0.8)}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("year", [2009, 2010, 2011])
def test_ndeval_printouts_are_reproduced_byte_for_byte(collection: Any, compared: Any, year: int, setting: Any) -> None:
    """The CSV of every run: 21 columns, each topic and the mean over all judged topics (ndeval -traditional -c)."""
    data = collection(year)
    scores = evaluate(data.diversity, data.runs, SETTINGS[setting])
    for run in data.runs:
        printed = (data.expected / setting / f"{run.name}.csv").read_text()
        assert ndeval_text(scores, run=run.name, topics=list(run.topics), runid=run.tag) == printed
        compared["ndeval"] += (len(printed.splitlines()) - 1) * 21


def test_without_c_the_mean_is_over_the_topics_in_both_files(collection: Any) -> None:
    """A run that lacks a topic is averaged over its 49 topics, or over all 50 if missing topics count 0."""
    data = collection(2009)
    run = next(run for run in data.runs if run.name == "gdesa-repo-ppg")
    in_both = evaluate(data.diversity, run, "ndeval.alpha_nDCG@20", missing_topics="skip").means[0, 0]
    over_all = evaluate(data.diversity, run, "ndeval.alpha_nDCG@20").means[0, 0]
    assert len(run.topics) == 49
    assert in_both * 49 == pytest.approx(over_all * 50)


@pytest.mark.parametrize(
    ("name", "order"), [("dssa-indri-baseline", "rank"), ("reinfo-bert_reinfo", "score"), ("gdesa-repo-desa", "score")]
)
def test_runs_as_published_need_the_right_order(
    collection: Any, realdata: Path, name: str, order: Literal["rank", "score"]
) -> None:
    """If rank and score disagree in a published file, the right order rule gives ndeval's values."""
    data = collection(2011)
    run = read_run(realdata / "web2011" / "runs-raw" / f"{name}.run.gz")
    scores = evaluate(data.diversity, run, ndeval_columns(), order=order)
    printed = (data.expected / "ndeval" / f"{name}.csv").read_text()
    assert ndeval_text(scores, run=run.name, topics=list(run.topics), runid=name) == printed


def test_the_wrong_order_gives_other_numbers(collection: Any, realdata: Any) -> None:
    """In a file whose scores do not follow its ranks, both orders give different values."""
    data = collection(2011)
    run = read_run(realdata / "web2011" / "runs-raw" / "reinfo-bert_reinfo.run.gz")
    by_rank = evaluate(data.diversity, run, "ndeval.alpha_nDCG@20", order="rank").means[0, 0]
    by_score = evaluate(data.diversity, run, "ndeval.alpha_nDCG@20", order="score").means[0, 0]
    assert abs(by_rank - by_score) > 0.01
