"""Writing reports what a format cannot represent as a loss, or refuses to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.reading import read_run
from diveval.writing import judgments_content, runs_content, weights_text
from support.refusals import refuses

ROWS = [("1", "a", "x", 1.0), ("1", "b", "y", 1.0)]


def run(name: str = "r", topic: str = "1", tag: str = "") -> Any:
    """A run of two documents."""
    plain = Run.from_rows([(topic, "x", 2.0), (topic, "y", 1.0)], name=name)
    return Run(plain.name, plain.topics, plain.source, plain.format, tag) if tag else plain


def test_missing_weights_are_not_written() -> None:
    """Judgments without weights have no weights to write; given weights are written."""
    with refuses("missing-weights"):
        weights_text(Judgments.from_rows(ROWS))
    assert (
        weights_text(Judgments.from_rows(ROWS, weights={("1", "a"): 0.25, ("1", "b"): 0.75})) == "1 a 0.25\n1 b 0.75\n"
    )


def test_evall_needs_a_weight_for_every_aspect_with_a_relevant_document() -> None:
    """An aspect with a relevant document and no weight cannot be written as EvALL."""
    judgments = Judgments.from_rows(ROWS, weights={("1", "a"): 1.0})
    with refuses("missing-weights", "1", "b"):
        judgments_content(judgments, "evall")


def test_a_text_file_contains_one_run_with_documents() -> None:
    """Several runs cannot share a text file, runs of the same name a parquet file, and an empty run is refused."""
    with refuses("wrong-number-of-runs"):
        runs_content([run("r"), run("s")], "trec")
    with refuses("duplicate-run", "r"):
        runs_content([run("r"), run("r")], "parquet")
    with refuses("empty-run", "r"):
        runs_content([Run("r", {})], "trec")


def test_white_space_in_a_tag_is_a_reported_loss(tmp_path: Path) -> None:
    """White space in a tag becomes an underscore, and the loss names the new tag."""
    text = runs_content([run(tag="my run")], "trec")
    (loss,) = text.losses
    assert "my_run" in loss
    assert isinstance(text.content, str)
    (tmp_path / "r").write_text(text.content)
    assert read_run(tmp_path / "r").tag == "my_run"


def test_the_rule_for_repeated_documents_is_reported(tmp_path: Path) -> None:
    """A Dynamic Domain run with a repeated document, written as TREC, needs --duplicates blank to be read."""
    (tmp_path / "dd").write_text("1 0 x 3.0 1\n1 0 y 2.0 1\n1 1 x 1.0 1\n")
    listed = read_run(tmp_path / "dd", format="dynamic-domain")
    assert any("--duplicates blank" in loss for loss in runs_content([listed], "trec").losses)
    assert not any("--duplicates" in loss for loss in runs_content([listed], "dynamic-domain").losses)
