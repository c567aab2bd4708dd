"""The RBU program of its authors on three years of TREC Web runs."""

from __future__ import annotations

import csv
from typing import Any

import pytest

from diveval import evaluate

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
SETTINGS = {("0.8", "0.03"): (0.8, 0.03), ("0.9", "0.05"): (0.9, 0.05), ("0.99", "0"): (0.99, 0.0)}


@pytest.mark.parametrize("year", [2009, 2010, 2011])
def test_evall_rbu_is_the_authors_rbu_within_1e_12(collection: Any, compared: Any, year: int) -> None:
    """Each topic and the mean, for three settings of p and e; our RBU on that scale is the same."""
    data = collection(year)
    tool = {setting: f"evall.RBU(p={p},e={e:g})" for setting, (p, e) in SETTINGS.items()}
    own = {setting: f"RBU(p={p},e={e},scale=evall)" for setting, (p, e) in SETTINGS.items()}
    names = [*tool.values(), *own.values()]
    scores = evaluate(data.diversity, data.runs, names, gmax="per-aspect", renormalise=False, missing_topics="zero")
    means = scores.mean()
    for setting in SETTINGS:
        assert abs(scores.array(tool[setting]) - scores.array(own[setting])).max() < 1e-12
    for run in data.runs:
        values = {name: scores.per_topic(run.name, name) for name in tool.values()}
        with (data.expected / "rbu_java" / f"{run.name}.tsv").open(newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                name = tool[row["p"], row["e"]]
                mean = row["topic"].startswith("MEAN")
                value = means[run.name][name] if mean else values[name][row["topic"]]
                assert abs(value - float(row["rbu"])) <= 1e-12
                compared["RBU-Java"] += 1
