"""The output of trec_eval and gdeval on two years of TREC Web runs, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from diveval import evaluate
from diveval.results.printouts import gdeval_text, trec_text

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.mark.parametrize("year", [2010, 2011])
def test_trec_eval_printouts_are_reproduced_byte_for_byte(collection: Any, compared: Any, year: int) -> None:
    """Every measure except rbp, which trec_eval computes from uninitialised memory; each topic and the mean."""
    data = collection(year)
    texts = {run.name: (data.expected / "trec_eval" / f"{run.name}.txt").read_text() for run in data.runs}
    lines = {name: [line for line in text.splitlines() if not line.startswith("rbp ")] for name, text in texts.items()}
    measures = dict.fromkeys(line.split()[0] for printed in lines.values() for line in printed)
    scores = evaluate(data.adhoc, data.runs, [f"trec_eval.{name}" for name in measures])
    for run in data.runs:
        assert trec_text(scores, run=run.name).splitlines() == lines[run.name]
        compared["trec_eval"] += len(lines[run.name])


@pytest.mark.parametrize("year", [2010, 2011])
def test_gdeval_printouts_are_reproduced_byte_for_byte(collection: Any, compared: Any, year: int) -> None:
    """nDCG@20 and ERR@20 of every run, each topic, and the mean over the topics with a relevant document."""
    data = collection(year)
    scores = evaluate(data.adhoc, data.runs, ["gdeval.nDCG@20", "gdeval.ERR@20"])
    for run in data.runs:
        printed = (data.expected / "gdeval" / f"{run.name}.csv").read_text()
        assert gdeval_text(scores, run=run.name, topics=list(run.topics), runid=run.tag) == printed
        compared["gdeval"] += (len(printed.splitlines()) - 1) * 2
