"""The command `diveval data reproduce`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_collection
from diveval.experiments import paper_tables, synthetic, synthetic_dynamic_domain
from support.refusals import has_facts, is_refusal

pytestmark = pytest.mark.slow(seconds=0.3)  # together: `make check` leaves the file out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small collection."""
    return make_collection(tmp_path_factory.mktemp("made"), topics=6, systems=5, depth=40, seed=2)


def test_table_2_on_a_folder_and_on_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--data DIR and --qrels FILE --runs FILE … give the same table; progress goes to standard error."""
    quick = ["--seeds", "2", "--bootstrap", "0", "-f", "csv"]
    assert main(["data", "reproduce", "table2", "--data", str(folder), *quick]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["column"] for row in rows} == {"official", "simulated", "simulated-50"} and has_facts(err, "2")
    files = ["--qrels", str(folder / "qrels.txt"), "--runs", *map(str, sorted((folder / "runs").glob("*.run")))]
    assert main(["data", "reproduce", "table2", *files, "--weights", str(folder / "weights.txt"), *quick]) == 0
    again = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["mu_low"] for row in again] == [row["mu_low"] for row in rows]


def test_without_data_a_synthetic_collection_is_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables 2 and 3 work without data, and the output says that the collection is synthetic."""
    monkeypatch.setattr(paper_tables, "synthetic", lambda: synthetic(topics=5, systems=5, depth=40))
    monkeypatch.setattr(paper_tables, "synthetic_dynamic_domain", lambda: synthetic_dynamic_domain(topics=5, systems=5))
    assert main(["data", "reproduce", "table2", "--seeds", "1", "--bootstrap", "20"]) == 0
    out = capsys.readouterr().out
    assert "0.8024" in out
    assert main(["data", "reproduce", "table3", "--bootstrap", "20", "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["column"] for row in result["rows"]} == {"official", "at-20", "at-20-without-effort", "dynamic-domain"}
    assert any("synthetic" in note for note in result["notes"])


def test_several_folders_and_markdown_to_a_file(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Markdown has one section per collection, also of two folders with the same name, and a list of all variants."""
    target, other = tmp_path / "table.md", copytree(folder, tmp_path / folder.name)
    words = ["--data", str(folder), str(other), "--seeds", "1", "--bootstrap", "0", "--all-variants", "-f", "md"]
    assert main(["data", "reproduce", "table2", *words, "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    text = target.read_text()
    assert text.startswith("# ")
    assert re.findall(r"(?m)^## (\S+):.*\b6\b.*\b5\b", text) == [str(folder), str(other)]
    assert text.count("\n### ") == 2 * (3 + 1)  # three columns of the table, and all variants


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["table2", "--runs", "a"], ("option-not-applicable", "--runs", "--weights", "--qrels")),
        (["table2", "--data", "/nonexistent"], ("missing-files",)),
        (["table2", "--seeds", "0"], ("out-of-range", "--seeds", "1")),
        (["table3", "--qrels", "/nonexistent", "--runs", "a", "b"], ("cannot-read",)),
    ],
)
def test_invalid_arguments_exit_2_with_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], refusal: tuple[str, ...]
) -> None:
    """The error is one line that names the argument, and nothing goes to standard output."""
    assert main(["data", "reproduce", *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and is_refusal(err, *refusal) and err.count("\n") == 1
