"""ir_datasets with datasets of its own classes over local files, since tests cannot download."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.cli import main
from diveval.integrations.ir_datasets import judgments
from support.late import late_or_skip
from support.refusals import refuses

ir_datasets = late_or_skip("ir_datasets")

DIVERSITY = "1 1 a 2\n1 2 a 0\n1 2 b 1\n2 1 c -2\n2 3 a 3\n"
PLAIN = "1 0 a 2\n1 3 b 0\n2 0 c 1\n"


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[Any]:
    """Register three small datasets as ir_datasets registers its own."""
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TrecQrels, TrecSubQrels
    from ir_datasets.util import StringFile

    names = {
        "diveval-test/diversity": TrecSubQrels(StringFile(DIVERSITY), {0: "no", 1: "yes"}),
        "diveval-test/plain": TrecQrels(StringFile(PLAIN), {0: "no", 1: "yes"}),
    }
    for name, qrels in names.items():
        ir_datasets.registry.register(name, Dataset(qrels))
    ir_datasets.registry.register("diveval-test/bare", Dataset())
    yield
    for name in [*names, "diveval-test/bare"]:
        del ir_datasets.registry._registered[name]


def test_subtopics_are_aspects() -> None:
    """Each subtopic of TrecSubQrels is an aspect, by id and by the loaded object."""
    expected = [
        ("1", "1", "a", 2.0),
        ("1", "2", "b", 1.0),
        ("1", "2", "a", 0.0),
        ("2", "1", "c", -2.0),
        ("2", "3", "a", 3.0),
    ]
    for dataset in ("diveval-test/diversity", ir_datasets.load("diveval-test/diversity")):
        assert list(judgments(dataset).rows()) == expected


def test_plain_qrels_have_one_aspect() -> None:
    """TrecQrels have one aspect per topic, also if the iteration field varies."""
    loaded = judgments("diveval-test/plain")
    assert {topic.aspects for topic in loaded.topics.values()} == {("0",)}
    assert loaded.source == "diveval-test/plain"


def test_a_dataset_may_be_the_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`evaluate` accepts `ir_datasets:ID` in Python and on the command line."""
    (tmp_path / "r").write_text("1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 a 1 1.0 t\n")
    scores = diveval.evaluate("ir_datasets:diveval-test/diversity", tmp_path / "r", "StRecall@1")
    assert scores.per_topic("r") == {"1": 0.5, "2": 1.0}
    assert (
        main(["evaluate", "ir_datasets:diveval-test/diversity", str(tmp_path / "r"), "-m", "StRecall@1", "-f", "csv"])
        == 0
    )
    assert "r,StRecall@1,all,0.75" in capsys.readouterr().out


def test_unknown_and_unjudged_datasets_are_errors() -> None:
    """The error for an unknown id suggests the nearest, that for a dataset without qrels names it."""
    with refuses("unknown-dataset", "diveval-test/diversty", "diveval-test/diversity"):
        judgments("diveval-test/diversty")
    with refuses("no-judgment", "diveval-test/bare"):
        judgments("diveval-test/bare")


def test_the_official_diversity_datasets_have_subtopics() -> None:
    """Their qrels class has the field that is read as aspects (files are not fetched)."""
    for year in (2009, 2010, 2011, 2012):
        assert "subtopic_id" in ir_datasets.load(f"clueweb09/en/trec-web-{year}/diversity").qrels_cls()._fields
    for year in (2013, 2014):
        assert "subtopic_id" in ir_datasets.load(f"clueweb12/trec-web-{year}/diversity").qrels_cls()._fields
