"""The synthetic RAG evaluation: the same bytes from the same arguments, files that fit each other, and known differences."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.answers import evaluate
from diveval.cli import main
from diveval.datasets import make_rag
from support.console import ROOT, complaints
from support.refusals import refuses

FILES = ["citations.csv", "cited.tsv", "contexts.jsonl", "facts.csv", "labels.csv", "long.tsv", "people.csv", "short.tsv", "tokens.txt"]  # fmt: skip


def test_the_same_arguments_write_the_same_bytes(tmp_path: Path) -> None:
    """And another seed others."""
    folders = [make_rag(tmp_path / str(i), questions=6, seed=seed) for i, seed in enumerate((3, 3, 4))]
    first, again, other = ([(folder / name).read_bytes() for name in FILES] for folder in folders)
    assert first == again != other
    assert sorted(path.name for path in folders[0].iterdir()) == FILES


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_files_fit_each_other(tmp_path: Path, seed: int) -> None:
    """Every join matches whole and no warning is issued; the long system covers most, the careful one cites best."""
    folder = make_rag(tmp_path / "x", questions=60, seed=seed)
    for labels in ("labels.csv", "people.csv"):
        names = ["Coverage", "CitationPrecision"] if labels == "labels.csv" else ["Coverage"]
        bank, given = folder / "facts.csv", folder / labels
        files: list[Any] = [bank, given, folder / "citations.csv"] if labels == "labels.csv" else [given]
        scores = evaluate(files, names)
        assert all(found.share == 1.0 for found in scores.setup.joins)
        means = scores.mean()
        assert means["short"]["Coverage"] < means["long"]["Coverage"]
        if labels == "labels.csv":
            assert means["short"]["Coverage"] < means["cited"]["Coverage"] < means["long"]["Coverage"]
            assert max(means, key=lambda run: means[run]["CitationPrecision"]) == "cited"
    runs = [folder / f"{name}.tsv" for name in ("short", "cited", "long")]
    assert diveval.evaluate(folder / "contexts.jsonl", runs, "StRecall@10").means.min() > 0.5
    with (folder / "people.csv").open() as opened:
        assert len({row["question"] for row in csv.DictReader(opened)}) == 20


@pytest.mark.parametrize("wrong", [{"questions": 0}, {"questions": 2.5}, {"seed": -1}])
def test_bad_numbers_are_refused(tmp_path: Path, wrong: Any) -> None:
    """Nothing is written."""
    with refuses("out-of-range"):
        make_rag(tmp_path / "x", **wrong)
    assert not (tmp_path / "x").exists()


def test_data_make_like_rag(tmp_path: Path) -> None:
    """`data make --like rag` writes the files; options of other data are errors."""
    assert main(["data", "make", str(tmp_path / "r"), "--like", "rag", "--questions", "3"]) == 0
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == FILES
    for words in (["--like", "rag", "--depth", "5"], ["--questions", "5"], ["--like", "movielens", "--questions", "5"]):
        assert main(["data", "make", str(tmp_path / "n"), *words]) == 2
    assert not (tmp_path / "n").exists()


@pytest.mark.slow
def test_the_page_is_followed_literally(tmp_path: Path) -> None:
    """Every command of the page about RAG prints what it shows, from the data to the decision."""
    wrong = complaints(ROOT / "docs" / "rag.md", tmp_path)
    assert not wrong, "\n".join(wrong)
