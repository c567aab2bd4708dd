"""Collections for experiments, from a folder as `diveval data` writes it and from files, and their errors."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from diveval.datasets import make_collection
from diveval.experiments import experiment_1, from_files, from_folder, synthetic
from diveval.meta import unanimity
from support.refusals import refuses


def test_a_folder_of_data_make_is_the_synthetic_collection(tmp_path: Path) -> None:
    """An experiment on the files of `data make` gives the same values as on the collection in memory."""
    make_collection(tmp_path, topics=4, systems=4, depth=30, seed=5)
    count = partial(unanimity, bootstrap=0)
    in_memory = synthetic(topics=4, systems=4, depth=30, seed=5)
    from_disk = from_folder(tmp_path)
    assert experiment_1(from_disk, count=count) == experiment_1(in_memory, count=count)
    assert from_disk.described.startswith(f"{tmp_path.name}: 4 topics, 4 runs")


def test_a_folder_without_judgments_or_runs_is_an_error(tmp_path: Path) -> None:
    """The error names the missing files and the command that fetches them."""
    with refuses("missing-files", "qrels.txt"):
        from_folder(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 1 d 1\n")
    with refuses("missing-files", "diveval data get NAME --runs"):
        from_folder(tmp_path)
    with refuses("too-few-runs", "1"):
        from_files(tmp_path / "qrels.txt", ["a.run"])
