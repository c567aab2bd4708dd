"""Writing says what a format cannot carry, and refuses what it cannot carry at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.errors import UsageError
from diveval.judgments import Judgments
from diveval.reading import read_run
from diveval.runs import Run
from diveval.writing import judgments_content, runs_content, weights_text
from support.wording import wording

ROWS = [("1", "a", "x", 1.0), ("1", "b", "y", 1.0)]


def run(name: str = "r", topic: str = "1", tag: str = "") -> Any:
    """A run of two documents."""
    made = Run.from_rows([(topic, "x", 2.0), (topic, "y", 1.0)], name=name)
    return Run(made.name, made.topics, made.source, made.format, tag) if tag else made


def test_weights_that_are_not_there_are_not_written() -> None:
    """Uniform weights are the absence of weights, so there is nothing to put in a file."""
    with pytest.raises(UsageError, match=wording("have no aspect weights to write")):
        weights_text(Judgments.from_rows(ROWS))
    assert (
        weights_text(Judgments.from_rows(ROWS, weights={("1", "a"): 0.25, ("1", "b"): 0.75})) == "1 a 0.25\n1 b 0.75\n"
    )


def test_evall_wants_a_weight_for_every_aspect_that_counts() -> None:
    """An aspect with a relevant document and no weight cannot be written; one with none weighs nothing."""
    judgments = Judgments.from_rows(ROWS, weights={("1", "a"): 1.0})
    with pytest.raises(UsageError, match=wording(r"topic '1': aspect 'b' has no weight, and evall needs one")):
        judgments_content(judgments, "evall")


def test_text_holds_one_run_with_documents() -> None:
    """Two runs go to two files or to parquet, where their names differ; a run of nothing is no file."""
    with pytest.raises(UsageError, match=wording("trec holds one run")):
        runs_content([run("r"), run("s")], "trec")
    with pytest.raises(UsageError, match=wording(r"two runs are called 'r'; rename one")):
        runs_content([run("r"), run("r")], "parquet")
    with pytest.raises(UsageError, match=wording(r"the run 'r' contains no document")):
        runs_content([Run("r", {})], "trec")


def test_white_space_in_a_tag_is_lost_and_said(tmp_path: Path) -> None:
    """A tag is one word in a run file."""
    made = runs_content([run(tag="my run")], "trec")
    (loss,) = made.losses
    assert "my_run" in loss
    assert isinstance(made.content, str)
    (tmp_path / "r").write_text(made.content)
    assert read_run(tmp_path / "r").tag == "my_run"


def test_the_rule_for_repeated_documents_goes_along_as_advice(tmp_path: Path) -> None:
    """A Dynamic Domain run may show a document twice; as a TREC run it needs the rule said."""
    (tmp_path / "dd").write_text("1 0 x 3.0 1\n1 0 y 2.0 1\n1 1 x 1.0 1\n")
    listed = read_run(tmp_path / "dd", format="dynamic-domain")
    assert any(
        "repeated documents: read it with --duplicates blank" in loss for loss in runs_content([listed], "trec").losses
    )
    assert not any("--duplicates" in loss for loss in runs_content([listed], "dynamic-domain").losses)
